/* SPDX-License-Identifier: MIT */
/*
 * Measurements of every labelled region, as scipy.ndimage and
 * skimage.measure.regionprops define them.
 *
 * Sums are kept in integers, so all figures have the same bits on every device. A
 * pixel's value x counts as the integer v = x * 2^k rounded to nearest even. For
 * integer images k is 0; for float images, and for a region of an i64 image that has a magnitude
 * of 2^39 or more, k = 39 - E, where 2^(E-1) <= m < 2^E for the largest finite magnitude m
 * of the region's pixels and the level (k is 0 when m is 0). So |v| <= 2^39, and a value is off
 * by at most 2^-39 of m, or exact when its lowest bit is at least 2^-k; and no region depends on
 * another one's pixels. Where a level L is subtracted, w = 2 v - (L 2^(k+1) rounded to nearest
 * even) and k + 1 take the place of v and k in what follows: the unit is halved, so that the median
 * of integers is subtracted exactly.
 * Let N be the number of pixels that are neither blank nor infinite, S() sums over these pixels,
 * and (r, c) their positions in the image. Every figure is the exact rational number rounded once
 * to double: sum = S(v) / 2^k; mean = S(v) / (N 2^k); the root of variance
 * (N S(v^2) - S(v)^2) / (N 2^k)^2, root taken before rounding, is std; weighted_row =
 * S(v r) / S(v); weighted_rc = (S(v) S(v r c) - S(v r) S(v c)) / S(v)^2, and so on.
 * A quotient by 0 is infinite with the numerator's sign, or NaN; that of a second moment is NaN.
 * The figures of the shape are the same with v = 1 for every pixel of the region. Axes,
 * orientation and eccentricity are double arithmetic on the rounded moments, in the
 * order that struct clump_region gives.
 *
 * Positions are (row, column), 0-based; boxes are half open. Blank (NaN) pixels count in
 * the area and the shape but not in the intensities. Infinite pixels make sum and mean
 * what IEEE arithmetic makes of them, and std and the weighted figures NaN.
 * Kernels cl/regions/measure.cl, hull.cl, outline.cl, host src/opencl/regions/measure.c, definition
 * src/reference/measure.c.
 */
#ifndef CLUMP_MEASURE_H
#define CLUMP_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

#include <clump/catalog.h>
#include <clump/image.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Flags of a region, a sum of these. The bits are SEP's; SExtractor has other bits for the same
 * meanings, given in brackets: 2 is SEP_OBJ_TRUNC (8), 8 is SEP_OBJ_SINGU (none), 32 is
 * SEP_APER_HASMASKED (32, isophotal data incomplete), 128 is SEP_APER_NONPOSITIVE (none). 1, 4, 16
 * and 64 (SEP: deblended, overflow, aperture truncated, all masked) are never set.
 */
enum clump_region_flag {
    CLUMP_REGION_BORDER = 2, /* touches the image's border */
    CLUMP_REGION_THIN = 8,   /* of a source in a catalogue: too thin to have a shape, so that 1/12,
                                the moment of a pixel, was added, as SExtractor does */
    CLUMP_REGION_BLANK = 32, /* has blank pixels; of a source: touches or encloses blank pixels */
    CLUMP_REGION_NEGATIVE = 128, /* the sum is zero or negative: the weighted centre is what SciPy
                                    gives (inf or NaN for zero) and may lie anywhere */
    CLUMP_REGION_INFINITE = 256  /* has infinite pixels, so that sum and centre are not finite; SEP
                                    and SExtractor have no such flag */
};

struct clump_region {
    uint64_t label;
    uint64_t area;                                /* pixels */
    double sum, mean, std, min, max;              /* of the intensities; std with ddof 0; -0 is 0 */
    uint64_t peak_row, peak_col;                  /* of the maximum, first in raster order */
    double centroid_row, centroid_col;            /* of the shape */
    double weighted_row, weighted_col;            /* weighted by intensity: centre of mass */
    uint64_t row_min, col_min, row_max, col_max;  /* box, half open */
    double moment_rr, moment_rc, moment_cc;       /* central second moments of the shape / area */
    double weighted_rr, weighted_rc, weighted_cc; /* the same, weighted by intensity / sum */

