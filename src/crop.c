/* SPDX-License-Identifier: MIT */
#include "context.h"

#include <inttypes.h>

#define ANY_TYPE (~0u)

enum clump_status clump_crop(clump_context *context, const clump_image *image, uint64_t row,
                             uint64_t col, uint64_t rows, uint64_t cols, clump_image **part)
{
    CLUMP_ROUNDING();
    enum clump_status status = clump_check_image(context, "crop", "image", image, ANY_TYPE);
    if (status)
        return status;
    if (!rows || !cols || row >= image->rows || col >= image->cols || rows > image->rows - row ||
        cols > image->cols - col)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "crop: %" PRIu64 " x %" PRIu64 " pixels from row %" PRIu64
                          ", column %" PRIu64 " are no part of an image of %" PRIu64 " x %" PRIu64,
                          rows, cols, row, col, image->rows, image->cols);
    if (!part)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "crop: no place for the part was given");
    return context->backend->crop(context, image, row, col, rows, cols, part);
}
