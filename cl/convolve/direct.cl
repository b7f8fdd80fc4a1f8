/* SPDX-License-Identifier: MIT */
#include "convolve/convolve_common.cl"

/*
 * Method:    direct sums. On CPUs the columns that the border changes are copied once, extended,
 *            to `sides` (row for row, the fill value in a last row), so that border and interior
 *            run the same loop and no tap is tested. Weights are turned by half a turn, and
 *            stored column after column there; elsewhere as direct_tile says.
 * Launch:    on CPUs direct_sides one work-item an element of sides, direct_block one
 *            work-item for ROWS rows x `run` groups of columns, direct_row the same for a
 *            kernel of one row. Elsewhere direct_tile, a work-group of TX x TY for
 *            TX x (TY * TALL) results.
 * Exactness: see convolve_common.cl.
 * Limits:    CHUNK_ROWS, CHUNK_COLS, TX, TY, TALL: HEIGHT * WIDTH * sizeof(T) of local memory,
 *            at most 26 KB with doubles and a work-group of 256.
 * Others:    cl/convolve/convolve_common.cl, host src/opencl/convolve/direct.c, definition src/reference/convolve.c,
 *            pair src/pairs/convolve.c.
 */
#if COARSE
kernel GROUPED void direct_sides(global const T *image, long rows, long cols, int boundary, T fill,
                           long left, long right, int left_width, int width, global T *sides)
{
    const long r = get_global_id(1);
    const int s = get_global_id(0);
    if (s >= width)
        return;
    const long c = boundary_index(s < left_width ? left + s : right + s - left_width, cols,
                                  boundary);
    sides[r * width + s] = r < rows && c >= 0 ? image[r * cols + c] : fill;
}

#define SPAN (N * (1 + WIDE)) /* columns of a group */

/* Where a group of output columns is read from. */
struct columns {
    global const T *in;
    long pitch, offset; /* of its rows, and of its first column in them */
};
INLINE struct columns columns_of(int g, int span, global const T *image, global const T *sides,
                                 long cols, long left, int left_groups, int inner_groups,
                                 int left_width, int width)
{
    const int inner = g - left_groups;
    const bool inside = inner >= 0 && inner < inner_groups;
    const long j = (long)g * span;
    struct columns found;
    found.in = inside ? image : sides;
    found.pitch = inside ? cols : width;
    found.offset = inside      ? j + left
                   : inner < 0 ? j
                               : left_width + (long)(inner - inner_groups) * span;
    return found;
}
#define COLUMNS_OF(g)                                                                              \
    columns_of(g, SPAN, image, sides, cols, left, left_groups, inner_groups, left_width, width)
#endif

#if COARSE && ROWS > 1
#define LOW(k) SUM(k, x, w[i - k])
#define HIGH(k) SUM(k, y, w[kh + i - k])
#define TAPS(gets, sums)                                                                           \
    _Pragma("unroll 1") for (int t = 0; t < kw; t++, w += kh) { gets sums }
#define AT(columns, r)                                                                             \
    row_start(columns.in, top + (r), rows, columns.pitch, boundary, columns.offset,                \
              sides + rows * width)
#define MIX(row, sums)                                                                             \
    {                                                                                              \
        const int i = row;                                                                         \
        global const T *w = weights, *p = AT(next, i), *q = AT(last, kh + i);                      \
        TAPS(GET(x, p + t) GET(y, q + t), sums)                                                    \
    }
