/* SPDX-License-Identifier: MIT */
/*
 * What the methods of convolution share; direct.cl, separable.cl, folded.cl and fft.cl include it.
 *
 * Method:    a work-item sums ROWS output rows at once, N columns wide: it loads an input row once
 *            and adds it to all ROWS sums. The first ROWS - 1 input rows are part of the upper sums
 *            only (LOW), the last ROWS - 1 of the lower sums only (HIGH). So that no sum rests
 *            meanwhile, row kh + i of one group of columns is taken together with row i of the next
 *            group (MIXES): sum i + 1 is complete then, is stored, and starts again for the next
 *            group. No weight is padded with zeros, which would spread NaN.
 * Launch:    none of its own.
 * Exactness: every product enters a sum that begins with 0 by fma, in the order that
 *            include/clump/convolve.h defines: rows of weights from the first to the last, weights
 *            of a row from the first to the last. The order does not depend on ROWS, N, the launch
 *            or the device. |error| <= n * eps * sum |w| |x| for n weights.
 * Limits:    a kernel of weights has at least ROWS - 1 rows.
 * Others:    host src/opencl/convolve/convolve_common.c, shared declarations
 *            cl/convolve/convolve.h, definition src/reference/convolve.c, pair
 *            src/pairs/convolve.c, docs/convolution.md "The same bits everywhere".
 */
#include "convolve/convolve.h"

#ifndef T
#define T float
#endif
#ifndef N
#define N 1 /* elements of a vector: 1, 2, 4, 8 or 16 */
#endif
#ifndef ROWS
#define ROWS 6 /* 6, 3 or 1; 0 where a program has no kernel that sums rows */
#endif
#ifndef WIDE
#define WIDE 0 /* 1: two vectors side by side */
#endif
#ifndef IGNORE
#define IGNORE 0 /* 1: leave NaN out and sum the weights of the other pixels; needs WIDE 0 */
#endif

/* A quotient that is rounded once. OpenCL allows 2.5 ulp for one of floats, so that is made in
 * double. */
#define IS_float  1
#define IS_double 0
#if JOIN(IS_, T) && defined(cl_khr_fp64)
#define QUOTIENT(a, b, to, via) to(via(a) / via(b))
#else
#define QUOTIENT(a, b, to, via) ((a) / (b))
#endif

#if N == 1
#define V                 T
#define LOAD(p)           (*(p))
#define STORE(v, p)       (*(p) = (v))
#define BLANK(x, yes, no) (isnan(x) ? (yes) : (no))
#define RESCALE(a, n)                                                                              \
    ((n) == total ? (a) : (n) == 0 ? (T)NAN : QUOTIENT(a, n, (T), (double)) * total)
#else
#define V                 JOIN(T, N)
#define LOAD(p)           JOIN(vload, N)(0, p)
#define STORE(v, p)       JOIN(vstore, N)(v, 0, p)
#define BLANK(x, yes, no) select(no, yes, isnan(x))
#define RESCALE(a, n)                                                                              \
    select(select(QUOTIENT(a, n, JOIN(convert_, V), JOIN(convert_double, N)) * total, (V)NAN,      \
                  (n) == (V)0),                                                                    \
           a, (n) == (V)total)
#endif

/* A sum is a pair a, b where NaN is left out (values, weights) or two vectors are summed. */
#if IGNORE
#define ACC(k) V a##k = 0, b##k = 0;
#define GET(x, p)                                                                                  \
    V x = LOAD(p);                                                                                 \
    const V x##b = BLANK(x, (V)0, (V)1);                                                           \
    x = BLANK(x, (V)0, x);
#define SUM(k, x, w)                                                                               \
    a##k = fma((V)(w), x, a##k);                                                                   \
    b##k = fma((V)(w), x##b, b##k);
#elif WIDE
#define ACC(k) V a##k = 0, b##k = 0;
#define GET(x, p)                                                                                  \
    const V x = LOAD(p);                                                                           \
    const V x##b = LOAD((p) + N);
#define SUM(k, x, w)                                                                               \
    a##k = fma((V)(w), x, a##k);                                                                   \
    b##k = fma((V)(w), x##b, b##k);
#else
#define ACC(k)       V a##k = 0;
#define GET(x, p)    const V x = LOAD(p);
#define SUM(k, x, w) a##k = fma((V)(w), x, a##k);
#endif

/* EACH lists the sums. MIXES lists the mixed input rows: LOW(k) adds the row x of the next group to
 * sum k, HIGH(k) the row y of this group, and DONE(k) stores sum k and starts it again. */
/* clang-format off */
#if ROWS == 6
#define EACH(f) f(0) f(1) f(2) f(3) f(4) f(5)
#define MIXES(f)                                                                                   \
    f(0, LOW(0) HIGH(1) HIGH(2) HIGH(3) HIGH(4) HIGH(5)) DONE(1)                                   \
    f(1, LOW(0) LOW(1) HIGH(2) HIGH(3) HIGH(4) HIGH(5)) DONE(2)                                    \
    f(2, LOW(0) LOW(1) LOW(2) HIGH(3) HIGH(4) HIGH(5)) DONE(3)                                     \
    f(3, LOW(0) LOW(1) LOW(2) LOW(3) HIGH(4) HIGH(5)) DONE(4)                                      \
    f(4, LOW(0) LOW(1) LOW(2) LOW(3) LOW(4) HIGH(5)) DONE(5)
