/* SPDX-License-Identifier: MIT */
/*
 * Method:    measure_range finds the largest finite magnitude of the image, from which the host
 *            takes the scale of the fixed-point values v; measure_labels finds the range of a given
 *            label image. measure_sweep then adds up one row of 64-bit words a region: a block of
 *            BLOCK pixels of a row at a time, the pixels of one region in a block first among
 *            themselves, where 64 bits hold every sum, then with wide multiplications by the
 *            block's place. LABELS 1: the regions are those of a label image, 0: those of
 *            runs.cl's tables. measure_edges notes the first and last pixel of a region in each
 *            row, measure_hull counts the pixels in the hull of these, measure_outline counts the
 *            patterns of border pixels and of 2 x 2 windows.
 *            FAT: a band of image rows, table rows of its own, no atomics. Else atomics on 32-bit
 *            words, with carries; measure_low and measure_peak finish what takes a second look.
 * Launch:    measure_range, measure_labels: any number of work-items. measure_sweep, _low, _peak,
 *            _edges: FAT one work-item a band, in groups of one; else one a block, rows the second
 *            dimension. measure_hull one a region, measure_outline one a block of windows.
 * Exactness: integers.
 * Limits:    fewer than 2^32 pixels.
 * Others:    host src/opencl/measure.c, definition src/reference/measure.c,
 *            pair tests/pairs/measure.c.
 */
#ifndef T
#define T float
#define F32
#endif
#ifndef LABELS
#define LABELS 0
#endif
#include "runs.cl"

/* The words of a table row; those of 128 bits take two, the low one first. Minima are kept as
 * maxima of complements, so that a row begins as zeros. */
enum {
    AREA, FINITE, BLANK, LABEL,
    ROW, COL, ROW_ROW, ROW_COL = ROW_ROW + 2, COL_COL = ROW_COL + 2,
    V = COL_COL + 2, V_ROW = V + 2, V_COL = V_ROW + 2, V_ROW_ROW = V_COL + 2,
    V_ROW_COL = V_ROW_ROW + 2, V_COL_COL = V_ROW_COL + 2, V_V = V_COL_COL + 2,
    FIRST = V_V + 2, /* complements of the least row and column */
    LAST,            /* one more than the greatest row and column */
    LEAST, MOST,     /* keys of values: a complement, and as it is */
    PEAK,            /* complement of the place of the greatest */
    TABLE_ROW
};

#if FAT
#define BLOCK 64
typedef ulong block;
#define LOWEST(bits) (63 - (uint)clz((bits) & (0 - (bits))))
#else
#define BLOCK 32
typedef uint block;
#define LOWEST(bits) (31 - (uint)clz((bits) & (0 - (bits))))
#endif

/* Of each type of pixel: ORDER(x), a signed number that is greater for a greater value, -0 being 0;
 * key_of, the same unsigned, in the high word where 32 bits are enough; the magnitude's bits, if
 * finite; and fixed(), the value times scale times more, rounded to nearest even: a sum that is too
 * large for a fraction rounds so, and the part of a float above 2^16 is an even number anyway. */
