/* SPDX-License-Identifier: MIT */
/*
 * Measurements of every labelled region, as scipy.ndimage and
 * skimage.measure.regionprops define them.
 *
 * Sums are kept in integers: for f32 and narrower images every sum is exact down to
 * 2^-40 of the largest magnitude in the image (or better), and all figures have the
 * same bits on every device. Positions are (row, column), 0-based; boxes are half open.
 * Blank (NaN) pixels count in the area and the shape but not in the intensities.
 * Kernels cl/measure.cl, host src/opencl/measure.c, definition src/reference/measure.c.
 */
#ifndef CLUMP_MEASURE_H
#define CLUMP_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

#include <clump/image.h>

#ifdef __cplusplus
extern "C" {
#endif

enum clump_region_flag {
    CLUMP_REGION_BORDER = 1,   /* touches the image's border */
    CLUMP_REGION_BLANK = 2,    /* has blank pixels */
    CLUMP_REGION_NEGATIVE = 4, /* zero or negative sum: the weighted centre is what SciPy gives
                                  (inf or NaN for zero), not a place to trust */
    CLUMP_REGION_INFINITE = 8  /* has infinite pixels: sum and centre are not finite */
};

struct clump_region {
    uint64_t label;
    uint64_t area;                          /* pixels */
    double sum, mean, std, min, max;        /* of the intensities; std with ddof 0 */
    uint64_t peak_row, peak_col;            /* of the maximum, first in raster order */
    double centroid_row, centroid_col;      /* of the shape */
    double weighted_row, weighted_col;      /* weighted by intensity: centre of mass */
    uint64_t row_min, col_min, row_max, col_max; /* box, half open */
    double moment_rr, moment_rc, moment_cc; /* central second moments of the shape / area */
    double weighted_rr, weighted_rc, weighted_cc; /* the same, weighted by intensity / sum */
    double axis_major, axis_minor;          /* of the ellipse of the same moments, full lengths */
    double orientation;                     /* radians from the row axis, -pi/2..pi/2 */
    double eccentricity;
    double perimeter;    /* on request, else NaN; skimage's, 4 neighbours */
    uint64_t area_convex; /* on request, else 0 */
    double solidity;     /* on request, else NaN: area / area_convex */
    int64_t euler;       /* on request, else 0: objects less holes, 8-connected */
    uint32_t flags;      /* enum clump_region_flag */
};

struct clump_measure_params {
    unsigned connectivity; /* when a mask is given instead of labels: 4 or 8 */
    bool perimeter;
    bool convex; /* area_convex and solidity */
    bool euler;
};

/* 4-connected; nothing beyond the one sweep. */
CLUMP_API extern const struct clump_measure_params clump_measure_defaults;

/*
 * Measures the regions of `labels` in `image`. `labels` is an I32 image of labels 0..n, or a mask
 * (CLUMP_BITS), which is labelled on the way without a label image. `image` has a number type, or
 * is NULL: then the intensities are NaN and weighted figures too. `params` NULL:
 * clump_measure_defaults. `*regions` gets `*count` entries, the count being the largest label;
 * a label without pixels has area 0. Release with clump_measure_destroy. Blocks. Returns
 * CLUMP_ERROR_ARGUMENT for sizes that differ or a negative label.
 */
CLUMP_API enum clump_status clump_measure(clump_context *context, const clump_image *image,
                                          const clump_image *labels,
                                          const struct clump_measure_params *params,
                                          struct clump_region **regions, uint64_t *count);

/* Releases regions and nulls the pointer; accepts the address of NULL. */
CLUMP_API void clump_measure_destroy(struct clump_region **regions);

#ifdef __cplusplus
}
#endif

#endif