    /* Of the ellipse that has the same moments. With mid = (moment_rr + moment_cc) / 2, dif =
     * (moment_rr - moment_cc) / 2, root = sqrt(dif * dif + moment_rc * moment_rc), l1 = mid + root
     * and l2 = mid - root, or 0 where that is negative: */
    double axis_major, axis_minor; /* full lengths: 4 * sqrt(l1), 4 * sqrt(l2) */
    /* Radians from the row axis towards the columns, -pi/2..pi/2: 0.5 * atan2(2 * moment_rc,
     * moment_rr - moment_cc), so that a main diagonal has pi/4. A region without a long axis, for
     * which both arguments are 0, has -pi/4, as in scikit-image since 0.20. */
    double orientation;
    double eccentricity; /* sqrt(1 - l2 / l1), 0 where l1 is 0 */

    /* On request, else NaN: as scikit-image with 4 neighbours. By the 3 x 3 pattern around them, n1
     * border pixels weigh 1, n2 weigh sqrt(2) and n3 weigh (1 + sqrt(2)) / 2; their sum is made in
     * double, in this order. */
    double perimeter;
    uint64_t area_convex; /* on request, else 0: pixels whose centre is in or on the convex hull of
                             the middles of the region's pixels' four sides */
    double solidity;      /* on request, else NaN: area / area_convex */
    int64_t euler;        /* on request, else 0: objects less holes, 8-connected */
    uint32_t flags;       /* enum clump_region_flag */
    double variance;      /* of the intensities, with ddof 0: std squared, rounded once */
    uint64_t reserved[3]; /* 0 (clump.h) */
};

struct clump_measure_params {
    unsigned connectivity; /* when a mask is given instead of labels: 4 or 8 */
    bool perimeter;
    bool convex; /* area_convex and solidity */
    bool euler;
    bool brief; /* leave out std, variance, all second moments, axes, orientation, eccentricity: NaN
                 */
    /* Subtracted from every pixel before sum, mean, min, max and the weighted figures; min and max
     * are rounded before and after that. Finite, and below 2^39 for integer images other than I64.
     */
    double level;
    uint64_t reserved[4]; /* 0 (clump.h) */
};

/* 4-connected; all figures that one pass over the image gives, and no others; level 0. */
CLUMP_API extern const struct clump_measure_params clump_measure_defaults;

/*
 * Measures the regions of `labels` in `image`. `labels` is an image of any number type, where 0 is
 * the background and any other number a region's label, or a mask (CLUMP_BITS), which is labelled
 * without making a label image. Numbers may be missing among the labels: time and memory depend on
 * the number of regions, not on the greatest label. Float labels must be whole numbers, NaN being
 * background. `image` has a number type, or is NULL: then sum, intensities and weighted figures are
 * NaN and peak is 0, 0. `params` NULL: clump_measure_defaults. `*regions` gets `*count` entries,
 * one per label that has pixels, in rising order of label, as in skimage's regionprops. Release
 * with clump_measure_destroy. Blocks. Returns CLUMP_ERROR_ARGUMENT for sizes that differ, a label
 * that is negative or not whole, or a level where a region has blank pixels;
 * CLUMP_ERROR_UNSUPPORTED for a region whose second moments do not fit their 128 bits: area *
 * side^2 of 2^88 or more, 2^86 with a level.
 */
CLUMP_API enum clump_status clump_measure(clump_context *context, const clump_image *image,
                                          const clump_image *labels,
                                          const struct clump_measure_params *params,
                                          struct clump_region **regions, uint64_t *count);

/*
 * Makes a table of regions, its columns named as skimage.measure.regionprops_table names them, with
 * sum, std, peak-0 and peak-1 beside them. `params` tells which figures were asked for; NULL:
 * clump_measure_defaults. `log` may be NULL. Host src/measure_catalog.c.
 */
CLUMP_API enum clump_status clump_measure_catalog(const struct clump_log *log,
                                                  const struct clump_region *regions,
                                                  uint64_t count,
                                                  const struct clump_measure_params *params,
                                                  clump_catalog **catalog);

/* Releases regions and nulls the pointer; accepts the address of NULL. */
CLUMP_API void clump_measure_destroy(struct clump_region **regions);

#ifdef __cplusplus
}
#endif

#endif
