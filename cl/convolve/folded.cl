/* SPDX-License-Identifier: MIT */
/*
 * Convolution over folded rows: a nested Winograd F(2,2) down the columns.
 *
 * Method:    with X0, X1, X2 the image from rows i, i + d, i + 2d on, and V0, V1 every 2d-th row of
 *            the weights from row 0 and d on, two results d rows apart are
 *                V0 X0 + V1 X1 = V0 (X0 + X1) - (V0 - V1) X1
 *                V0 X1 + V1 X2 = V1 (X1 + X2) + (V0 - V1) X1
 *            with three products in place of four. Nested for d = 4, 2 and 1, this makes 8 rows of
 *            results of 27 partial sums over every 8th row, in place of 64. The partial sums are
 *            numbered 9f + 3g + h, with digits f for d = 4, g for 2 and h for 1: digit 0 is (V0 -
 *            V1) X1, 1 is V0 (X0 + X1), 2 is V1 (X1 + X2). The rows of pixels that a partial sum
 *            takes are added up into a plane of its own in local memory; the rest is a direct sum
 *            over that plane.
 * Launch:    folded_bands has one work-item per 8 * ROWS rows x strip.width columns; coarse only.
 * Exactness: rows next to a result's window are added and subtracted again; that cancels but for
 *            rounding: src/opencl/convolve/folded.c has the bound. What is not finite does not
 *            cancel: a group of columns that meets it, or that overflows, is summed directly. The
 *            bits of a result depend on its place only.
 * Limits:    ROWS is 6, N is 2 at least. With lines = ROWS + taps - 1, local memory takes 8 * lines
 *            + 8 lines of strip.pitch, 9 planes of strip.plane >= lines * pitch, and (7 * ROWS + 1)
 *            * strip.width elements; pitch is a multiple of N, and strip.width + kw - 1 at least.
 * Others:    host src/opencl/convolve/folded.c, definition src/reference/convolve.c, pair
 *            src/pairs/convolve.c, docs/convolution.md "Folded rows".
 */
#include "convolve/convolve_common.cl"

#define SLOTS FOLDED_SLOTS
#define SPAN  (N * (1 + WIDE))
#define BAND  (FOLDED_PHASES * ROWS)

/* Vectors that are aligned to their elements only. POCL splits vload and vstore of local memory
 * into elements; an access through these types stays one instruction. */
typedef V loose __attribute__((aligned(sizeof(T))));
typedef H loose_h __attribute__((aligned(sizeof(T))));
#undef LOAD
#define LOAD(p)   (*(local const loose *)(p))
#define PUT(v, p) (*(local loose *)(p) = (v))

#define NOTE(seen, x) fma(x, (V)0, seen) /* turns NaN, and stays so, where x is not finite */

/* Copies `count` pixels of row y of the extended image, from column x on; zeros up to `pitch`. */
static void extend(global const T *image, long y, long x, long rows, long cols, int boundary,
                   T fill, local T *to, int count, int pitch)
{
    const long m = boundary_index(y, rows, boundary);
    const int first = m < 0 ? count : (int)clamp(-x, 0L, (long)count);
    const int end = m < 0 ? count : (int)clamp(cols - x, (long)first, (long)pitch);
    global const T *from = image + m * cols;
    int c = 0;
    for (; c < first; c++) {
        const long k = m < 0 ? m : boundary_index(x + c, cols, boundary);
        to[c] = k < 0 ? fill : from[k];
    }
    for (; c + N <= end; c += N)
        PUT(*(global const loose *)(from + x + c), to + c);
    for (; c < end; c++)
        to[c] = from[x + c];
    for (; c < count; c++) {
        const long k = boundary_index(x + c, cols, boundary);
        to[c] = k < 0 ? fill : from[k];
    }
    for (; c < pitch; c++)
        to[c] = 0;
}

/*
 * Whether a pixel is not finite, by two planes of f = 0, in which all rows but every 8th have a
 * part; the missing rows show in the results. `seens` are then NaN for the groups of columns that
 * have such a pixel under their weights.
 */
