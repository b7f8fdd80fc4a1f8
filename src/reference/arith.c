/* SPDX-License-Identifier: MIT */
#include "reference/reference.h"

#include "reference/pixel.h"

/* The value of an operand at pixel i. */
static long double value(const struct clump_operand *operand, uint64_t i)
{
    return operand->image ? pixel_get(operand->image, i) : operand->number;
}

static float single(float a, enum clump_arith_op op, float b)
{
    return op == CLUMP_ARITH_ADD        ? a + b
           : op == CLUMP_ARITH_SUBTRACT ? a - b
           : op == CLUMP_ARITH_MULTIPLY ? a * b
                                        : a / b;
}

static double twice(double a, enum clump_arith_op op, double b)
{
    return op == CLUMP_ARITH_ADD        ? a + b
           : op == CLUMP_ARITH_SUBTRACT ? a - b
           : op == CLUMP_ARITH_MULTIPLY ? a * b
                                        : a / b;
}

/* The lowest 64 bits of the result; an image keeps as many of them as its type has. */
static uint64_t whole(int64_t a, enum clump_arith_op op, int64_t b)
{
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    return op == CLUMP_ARITH_ADD ? x + y : op == CLUMP_ARITH_SUBTRACT ? x - y : x * y;
}

static void put_whole(clump_image *image, uint64_t i, uint64_t bits)
{
    void *p = image->pixels;
    switch (image->type) {
    case CLUMP_U8:
        ((uint8_t *)p)[i] = (uint8_t)bits;
        break;
    case CLUMP_U16:
    case CLUMP_I16:
        ((uint16_t *)p)[i] = (uint16_t)bits;
        break;
    case CLUMP_I32:
    case CLUMP_U32:
        ((uint32_t *)p)[i] = (uint32_t)bits;
        break;
    default:
        ((uint64_t *)p)[i] = bits;
    }
}

static void calculate(const struct clump_operand *a, enum clump_arith_op op,
                      const struct clump_operand *b, clump_image *out)
{
    for (uint64_t i = 0; i < pixel_count(out); i++) {
        long double x = value(a, i), y = value(b, i);
        if (out->type == CLUMP_F32)
            ((float *)out->pixels)[i] = single((float)x, op, (float)y);
        else if (out->type == CLUMP_F64)
            ((double *)out->pixels)[i] = twice((double)x, op, (double)y);
        else
            put_whole(out, i, whole((int64_t)x, op, (int64_t)y));
    }
}

static bool is_set(const struct clump_operand *operand, uint64_t row, uint64_t col)
{
    return operand->image ? bit_get(operand->image, row, col) : operand->number != 0;
}

static void combine(const struct clump_operand *a, enum clump_arith_op op,
                    const struct clump_operand *b, clump_image *mask)
{
    for (uint64_t row = 0; row < mask->rows; row++)
        for (uint64_t col = 0; col < mask->cols; col++) {
            bool x = is_set(a, row, col), y = op != CLUMP_ARITH_NOT && is_set(b, row, col);
            if (op == CLUMP_ARITH_AND   ? x && y
                : op == CLUMP_ARITH_OR  ? x || y
                : op == CLUMP_ARITH_XOR ? x != y
                                        : !x)
                bit_set(mask, row, col);
        }
}

enum clump_status clump_reference_arith(clump_context *context, const struct clump_operand *a,
                                        enum clump_arith_op op, const struct clump_operand *b,
                                        enum clump_type type, clump_image **result)
{
    const clump_image *like = a->image ? a->image : b->image;
    clump_image *out;
    enum clump_status status =
        type == CLUMP_BITS ? clump_reference_mask(context, like->rows, like->cols, &out)
                           : clump_image_create(context, type, like->rows, like->cols, &out);
    if (status)
        return status;
    if (type == CLUMP_BITS)
        combine(a, op, b, out);
    else
        calculate(a, op, b, out);
    *result = out;
    return CLUMP_OK;
}

enum clump_status clump_reference_select(clump_context *context, const clump_image *mask,
                                         const struct clump_operand *a,
                                         const struct clump_operand *b, enum clump_type type,
                                         clump_image **result)
{
    clump_image *out;
    enum clump_status status = clump_image_create(context, type, mask->rows, mask->cols, &out);
    if (status)
        return status;
    for (uint64_t row = 0; row < mask->rows; row++)
        for (uint64_t col = 0; col < mask->cols; col++) {
            uint64_t i = row * mask->cols + col;
            long double x = value(bit_get(mask, row, col) ? a : b, i);
            if (type == CLUMP_F32)
                ((float *)out->pixels)[i] = (float)x;
            else if (type == CLUMP_F64)
                ((double *)out->pixels)[i] = (double)x;
            else
                put_whole(out, i, (uint64_t)(int64_t)x);
        }
    *result = out;
    return CLUMP_OK;
}
