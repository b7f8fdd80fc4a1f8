/* SPDX-License-Identifier: MIT */
/*
 * Reading and writing one pixel of a reference image. A long double of 64 bits of mantissa holds
 * every value of every pixel type, so that nothing is rounded.
 */
#ifndef CLUMP_SRC_REFERENCE_PIXEL_H
#define CLUMP_SRC_REFERENCE_PIXEL_H

#include <float.h>

#include "context.h"

_Static_assert(LDBL_MANT_DIG >= 64, "a long double must hold every int64");

static inline uint64_t pixel_count(const clump_image *image) { return image->rows * image->cols; }

static inline bool bit_get(const clump_image *mask, uint64_t row, uint64_t col)
{
    const uint32_t *words = mask->pixels;
    return words[row * clump_row_words(mask->cols) + col / 32] >> (col % 32) & 1;
}

/* Sets a bit; it must be clear. */
static inline void bit_set(clump_image *mask, uint64_t row, uint64_t col)
{
    uint32_t *words = mask->pixels;
    words[row * clump_row_words(mask->cols) + col / 32] |= (uint32_t)1 << (col % 32);
}

/* Reads pixel `i` in raster order of an image of a number type. */
static inline long double pixel_get(const clump_image *image, uint64_t i)
{
    const void *p = image->pixels;
    switch (image->type) {
    case CLUMP_U8:
        return ((const uint8_t *)p)[i];
    case CLUMP_U16:
        return ((const uint16_t *)p)[i];
    case CLUMP_I16:
        return ((const int16_t *)p)[i];
    case CLUMP_I32:
        return ((const int32_t *)p)[i];
    case CLUMP_U32:
        return ((const uint32_t *)p)[i];
    case CLUMP_I64:
        return ((const int64_t *)p)[i];
    case CLUMP_F32:
        return ((const float *)p)[i];
    default:
        return ((const double *)p)[i];
    }
}

/* Tells whether the type has NaN and infinity. */
static inline bool type_is_float(enum clump_type type)
{
    return type == CLUMP_F32 || type == CLUMP_F64;
}

#endif
