/* SPDX-License-Identifier: MIT */
/*
 * Statistics by one sweep over the pixels (cl/stats/sweep.cl): what stats asks for, and all that
 * clipping asks for. See docs/statistics.md, "The sweep".
 */
#ifndef CLUMP_SRC_OPENCL_STATS_SWEEP_H
#define CLUMP_SRC_OPENCL_STATS_SWEEP_H

#include "opencl/core/opencl.h"
#include "opencl/stats/histogram.h"

/* What the sample tells. */
struct sweep_aim {
    int exponent[2];  /* the units are 2^exponent */
    double low, high; /* the bracket, which has the median; values that a pixel can have */
    double core_low;  /* the tails: values up to this one, */
    double core_high; /* and from this one on */
    bool ties;        /* whether to count the pixels equal to low or high */
    uint32_t bracket, tails, odd; /* entries that the lists have room for */
};

/* A sample of pixels, as keys. */
struct sweep_sample {
    struct keys keys;
    const void *key; /* of 32 or 64 bits */
    size_t count;    /* sampled pixels */
    uint64_t n;      /* all pixels */
};

/* Entries that the lists have room for in an image of n pixels, at most. */
struct sweep_room {
    uint32_t bracket, tails, odd;
};

/* A sweep, and what it has found. */
struct sweep {
    clump_context *context;
    const clump_image *image;
    const struct clump_clip_params *clip; /* NULL: there are no tails */
    uint64_t n, chunks;
    uint32_t samples;
    struct sweep_room room;
    uint64_t parts_at, bracket_at, tails_at, odd_at; /* in the memory, in words of 64 bits */
    cl_mem memory;
    const uint64_t *words; /* the memory, mapped */
    struct sweep_aim aim;

    struct histogram histogram;   /* its order: the bins of sweep_order.c */
    struct exact_sums sums;       /* of all finite pixels */
    struct histogram_place place; /* of the extreme pixels, if any pixel is not blank */
};

#define CLUMP_SWEEP_MISLED "statistics: the sample misled the sweep: the histogram answers"

/*
 * Sweeps over the image. Leaves *done false where the histogram must answer: the image has another
 * type or too many pixels, the sample tells that a sweep would not pay, or the sample misled. An
 * answer of sweep->histogram.order may still be a guess; then the histogram must answer too.
 * Blocks. Close the sweep after a failure too.
 */
enum clump_status clump_sweep_open(clump_context *context, const clump_image *image,
                                   const struct clump_clip_params *clip, struct sweep *sweep,
                                   bool *done);
/* Releases everything. Fails where the device does not take its memory back. */
enum clump_status clump_sweep_close(struct sweep *sweep);

/*
 * sweep_aim.c: chooses units, bracket and, if `clip` is not NULL, core by a sample. *worth becomes
 * false if a sweep does not pay. Returns false if memory is short.
 */
bool clump_sweep_aim(const struct sweep_sample *sample, const struct clump_clip_params *clip,
                     struct sweep_room room, struct sweep_aim *aim, bool *worth);
/* How many pixels to sample of n, and how many entries the lists may have. */
uint32_t clump_sweep_aim_samples(uint64_t n);
struct sweep_room clump_sweep_aim_room(uint64_t n);

/* What the sweep has counted. */
struct sweep_counts {
    uint64_t pixels, blank;              /* pixels that are not blank; blank ones */
    uint64_t below, above;               /* pixels at minus and plus infinity */
    uint64_t below_low, to_low, to_high; /* pixels < low, <= low, <= high */
    uint64_t least, most;                /* the extreme keys */
    uint32_t bracket, tails, odd;        /* entries of the lists */
    bool tiny;                           /* whether some pixels are tiny (subnormal) */
};

/*
 * sweep_order.c: makes sweep->histogram.order of the lists. Leaves *fits false if the counts
 * contradict each other, as they must not.
 */
enum clump_status clump_sweep_order(struct sweep *sweep, const struct sweep_counts *counts,
                                    bool *fits);
/* Finds the first pixels of two keys among the tails. Returns false if they are not there. */
bool clump_sweep_order_seek(const struct sweep *sweep, uint64_t least, uint64_t most,
                            struct histogram_place *place);
#endif