#if IGNORE
#define PUT(k) store_some(RESCALE(a##k, b##k), o + k * out_cols, count);
#define AGAIN(k) a##k = b##k = 0;
#elif WIDE
#define PUT(k)                                                                                     \
    store_some(a##k, o + k * out_cols, count);                                                     \
    store_some(b##k, o + k * out_cols + N, count - N);
#define AGAIN(k) a##k = b##k = 0;
#else
#define PUT(k) store_some(a##k, o + k * out_cols, count);
#define AGAIN(k) a##k = 0;
#endif
#define DONE(k)                                                                                    \
    if (g > start && k < height) {                                                                 \
        PUT(k)                                                                                     \
    }                                                                                              \
    AGAIN(k)

/* Group g begins while group g - 1 ends; before the first and after the last one, sums of the other
 * are made and dropped. */
kernel ALONE void direct_block(global const T *image, global const T *sides, global const T *weights,
                global T *out, long rows, long cols, long out_rows, long out_cols, int kh, int kw,
                long up, long left, int boundary, int left_groups, int inner_groups,
                int left_width, int width, int groups, int run, T total)
{
    (void)total;
    const long y = get_global_id(1) * ROWS, top = y + up;
    const int height = (int)min((long)ROWS, out_rows - y);
    const int start = get_global_id(0) * run, end = min(start + run, groups);
    struct columns next = COLUMNS_OF(start), last = next;
    EACH(ACC)
    for (int g = start;; g++) {
        const long j = (long)(g - 1) * SPAN, count = out_cols - j; /* of group g - 1 */
        global T *o = out + y * out_cols + j;
        last = next;
        if (g < end)
            next = COLUMNS_OF(g);
        DONE(0)
        MIXES(MIX)
        if (g == end)
            break;
        for (int i = ROWS - 1; i < kh; i++) {
            global const T *w = weights, *p = AT(next, i);
            TAPS(GET(x, p + t), EACH(LOW))
        }
    }
}
#endif

#if COARSE && ROWS == 1
#undef SPAN
#if IGNORE
#define SPAN (N * 4)
#define QUARTERS(f) f(0) f(1) f(2) f(3)
#define ADD(k) GET(x##k, p + t + k * N) SUM(k, x##k, weights[t])
#define FINISH(k) store_some(RESCALE(a##k, b##k), o + k * N, count - k * N);
#else
#define SPAN (12 * HALF)
#define EACH_LINE(f) f(0) f(1) f(2) f(3) f(4) f(5)
#define FINISH_L(k) store_half(l##k, o + k * length, count - k * length);
#define FINISH_R(k) store_half(r##k, o + k * length + HALF, count - k * length - HALF);
#endif

kernel ALONE void direct_row(global const T *image, global const T *sides, global const T *weights, global T *out,
             long cols, long out_cols, int kw, long left, int left_groups, int inner_groups,
             int left_width, int width, int groups, int run, T total)
{
    (void)total;
    const long y = get_global_id(1);
    const int start = get_global_id(0) * run, end = min(start + run, groups);
#if IGNORE
    for (int g = start; g < end; g++) {
        const struct columns next = COLUMNS_OF(g);
        const long j = (long)g * SPAN, count = out_cols - j;
        global const T *p = next.in + y * next.pitch + next.offset;
        global T *o = out + y * out_cols + j;
        QUARTERS(ACC)
        _Pragma("unroll 1") for (int t = 0; t < kw; t++) { QUARTERS(ADD) }
        QUARTERS(FINISH)
    }
#else
    const int length = 2 * HALF; /* lines that follow each other */
    struct columns next = COLUMNS_OF(start);
    global const T *up = next.in + y * next.pitch + next.offset, *down;
    EACH_LINE(START)
    for (int g = start;; g++) { /* as in direct_block */
        const long j = (long)(g - 1) * SPAN, count = out_cols - j;
        global T *o = out + y * out_cols + j;
        down = up;
        if (g < end) {
            next = COLUMNS_OF(g);
            up = next.in + y * next.pitch + next.offset;
        }
        if (g > start) {
            EACH_LINE(FINISH_L)
        }
        EACH_LINE(BEGIN_L)
        ENDS(weights, weights)
        if (g > start) {
            EACH_LINE(FINISH_R)
        }
        if (g == end)
            break;
        EACH_LINE(BEGIN_R)
        MIDDLES(weights)
    }
#endif
}
#endif

#if !COARSE
#ifndef CHUNK_ROWS
#define CHUNK_ROWS 16 /* input rows at once; 1 where the weights of a row are taken in pieces */
#endif
#ifndef CHUNK_COLS
#define CHUNK_COLS 16 /* weights of a row at once */
#endif
#ifndef TALL
#define TALL 4 /* results of a work-item, one below the other */
#endif
#ifndef TX
#define TX 16
#endif
#define TY (GROUP / TX)
#define APART (CHUNK_ROWS == 1 ? 1 : TALL) /* lines of the tile from one work-item to the next */
#define WIDTH (TX + CHUNK_COLS - 1)
#define HEIGHT (CHUNK_ROWS + (TY - 1) * APART)

/* Adds the weight w of a row to the result k rows above the input row. */
#define TAP(k)                                                                                     \
    {                                                                                              \
        a[k] = fma(w[k], IGNORE && isnan(x) ? (T)0 : x, a[k]);                                     \
        b[k] += IGNORE && !isnan(x) ? w[k] : (T)0;                                                 \
    }

/*
 * Input row s and column t meet weight [s - k][t] for the result k rows below a work-item's first;
 * these TALL weights lie together, (s * kw + t) * TALL on. Those that do not exist are 0 and are not
 * multiplied.
 */
kernel __attribute__((reqd_work_group_size(TX, TY, 1))) void
direct_tile(global const T *image, global const T *weights, global T *out, long rows, long cols,
              long out_rows, long out_cols, int kh, int kw, long up, long left, int boundary,
              T fill, T total)
{
    (void)total;
    local T tile[HEIGHT * WIDTH];
    const int lx = get_local_id(0), ly = get_local_id(1);
    const long x0 = get_group_id(0) * TX, y0 = get_group_id(1) * (TY * TALL);
    const long all = (long)kh + TALL - 1;
    T a[TALL], b[TALL];
    for (int k = 0; k < TALL; k++)
        a[k] = b[k] = 0;
    for (long s0 = 0; s0 < all; s0 += CHUNK_ROWS)
        for (int t0 = 0; t0 < kw; t0 += CHUNK_COLS) {
            const int high = (int)min((long)CHUNK_ROWS, all - s0), wide = min(CHUNK_COLS, kw - t0);
            const int used = (high + (TY - 1) * APART) * WIDTH;
            for (int i = ly * TX + lx; i < used; i += TX * TY) {
                const long line = i / WIDTH * (TALL / APART);
                const long r = boundary_index(y0 + up + s0 + line, rows, boundary);
                const long c = boundary_index(x0 + left + t0 + i % WIDTH, cols, boundary);
                tile[i] = r < 0 || c < 0 ? fill : image[r * cols + c];
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int i = 0; i < high; i++) {
                const long s = s0 + i;
                global const T *w = weights + (s * kw + t0) * TALL;
                local const T *row = tile + (ly * APART + i) * WIDTH + lx;
                if (s >= TALL - 1 && s < kh) {
                    for (int q = 0; q < wide; q++, w += TALL) {
                        const T x = row[q];
                        for (int k = 0; k < TALL; k++)
                            TAP(k)
                    }
                } else {
                    for (int q = 0; q < wide; q++, w += TALL) {
                        const T x = row[q];
                        for (int k = 0; k < TALL; k++)
                            if (s >= k && s - k < kh)
                                TAP(k)
                    }
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    for (int k = 0; k < TALL; k++)
        if (x0 + lx < out_cols && y0 + ly * TALL + k < out_rows)
            out[(y0 + ly * TALL + k) * out_cols + x0 + lx] = IGNORE ? RESCALE(a[k], b[k]) : a[k];
}
#endif
