/* SPDX-License-Identifier: MIT */
/*
 * Conversion between pixel types, on the device.
 *
 * Values become integers by rounding to nearest even and clamping to the target's range,
 * infinities too; NaN becomes 0. Values become floats by rounding to nearest even as
 * in IEEE 754: a value too large for float32 becomes infinite. A mask becomes 0 and 1; any pixel
 * that is not 0, including NaN, becomes set in a mask. Colour becomes grey by its
 * luminance, (2125 R + 7154 G + 721 B) / 10000, as scikit-image weighs it; grey becomes
 * colour with three equal parts. Kernels cl/pixels/convert.cl, host src/opencl/pixels/convert.c,
 * definition src/reference/convert.c.
 */
#ifndef CLUMP_CONVERT_H
#define CLUMP_CONVERT_H

#include <clump/image.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes an image of `type` from `image`. Does not block. */
CLUMP_API enum clump_status clump_convert(clump_context *context, const clump_image *image,
                                          enum clump_type type, clump_image **converted);

#ifdef __cplusplus
}
#endif

#endif
