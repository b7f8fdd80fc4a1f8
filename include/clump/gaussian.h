/* SPDX-License-Identifier: MIT */
/*
 * Gaussian blur, as scipy.ndimage.gaussian_filter and skimage.filters.gaussian.
 *
 * Down the columns, then along the rows. The radius is (int)(truncate * sigma + 0.5), at most 2^24;
 * the weights are exp(-0.5 / sigma^2 * x^2) for x = -radius..radius, in double precision by the
 * host's exp, each divided by their sum in that order and then rounded to the image's type.
 *
 * The result has the same bits on every device and on the reference. Each of the two passes is a
 * sum as in the method separable of convolve.h, with one more rule: where all pixels under the
 * weights are equal, the result is the first of them. So the blur of a constant image is that
 * constant, and a part that is flat over the whole window stays as it is. (Where blanks are
 * ignored, they are pixels of 0 for this rule.) The error is at most (n + 4) * eps * the largest
 * |x| under the weights, n being the number of weights of both passes. Kernels
 * cl/convolve/separable.cl, host src/opencl/convolve/gaussian.c, definition
 * src/reference/gaussian.c.
 */
#ifndef CLUMP_GAUSSIAN_H
#define CLUMP_GAUSSIAN_H

#include <stdint.h>

#include <clump/boundary.h>
#include <clump/image.h>

#ifdef __cplusplus
extern "C" {
#endif

struct clump_gaussian_params {
    double sigma_rows, sigma_cols; /* standard deviations in pixels; 0: no blur in that direction */
    double truncate;               /* radius in standard deviations; >= 0 */
    enum clump_boundary boundary;
    double fill_value;
    enum clump_blank_rule blank;
    uint64_t reserved[4]; /* 0 (clump.h) */
};

/* sigma 1, truncate 4, nearest: skimage's defaults. NaN spreads. */
CLUMP_API extern const struct clump_gaussian_params clump_gaussian_defaults;

/*
 * Blurs an image; `*blurred` has its size, and its type where that is F32 or F64. Integers and
 * masks are converted to F32 first. `params` NULL: clump_gaussian_defaults. Does not block. Returns
 * CLUMP_ERROR_ARGUMENT for a negative or infinite sigma or truncate, and for a radius beyond 2^24.
 */
CLUMP_API enum clump_status clump_gaussian(clump_context *context, const clump_image *image,
                                           const struct clump_gaussian_params *params,
                                           clump_image **blurred);

#ifdef __cplusplus
}
#endif

#endif
