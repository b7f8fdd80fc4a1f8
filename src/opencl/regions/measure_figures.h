/* SPDX-License-Identifier: MIT */
/*
 * From a region's row of sums to its figures, each of which is rounded once (docs/measurement.md,
 * "Rounding once").
 */
#ifndef CLUMP_SRC_OPENCL_MEASURE_FIGURES_H
#define CLUMP_SRC_OPENCL_MEASURE_FIGURES_H

#include "context.h"
#include "regions/measure_row.h"

/* Adds row `from` to row `into`; both have `words` words and belong to one region. */
void clump_measure_figures_merge(uint64_t *into, const uint64_t *from, unsigned words);

/* Sets the label, the area, the box and the border flag of a region. row NULL: it has no pixels. */
void clump_measure_figures_start(const uint64_t *row, uint64_t label, const clump_image *labels,
                                 struct clump_region *region);

/* Sets the other figures, from a row of `words` words. `image` may be NULL; v is a pixel's value
 * times 2^scale. `level` is subtracted from all values; unless it is 0, no pixel may be blank. */
void clump_measure_figures_finish(const uint64_t *row, unsigned words, const clump_image *image,
                                  int scale, double level, struct clump_region *region);

#endif
