/* SPDX-License-Identifier: MIT */
#include "opencl/core/opencl.h"

static enum clump_status count_bits(clump_image *mask, uint64_t *count)
{
    void *words;
    enum clump_status status = clump_opencl_image_map(mask, CLUMP_IMAGE_READ, &words);
    if (status)
        return status;
    *count = 0;
    for (size_t i = 0; i < mask->bytes / 4; i++)
        *count += (uint64_t)__builtin_popcount(((const uint32_t *)words)[i]);
    return clump_buffer_unmap(mask->context, mask->buffer, words);
}

enum clump_status clump_opencl_primes(clump_context *context, uint32_t below, clump_image **mask,
                                      uint64_t *count)
{
    cl_kernel kernel;
    clump_image *marks = NULL;
    uint32_t n = below ? below : 1; /* an image has a pixel at least */
    size_t group = context->opencl->layout.group, global = (n + group - 1) / group * group;
    enum clump_status status = clump_kernel(context, "pixels/primes", "", "primes_mark", &kernel);
    if (!status)
        status = clump_image_create(context, CLUMP_BITS, 1, n, &marks);
    if (!status)
        status = clump_buffer_fill(context, marks->buffer, 0, marks->bytes);
    if (!status)
        status = clump_launch_parts(context, kernel, 1, &global, &group, n / 2.0,
                                    CLUMP_ARGS(CLUMP_ARG_IMAGE(marks), CLUMP_ARG(below)));
    if (!status)
        status = count_bits(marks, count);
    if (!status && mask) {
        *mask = marks;
        marks = NULL;
    }
    clump_image_destroy(&marks);
    return status;
}
