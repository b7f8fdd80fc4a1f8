/* SPDX-License-Identifier: MIT */
/* What cases that measure regions share. */
#ifndef CLUMP_BENCH_REGIONS_H
#define CLUMP_BENCH_REGIONS_H

#include "pair.h"

/* Labels of what is above `level`, into in->extra[0]. */
enum clump_status bench_prepare_labels(clump_context *context, const struct pair_case *test,
                                       struct pair_input *in, double level, unsigned connectivity);

/* Lists of area, sum, centre of mass; or with `convex` area, mean, solidity. */
void bench_add_regions(struct pair_output *out, const struct clump_region *regions, uint64_t count,
                       bool convex);

#endif
