/* SPDX-License-Identifier: MIT */
#include "context.h"

#include <inttypes.h>

#define ANY_TYPE (~0u)

/* Rows of a mask end at a word, so its bits take the way through bytes. */
static enum clump_status reshape_bits(clump_context *context, const clump_image *mask,
                                      uint64_t rows, uint64_t cols, clump_image **result)
{
    clump_image *bytes = NULL, *shaped = NULL;
    enum clump_status status = context->backend->convert(context, mask, CLUMP_U8, &bytes);
    if (!status)
        status = context->backend->reshape(context, bytes, rows, cols, &shaped);
    if (!status)
        status = context->backend->convert(context, shaped, CLUMP_BITS, result);
    clump_image_destroy(&shaped);
    clump_image_destroy(&bytes);
    return status;
}

enum clump_status clump_reshape(clump_context *context, const clump_image *image, uint64_t rows,
                                uint64_t cols, clump_image **result)
{
    CLUMP_ROUNDING();
    enum clump_status status = clump_check_image(context, "reshape", "image", image, ANY_TYPE);
    if (status)
        return status;
    uint64_t n = image->rows * image->cols;
    if (!rows || !cols || n / rows != cols || n % rows)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "reshape: %" PRIu64 " x %" PRIu64 " pixels are not the %" PRIu64
                          " pixels of an image of %" PRIu64 " x %" PRIu64,
                          rows, cols, n, image->rows, image->cols);
    status = clump_check_given(&context->log, "reshape", "place for the result", result);
    if (status)
        return status;
    return (image->type == CLUMP_BITS ? reshape_bits : context->backend->reshape)(context, image,
                                                                                  rows, cols,
                                                                                  result);
}
