/* SPDX-License-Identifier: MIT */
/* What the pairs of stats and clip share. */
#ifndef CLUMP_TESTS_PAIRS_STATS_H
#define CLUMP_TESTS_PAIRS_STATS_H

#include "pair.h"

#define PAIR_NUMBERS                                                                               \
    (1u << CLUMP_U8 | 1u << CLUMP_U16 | 1u << CLUMP_I16 | 1u << CLUMP_I32 | 1u << CLUMP_U32 |      \
     1u << CLUMP_I64 | 1u << CLUMP_F32 | 1u << CLUMP_F64)

/* Those with more values than a table has bins, of each kind one. */
#define PAIR_WIDE (1u << CLUMP_I32 | 1u << CLUMP_I64 | 1u << CLUMP_F32 | 1u << CLUMP_F64)

/*
 * By seed: constant, two values, a narrow level far from zero, heavy tails, mostly one value,
 * denormals, huge and tiny values together, infinities among few values, all blank, all infinite.
 */
void pair_picture_hard(const struct pair_case *test, void *pixels);

void pair_add_stats(struct pair_output *out, const struct clump_stats_result *result);

#endif
