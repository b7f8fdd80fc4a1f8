/* SPDX-License-Identifier: MIT */
#include "reference/reference.h"

#include <string.h>

#include "reference/pixel.h"

enum clump_status clump_reference_compress(clump_context *context, const clump_image *image,
                                           const clump_image *mask, clump_image **row,
                                           uint64_t *count)
{
    size_t size = clump_type_row_bytes(image->type, 1);
    uint64_t found = 0, place = 0;
    clump_image *out = NULL;
    for (uint64_t r = 0; r < image->rows; r++)
        for (uint64_t c = 0; c < image->cols; c++)
            found += bit_get(mask, r, c);
    enum clump_status status =
        found ? clump_image_create(context, image->type, 1, found, &out) : CLUMP_OK;
    if (status)
        return status;
    for (uint64_t r = 0; r < image->rows; r++)
        for (uint64_t c = 0; c < image->cols; c++)
            if (bit_get(mask, r, c))
                memcpy((char *)out->pixels + size * place++,
                       (const char *)image->pixels + size * (r * image->cols + c), size);
    *row = out;
    *count = found;
    return CLUMP_OK;
}
