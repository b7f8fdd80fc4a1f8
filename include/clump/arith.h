/* SPDX-License-Identifier: MIT */
/*
 * Arithmetic of images and numbers, pixel by pixel.
 *
 * The results of + - * / have the types of NumPy 2. Two images make the type that holds the values
 * of both: uint16 and int16 make int32, float32 and integers of more than 16 bits make float64. A
 * number takes the image's type, but a number that is not whole makes float64 of integers. A
 * quotient of integers is float64. A mask counts as uint8. Integers wrap around in the type of the
 * result, as NumPy's do; floats are rounded once. Logical operations take any pixel that is not 0,
 * including NaN, as set, like numpy.logical_and, and make a mask. Kernels cl/pixels/arith.cl, host
 * src/opencl/pixels/arith.c, definition src/reference/arith.c.
 */
#ifndef CLUMP_ARITH_H
#define CLUMP_ARITH_H

#include <stdbool.h>
#include <stdint.h>

#include <clump/image.h>

#ifdef __cplusplus
extern "C" {
#endif

enum clump_arith_op {
    CLUMP_ARITH_ADD,
    CLUMP_ARITH_SUBTRACT,
    CLUMP_ARITH_MULTIPLY,
    CLUMP_ARITH_DIVIDE,
    CLUMP_ARITH_AND,
    CLUMP_ARITH_OR,
    CLUMP_ARITH_XOR,
    CLUMP_ARITH_NOT
};

/* An image, or a number where `image` is NULL. */
struct clump_operand {
    const clump_image *image;
    double number;
    bool whole;           /* the number was written as a whole one: 1, not 1.0; at most 2^53 */
    uint64_t reserved[2]; /* 0 (clump.h) */
};

/* The type that holds the values of both number types, as numpy.promote_types has it. */
CLUMP_API enum clump_type clump_type_promote(enum clump_type a, enum clump_type b);

/*
 * Makes `*result` from `a` and `b`, of which at least one is an image, both of one size; NOT takes
 * no `b`. Does not block. Returns CLUMP_ERROR_ARGUMENT for images of different sizes, for colour,
 * for numbers alone, for a whole number that the type of the result does not hold;
 * CLUMP_ERROR_UNSUPPORTED where float64 comes out and the device has none.
 */
CLUMP_API enum clump_status clump_arith(clump_context *context, const struct clump_operand *a,
                                        enum clump_arith_op op, const struct clump_operand *b,
                                        clump_image **result);

#ifdef __cplusplus
}
#endif

#endif
