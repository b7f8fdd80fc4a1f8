/* SPDX-License-Identifier: MIT */
/*
 * One of two values for every pixel, by a mask, as numpy.where(mask, a, b) has it. The type of the
 * result is that of a sum of the two (arith.h): both keep their values. Kernels
 * cl/pixels/select.cl, host src/opencl/pixels/arith.c, definition src/reference/arith.c.
 */
#ifndef CLUMP_SELECT_H
#define CLUMP_SELECT_H

#include <clump/arith.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Makes `*result` of the size of `mask`, with the value of `a` where the mask is set and that of
 * `b` elsewhere. The mask may be an image of a number type, where any pixel that is not 0 is set.
 * Two numbers make uint8 where both are whole and from 0 to 255, int64 where both are whole, else
 * float64. Does not block. Returns CLUMP_ERROR_ARGUMENT for images of different sizes, for colour,
 * for a whole number that the type of the result does not hold; CLUMP_ERROR_UNSUPPORTED where
 * float64 comes out and the device has none.
 */
CLUMP_API enum clump_status clump_select(clump_context *context, const clump_image *mask,
                                         const struct clump_operand *a,
                                         const struct clump_operand *b, clump_image **result);

#ifdef __cplusplus
}
#endif

#endif