#if defined(F32)
typedef int order;
typedef float factor;
#define LEAST_ORDER INT_MIN
#define ORDER(x) (as_int(x) ^ (as_int(x) >> 31 & INT_MAX))
#define NO_ZERO_SIGN(x) ((x) + 0.0f)
#define IS_FINITE(x) (fabs(x) < INFINITY)
#define IS_BLANK(x) isnan(x)
#define MAGNITUDE(x) (as_uint(x) & INT_MAX)
#define INFINITE 0x7f800000u
typedef uint bits_of;
long fixed(float x, float scale, float more)
{
    float t = x * scale * more;
    int high = (int)(t * 0x1p-16f);
    float rest = t - (float)high * 0x1p16f;
    return ((long)high << 16) + (int)(rest + 0x1.8p23f - 0x1.8p23f);
}
#elif defined(F64)
typedef long order;
typedef double factor;
#define LEAST_ORDER LONG_MIN
#define ORDER(x) (as_long(x) ^ (as_long(x) >> 63 & LONG_MAX))
#define NO_ZERO_SIGN(x) ((x) + 0.0)
#define IS_FINITE(x) (fabs(x) < (double)INFINITY)
#define IS_BLANK(x) isnan(x)
#define MAGNITUDE(x) (as_ulong(x) & LONG_MAX)
#define INFINITE ((ulong)0x7ff << 52)
typedef ulong bits_of;
long fixed(double x, double scale, double more)
{
    return (long)(x * scale * more + 0x1.8p52 - 0x1.8p52);
}
#else
typedef uint factor;
#define NO_ZERO_SIGN(x) (x)
#define IS_FINITE(x) true
#define IS_BLANK(x) false
#ifdef I64
typedef long order;
#define LEAST_ORDER LONG_MIN
#define ORDER(x) (x)
#define MAGNITUDE(x) ((ulong)((x) ^ (x) >> 63) + ((ulong)(x) >> 63))
#define INFINITE ULONG_MAX
typedef ulong bits_of;
long fixed(long x, uint shift, uint unused)
{
    long whole = x >> shift;
    ulong rest = (ulong)x & (((ulong)1 << shift) - 1), middle = shift ? (ulong)1 << (shift - 1) : 1;
    return whole + (rest > middle || (rest == middle && (whole & 1)));
}
#else
typedef int order;
#define LEAST_ORDER INT_MIN
#define ORDER(x) ((T)-1 > 0 ? (int)((uint)(x) ^ 0x80000000u) : (int)(x))
#define MAGNITUDE(x) 0
#define INFINITE 1
typedef uint bits_of;
#define fixed(x, scale, more) ((long)(x))
#endif
#endif

#if defined(F64) || defined(I64)
ulong key_of(order x) { return (ulong)x ^ (ulong)1 << 63; }
#else
ulong key_of(order x) { return (ulong)((uint)x ^ 0x80000000u) << 32; }
#endif

kernel void measure_range(global const T *image, ulong count, global ulong *most)
{
    ulong items = get_global_size(0), i = get_global_id(0);
    ulong share = (count + items - 1) / items, start = i, end = count, step = items;
    bits_of found = 0;
    if (FAT) {
        start = min(count, i * share);
        end = min(count, start + share);
        step = 1;
    }
    for (ulong p = start; p < end; p += step) {
        bits_of bits = MAGNITUDE(image[p]);
        found = max(found, bits < INFINITE ? bits : 0);
    }
    most[i] = found;
}

/* One row of the image: what a region's pixels in one block add up to. */
typedef struct {
    uint label, row; /* of the table */
    uint n, n1, n2;  /* pixels, and sums of their places i and i^2 in the block */
    uint infinite, blank, from, to, at;
    long v, v1, v2, low, mid, high; /* sums of v, v i, v i^2; parts of v^2 */
    order least, most;
} part;

/* The carry out of the sum of two unsigned numbers of 64 or 32 bits. */
#define CARRY(a, b, sum) ((((a) & (b)) | (((a) | (b)) & ~(sum))) >> (8 * sizeof(sum) - 1))

/* 128 bits: x the low half, y the high one */
ulong2 wide(long value) { return (ulong2)((ulong)value, (ulong)(value >> 63)); }
ulong2 plus(ulong2 a, ulong2 b)
{
    ulong low = a.x + b.x;
    return (ulong2)(low, a.y + b.y + CARRY(a.x, b.x, low));
}
ulong2 times(long value, ulong by) { return (ulong2)((ulong)value * by, (ulong)mul_hi(value, (long)by)); }
ulong2 shifted(long value, uint by)
{
    return (ulong2)((ulong)value << by, (ulong)(value >> (64 - by)));
}

#if FAT
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

void add_values(global ulong *t, const part *p, ulong row, ulong col, uint cols)
{
    add(t + FINITE, p->n - p->blank - p->infinite);
    add(t + BLANK, p->blank);
    if (p->n == p->blank)
        return;
    ulong2 v_col = plus(times(p->v, col), wide(p->v1));
    add_wide(t + V, wide(p->v));
    add_wide(t + V_ROW, times(p->v, row));
    add_wide(t + V_COL, v_col);
    add_wide(t + V_ROW_ROW, times(p->v, row * row));
    add_wide(t + V_ROW_COL, plus(times(p->v, row * col), times(p->v1, row)));
    add_wide(t + V_COL_COL,
             plus(plus(times(p->v, col * col), times(p->v1, 2 * col)), wide(p->v2)));
    add_wide(t + V_V, plus(plus(shifted(p->high, 40), shifted(p->mid, 21)), wide(p->low)));
    ulong least = ~key_of(p->least), most = key_of(p->most);
#if FAT
    t[LEAST] = max(t[LEAST], least);
    if (most > t[MOST] || !t[PEAK]) {
        t[MOST] = most;
        t[PEAK] = ~(row * cols + col + p->at);
    }
#else
    /* of the keys only the high words, which is all that 32-bit pixels have */
    atomic_max((volatile global uint *)(t + LEAST) + 1, (uint)(least >> 32));
    atomic_max((volatile global uint *)(t + MOST) + 1, (uint)(most >> 32));
#endif
}

