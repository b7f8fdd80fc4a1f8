/* SPDX-License-Identifier: MIT */
/* What host and kernels agree on about the sweep (sweep.cl, docs/statistics.md). */
#ifndef CLUMP_CL_STATS_SWEEP_H
#define CLUMP_CL_STATS_SWEEP_H

#include "common/types.h"

/* Pixels of a part. */
#define SWEEP_CHUNK 16384

/*
 * A usual pixel is a whole number k of units. Of float images and integers |k| is less than
 * 2^SWEEP_SPAN, or k is -2^SWEEP_SPAN. Of double images k = high 2^SWEEP_SPAN + low, where `high`
 * is k / 2^SWEEP_SPAN rounded to the nearest, |high| < 2^SWEEP_SPAN and |low| <= 2^(SWEEP_SPAN -
 * 1).
 */
#define SWEEP_SPAN 30

/*
 * Words of 64 bits that the sums of usual pixels take. Numbers are biased by 2^SWEEP_SPAN, so that
 * they are positive, and products are added as their low and their high 32 bits. Of float images
 * and integers: the sum of k, the two of k^2. Of double images: the sums of `high` and `low`, the
 * two of high^2, of high low and of low^2.
 */
#define SWEEP_SUMS_32 3
#define SWEEP_SUMS_64 8

/*
 * Words of a part: the sums of the pixels that are usual with the first unit, those of the pixels
 * that are usual with the second unit only, and then these.
 */
#define SWEEP_SECOND  0 /* how many are usual with the second unit only, | blank pixels << 32 */
#define SWEEP_BELOW   1 /* pixels < low, | pixels <= low << 32; with TIES=0 both are <= low */
#define SWEEP_TO_HIGH 2 /* pixels <= high; with TIES=0 it is 0 */
#define SWEEP_LEAST   3 /* the least key, and the greatest, that are not of blank pixels */
#define SWEEP_MOST    4
#define SWEEP_COUNTS  5

/*
 * The memory of a sweep, in words of 64 bits: SWEEP_HEAD words; the parts, one per chunk; then
 * three lists: the keys between low and high (the bracket), keys and numbers of the pixels outside
 * of the core (the tails), the keys of odd pixels. Keys take 32 or 64 bits. An entry of the tails
 * is key << 32 | number, or two words. The sample lies where the bracket will lie.
 */
#define SWEEP_HEAD   8
#define SWEEP_LISTED 0 /* the 32-bit words 0, 1 and 2 count the bracket, the tails and the odd */
#define SWEEP_TAILS  1
#define SWEEP_ODD    2
#define SWEEP_PLACES 2 /* the first of two words: numbers of the least and the greatest pixel */

/* Scalar arguments of kernels. */
struct sweep_sample_args {
    u64 n, sample_at;   /* where the sample goes, in words */
    u32 samples, zeros; /* pixels to take; words of memory to clear */
};

/* Numbers are given as the bits of a float, or of a double for double images. */
struct sweep_parts_args {
    u64 n;
    u64 parts_at, bracket_at, tails_at, odd_at; /* words */
    u64 scale[2], unit[2];   /* 1 / unit, a power of two, and the unit, of both units */
    u64 low, high;           /* the bracket: the median lies between them, most likely */
    u64 core_low, core_high; /* the tails: pixels <= core_low or >= core_high */
    u32 bracket, tails, odd; /* entries that the lists have room for */
    u32 unused;
};

#endif
