/* SPDX-License-Identifier: MIT */
/*
 * Erodes or dilates a mask by a footprint.
 *
 * Method:    a dilation takes two passes: morphology_rows dilates every row by each of the
 *            footprint's different runs of cells; morphology_columns joins the rows that the cells'
 *            rows reach. A run of cells a..b is done in steps that double its length, on 64 bits of
 *            which the word is one half. An erosion is the complement of the dilation of the clear
 *            pixels (INVERT).
 *            Small footprints have a program of their own, morphology_small.cl.
 * Launch:    coarse: one work-item per band of rows, in groups of one. Fine: one per word.
 * Exactness: bits.
 * Limits:    cells at most 31 rows and columns from the centre.
 * Others:    host src/opencl/regions/morphology.c, definition src/reference/morphology.c, pair
 *            src/pairs/morphology.c.
 */
#include "regions/runs.cl"

#ifndef STEPS /* doublings that the longest run takes */
#define STEPS 5
#endif

/* How to dilate by the cells from..to, all of which lie on one side of the centre: the bits are
 * shifted by `start`, then combined with themselves shifted by each `step`. mask 0: no cells. */
typedef struct {
    uint start, step[STEPS + 1], mask;
} half_run;

/* base: the bit of the 64 that the word's first pixel is at. */
half_run prepare(int from, int to, int base)
{
    half_run run;
    uint length = max(to - from + 1, 1), done = 1;
    run.start = from <= to ? from + base : 0;
    run.mask = from <= to ? ~0u : 0;
    _Pragma("unroll") for (uint i = 0; i < STEPS; i++)
    {
        run.step[i] = min(done, length - done);
        done += run.step[i];
    }
    return run;
}

/* The word dilated by one side of a run. */
uint dilated(ulong bits, const half_run *run)
{
    bits >>= run->start;
    _Pragma("unroll") for (uint i = 0; i < STEPS; i++) bits |= bits >> run->step[i];
    return (uint)bits & run->mask;
}

/* Word j of a row, dilated by cells a..-1 (left) and 0..b (right); words past either end of the row
 * are clear. */
uint dilate(global const uint *row, uint j, uint cols, const half_run *left, const half_run *right)
{
    uint before = j ? word32(row, j - 1, cols) : 0, word = word32(row, j, cols);
    uint after = 32 * (j + 1) < cols ? word32(row, j + 1, cols) : 0;
    return dilated((ulong)word << 32 | before, left) | dilated((ulong)after << 32 | word, right);
}

/* Level l of rows_out is the mask with each row dilated by the cells cells[l].x..cells[l].y. */
kernel SIZED void morphology_rows(global const uint *restrict mask, uint cols, uint rows,
                                  uint band_rows, global const int2 *cells, uint levels,
                                  global uint *restrict rows_out)
{
    uint words = (cols + 31) / 32;
#if COARSE
    uint top = get_global_id(0) * band_rows, bottom = min(rows, top + band_rows);
#else
    size_t i = get_global_id(0);
    uint j = i % words, top = i / words, bottom = top + 1;
    if (top >= rows)
        return;
#endif
    for (uint l = 0; l < levels; l++) {
        int2 run = cells[l];
        half_run left = prepare(run.x, min(run.y, -1), 32);
        half_run right = prepare(max(run.x, 0), run.y, 0);
        for (uint y = top; y < bottom; y++) {
            global const uint *row = mask + (size_t)y * words;
            global uint *out = rows_out + ((size_t)l * rows + y) * words;
#if COARSE
            for (uint j = 1; j + 2 < words; j++) {
                uint before = INVERT ? ~row[j - 1] : row[j - 1], word = INVERT ? ~row[j] : row[j];
                uint after = INVERT ? ~row[j + 1] : row[j + 1];
                out[j] = dilated((ulong)word << 32 | before, &left) |
                         dilated((ulong)after << 32 | word, &right);
            }
            out[0] = dilate(row, 0, cols, &left, &right);
            for (uint j = words > 2 ? words - 2 : 1; j < words; j++)
                out[j] = dilate(row, j, cols, &left, &right);
#else
            out[j] = dilate(row, j, cols, &left, &right);
#endif
        }
    }
}

/* Joins the rows that the entries, (rows down, level), name; `more`: to those that `result` has
 * from the launch before. `last`: no launch follows, so that an erosion is complemented. */
kernel SIZED void morphology_columns(global const uint *restrict dilated_rows, uint cols, uint rows,
                                     uint band_rows, global const int2 *entries, uint count,
                                     uint more, uint last, global uint *restrict result)
{
    uint words = (cols + 31) / 32, tail = cols % 32 ? (1u << cols % 32) - 1 : ~0u;
#if COARSE
    uint top = get_global_id(0) * band_rows, bottom = min(rows, top + band_rows);
    uint first = 0, end = words;
#else
    size_t i = get_global_id(0);
    uint first = i % words, end = first + 1, top = i / words, bottom = top + 1;
    if (top >= rows)
        return;
#endif
    for (uint y = top; y < bottom; y++) {
        global uint *out = result + (size_t)y * words;
        if (!more)
            for (uint j = first; j < end; j++)
                out[j] = 0;
        for (uint e = 0; e < count; e++) {
            int2 entry = entries[e];
            uint from = y + entry.x;
            if (from >= rows)
                continue;
            global const uint *row = dilated_rows + ((size_t)entry.y * rows + from) * words;
            for (uint j = first; j < end; j++)
                out[j] |= row[j];
        }
        if (INVERT && last)
            for (uint j = first; j < end; j++)
                out[j] = ~out[j];
        if (last && end == words)
            out[words - 1] &= tail;
    }
}
