/* SPDX-License-Identifier: MIT */
/*
 * Find: sources in an astronomical image, from pixels to measurements in one call.
 *
 * Clips the image (clip.h), sets what is more than `sigmas` standard deviations of the
 * kept pixels above the level (threshold.h), joins neighbours into sources and measures
 * them (measure.h). What the threshold stands on is what is taken off: with the median as
 * level, sums, means, extremes, centres of mass and their moments are of what stands above
 * it, as in SExtractor and SEP, which measure an image whose background was subtracted; with
 * zero as level nothing is taken off, as in the lesson. The image stays on the device; only the
 * measurements come back, and no label image is made unless it is asked for. Made of those
 * operations, on every backend: src/find.c.
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
    CLUMP_FIND_LEVEL_ZERO    /* nought: the lesson's threshold is 5 * std */
};

struct clump_find_params {
    struct clump_clip_params clip;
    double sigmas; /* threshold above the level in standard deviations; finite */
    enum clump_find_level level;
    unsigned connectivity; /* 4 or 8 */
    uint64_t min_area;     /* sources of fewer pixels are left out */
    bool subtract;         /* take the level from every pixel of a source before measuring it
                              (measure.h); false: measure the pixels as they are */
    uint64_t reserved[4];  /* 0 (clump.h) */
};

/* clump_clip_defaults, 5 sigma above the median, 4-connected, every area, the level taken off. */
CLUMP_API extern const struct clump_find_params clump_find_defaults;

struct clump_find_result {
    struct clump_clip_result clip; /* with the statistics before and after */
    double level;                  /* what the threshold stands on: the median, or zero */
    bool subtracted;               /* the regions' figures are of what stands above the median */
    double threshold;              /* pixels above it are sources' */
    double expected_false;         /* pixels above it that noise alone would have, were it Gaussian
                                      with the median and the std of the kept pixels */
    struct clump_region *regions;  /* one a source, in order of label */
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
 * none, ra, dec and flux_beam are left out. ra and dec are in the header's own equatorial frame; of
 * a galactic header, glon and glat stand before them, which are ICRS; of an ecliptic one there are
 * elon and elat alone. flux_beam is there where the unit is per beam and the beam is known. A
 * source with infinite pixels has neither place nor shape: NaN. A WCS that cannot be used is left
 * out, with a warning. `log` may be NULL.
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
