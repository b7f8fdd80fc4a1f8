/* SPDX-License-Identifier: MIT */
#include "opencl/core/opencl.h"

/* A number as a kernel takes it, in the type of the result; for a mask no bits or all. */
union number {
    uint8_t u8;
    uint16_t u16;
    int16_t i16;
    int32_t i32;
    uint32_t u32;
    int64_t i64;
    float f32;
    double f64;
};

static union number number_as(double number, enum clump_type type)
{
    switch (type) {
    case CLUMP_BITS:
        return (union number){.u32 = number != 0 ? UINT32_MAX : 0};
    case CLUMP_U8:
        return (union number){.u8 = (uint8_t)number};
    case CLUMP_U16:
        return (union number){.u16 = (uint16_t)number};
    case CLUMP_I16:
        return (union number){.i16 = (int16_t)number};
    case CLUMP_I32:
        return (union number){.i32 = (int32_t)number};
    case CLUMP_U32:
        return (union number){.u32 = (uint32_t)number};
    case CLUMP_I64:
        return (union number){.i64 = (int64_t)number};
    case CLUMP_F32:
        return (union number){.f32 = (float)number};
    default:
        return (union number){.f64 = number};
    }
}

static const char *options_of(enum clump_type type)
{
    static const char *const options[CLUMP_TYPE_COUNT] = {
        [CLUMP_BITS] = "-DR=uint -DU=uint -DR_WORDS",
        [CLUMP_U8] = "-DR=uchar -DU=uint",
        [CLUMP_U16] = "-DR=ushort -DU=uint",
        [CLUMP_I16] = "-DR=short -DU=uint",
        [CLUMP_I32] = "-DR=int -DU=uint",
        [CLUMP_U32] = "-DR=uint -DU=uint",
        [CLUMP_I64] = "-DR=long -DU=ulong",
        [CLUMP_F32] = "-DR=float -DU=float -DF32 -DFLOAT",
        [CLUMP_F64] = "-DR=double -DU=double -DFLOAT",
    };
    return options[type];
}

static enum clump_status run(clump_context *context, const clump_image *a, const clump_image *b,
                             union number x, union number y, enum clump_arith_op op,
                             clump_image *made)
{
    cl_kernel kernel;
    bool bits = made->type == CLUMP_BITS;
    const clump_image *some = a ? a : b; /* a kernel needs a buffer for a number, too */
    struct clump_arg left = {clump_type_row_bytes(made->type, 1), &x, 0}, right = left;
    struct clump_arg second =
        b ? CLUMP_ARG_IMAGE(b) : (struct clump_arg){sizeof(cl_mem), &some->buffer, 0};
    struct clump_arg first =
        a ? CLUMP_ARG_IMAGE(a) : (struct clump_arg){sizeof(cl_mem), &some->buffer, 0};
    cl_uint numbers = (a ? 0 : 1) | (b ? 0 : 2), number = (cl_uint)op;
    uint64_t n = made->rows * made->cols, words = made->rows * clump_row_words(made->cols);
    right.value = &y;
    enum clump_status status = clump_kernel(context, "pixels/arith", options_of(made->type),
                                            bits ? "arith_bits" : "arith_numbers", &kernel);
    if (status)
        return status;
    if (bits)
        return clump_launch_flat(context, kernel, words,
                                 CLUMP_ARGS(first, second, left, right, CLUMP_ARG(numbers),
                                            CLUMP_ARG(number), CLUMP_ARG(made->cols),
                                            CLUMP_ARG(words), CLUMP_ARG_IMAGE(made)));
    return clump_launch_flat(context, kernel, n,
                             CLUMP_ARGS(first, second, left, right, CLUMP_ARG(numbers),
                                        CLUMP_ARG(number), CLUMP_ARG(n), CLUMP_ARG_IMAGE(made)));
}

/* The image of an operand in the type of the result, NULL for a number; `*made` too where it had to
 * be converted, for the caller to destroy. */
static enum clump_status image_as(clump_context *context, const struct clump_operand *operand,
                                  enum clump_type type, clump_image **made,
                                  const clump_image **image)
{
    *image = operand->image;
    if (!operand->image || operand->image->type == type)
        return CLUMP_OK;
    enum clump_status status = clump_opencl_convert(context, operand->image, type, made);
    *image = *made;
    return status;
}

enum clump_status clump_opencl_arith(clump_context *context, const struct clump_operand *a,
                                     enum clump_arith_op op, const struct clump_operand *b,
                                     enum clump_type type, clump_image **result)
{
    const clump_image *like = a->image ? a->image : b->image, *left, *right = NULL;
    clump_image *made = NULL, *made_a = NULL, *made_b = NULL;
    enum clump_status status = clump_image_create(context, type, like->rows, like->cols, &made);
    if (!status)
        status = image_as(context, a, type, &made_a, &left);
    if (!status)
        status = image_as(context, b, type, &made_b, &right);
    if (!status)
        status = run(context, left, right, number_as(a->number, type), number_as(b->number, type),
                     op, made);
    clump_image_destroy(&made_b);
    clump_image_destroy(&made_a);
    if (status)
        clump_image_destroy(&made);
    else
        *result = made;
    return status;
}

enum clump_status clump_opencl_select(clump_context *context, const clump_image *mask,
                                      const struct clump_operand *a, const struct clump_operand *b,
                                      enum clump_type type, clump_image **result)
{
    static const char *const options[] = {
        [1] = "-DT=uchar", [2] = "-DT=ushort", [4] = "-DT=uint", [8] = "-DT=ulong"};
    size_t size = clump_type_row_bytes(type, 1);
    union number x = number_as(a->number, type), y = number_as(b->number, type);
    struct clump_arg none = {sizeof(cl_mem), &mask->buffer, 0}; /* a number needs a buffer, too */
    cl_uint numbers = (a->image ? 0 : 1) | (b->image ? 0 : 2);
    clump_image *made = NULL;
    cl_kernel kernel;
    enum clump_status status = clump_image_create(context, type, mask->rows, mask->cols, &made);
    if (!status)
        status = clump_kernel(context, "pixels/select", options[size], "select_pixels", &kernel);
    if (!status)
        status = clump_launch_rows(context, kernel, mask->rows, mask->cols,
                                   CLUMP_ARGS(CLUMP_ARG_IMAGE(mask),
                                              a->image ? CLUMP_ARG_IMAGE(a->image) : none,
                                              b->image ? CLUMP_ARG_IMAGE(b->image) : none,
                                              (struct clump_arg){size, &x, 0},
                                              (struct clump_arg){size, &y, 0}, CLUMP_ARG(numbers),
                                              CLUMP_ARG(mask->cols), CLUMP_ARG_IMAGE(made)));
    if (status)
        clump_image_destroy(&made);
    else
        *result = made;
    return status;
}
