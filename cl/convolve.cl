/* SPDX-License-Identifier: MIT */
#include "taps.cl"

/*
 * Method:    direct sums. The columns that the border changes are copied once, extended, to
 *            `sides` (row for row, the fill value in a last row), so that border and interior
 *            run the same loop and no tap is tested. Weights are turned by half a turn and
 *            stored column after column.
 * Launch:    convolve_sides one work-item an element of sides. On CPUs convolve_direct one
 *            work-item for ROWS rows x `run` groups of columns, convolve_row the same for a
 *            kernel of one row. Elsewhere convolve_tile, a work-group of TX x TY for
 *            TX x (TY * TALL) results, the kernel in pieces of at most CHUNK x CHUNK.
 * Exactness: see taps.cl. The order of a sum depends on its place only, never on the launch.
 * Limits:    CHUNK, TX, TY, TALL: (TY * TALL + CHUNK - 1) * (TX + CHUNK - 1) * sizeof(T) of
 *            local memory: 20 KB with doubles and a work-group of 256.
 * Others:    cl/taps.cl, host src/opencl/convolve.c, definition src/reference/convolve.c,
 *            pair tests/pairs/convolve.c.
 */
kernel void convolve_sides(global const T *image, long rows, long cols, int boundary, T fill,
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

/* A group of output columns: from which memory it is read. */
#define GROUP_OF_COLUMNS(g)                                                                        \
    const long j = (long)(g)*SPAN, count = out_cols - j;                                           \
    const int inner = (g) - left_groups;                                                           \
    const bool inside = inner >= 0 && inner < inner_groups;                                        \
    global const T *in = inside ? image : sides;                                                   \
    const long pitch = inside ? cols : width;                                                      \
    const long offset = inside      ? j + left                                                     \
                        : inner < 0 ? j                                                            \
                                    : left_width + (long)(inner - inner_groups) * SPAN;

#if FAT && ROWS > 1
#define LOW(k) SUM(k, x, w[i - k])
#define HIGH(k) SUM(k, y, w[kh + i - k])
#define TAPS(gets, sums)                                                                           \
    _Pragma("unroll 1") for (int t = 0; t < kw; t++, w += kh) { gets sums }
#define MIX(row, sums)                                                                             \
    {                                                                                              \
        const int i = row;                                                                         \
        global const T *w = weights, *p = AT(i), *q = AT(kh + i);                                  \
        TAPS(GET(x, p + t) GET(y, q + t), sums)                                                    \
    }
#define SUMS                                                                                       \
    MIXES(MIX)                                                                                     \
    for (int i = ROWS - 1; i < kh; i++) {                                                          \
        global const T *w = weights, *p = AT(i);                                                   \
        TAPS(GET(x, p + t), EACH(LOW))                                                             \
    }
#if IGNORE
#define OUT(k)                                                                                     \
    if (k < height)                                                                                \
        store_some(RESCALE(a##k, b##k), o + k * out_cols, count);
#elif WIDE
#define OUT(k)                                                                                     \
    if (k < height) {                                                                              \
        store_some(a##k, o + k * out_cols, count);                                                 \
        store_some(b##k, o + k * out_cols + N, count - N);                                         \
    }
#else
#define OUT(k)                                                                                     \
    if (k < height)                                                                                \
        store_some(a##k, o + k * out_cols, count);
#endif

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
convolve_direct(global const T *image, global const T *sides, global const T *weights,
                global T *out, long rows, long cols, long out_rows, long out_cols, int kh, int kw,
                long up, long left, int boundary, int left_groups, int inner_groups,
                int left_width, int width, int groups, int run, T total, T slack)
{
    (void)total, (void)slack;
    const long y = get_global_id(1) * ROWS, top = y + up;
    const int height = (int)min((long)ROWS, out_rows - y);
    const int start = get_global_id(0) * run, end = min(start + run, groups);
    for (int g = start; g < end; g++) {
        GROUP_OF_COLUMNS(g)
        global T *o = out + y * out_cols + j;
        EACH(ACC)
        if (top >= 0 && top + kh + ROWS - 1 <= rows) {
            global const T *first = in + top * pitch + offset;
#define AT(r) (first + (r)*pitch)
            SUMS
#undef AT
        } else {
#define AT(r) row_start(in, top + (r), rows, pitch, boundary, offset, sides + rows * width)
            SUMS
#undef AT
        }
        EACH(OUT)
    }
}
#endif

#if FAT && ROWS == 1
#undef SPAN
#if IGNORE
#define SPAN (N * 4)
#define QUARTERS(f) f(0) f(1) f(2) f(3)
#define ADD(k) GET(x##k, p + t + k * N) SUM(k, x##k, weights[t])
#define END(k) store_some(RESCALE(a##k, b##k), o + k * N, count - k * N);
#define ROW_SUM                                                                                    \
    QUARTERS(ACC)                                                                                  \
    _Pragma("unroll 1") for (int t = 0; t < kw; t++) { QUARTERS(ADD) }                             \
    QUARTERS(END)
#else
#define SPAN (12 * HALF)
#define EACH_LINE(f) f(0) f(1) f(2) f(3) f(4) f(5)
#define END(k)                                                                                     \
    store_half(l##k, o + k * length, count - k * length);                                          \
    store_half(r##k, o + k * length + HALF, count - k * length - HALF);
#define ROW_SUM                                                                                    \
    const int length = 2 * HALF; /* lines that follow each other */                                \
    global const T *along = weights;                                                               \
    EACH_LINE(START)                                                                               \
    ALONG                                                                                          \
    EACH_LINE(END)
#endif

kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
convolve_row(global const T *image, global const T *sides, global const T *weights, global T *out,
             long cols, long out_cols, int kw, long left, int left_groups, int inner_groups,
             int left_width, int width, int groups, int run, T total, T slack)
{
    (void)total, (void)slack;
    const long y = get_global_id(1);
    const int start = get_global_id(0) * run, end = min(start + run, groups);
    for (int g = start; g < end; g++) {
        GROUP_OF_COLUMNS(g)
        global const T *p = in + y * pitch + offset;
        global T *o = out + y * out_cols + j;
        ROW_SUM
    }
}
#endif

#if !FAT
#ifndef CHUNK
#define CHUNK 16 /* weights at once, across and down */
#endif
#ifndef TALL
#define TALL 4 /* results of a work-item, one below the other */
#endif
#ifndef TX
#define TX 16
#endif
#define TY (GROUP / TX)
#define WIDTH (TX + CHUNK - 1)
#define HEIGHT (TY * TALL + CHUNK - 1)

kernel __attribute__((reqd_work_group_size(TX, TY, 1))) void
convolve_tile(global const T *image, global const T *weights, global T *out, long rows, long cols,
              long out_rows, long out_cols, int kh, int kw, long up, long left, int boundary,
              T fill, T total, T slack)
{
    (void)total, (void)slack;
    local T tile[HEIGHT * WIDTH];
    const int lx = get_local_id(0), ly = get_local_id(1) * TALL;
    const long x0 = get_group_id(0) * TX, y0 = get_group_id(1) * (TY * TALL);
    T a[TALL], b[TALL];
    for (int k = 0; k < TALL; k++)
        a[k] = b[k] = 0;
    for (int s = 0; s < kh; s += CHUNK)
        for (int t = 0; t < kw; t += CHUNK) {
            const int high = min(CHUNK, kh - s), wide = min(CHUNK, kw - t);
            const int used = (TY * TALL + high - 1) * WIDTH;
            for (int i = get_local_id(1) * TX + lx; i < used; i += TX * TY) {
                const long r = boundary_index(y0 + up + s + i / WIDTH, rows, boundary);
                const long c = boundary_index(x0 + left + t + i % WIDTH, cols, boundary);
                tile[i] = r < 0 || c < 0 ? fill : image[r * cols + c];
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int q = 0; q < wide; q++) {
                global const T *w = weights + (long)(t + q) * kh + s;
                local const T *below = tile + ly * WIDTH + lx + q;
                T x[TALL]; /* the column slides through */
                for (int k = 0; k < TALL - 1; k++)
                    x[k + 1] = below[k * WIDTH];
                for (int p = 0; p < high; p++) {
                    for (int k = 0; k < TALL - 1; k++)
                        x[k] = x[k + 1];
                    x[TALL - 1] = below[(p + TALL - 1) * WIDTH];
                    for (int k = 0; k < TALL; k++) {
                        a[k] = fma(w[p], IGNORE && isnan(x[k]) ? (T)0 : x[k], a[k]);
                        b[k] += IGNORE && !isnan(x[k]) ? w[p] : (T)0;
                    }
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    for (int k = 0; k < TALL; k++)
        if (x0 + lx < out_cols && y0 + ly + k < out_rows)
            out[(y0 + ly + k) * out_cols + x0 + lx] = IGNORE ? RESCALE(a[k], b[k]) : a[k];
}
#endif
