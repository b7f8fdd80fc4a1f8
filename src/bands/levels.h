/* SPDX-License-Identifier: MIT */
/*
 * Statistics and clipping of an image in bands (docs/bands.md): what the passes over its rows have
 * told, and what the next one has to find out. The questions are those of src/opencl/stats, asked
 * again after each pass until no answer rests on a guess.
 */
#ifndef CLUMP_SRC_BANDS_LEVELS_H
#define CLUMP_SRC_BANDS_LEVELS_H

#include "bands/tables.h"
#include "opencl/stats/clip.h"

enum levels_pass {
    LEVELS_FILL,   /* counts and sums per bin */
    LEVELS_SPLIT,  /* the same of parts of one bin */
    LEVELS_GATHER, /* the keys of some bins */
    LEVELS_SEEK,   /* where the extreme kept pixels are */
    LEVELS_DONE
};

struct levels {
    clump_context *context;
    uint64_t pixels, room; /* of the image; keys that may be kept at once */
    bool clips;            /* the task: clip, or stats */
    struct clump_stats_params stats;
    struct clump_clip_params clip;
    double *quantiles; /* the values of those that were asked for */
    enum levels_pass pass;

    /* what a pass adds up */
    struct bands_window window;
    struct bands_bin *bins;
    struct bands_extremes extremes;
    struct bands_keys keys;
    uint64_t *intervals;
    size_t interval_count;
    struct bands_places places;

    /* what earlier passes have told */
    struct histogram histogram; /* only its order is used */
    struct exact_sums all;
    struct clip_kept kept;
    struct histogram_place before;
    struct clump_stats_result figures;
    struct clump_clip_result result;
};

/* Makes levels of an image of `pixels` pixels. Destroy them after a failure too. */
enum clump_status clump_levels_create(clump_context *context, enum clump_type type, uint64_t pixels,
                                      uint64_t room, struct levels *levels);
void clump_levels_destroy(struct levels *levels);

/* Chooses the window by some pixels. */
enum clump_status clump_levels_hint(struct levels *levels, const clump_image *image);
/* Prepares the pass that levels->pass names. */
enum clump_status clump_levels_begin(struct levels *levels);
/* Takes rows that begin with pixel number `first` of the image. */
enum clump_status clump_levels_rows(struct levels *levels, const clump_image *image,
                                    uint64_t first);
/* Takes what the pass has added up, and chooses the next one. */
enum clump_status clump_levels_finish(struct levels *levels, uint64_t cols);

#endif
