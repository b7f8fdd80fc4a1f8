/* SPDX-License-Identifier: MIT */
/* Figures from a table of bins, for stats and clip. */
#ifndef CLUMP_SRC_OPENCL_STATS_H
#define CLUMP_SRC_OPENCL_STATS_H

#include "opencl/stats/histogram.h"

/* Makes `moments` of the table's finite pixels; release with clump_exact_sums_destroy. */
enum clump_status clump_stats_exact_sums(struct histogram *table, struct exact_sums *moments);

/*
 * Sets the figures of the pixels of ranks first to past - 1, whose finite ones `moments` sums, all
 * but the positions.
 */
void clump_stats_figures(struct histogram *table, const struct exact_sums *moments, uint64_t first,
                         uint64_t past, uint32_t ddof, bool mad, struct clump_stats_result *result);

/*
 * Sum, mean and spread; where there are infinite pixels, below and above, what IEEE arithmetic
 * makes of them.
 */
void clump_stats_sums(const struct exact_sums *moments, uint64_t below, uint64_t above,
                      uint32_t ddof, struct clump_stats_result *result);

void clump_stats_positions(const clump_image *image, struct place place,
                           struct clump_stats_result *result);

/*
 * sweep.c: everything but quantiles and MAD by one sweep over an image of f32. Leaves *done false
 * where that is not the way: other types, values too different, a sample that misled. Blocks.
 */
enum clump_status clump_sweep(clump_context *context, const clump_image *image, uint32_t ddof,
                              struct clump_stats_result *result, bool *done);

#endif
