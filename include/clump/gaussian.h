/* SPDX-License-Identifier: MIT */
/*
 * Gaussian blur, as scipy.ndimage.gaussian_filter and skimage.filters.gaussian.
 *
 * Separable; the radius is (int)(truncate * sigma + 0.5), at most 2^24, and the weights
 * are normalised. The error is bounded as in convolve.h, with n the weights of both
 * passes. Kernels cl/separable.cl, host src/opencl/gaussian.c, definition
 * src/reference/gaussian.c.
 */
#ifndef CLUMP_GAUSSIAN_H
#define CLUMP_GAUSSIAN_H

#include <clump/convolve.h>
#include <clump/image.h>

#ifdef __cplusplus
extern "C" {
#endif

struct clump_gaussian_params {
    double sigma_rows, sigma_cols; /* standard deviations in pixels; 0: no blur that way */
    double truncate;               /* radius in standard deviations; >= 0 */
    enum clump_boundary boundary;
    double fill_value;
    enum clump_blank_rule blank;
};

/* sigma 1, truncate 4, nearest: skimage's defaults. NaN spreads. */
CLUMP_API extern const struct clump_gaussian_params clump_gaussian_defaults;

/*
 * Blurs a F32 or F64 image; `*blurred` has its type and size. `params` NULL:
 * clump_gaussian_defaults. Does not block. Returns CLUMP_ERROR_ARGUMENT for a negative or infinite
 * sigma or truncate, and for a radius beyond 2^24.
 */
CLUMP_API enum clump_status clump_gaussian(clump_context *context, const clump_image *image,
                                           const struct clump_gaussian_params *params,
                                           clump_image **blurred);

#ifdef __cplusplus
}
#endif

#endif
