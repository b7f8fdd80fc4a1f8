/* SPDX-License-Identifier: MIT */
/*
 * Statistics of an image, as NumPy defines them.
 *
 * Every figure is the exact value rounded once to double, whatever the type of the
 * pixels, and so has the same bits on every device, in every layout of work. Median, quantiles
 * and MAD are double arithmetic on exact order statistics, which are first rounded to double
 * (only i64 values change by that). Blank (NaN) pixels are counted and left out. Negative
 * zero counts as zero. Infinite pixels are values: they are counted, and sum and mean
 * become what IEEE arithmetic makes of them, variance and std NaN. Kernels cl/stats/histogram.cl
 * and cl/stats/sweep.cl, host src/opencl/stats/stats.c, definition src/reference/stats.c.
 */
#ifndef CLUMP_STATS_H
#define CLUMP_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <clump/image.h>

#ifdef __cplusplus
extern "C" {
#endif

struct clump_stats_params {
    const double *quantiles; /* wanted quantiles, each in 0..1; may be NULL */
    size_t quantile_count;
    uint32_t ddof;        /* variance divides by count - ddof */
    bool mad;             /* also the median absolute deviation, which takes one more pass */
    uint64_t reserved[4]; /* 0 (clump.h) */
};

/* No quantiles, ddof 0, no MAD. */
CLUMP_API extern const struct clump_stats_params clump_stats_defaults;

/*
 * Figures that do not exist (no pixel left; count <= ddof; MAD not asked for) are NaN, positions 0.
 * The sum of no pixel is 0.
 */
struct clump_stats_result {
    uint64_t count;    /* pixels that are not blank */
    uint64_t blank;    /* NaN pixels */
    uint64_t infinite; /* +inf and -inf, part of count */
    double min, max;
    uint64_t min_row, min_col, max_row, max_col; /* first in raster order */
    double sum, mean;
    double variance, std; /* std is the root of the exact variance, rounded once */
    double median;        /* mean of the two middle values for an even count: (a + b) / 2, or
                             a / 2 + b / 2 where a + b overflows */
    double mad;           /* median, in the same way, of |x - median|, each rounded to double;
                             NaN, as in NumPy, where the median is not finite */
    uint64_t reserved[4]; /* 0 (clump.h) */
};

/*
 * Measures an image. Any number type. `params` NULL: clump_stats_defaults. `quantiles` gets
 * params->quantile_count values by linear interpolation, NumPy's default; it may be NULL when none
 * is asked for. Quantile q lies at h = (count - 1) * q between the order statistics a and b at
 * floor(h) and floor(h) + 1; with t = h - floor(h) it is a + (b - a) * t, or b - (b - a) * (1 - t)
 * when t >= 0.5, and simply a when t is 0 or b equals a. Blocks. An all-blank image is no error:
 * count is 0. Returns CLUMP_ERROR_ARGUMENT for a quantile outside 0..1.
 */
CLUMP_API enum clump_status clump_stats(clump_context *context, const clump_image *image,
                                        const struct clump_stats_params *params, double *quantiles,
                                        struct clump_stats_result *result);

#ifdef __cplusplus
}
#endif

#endif
