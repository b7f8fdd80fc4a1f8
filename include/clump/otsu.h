/* SPDX-License-Identifier: MIT */
/*
 * Otsu's threshold: the level that best parts an image into dark and bright.
 *
 * As skimage.filters.threshold_otsu: floats in 256 bins from the least to the
 * greatest value, integers one bin a value; the first maximum of the variance between
 * the classes; the answer is that bin's centre. A constant image gives its value.
 * Blank (NaN) pixels are left out. Kernels cl/otsu.cl, host src/opencl/otsu.c,
 * definition src/reference/otsu.c.
 */
#ifndef CLUMP_OTSU_H
#define CLUMP_OTSU_H

#include <clump/image.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Finds the threshold. Any number type. Blocks. Returns CLUMP_ERROR_ARGUMENT when no pixel is
 * finite or when a pixel is infinite.
 */
CLUMP_API enum clump_status clump_otsu(clump_context *context, const clump_image *image,
                                       double *threshold);

#ifdef __cplusplus
}
#endif

#endif
