/* SPDX-License-Identifier: MIT */
/*
 * Which components of a mask stay: for filling holes, and for removing what is small.
 *
 * Method:    morphology_components_weigh adds up, for each component of runs.cl's tables, its pixels, or those on
 *            the image's border (INVERT: components of the clear pixels). morphology_components_keep makes the
 *            mask of those with enough, or, INVERT, of the set pixels and the components with none.
 * Launch:    COARSE one work-item a band of rows, in groups of one; else one a word, rows the second
 *            dimension.
 * Exactness: integers.
 * Limits:    fewer than 2^31 runs.
 * Others:    host src/opencl/regions/morphology.c, definition src/reference/morphology.c,
 *            pair src/pairs/morphology.c.
 */
#include "regions/runs.cl"

/* The label of the run of a word that begins at or before `bit`; `run` is the word's first. */
#if COARSE
#define LABEL(bit) label_of(runs, ids, slots, before_band, run + popcount(starts & UPTO(bit)) - 1)
#else
#define LABEL(bit) label_of(runs, run + popcount(starts & UPTO(bit)) - 1)
#endif
#define UPTO(bit) ((bit) | ((bit) - 1))

/* Goes through the runs of one word: weighs them, or returns those to keep. */
#if COARSE
uint choose(TABLES, uint before_band, uint w, uint starts, uint run, uint edge,
            global uint *weights, ulong least, bool weigh)
#else
uint choose(TABLES, uint w, uint starts, uint run, uint edge, global uint *weights, ulong least,
            bool weigh)
#endif
{
    uint kept = 0;
    while (w) {
        uint bit = w & (0 - w), own = w & ~(w + bit);
        global uint *weight = weights + LABEL(bit) - 1;
        w &= ~own;
        if (weigh) {
            uint n = popcount(INVERT ? own & edge : own);
            if (n)
                atomic_add(weight, n);
        } else if (INVERT ? *weight == 0 : *weight >= least) {
            kept |= own;
        }
    }
    return kept;
}

/* The bits of a word that lie on the image's border. */
uint edge_of(uint y, uint j, uint cols, uint rows)
{
    uint edge = y == 0 || y == rows - 1 ? ~0u : j == 0;
    return j == (cols - 1) / 32 ? edge | 1u << (cols - 1) % 32 : edge;
}

void choose_all(global const uint *mask, uint cols, uint rows, uint band_rows, TABLES,
                global uint *weights, ulong least, bool weigh, global uint *result)
{
    uint words = (cols + 31) / 32;
#if COARSE
    uint here = get_global_id(0), top = here * band_rows, bottom = min(rows, top + band_rows);
    uint run = bands[here].first, before_band = bands[here].before, first = 0, end = words;
#else
    uint first = get_global_id(0), end = first + 1, top = get_global_id(1), bottom = top + 1;
    if (first >= words)
        return;
    uint run = OFFSET(top * words + first);
#endif
    for (uint y = top; y < bottom; y++) {
        global const uint *row = mask + (size_t)y * words;
        for (uint j = first; j < end; j++) {
            uint w = word32(row, j, cols), before = j ? word32(row, j - 1, cols) >> 31 : 0;
            uint starts = STARTS(w, before), edge = edge_of(y, j, cols, rows);
#if COARSE
            uint kept = choose(runs, ids, bands, slots, before_band, w, starts, run, edge, weights,
                               least, weigh);
#else
            uint kept =
                choose(runs, offsets, sums, unused, w, starts, run, edge, weights, least, weigh);
#endif
            if (!weigh)
                result[(size_t)y * words + j] = INVERT ? row[j] | kept : kept;
            run += popcount(starts);
        }
    }
}

#if COARSE
#define ARGUMENTS mask, cols, rows, band_rows, runs, ids, bands, slots, weights
#else
#define ARGUMENTS mask, cols, rows, band_rows, runs, offsets, sums, unused, weights
#endif

kernel SIZED void morphology_components_weigh(global const uint *mask, uint cols, uint rows, uint band_rows,
                                   TABLES, global uint *weights)
{
    choose_all(ARGUMENTS, 0, true, 0);
}

kernel SIZED void morphology_components_keep(global const uint *mask, uint cols, uint rows, uint band_rows,
                                  TABLES, global uint *weights, ulong least, global uint *result)
{
    choose_all(ARGUMENTS, least, false, result);
}
