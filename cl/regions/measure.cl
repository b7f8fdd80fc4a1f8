/* SPDX-License-Identifier: MIT */
/*
 * Adds up a row of sums per region.
 *
 * Method:    measure_sweep walks along the regions (run_cursor.cl). The pixels that a region has in
 *            BLOCK columns of one image row are added among themselves first (measure_pixels.cl),
 *            then to the region's row of sums (measure_row.cl), in which v has a scale. The fine
 *            layout finds the regions' extreme values first (measure_extremes, and measure_lows for
 *            what atomics on 32 bits cannot find at once, the low words of 64-bit keys), then their
 *            scales (measure_scales). The coarse layout does so for doubles; for other types the
 *            host gives a common scale, and has regions swept again that needed another one.
 * Launch:    coarse: one work-item per band of rows, in groups of one. Fine: one per word of the
 *            mask, in groups of GROUP.
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
INLINE void extend(part *p, const source *of, uint y, uint cols, uint from, uint to)
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
        take_many(p, of->k, of->image + place, from, to))
        return;
#endif
    part all = *p; /* a copy, because take() would force p itself into memory everywhere */
    take(&all, of->k, of->image + place, from, to);
    *p = all;
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

/* Adds a part, if it has pixels, to its row of sums. The copy lets the sweep keep its part in
 * registers. */
INLINE void finish(global ulong *sums, const part *p, uint y, uint cols, bool values)
{
    part done = *p;
    if (done.n)
        add_part(sums, &done, y, cols, values);
}

/* Adds what the work-item has of the regions in this walk to their rows of sums. `k`: the scale of
 * rows that have none of their own. */
INLINE void sweep(const regions *all, const struct walk *walk, source *of, int k,
                  global ulong *sums, cursor *c)
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
                finish(sums, &p, y, walk->cols, of->image);
                y = c->y;
                p = (part){.label = label,
                           .row = row,
                           .x = from,
                           .least = -1 - LEAST_ORDER,
                           .most = LEAST_ORDER};
                global const ulong *t = sums + (size_t)row * ROW_WORDS;
                (void)t;
#if COARSE
                p.most = t[MEASURE_PEAK] ? ORDER_OF(t[MEASURE_MOST]) : LEAST_ORDER;
#endif
#if SCALED
                if (t[MEASURE_SCALE] == MEASURE_DONE)
                    break;
                of->k = t[MEASURE_SCALE] ? (int)t[MEASURE_SCALE] - MEASURE_SCALE_0 : k;
#endif
            }
            uint to = min(c->to, p.x + BLOCK);
            extend(&p, of, c->y, walk->cols, from - p.x, to - p.x);
            from = to;
        }
    }
    finish(sums, &p, y, walk->cols, of->image);
}

/* Adds the pixels of every region to its row of sums. k: the scale of rows that have none of their
 * own. */
kernel SIZED void measure_sweep(REGIONS, struct walk walk, global const T *image, uint with_values,
                                int k, global ulong *sums)
{
    source of = {with_values ? image : 0, (ulong)walk.rows * walk.cols, k};
    regions all = REGIONS_GIVEN;
    cursor c;
    if (begin_runs(&all, &walk, &c))
        sweep(&all, &walk, &of, k, sums, &c);
}

#if !COARSE || defined(F64)
/* Raises the extreme keys of a row of sums. Fine: only their high words, which are all that keys of
 * 32-bit pixels have. */
INLINE void raise_extremes(global ulong *t, ulong least, ulong most)
{
#if COARSE
    t[MEASURE_LEAST] = max(t[MEASURE_LEAST], least);
    t[MEASURE_MOST] = max(t[MEASURE_MOST], most);
#else
    atomic_max((volatile global uint *)(t + MEASURE_LEAST) + 1, (uint)(least >> 32));
    atomic_max((volatile global uint *)(t + MEASURE_MOST) + 1, (uint)(most >> 32));
#endif
}

/* Finds the extreme values of the regions. Coarse: leaves label and area, too. */
kernel SIZED void measure_extremes(REGIONS, struct walk walk, global const T *image,
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
        order least = -1 - LEAST_ORDER, most = LEAST_ORDER;
        for (uint x = c.from; x < c.to; x++) {
            T value = NO_ZERO_SIGN(image[(size_t)c.y * walk.cols + x]);
            order place = ORDER(value);
            least = IS_BLANK(value) ? least : min(least, place);
            most = IS_BLANK(value) ? most : max(most, place);
        }
        if (least <= most)
            raise_extremes(t, ~KEY_OF(least), KEY_OF(most));
#if COARSE
        t[MEASURE_LABEL] = label;
        t[MEASURE_AREA] += c.to - c.from;
#endif
    }
}
#endif

#if !COARSE && (defined(F64) || defined(I64))
/* Completes extreme keys by the low words of the keys that have their high words. */
kernel SIZED void measure_lows(REGIONS, struct walk walk, global const T *image, global ulong *sums)
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
            if (key >> 32 == most[1])
                atomic_max(most, (uint)key);
            if (~key >> 32 == least[1])
                atomic_max(least, (uint)~key);
        }
    }
}
#endif

#if !COARSE && SCALED
/* Sets the scales of `rows` rows of sums by the extreme values. `level`: EXPONENT_OF the level. */
kernel SIZED void measure_scales(global ulong *sums, uint rows, int level)
{
    size_t row = get_global_id(0);
    global ulong *t = sums + row * ROW_WORDS;
    if (row >= rows)
        return;
    order least = ORDER_OF(~t[MEASURE_LEAST]), most = ORDER_OF(t[MEASURE_MOST]);
    int top = max(level, max(EXPONENT_OF(least), EXPONENT_OF(most)));
#ifdef I64
    top = max(top, MEASURE_VALUE_BITS);
#endif
    int k = top == INT_MIN ? 0 : MEASURE_VALUE_BITS - top;
    t[MEASURE_SCALE] = (ulong)(k + MEASURE_SCALE_0);
}
#endif
