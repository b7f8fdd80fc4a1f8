/* SPDX-License-Identifier: MIT */
/*
 * Exact sums of numbers and of their squares. A finite double, or an int64, is an
 * integer of 64 bits times a power of two; the integers and their squares are summed in
 * 128 bits, separately for each power, so nothing is ever rounded. When a figure is asked for, the
 * sums are put together as one long integer, and the figure is rounded once.
 */
#ifndef CLUMP_SRC_REFERENCE_EXACT_H
#define CLUMP_SRC_REFERENCE_EXACT_H

#include "reference/big.h"

#define CLUMP_EXACT_LOWEST (-1140) /* the lowest power of two; of the squares twice that */
#define CLUMP_EXACT_POWERS 2112

struct clump_exact {
    uint64_t count;
    clump_int128 sum[CLUMP_EXACT_POWERS];
    clump_uint128 square_low[CLUMP_EXACT_POWERS];  /* of the squares' lower 64 bits */
    clump_uint128 square_high[CLUMP_EXACT_POWERS]; /* of their upper 64 bits */
};

/* Adds a finite value. An all-zero struct is empty. */
void clump_exact_add(struct clump_exact *exact, long double value);

double clump_exact_sum(const struct clump_exact *exact);

/* The mean; NaN without values. */
double clump_exact_mean(const struct clump_exact *exact);

/* The variance and its root; NaN unless there are more than ddof values. */
void clump_exact_variance(const struct clump_exact *exact, uint32_t ddof, double *variance,
                          double *std);

#endif
