/* SPDX-License-Identifier: MIT */
#include "context.h"

enum clump_status clump_compress(clump_context *context, const clump_image *image,
                                 const clump_image *mask, clump_image **row, uint64_t *count)
{
    CLUMP_ROUNDING();
    clump_image *bits = NULL;
    enum clump_status status =
        clump_check_image(context, "compress", "image", image, CLUMP_TYPES_NUMBER);
    if (!status)
        status = clump_check_image(context, "compress", "mask", mask, CLUMP_TYPES_MASK);
    if (!status)
        status = clump_check_same_size(context, "compress", image, mask);
    if (!status)
        status = clump_check_given(&context->log, "compress", "place for the row", row);
    if (!status)
        status = clump_check_given(&context->log, "compress", "place for the count", count);
    if (!status)
        status = clump_convert_to(context, 1u << CLUMP_BITS, CLUMP_BITS, &mask, &bits);
    if (!status)
        status = context->backend->compress(context, image, mask, row, count);
    clump_image_destroy(&bits);
    return status;
}
