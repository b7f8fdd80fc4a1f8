/* SPDX-License-Identifier: MIT */
/*
 * The 64-bit words of a row of sums: what measure adds up about a region (docs/measurement.md).
 * Sums of 128 bits take two words, the low one first. Minima are kept as maxima of complements, so
 * that a row of zeros is the row of no pixels.
 */
#ifndef CLUMP_CL_REGIONS_MEASURE_ROW_H
#define CLUMP_CL_REGIONS_MEASURE_ROW_H

enum measure_word {
    MEASURE_AREA,   /* pixels */
    MEASURE_FINITE, /* pixels whose value is finite */
    MEASURE_BLANK,  /* pixels whose value is NaN */
    MEASURE_LABEL,  /* coarse: of the region */
    MEASURE_ROW,    /* sum of the pixels' rows */
    MEASURE_COL,
    MEASURE_V, /* sum of the fixed-point values, 128 bits */
    MEASURE_V_ROW = MEASURE_V + 2,
    MEASURE_V_COL = MEASURE_V_ROW + 2,
    MEASURE_FIRST = MEASURE_V_COL + 2, /* complements of the least row, low half, and column */
    MEASURE_LAST,                      /* one more than the greatest row, low half, and column */
    MEASURE_LEAST,                     /* complement of the key of the least value */
    MEASURE_MOST,                      /* key of the greatest value */
    MEASURE_PEAK,                      /* complement of the first place of the greatest value */
    MEASURE_SCALE,       /* k + MEASURE_SCALE_0 if v is x 2^k in this row; 0: all rows'
                            common k; MEASURE_DONE: the row gets no pixels */
    MEASURE_BRIEF_WORDS, /* of a row without second moments */
    MEASURE_ROW_ROW = MEASURE_BRIEF_WORDS, /* second moments: sums of 128 bits */
    MEASURE_ROW_COL = MEASURE_ROW_ROW + 2,
    MEASURE_COL_COL = MEASURE_ROW_COL + 2,
    MEASURE_V_ROW_ROW = MEASURE_COL_COL + 2,
    MEASURE_V_ROW_COL = MEASURE_V_ROW_ROW + 2,
    MEASURE_V_COL_COL = MEASURE_V_ROW_COL + 2,
    MEASURE_V_V = MEASURE_V_COL_COL + 2,
    MEASURE_WORDS = MEASURE_V_V + 2
};

#define MEASURE_SCALE_0 2048
#define MEASURE_DONE    0xffffffffu

#define MEASURE_VALUE_BITS 39 /* of a pixel's fixed-point value */

#endif
