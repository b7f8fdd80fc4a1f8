/* SPDX-License-Identifier: MIT */
/*
 * Kappa-sigma clipping: the level and the noise of an image's background.
 *
 * Sets aside the pixels further than kappa scales from the centre of those still kept,
 * and repeats until a pass removes nothing. Bounds are centre -/+ kappa * scale in
 * double; a pixel stays when its value lies between them, strictly unless `inclusive`.
 * Blank (NaN) pixels never take part. Kernels cl/stats/histogram.cl, cl/stats/clip.cl, host
 * src/opencl/stats/clip.c, definition src/reference/clip.c.
 */
#ifndef CLUMP_CLIP_H
#define CLUMP_CLIP_H

#include <stdbool.h>
#include <stdint.h>

#include <clump/image.h>
#include <clump/stats.h>

#ifdef __cplusplus
extern "C" {
#endif

enum clump_clip_centre { CLUMP_CLIP_CENTRE_MEDIAN, CLUMP_CLIP_CENTRE_MEAN };

enum clump_clip_scale {
    CLUMP_CLIP_SCALE_STD, /* standard deviation, ddof 0 */
    CLUMP_CLIP_SCALE_MAD  /* 1.482602218505602 * median absolute deviation, as astropy's mad_std */
};

struct clump_clip_params {
    double kappa_low, kappa_high;  /* half-widths in scales; > 0; infinite: no bound that way */
    uint32_t max_iterations;       /* 0: until nothing is removed */
    enum clump_clip_centre centre; /* of the kept pixels */
    enum clump_clip_scale scale;   /* of the kept pixels */
    bool inclusive;                /* keep pixels equal to a bound, as astropy does */
    bool mad;                      /* fill in `mad` of before and after, at a price */
    uint64_t reserved[4];          /* 0 (clump.h) */
};

/* kappa 3 both ways, until nothing is removed, median, std, strict bounds, no MAD. */
CLUMP_API extern const struct clump_clip_params clump_clip_defaults;

/*
 * An iteration computes bounds from the kept pixels and applies them to those; `lower` and `upper`
 * are those of the last one, and the one that removes nothing is counted too. An iteration that
 * would keep nothing (strict bounds around a scale of 0, as in a constant image) is counted but
 * not applied, and ends the clipping as converged. Infinite pixels are set aside before the first
 * iteration and never kept. With no finite pixel there is no iteration, the bounds are NaN, and it
 * has converged.
 */
struct clump_clip_result {
    double lower, upper;
    uint64_t kept;
    uint32_t iterations;
    bool converged;                   /* the last iteration removed nothing */
    struct clump_stats_result before; /* of all pixels */
    struct clump_stats_result after;  /* of the kept ones; blank as in before */
    uint64_t reserved[4];             /* 0 (clump.h) */
};

/*
 * Clips an image. Any number type. `params` NULL: clump_clip_defaults. `mask` and `kept` may be
 * NULL; else `*mask` gets a bit mask of the kept pixels, and `*kept` a one-row image of their
 * values in raster order (NULL when none is kept). Blocks. Returns CLUMP_ERROR_ARGUMENT for a
 * kappa that is not positive.
 */
CLUMP_API enum clump_status clump_clip(clump_context *context, const clump_image *image,
                                       const struct clump_clip_params *params, clump_image **mask,
                                       clump_image **kept, struct clump_clip_result *result);

#ifdef __cplusplus
}
#endif

#endif
