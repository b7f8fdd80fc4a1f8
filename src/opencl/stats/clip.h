/* SPDX-License-Identifier: MIT */
/* The iterations of clipping on the order of an image's pixels, wherever that comes from. */
#ifndef CLUMP_SRC_OPENCL_STATS_CLIP_H
#define CLUMP_SRC_OPENCL_STATS_CLIP_H

#include "opencl/stats/stats.h"

/* The kept pixels: those of ranks first to past - 1, and their sums. */
struct clip_kept {
    uint64_t first, past;
    struct exact_sums sums;
};

/* The least and the greatest key of the kept pixels. */
struct clip_span {
    uint64_t least, most;
};

/*
 * Does all iterations, and computes the figures but the positions. `all` are the sums of all finite
 * pixels; kept->sums must have been created. If order.guessed is set afterwards, some of the
 * figures rest on guesses.
 */
void clump_clip_iterate(struct histogram *histogram, const struct exact_sums *all,
                        const struct clump_clip_params *params, struct clip_kept *kept,
                        struct clump_clip_result *result);

/* The extreme keys of the kept pixels, if there are any. */
struct clip_span clump_clip_span(struct histogram *histogram, const struct clip_kept *kept);

#endif
