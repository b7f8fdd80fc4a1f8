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

#include <stdbool.h>
#include <stdint.h>

#include <clump/catalog.h>
#include <clump/clip.h>
#include <clump/file.h>
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
    bool subtract;         /* measure what stands above the level: it is taken from every pixel of
                              a source before its sums, centre of mass and moments, as SExtractor
                              does with the background */
};

/* clump_clip_defaults, 5 sigma above the median, 4-connected, every area, the pixels as they are.
 */
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

/* Sorts the sources by their flux, brightest first; equal ones stay in order of label. */
CLUMP_API void clump_find_sort(struct clump_find_result *result);

/* A flag of a catalogue's source, beside those of its region. */
enum {
    CLUMP_SOURCE_THIN = 16
}; /* too thin to have a shape: a pixel's 1/12 was added to the moments,
      as SExtractor does */

/*
 * Makes a catalogue in the order of the regions, with the columns of SExtractor's C library: id x y
 * ra dec flux flux_beam peak npix xpeak ypeak xmin xmax ymin ymax a b theta flag. Positions count
 * from 1, as FITS does. `file` gives world coordinates, beam and unit; without it, or where it has
 * none, ra, dec and flux_beam are left out. `log` may be NULL.
 */
CLUMP_API enum clump_status clump_find_catalog(const struct clump_log *log,
                                               const struct clump_find_result *result,
                                               const clump_file *file, clump_catalog **catalog);

/* Releases what a result holds; accepts one that is all zero. */
CLUMP_API void clump_find_release(struct clump_find_result *result);

#ifdef __cplusplus
}
#endif

#endif
