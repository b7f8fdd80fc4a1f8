/* SPDX-License-Identifier: MIT */
#include "reference/reference.h"

#include <string.h>

enum clump_status clump_reference_mask(clump_context *context, uint64_t rows, uint64_t cols,
                                       clump_image **mask)
{
    enum clump_status status = clump_image_create(context, CLUMP_BITS, rows, cols, mask);
    if (!status)
        memset((*mask)->pixels, 0, (*mask)->bytes);
    return status;
}

enum clump_status clump_reference_no_memory(clump_context *context, const char *operation)
{
    return clump_fail(&context->log, CLUMP_ERROR_MEMORY, "%s: the host has no memory left",
                      operation);
}
