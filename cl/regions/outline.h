/* SPDX-License-Identifier: MIT */
/* What host and kernels agree on about outlines (outline.cl): the counts of a region. */
#ifndef CLUMP_CL_REGIONS_OUTLINE_H
#define CLUMP_CL_REGIONS_OUTLINE_H

enum outline_count {
    OUTLINE_STRAIGHT, /* border pixels that add 1 to the perimeter */
    OUTLINE_DIAGONAL, /* sqrt(2) */
    OUTLINE_CORNER,   /* (1 + sqrt(2)) / 2 */
    OUTLINE_EULER,    /* Euler's number, as an int */
    OUTLINE_COUNTS
};

#endif
