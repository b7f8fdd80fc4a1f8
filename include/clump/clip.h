/* SPDX-License-Identifier: MIT */
/*
 * Kappa-sigma clipping: the level and the noise of an image's background.
 *
 * Sets aside the pixels that are further than kappa scales from the centre of the pixels still
 * kept, and repeats until an iteration removes nothing. The bounds are centre - kappa_low * scale
 * and centre + kappa_high * scale in double; a pixel is kept when its value lies between them,
 * strictly unless `inclusive`. Blank (NaN) pixels never take part. Kernels cl/stats/sweep.cl,
 * histogram.cl, clip.cl, host src/opencl/stats/clip.c, definition src/reference/clip.c.
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
    bool mad;                      /* compute `mad` of before and after, which takes time */
    uint64_t reserved[4];          /* 0 (clump.h) */
};

/* kappa 3 both ways, until nothing is removed, median, std, strict bounds, no MAD. */
CLUMP_API extern const struct clump_clip_params clump_clip_defaults;

/*
 * An iteration computes bounds from the kept pixels and applies them to the same pixels; `lower`
 * and `upper` are the bounds of the last iteration. The iteration that removes nothing is counted.
 * An iteration that would keep nothing (strict bounds around a scale of 0, as in a constant image)
 * is counted but not applied, and ends the clipping as converged. Infinite pixels are set aside
 * before the first iteration and never kept. An image without a finite pixel has no iteration and
 * NaN as bounds, and counts as converged.
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
