/* SPDX-License-Identifier: MIT */
/* Stands for transform.c where VkFFT is missing. */
#include "opencl/convolve/transform.h"

struct transform *clump_transform_create(cl_device_id device, cl_context context, uint32_t high,
                                         uint32_t wide, bool fp64, int *error)
{
    (void)device, (void)context, (void)high, (void)wide, (void)fp64;
    *error = TRANSFORM_MISSING;
    return NULL;
}

void clump_transform_destroy(struct transform **transform) { *transform = NULL; }

int clump_transform_run(struct transform *transform, cl_command_queue queue, cl_mem buffer,
                        bool back)
{
    (void)transform, (void)queue, (void)buffer, (void)back;
    return TRANSFORM_MISSING;
}
