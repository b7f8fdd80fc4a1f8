/* SPDX-License-Identifier: MIT */
#include "context.h"

/* Compares a mask of bits with a threshold that is not between 0 and 1. */
static enum clump_status compare_bits(clump_context *context, const clump_image *mask,
                                      const struct clump_threshold_params *params,
                                      clump_image **made)
{
    clump_image *bytes = NULL;
    enum clump_status status = context->backend->convert(context, mask, CLUMP_U8, &bytes);
    if (!status)
        status = context->backend->threshold(context, bytes, params, made, NULL);
    clump_image_destroy(&bytes);
    return status;
}

enum clump_status clump_masked(clump_context *context, const char *operation,
                               const clump_image *image, double threshold, const clump_image **mask,
                               clump_image **made)
{
    struct clump_threshold_params params = clump_threshold_defaults;
    const clump_image *given = *mask;
    params.above = threshold;
    enum clump_status status =
        clump_check_companion(context, operation, image, "mask", given, CLUMP_TYPES_MASK);
    if (status)
        return status;
    if (given->type == CLUMP_BITS && threshold >= 0 && threshold < 1)
        return CLUMP_OK;
    status = given->type == CLUMP_BITS
                 ? compare_bits(context, given, &params, made)
                 : context->backend->threshold(context, given, &params, made, NULL);
    if (!status)
        *mask = *made;
    return status;
}
