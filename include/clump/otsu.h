/* SPDX-License-Identifier: MIT */
/*
 * Otsu's threshold: the level that best parts an image into dark and bright.
 *
 * As skimage.filters.threshold_otsu: floats are counted in 256 bins from the least to the greatest
 * value, integers in one bin per value. The answer is the centre of the bin with the first maximum
 * of the variance between the two classes. A constant image gives its value. Blank (NaN) pixels are
 * left out.
 *
 * Exactly, float images are binned as numpy.histogram does it, in the image's type T.
 * Edge i is min + i * ((max - min) / 256) in double, rounded to T, the last one max. A
 * pixel's bin is the integer part of (x - min) * T(256 / (max - min)), at most 255; one
 * less if x is below that bin's lower edge; then one more if x is not below its upper
 * edge, the last bin apart. Centres are (edge + next edge) / 2 in T. The variance is
 * computed in double from sums that run from either end, and the first maximum is that of
 * numpy.argmax, for which NaN is the greatest. Before all this, float images are scaled by a power
 * of two that brings the largest magnitude to 0.5..1, and the answer is scaled back: that changes
 * nothing where scikit-image has an answer, and keeps very large and very small values from
 * overflow and underflow. Kernels cl/stats/otsu.cl, host src/opencl/stats/otsu.c, definition
 * src/reference/otsu.c.
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
