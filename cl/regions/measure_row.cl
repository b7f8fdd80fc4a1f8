/* SPDX-License-Identifier: MIT */
/*
 * A region's row of sums, and how to add a part of the region to it; for the kernel files that
 * include this one.
 *
 * Method:    a part is what a region has in BLOCK columns of one image row: its sums are taken with
 *            columns counted from the part's own, where 64 bits hold every one, and go to the table
 *            with wide multiplications by the part's place. MOMENTS 0: without second moments.
 *            COARSE: a band of image rows has table rows of its own, no atomics. Else atomics on
 *            32-bit words, with carries.
 * Limits:    fewer than 2^32 pixels.
 */
#ifndef MOMENTS
#define MOMENTS 1
#endif
#define PIECE 20 /* v is 2^PIECE high + low */

/* The words of a table row, as in src/opencl/regions/measure_figures.h; those of 128 bits take two, the low one
 * first. Minima are kept as maxima of complements, so that a row begins as zeros. */
enum {
    AREA, FINITE, BLANK, LABEL,
    ROW, COL,
    V, V_ROW = V + 2, V_COL = V_ROW + 2,
    FIRST = V_COL + 2, /* complements of the least row and column */
    LAST,              /* one more than the greatest row and column */
    LEAST, MOST,       /* keys of values: a complement, and as it is */
    PEAK,              /* complement of the place of the greatest */
    ROW_ROW, ROW_COL = ROW_ROW + 2, COL_COL = ROW_COL + 2,
    V_ROW_ROW = COL_COL + 2, V_ROW_COL = V_ROW_ROW + 2, V_COL_COL = V_ROW_COL + 2,
    V_V = V_COL_COL + 2,
    TABLE_ROW = MOMENTS ? V_V + 2 : ROW_ROW
};

/* n and n1, v and v1 lie apart: compilers make vectors of neighbours, which takes them longer than
 * two sums. */
typedef struct {
    uint label, row; /* of the table */
    uint x;          /* the column that places in the part count from */
    uint n;          /* pixels */
    uint infinite, blank;
    uint n1; /* sum of the pixels' places i */
    uint from, to, at;
    long v; /* sum of v */
    order least, most;
    long v1; /* of v i */
#if MOMENTS
    uint n2;                 /* of i^2 */
    long v2, low, mid, high; /* of v i^2, low^2, low high, high^2 */
#endif
} part;

/* The carry out of a sum of two unsigned numbers. A race checker's simulator computes wrongly what
 * compilers make of a comparison. */
#ifdef CHECK_RACES
#define CARRY(a, b, sum) ((((a) & (b)) | (((a) | (b)) & ~(sum))) >> (8 * sizeof(sum) - 1))
#else
#define CARRY(a, b, sum) ((sum) < (a))
#endif

/* 128 bits: x the low half, y the high one */
ulong2 wide(long value) { return (ulong2)((ulong)value, (ulong)(value >> 63)); }
ulong2 plus(ulong2 a, ulong2 b)
{
    ulong low = a.x + b.x;
    return (ulong2)(low, a.y + b.y + CARRY(a.x, b.x, low));
}
ulong2 shifted(long value, uint by)
{
    return (ulong2)((ulong)value << by, (ulong)(value >> (64 - by)));
}
/* Products with a number of 32 bits, in pieces of 32 bits, since mul_hi takes CPUs longer: the sum
 * of the high one's product and what is over of the low one's is below 2^64, signed 2^63. */
ulong2 product(long value, uint by)
{
    long high = (value >> 32) * by + (long)(((ulong)value & UINT_MAX) * by >> 32);
    return (ulong2)((ulong)value * by, (ulong)(high >> 32));
}
ulong2 times(ulong2 value, uint by)
{
    ulong high = (value.x >> 32) * by + ((value.x & UINT_MAX) * by >> 32);
    return (ulong2)(value.x * by, value.y * by + (high >> 32));
}

