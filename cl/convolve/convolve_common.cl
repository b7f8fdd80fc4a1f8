/* SPDX-License-Identifier: MIT */
/*
 * What the ways of convolving share; convolve.cl, separable.cl and others include it.
 *
 * Method:    a work-item sums ROWS output rows at once, N columns wide: an input row is
 *            loaded once and goes into every accumulator. The first ROWS - 1 input rows
 *            feed only the upper accumulators (LOW) and the last ROWS - 1 only the lower
 *            ones (HIGH). So that no accumulator rests meanwhile, row kh + i of one group of
 *            columns and row i of the next are taken together (MIXES): accumulator i + 1 is
 *            done then, is stored, and begins again for the next group. No tap is multiplied
 *            by a padding zero, which would spread NaN.
 * Exactness: every product enters by fma, into one accumulator that begins with 0, in the order
 *            that include/clump/convolve.h defines: rows of weights from the first to the last,
 *            the weights of a row from the first to the last. Nothing of it depends on ROWS, N,
 *            the launch or the device. |error| <= n * eps * sum |w| |x| for n taps.
 * Limits:    a kernel has at least ROWS - 1 rows.
 */
#ifdef __clang__ /* vectors wider than registers only pass through functions that are inlined */
#pragma clang diagnostic ignored "-Wpsabi"
#endif

#define SHARED static __attribute__((unused)) /* by some of the files that follow */

#ifndef T
#define T float
#endif
#ifndef N
#define N 1 /* elements of a vector: 1, 2, 4, 8 or 16 */
#endif
#ifndef ROWS
#define ROWS 6 /* 6, 3 or 1; 0: no sums, for what goes before */
#endif
#ifndef WIDE
#define WIDE 0 /* 1: two vectors side by side */
#endif
#ifndef IGNORE
#define IGNORE 0 /* 1: leave NaN out and sum the weights that are present; then WIDE is 0 */
#endif

/* A quotient is rounded once: that of floats may be off by more, so it is taken in double. */
#define IS_float 1
#define IS_double 0
#if JOIN(IS_, T) && defined(cl_khr_fp64)
#define QUOTIENT(a, b, to, via) to(via(a) / via(b))
#else
#define QUOTIENT(a, b, to, via) ((a) / (b))
#endif

#if N == 1
#define V T
#define LOAD(p) (*(p))
#define STORE(v, p) (*(p) = (v))
#define BLANK(x, yes, no) (isnan(x) ? (yes) : (no))
#define RESCALE(a, n)                                                                              \
    ((n) == total ? (a)                                                                            \
     : (n) == 0   ? (T)NAN                                                                         \
                  : QUOTIENT(a, n, (T), (double)) * total)
#else
#define V JOIN(T, N)
#define LOAD(p) JOIN(vload, N)(0, p)
#define STORE(v, p) JOIN(vstore, N)(v, 0, p)
#define BLANK(x, yes, no) select(no, yes, isnan(x))
#define RESCALE(a, n)                                                                              \
    select(select(QUOTIENT(a, n, JOIN(convert_, V), JOIN(convert_double, N)) * total, (V)NAN,      \
                  (n) == (V)0),                                                                    \
           a, (n) == (V)total)
#endif

/* Accumulators come in pairs where NaN is left out (values, weights) or two vectors are summed. */
#if IGNORE
#define ACC(k) V a##k = 0, b##k = 0;
#define GET(x, p) V x = LOAD(p); const V x##b = BLANK(x, (V)0, (V)1); x = BLANK(x, (V)0, x);
#define SUM(k, x, w) a##k = fma((V)(w), x, a##k); b##k = fma((V)(w), x##b, b##k);
#elif WIDE
#define ACC(k) V a##k = 0, b##k = 0;
#define GET(x, p) const V x = LOAD(p); const V x##b = LOAD((p) + N);
#define SUM(k, x, w) a##k = fma((V)(w), x, a##k); b##k = fma((V)(w), x##b, b##k);
#else
#define ACC(k) V a##k = 0;
#define GET(x, p) const V x = LOAD(p);
#define SUM(k, x, w) a##k = fma((V)(w), x, a##k);
#endif

