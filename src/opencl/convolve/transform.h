/* SPDX-License-Identifier: MIT */
/*
 * Fourier transforms of one size by VkFFT. The file behind this header is the only one that
 * includes VkFFT, of which compilers make half a minute's work: it includes nothing else that
 * changes often.
 */
#ifndef CLUMP_SRC_OPENCL_TRANSFORM_H
#define CLUMP_SRC_OPENCL_TRANSFORM_H

#include "opencl/core/api.h"

struct transform;

#define TRANSFORM_MISSING (-1) /* the error of a build without VkFFT */

/*
 * Builds the kernels for `high` x `wide` complex points, one row for a line. NULL where VkFFT makes
 * none; `*error` is then its own number, or 0 when there is no memory.
 */
struct transform *clump_transform_create(cl_device_id device, cl_context context, uint32_t high,
                                         uint32_t wide, bool fp64, int *error);
void clump_transform_destroy(struct transform **transform);

/* Enqueues the transform of a buffer in place, forwards or back. Returns VkFFT's error, or 0. */
int clump_transform_run(struct transform *transform, cl_command_queue queue, cl_mem buffer,
                        bool back);

#endif