static bool look(local const T *planes, int plane, int lines, int pitch, int reach, int width,
                 local T *columns, local T *seens)
{
    V all = 0;
    for (int c = 0; c < pitch; c += N) {
        V seen = 0;
        for (int q = 0; q < lines; q++) {
            local const T *p = planes + q * pitch + c;
            seen = NOTE(seen, LOAD(p + 4 * plane) + LOAD(p + 8 * plane));
        }
        PUT(seen, columns + c);
        all += seen;
    }
    const bool spoilt = any(isnan(all));
    for (int c = 0; c < width; c += SPAN) {
        T seen = 0;
        for (int k = 0; spoilt && k < reach; k++)
            seen += columns[c + k];
        PUT((V)seen, seens + c);
    }
    return spoilt;
}

/* Prefetch a part of the rows of the next strip, and of the rows of this strip's results. */
#define STRIDE (LINE / (int)sizeof(T))
#define ASK_IMAGE(first, end)                                                                      \
    for (int r = first; r < (end); r += FOLDED_PARTIALS) {                                         \
        const long y = i + up + r, x = j + left + strip.width + kw - 1;                            \
        if (y >= 0 && y < rows && x >= 0 && x + strip.width <= cols)                               \
            for (int c = 0; c < strip.width; c += STRIDE)                                          \
                PREFETCH(image + y * cols + x + c, 0);                                             \
    }
#define ASK_RESULT(first, end)                                                                     \
    for (int r = first; r < (end); r += FOLDED_PLANES)                                             \
        for (int c = 0; c < width; c += STRIDE)                                                    \
            PREFETCH(o + r * out_cols + c, 1);

/* clang-format off */
/* Adds up rows x0 to x14 into one line of each of the 9 planes of f. */
#define X(r) const H x##r = *(local const loose_h *)(x + r * pitch + c);
#define E(r, s) const H e##r = x##r + x##s;
#define P(k, v) *(local loose_h *)(to + k * plane + c) = v;
#define PLANES(z0, z1, z2, z3, z4, z5, z6)                                                         \
    const H s0 = z0 + z2, s1 = z1 + z3, s2 = z2 + z4, s3 = z3 + z5, s4 = z4 + z6;                  \
    P(0, z3) P(1, z2 + z3) P(2, z3 + z4)                                                           \
    P(3, s1) P(4, s0 + s1) P(5, s1 + s2)                                                           \
    P(6, s3) P(7, s2 + s3) P(8, s3 + s4)
static void fold(local const T *x, local T *to, int plane, int pitch, int f)
{
    if (f == 0)
        for (int c = 0; c < pitch; c += HALF) {
            X(4) X(5) X(6) X(7) X(8) X(9) X(10)
            PLANES(x4, x5, x6, x7, x8, x9, x10)
        }
    else {
        x += f == 2 ? 4 * pitch : 0;
        for (int c = 0; c < pitch; c += HALF) {
            X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10)
            E(0, 4) E(1, 5) E(2, 6) E(3, 7) E(4, 8) E(5, 9) E(6, 10)
            PLANES(e0, e1, e2, e3, e4, e5, e6)
        }
    }
}
/* clang-format on */

/* Sums over `count` rows of weights, two or three of them at once, so that a row of pixels that is
 * loaded enters two or three sums. */
#define ROW(i, sums)                                                                               \
    {                                                                                              \
        GET(x, p + i * pitch) sums                                                                 \
    }
#define ONE(k) ROW(k, SUM(k, x, w[0]))
#define TWO                                                                                        \
    ROW(0, SUM(0, x, w0))                                                                          \
    ROW(1, SUM(0, x, w1) SUM(1, x, w0))                                                            \
    ROW(2, SUM(1, x, w1) SUM(2, x, w0))                                                            \
    ROW(3, SUM(2, x, w1) SUM(3, x, w0))                                                            \
    ROW(4, SUM(3, x, w1) SUM(4, x, w0))                                                            \
    ROW(5, SUM(4, x, w1) SUM(5, x, w0))                                                            \
    ROW(6, SUM(5, x, w1))
