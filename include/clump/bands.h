/* SPDX-License-Identifier: MIT */
/*
 * Bands: statistics, clipping and find of an image that is given some rows at a time, so that no
 * device and no memory has to hold all of it. The results are those of clump_stats, clump_clip and
 * clump_find of the whole image, to the last bit, however the rows are cut.
 *
 *     clump_bands_create(context, &params, &bands);
 *     while (!clump_bands_begin(bands, &more) && more) {     // a pass over the image
 *         for (each band, from the first row to the last)
 *             clump_bands_rows(bands, band, NULL);
 *         clump_bands_finish(bands);
 *     }
 *     clump_bands_find(bands, &found);
 *
 * Medians and bounds of clipping need several passes over the rows, and the rows must be the same
 * in each. What a pass adds up is integers: counts per bin of values, values that are sought, and
 * sums per region. Host src/bands.c and src/bands/, docs/bands.md.
 */
#ifndef CLUMP_BANDS_H
#define CLUMP_BANDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <clump/clip.h>
#include <clump/find.h>
#include <clump/image.h>
#include <clump/stats.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct clump_bands clump_bands;

enum clump_bands_task { CLUMP_BANDS_STATS, CLUMP_BANDS_CLIP, CLUMP_BANDS_FIND };

struct clump_bands_params {
    enum clump_bands_task task;
    enum clump_type type;                   /* of the pixels: a number type */
    uint64_t rows, cols;                    /* of the whole image; each up to 2^28 */
    const struct clump_stats_params *stats; /* of the task's operation; copied; NULL: its */
    const struct clump_clip_params *clip;   /* defaults */
    const struct clump_find_params *find;
    uint64_t memory;      /* bytes that values kept for medians may take, besides 8 MiB of tables: a
                             smaller number means more passes; 0: 64 MiB */
    uint64_t reserved[4]; /* 0 (clump.h) */
};

/* Makes an object that has seen no rows. The context must live as long. */
CLUMP_API enum clump_status clump_bands_create(clump_context *context,
                                               const struct clump_bands_params *params,
                                               clump_bands **bands);

/* Destroys it and nulls the pointer; accepts the address of NULL. */
CLUMP_API void clump_bands_destroy(clump_bands **bands);

/*
 * Shows some rows of the image, or anything like it, before the first pass: they tell which values
 * are usual, which may save a pass. It changes no result.
 */
CLUMP_API enum clump_status clump_bands_hint(clump_bands *bands, const clump_image *image);

/* Begins the next pass. `*more` false: there is none to do, and the result can be asked for. */
CLUMP_API enum clump_status clump_bands_begin(clump_bands *bands, bool *more);

/*
 * Takes the next rows: an image of the type and the columns of `params`, of any number of rows.
 * `labels` may be NULL; else `*labels` gets an I32 image of the numbers of the regions in these
 * rows where this pass can tell them, as one pass of find can, and NULL otherwise;
 * clump_bands_labelling tells beforehand. Blocks.
 */
CLUMP_API enum clump_status clump_bands_rows(clump_bands *bands, const clump_image *image,
                                             clump_image **labels);

/* Whether clump_bands_rows gives labels in this pass. False for NULL. */
CLUMP_API bool clump_bands_labelling(const clump_bands *bands);

/* Ends a pass. Fails unless every row was given. */
CLUMP_API enum clump_status clump_bands_finish(clump_bands *bands);

/*
 * The results, when no pass is left; CLUMP_ERROR_ARGUMENT before that, and for the result of
 * another task. `quantiles` as in clump_stats. Release that of find with clump_find_release.
 */
CLUMP_API enum clump_status clump_bands_stats(clump_bands *bands, double *quantiles,
                                              struct clump_stats_result *result);
CLUMP_API enum clump_status clump_bands_clip(clump_bands *bands, struct clump_clip_result *result);
CLUMP_API enum clump_status clump_bands_find(clump_bands *bands, struct clump_find_result *result);

#ifdef __cplusplus
}
#endif

#endif