/* LOW(k) adds the upper input row x to accumulator k, HIGH(k) the lower one y, and DONE(k) ends it.
 */
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

/* enum clump_boundary */
#define FILL 0
#define WRAP 1
#define SYMM 2
#define NEAREST 3
#define MIRROR 4

/* Which of 0..n-1 stands for i; -1: the fill value. */
SHARED long boundary_index(long i, long n, int boundary)
{
    if (i >= 0 && i < n)
        return i;
    if (boundary == FILL)
        return -1;
    if (boundary == NEAREST)
        return i < 0 ? 0 : n - 1;
    const long period = boundary == WRAP ? n : boundary == SYMM ? 2 * n : max(2 * n - 2, 1L);
    long m = i % period;
    m += m < 0 ? period : 0;
    return m < n ? m : boundary == SYMM ? 2 * n - 1 - m : 2 * n - 2 - m;
}

/* Where row r of an image of `cols` columns begins; `fill` is read where there is none. */
INLINE global const T *row_start(global const T *image, long r, long rows, long cols, int boundary,
                                 long offset, global const T *fill)
{
    const long m = r >= 0 && r < rows ? r : boundary_index(r, rows, boundary);
    return m < 0 ? fill : image + m * cols + offset;
}

/* Stores the first `count` elements of a vector. */
SHARED void store_some(V v, global T *out, long count)
{
#if N == 1
    if (count > 0)
        *out = v;
#else
    if (count >= N) {
        STORE(v, out);
        return;
    }
    T part[N];
    STORE(v, part);
    for (int i = 0; i < count; i++)
        out[i] = part[i];
#endif
}

/*
 * Along lines: two vectors side by side in every line, l and r. A tap is loaded once for both
 * (MIDDLES); the first taps, which only l needs, are taken together with the last ones of the vectors
 * before, which only r needs (ENDS). EACH_LINE lists the lines, `length` apart.
 */
#ifndef HALF
#define HALF 1 /* elements of a vector along the lines */
#endif
#if HALF == 1
#define H T
#define LOAD_H(p) (*(p))
#define STORE_H(v, p) (*(p) = (v))
#define RESCALE_H(a, n)                                                                            \
    ((n) == total ? (a)                                                                            \
     : (n) == 0   ? (T)NAN                                                                         \
                  : QUOTIENT(a, n, (T), (double)) * total)
#else
#define H JOIN(T, HALF)
#define LOAD_H(p) JOIN(vload, HALF)(0, p)
#define STORE_H(v, p) JOIN(vstore, HALF)(v, 0, p)
#define RESCALE_H(a, n)                                                                            \
    select(select(QUOTIENT(a, n, JOIN(convert_, H), JOIN(convert_double, HALF)) * total, (H)NAN,   \
                  (n) == (H)0),                                                                    \
           a, (n) == (H)total)
#endif

#define START(k) H l##k = 0, r##k = 0;
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
/* The first taps of l from `up` on, with `first` weights, and the last of r from `down` on. */
#define ENDS(first, last)                                                                          \
    _Pragma("unroll 1") for (int t = 0, ends = min(kw, HALF), late = kw - ends; t < ends; t++)     \
    {                                                                                              \
        const H wl = (H)((first)[t]), wr = (H)((last)[late + t]);                                  \
        EACH_LINE(END)                                                                             \
    }
/* The taps of both between. */
#define MIDDLES(weights)                                                                           \
    _Pragma("unroll 1") for (int t = HALF; t < kw; t++)                                            \
    {                                                                                              \
        const H wl = (H)((weights)[t]), wr = (H)((weights)[t - HALF]);                             \
        EACH_LINE(MIDDLE)                                                                          \
    }

SHARED void store_half(H v, global T *out, int count)
{
#if HALF == 1
    if (count > 0)
        *out = v;
#else
    if (count >= HALF) {
        STORE_H(v, out);
        return;
    }
    T part[HALF];
    STORE_H(v, part);
    for (int i = 0; i < count; i++)
        out[i] = part[i];
#endif
}
