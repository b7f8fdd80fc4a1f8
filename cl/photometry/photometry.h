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
    double ux, uy, vx, vy; /* the two coordinates, as above */
    double scale;          /* a b: an area of 1 in these coordinates, in square pixels */
    double margin;         /* 0.7072 / b: further from an edge, pixels are wholly in or out */
    double inner, outer;
    double reach_x, reach_y; /* pixels from the centre to the sides of the box of Rho = 1 */
    i64 id;
    u64 invalid; /* 1: the aperture makes no sense, and its figures are NaN */
};

#define PHOTOMETRY_HAS_MAP          1 /* bits of photometry_view.has: there is an error map, */
#define PHOTOMETRY_HAS_VARIANCES    2 /* error and error map are variances, */
#define PHOTOMETRY_HAS_MASK         4 /* there is a mask, */
#define PHOTOMETRY_HAS_SEGMENTATION 8 /* there is a segmentation */

#define PHOTOMETRY_TRUNCATED 0x10 /* flags of a result: CLUMP_PHOTOMETRY_TRUNCATED, */
#define PHOTOMETRY_LEFT_OUT  0x20 /* CLUMP_PHOTOMETRY_MASKED */

#define PHOTOMETRY_SHARE 8  /* coarse: apertures per work-item */
#define PHOTOMETRY_RINGS 64 /* rings of a curve of growth */
#define PHOTOMETRY_SUMS  9  /* numbers that a row of pixels leaves, at most */

/* What is the same for all apertures of a launch. */
struct photometry_view {
    u64 rows, cols;
    u64 count;    /* apertures */
    double error; /* standard deviation, or variance, of every pixel where there is no map */
    u32 has;      /* PHOTOMETRY_HAS_..., ORed */
    i32 subpix;   /* points along a side of a pixel; 0: exact areas */
};

/* What an aperture's pixels add up to; cl/photometry/sums.cl. */
struct photometry_sums {
    double sum[PHOTOMETRY_SUMS];
    u64 flags;
};

#define PHOTOMETRY_GAUSS  6   /* figures of a Gaussian: height, x, y, cxx, cyy, cxy */
#define PHOTOMETRY_ROUNDS 100 /* of a fit, at most */

/* A Gaussian that was fitted. */
struct photometry_fit {
    double figures[PHOTOMETRY_GAUSS];
    double residual;
    u64 pixels;
    u32 rounds, flags;
};

/* The curve of growth about a position, ring by ring: the sum of the pixels at all points that
 * count, in units of 2^exponent; the number of points; and how many of them are left out. */
struct photometry_rings {
    i64 flux[PHOTOMETRY_RINGS];
    u64 area[PHOTOMETRY_RINGS], masked[PHOTOMETRY_RINGS];
    i32 exponent;
    u32 flags;
};

#endif
