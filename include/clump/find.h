/* SPDX-License-Identifier: MIT */
/*
 * Find: sources in an astronomical image, from pixels to measurements in one call.
 *
 * Clips the image (clip.h), sets what is more than `sigmas` standard deviations of the
 * kept pixels above the level (threshold.h), joins neighbours into sources and measures
 * them (measure.h). The image stays on the device; only the measurements come back, and
 * no label image is made unless it is asked for. Made of those operations, on every
 * backend: src/find.c.
 */
#ifndef CLUMP_FIND_H
#define CLUMP_FIND_H

#include <stdint.h>

#include <clump/clip.h>
#include <clump/image.h>
#include <clump/measure.h>

#ifdef __cplusplus
extern "C" {
#endif

enum clump_level {
    CLUMP_LEVEL_MEDIAN, /* the median of the kept pixels */
    CLUMP_LEVEL_ZERO    /* nought: the lesson's threshold is 5 * std */
};

struct clump_find_params {
    struct clump_clip_params clip;
    double sigmas; /* threshold above the level in standard deviations; finite */
    enum clump_level level;
    unsigned connectivity; /* 4 or 8 */
    uint64_t area;         /* sources of fewer pixels are left out */
};

/* clump_clip_defaults, 5 sigma above the median, 4-connected, every area. */
CLUMP_API extern const struct clump_find_params clump_find_defaults;

struct clump_find_result {
    struct clump_clip_result clip; /* with the statistics before and after */
    double threshold;              /* pixels above it are sources' */
    struct clump_region *regions;  /* one a source, in order of label */
    uint64_t count;
};

/*
 * Finds the sources of an image of any number type. `params` NULL: clump_find_defaults. `labels`
 * may be NULL; else `*labels` gets an I32 image whose numbers are those of the regions. Release
 * the result with clump_find_release. Blocks. Returns CLUMP_ERROR_ARGUMENT when no pixel is finite
 * and for parameters out of range.
 */
CLUMP_API enum clump_status clump_find(clump_context *context, const clump_image *image,
                                       const struct clump_find_params *params, clump_image **labels,
                                       struct clump_find_result *result);

/* Releases what a result holds; accepts one that is all zero. */
CLUMP_API void clump_find_release(struct clump_find_result *result);

#ifdef __cplusplus
}
#endif

#endif
