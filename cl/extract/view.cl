/* SPDX-License-Identifier: MIT */
/*
 * What the kernels of extraction share: the noise of a pixel, whole numbers, turns of work.
 *
 * Method:    NOISE is 0 without noise, 1 with one for all pixels, 2 with a map; KIND tells whether
 *            a map holds standard deviations (0), variances (1) or weights (2). Comparisons stand
 *            for functions that builtins.cl does not have.
 * Launch:    EACH takes one thing per work-item, or EXTRACT_SHARE of them where COARSE.
 * Exactness: products, quotients and roots of doubles are rounded as IEEE 754 says, on every device
 *            that has them.
 * Limits:    takes double precision.
 * Others:    definition src/reference/extract_measure.c, docs/extract.md.
 */
#include "extract/extract.h"

#if COARSE
#define EACH(i, n)                                                                                 \
    for (uint i = get_global_id(0) * EXTRACT_SHARE, end_ = min(i + EXTRACT_SHARE, n); i < end_; i++)
#else
#define EACH(i, n) for (uint i = get_global_id(0); i < n; i = n)
#endif

/* The standard deviation of a pixel. */
INLINE float sigma_at(global const float *noise, float whole, uint at)
{
#if NOISE < 2
    return whole;
#elif KIND == 0
    return noise[at];
#elif KIND == 1
    return (float)sqrt((double)noise[at]);
#else
    return (float)sqrt(1.0 / (double)noise[at]);
#endif
}

/* The threshold of a member. */
INLINE float threshold_at(global const float *noise, const struct extract_view *view, uint at)
{
#if NOISE == 0
    return view->low;
#else
    return view->low * sigma_at(noise, view->noise, at);
#endif
}

INLINE double variance_at(global const float *noise, const struct extract_view *view, uint at,
                          float c)
{
    double sigma = NOISE ? (double)sigma_at(noise, view->noise, at) : 0.0;
    double square = sigma * sigma;
    return view->gain > 0 && c > 0 ? square + (double)c / view->gain : square;
}

/* The exponent e with 2^(e-1) <= magnitude < 2^e; 0 for 0. Finite floats are normal doubles. */
INLINE int exponent_of(double magnitude)
{
    return magnitude > 0 ? (int)(as_ulong(magnitude) >> 52) - 1022 : 0;
}

/* 2^(EXTRACT_BITS - exponent), which is a normal double for exponents of squares of floats. */
INLINE double scale_of(int exponent)
{
    return as_double((ulong)(1023 + EXTRACT_BITS - exponent) << 52);
}

/* value scale rounded to nearest even: its magnitude is below 2^51. */
INLINE long whole_of(double value, double scale)
{
    return (long)(value * scale + 0x1.8p52 - 0x1.8p52);
}