#if COARSE
void add(global ulong *word, ulong value) { *word += value; }
void add_wide(global ulong *word, ulong2 value)
{
    ulong low = word[0] + value.x;
    word[1] += value.y + CARRY(word[0], value.x, low);
    word[0] = low;
}
void raise2(global ulong *word, uint low, uint high)
{
    global uint *half_words = (global uint *)word;
    half_words[0] = max(half_words[0], low);
    half_words[1] = max(half_words[1], high);
}
#else
/* Adds with carry; returns the carry out. */
uint add_word(volatile global uint *word, uint value, uint carry)
{
    uint sum = value + carry, out = CARRY(value, carry, sum);
    if (sum) {
        uint old = atomic_add(word, sum), total = old + sum;
        out += CARRY(old, sum, total);
    }
    return out;
}
uint add_carry(global ulong *word, ulong value, uint carry)
{
    volatile global uint *words = (volatile global uint *)word;
    carry = add_word(words, (uint)value, carry);
    return add_word(words + 1, (uint)(value >> 32), carry);
}
void add(global ulong *word, ulong value) { add_carry(word, value, 0); }
void add_wide(global ulong *word, ulong2 value)
{
    add_carry(word + 1, value.y, add_carry(word, value.x, 0));
}
void raise2(global ulong *word, uint low, uint high)
{
    volatile global uint *words = (volatile global uint *)word;
    atomic_max(words, low);
    atomic_max(words + 1, high);
}
#endif

INLINE void add_values(global ulong *t, const part *p, uint row, uint cols)
{
    add(t + FINITE, p->n - p->blank - p->infinite);
    add(t + BLANK, p->blank);
    if (p->n == p->blank)
        return;
    ulong2 v1 = wide(p->v1), v_row = product(p->v, row), v_col = plus(product(p->v, p->x), v1);
    add_wide(t + V, wide(p->v));
    add_wide(t + V_ROW, v_row);
    add_wide(t + V_COL, v_col);
#if MOMENTS
    add_wide(t + V_ROW_ROW, times(v_row, row));
    add_wide(t + V_ROW_COL, times(v_col, row));
    add_wide(t + V_COL_COL, plus(times(plus(v_col, v1), p->x), wide(p->v2)));
    add_wide(t + V_V, plus(plus(shifted(p->high, 2 * PIECE), shifted(p->mid, PIECE + 1)),
                           wide(p->low)));
#endif
    ulong least = ~KEY_OF(p->least), most = KEY_OF(p->most);
#if COARSE
    t[LEAST] = max(t[LEAST], least);
    if (most > t[MOST] || !t[PEAK]) {
        t[MOST] = most;
        t[PEAK] = ~((ulong)row * cols + p->x + p->at);
    }
#else
    /* of the keys only the high words, which is all that 32-bit pixels have */
    atomic_max((volatile global uint *)(t + LEAST) + 1, (uint)(least >> 32));
    atomic_max((volatile global uint *)(t + MOST) + 1, (uint)(most >> 32));
#endif
}

/* Adds a part in image row y to the table, and its values if there are any. */
INLINE void add_part(global ulong *table, const part *p, uint y, uint cols, bool values)
{
    if (!p->n)
        return;
    global ulong *t = table + (size_t)p->row * TABLE_ROW;
    ulong n = p->n, n_col = n * p->x + p->n1;
#if COARSE
    t[LABEL] = p->label;
#endif
    add(t + AREA, n);
    add(t + ROW, n * y);
    add(t + COL, n_col);
#if MOMENTS
    add_wide(t + ROW_ROW, product((long)(n * y), y));
    add_wide(t + ROW_COL, product((long)n_col, y));
    add_wide(t + COL_COL, plus(product((long)(n_col + p->n1), p->x), (ulong2)(p->n2, 0)));
#endif
    raise2(t + FIRST, ~y, ~(p->x + p->from));
    raise2(t + LAST, y + 1, p->x + p->to);
    if (values)
        add_values(t, p, y, cols);
}
