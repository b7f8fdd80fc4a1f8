/* SPDX-License-Identifier: MIT */
/*
 * Convolution with a kernel that is a sum of `rank` outer products.
 *
 * Method:    separable_fused sums down the columns and along the rows in one launch. A work-group
 *            sums ROWS output rows of a strip of columns downwards into lines of local memory, then
 *            along those lines into the result: what lies between never leaves the cache. Along the
 *            lines a work-item holds two vectors of HALF columns side by side; as with rows
 *            (convolve_common.cl), taps that only one of them needs are taken together with those
 *            of the next pair. separable_down and separable_along do the same in two launches, one
 *            result per work-item, for weights too many for local memory. With -DLEVEL=1 a sum of
 *            pixels that are all equal is that pixel: where the first and the last are equal, the
 *            others are looked at. Without it, results that are not finite are summed directly.
 * Launch:    separable_fused has one work-group of LANES per ROWS rows x strip.width columns;
 *            separable_down and separable_along have one work-item per element.
 * Exactness: the sum down a column is rounded to T; then one sum runs along, product after product,
 *            as include/clump/convolve.h defines it. |error| <= (kh + kw + rank) * eps * sum of |v|
 *            |h| |x| over the products.
 * Limits:    ROWS is 6, 3 or 1; kh is ROWS - 1 at least, and ROWS with LEVEL. Local memory takes
 *            rank * LINES * length * sizeof(T) bytes, length being strip.width + kw - 1 and room
 *            for a vector.
 * Others:    host src/opencl/convolve/separable.c, definitions src/reference/convolve.c and
 *            gaussian.c, pairs src/pairs/convolve.c and gaussian.c, docs/convolution.md.
 */
#include "convolve/convolve_common.cl"

#ifndef LEVEL
#define LEVEL 0 /* 1: equal pixels give their value, for gaussian */
#endif
#ifndef PLAIN
#define PLAIN 0 /* 1: only separable_down and separable_along */
#endif
#define LANES (COARSE ? 1 : GROUP)
#define LINES (ROWS * (1 + IGNORE)) /* of values, then of sums of the weights present */

/* What a pixel adds to a sum. */
#define VALUE(x) (IGNORE && isnan(x) ? (T)0 : (x))

#if !LEVEL
/* Result (r, c) as the method direct sums it. `total` is the sum of all weights. */
CALLED T sum_directly(global const T *image, global const T *weights,
                      const struct convolve_frame *frame, T fill, T total, long r, long c)
{
    T a = 0, b = 0;
    for (int i = 0; i < frame->kh; i++) {
        const long y = boundary_index(r + frame->up + i, frame->rows, frame->boundary);
        for (int t = 0; t < frame->kw && !isnan(a); t++) {
            const long x = boundary_index(c + frame->left + t, frame->cols, frame->boundary);
            const T pixel = y < 0 || x < 0 ? fill : image[y * frame->cols + x];
            const T w = weights[(long)i * frame->kw + t];
            a = fma(w, VALUE(pixel), a);
            b += IGNORE && isnan(pixel) ? (T)0 : w;
        }
    }
    if (!IGNORE || b == total)
        return a;
    return b == 0 ? (T)NAN : QUOTIENT(a, b, (T), (double)) * total;
}
#endif

#if PLAIN
/*
 * Two launches without local memory. `weights` has, for each product, those down and those along,
 * then, for each product, the sums of a column of fill values, and without LEVEL, at the end, the
 * weights of the method direct. `between` has a plane of
 * values for each product, followed by a plane of weights present where NaN is left out.
 */
