/* SPDX-License-Identifier: MIT */
/*
 * Sums of a region, run by run: the row of sums of cl/regions/measure_row.h, which
 * measure_figures.c rounds, with the place of the peak beside it, for it may have more than 32
 * bits.
 */
#ifndef CLUMP_SRC_BANDS_SUMS_H
#define CLUMP_SRC_BANDS_SUMS_H

#include "bands/components.h"
#include "context.h"
#include "regions/measure_row.h"

struct sums {
    uint64_t words[MEASURE_WORDS];
    uint64_t peak_row, peak_col;
    int scale; /* k of include/clump/measure.h */
};

/* E such that 2^(E-1) <= m < 2^E for the largest finite magnitude m of a run; INT16_MIN where it is
 * 0. `pixels` is the row's first pixel. */
int16_t clump_sums_exponent(enum clump_type type, const void *pixels, const struct bands_run *run);

/* k for magnitudes below 2^exponent, among which is the level's. */
int clump_sums_scale(enum clump_type type, int exponent, double level);

/* Adds a run of image row `row`. No pixel of it may be NaN. */
void clump_sums_add(struct sums *sums, enum clump_type type, const void *pixels, uint64_t row,
                    const struct bands_run *run);

/* Makes the figures of a region of an image of that size. */
void clump_sums_finish(const struct sums *sums, enum clump_type type, uint64_t rows, uint64_t cols,
                       uint64_t label, double level, struct clump_region *region);

#endif
