/* SPDX-License-Identifier: MIT */
/*
 * What the kernels in cl/convolve and their hosts in src/opencl/convolve must agree on: scalar
 * arguments, which a kernel takes in structs by value, and a few constants. Both sides compile this
 * file. Members of 8 bytes stand before those of 4 and fill the struct, so that no compiler pads
 * it; both sides check its size, which then says where each member lies.
 */
#ifndef CLUMP_CL_CONVOLVE_H
#define CLUMP_CL_CONVOLVE_H

#ifdef __OPENCL_C_VERSION__ /* __OPENCL_VERSION__ is missing where clang is used alone */
#define CONVOLVE_I64               long
#define CONVOLVE_I32               int
#define CONVOLVE_BYTES(name, size) typedef char name##_bytes[sizeof(struct name) == size ? 1 : -1]
#else
#include <stdint.h>
#define CONVOLVE_I64 int64_t
#define CONVOLVE_I32 int32_t
#define CONVOLVE_BYTES(name, size)                                                                 \
    _Static_assert(sizeof(struct name) == (size), "struct " #name " has another size")
#endif

/* What stands for a pixel beyond the border: enum clump_boundary. */
enum convolve_boundary {
    BOUNDARY_FILL,
    BOUNDARY_WRAP,
    BOUNDARY_SYMM,
    BOUNDARY_NEAREST,
    BOUNDARY_MIRROR
};

/* Result (i, j) is the sum of weight (s, t) times pixel (i + up + s, j + left + t). */
struct convolve_frame {
    CONVOLVE_I64 rows, cols;         /* of the image */
    CONVOLVE_I64 out_rows, out_cols; /* of the result */
    CONVOLVE_I64 up, left;
    CONVOLVE_I32 kh, kw;   /* rows and columns of weights */
    CONVOLVE_I32 boundary; /* enum convolve_boundary */
    CONVOLVE_I32 unused;
};
CONVOLVE_BYTES(convolve_frame, 64);

/*
 * direct.cl: groups of output columns, those whose pixels are read from the copy `sides` on the
 * left, those inside the image, then those whose pixels are read from `sides` on the right.
 */
struct direct_groups {
    CONVOLVE_I64 right;      /* first column of the image that the right part of sides stands for */
    CONVOLVE_I32 left_width; /* columns of the left part of sides */
    CONVOLVE_I32 width;      /* columns of sides */
    CONVOLVE_I32 left, inner, all; /* groups on the left, groups inside, all groups */
    CONVOLVE_I32 run;              /* groups per work-item */
};
CONVOLVE_BYTES(direct_groups, 32);

/* separable.cl */
struct separable_strip {
    CONVOLVE_I32 rank;   /* outer products */
    CONVOLVE_I32 width;  /* output columns per work-group */
    CONVOLVE_I32 length; /* elements of a line of local memory */
    CONVOLVE_I32 unused;
};
CONVOLVE_BYTES(separable_strip, 16);

/* folded.cl: 27 partial sums make 8 rows of results, of which the phase is the number modulo 8. */
#define FOLDED_PHASES   8
#define FOLDED_PARTIALS 27
#define FOLDED_PLANES   9 /* partial sums whose pixels are in local memory at once */
#define FOLDED_SLOTS    7 /* partial sums that wait for others: 1 for h, 2 for g, 4 for f */

struct folded_strip {
    CONVOLVE_I32 taps;  /* rows of weights of a partial sum: every 8th row, rounded up */
    CONVOLVE_I32 width; /* output columns per work-item */
    CONVOLVE_I32 pitch; /* elements from a line of local memory to the next */
    CONVOLVE_I32 plane; /* elements from a plane of local memory to the next */
};
CONVOLVE_BYTES(folded_strip, 16);

/* fft.cl: the two tiles that are transformed at once, by the place of their first results. */
struct fft_tiles {
    CONVOLVE_I64 row_0, col_0;
    CONVOLVE_I64 row_1, col_1;
    CONVOLVE_I32 high, wide; /* points of a tile */
};
CONVOLVE_BYTES(fft_tiles, 40);

#endif