kernel GROUPED void separable_down(global const T *image, global const T *weights,
                                   global T *between, const struct convolve_frame frame,
                                   const struct separable_strip strip, T fill)
{
    const long rows = frame.rows, cols = frame.cols, out_rows = frame.out_rows, up = frame.up;
    const int kh = frame.kh, kw = frame.kw, rank = strip.rank, boundary = frame.boundary;
    const long c = get_global_id(0), r = get_global_id(1), plane = out_rows * cols;
    if (c >= cols)
        return;
    for (int q = 0; q < rank; q++) {
        global const T *down = weights + q * ((long)kh + kw);
        global T *to = between + q * (1 + IGNORE) * plane + r * cols + c;
        T a = 0, b = 0, first = 0;
        bool level = LEVEL;
        for (int i = 0; i < kh; i++) {
            const long y = boundary_index(r + up + i, rows, boundary);
            const T x = y < 0 ? fill : image[y * cols + c];
            a = fma(down[i], VALUE(x), a);
            b += IGNORE && isnan(x) ? (T)0 : down[i];
            first = i ? first : VALUE(x);
            level = level && VALUE(x) == first;
        }
        to[0] = level ? first : a;
        if (IGNORE)
            to[plane] = b;
    }
}

/* The second launch: sums along the rows that separable_down has left. `total` and `direct_total`:
 * the sum of the weights as this method and as direct makes it. */
kernel GROUPED void separable_along(global const T *between, global const T *weights, global T *out,
                                    const struct convolve_frame frame,
                                    const struct separable_strip strip, T total,
                                    global const T *image, T fill, T direct_total)
{
    const long cols = frame.cols, out_rows = frame.out_rows, out_cols = frame.out_cols;
    const long left = frame.left;
    const int kh = frame.kh, kw = frame.kw, rank = strip.rank, boundary = frame.boundary;
    const long c = get_global_id(0), r = get_global_id(1), plane = out_rows * cols;
    global const T *edges = weights + rank * ((long)kh + kw);
    T a = 0, b = 0, first = 0;
    bool level = LEVEL;
    (void)total;
    (void)direct_total;
    if (c >= out_cols)
        return;
    for (int q = 0; q < rank; q++) {
        global const T *along = weights + q * ((long)kh + kw) + kh;
        global const T *from = between + q * (1 + IGNORE) * plane + r * cols;
        for (int t = 0; t < kw; t++) {
            const long x = boundary_index(c + left + t, cols, boundary);
            const T value = x < 0 ? edges[2 * q] : from[x];
            a = fma(along[t], value, a);
            if (IGNORE)
                b = fma(along[t], x < 0 ? edges[2 * q + 1] : from[plane + x], b);
            first = t ? first : value;
            level = level && value == first;
        }
    }
    a = level ? first : a;
    a = IGNORE ? RESCALE(a, b) : a;
#if !LEVEL
    if (!isfinite(a))
        a = sum_directly(image, edges + 2 * rank, &frame, fill, direct_total, r, c);
#endif
    out[r * out_cols + c] = a;
}
#else
/* Types of comparisons of T, V and H, and whether a comparison holds in any lane. */
#define MASK_float  int
#define MASK_double long
#define SOME_1(m)   ((m) != 0)
#define SOME_2(m)   (((m).s0 | (m).s1) != 0)
#define SOME_4(m)   SOME_2((m).lo | (m).hi)
#define SOME_8(m)   SOME_4((m).lo | (m).hi)
#define SOME_16(m)  SOME_8((m).lo | (m).hi)
#define SOME(m)     JOIN(SOME_, N)(m)
#define SOME_H(m)   JOIN(SOME_, HALF)(m)
#if N == 1
#define VM                 int
#define CHOOSE(no, yes, m) ((m) ? (yes) : (no))
#else
#define VM                 JOIN(JOIN(MASK_, T), N)
#define CHOOSE(no, yes, m) select(no, yes, m)
#endif
#if HALF == 1
#define HM                   int
#define CHOOSE_H(no, yes, m) ((m) ? (yes) : (no))
#else
#define HM                   JOIN(JOIN(MASK_, T), HALF)
#define CHOOSE_H(no, yes, m) select(no, yes, m)
#endif

