/* SPDX-License-Identifier: MIT */
/* Figures from exact sums and order statistics, for stats, clip and the sweep. */
#ifndef CLUMP_SRC_OPENCL_STATS_STATS_H
#define CLUMP_SRC_OPENCL_STATS_STATS_H

#include "opencl/stats/histogram.h"

/* Creates `sums` with all finite pixels; release it with clump_exact_sums_destroy. */
enum clump_status clump_stats_exact_sums(struct histogram *histogram, struct exact_sums *sums);

/*
 * Sets all figures but the positions of the pixels of ranks first to past - 1. `sums` are those of
 * the finite ones among them. Some figures may be guesses: see histogram->order.guessed.
 */
void clump_stats_figures(struct histogram *histogram, const struct exact_sums *sums, uint64_t first,
                         uint64_t past, uint32_t ddof, bool mad, struct clump_stats_result *result);

/*
 * Sets sum, mean, variance and std. `below` and `above` are the numbers of pixels at minus and plus
 * infinity; if there are any, the figures are what IEEE arithmetic makes of them.
 */
void clump_stats_sums(const struct exact_sums *sums, uint64_t below, uint64_t above, uint32_t ddof,
                      struct clump_stats_result *result);

/* Sets the positions of the extreme pixels by their numbers. */
void clump_stats_positions(const clump_image *image, struct histogram_place place,
                           struct clump_stats_result *result);

#endif
