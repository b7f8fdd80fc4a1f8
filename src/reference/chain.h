/* SPDX-License-Identifier: MIT */
/*
 * The sum that convolutions are made of, defined in include/clump/convolve.h: products enter one
 * after the other by a fused multiply-add, so that each is rounded once, to the image's type.
 * Values are held in doubles, which hold every float.
 */
#ifndef CLUMP_SRC_REFERENCE_CHAIN_H
#define CLUMP_SRC_REFERENCE_CHAIN_H

#include <math.h>
#include <stdbool.h>

static inline double chain_round(bool single, double value)
{
    return single ? (double)(float)value : value;
}

static inline double chain_add(bool single, double sum, double weight, double value)
{
    if (single)
        return (double)fmaf((float)weight, (float)value, (float)sum);
    return fma(weight, value, sum);
}

/* Scales a sum of the pixels present up to all weights: `present` is the sum of their weights,
 * `all` that of all weights. */
static inline double chain_rescale(bool single, double sum, double present, double all)
{
    if (present == all)
        return sum;
    if (present == 0)
        return (double)NAN;
    return single ? (double)((float)sum / (float)present * (float)all) : sum / present * all;
}

#endif
