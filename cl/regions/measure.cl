/* SPDX-License-Identifier: MIT */
/*
 * Adds up a row of sums per region.
 *
 * Method:    measure_sweep walks along the regions (run_cursor.cl). The pixels that a region has in
 *            BLOCK columns of one image row are added among themselves first (measure_pixels.cl),
 *            then to the region's row of sums (measure_row.cl). In the fine layout two launches of
 *            measure_again find what atomics on 32 bits cannot find at once: the low words of
 *            64-bit keys, then the place of the peak.
 * Launch:    coarse: one work-item per band of rows, in groups of one. Fine: one per word of the
 *            mask, rows being the second dimension.
 * Exactness: integers.
 * Limits:    fewer than 2^32 pixels.
 * Others:    host src/opencl/regions/measure.c, definition src/reference/measure.c, pair
 *            src/pairs/measure.c, derivations docs/measurement.md.
 */
#include "regions/pixel_type.cl"
#include "regions/measure_row.cl"
#include "regions/measure_pixels.cl"
#include "regions/run_cursor.cl"

/* Adds places from..to - 1 of a part in row y. */
INLINE void extend(part *p, source *of, uint y, uint cols, uint from, uint to)
{
    p->n += to - from;
    p->n1 += (to * (to - 1) - from * (from - 1)) / 2;
#if MOMENTS
    p->n2 += (to * (to - 1) * (2 * to - 1) - from * (from - 1) * (2 * from - 1)) / 6;
#endif
    p->to = to;
    if (!of->image)
        return;
    size_t place = (size_t)y * cols + p->x;
#if VECTORS
    if (to - from > LANES / 2 && place + to + LANES <= of->count &&
        take_many(p, of, of->image + place, from, to))
        return;
#endif
    part all = *p; /* copies, because take() would force p itself into memory everywhere */
    source slow = *of;
    take(&all, &slow, of->image + place, from, to);
    *p = all;
    of->largest = slow.largest;
}

#if LABELS && COARSE
#define AHEAD 8 /* changes of labels: adding up so many takes longer than memory does */

/* Fetches pixels of runs to come: where a run begins, which is mostly where the one before ends. */
INLINE void fetch(const regions *all, const cursor *c, global const T *image)
{
    for (uint i = 0; i < 2; i++) {
        global const T *pixels = image + all->changes[c->next + min(c->left, AHEAD + i)];
        PREFETCH(pixels, 0);
        PREFETCH(pixels + LINE / sizeof(T), 0);
    }
}
#else
#define fetch(...)
#endif

/* Adds what the work-item has of the regions in this walk to their rows of sums. */
INLINE void sweep(const regions *all, const struct walk *walk, source *of, global ulong *sums,
                  cursor *c)
{
    part p = {0};
    uint label, row, y = c->y; /* y: the part's row of the image */
    while (next_run(all, walk, c)) {
        if (!find_row(all, walk, c, &label, &row))
            continue;
        if (of->image)
            fetch(all, c, of->image);
        for (uint from = c->from; from < c->to;) {
            if (!p.n || row != p.row || from - p.x >= BLOCK || c->y != y) {
                add_part(sums, &p, y, walk->cols, of->image);
                y = c->y;
                p = (part){.label = label,
                           .row = row,
                           .x = from,
                           .least = -1 - LEAST_ORDER,
                           .most = LEAST_ORDER};
#if COARSE
                global const ulong *t = sums + (size_t)row * ROW_WORDS;
                p.most = t[MEASURE_PEAK] ? ORDER_OF(t[MEASURE_MOST]) : LEAST_ORDER;
#endif
            }
            uint to = min(c->to, p.x + BLOCK);
            extend(&p, of, c->y, walk->cols, from - p.x, to - p.x);
            from = to;
        }
    }
    add_part(sums, &p, y, walk->cols, of->image);
}

/* magnitudes: coarse, the word of `sums` from which on each band leaves its largest magnitude. */
kernel SIZED void measure_sweep(REGIONS, struct walk walk, global const T *image, uint with_values,
                                factor scale, factor more, global ulong *sums, ulong magnitudes)
{
    source of = {with_values ? image : 0, (ulong)walk.rows * walk.cols, scale, more, 0};
    regions all = REGIONS_GIVEN;
    cursor c;
    if (!begin_runs(&all, &walk, &c))
        return;
    sweep(&all, &walk, &of, sums, &c);
#if COARSE
    sums[magnitudes + get_global_id(0)] = of.largest;
#endif
}

#if !COARSE
/* peak 0: completes extreme keys by the low words of the keys that have their high words.
 * peak 1: finds the first place of the greatest value. */
kernel void measure_again(REGIONS, struct walk walk, global const T *image, uint peak,
                          global ulong *sums)
{
    uint label, row;
    regions all = REGIONS_GIVEN;
    cursor c;
    if (!begin_runs(&all, &walk, &c))
        return;
    while (next_run(&all, &walk, &c)) {
        if (!find_row(&all, &walk, &c, &label, &row))
            continue;
        global ulong *t = sums + (size_t)row * ROW_WORDS;
        volatile global uint *least = (volatile global uint *)(t + MEASURE_LEAST);
        volatile global uint *most = (volatile global uint *)(t + MEASURE_MOST);
        for (uint x = c.from; x < c.to; x++) {
            T value = NO_ZERO_SIGN(image[(size_t)c.y * walk.cols + x]);
            ulong key = KEY_OF(ORDER(value));
            if (IS_BLANK(value))
                continue;
            if (peak && key == t[MEASURE_MOST])
                atomic_max((volatile global uint *)(t + MEASURE_PEAK), ~(c.y * walk.cols + x));
            if (!peak && key >> 32 == most[1])
                atomic_max(most, (uint)key);
            if (!peak && ~key >> 32 == least[1])
                atomic_max(least, (uint)~key);
        }
    }
}
#endif
