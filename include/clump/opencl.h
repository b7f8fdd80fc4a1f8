/* SPDX-License-Identifier: MIT */
/*
 * For programs that bring OpenCL objects of their own. No other header here includes OpenCL's.
 * Clump retains the program's objects while it uses them and never changes them. Host
 * src/opencl/core/context.c and src/opencl/core/buffer.c.
 */
#ifndef CLUMP_OPENCL_H
#define CLUMP_OPENCL_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#include <clump/context.h>
#include <clump/image.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Opens the device of `queue`, an in-order queue of `cl`, and enqueues into that queue.
 * `params` may be NULL; its `device` is ignored. Times on the device need a queue with profiling.
 */
CLUMP_API enum clump_status clump_opencl_context(cl_context cl, cl_command_queue queue,
                                                 const struct clump_context_params *params,
                                                 clump_context **context);

/* Makes an image of a buffer of the same OpenCL context, rows without gaps, without a copy. */
CLUMP_API enum clump_status clump_opencl_image(clump_context *context, enum clump_type type,
                                               uint64_t rows, uint64_t cols, cl_mem buffer,
                                               clump_image **image);

/* The OpenCL objects of a context and of an image, borrowed. NULL on the reference device and for
 * NULL. */
CLUMP_API cl_command_queue clump_opencl_queue(const clump_context *context);
CLUMP_API cl_mem clump_opencl_buffer(const clump_image *image);

#ifdef __cplusplus
}
#endif

#endif
