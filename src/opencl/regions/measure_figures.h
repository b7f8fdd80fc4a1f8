/* SPDX-License-Identifier: MIT */
/*
 * From a row of measure's table, which holds a region's sums, to the region's figures.
 */
#ifndef CLUMP_SRC_OPENCL_REGION_H
#define CLUMP_SRC_OPENCL_REGION_H

#include "context.h"

/* The words of a row, as in cl/regions/measure_row.cl. */
enum region_word {
    REGION_AREA,
    REGION_FINITE,
    REGION_BLANK,
    REGION_LABEL,
    REGION_ROW,
    REGION_COL,
    REGION_V,
    REGION_V_ROW = REGION_V + 2,
    REGION_V_COL = REGION_V_ROW + 2,
    REGION_FIRST = REGION_V_COL + 2,
    REGION_LAST,
    REGION_LEAST,
    REGION_MOST,
    REGION_PEAK,
    REGION_BRIEF_WORDS, /* of a row without second moments */
    REGION_ROW_ROW = REGION_BRIEF_WORDS,
    REGION_ROW_COL = REGION_ROW_ROW + 2,
    REGION_COL_COL = REGION_ROW_COL + 2,
    REGION_V_ROW_ROW = REGION_COL_COL + 2,
    REGION_V_ROW_COL = REGION_V_ROW_ROW + 2,
    REGION_V_COL_COL = REGION_V_ROW_COL + 2,
    REGION_V_V = REGION_V_COL_COL + 2,
    REGION_WORDS = REGION_V_V + 2
};

/* Adds row `from` to row `into`, of `words` words, of the same region. */
void clump_measure_figures_merge(uint64_t *into, const uint64_t *from, unsigned words);

/* Label, area and box of a region from its row; NULL: it has no pixels. */
void clump_measure_figures_start(const uint64_t *row, uint64_t label, const clump_image *labels,
                                 struct clump_region *region);

/* The other figures of the row, of `words` words. `image` may be NULL; v is a pixel's value times
 * 2^scale. `level` is taken off; then no pixel may be blank. */
void clump_measure_figures_finish(const uint64_t *row, unsigned words, const clump_image *image,
                                  int scale, double level, struct clump_region *region);

#endif