#define THREE                                                                                      \
    ROW(0, SUM(0, x, w0))                                                                          \
    ROW(1, SUM(0, x, w1) SUM(1, x, w0))                                                            \
    ROW(2, SUM(0, x, w2) SUM(1, x, w1) SUM(2, x, w0))                                              \
    ROW(3, SUM(1, x, w2) SUM(2, x, w1) SUM(3, x, w0))                                              \
    ROW(4, SUM(2, x, w2) SUM(3, x, w1) SUM(4, x, w0))                                              \
    ROW(5, SUM(3, x, w2) SUM(4, x, w1) SUM(5, x, w0))                                              \
    ROW(6, SUM(4, x, w2) SUM(5, x, w1))                                                            \
    ROW(7, SUM(5, x, w2))
#define ALONG_ROWS _Pragma("unroll 1") for (int t = 0; t < kw; t++, w += all, p++)
#define TAPS(from, weights, count)                                                                 \
    for (int s = 0, n = 0, all = count; s < all; s += n) {                                         \
        global const T *w = (weights) + s;                                                         \
        local const T *p = (from) + s * pitch;                                                     \
        n = all - s == 3 ? 3 : min(all - s, 2);                                                    \
        if (n == 2) {                                                                              \
            ALONG_ROWS                                                                             \
            {                                                                                      \
                const T w0 = w[0], w1 = w[1];                                                      \
                TWO                                                                                \
            }                                                                                      \
        } else if (n == 3) {                                                                       \
            ALONG_ROWS                                                                             \
            {                                                                                      \
                const T w0 = w[0], w1 = w[1], w2 = w[2];                                           \
                THREE                                                                              \
            }                                                                                      \
        } else {                                                                                   \
            ALONG_ROWS { EACH(ONE) }                                                               \
        }                                                                                          \
    }

