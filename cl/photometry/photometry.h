/* SPDX-License-Identifier: MIT */
/* What the host and the kernels of photometry agree on. */
#ifndef CLUMP_CL_PHOTOMETRY_H
#define CLUMP_CL_PHOTOMETRY_H

#include "common/types.h"

/*
 * An aperture. With dx and dy from the centre, ux dx + uy dy and vx dx + vy dy are coordinates in
 * which Rho = 1 is the unit circle.
 */
struct photometry_source {
    double x, y;
    double cxx, cyy, cxy;  /* Rho^2 = cxx dx^2 + cyy dy^2 + cxy dx dy */
    double ux, uy, vx, vy; /* of the unit circle */
    double scale;          /* a b: square pixels of an area of 1 there */
    double margin;         /* 0.7072 / b: further from an edge, pixels are wholly in or out */
    double inner, outer;
    double reach_x, reach_y; /* pixels from the centre to the sides of the box of Rho = 1 */
    i64 id;
    u64 invalid; /* it makes no sense: its figures are NaN */
};

#define PHOTOMETRY_MAPPED    1 /* bits of photometry_view.has: an error map, */
#define PHOTOMETRY_VARIANCE  2 /* error and error map are variances, */
#define PHOTOMETRY_MASKED    4 /* a mask, */
#define PHOTOMETRY_SEGMENTED 8 /* a segmentation */

#define PHOTOMETRY_SHARE 8  /* coarse: apertures per work-item */
#define PHOTOMETRY_RINGS 64 /* of a curve of growth */
#define PHOTOMETRY_SUMS  9  /* numbers that a row of pixels leaves, at most */

/* What is the same for all apertures of a launch. */
struct photometry_view {
    u64 rows, cols;
    u64 count;    /* apertures */
    double error; /* of every pixel, where there is no map */
    u32 has;
    i32 subpix;
};

/* What an aperture's pixels add up to; cl/photometry/sums.cl. */
struct photometry_sums {
    double sum[PHOTOMETRY_SUMS];
    u64 flags;
};

/* The curve of growth about a position: points, and pixels as integers of unit 2^exponent. */
struct photometry_rings {
    i64 flux[PHOTOMETRY_RINGS];
    u64 area[PHOTOMETRY_RINGS], masked[PHOTOMETRY_RINGS]; /* points in all; masked ones */
    i32 exponent;
    u32 flags;
};

#endif
