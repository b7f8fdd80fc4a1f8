/* SPDX-License-Identifier: MIT */
/*
 * Find in bands, after the passes of the clipping (docs/bands.md): components are joined in one
 * pass, measured in the next, and flagged in a last one if the image has blank pixels.
 */
#ifndef CLUMP_SRC_BANDS_FIND_H
#define CLUMP_SRC_BANDS_FIND_H

#include <clump/find.h>

#include "bands/sums.h"

enum finder_pass { FINDER_LABEL, FINDER_MEASURE, FINDER_FILL, FINDER_DONE };

/* A source, while it is measured. */
struct finder_source {
    struct sums sums;
    int64_t euler;   /* objects less holes, 8-connected */
    uint32_t joined; /* an id of the component of sources and blank pixels */
    uint32_t filled; /* and of that of sources with their holes filled */
};

struct finder {
    clump_context *context;
    enum clump_type type;
    uint64_t rows, cols;
    struct clump_find_params params;
    enum finder_pass pass;
    struct clump_find_result found;
    bool blanks; /* the image has blank pixels, and sources are flagged for them */
    struct bands_row row;
    uint8_t *bytes; /* what the pixels of a row are: find.c */

    struct components components; /* of the mask */
    struct components again;      /* the same walk, in later passes */
    uint32_t *label;              /* the label of each id; 0: the component is too small */
    uint32_t count;               /* labels */
    struct finder_source *sources;
    struct components joined;      /* of sources and blank pixels */
    struct components clear;       /* of the pixels that belong to no source */
    struct components clear_again; /* the same walk, in the last pass */
    struct components filled;      /* of sources and their holes */
};

void clump_finder_create(clump_context *context, enum clump_type type, uint64_t rows, uint64_t cols,
                         const struct clump_find_params *params, struct finder *finder);
void clump_finder_destroy(struct finder *finder);

/* Takes the result of the clipping, before the first pass. */
enum clump_status clump_finder_clipped(struct finder *finder, const struct clump_clip_result *clip);
/* Takes rows that begin with row `first`; makes their labels, unless `labels` is NULL. */
enum clump_status clump_finder_rows(struct finder *finder, const clump_image *image, uint64_t first,
                                    clump_image **labels);
/* Ends a pass, and chooses the next one. */
enum clump_status clump_finder_finish(struct finder *finder);

#endif
