/* SPDX-License-Identifier: MIT */
/* Checks of parameters and what follows from results, which an operation shares with its bands. */
#ifndef CLUMP_SRC_CHECKS_H
#define CLUMP_SRC_CHECKS_H

#include <clump/clip.h>
#include <clump/find.h>
#include <clump/measure.h>
#include <clump/stats.h>

/* clip.c */
enum clump_status clump_clip_check(clump_context *context, const char *function,
                                   const struct clump_clip_params *params);

/* stats.c: `quantiles` false: no place for the values of quantiles was given. */
enum clump_status clump_stats_check(clump_context *context, const char *function,
                                    const struct clump_stats_params *params, bool quantiles);

/* find.c */
enum clump_status clump_find_check(clump_context *context, const char *function,
                                   const struct clump_find_params *params);
/* Sets level and threshold by result->clip. */
enum clump_status clump_find_level(clump_context *context, uint64_t rows, uint64_t cols,
                                   const struct clump_find_params *params,
                                   struct clump_find_result *result);

/* measure.c: refuses regions whose sums do not fit, and a level for regions with blank pixels. */
enum clump_status clump_measure_check(clump_context *context,
                                      const struct clump_measure_params *params,
                                      const struct clump_region *regions, uint64_t count);

#endif
