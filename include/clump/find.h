/* SPDX-License-Identifier: MIT */
/*
 * Find: sources in an astronomical image, from pixels to measurements in one call.
 *
 * Clips the image (clip.h), sets the pixels that are more than `sigmas` standard deviations of the
 * kept pixels above the level (threshold.h), joins neighbours into sources and measures them
 * (measure.h). The level on which the threshold stands is also subtracted. With the median as
 * level, sums, means, extremes, centres of mass and their moments describe what stands above it, as
 * in SExtractor and SEP, which measure an image whose background was subtracted. With zero as
 * level nothing is subtracted, as in the lesson (clump.h). The image stays on the device; only the
 * measurements come back, and a label image is made only on request. src/find.c calls those
 * operations, on every backend.
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

enum clump_find_level {
    CLUMP_FIND_LEVEL_MEDIAN, /* the median of the kept pixels */
    CLUMP_FIND_LEVEL_ZERO    /* zero: the threshold of the lesson is 5 * std */
};

struct clump_find_params {
    struct clump_clip_params clip;
    double sigmas; /* threshold above the level in standard deviations; finite */
    enum clump_find_level level;
    unsigned connectivity; /* 4 or 8 */
    uint64_t min_area;     /* sources of fewer pixels are left out */
    bool subtract;         /* subtract the level from every pixel of a source before measuring it
                              (measure.h); false: measure the pixels as they are */
    uint64_t reserved[4];  /* 0 (clump.h) */
};

/* clump_clip_defaults, 5 sigma above the median, 4-connected, every area, the level subtracted. */
CLUMP_API extern const struct clump_find_params clump_find_defaults;

struct clump_find_result {
    struct clump_clip_result clip; /* with the statistics before and after */
    double level;                  /* on which the threshold stands: the median, or zero */
    bool subtracted;               /* the regions' figures describe what stands above the median */
    double threshold;              /* pixels above it belong to sources */
    double expected_false;         /* pixels that noise alone would lift above the threshold, if it
                                      were Gaussian with the median and std of the kept pixels */
    struct clump_region *regions;  /* one per source, in order of label */
    uint64_t count;
    uint64_t reserved[4]; /* 0 (clump.h) */
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

/*
 * Makes a catalogue in the order of the regions, with the columns of SExtractor's C library: id x y
 * ra dec flux flux_beam peak npix xpeak ypeak xmin xmax ymin ymax a b theta flag. Positions count
 * from 1, as FITS does. `file` gives world coordinates, beam and unit; without it, or where it has
 * none, ra, dec and flux_beam are left out. ra and dec are in the header's own equatorial frame. A
 * galactic header gives glon and glat and, after them, ra and dec in ICRS; an ecliptic header gives
 * elon and elat alone. flux_beam exists where the unit is per beam and the beam is known. Position
 * and shape of a source with infinite pixels are NaN. A WCS that cannot be used is left out, with a
 * warning. `log` and `file` may be NULL.
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
