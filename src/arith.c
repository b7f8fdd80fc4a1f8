/* SPDX-License-Identifier: MIT */
#include "arith.h"

#include <math.h>

#define TYPES (CLUMP_TYPES_NUMBER | 1u << CLUMP_BITS)

static bool is_float(enum clump_type type) { return type == CLUMP_F32 || type == CLUMP_F64; }
static bool is_signed(enum clump_type type)
{
    return type == CLUMP_I16 || type == CLUMP_I32 || type == CLUMP_I64;
}

static unsigned bits_of(enum clump_type type)
{
    return (unsigned)clump_type_row_bytes(type, 1) * 8;
}

enum clump_type clump_type_promote(enum clump_type a, enum clump_type b)
{
    if (is_float(a) || is_float(b)) {
        bool narrow = (a == CLUMP_F32 || (!is_float(a) && bits_of(a) <= 16)) &&
                      (b == CLUMP_F32 || (!is_float(b) && bits_of(b) <= 16));
        return narrow ? CLUMP_F32 : CLUMP_F64;
    }
    if (is_signed(a) == is_signed(b))
        return bits_of(a) > bits_of(b) ? a : b;
    enum clump_type other = is_signed(a) ? a : b;
    unsigned bits =
        bits_of(is_signed(a) ? b : a) * 2; /* of a signed type that holds the unsigned one */
    bits = bits > bits_of(other) ? bits : bits_of(other);
    return bits <= 16 ? CLUMP_I16 : bits <= 32 ? CLUMP_I32 : CLUMP_I64;
}

/* The range of an integer type; for int64 the range in which doubles are exact. */
static void range_of(enum clump_type type, double *low, double *high)
{
    unsigned bits = bits_of(type) < 54 ? bits_of(type) : 54;
    *high = ldexp(1, (int)bits - is_signed(type)) - (type != CLUMP_I64);
    *low = is_signed(type) ? -ldexp(1, (int)bits - 1) : 0;
}

enum clump_status clump_operand_check(clump_context *context, const char *who,
                                      const struct clump_operand *operand, const char *what)
{
    enum clump_status status = clump_check_given(&context->log, who, what, operand);
    if (!status)
        status = clump_check_reserved(&context->log, who, what, operand);
    if (status)
        return status;
    if (operand->image)
        return clump_check_image(context, who, what, operand->image, TYPES);
    if (operand->whole &&
        !(fabs(operand->number) <= 0x1p53 && operand->number == floor(operand->number)))
        return clump_fail(
            &context->log, CLUMP_ERROR_ARGUMENT,
            "%s: %.17g is not a whole number of at most 2^53; leave `whole` false for "
            "other numbers",
            who, operand->number);
    return CLUMP_OK;
}

static enum clump_status check(clump_context *context, const struct clump_operand *a,
                               enum clump_arith_op op, const struct clump_operand *b,
                               clump_image **result)
{
    enum clump_status status = clump_check_context("arith", context);
    if (status)
        return status;
    if ((unsigned)op > CLUMP_ARITH_NOT)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT, "arith: %d is not an operation",
                          (int)op);
    if (op == CLUMP_ARITH_NOT && b)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT, "arith: not takes one operand");
    status = clump_operand_check(context, "arith", a, "first operand");
    if (!status && op != CLUMP_ARITH_NOT)
        status = clump_operand_check(context, "arith", b, "second operand");
    if (!status)
        status = a->image && b && b->image
                     ? clump_check_same_size(context, "arith", a->image, b->image)
                     : CLUMP_OK;
    if (status)
        return status;
    if (!a->image && (!b || !b->image))
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "arith: an image is needed, not numbers alone");
    return clump_check_given(&context->log, "arith", "place for the result", result);
}

/* The type in which an image enters arithmetic: a mask counts as uint8. */
static enum clump_type number_type(const clump_image *image)
{
    return image->type == CLUMP_BITS ? CLUMP_U8 : image->type;
}

enum clump_type clump_operands_type(const struct clump_operand *a, const struct clump_operand *b)
{
    const struct clump_operand *number = a->image ? b : a;
    enum clump_type type = a->image && b->image
                               ? clump_type_promote(number_type(a->image), number_type(b->image))
                               : number_type(a->image ? a->image : b->image);
    bool real = !number->image && !number->whole;
    return !is_float(type) && real ? CLUMP_F64 : type;
}

static enum clump_type result_type(const struct clump_operand *a, enum clump_arith_op op,
                                   const struct clump_operand *b)
{
    if (op >= CLUMP_ARITH_AND)
        return CLUMP_BITS;
    enum clump_type type = clump_operands_type(a, b);
    return op == CLUMP_ARITH_DIVIDE && !is_float(type) ? CLUMP_F64 : type;
}

enum clump_status clump_operand_check_number(clump_context *context, const char *who,
                                             const struct clump_operand *operand,
                                             enum clump_type type)
{
    double low, high;
    if (operand->image || type == CLUMP_BITS || is_float(type))
        return CLUMP_OK;
    range_of(type, &low, &high);
    if (operand->number >= low && operand->number <= high)
        return CLUMP_OK;
    return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                      "%s: %.17g does not fit into the image's %s pixels, which would wrap around; "
                      "give it as a real number (1.0, not 1), or read the image as float32 "
                      "(clump_file_params.float32)",
                      who, operand->number, clump_type_text(type));
}

enum clump_status clump_operands_check_type(clump_context *context, const char *who,
                                            enum clump_type type)
{
    if (type != CLUMP_F64 || context->device.fp64)
        return CLUMP_OK;
    return clump_fail(&context->log, CLUMP_ERROR_UNSUPPORTED,
                      "%s: the result has float64 pixels, in which %s does not compute: read the "
                      "images as float32 (clump_file_params.float32)",
                      who, context->device.name);
}

/* Converts an operand to a mask for a logical operation, a mask to uint8 for the others. `*made`
 * gets the converted image, for the caller to destroy. */
static enum clump_status prepare(clump_context *context, struct clump_operand *operand,
                                 enum clump_arith_op op, clump_image **made)
{
    enum clump_type type = op >= CLUMP_ARITH_AND ? CLUMP_BITS : CLUMP_U8;
    bool wanted = operand->image && (op >= CLUMP_ARITH_AND) != (operand->image->type == CLUMP_BITS);
    enum clump_status status =
        wanted ? context->backend->convert(context, operand->image, type, made) : CLUMP_OK;
    if (!status && wanted)
        operand->image = *made;
    return status;
}

enum clump_status clump_arith(clump_context *context, const struct clump_operand *a,
                              enum clump_arith_op op, const struct clump_operand *b,
                              clump_image **result)
{
    CLUMP_ROUNDING();
    clump_image *made_a = NULL, *made_b = NULL;
    enum clump_status status = check(context, a, op, b, result);
    if (status)
        return status;
    enum clump_type type = result_type(a, op, b);
    struct clump_operand left = *a, right = b ? *b : (struct clump_operand){0};
    status = clump_operands_check_type(context, "arith", type);
    if (!status)
        status = clump_operand_check_number(context, "arith", &left, type);
    if (!status)
        status = clump_operand_check_number(context, "arith", &right, type);
    if (!status)
        status = prepare(context, &left, op, &made_a);
    if (!status)
        status = prepare(context, &right, op, &made_b);
    if (!status)
        status = context->backend->arith(context, &left, op, &right, type, result);
    clump_image_destroy(&made_b);
    clump_image_destroy(&made_a);
    return status;
}
