/* SPDX-License-Identifier: MIT */
/*
 * A region's row of sums, and how a part of the region is added to it; for the kernel files that
 * include this one after pixel_type.cl.
 *
 * Method:    a part is what a region has in BLOCK columns of one image row. Its sums are taken with
 *            columns counted from the part's own first one, where 64 bits hold each of them. They
 *            go to the row of sums with wide multiplications by the part's place. MOMENTS 0 leaves
 *            the second moments out. In the coarse layout a band of image rows has rows of sums of
 *            its own and needs no atomics; the fine layout uses atomics on 32-bit words (wide.cl).
 * Launch:    as the file that includes this one.
 * Exactness: integers.
 * Limits:    fewer than 2^32 pixels, sides of at most 2^28; what each sum needs is in
 *            docs/measurement.md, "Sums of 128 bits".
 * Others:    host src/opencl/regions/measure_figures.c, words measure_row.h.
 */
#include "common/wide.cl"
#include "regions/measure_row.h"

#ifndef MOMENTS
#define MOMENTS 1
#endif
#define PIECE     20 /* squares are taken of pieces: v = 2^PIECE high + low */
#define ROW_WORDS (MOMENTS ? MEASURE_WORDS : MEASURE_BRIEF_WORDS)

/* Members n and n1, v and v1 do not lie side by side: of neighbours compilers make vectors, and
 * that takes longer than two sums. */
typedef struct {
    uint label, row;      /* of the region; its row of sums */
    uint x;               /* the column that places in the part count from */
    uint n;               /* pixels */
    uint infinite, blank; /* pixels that are so */
    uint n1;              /* sum of the pixels' places i */
    uint from, to, at;    /* places: its first, one after its last, of its greatest value */
    long v;               /* sum of v */
    order least, most;    /* ORDER of the extreme values */
    long v1;              /* of v i */
#if MOMENTS
    uint n2;                 /* of i^2 */
    long v2, low, mid, high; /* of v i^2, low^2, low high, high^2 */
#endif
} part;

/* Raises both halves of a word to at least these values. */
#if COARSE
void raise2(global ulong *word, uint low, uint high)
{
    global uint *half_words = (global uint *)word;
    half_words[0] = max(half_words[0], low);
    half_words[1] = max(half_words[1], high);
}
#else
void raise2(global ulong *word, uint low, uint high)
{
    volatile global uint *words = (volatile global uint *)word;
    atomic_max(words, low);
    atomic_max(words + 1, high);
}
#endif

/* Adds the values of a part in image row `row` to its row of sums, t. */
INLINE void add_values(global ulong *t, const part *p, uint row, uint cols)
{
    add_long(t + MEASURE_FINITE, p->n - p->blank - p->infinite);
    add_long(t + MEASURE_BLANK, p->blank);
    if (p->n == p->blank)
        return;
    ulong2 v1 = wide(p->v1), v_row = product(p->v, row), v_col = plus(product(p->v, p->x), v1);
    add_wide(t + MEASURE_V, wide(p->v));
    add_wide(t + MEASURE_V_ROW, v_row);
    add_wide(t + MEASURE_V_COL, v_col);
#if MOMENTS
    add_wide(t + MEASURE_V_ROW_ROW, times(v_row, row));
    add_wide(t + MEASURE_V_ROW_COL, times(v_col, row));
    add_wide(t + MEASURE_V_COL_COL, plus(times(plus(v_col, v1), p->x), wide(p->v2)));
    add_wide(t + MEASURE_V_V,
             plus(plus(shifted(p->high, 2 * PIECE), shifted(p->mid, PIECE + 1)), wide(p->low)));
#endif
    ulong most = KEY_OF(p->most);
#if COARSE
    t[MEASURE_LEAST] = max(t[MEASURE_LEAST], ~KEY_OF(p->least));
    if (most > t[MEASURE_MOST] || !t[MEASURE_PEAK]) {
        t[MEASURE_MOST] = most;
        t[MEASURE_PEAK] = ~((ulong)row * cols + p->x + p->at);
    }
#else
    /* measure_extremes has found the extreme values. */
    if (most == t[MEASURE_MOST])
        atomic_max((volatile global uint *)(t + MEASURE_PEAK), ~(row * cols + p->x + p->at));
#endif
}

/* Adds a part in image row y to its row of sums; `values`: the values, too. */
CALLED void add_part(global ulong *sums, const part *p, uint y, uint cols, bool values)
{
    global ulong *t = sums + (size_t)p->row * ROW_WORDS;
    ulong n = p->n, n_col = n * p->x + p->n1;
#if COARSE
    t[MEASURE_LABEL] = p->label;
#endif
    add_long(t + MEASURE_AREA, n);
    add_long(t + MEASURE_ROW, n * y);
    add_long(t + MEASURE_COL, n_col);
#if MOMENTS
    add_wide(t + MEASURE_ROW_ROW, product((long)(n * y), y));
    add_wide(t + MEASURE_ROW_COL, product((long)n_col, y));
    add_wide(t + MEASURE_COL_COL, plus(product((long)(n_col + p->n1), p->x), (ulong2)(p->n2, 0)));
#endif
    raise2(t + MEASURE_FIRST, ~y, ~(p->x + p->from));
    raise2(t + MEASURE_LAST, y + 1, p->x + p->to);
    if (values)
        add_values(t, p, y, cols);
}