void flush(global ulong *table, const part *p, uint y, uint x, uint cols, bool values)
{
    if (!p->n)
        return;
    global ulong *t = table + (size_t)p->row * TABLE_ROW;
    ulong row = y, col = x, n = p->n, n_col = n * col + p->n1;
#if FAT
    t[LABEL] = p->label;
#endif
    add(t + AREA, n);
    add(t + ROW, n * row);
    add(t + COL, n_col);
    add_wide(t + ROW_ROW, times((long)n, row * row));
    add_wide(t + ROW_COL, times((long)n_col, row));
    add_wide(t + COL_COL, plus(times((long)n, col * col), wide((long)(2 * col * p->n1 + p->n2))));
    raise2(t + FIRST, ~y, ~(x + p->from));
    raise2(t + LAST, y + 1, x + p->to);
    if (values)
        add_values(t, p, row, col, cols);
}

/* Adds the pixels from..to - 1 of a block. */
void take(part *p, global const T *pixels, uint from, uint to, factor scale, factor more)
{
    long v = p->v, v1 = p->v1, v2 = p->v2, low = p->low, mid = p->mid, high = p->high;
    order least = p->least, most = p->most;
    uint at = p->at, out = 0;
    for (uint i = from; i < to; i++) {
        T x = NO_ZERO_SIGN(pixels[i]);
        if (IS_BLANK(x)) {
            p->blank++;
            continue;
        }
        order place = ORDER(x);
        at = place > most ? i : at;
        most = max(most, place);
        least = min(least, place);
        if (!IS_FINITE(x)) {
            out++;
            continue;
        }
        long value = fixed(x, scale, more), moment = value * i;
        long below = value & 0xfffff, above = value >> 20;
        v += value;
        v1 += moment;
        v2 += moment * i;
        low += below * below;
        mid += below * above;
        high += above * above;
    }
    p->v = v, p->v1 = v1, p->v2 = v2, p->low = low, p->mid = mid, p->high = high;
    p->least = least, p->most = most, p->at = at, p->infinite += out;
}

#if FAT && !defined(F64) && !defined(I64)
#define APART 8 /* pixels */
/*
 * The same in loops that compilers turn into vectors, over whole groups of APART pixels of which
 * only those of one region count, all others being zero. A value is taken apart into three parts of
 * 13 bits, v = a 2^26 + b 2^13 + c, whose moments fit into 32 bits when added up over a block.
 */
typedef struct {
    int most[BLOCK], least[BLOCK]; /* the value's order */
    int a[BLOCK], b[BLOCK], c[BLOCK];
    int odd[BLOCK]; /* not finite */
} apart;

/* The first n pixels of a block, those in w. */
void take_apart(apart *of, global const T *pixels, uint n, ulong w, factor scale, factor more)
{
    for (uint i = 0; i < n; i++) {
        T x = NO_ZERO_SIGN(pixels[i]);
        int in = -(int)(w >> i & 1);
        of->most[i] = in ? ORDER(x) : INT_MIN;
        of->least[i] = in ? ORDER(x) : INT_MAX;
#ifdef F32
        of->odd[i] = in & !IS_FINITE(x);
        float t = x * scale * more;
        int a = (int)(t * 0x1p-26f);
        t -= (float)a * 0x1p26f;
        int b = (int)(t * 0x1p-13f);
        t -= (float)b * 0x1p13f;
        int c = (int)(t + 0x1.8p23f - 0x1.8p23f);
#else
        of->odd[i] = 0;
        int a = (int)((long)x >> 26), b = (int)x >> 13 & 0x1fff, c = (int)x & 0x1fff;
#endif
        of->a[i] = a & in;
        of->b[i] = b & in;
        of->c[i] = c & in;
    }
    for (uint i = n; i < BLOCK; i++) {
        of->most[i] = INT_MIN;
        of->least[i] = INT_MAX;
        of->a[i] = of->b[i] = of->c[i] = of->odd[i] = 0;
    }
}

