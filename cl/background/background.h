/* SPDX-License-Identifier: MIT */
/* What the host and the kernels of the background agree on. */
#ifndef CLUMP_CL_BACKGROUND_H
#define CLUMP_CL_BACKGROUND_H

#include "common/types.h"

#define BACKGROUND_BINS 4096 /* a box's histogram has so many bins at most */

/* An image divided into boxes. */
struct background_grid {
    u64 rows, cols;           /* pixels of the image */
    u64 height, width;        /* pixels of a box that no border of the image cuts */
    u64 mesh_rows, mesh_cols; /* boxes below and beside each other */
    i32 bits;                 /* that a pixel has when it is summed as an integer */
    i32 unused;
};

/* A box as the device leaves it. */
struct background_box {
    float level, rms;
    u32 used; /* pixels that are neither blank nor masked nor beyond USED (box_common.cl) */
    u32 good; /* at least half of the pixels were used; else level and rms are 0 */
};

/*
 * A place between two nodes of a spline, whose value there is v0 + t (v1 - v0) + a d0 + b d1, where
 * v are the values of the two nodes and d their second differences.
 */
struct background_place {
    u32 node; /* the first of the two */
    float t, a, b;
};

#endif
