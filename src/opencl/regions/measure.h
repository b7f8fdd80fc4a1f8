/* SPDX-License-Identifier: MIT */
/*
 * What the files of measure share: measure.c, which adds up the regions' sums, measure_range.c
 * before it, hull.c and outline.c after it.
 */
#ifndef CLUMP_SRC_OPENCL_MEASURE_H
#define CLUMP_SRC_OPENCL_MEASURE_H

#include "opencl/regions/runs.h"

#define MEASURE_WHERE 5 /* arguments that say where regions are, at most */

/* What a call works with. */
struct measure {
    clump_context *context;
    const clump_image *image;  /* may be NULL */
    const clump_image *given;  /* a label image of any integer type, or a mask */
    const clump_image *labels; /* the same as I32, or the mask */
    clump_image *made;         /* the labels, where they are not those that were given */
    uint64_t *ids;             /* the numbers that stand behind the labels; NULL: these numbers */
    const struct clump_measure_params *params;
    uint32_t cols, rows, bands, band_rows;
    uint32_t count;        /* of labels */
    uint32_t set;          /* pixels of a mask */
    uint64_t changes_seen; /* of labels along the rows, at least as many as there are runs */
    struct clump_region *regions;

    /* measure_range.c */
    struct runs runs; /* of a mask */
    cl_mem mask;      /* fine: bits of a label image's pixels */
    cl_mem changes;   /* coarse: places where labels change, each band's in order; else bits */
    cl_mem numbers;   /* coarse: the labels from there on */
    uint64_t room;    /* coarse: places of a band's list, the last one for its end */
    int32_t *ranges;  /* of each band: least label less one, greatest, lowest, number of changes */
    uint64_t most;    /* bits of the largest finite magnitude that was seen */
    int scale;        /* values times 2^scale are the integers that are summed */

    /* measure.c, for the labels now in its table: `number` of them, from `first` on */
    uint32_t first, number;
    uint32_t slots; /* table rows beyond one a label (coarse, mask) */
    unsigned words; /* of a table row */
    size_t table_rows;
    cl_mem table, slices;

    /* hull.c */
    cl_mem places, edges, chains, areas;
    uint32_t *sent; /* places, while they may be on their way to the device */
};

/* Two factors whose product is 2^scale, in the type that the kernel multiplies by. */
union factor {
    float f32[2];
    double f64[2];
    uint32_t shift[2];
};

/* measure.c */
/* Lists the first arguments of the kernels that include cl/regions/run_cursor.cl; returns their
 * number. */
unsigned clump_measure_where(const struct measure *job, struct clump_arg args[MEASURE_WHERE]);
/* Launches such a kernel over the image: coarse over its bands, else over its words. */
enum clump_status clump_measure_launch(const struct measure *job, cl_kernel kernel,
                                       const struct clump_arg *args, unsigned count);

/* measure_range.c */
/* Finds the number of labels and the scale; coarse, of a label image, a scale that may be too fine.
 * Blocks. */
enum clump_status clump_measure_range(struct measure *job);
/* Sets the scale for values of at most this magnitude. */
void clump_measure_range_scale(struct measure *job, uint64_t most);
size_t clump_measure_range_factor(const struct measure *job, union factor *factor);
void clump_measure_range_release(struct measure *job);
/* The `-D` options of the type of the image, or of none. */
void clump_measure_range_type(const struct measure *job, char *options, size_t room);

/* measure_ids.c */
/* Makes an I32 image of the ranks, from 1, of the positive numbers in a label image of an integer
 * type, and the list of these numbers; free with free. Blocks. */
enum clump_status clump_measure_ids_rank(clump_context *context, const clump_image *labels,
                                         clump_image **ranked, uint64_t **sorted);

/* hull.c: convex areas of the labels in the table, whose boxes are known; the end blocks. */
enum clump_status clump_hull_start(struct measure *job);
enum clump_status clump_hull_end(struct measure *job);
void clump_hull_release(struct measure *job);

/* outline.c: perimeters and Euler's numbers of all labels. Blocks. */
enum clump_status clump_outline(struct measure *job);

#endif
