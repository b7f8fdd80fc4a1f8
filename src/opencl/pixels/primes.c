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
    enum clump_status status = clump_kernel(context, "pixels/primes", "", "primes_mark", &kernel);
    if (status)
        return status;
    status = clump_image_create(context, CLUMP_BITS, 1, below ? below : 1, &marks);
    if (status)
        return status;
    status = clump_buffer_fill(context, marks->buffer, 0, marks->bytes);
    if (status)
        goto out;
    status = clump_launch_flat(context, kernel, below ? below : 1,
                               CLUMP_ARGS(CLUMP_ARG_IMAGE(marks), CLUMP_ARG(below)));
    if (status)
        goto out;
    status = count_bits(marks, count);
    if (status)
        goto out;
    if (mask) {
        *mask = marks;
        marks = NULL;
    }
out:
    clump_image_destroy(&marks);
    return status;
}
