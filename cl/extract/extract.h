/* SPDX-License-Identifier: MIT */
/* What host and kernels agree on about extraction (docs/extract.md, "On a device"). */
#ifndef CLUMP_CL_EXTRACT_EXTRACT_H
#define CLUMP_CL_EXTRACT_EXTRACT_H

#include "common/types.h"

#define EXTRACT_SHARE 16   /* coarse: sources or objects that a work-item takes */
#define EXTRACT_PIECE 4096 /* pixels of a blend that are shared out by one work-item */
#define EXTRACT_BITS  30   /* c, pixels and variances become whole numbers of so many bits */
#define EXTRACT_FAR   70   /* beyond this distance a profile counts as nothing */
#define EXTRACT_NONE  0xffffffffu

/* What is known of a component of members: BOX_WORDS words, all of which begin as 0. So the least
 * column and row are kept as the greatest complements of columns and rows. */
enum extract_box { BOX_COUNT, BOX_LEFT, BOX_RIGHT, BOX_TOP, BOX_LAST, BOX_SEED, BOX_WORDS };

/* What all kernels are told about the image. */
struct extract_view {
    double gain;
    u32 rows, cols;
    u32 min_area;
    u32 least;    /* pixels that a node of a blend's tree has at least */
    float thresh; /* the seeds' threshold, in units of the noise */
    float low;    /* the members' threshold, in the same units */
    float noise;  /* of all pixels, where there is no map */
    u32 weight_rows, weight_cols;
    u32 unused;
};

/* A source: its pixels are list[first..first + count - 1]. */
struct extract_source {
    u32 label, first, count;
    u32 left, right, top, bottom; /* its box, right and bottom included */
};

/* A source's sums, in units of 2^(exponent - EXTRACT_BITS). */
struct extract_total {
    u64 sum, thresholds; /* of c, and of the pixels' thresholds */
    float peak;          /* the largest c */
    i32 exponent, threshold_exponent;
    u32 listed; /* pixels found in the box: the host compares them with those that were counted */
};

/* A source that may be a blend. */
struct extract_blend {
    double step;      /* each level is the one before times this */
    double bound;     /* flux above a level that makes a node significant */
    u32 first, count; /* its pixels in the list */
    u32 places;       /* where its pixels begin in the scratch of the tree */
    u32 nodes;        /* where its nodes and cores begin */
    float thresh;
    i32 exponent; /* of sums of c */
    u32 child;    /* the first of its objects, once it is divided */
    u32 children;
};

/* A component of a blend above a level; and, in the members son_*, what it was when the level above
 * was done: a son. Lists of pixels, nodes and outputs have indices as links; EXTRACT_NONE ends
 * them. */
struct extract_node {
    u64 flux, son_flux;
    u32 up; /* union-find: itself, or a node nearer to the one that it is a part of now */
    u32 level;
    u32 count, last, head, tail, clean, first_out, last_out;
    u32 son_count, son_last, son_tail, son_clean, son_first_out, son_last_out, son_next;
    u32 sons, last_son; /* the list of sons */
    u32 touched;        /* the list of nodes that this level has changed */
    u32 unused;
};

/* A node that becomes an object. */
struct extract_output {
    u32 head, tail, level, count, next;
};

/* The core of an object of a blend. */
struct extract_core {
    float thresh;
    u32 count;
};

/* An object to be measured: its pixels are list[first..first + count - 1]. */
struct extract_item {
    u32 first, count;
    float thresh;
    u32 unused;
};

/* The profile of an object of a blend. */
struct extract_profile {
    double x, y;
    float cxx, cyy, cxy, height;
};

/* Part of a blend's pixels. */
struct extract_task {
    u32 first, count, child, children;
};

/* Moments: sums of numbers, alone and times X, Y, X^2, Y^2, X Y; of 128 bits, low half first. */
enum extract_moment { MOMENT_1, MOMENT_X, MOMENT_Y, MOMENT_XX, MOMENT_YY, MOMENT_XY, MOMENTS };

struct extract_sums {
    u64 light[2 * MOMENTS], variances[2 * MOMENTS];
    u64 c, v; /* sums, in two's complement */
    i32 c_exponent, v_exponent, variance_exponent;
    float cpeak, peak, mthresh;
    u32 cpeak_at, peak_at, left, right, top, bottom;
    u32 above, higher; /* pixels above the threshold, and above the middle to the peak */
    u32 saturated, unused;
};

#endif
