/* SPDX-License-Identifier: MIT */
/* What host and kernels agree on about the walk along the regions of an image (run_cursor.cl). */
#ifndef CLUMP_CL_REGIONS_RUN_CURSOR_H
#define CLUMP_CL_REGIONS_RUN_CURSOR_H

#include "common/types.h"

/* What a launch walks along; an argument of the kernels, passed by value. */
struct walk {
    u64 room;          /* coarse, label image: places of a band's list, the last one for its end */
    u32 cols, rows;    /* of the image */
    u32 band_rows;     /* coarse: rows of a band */
    u32 first, number; /* the labels whose rows of sums are being made: first..first + number - 1 */
    u32 unused;
};

/* Coarse, label image: a band's rows among the rows of sums. */
struct walk_slice {
    u32 row;     /* its first */
    u32 first;   /* label of that row */
    u32 number;  /* of its rows */
    u32 changes; /* in the band's list */
};

#endif
