/* SPDX-License-Identifier: MIT */
/*
 * How kernels lay out their work on a device, and how much of it they take at once.
 *
 * Coarse: few work-items, each with a slice of the image and memory of its own, for CPUs. Fine:
 * many work-items, in work-groups that share local memory, for GPUs. layout.c chooses by the
 * device; docs/architecture.md has a picture.
 */
#ifndef CLUMP_SRC_OPENCL_LAYOUT_H
#define CLUMP_SRC_OPENCL_LAYOUT_H

#include "context.h"

struct layout {
    bool coarse;
    uint32_t workers; /* coarse: work-items that share an image */
    uint32_t group;   /* work-items of a work-group: a power of two, at most 256 */
    uint32_t vector;  /* floats in the widest vector worth using */

    /* Knobs of single operations: tune.h. */
    uint32_t convolve_rows;   /* coarse: output rows that a work-item sums at once, 6 or 3 */
    uint32_t convolve_vector; /* coarse: floats in a vector of sums, 8 or 16 */
    uint32_t stats_workers;   /* coarse: work-items with a histogram of their own */
    uint32_t label_workers;   /* coarse: bands of rows that are labelled side by side */
};

/* The largest numbers that an operation takes at once: docs/limits.md. Tests lower them. */
struct bounds {
    uint64_t table_pixels; /* fine: pixels of a pass that fills the key histogram */
    uint64_t otsu_pixels;  /* pixels of a launch that counts Otsu's bins */
    uint64_t sweep_pixels; /* pixels of a sweep; larger images take the key histogram */
    uint64_t runs;         /* runs of a mask: the highest bit of their numbers is a flag */
    uint64_t edges;        /* rows of all regions whose hulls are made at once */
    uint64_t cache_bytes;  /* bytes of all files in the folder of built programs */

    uint64_t launch_groups; /* groups of a launch along its second dimension: GPUs take no more */
    uint64_t launch_items;  /* work-items of a launch */
    uint64_t launch_work;   /* products of a launch, which take a device well below a second */
};
extern const struct bounds clump_bounds;

/* Chooses context->opencl->layout and sets the bounds. */
void clump_layout_choose(clump_context *context, const struct clump_context_params *params);
/* The name of a pixel type in OpenCL C ("float"), for a `-D`. */
const char *clump_type_opencl(enum clump_type type);

#endif
