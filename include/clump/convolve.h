/* SPDX-License-Identifier: MIT */
/*
 * Convolution, true (the kernel is flipped), in two dimensions as
 * scipy.signal.convolve2d and in one as numpy.convolve.
 *
 * The result has the same bits on every device and on the reference, with the methods auto, direct
 * and separable. A sum is made in the image's type. It begins with 0; the products of a weight and
 * a pixel enter it one after the other by a fused multiply-add, fma(weight, pixel, sum), which
 * rounds once. Their order, with the kernel turned by half a turn over the image: direct     rows
 * of weights from the first to the last, the weights of a row from the first to the last; separable
 * for every outer product, in the order in which they were split off, down the column of pixels
 * from the first row to the last, which gives a number of the image's type; then one sum along
 * these numbers from the first column to the last, product after product. docs/convolution.md
 * defines the products. Where blanks are left out they enter as pixels of 0; the weights that are
 * present are summed in the same way, as if every pixel present were 1 and every blank 0. Where
 * that sum differs from the one without any blank, the result is multiplied by the latter over the
 * former (the quotient of result and former is rounded, then the product). This takes a device that
 * keeps subnormal numbers and, for F32 with blanks left out, has F64.
 *
 * |error| <= (n + 4) * eps * sum |w| |x| for the direct method and for kernels that are one outer
 * product, n being the number of weights and eps that of the image's type; for kernels that are
 * split into several products with the largest |x| under the kernel in place of each, and over
 * folded rows with the largest |x| of those and of 7 rows above and below;
 * src/opencl/convolve/fft.c has the bound of the FFT. On one device the bits do not depend on the
 * number of threads. Kernels cl/convolve/direct.cl, folded.cl and separable.cl, host
 * src/opencl/convolve/convolve.c, definition src/reference/convolve.c.
 */
#ifndef CLUMP_CONVOLVE_H
#define CLUMP_CONVOLVE_H

#include <stdint.h>

#include <clump/boundary.h>
#include <clump/image.h>

#ifdef __cplusplus
extern "C" {
#endif

enum clump_convolve_mode {
    CLUMP_CONVOLVE_MODE_FULL, /* every place where image and kernel overlap */
    CLUMP_CONVOLVE_MODE_SAME, /* the image's size, centred on full */
    CLUMP_CONVOLVE_MODE_VALID /* only where the smaller lies wholly within the larger; knows no
                                 boundary */
};

enum clump_convolve_method {
    CLUMP_CONVOLVE_METHOD_AUTO, /* separable where the weights allow it and it is less work, else
                                   direct */
    CLUMP_CONVOLVE_METHOD_DIRECT,
    CLUMP_CONVOLVE_METHOD_SEPARABLE, /* refused when the kernel is no sum of few outer products */
    CLUMP_CONVOLVE_METHOD_FFT,       /* within the bound, but other bits on every device */
    CLUMP_CONVOLVE_METHOD_FOLDED,    /* the same; as direct with fewer products; directly where that
                               cannot be    done: not on a CPU, less than 8 rows of weights, blanks
                               ignored */
    CLUMP_CONVOLVE_METHOD_FAST       /* the fastest that is within the bound, by size and device */
};

struct clump_convolve_params {
    enum clump_convolve_mode mode;
    enum clump_boundary boundary;
    double fill_value; /* rounded to the image's type */
    enum clump_convolve_method method;
    enum clump_blank_rule blank;
    uint64_t reserved[4]; /* 0 (clump.h) */
};

/* Full, filled with 0, automatic method, NaN spreads: convolve2d's and convolve's own defaults. */
CLUMP_API extern const struct clump_convolve_params clump_convolve_defaults;

/* The weights, on the host, row after row; they are used during the call only. */
struct clump_weights {
    uint64_t rows, cols;
    const double *weights; /* finite; rounded to the image's type */
    uint64_t reserved[2];  /* 0 (clump.h) */
};

/*
 * Convolves an image; `*convolved` has its type where that is F32 or F64. Integers and masks are
 * converted to F32 first. `params` NULL: clump_convolve_defaults.
 * Does not block. Returns CLUMP_ERROR_ARGUMENT for a weight that is not finite, for a method that
 * cannot be exact enough, and in mode VALID when neither is as large as the other both ways.
 */
CLUMP_API enum clump_status clump_convolve(clump_context *context, const clump_image *image,
                                           const struct clump_weights *kernel,
                                           const struct clump_convolve_params *params,
                                           clump_image **convolved);

/*
 * The same for one row, with numpy.convolve's sizes: SAME has the longer one's length, VALID the
 * longer minus the shorter plus one; either may be the longer one. `image` and `kernel` have one
 * row; the boundary is FILL with 0, whatever `params` says.
 */
CLUMP_API enum clump_status clump_convolve_1d(clump_context *context, const clump_image *image,
                                              const struct clump_weights *kernel,
                                              const struct clump_convolve_params *params,
                                              clump_image **convolved);

#ifdef __cplusplus
}
#endif

#endif
