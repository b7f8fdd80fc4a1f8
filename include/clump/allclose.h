/* SPDX-License-Identifier: MIT */
/*
 * Whether two images agree within tolerances.
 *
 * As numpy.allclose: a pixel agrees when |a - b| <= atol + rtol * |b| and b is finite, or when both
 * are equal; NaN agrees with nothing, or with NaN on request. The arithmetic is float32 when both
 * images are float32, else float64. The worst pixel is the one with the greatest |a - b| among
 * those that do not agree, or among all if all agree; a NaN beside a number is worse than any
 * difference; of several that are equally bad, the worst is the first in raster order. Kernels
 * cl/pixels/allclose.cl, host src/opencl/pixels/allclose.c, definition src/reference/allclose.c.
 */
#ifndef CLUMP_ALLCLOSE_H
#define CLUMP_ALLCLOSE_H

#include <stdbool.h>
#include <stdint.h>

#include <clump/image.h>

#ifdef __cplusplus
extern "C" {
#endif

struct clump_allclose_params {
    double rtol, atol;    /* 0 or more */
    bool equal_nan;       /* NaN agrees with NaN */
    uint64_t reserved[2]; /* 0 (clump.h) */
};

/* NumPy's: rtol 1e-5, atol 1e-8, NaN agrees with nothing. */
CLUMP_API extern const struct clump_allclose_params clump_allclose_defaults;

struct clump_allclose_result {
    bool close;           /* all pixels agree */
    uint64_t differ;      /* pixels that do not agree */
    uint64_t row, col;    /* the worst pixel */
    double a, b;          /* its values */
    double difference;    /* |a - b| there; NaN beside a NaN */
    uint64_t reserved[4]; /* 0 (clump.h) */
};

/*
 * Compares two images of one size, masks (as 0 and 1) or of any of the eight number types, which
 * may differ. `params` may be NULL. Blocks. Returns CLUMP_ERROR_ARGUMENT for images of different
 * sizes and for a tolerance that is negative or NaN.
 */
CLUMP_API enum clump_status clump_allclose(clump_context *context, const clump_image *a,
                                           const clump_image *b,
                                           const struct clump_allclose_params *params,
                                           struct clump_allclose_result *result);

#ifdef __cplusplus
}
#endif

#endif