#if WIDE
#define KEEP(k)                                                                                    \
    PUT(a##k, slot + k * SPAN);                                                                    \
    PUT(b##k, slot + k * SPAN + N);
#define ADD(k)    a##k += LOAD(slot + k * SPAN), b##k += LOAD(slot + k * SPAN + N);
#define TAKE(k)   a##k -= LOAD(slot + k * SPAN), b##k -= LOAD(slot + k * SPAN + N);
#define WHOLE_SUM ((a0 + a1) + (a2 + a3) + (a4 + a5)) + ((b0 + b1) + (b2 + b3) + (b4 + b5))
#define WHOLE(k)                                                                                   \
    *(global loose *)(o + k * step) = a##k;                                                        \
    *(global loose *)(o + k * step + N) = b##k;
#define PART(k)                                                                                    \
    if (k < height) {                                                                              \
        store_some(a##k, o + k * step, count);                                                     \
        store_some(b##k, o + k * step + N, count - N);                                             \
    }
#else
#define KEEP(k)   PUT(a##k, slot + k * SPAN);
#define ADD(k)    a##k += LOAD(slot + k * SPAN);
#define TAKE(k)   a##k -= LOAD(slot + k * SPAN);
#define WHOLE_SUM (a0 + a1) + (a2 + a3) + (a4 + a5)
#define WHOLE(k)  *(global loose *)(o + k * step) = a##k;
#define PART(k)                                                                                    \
    if (k < height)                                                                                \
        store_some(a##k, o + k * step, count);
#endif
#define OUT(from, rows_apart, rows_left)                                                           \
    {                                                                                              \
        const long step = rows_apart;                                                              \
        const int height = rows_left;                                                              \
        global T *o = from;                                                                        \
        if (height >= ROWS && count >= SPAN) {                                                     \
            EACH(WHOLE)                                                                            \
        } else {                                                                                   \
            EACH(PART)                                                                             \
        }                                                                                          \
    }
#define ADD_SLOT(at, lower)                                                                        \
    {                                                                                              \
        local const T *slot = at;                                                                  \
        if (lower) {                                                                               \
            EACH(ADD)                                                                              \
        } else {                                                                                   \
            EACH(TAKE)                                                                             \
        }                                                                                          \
    }
#define SLOT (ROWS * SPAN)

/*
 * Partial sum f, g, h for all groups of columns. It waits in a slot, or is added to what waits
 * there and stored as a result; `seens` turn NaN where a result is not finite. It is not inlined:
 * with Intel's compiler that is slower.
 */
__attribute__((noinline)) static void sum_partial(local const T *plane, int pitch,
                                                  global const T *weights, int kw, int taps, int f,
                                                  int g, int h, local T *slots, local T *seens,
                                                  global T *out, long out_cols, int rows_left,
                                                  int width, bool spoilt)
{
    const int pair = 2 * g + h - 3, adds = !h ? 0 : !g ? 1 : !f ? 2 : 3;
    local const T *first = slots, *second = slots + h * SLOT, *third = slots + (3 + pair) * SLOT;
    local T *slot = slots + (h && g ? 3 + pair : h) * SLOT;
    for (int count = width; count > 0; count -= SPAN, plane += SPAN, out += SPAN, seens += SPAN,
             first += SLOTS * SLOT, second += SLOTS * SLOT, third += SLOTS * SLOT,
             slot += SLOTS * SLOT) {
        if (spoilt && any(isnan(LOAD(seens))))
            continue;
        EACH(ACC)
        TAPS(plane, weights, taps)
        if (adds > 0)
            ADD_SLOT(first, h == 2)
        if (adds > 1)
            ADD_SLOT(second, g == 2)
        if (adds > 2) {
            ADD_SLOT(third, f == 2)
            PUT(NOTE(LOAD(seens), WHOLE_SUM), seens);
            OUT(out, FOLDED_PHASES * out_cols, rows_left)
        } else {
            EACH(KEEP)
        }
    }
}

/* Sums a group of columns directly, in place of the results that it has. */
static void sum_again(local const T *from, int pitch, global const T *weights, int kh, int kw,
                      global T *out, long out_cols, int rows_left, int count)
{
    for (int r = 0; r < rows_left; r += ROWS) {
        EACH(ACC)
        TAPS(from + r * pitch, weights, kh)
        OUT(out + r * out_cols, out_cols, rows_left - r)
    }
}

/* A work-item makes BAND output rows of one strip of columns. */
kernel ALONE void folded_bands(global const T *image, global const T *weights, global T *out,
                               local T *memory, const struct convolve_frame frame,
                               const struct folded_strip strip, T fill)
{
    const long rows = frame.rows, cols = frame.cols, out_cols = frame.out_cols;
    const long up = frame.up, left = frame.left;
    const int kh = frame.kh, kw = frame.kw, boundary = frame.boundary;
    const int taps = strip.taps, pitch = strip.pitch, plane = strip.plane;
    const long i = get_global_id(1) * BAND, j = get_global_id(0) * (long)strip.width;
    const int lines = ROWS + taps - 1, high = FOLDED_PHASES * (lines + 1) - 1;
    const int height = (int)min(frame.out_rows - i, (long)BAND);
    const int width = (int)min(out_cols - j, (long)strip.width);
    local T *planes = memory + high * pitch, *slots = planes + FOLDED_PLANES * plane;
    local T *seens = slots + (strip.width / SPAN) * SLOTS * SLOT, *columns = seens + strip.width;
    global T *o = out + i * out_cols + j;
    bool spoilt = false;
    for (int r = 0; r < high; r++)
        extend(image, i + up + r, j + left, rows, cols, boundary, fill, memory + r * pitch,
               width + kw - 1, pitch);
    for (int f = 0; f < 3; f++) {
        for (int q = 0; q < lines; q++)
            fold(memory + FOLDED_PHASES * q * pitch, planes + q * pitch, plane, pitch, f);
        if (f == 0)
            spoilt = look(planes, plane, lines, pitch, SPAN + kw - 1, width, columns, seens);
        for (int gh = 0; gh < FOLDED_PLANES; gh++) {
            const int g = gh / 3, h = gh % 3, phase = 4 * f + 2 * g + h - 7; /* if all > 0 */
            ASK_IMAGE(9 * f + gh, high)
            if (f == 0)
                ASK_RESULT(gh, height)
            sum_partial(planes + gh * plane, pitch, weights + (9 * f + gh) * taps * kw, kw, taps, f,
                        g, h, slots, seens, o + phase * out_cols, out_cols,
                        (height - phase + FOLDED_PHASES - 1) / FOLDED_PHASES, width, spoilt);
        }
    }
    for (int c = 0; c < width; c += SPAN)
        if (any(isnan(LOAD(seens + c))))
            sum_again(memory + c, pitch, weights + FOLDED_PARTIALS * taps * kw, kh, kw, o + c,
                      out_cols, height, width - c);
}
