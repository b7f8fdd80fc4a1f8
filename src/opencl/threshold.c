/* SPDX-License-Identifier: MIT */
#include "opencl/opencl.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

/* A value of any pixel type, as a kernel takes it. */
union pixel {
    uint8_t u8;
    uint16_t u16;
    int16_t i16;
    int32_t i32;
    uint32_t u32;
    int64_t i64;
    float f32;
    double f64;
};

struct range {
    double low, high; /* of an integer type, exact in double but for int64's high */
};

static struct range range_of(enum clump_type type)
{
    switch (type) {
    case CLUMP_U8:
        return (struct range){0, UINT8_MAX};
    case CLUMP_U16:
        return (struct range){0, UINT16_MAX};
    case CLUMP_I16:
        return (struct range){INT16_MIN, INT16_MAX};
    case CLUMP_I32:
        return (struct range){INT32_MIN, INT32_MAX};
    case CLUMP_U32:
        return (struct range){0, UINT32_MAX};
    default:
        return (struct range){-0x1p63, 0x1p63};
    }
}

static float float_above(double level)
{
    float f = (float)level; /* the nearest, which may lie on either side */
    return (double)f > level ? f : nextafterf(f, INFINITY);
}

/* The least value of the type that is greater than `level`; false when there is none. */
static bool least_above(enum clump_type type, double level, union pixel *least)
{
    if (level == INFINITY)
        return false;
    if (type == CLUMP_F32) {
        least->f32 = float_above(level);
        return true;
    }
    if (type == CLUMP_F64) {
        least->f64 = nextafter(level, INFINITY);
        return true;
    }
    struct range range = range_of(type);
    double next = floor(level) + 1;
    if (next > range.high || (type == CLUMP_I64 && next >= range.high))
        return false;
    if (next < range.low)
        next = range.low;
    int64_t value = (int64_t)next;
    if (type == CLUMP_I64 && floor(level) == next) /* doubles are too coarse up there */
        value = (int64_t)level + 1;
    switch (type) {
    case CLUMP_U8:
        least->u8 = (uint8_t)value;
        break;
    case CLUMP_U16:
        least->u16 = (uint16_t)value;
        break;
    case CLUMP_I16:
        least->i16 = (int16_t)value;
        break;
    case CLUMP_I32:
        least->i32 = (int32_t)value;
        break;
    case CLUMP_U32:
        least->u32 = (uint32_t)value;
        break;
    default:
        least->i64 = value;
    }
    return true;
}

static enum clump_status run(clump_context *context, const clump_image *image, double level,
                             clump_image *mask)
{
    char options[64];
    cl_kernel kernel;
    union pixel least = {.i64 = 0};
    bool bits = mask->type == CLUMP_BITS;
    if (!least_above(image->type, level, &least))
        return clump_buffer_fill(context, mask->buffer, 0, mask->bytes);
    snprintf(options, sizeof options, "-DT=%s", clump_type_opencl(image->type));
    enum clump_status status = clump_kernel(context, "threshold", options,
                                            bits ? "threshold_bits" : "threshold_u8", &kernel);
    if (status)
        return status;
    return clump_launch_rows(
        context, kernel, image->rows, bits ? clump_row_words(image->cols) : image->cols,
        CLUMP_ARGS(CLUMP_ARG_IMAGE(image), CLUMP_ARG(image->cols),
                   ((struct clump_arg){clump_type_row_bytes(image->type, 1), &least}),
                   CLUMP_ARG_IMAGE(mask)));
}

static enum clump_status count_set(clump_image *mask, uint64_t *count)
{
    void *pixels;
    enum clump_status status =
        clump_buffer_map(mask->context, mask->buffer, CLUMP_READ, mask->bytes, &pixels);
    if (status)
        return status;
    const uint8_t *bytes = pixels;
    *count = 0;
    for (size_t i = 0; i < mask->bytes; i++)
        *count += (uint64_t)__builtin_popcount(bytes[i]);
    return clump_buffer_unmap(mask->context, mask->buffer, pixels);
}

enum clump_status clump_opencl_threshold(clump_context *context, const clump_image *image,
                                         const struct clump_threshold_params *params,
                                         clump_image **mask, uint64_t *count)
{
    clump_image *made = NULL;
    enum clump_status status =
        clump_image_create(context, params->output, image->rows, image->cols, &made);
    if (status)
        return status;
    status = run(context, image, params->above, made);
    if (!status && count)
        status = count_set(made, count);
    if (status)
        clump_image_destroy(&made);
    else
        *mask = made;
    return status;
}
