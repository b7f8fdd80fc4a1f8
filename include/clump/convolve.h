/* SPDX-License-Identifier: MIT */
/*
 * Convolution, true (the kernel is flipped): in two dimensions as scipy.signal.convolve2d, in one
 * as numpy.convolve.
 *
 * With the methods auto, direct and separable, the result has the same bits on every device and on
 * the reference. A sum is made in the image's type. It begins with 0, and the products of a weight
 * and a pixel enter it one after the other by a fused multiply-add, fma(weight, pixel, sum), which
 * rounds once. With the kernel turned by half a turn over the image, their order is:
 * - direct: rows of weights from the first to the last, the weights of a row from the first to the
 *   last;
 * - separable: for every outer product, in the order in which docs/convolution.md splits them off,
 *   a sum down each column of pixels from the first row to the last, which gives a number of the
 *   image's type; then one sum along these numbers from the first column to the last, outer product
 *   after outer product. A result that is not finite, because the sum of a column overflowed or a
 *   pixel is not finite, is summed directly instead.
 *
 * Where blanks are ignored, they enter as pixels of 0, and the weights of the pixels present are
 * summed in the same way, as if every pixel present were 1 and every blank 0. Where that sum
 * differs from the sum without any blank, the result is divided by the former, rounded, and
 * multiplied by the latter. All this takes a device that keeps subnormal numbers and, for F32 with
 * blanks ignored, has F64.
 *
 * The error is at most (n + 4) * eps * sum |w| |x| for the direct method and for kernels that are
 * one outer product, n being the number of weights and eps that of the image's type. For kernels
 * that are split into several products, the largest |x| under the kernel takes the place of each
 * |x|; for folded rows, the largest |x| under the kernel and in the 7 rows above and below.
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
    /* Only where the smaller of the two lies within the larger; the boundary plays no part. */
    CLUMP_CONVOLVE_MODE_VALID
};

enum clump_convolve_method {
    /* Separable where the weights allow it and it is less work, else direct. */
    CLUMP_CONVOLVE_METHOD_AUTO,
    CLUMP_CONVOLVE_METHOD_DIRECT,
    /* Refused when the kernel is not a sum of few outer products. */
    CLUMP_CONVOLVE_METHOD_SEPARABLE,
    /* Within its bound, but with other bits on every device. */
    CLUMP_CONVOLVE_METHOD_FFT,
    /* As direct with fewer products: within the bound, but with other bits. Falls back to direct on
     * a CPU, for fewer than 8 rows of weights, and where blanks are ignored. */
    CLUMP_CONVOLVE_METHOD_FOLDED,
    /* The fastest that keeps to its bound, by size and device. */
    CLUMP_CONVOLVE_METHOD_FAST
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
 * cannot keep to its bound, and in mode VALID unless image or kernel is the larger in rows and
 * columns.
 */
CLUMP_API enum clump_status clump_convolve(clump_context *context, const clump_image *image,
                                           const struct clump_weights *kernel,
                                           const struct clump_convolve_params *params,
                                           clump_image **convolved);

/*
 * The same for one row, with numpy.convolve's sizes: SAME has the length of the longer of image and
 * kernel, VALID that length minus the shorter one's plus one. `image` and `kernel` have one row;
 * the boundary is FILL with 0, whatever `params` says.
 */
CLUMP_API enum clump_status clump_convolve_1d(clump_context *context, const clump_image *image,
                                              const struct clump_weights *kernel,
                                              const struct clump_convolve_params *params,
                                              clump_image **convolved);

#ifdef __cplusplus
}
#endif

#endif
