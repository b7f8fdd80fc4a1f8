/* SPDX-License-Identifier: MIT */
/* What the pairs of the two walk-throughs share: labels as they make them, figures that they ask.
 */
#ifndef CLUMP_PAIRS_REGIONS_H
#define CLUMP_PAIRS_REGIONS_H

#include "pair.h"

/* Labels what is above `level` in in->image, into in->extra[0]. */
enum clump_status pair_label_above(clump_context *context, struct pair_input *in, double level,
                                   unsigned connectivity);

/* Lists of the regions' area, sum, and centre of mass (row, col). */
void pair_add_sources(struct pair_output *out, const struct clump_region *regions, uint64_t count);
/* Lists of the regions' area, mean and solidity. */
void pair_add_cells(struct pair_output *out, const struct clump_region *regions, uint64_t count);

#endif
