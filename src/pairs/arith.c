/* SPDX-License-Identifier: MIT */
#include "stats.h"

/* Another picture of the same size, of another type. */
static enum clump_status add_picture(clump_context *context, const struct pair_case *test,
                                     enum clump_type type, clump_image **image)
{
    struct pair_case other = *test;
    void *pixels;
    other.type = type;
    other.seed += 7;
    enum clump_status status = clump_image_create(context, type, test->rows, test->cols, image);
    if (!status)
        status = clump_image_map(*image, CLUMP_IMAGE_WRITE, &pixels);
    if (status)
        return status;
    if (type == CLUMP_BITS)
        pair_picture_mask(&other, pixels);
    else
        pair_picture_bits(&other, pixels);
    return clump_image_unmap(*image);
}

/* The type of another operand: all types by turns. A device may lack float64, so a type that would
 * make the result float64 is taken only where the test's own type is float64. */
static enum clump_type other_type(const struct pair_case *test, uint64_t turn)
{
    enum clump_type type = (enum clump_type)(CLUMP_U8 + (test->seed + turn) % 8);
    bool wide = test->type == CLUMP_F64 || clump_type_promote(test->type, type) != CLUMP_F64;
    return wide ? type : test->type;
}

static enum clump_status prepare(clump_context *context, const struct pair_case *test,
                                 struct pair_input *in)
{
    enum clump_status status =
        add_picture(context, test, other_type(test, test->rows), &in->extra[0]);
    if (!status)
        status = add_picture(context, test, other_type(test, test->cols + 3), &in->extra[1]);
    return status;
}

static struct clump_operand image(const clump_image *image)
{
    return (struct clump_operand){.image = image};
}

/* The operation, by seed. A quotient is float64 unless both operands fit float32; then only cases
 * of float64 divide, because a device may lack it. */
static enum clump_arith_op op_of(const struct pair_case *test, const clump_image *other)
{
    enum clump_arith_op op = (enum clump_arith_op)(test->seed % 4);
    bool single = clump_type_promote(test->type, clump_image_type(other)) == CLUMP_F32;
    return op == CLUMP_ARITH_DIVIDE && test->type != CLUMP_F64 && !single ? CLUMP_ARITH_MULTIPLY
                                                                          : op;
}

static enum clump_status add(struct pair_output *out, const char *name, clump_context *context,
                             const struct clump_operand *a, enum clump_arith_op op,
                             const struct clump_operand *b)
{
    clump_image *made;
    enum clump_status status = clump_arith(context, a, op, b, &made);
    if (!status)
        pair_add_image(out, name, made);
    return status;
}

/* Two images, an image and a number, a number and an image; two of other types for float64. */
static enum clump_status run(clump_context *context, const struct pair_case *test,
                             const struct pair_input *in, struct pair_output *out)
{
    struct clump_operand a = image(in->image), b = image(in->extra[0]), c = image(in->extra[1]);
    struct clump_operand number = {.number = (double)(test->seed * 11), .whole = true};
    bool floats = test->type == CLUMP_F32 || test->type == CLUMP_F64;
    if (floats)
        number = (struct clump_operand){.number = (double)test->seed * 0.37 - 1};
    enum clump_arith_op op = op_of(test, in->extra[0]), plain = op_of(test, in->image);
    enum clump_status status = add(out, "images", context, &a, op, &b);
    if (!status)
        status = add(out, "image and number", context, &a, plain, &number);
    if (!status)
        status = add(out, "number and image", context, &number, plain, &a);
    if (!status && test->type == CLUMP_F64)
        status = add(out, "others", context, &b, CLUMP_ARITH_DIVIDE, &c);
    return status;
}

static enum clump_status prepare_bits(clump_context *context, const struct pair_case *test,
                                      struct pair_input *in)
{
    static const enum clump_type types[] = {CLUMP_BITS, CLUMP_U8, CLUMP_F32, CLUMP_I32};
    return add_picture(context, test, types[test->seed / 4 % 4], &in->extra[0]);
}

static enum clump_status run_bits(clump_context *context, const struct pair_case *test,
                                  const struct pair_input *in, struct pair_output *out)
{
    struct clump_operand a = image(in->image), b = image(in->extra[0]);
    struct clump_operand number = {.number = (double)(test->seed % 2), .whole = true};
    enum clump_arith_op op = (enum clump_arith_op)(CLUMP_ARITH_AND + test->seed % 3);
    enum clump_status status = add(out, "images", context, &a, op, &b);
    if (!status)
        status = add(out, "image and number", context, &a, op, &number);
    if (!status)
        status = add(out, "not", context, &a, CLUMP_ARITH_NOT, NULL);
    if (!status)
        status = add(out, "number less mask", context, &number, CLUMP_ARITH_SUBTRACT, &a);
    return status;
}

/* Reads two images and writes one. */
static double bytes(const struct pair_case *test) { return 3 * pair_image_bytes(test, test->type); }

const struct pair pair_arith = {
    .name = "arith",
    .operation = "arith",
    .types = PAIR_NUMBERS,
    .picture = pair_picture_bits,
    .prepare = prepare,
    .run = run,
    .bytes = bytes,
};

const struct pair pair_arith_bits = {
    .name = "arith_bits",
    .operation = "arith",
    .types = 1u << CLUMP_BITS,
    .picture = pair_picture_mask,
    .prepare = prepare_bits,
    .run = run_bits,
};
