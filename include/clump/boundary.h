/* SPDX-License-Identifier: MIT */
/*
 * What a filter finds where the image ends, and what it makes of blank (NaN) pixels.
 *
 * Convolution (convolve.h) and Gaussian blur (gaussian.h) share these two choices. Host
 * src/opencl/convolve/, definition src/reference/boundary.h.
 */
#ifndef CLUMP_BOUNDARY_H
#define CLUMP_BOUNDARY_H

#ifdef __cplusplus
extern "C" {
#endif

/* Which pixels lie beyond the border of an image with the row a b c d. */
enum clump_boundary {
    CLUMP_BOUNDARY_FILL,    /* fill_value everywhere ("constant" in scipy.ndimage) */
    CLUMP_BOUNDARY_WRAP,    /* a b c d | a b c d | a b c d */
    CLUMP_BOUNDARY_SYMM,    /* d c b a | a b c d | d c b a ("reflect" in scipy.ndimage) */
    CLUMP_BOUNDARY_NEAREST, /* a a a a | a b c d | d d d d */
    CLUMP_BOUNDARY_MIRROR   /* d c b   | a b c d | c b a */
};

enum clump_blank_rule {
    CLUMP_BLANK_SPREAD, /* a blank pixel makes every result NaN in which it has a weight, as in
                           SciPy */
    CLUMP_BLANK_IGNORE  /* blank pixels are left out: the result is scaled by the sum of all weights
                           over the sum of the weights of the pixels present, and is NaN where the
                           latter is 0. Pixels beyond the border are present, unless they are NaN */
};

#ifdef __cplusplus
}
#endif

#endif