/* The pixels from..to - 1, which are alone in their groups; false if one is not finite. */
bool take_many(part *p, const apart *of, uint from, uint to)
{
    int odd = 0, most = INT_MIN, least = INT_MAX;
    uint first = from / APART * APART, groups = (to - first + APART - 1) / APART;
    for (uint i = 0; i < groups * APART; i++) {
        odd |= of->odd[first + i];
        most = max(most, of->most[first + i]);
        least = min(least, of->least[first + i]);
    }
    if (odd)
        return false;
    if (most > p->most) {
        p->most = most;
        for (p->at = from; of->most[p->at] != most;)
            p->at++;
    }
    p->least = min(p->least, least);
    while (groups) {
        int a = 0, b = 0, c = 0, a1 = 0, b1 = 0, c1 = 0, a2 = 0, b2 = 0, c2 = 0;
        int ab = 0, ac = 0, bc = 0;
        uint aa = 0, bb = 0, cc = 0;
        uint n = min(groups, 32u / APART); /* so many products of 26 bits */
        for (uint i = 0; i < n * APART; i++) {
            int x = first + i, ia = of->a[x] * x, ib = of->b[x] * x, ic = of->c[x] * x;
            a += of->a[x], b += of->b[x], c += of->c[x];
            a1 += ia, b1 += ib, c1 += ic;
            a2 += ia * x, b2 += ib * x, c2 += ic * x;
        }
        for (uint i = 0; i < n * APART; i++) {
            uint x = first + i;
            aa += of->a[x] * of->a[x], ab += of->a[x] * of->b[x], ac += of->a[x] * of->c[x];
            bb += of->b[x] * of->b[x], bc += of->b[x] * of->c[x], cc += of->c[x] * of->c[x];
        }
        p->v += ((long)a << 26) + ((long)b << 13) + c;
        p->v1 += ((long)a1 << 26) + ((long)b1 << 13) + c1;
        p->v2 += ((long)a2 << 26) + ((long)b2 << 13) + c2;
        p->low += (long)cc + ((long)bc << 14); /* v^2 = low + mid 2^21 + high 2^40 */
        p->mid += ((long)bb + 2 * (long)ac) << 5;
        p->high += (long)ab + ((long)aa << 12);
        first += n * APART;
        groups -= n;
    }
    return true;
}

/* Are from..to - 1 the only pixels of w in their groups? */
bool alone(ulong w, uint from, uint to)
{
    ulong first = from / APART * APART, last = (to + APART - 1) / APART * APART;
    ulong groups = (last < BLOCK ? (ulong)1 << last : 0) - ((ulong)1 << first);
    ulong own = (to < BLOCK ? (ulong)1 << to : 0) - ((ulong)1 << from);
    return (w & groups) == own;
}
#else
#define APART 0
#endif

/* What measure_sweep does with the pixels of a region in a block. */
enum { SUM, LOW, TOP, EDGES };

typedef struct {
    uint pass, values;          /* values: there is an image */
    uint first, count;          /* labels that the table holds now */
    uint cols;
    factor scale, more;         /* v is x times both */
    global const T *image;
    global ulong *table;
    global const uint *places;  /* EDGES: of a region's row 0 in `edges` */
    global uint *edges;         /* pairs: complement of the first column, one more than the last */
} job;

void note_edges(const job *j, uint label, uint y, uint from, uint to)
{
    global uint *edge = j->edges + 2 * (size_t)(j->places[label - j->first] + y);
#if FAT
    edge[0] = max(edge[0], ~from);
    edge[1] = max(edge[1], to);
#else
    atomic_max((volatile global uint *)edge, ~from);
    atomic_max((volatile global uint *)edge + 1, to);
#endif
}