#elif ROWS == 3
#define EACH(f) f(0) f(1) f(2)
#define MIXES(f) f(0, LOW(0) HIGH(1) HIGH(2)) DONE(1) f(1, LOW(0) LOW(1) HIGH(2)) DONE(2)
#else
#define EACH(f) f(0)
#define MIXES(f)
#endif
/* clang-format on */

/* The index in 0..n-1 whose pixel stands for index i; -1: the fill value does. */
CALLED long boundary_index(long i, long n, int boundary)
{
    if (i >= 0 && i < n)
        return i;
    if (boundary == BOUNDARY_FILL)
        return -1;
    if (boundary == BOUNDARY_NEAREST)
        return i < 0 ? 0 : n - 1;
    const long period = boundary == BOUNDARY_WRAP   ? n
                        : boundary == BOUNDARY_SYMM ? 2 * n
                                                    : max(2 * n - 2, 1L);
    long m = i % period;
    m += m < 0 ? period : 0;
    return m < n ? m : boundary == BOUNDARY_SYMM ? 2 * n - 1 - m : 2 * n - 2 - m;
}

/* A pointer to column `offset` of row r; to `fill` where the fill value stands for the row. */
INLINE global const T *row_start(global const T *image, long r, long rows, long cols, int boundary,
                                 long offset, global const T *fill)
{
    const long m = r >= 0 && r < rows ? r : boundary_index(r, rows, boundary);
    return m < 0 ? fill : image + m * cols + offset;
}

/* Define `store`, which stores the first `count` of the `width` elements of a vector; `whole`
 * stores all of them. Few vectors are stored in part, at the right border, so that one copy of that
 * does. */
#define DEFINE_STORE_ONE(store)                                                                    \
    INLINE void store(T v, global T *out, long count)                                              \
    {                                                                                              \
        if (count > 0)                                                                             \
            *out = v;                                                                              \
    }
#define DEFINE_STORE(store, vector, width, whole)                                                  \
    CALLED void store##_slowly(vector v, global T *out, long count)                                \
    {                                                                                              \
        T part[width];                                                                             \
        whole(v, part);                                                                            \
        for (int i = 0; i < count; i++)                                                            \
            out[i] = part[i];                                                                      \
    }                                                                                              \
    INLINE void store(vector v, global T *out, long count)                                         \
    {                                                                                              \
        if (count >= width)                                                                        \
            whole(v, out);                                                                         \
        else                                                                                       \
            store##_slowly(v, out, count);                                                         \
    }
#if N == 1
DEFINE_STORE_ONE(store_some)
#else
DEFINE_STORE(store_some, V, N, STORE)
#endif

/*
 * Sums along lines: every line has two vectors of sums side by side, l and r. Pixels that both need
 * are loaded once (MIDDLES). The first taps, which only l needs, are taken together with the last
 * taps of the pair of vectors before, which only r needs (ENDS). EACH_LINE lists the lines, which
 * are `length` elements apart.
 */
#ifndef HALF
#define HALF 1 /* elements of a vector along the lines */
#endif
#if HALF == 1
#define H             T
#define LOAD_H(p)     (*(p))
#define STORE_H(v, p) (*(p) = (v))
#define RESCALE_H(a, n)                                                                            \
    ((n) == total ? (a) : (n) == 0 ? (T)NAN : QUOTIENT(a, n, (T), (double)) * total)
#else
#define H             JOIN(T, HALF)
#define LOAD_H(p)     JOIN(vload, HALF)(0, p)
#define STORE_H(v, p) JOIN(vstore, HALF)(v, 0, p)
#define RESCALE_H(a, n)                                                                            \
    select(select(QUOTIENT(a, n, JOIN(convert_, H), JOIN(convert_double, HALF)) * total, (H)NAN,   \
                  (n) == (H)0),                                                                    \
           a, (n) == (H)total)
#endif

#define START(k)   H l##k = 0, r##k = 0;
#define BEGIN_L(k) l##k = 0;
#define BEGIN_R(k) r##k = 0;
#define END(k)                                                                                     \
    l##k = fma(wl, LOAD_H(up + k * length + t), l##k);                                             \
    r##k = fma(wr, LOAD_H(down + k * length + HALF + late + t), r##k);
#define MIDDLE(k)                                                                                  \
    {                                                                                              \
        const H x = LOAD_H(up + k * length + t);                                                   \
        l##k = fma(wl, x, l##k), r##k = fma(wr, x, r##k);                                          \
    }
/* The first taps of l, from `up` on with the weights `first`, and the last taps of r, from `down`
 * on with the weights `last`. */
#define ENDS(first, last)                                                                          \
    _Pragma("unroll 1") for (int t = 0, ends = min(kw, HALF), late = kw - ends; t < ends; t++)     \
    {                                                                                              \
        const H wl = (H)((first)[t]), wr = (H)((last)[late + t]);                                  \
        EACH_LINE(END)                                                                             \
    }
/* The taps between, of l and r. */
#define MIDDLES(weights)                                                                           \
    _Pragma("unroll 1") for (int t = HALF; t < kw; t++)                                            \
    {                                                                                              \
        const H wl = (H)((weights)[t]), wr = (H)((weights)[t - HALF]);                             \
        EACH_LINE(MIDDLE)                                                                          \
    }

#if HALF == 1
DEFINE_STORE_ONE(store_half)
#else
DEFINE_STORE(store_half, H, HALF, STORE_H)
#endif
