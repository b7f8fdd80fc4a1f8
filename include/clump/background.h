/* SPDX-License-Identifier: MIT */
/*
 * The background of an image and its noise, both as maps: what SExtractor, SEP and photutils
 * subtract before they look for sources.
 *
 * The image is divided into boxes, from the first pixel on; those of the last row and column may
 * be smaller. Each box has a level, the mode of its clipped histogram, and an rms. Boxes without
 * enough pixels take both from their nearest neighbours; a median filter over the boxes removes
 * those on large objects; a bicubic spline through the boxes gives every pixel a level and an rms.
 * docs/background.md has every formula. All values are those of float32: images of other types are
 * converted. Pixels that are blank, infinite, of a magnitude of 1e30 or more, or masked have no
 * part in a box. Box statistics are made of integers and the maps of float32 products and sums in
 * one order, so that all results have the same bits on every device; maps with values below 1e-38
 * take one that keeps subnormal numbers. Kernels cl/background/, host
 * src/opencl/background/background.c, definition src/reference/background.c.
 */
#ifndef CLUMP_BACKGROUND_H
#define CLUMP_BACKGROUND_H

#include <stdint.h>

#include <clump/image.h>

#ifdef __cplusplus
extern "C" {
#endif

struct clump_background_params {
    uint64_t mesh_width, mesh_height;     /* pixels of a box, 1 or more; at most 2^32 - 1 in all */
    uint64_t filter_width, filter_height; /* boxes of the median filter; 0 and 1: none, even: as
                                             the next odd number */
    double filter_threshold; /* the filter changes only levels that differ from the median by this
                                or more; 0 or more */
    double mask_threshold;   /* a pixel is masked where the mask is greater than this */
    uint64_t reserved[4];    /* 0 (clump.h) */
};

/* Boxes of 64 x 64, a filter of 3 x 3 that changes all, masked where the mask is not 0: SEP's. */
CLUMP_API extern const struct clump_background_params clump_background_defaults;

struct clump_background_result {
    double level; /* the median of the boxes' levels after the filter */
    double rms;   /* that of their rms; where it is not positive, the median of those that are, or
                     1 where none is */
    uint64_t mesh_rows, mesh_cols; /* boxes */
    uint64_t bad;                  /* boxes of which fewer than half of the pixels could be used */
    uint64_t used;                 /* pixels that could be used, of all boxes */
    uint64_t reserved[4];          /* 0 (clump.h) */
};

/*
 * Measures the background of an image of any number type. `mask` may be NULL; else it is of the
 * image's size, of any number type or bits. `params` NULL: clump_background_defaults. `back`, `rms`
 * and `subtracted` may each be NULL; else they get float32 images of the image's size: the level,
 * the rms (0 where the spline falls below 0), and the image minus the level, in which blank pixels
 * stay blank. An image without a good box has level 0 and rms 1 everywhere. Blocks. Returns
 * CLUMP_ERROR_ARGUMENT for a box of no pixels or too many, a mask of another size, a threshold that
 * is negative or NaN; CLUMP_ERROR_UNSUPPORTED on a device without fp64.
 */
CLUMP_API enum clump_status clump_background(clump_context *context, const clump_image *image,
                                             const clump_image *mask,
                                             const struct clump_background_params *params,
                                             clump_image **back, clump_image **rms,
                                             clump_image **subtracted,
                                             struct clump_background_result *result);

#ifdef __cplusplus
}
#endif

#endif
