/* SPDX-License-Identifier: MIT */
/* What host and kernels agree on about the first look of measure (measure_range.cl). */
#ifndef CLUMP_CL_REGIONS_MEASURE_RANGE_H
#define CLUMP_CL_REGIONS_MEASURE_RANGE_H

#include "common/types.h"

/* The labels of a band (coarse) or of the image (fine). */
struct measure_range {
    u32 least;    /* coarse: the least positive label less one; UINT_MAX: no pixel has a label */
    i32 greatest; /* 0: no pixel has a label */
    i32 lowest;   /* below 0: the image is refused */
    u32 changes;  /* coarse: length of the band's list; fine: number of runs in all words */
};

#endif
