/* SPDX-License-Identifier: MIT */
#include "reference/reference.h"

#include <math.h>
#include <string.h>

#include "reference/pixel.h"

/* Rounds to nearest even and clamps to low..high; NaN becomes 0. */
static long double to_integer(long double value, long double low, long double high)
{
    if (isnan(value))
        return 0;
    value = rintl(value);
    return value < low ? low : value > high ? high : value;
}

static void pixel_put(clump_image *image, uint64_t i, long double value)
{
    void *p = image->pixels;
    switch (image->type) {
    case CLUMP_U8:
        ((uint8_t *)p)[i] = (uint8_t)to_integer(value, 0, UINT8_MAX);
        break;
    case CLUMP_U16:
        ((uint16_t *)p)[i] = (uint16_t)to_integer(value, 0, UINT16_MAX);
        break;
    case CLUMP_I16:
        ((int16_t *)p)[i] = (int16_t)to_integer(value, INT16_MIN, INT16_MAX);
        break;
    case CLUMP_I32:
        ((int32_t *)p)[i] = (int32_t)to_integer(value, INT32_MIN, INT32_MAX);
        break;
    case CLUMP_U32:
        ((uint32_t *)p)[i] = (uint32_t)to_integer(value, 0, UINT32_MAX);
        break;
    case CLUMP_I64:
        ((int64_t *)p)[i] = (int64_t)to_integer(value, INT64_MIN, INT64_MAX);
        break;
    case CLUMP_F32:
        ((float *)p)[i] = (float)value;
        break;
    case CLUMP_F64:
        ((double *)p)[i] = (double)value;
        break;
    default:
        memset((uint8_t *)p + 3 * i, (int)to_integer(value, 0, UINT8_MAX), 3);
        break;
    }
}

/*
 * The value of a pixel: 0 or 1 for a mask, the luminance for a colour. The quotient of the
 * luminance is rounded to the 64 bits of a long double. Its numerator is an integer below 2^22, so
 * rounding it again to a pixel type gives the same as rounding the exact quotient.
 */
static long double pixel_value(const clump_image *image, uint64_t i)
{
    if (image->type == CLUMP_BITS)
        return bit_get(image, i / image->cols, i % image->cols);
    if (image->type == CLUMP_RGB) {
        const uint8_t *rgb = (const uint8_t *)image->pixels + 3 * i;
        return (2125 * rgb[0] + 7154 * rgb[1] + 721 * rgb[2]) / 10000.0L;
    }
    return pixel_get(image, i);
}

static enum clump_status to_mask(clump_context *context, const clump_image *image,
                                 clump_image **converted)
{
    clump_image *mask;
    enum clump_status status = clump_reference_mask(context, image->rows, image->cols, &mask);
    if (status)
        return status;
    for (uint64_t i = 0; i < pixel_count(image); i++)
        if (pixel_value(image, i) != 0)
            bit_set(mask, i / image->cols, i % image->cols);
    *converted = mask;
    return CLUMP_OK;
}

enum clump_status clump_reference_convert(clump_context *context, const clump_image *image,
                                          enum clump_type type, clump_image **converted)
{
    if (type == CLUMP_BITS)
        return to_mask(context, image, converted);
    clump_image *out;
    enum clump_status status = clump_image_create(context, type, image->rows, image->cols, &out);
    if (status)
        return status;
    if (type == image->type)
        memcpy(out->pixels, image->pixels, image->bytes);
    else
        for (uint64_t i = 0; i < pixel_count(image); i++)
            pixel_put(out, i, pixel_value(image, i));
    *converted = out;
    return CLUMP_OK;
}
