/* SPDX-License-Identifier: MIT */
/* What host and kernels agree on about the sweep (sweep.cl, docs/statistics.md). */
#ifndef CLUMP_CL_STATS_SWEEP_H
#define CLUMP_CL_STATS_SWEEP_H

#include "common/types.h"

/* Pixels of a part. */
#define SWEEP_CHUNK 16384

/* A usual pixel is a whole number of units, from -2^SWEEP_SPAN up, less than 2^SWEEP_SPAN. */
#define SWEEP_SPAN 30

/* Odd pixels are added up by sign and exponent: the key without the bits of the fraction. */
#define SWEEP_FRACTION 23
#define SWEEP_GROUPS   512

/*
 * The memory of a sweep, in words of 64 bits: SWEEP_HEAD words; the groups of every worker; the
 * parts, one per chunk, from `parts_at` on; then the keys between low and high, 32 bits each. The
 * sample lies where those keys will lie.
 */
#define SWEEP_HEAD   8
#define SWEEP_LISTED 0 /* the word of the head that counts the keys between low and high */
#define SWEEP_PLACES 1 /* the first of two words: numbers of the least and the greatest pixel */

/* Odd pixels of a sign and exponent: how many, the sum of d, and the sums of the low and the high
 * 32 bits of d^2, where d is the fraction's bits of a key. */
struct sweep_group {
    u64 count, d, square_low, square_high;
};

/* A chunk of pixels. */
struct sweep_part {
    u64 sum;                        /* of k + 2^SWEEP_SPAN; usual pixels are k units */
    u64 square_low, square_high;    /* of the low and high 32 bits of (k + 2^SWEEP_SPAN)^2 */
    u32 below_low, to_low, to_high; /* pixels < low, <= low, <= high; with TIES=0 only the second */
    float least, most;
    u32 blank;
};

/* Scalar arguments of kernels. */
struct sweep_sample_args {
    u64 n, sample_at;   /* where the sample goes, in words */
    u32 samples, zeros; /* pixels to take; words of memory to clear */
};

struct sweep_parts_args {
    u64 n, parts_at;
    float scale, unit; /* 1 / unit, a power of two, and the unit */
    float low, high;   /* the bracket: the median lies between them, most likely */
    u32 limit;         /* keys that the list has room for */
    u32 unused;
};

#endif