#if !FAT
/* LOW: the low words of keys whose high words are the extreme; TOP: the place of the greatest. */
void look_again(const job *j, uint row, global const T *pixels, uint y, uint x, uint from, uint to)
{
    global ulong *t = j->table + (size_t)row * TABLE_ROW;
    for (uint i = from; i < to; i++) {
        T value = NO_ZERO_SIGN(pixels[i]);
        if (IS_BLANK(value))
            continue;
        ulong most = key_of(ORDER(value)), least = ~most;
        if (j->pass == TOP && most == t[MOST])
            atomic_max((volatile global uint *)(t + PEAK), ~(y * j->cols + x + i));
        if (j->pass == LOW && most >> 32 == ((global uint *)(t + MOST))[1])
            atomic_max((volatile global uint *)(t + MOST), (uint)most);
        if (j->pass == LOW && least >> 32 == ((global uint *)(t + LEAST))[1])
            atomic_max((volatile global uint *)(t + LEAST), (uint)least);
    }
}
#endif

/* Where regions are: REGIONS are the arguments of measure_sweep that say it. */
#if LABELS
#define REGIONS global const int *labels, global const uint4 *slices
#define WHERE labels, slices
#else
#define REGIONS global const uint *mask, TABLES
#if FAT
#define WHERE mask, runs, ids, bands, slots
#else
#define WHERE mask, runs, offsets, sums, unused
#endif
#endif

/* The label of a run of a block, or of the region that has pixel `from` of `here`, and its row in
 * the table; false if the table does not hold it now. */
#if LABELS
bool find(const job *j, REGIONS, uint slice, global const int *here, uint from, uint *label,
          uint *row)
{
    *label = here[from];
#if FAT
    uint4 own = slices[slice]; /* row, first label, labels */
    *row = own.x + (*label - own.y);
    return *label - own.y < own.z;
#else
    *row = *label - j->first;
    return *row < j->count;
#endif
}
#else
bool find(const job *j, REGIONS, uint slice, uint run, uint *label, uint *row)
{
#if FAT
    uint id = ids[runs[run]];
    *label = label_of(runs, ids, slots, bands[slice].before, run);
    *row = id & FLAG ? j->count + (id & ~FLAG) : *label - j->first;
#else
    *label = label_of(runs, run);
    *row = *label - j->first;
#endif
    return *label - j->first < j->count;
}
#endif

/* Goes through the regions of a block: `w` its pixels, `starts` where a region's begin. */
#if LABELS
#define RUN global const int *here
#define FIND(from) find(j, WHERE, slice, here, from, &label, &row)
#else
#define RUN uint run
#define FIND(from)                                                                                 \
    find(j, WHERE, slice, run + (uint)popcount(starts & (bit | (bit - 1))) - 1, &label, &row)
#endif
void walk(const job *j, REGIONS, uint slice, RUN, block w, block starts, uint y, uint x)
{
    global const T *pixels = j->image + (size_t)y * j->cols + x;
    part p = {0};
#if APART
    apart values;
    block all = w;
    bool many = j->pass == SUM && j->values && popcount(w) > APART;
    if (many)
        take_apart(&values, pixels, min(j->cols - x, (uint)BLOCK), w, j->scale, j->more);
#endif
    while (w) {
        uint label, row, from = LOWEST(w);
        block bit = w & (0 - w), ends = (~w | starts) & ~(bit | (bit - 1));
        uint to = ends ? LOWEST(ends) : BLOCK;
        w = ends ? w & (0 - (ends & (0 - ends))) : 0;
        if (!FIND(from))
            continue;
        if (j->pass == EDGES) {
            note_edges(j, label, y, x + from, x + to);
            continue;
        }
#if !FAT
        if (j->pass != SUM) {
            look_again(j, row, pixels, y, x, from, to);
            continue;
        }
#endif
        if (!p.n || row != p.row) {
            flush(j->table, &p, y, x, j->cols, j->values);
            p = (part){.label = label, .row = row, .from = from, .at = from,
                       .least = -1 - LEAST_ORDER, .most = LEAST_ORDER};
        }
        p.n += to - from;
        p.n1 += (to * (to - 1) - from * (from - 1)) / 2;
        p.n2 += (to * (to - 1) * (2 * to - 1) - from * (from - 1) * (2 * from - 1)) / 6;
        p.to = to;
#if APART
        if (many && alone(all, from, to) && take_many(&p, &values, from, to))
            continue;
#endif
        if (j->values)
            take(&p, pixels, from, to, j->scale, j->more);
    }
    flush(j->table, &p, y, x, j->cols, j->values);
}

