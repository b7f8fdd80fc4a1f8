/* SPDX-License-Identifier: MIT */
/*
 * What the files of measure share. A call goes through measure_range.c (which labels there are),
 * measure_ids.c (only if the labels are sparse), measure.c (rows of sums on the device),
 * measure_scale.c (whether they suit the values), measure_figures.c (from rows to figures), hull.c
 * and outline.c (if asked for).
 * docs/measurement.md and docs/hull.md say why the figures are exact.
 */
#ifndef CLUMP_SRC_OPENCL_MEASURE_H
#define CLUMP_SRC_OPENCL_MEASURE_H

#include "opencl/regions/runs.h"
#include "regions/measure_range.h"
#include "regions/run_cursor.h"

#define MEASURE_WHERE 6 /* arguments that say where regions are, at most */

/* What a call works with. */
struct measure {
    clump_context *context;
    const clump_image *image;  /* may be NULL */
    const clump_image *given;  /* a label image of any integer type, or a mask */
    const clump_image *labels; /* the same as I32, or the mask */
    clump_image *made;         /* the labels, unless they are those that were given */
    uint64_t *ids;             /* the given label behind each rank; NULL: labels are not ranks */
    const struct clump_measure_params *params;
    struct walk walk;      /* cols, rows, band_rows are set at once; room by measure_range.c; first
                              and number, the labels of a sweep, by measure.c */
    uint32_t bands;        /* coarse: of rows */
    uint32_t count;        /* the greatest label */
    uint32_t set;          /* pixels of a mask */
    uint64_t changes_seen; /* of labels along the rows, at least as many as there are runs */
    struct clump_region *regions;

    /* measure_range.c */
    struct runs runs;             /* of a mask */
    cl_mem mask;                  /* fine: bits of a label image's pixels */
    cl_mem changes;               /* coarse: places where labels change, band by band; fine: bits */
    cl_mem numbers;               /* coarse: the labels from these places on */
    struct measure_range *ranges; /* coarse: per band; fine: one */
    int scale; /* values times 2^scale are the integers summed in rows without a scale */

    /* measure.c: the rows of sums of one sweep */
    uint32_t slots;  /* rows beyond one per label: coarse, mask */
    unsigned words;  /* of a row */
    size_t sum_rows; /* number of rows */
    cl_mem sums;     /* the rows */
    cl_mem slices;   /* coarse, label image: which rows are a band's */

    /* hull.c */
    cl_mem places, edges, chains, areas;
    uint32_t *sent; /* places, while they may be on their way to the device */
};

/* measure.c */
/* Lists the first arguments, up to the walk, of the kernels that include cl/regions/run_cursor.cl;
 * returns their number. */
unsigned clump_measure_where(const struct measure *job, struct clump_arg args[MEASURE_WHERE]);
/* Launches such a kernel: coarse over the bands of the image, fine over its words. */
enum clump_status clump_measure_launch(const struct measure *job, cl_kernel kernel,
                                       const struct clump_arg *args, unsigned count);

/* measure_range.c */
/* Finds the greatest label and, coarse, a scale for floats that suits some pixels. Retries with
 * lists of the greatest length if labels change more often than expected. Blocks. */
enum clump_status clump_measure_range(struct measure *job);
void clump_measure_range_release(struct measure *job);

/* measure_scale.c */
/* Whether regions have a scale of their own: floats and int64. */
bool clump_measure_scale_needed(const struct measure *job);
/* E such that 2^(E-1) <= |level| < 2^E; INT_MIN for 0. */
int clump_measure_scale_level(const struct measure *job);
/* Sets the scale for floats whose magnitudes have bits from `least` to `greatest`. */
void clump_measure_scale_guess(struct measure *job, uint32_t least, uint32_t greatest);
/* The scale of a region, from its extreme values; row NULL: it has no pixels. */
int clump_measure_scale_of(const struct measure *job, const uint64_t *row);
/* Makes a region's row of sums one of scale `own`. Returns false if that cannot be done: the pixels
 * have to be summed again. */
bool clump_measure_scale_settle(const struct measure *job, uint64_t *row, int own);

/* measure_ids.c */
/* Makes an I32 image in which each positive label of a label image of any integer type is replaced
 * by its rank, from 1; and the list of these labels, in order; free with free. Blocks. */
enum clump_status clump_measure_ids_rank(clump_context *context, const clump_image *labels,
                                         clump_image **ranked, uint64_t **sorted);

/* hull.c: convex areas of the labels of a sweep, whose boxes must be known. clump_hull_end blocks.
 */
enum clump_status clump_hull_start(struct measure *job);
enum clump_status clump_hull_end(struct measure *job);
void clump_hull_release(struct measure *job);

/* outline.c: perimeters and Euler's numbers of all labels. Blocks. */
enum clump_status clump_outline(struct measure *job);

#endif
