/* SPDX-License-Identifier: MIT */
/*
 * Fourier transforms of one size by VkFFT. transform.c alone includes VkFFT, which takes a compiler
 * half a minute; so it includes nothing of Clump that changes often. transform_missing.c stands for
 * it in a build without VkFFT.
 */
#ifndef CLUMP_SRC_OPENCL_TRANSFORM_H
#define CLUMP_SRC_OPENCL_TRANSFORM_H

#include "opencl/core/api.h"

struct transform;

#define TRANSFORM_MISSING (-1) /* the error of a build without VkFFT */

/*
 * Builds the kernels for `high` x `wide` complex points; `high` is 1 for a transform of one
 * dimension. Returns NULL where VkFFT fails, with its number in `*error`, and where there is no
 * memory, with 0.
 */
struct transform *clump_transform_create(cl_device_id device, cl_context context, uint32_t high,
                                         uint32_t wide, bool fp64, int *error);
void clump_transform_destroy(struct transform **transform);

/* Enqueues the transform of a buffer in place, forwards or back. Returns 0 or the error of VkFFT.
 */
int clump_transform_run(struct transform *transform, cl_command_queue queue, cl_mem buffer,
                        bool back);

#endif
