/* SPDX-License-Identifier: MIT */
/* What the pairs of stats and clip share. */
#ifndef CLUMP_PAIRS_STATS_H
#define CLUMP_PAIRS_STATS_H

#include "pair.h"

/* Those with more values than a table has bins, of each kind one. */
#define PAIR_WIDE (1u << CLUMP_I32 | 1u << CLUMP_I64 | 1u << CLUMP_F32 | 1u << CLUMP_F64)

/*
 * By seed: constant, two values, a narrow level far from zero, heavy tails, mostly one value,
 * denormals, huge and tiny values together, infinities among few values, all blank, all infinite.
 */
void pair_picture_hard(const struct pair_case *test, void *pixels);

/* Stores a value as a pixel; integers wrap around. */
void pair_store(enum clump_type type, void *pixels, uint64_t i, double value);
/* Whether cl/stats/sweep_sample.cl takes pixel i of n into its sample. Of small images it takes
 * every pixel, which does not count. */
bool pair_is_sampled(uint64_t i, uint64_t n);

/* Add every number of a result. */
void pair_add_stats(struct pair_output *out, const struct clump_stats_result *result);
void pair_add_clip(struct pair_output *out, const struct clump_clip_result *result);

#endif
