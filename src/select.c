/* SPDX-License-Identifier: MIT */
#include "arith.h"

#define BYTE_MOST 255

static enum clump_status check(clump_context *context, const clump_image *mask,
                               const struct clump_operand *a, const struct clump_operand *b,
                               clump_image **result)
{
    enum clump_status status = clump_check_image(context, "select", "mask", mask, CLUMP_TYPES_MASK);
    if (!status)
        status = clump_operand_check(context, "select", a, "first operand");
    if (!status)
        status = clump_operand_check(context, "select", b, "second operand");
    if (!status && a->image)
        status = clump_check_same_size(context, "select", mask, a->image);
    if (!status && b->image)
        status = clump_check_same_size(context, "select", mask, b->image);
    if (!status)
        status = clump_check_given(&context->log, "select", "place for the result", result);
    return status;
}

static bool is_byte(const struct clump_operand *operand)
{
    return operand->number >= 0 && operand->number <= BYTE_MOST;
}

static enum clump_type result_type(const struct clump_operand *a, const struct clump_operand *b)
{
    if (a->image || b->image)
        return clump_operands_type(a, b);
    if (!a->whole || !b->whole)
        return CLUMP_F64;
    return is_byte(a) && is_byte(b) ? CLUMP_U8 : CLUMP_I64;
}

enum clump_status clump_select(clump_context *context, const clump_image *mask,
                               const struct clump_operand *a, const struct clump_operand *b,
                               clump_image **result)
{
    CLUMP_ROUNDING();
    clump_image *bits = NULL, *made_a = NULL, *made_b = NULL;
    enum clump_status status = check(context, mask, a, b, result);
    if (status)
        return status;
    struct clump_operand left = *a, right = *b;
    enum clump_type type = result_type(a, b);
    status = clump_operands_check_type(context, "select", type);
    if (!status)
        status = clump_operand_check_number(context, "select", a, type);
    if (!status)
        status = clump_operand_check_number(context, "select", b, type);
    if (!status)
        status = clump_convert_to(context, 1u << CLUMP_BITS, CLUMP_BITS, &mask, &bits);
    if (!status && left.image)
        status = clump_convert_to(context, 1u << type, type, &left.image, &made_a);
    if (!status && right.image)
        status = clump_convert_to(context, 1u << type, type, &right.image, &made_b);
    if (!status)
        status = context->backend->select(context, mask, &left, &right, type, result);
    clump_image_destroy(&made_b);
    clump_image_destroy(&made_a);
    clump_image_destroy(&bits);
    return status;
}