#if LABELS
/* Walks the block of a label image from column x on. */
void walk_labels(const job *j, REGIONS, uint slice, uint y, uint x)
{
    global const int *here = labels + (size_t)y * j->cols + x;
    uint n = min(j->cols - x, (uint)BLOCK);
    int any = 0, last = 0;
    for (uint i = 0; i < n; i++)
        any |= here[i];
    if (!any)
        return;
    block w = 0, starts = 0;
    for (uint i = 0; i < n; i++) {
        int label = here[i];
        w |= (block)(label > 0) << i;
        starts |= (block)(label > 0 && label != last) << i;
        last = label;
    }
    walk(j, WHERE, slice, here, w, starts, y, x);
}
#endif

#if FAT
__attribute__((reqd_work_group_size(1, 1, 1)))
#endif
kernel void measure_sweep(REGIONS, global const T *image, uint cols, uint rows, uint band_rows,
                          uint first, uint count, uint pass, uint values, factor scale,
                          factor more, global ulong *table, global const uint *places,
                          global uint *edges)
{
    job it = {pass, values, first, count, cols, scale, more, image, table, places, edges};
#if FAT
    uint slice = get_global_id(0), top = slice * band_rows, bottom = min(rows, top + band_rows);
#if LABELS
    for (uint y = top; y < bottom; y++)
        for (uint x = 0; x < cols; x += BLOCK)
            walk_labels(&it, WHERE, slice, y, x);
#else
    uint words = (cols + 31) / 32, run = bands[slice].first;
    for (uint y = top; y < bottom; y++) {
        block before = 0;
        for (uint j = 0; j < words; j += 2) {
            block w = word64(mask + (size_t)y * words, j, cols), starts = STARTS(w, before);
            if (w)
                walk(&it, WHERE, slice, run, w, starts, y, 32 * j);
            run += (uint)popcount(starts);
            before = w >> 63;
        }
    }
#endif
#else
    uint j = get_global_id(0), y = get_global_id(1), words = (cols + 31) / 32;
    if (j >= words)
        return;
#if LABELS
    walk_labels(&it, WHERE, 0, y, 32 * j);
#else
    global const uint *line = mask + (size_t)y * words;
    block w = word32(line, j, cols), before = j ? word32(line, j - 1, cols) >> 31 : 0;
    uint i = y * words + j;
    if (w)
        walk(&it, WHERE, 0, OFFSET(i), w, STARTS(w, before), y, 32 * j);
#endif
#endif
}

/* The least and greatest positive label and the least label of rows of a label image. */
kernel void measure_labels(global const int *labels, uint cols, uint rows, uint share,
                           global int4 *found)
{
    uint top = get_global_id(0) * share, bottom = min(rows, top + share);
    int least = INT_MAX, most = 0, lowest_label = 0;
    for (uint y = top; y < bottom; y++) {
        global const int *row = labels + (size_t)y * cols;
        for (uint x = 0; x < cols; x++) {
            least = min(least, row[x] > 0 ? row[x] : INT_MAX);
            most = max(most, row[x]);
            lowest_label = min(lowest_label, row[x]);
        }
    }
    found[get_global_id(0)] = (int4)(least, most, lowest_label, 0);
}

/* Adds point c to the chain of `n` points, kept so that x is a convex function of y. */
uint extend(global int2 *chain, uint n, int2 c)
{
    if (n && chain[n - 1].y == c.y) {
        if (chain[n - 1].x <= c.x)
            return n;
        n--;
    }
    while (n > 1) {
        int2 a = chain[n - 2], b = chain[n - 1];
        if ((long)(b.x - a.x) * (c.y - a.y) < (long)(c.x - a.x) * (b.y - a.y))
            break;
        n--;
    }
    chain[n] = c;
    return n + 1;
}

/* The pixels of a region's hull: the convex chains left and right of it, of the middles of its
 * pixels' sides in half pixels, and between them the centres in each row. Columns of the right
 * chain count backwards. `edges` and `chain` have room for each row, and two points. */
