/* SPDX-License-Identifier: MIT */
#include "taps.cl"

/*
 * Method:    a kernel that is a sum of `rank` outer products, down the columns and along the
 *            rows in one launch. A work-group sums ROWS output rows of a strip of columns
 *            downwards into lines of local memory, then along those lines into the image: what
 *            lies between the two never leaves the cache. Along the lines a work-item holds two
 *            vectors of H columns side by side; as with rows (taps.cl), the taps that only one
 *            of them needs at either end are taken together.
 * Launch:    a work-group of LANES, 1 on CPUs, for ROWS rows x `strip` columns.
 * Exactness: |error| <= (kh + kw + rank) * eps * sum of |v| |h| |x| over the products. The order
 *            of a sum depends on its place only.
 * Limits:    ROWS is 6 or 3; kh is 2 at least. Local memory: rank * LINES * length * sizeof(T),
 *            length being strip + kw - 1 and room for a vector.
 * Others:    cl/taps.cl, host src/opencl/separable.c, definitions src/reference/convolve.c and
 *            gaussian.c, pairs tests/pairs/convolve.c and gaussian.c.
 */
#define LANES (FAT ? 1 : GROUP)
#define LINES (ROWS * (1 + IGNORE)) /* weights that are present follow the values */

/* Weights down the columns, as sums take them: ROWS for each input row. */
#define LOW(k) SUM(k, x, w[k])
#define HIGH(k) SUM(k, y, w[k])
#define MIX(row, sums)                                                                             \
    {                                                                                              \
        global const T *w = down + row * ROWS;                                                     \
        GET(x, AT(row)) GET(y, AT(kh + row)) sums                                                  \
    }
#if IGNORE
#define KEEP(k) STORE(a##k, line + k * length + s); STORE(b##k, line + (ROWS + k) * length + s);
#else
#define KEEP(k) STORE(a##k, line + k * length + s);
#endif
#define DOWN                                                                                       \
    EACH(ACC)                                                                                      \
    MIXES(MIX)                                                                                     \
    _Pragma("unroll 1") for (int i = ROWS - 1; i < kh; i++)                                        \
    {                                                                                              \
        global const T *w = down + i * ROWS;                                                       \
        GET(x, AT(i)) EACH(LOW)                                                                    \
    }                                                                                              \
    EACH(KEEP)

/* The sum down one column for one row, where vectors do not reach. */
static void down_one(global const T *image, global const T *down, int kh, long top, long rows,
                     long cols, long c, int boundary, T fill, local T *at, int length)
{
    T a = 0, b = 0;
    for (int i = 0; i < kh; i++) {
        const long r = boundary_index(top + i, rows, boundary);
        const T x = r < 0 ? fill : image[r * cols + c], w = down[i * ROWS];
        a = fma(w, IGNORE && isnan(x) ? (T)0 : x, a);
        b += IGNORE && isnan(x) ? (T)0 : w;
    }
    *at = a;
    if (IGNORE)
        at[ROWS * length] = b;
}

#if LINES == 6
#define EACH_LINE(f) f(0) f(1) f(2) f(3) f(4) f(5)
#else
#define EACH_LINE(f) f(0) f(1) f(2)
#endif
/* The right one may lie outside, summed from lines that nobody wrote. */
#define PUT(k, left, right)                                                                        \
    if (k < height) {                                                                              \
        store_half(left, o + k * out_cols, count - s);                                             \
        if (s + HALF < count)                                                                      \
            store_half(right, o + k * out_cols + HALF, count - s - HALF);                          \
    }
#if IGNORE
#define OUTS(f) f(0, 3) f(1, 4) f(2, 5)
#define OUT(k, n) PUT(k, RESCALE_H(l##k, l##n), RESCALE_H(r##k, r##n))
#else
#define OUTS(f) EACH(f)
#define OUT(k) PUT(k, l##k, r##k)
#endif

kernel __attribute__((reqd_work_group_size(LANES, 1, 1))) void
convolve_separable(global const T *image, global const T *weights, global T *out, local T *lines,
                   long rows, long cols, long out_rows, long out_cols, int kh, int kw, int rank,
                   long up, long left, int boundary, T fill, int strip, int length, T total,
                   T slack)
{
    (void)total, (void)slack;
    const int lane = get_local_id(0), each = kh * ROWS + kw;
    const long y0 = get_group_id(1) * ROWS, x0 = get_group_id(0) * (long)strip;
    const long top = y0 + up, first = x0 + left;
    const int height = (int)min((long)ROWS, out_rows - y0);
    const int count = (int)min((long)strip, out_cols - x0), span = count + kw - 1;
    /* of the span's columns, those of the image; and the vectors that cover them */
    const int lo = (int)clamp(-first, 0L, (long)span);
    const int hi = (int)clamp(cols - first, (long)lo, (long)span), beyond = span - (hi - lo);
    const int vectors = hi - lo >= N ? (hi - lo + N - 1) / N : 0;
    global const T *fills = weights + rank * each;
    for (int q = 0; q < rank; q++) {
        global const T *down = weights + q * each;
        local T *line = lines + q * LINES * length;
        for (int g = lane; g < vectors; g += LANES) {
            const int s = min(lo + g * N, hi - N);
            if (top >= 0 && top + kh + ROWS - 1 <= rows) {
                global const T *start = image + top * cols + first + s;
#define AT(r) (start + (r)*cols)
                DOWN
#undef AT
            } else {
#define AT(r) row_start(image, top + (r), rows, cols, boundary, first + s, fills)
                DOWN
#undef AT
            }
        }
        for (int e = lane; !vectors && e < (hi - lo) * ROWS; e += LANES) {
            const int k = e / (hi - lo), s = lo + e % (hi - lo);
            down_one(image, down, kh, top + k, rows, cols, first + s, boundary, fill,
                     line + k * length + s, length);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        T edge = 0, edge_weights = 0; /* down a column of fill values */
        for (int i = 0; beyond && i < kh; i++) {
            edge = fma(down[i * ROWS], IGNORE && isnan(fill) ? (T)0 : fill, edge);
            edge_weights += IGNORE && isnan(fill) ? (T)0 : down[i * ROWS];
        }
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
    for (int s = lane * 2 * HALF; s < count; s += LANES * 2 * HALF) {
        EACH_LINE(START)
        for (int q = 0; q < rank; q++) {
            global const T *along = weights + q * each + kh * ROWS;
            local const T *p = lines + q * LINES * length + s;
            ALONG
        }
        global T *o = out + y0 * out_cols + x0 + s;
        OUTS(OUT)
    }
}
