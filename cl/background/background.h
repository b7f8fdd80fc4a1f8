/* SPDX-License-Identifier: MIT */
/* What the host and the kernels of the background agree on. */
#ifndef CLUMP_CL_BACKGROUND_H
#define CLUMP_CL_BACKGROUND_H

#include "common/types.h"

#define BACKGROUND_BINS 4096 /* of the histogram of a box, at most */

/* An image divided into boxes. */
struct background_grid {
    u64 rows, cols;           /* of the image */
    u64 height, width;        /* of a box */
    u64 mesh_rows, mesh_cols; /* boxes */
    i32 bits;                 /* of a pixel as an integer */
    i32 unused;
};

/* A box as the device leaves it. */
struct background_box {
    float level, rms;
    u32 used; /* pixels */
    u32 good; /* at least half of the pixels were used; else level and rms are 0 */
};

/* A place between two nodes of a spline: v0 + t (v1 - v0) + a d0 + b d1. */
struct background_place {
    u32 node; /* the first of the two */
    float t, a, b;
};

#endif