kernel void measure_hull(global const uint *bounds, uint count, global const uint *edges,
                         global int2 *chains, global uint *areas)
{
    uint region = get_global_id(0);
    if (region >= count)
        return;
    uint begin = bounds[region], height = bounds[region + 1] - begin;
    global const uint *edge = edges + 2 * (size_t)begin;
    global int2 *chain = chains + 2 * (size_t)begin + region;
    uint area = 0;
    for (uint side = 0; side < 2; side++) {
        uint n = 0, at = 0;
        for (uint y = 0; y < height; y++) {
            int x = side ? 2 - 2 * (int)edge[2 * y + 1] : 2 * (int)~edge[2 * y];
            if (!edge[2 * y + 1])
                continue;
            n = extend(chain, n, (int2)(x, 2 * (int)y - 1));
            n = extend(chain, n, (int2)(x - 1, 2 * (int)y));
            n = extend(chain, n, (int2)(x, 2 * (int)y + 1));
        }
        for (uint y = 0; y < height; y++) {
            while (at + 2 < n && chain[at + 1].y <= 2 * (int)y)
                at++;
            int2 a = chain[at], b = chain[at + 1];
            long dy = 2 * (b.y - a.y), x = (long)a.x * (b.y - a.y) + (long)(b.x - a.x) * (2 * (int)y - a.y);
            long inside = x >= 0 ? (x + dy - 1) / dy : -(-x / dy); /* rounded up */
            area -= (uint)inside; /* from the left side -x, from the right one its column */
        }
    }
    areas[region] = area + height;
}

int label_at(global const int *labels, uint cols, uint rows, uint y, uint x)
{
    return x < cols && y < rows ? labels[(size_t)y * cols + x] : 0; /* -1 is large, too */
}

bool on_border(global const int *labels, uint cols, uint rows, uint y, uint x, int label)
{
    return label_at(labels, cols, rows, y, x) == label &&
           (label_at(labels, cols, rows, y - 1, x) != label ||
            label_at(labels, cols, rows, y + 1, x) != label ||
            label_at(labels, cols, rows, y, x - 1) != label ||
            label_at(labels, cols, rows, y, x + 1) != label);
}

/* Adds a border pixel to its region's counts, by the pattern of border pixels around it. */
void count_border(global const int *labels, uint cols, uint rows, uint y, uint x, int label,
                  global uint4 *counts)
{
    uint pattern = 1;
    for (uint dy = 0; dy < 3; dy++)
        for (uint dx = 0; dx < 3; dx++)
            if ((dy != 1 || dx != 1) &&
                on_border(labels, cols, rows, y + dy - 1, x + dx - 1, label))
                pattern += dy == 1 || dx == 1 ? 2 : 10;
    volatile global uint *count = (volatile global uint *)(counts + label - 1);
    if (pattern == 5 || pattern == 7 || pattern == 15 || pattern == 17 || pattern == 25 ||
        pattern == 27)
        atomic_inc(count);
    else if (pattern == 21 || pattern == 33)
        atomic_inc(count + 1);
    else if (pattern == 13 || pattern == 23)
        atomic_inc(count + 2);
}

/* Adds what a 2 x 2 window, of which d is the last pixel, means for Euler's number. */
void count_window(int a, int b, int c, int d, global uint4 *counts)
{
    if (a > 0 && a != b && a != c && a != d)
        atomic_inc((volatile global uint *)(counts + a - 1) + 3);
    if (b > 0 && b == c && b != d)
        atomic_dec((volatile global uint *)(counts + b - 1) + 3);
}

kernel void measure_outline(global const int *labels, uint cols, uint rows, global uint4 *counts)
{
    uint x = get_global_id(0) * 32, end = min(x + 32, cols + 1), y = get_global_id(1);
    if (x > cols)
        return;
    int a = label_at(labels, cols, rows, y - 1, x - 1), c = label_at(labels, cols, rows, y, x - 1);
    for (; x < end; x++) {
        int b = label_at(labels, cols, rows, y - 1, x), d = label_at(labels, cols, rows, y, x);
        if (a != b || a != c || a != d)
            count_window(a, b, c, d, counts);
        if (d > 0 && on_border(labels, cols, rows, y, x, d))
            count_border(labels, cols, rows, y, x, d, counts);
        a = b;
        c = d;
    }
}
