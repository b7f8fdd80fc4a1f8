/* SPDX-License-Identifier: MIT */
/*
 * Chooses components of a mask: fills holes, removes small components.
 *
 * Method:    morphology_components_weigh adds up, for each component (runs.cl), its pixels; or, if
 *            INVERT, those of its pixels that lie on the image's border, the components being those
 *            of the clear pixels. morphology_components_keep makes the mask of the components with
 *            enough pixels; or, if INVERT, of the set pixels and of the components without a pixel
 *            on the border, which are the holes.
 * Launch:    coarse: one work-item per band of rows, in groups of one. Fine: one per word.
 * Exactness: integers.
 * Limits:    fewer than 2^31 runs.
 * Others:    host src/opencl/regions/morphology.c, definition src/reference/morphology.c, pair
 *            src/pairs/morphology.c, docs/labelling.md.
 */
#include "regions/runs.cl"

/* Where a word is, and what is chosen by. */
typedef struct {
    uint w, starts;       /* the pixels of a word, and where runs start in it */
    uint run;             /* number of the first run that starts in it */
    uint edge;            /* its pixels on the image's border */
    uint before;          /* coarse: components that begin in earlier bands */
    global uint *weights; /* of components */
} choice;

/* The label of the run that covers a bit of the word. */
INLINE uint label_at(const components *all, const choice *c, uint bit)
{
    uint k = c->run + popcount(c->starts & (bit | (bit - 1))) - 1;
#if COARSE
    return label_of(all, c->before, k);
#else
    return label_of(all, k);
#endif
}

/* Weighs the runs of a word, or returns those to keep. */
INLINE uint choose(const components *all, const choice *c, ulong least, bool weigh)
{
    uint kept = 0, w = c->w;
    while (w) {
        uint bit = w & (0 - w), own = w & ~(w + bit);
        global uint *weight = c->weights + label_at(all, c, bit) - 1;
        w &= ~own;
        if (weigh) {
            uint n = popcount(INVERT ? own & c->edge : own);
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

/* Weighs or chooses what the work-item has. */
INLINE void choose_all(const components *all, global const uint *mask, uint cols, uint rows,
                       uint band_rows, global uint *weights, ulong least, bool weigh,
                       global uint *result)
{
    uint words = (cols + 31) / 32;
    choice c = {.weights = weights};
#if COARSE
    uint here = get_global_id(0), top = here * band_rows, bottom = min(rows, top + band_rows);
    uint first = 0, end = words;
    c.run = all->bands[here].first;
    c.before = all->bands[here].before;
#else
    uint i = get_global_id(0), first = i % words, end = first + 1, top = i / words;
    uint bottom = top + 1;
    if (top >= rows)
        return;
    c.run = all->offsets[i] + all->group_offsets[i / GROUP];
#endif
    for (uint y = top; y < bottom; y++) {
        global const uint *row = mask + (size_t)y * words;
        for (uint j = first; j < end; j++) {
            c.w = word32(row, j, cols);
            c.starts = STARTS(c.w, j ? word32(row, j - 1, cols) >> 31 : 0);
            c.edge = edge_of(y, j, cols, rows);
            uint kept = choose(all, &c, least, weigh);
            if (!weigh)
                result[(size_t)y * words + j] = INVERT ? row[j] | kept : kept;
            c.run += popcount(c.starts);
        }
    }
}

/* Adds up the weights of the components. */
kernel SIZED void morphology_components_weigh(global const uint *mask, uint cols, uint rows,
                                              uint band_rows, COMPONENTS, global uint *weights)
{
    components all = COMPONENTS_GIVEN;
    choose_all(&all, mask, cols, rows, band_rows, weights, 0, true, 0);
}

/* Writes the pixels of the components that weigh `least` or more. */
kernel SIZED void morphology_components_keep(global const uint *mask, uint cols, uint rows,
                                             uint band_rows, COMPONENTS, global uint *weights,
                                             ulong least, global uint *result)
{
    components all = COMPONENTS_GIVEN;
    choose_all(&all, mask, cols, rows, band_rows, weights, least, false, result);
}
