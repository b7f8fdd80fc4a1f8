/* SPDX-License-Identifier: MIT */
/*
 * Method:    measure_sweep goes along the regions (run_cursor.cl) and adds up one row of 64-bit words a
 *            region (measure_row.cl): the pixels that a region has in BLOCK columns of a row first among
 *            themselves. measure_again finishes, without COARSE, what takes a second look: the low
 *            words of 64-bit keys, then the peak's place.
 * Launch:    COARSE: one work-item a band of rows, in groups of one. Else one a word of the mask, rows
 *            the second dimension.
 * Exactness: integers.
 * Limits:    fewer than 2^32 pixels.
 * Others:    host src/opencl/regions/measure.c, definition src/reference/measure.c,
 *            pair src/pairs/measure.c.
 */
#include "regions/pixel_type.cl"
#include "regions/measure_row.cl"
#include "regions/measure_pixels.cl"
#include "regions/runs.cl"
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
    part all = *p; /* or else p would be in memory, wherever it is used */
    source slow = *of;
    take(&all, &slow, of->image + place, from, to);
    *p = all;
    of->largest = slow.largest;
}

#if LABELS && COARSE
#define AHEAD 8 /* changes: what is added up meanwhile takes longer than memory does */

/* Fetches the pixels of runs to come. Where they begin, and mostly where the ones before end. */
INLINE void fetch(REGIONS, const cursor *c, global const T *image)
{
    for (uint i = 0; i < 2; i++) {
        global const T *pixels = image + changes[c->next + min(c->left, AHEAD + i)];
        PREFETCH(pixels, 0);
        PREFETCH(pixels + LINE / sizeof(T), 0);
    }
}
#else
#define fetch(...)
#endif

/* Adds what the cursor's band or word has of the regions that are in the table. */
INLINE void sweep(REGIONS, uint slice, uint first, uint count, uint cols, source *of,
           global ulong *table, cursor *c)
{
    part p = {0};
    uint label, row, y = c->y; /* y: the part's row */
    while (next_run(c, WHERE, cols)) {
        if (!find(WHERE, slice, first, count, cols, c, &label, &row))
            continue;
        if (of->image)
            fetch(WHERE, c, of->image);
        for (uint from = c->from; from < c->to;) {
            if (!p.n || row != p.row || from - p.x >= BLOCK || c->y != y) {
                add_part(table, &p, y, cols, of->image);
                y = c->y;
                p = (part){.label = label, .row = row, .x = from, .least = -1 - LEAST_ORDER,
                           .most = LEAST_ORDER};
#if COARSE
                global const ulong *t = table + (size_t)row * TABLE_ROW;
                p.most = t[PEAK] ? ORDER_OF(t[MOST]) : LEAST_ORDER;
#endif
            }
            uint to = min(c->to, p.x + BLOCK);
            extend(&p, of, c->y, cols, from - p.x, to - p.x);
            from = to;
        }
    }
    add_part(table, &p, y, cols, of->image);
}

kernel SIZED void measure_sweep(REGIONS, global const T *image, uint cols, uint rows, uint band_rows,
                          uint first, uint count, uint with_values, factor scale, factor more,
                          global ulong *table, ulong end)
{
    source of = {with_values ? image : 0, (ulong)rows * cols, scale, more, 0};
#if COARSE
    uint slice = get_global_id(0);
    cursor c = band_cursor(WHERE, slice, band_rows, cols, rows);
    sweep(WHERE, slice, first, count, cols, &of, table, &c);
    table[end + slice] = of.largest;
#else
    uint j = get_global_id(0), y = get_global_id(1);
    if (j >= (cols + 31) / 32)
        return;
    cursor c = word_cursor(WHERE, y, j, cols);
    sweep(WHERE, 0, first, count, cols, &of, table, &c);
#endif
}

#if !COARSE
/* peak 0: the low words of keys whose high words are the extreme; 1: the place of the greatest. */
kernel void measure_again(REGIONS, global const T *image, uint cols, uint first, uint count,
                          uint peak, global ulong *table)
{
    uint j = get_global_id(0), y = get_global_id(1), label, row;
    if (j >= (cols + 31) / 32)
        return;
    cursor c = word_cursor(WHERE, y, j, cols);
    while (next_run(&c, WHERE, cols)) {
        if (!find(WHERE, 0, first, count, cols, &c, &label, &row))
            continue;
        global ulong *t = table + (size_t)row * TABLE_ROW;
        volatile global uint *least = (volatile global uint *)(t + LEAST);
        volatile global uint *most = (volatile global uint *)(t + MOST);
        for (uint x = c.from; x < c.to; x++) {
            T value = NO_ZERO_SIGN(image[(size_t)y * cols + x]);
            ulong key = KEY_OF(ORDER(value));
            if (IS_BLANK(value))
                continue;
            if (peak && key == t[MOST])
                atomic_max((volatile global uint *)(t + PEAK), ~(y * cols + x));
            if (!peak && key >> 32 == most[1])
                atomic_max(most, (uint)key);
            if (!peak && ~key >> 32 == least[1])
                atomic_max(least, (uint)~key);
        }
    }
}
#endif
