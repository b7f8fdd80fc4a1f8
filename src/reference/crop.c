/* SPDX-License-Identifier: MIT */
#include "reference/reference.h"

#include <string.h>

#include "reference/pixel.h"

static enum clump_status crop_mask(clump_context *context, const clump_image *image, uint64_t row,
                                   uint64_t col, uint64_t rows, uint64_t cols, clump_image **part)
{
    enum clump_status status = clump_reference_mask(context, rows, cols, part);
    if (status)
        return status;
    for (uint64_t r = 0; r < rows; r++)
        for (uint64_t c = 0; c < cols; c++)
            if (bit_get(image, row + r, col + c))
                bit_set(*part, r, c);
    return CLUMP_OK;
}

enum clump_status clump_reference_crop(clump_context *context, const clump_image *image,
                                       uint64_t row, uint64_t col, uint64_t rows, uint64_t cols,
                                       clump_image **part)
{
    if (image->type == CLUMP_BITS)
        return crop_mask(context, image, row, col, rows, cols, part);
    clump_image *out;
    enum clump_status status = clump_image_create(context, image->type, rows, cols, &out);
    if (status)
        return status;
    size_t pixel = clump_type_row_bytes(image->type, 1);
    for (uint64_t r = 0; r < rows; r++)
        memcpy((char *)out->pixels + r * cols * pixel,
               (const char *)image->pixels + ((row + r) * image->cols + col) * pixel, cols * pixel);
    *part = out;
    return CLUMP_OK;
}

enum clump_status clump_reference_channel(clump_context *context, const clump_image *image,
                                          unsigned channel, clump_image **grey)
{
    clump_image *out;
    enum clump_status status =
        clump_image_create(context, CLUMP_U8, image->rows, image->cols, &out);
    if (status)
        return status;
    for (uint64_t i = 0; i < pixel_count(image); i++)
        ((uint8_t *)out->pixels)[i] = ((const uint8_t *)image->pixels)[3 * i + channel];
    *grey = out;
    return CLUMP_OK;
}

enum clump_status clump_reference_reshape(clump_context *context, const clump_image *image,
                                          uint64_t rows, uint64_t cols, clump_image **result)
{
    clump_image *out;
    enum clump_status status = clump_image_create(context, image->type, rows, cols, &out);
    if (status)
        return status;
    memcpy(out->pixels, image->pixels, clump_type_row_bytes(image->type, 1) * rows * cols);
    *result = out;
    return CLUMP_OK;
}