#if IGNORE
#define LOAD_VALUE(p) BLANK(LOAD(p), (V)0, LOAD(p))
#else
#define LOAD_VALUE(p) LOAD(p)
#endif

/* Sums down the columns; `w` points at the ROWS weights of an input row, one for each sum. */
#define LOW(k)   SUM(k, x, w[k])
#define HIGH(k)  SUM(k, y, w[k])
#define AT(r, s) row_start(image, top + (r), rows, cols, boundary, first + (s), fills)
#define MIX(row, sums)                                                                             \
    {                                                                                              \
        global const T *w = down + row * ROWS;                                                     \
        GET(x, AT(row, s)) GET(y, AT(kh + row, last)) sums                                         \
    }
#if IGNORE
#define PUT(k)                                                                                     \
    STORE(a##k, line + k * length + last);                                                         \
    STORE(b##k, line + (ROWS + k) * length + last);
#define AGAIN(k) a##k = b##k = 0;
#else
#define PUT(k)   STORE(a##k, line + k * length + last);
#define AGAIN(k) a##k = 0;
#endif
#define DONE(k)                                                                                    \
    if (g >= LANES) {                                                                              \
        PUT(k)                                                                                     \
    }                                                                                              \
    AGAIN(k)

#if LEVEL
/* In the vector at column s of the strip, replaces sums down columns of equal pixels by these. */
CALLED void level_down(global const T *image, global const T *fills, int kh, long top, long rows,
                       long cols, long first, int s, int boundary, local T *line, int length)
{
    const int common = ROWS - 1; /* rows from here to kh - 1 are part of all ROWS sums */
    const V x = LOAD_VALUE(AT(common, s));
    VM equal = x == LOAD_VALUE(AT(kh - 1, s));
    for (int i = common + 1; i < kh && SOME(equal); i++)
        equal &= x == LOAD_VALUE(AT(i, s));
    if (!SOME(equal))
        return;
    for (int k = 0; k < ROWS; k++) {
        VM also = equal;
        for (int i = k; i < common; i++)
            also &= x == LOAD_VALUE(AT(i, s));
        for (int i = kh; i < kh + k; i++)
            also &= x == LOAD_VALUE(AT(i, s));
        STORE(CHOOSE(LOAD(line + k * length + s), LOAD_VALUE(AT(k, s)), also),
              line + k * length + s);
    }
}

/* The sum of the kw elements from p on, or their first one where they are equal. */
CALLED H level_along(H sum, local const T *p, int kw)
{
    const H x = LOAD_H(p);
    HM equal = x == LOAD_H(p + kw - 1);
    for (int t = 1; t < kw && SOME_H(equal); t++)
        equal &= x == LOAD_H(p + t);
    return CHOOSE_H(sum, x, equal);
}
/* Whether any of the sums at p may be over equal pixels: the first and the last are equal. */
#define MAYBE(k)   maybe |= LOAD_H(p + k * length) == LOAD_H(p + k * length + kw - 1);
#define LEVEL_L(k) l##k = level_along(l##k, p + k * length, kw);
#define LEVEL_R(k) r##k = level_along(r##k, p + k * length, kw);
#define LEVELS(start, f)                                                                           \
    {                                                                                              \
        local const T *p = start;                                                                  \
        HM maybe = 0;                                                                              \
        EACH(MAYBE)                                                                                \
        if (SOME_H(maybe)) {                                                                       \
            EACH(f)                                                                                \
        }                                                                                          \
    }
#else
#define LEVELS(start, f)
#endif

/* The sum down one column for one row, where no vector fits. */
CALLED void down_one(global const T *image, global const T *down, int kh, long top, long rows,
                     long cols, long c, int boundary, T fill, local T *at, int length)
{
    T a = 0, b = 0, first = 0;
    bool level = LEVEL;
    for (int i = 0; i < kh; i++) {
        const long r = boundary_index(top + i, rows, boundary);
        const T x = r < 0 ? fill : image[r * cols + c], w = down[i * ROWS];
        a = fma(w, VALUE(x), a);
        b += IGNORE && isnan(x) ? (T)0 : w;
        first = i ? first : VALUE(x);
        level = level && VALUE(x) == first;
    }
    *at = level ? first : a;
    if (IGNORE)
        at[ROWS * length] = b;
}

#if LINES == 6
#define EACH_LINE(f) f(0) f(1) f(2) f(3) f(4) f(5)
#elif LINES == 3
#define EACH_LINE(f) f(0) f(1) f(2)
#elif LINES == 2
#define EACH_LINE(f) f(0) f(1)
#else
#define EACH_LINE(f) f(0)
#endif
#if !IGNORE
#define OUTS(f)  EACH(f)
#define OUT_L(k) PUT_L(k, l##k)
#define OUT_R(k) PUT_R(k, r##k)
#else
#if ROWS == 3
#define OUTS(f) f(0, 3) f(1, 4) f(2, 5)
#else
#define OUTS(f) f(0, 1)
#endif
#define OUT_L(k, n) PUT_L(k, RESCALE_H(l##k, l##n))
#define OUT_R(k, n) PUT_R(k, RESCALE_H(r##k, r##n))
#endif
/* The right vector may lie outside the result; then its sums are of memory that nobody wrote, and
 * are dropped. */
#define PUT_L(k, value)                                                                            \
    if (k < height) {                                                                              \
        const H v = value;                                                                         \
        odd += v - v;                                                                              \
        store_half(v, o + k * out_cols, count - at);                                               \
    }
#define PUT_R(k, value)                                                                            \
    if (k < height && at + HALF < count) {                                                         \
        const H v = value;                                                                         \
        odd += v - v;                                                                              \
        store_half(v, o + k * out_cols + HALF, count - at - HALF);                                 \
    }

/* Both passes in one launch: lines down the columns go to local memory, and sums along them out. */
kernel __attribute__((reqd_work_group_size(LANES, 1, 1))) void
separable_fused(global const T *image, global const T *weights, global T *out, local T *lines,
                const struct convolve_frame frame, const struct separable_strip strip, T fill,
                T total, T direct_total)
{
    (void)total;
    (void)direct_total;
    const long rows = frame.rows, cols = frame.cols, out_cols = frame.out_cols;
    const int kh = frame.kh, kw = frame.kw, boundary = frame.boundary;
    const int rank = strip.rank, length = strip.length;
    const int lane = get_local_id(0), each = kh * ROWS + kw;
    const long y0 = get_global_id(1) * ROWS, x0 = get_group_id(0) * (long)strip.width;
    const long top = y0 + frame.up, first = x0 + frame.left;
    const int height = (int)min((long)ROWS, frame.out_rows - y0);
    const int count = (int)min((long)strip.width, out_cols - x0), span = count + kw - 1;
    /* Columns lo to hi - 1 of the span are in the image; vectors cover them. `beyond` are not. */
    const int lo = (int)clamp(-first, 0L, (long)span);
    const int hi = (int)clamp(cols - first, (long)lo, (long)span), beyond = span - (hi - lo);
    const int vectors = hi - lo >= N ? (hi - lo + N - 1) / N : 0;
    global const T *fills = weights + rank * each;
    for (int q = 0; q < rank; q++) {
        global const T *down = weights + q * each;
        local T *line = lines + q * LINES * length;
        EACH(ACC)
        /* Vector g begins while the one before ends. */
        for (int g = lane, s = 0, last = 0; lane < vectors; g += LANES) {
            last = s;
            s = g < vectors ? min(lo + g * N, hi - N) : s;
            last = g < LANES ? s : last;
            DONE(0)
            MIXES(MIX)
#if LEVEL && COARSE
            if (g >= LANES)
                level_down(image, fills, kh, top, rows, cols, first, last, boundary, line, length);
#endif
            if (g >= vectors)
                break;
            _Pragma("unroll 1") for (int i = ROWS - 1; i < kh; i++)
            {
                global const T *w = down + i * ROWS;
                GET(x, AT(i, s)) EACH(LOW)
            }
        }
#if LEVEL && !COARSE /* a loop of its own, which needs no registers for sums */
        for (int g = lane; g < vectors; g += LANES)
            level_down(image, fills, kh, top, rows, cols, first, lo + g, boundary, line, length);
#endif
        for (int e = lane; !vectors && e < (hi - lo) * ROWS; e += LANES) {
            const int k = e / (hi - lo), s = lo + e % (hi - lo);
            down_one(image, down, kh, top + k, rows, cols, first + s, boundary, fill,
                     line + k * length + s, length);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        T edge = 0, edge_weights = 0; /* sums down a column of fill values */
        for (int i = 0; beyond && i < kh; i++) {
            edge = fma(down[i * ROWS], VALUE(fill), edge);
            edge_weights += IGNORE && isnan(fill) ? (T)0 : down[i * ROWS];
        }
        edge = LEVEL ? VALUE(fill) : edge;
        for (int e = lane; e < beyond * LINES; e += LANES) {
            const int k = e / beyond, at = e % beyond, s = at < lo ? at : at + hi - lo;
            const long c = boundary_index(first + s, cols, boundary);
            if (c < 0)
                line[k * length + s] = k < ROWS ? edge : edge_weights;
            else if (c >= first + lo && c < first + hi)
                line[k * length + s] = line[k * length + (int)(c - first)];
            else if (k < ROWS)
                down_one(image, down, kh, top + k, rows, cols, c, boundary, fill,
                         line + k * length + s, length);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    /* Step n is product n % rank of pair n / rank of vectors; it begins while step n - 1 ends. */
    const int stride = LANES * 2 * HALF, begin = lane * 2 * HALF;
    const int steps = begin < count ? (count - begin + stride - 1) / stride * rank : 0;
    H odd = 0; /* NaN where a result is not finite */
    (void)odd; /* a LEVEL does not ask */
    EACH_LINE(START)
    for (int n = 0, s = begin, q = 0; steps; n++) {
        const bool fresh = q == 0; /* the first product of a pair: the pair before ends */
        const int old = n == 0 ? 0 : fresh ? rank - 1 : q - 1;
        const int at = n && fresh ? s - stride : s;
        local const T *from = lines + at;
        local const T *down = from + old * LINES * length;
        local const T *up = n < steps ? lines + s + q * LINES * length : down;
        global const T *along = weights + q * each + kh * ROWS;
        global const T *late_along = weights + old * each + kh * ROWS;
        global T *o = out + y0 * out_cols + x0 + at;
        if (n && fresh) {
            LEVELS(from, LEVEL_L)
            OUTS(OUT_L)
        }
        if (fresh) {
            EACH_LINE(BEGIN_L)
        }
        ENDS(along, late_along)
        if (n && fresh) {
            LEVELS(from + HALF, LEVEL_R)
            OUTS(OUT_R)
        }
        if (n == steps)
            break;
        if (fresh) {
            EACH_LINE(BEGIN_R)
        }
        MIDDLES(along)
        if (++q == rank) {
            q = 0;
            s += stride;
        }
    }
#if !LEVEL
    if (!SOME_H(odd != odd))
        return;
    for (int s = begin; s < count; s += stride)
        for (int e = 0; e < height * 2 * HALF; e++) {
            const long r = y0 + e / (2 * HALF), c = x0 + s + e % (2 * HALF);
            if (c < x0 + count && !isfinite(out[r * out_cols + c]))
                out[r * out_cols + c] =
                    sum_directly(image, fills + N, &frame, fill, direct_total, r, c);
        }
#endif
}
#endif
