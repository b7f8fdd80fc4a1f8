/* SPDX-License-Identifier: MIT */
/*
 * Convolution by direct sums.
 *
 * Method:    coarse: the columns that the border changes are copied once, extended, to `sides` (row
 *            for row, with fill values in a last row), so that border and interior run the same
 *            loop and no tap is tested. Fine: a work-group copies the pixels that it needs to a
 *            tile in local memory, a chunk of weights at a time. Weights are rotated by 180
 *            degrees. They lie column after column for coarse kernels, and as direct_tile says for
 *            fine ones.
 * Launch:    coarse: direct_sides has one work-item per element of sides; direct_block one per ROWS
 *            rows x `run` groups of columns; direct_row the same for a kernel of one row. Fine:
 *            direct_tile has one work-group of TX x TY per TX x (TY * TALL) results.
 * Exactness: see convolve_common.cl.
 * Limits:    fine: a tile takes HEIGHT * WIDTH * sizeof(T) bytes of local memory, at most 26 KB
 *            with doubles and a work-group of 256.
 * Others:    host src/opencl/convolve/direct.c, definition src/reference/convolve.c, pair
 *            src/pairs/convolve.c, docs/convolution.md.
 */
#include "convolve/convolve_common.cl"

#if COARSE
/* Copies the columns beyond the left and right border, so that direct_block needs no test. */
kernel GROUPED void direct_sides(global const T *image, global T *sides,
                                 const struct convolve_frame frame,
                                 const struct direct_groups groups, T fill)
{
    const long r = get_global_id(1);
    const int s = get_global_id(0);
    if (s >= groups.width)
        return;
    const long x = s < groups.left_width ? frame.left + s : groups.right + s - groups.left_width;
    const long c = boundary_index(x, frame.cols, frame.boundary);
    sides[r * groups.width + s] = r < frame.rows && c >= 0 ? image[r * frame.cols + c] : fill;
}

#define SPAN (N * (1 + WIDE)) /* columns of a group */

/* Where the pixels of a group of output columns are. */
struct columns {
    global const T *in; /* the image or sides */
    long pitch, offset; /* elements from row to row; the group's first column in a row */
};
INLINE struct columns columns_of(int g, int span, global const T *image, global const T *sides,
                                 long cols, long left, const struct direct_groups groups)
{
    const int inner = g - groups.left;
    const bool inside = inner >= 0 && inner < groups.inner;
    const long j = (long)g * span;
    struct columns found;
    found.in = inside ? image : sides;
    found.pitch = inside ? cols : groups.width;
    found.offset = inside      ? j + left
                   : inner < 0 ? j
                               : groups.left_width + (long)(inner - groups.inner) * span;
    return found;
}
#define COLUMNS_OF(g) columns_of(g, SPAN, image, sides, cols, left, groups)
#endif

#if COARSE && ROWS > 1
#define LOW(k)  SUM(k, x, w[i - k])
#define HIGH(k) SUM(k, y, w[kh + i - k])
#define TAPS(gets, sums)                                                                           \
    _Pragma("unroll 1") for (int t = 0; t < kw; t++, w += kh) { gets sums }
#define AT(columns, r)                                                                             \
    row_start(columns.in, top + (r), rows, columns.pitch, boundary, columns.offset,                \
              sides + rows * groups.width)
#define MIX(row, sums)                                                                             \
    {                                                                                              \
        const int i = row;                                                                         \
        global const T *w = weights, *p = AT(next, i), *q = AT(last, kh + i);                      \
        TAPS(GET(x, p + t) GET(y, q + t), sums)                                                    \
    }
#if IGNORE
#define PUT(k)   store_some(RESCALE(a##k, b##k), o + k * out_cols, count);
#define AGAIN(k) a##k = b##k = 0;
#elif WIDE
#define PUT(k)                                                                                     \
    store_some(a##k, o + k * out_cols, count);                                                     \
    store_some(b##k, o + k * out_cols + N, count - N);
#define AGAIN(k) a##k = b##k = 0;
#else
#define PUT(k)   store_some(a##k, o + k * out_cols, count);
#define AGAIN(k) a##k = 0;
#endif
#define DONE(k)                                                                                    \
    if (g > start && k < height) {                                                                 \
        PUT(k)                                                                                     \
    }                                                                                              \
    AGAIN(k)

/* Group g begins while group g - 1 ends. Before the first group and after the last one there is no
 * other: sums for it are made and dropped. */
kernel ALONE void direct_block(global const T *image, global const T *sides,
                               global const T *weights, global T *out,
                               const struct convolve_frame frame, const struct direct_groups groups,
                               T total)
{
    (void)total;
    const long rows = frame.rows, cols = frame.cols, out_cols = frame.out_cols, left = frame.left;
    const int kh = frame.kh, kw = frame.kw, boundary = frame.boundary;
    const long y = get_global_id(1) * ROWS, top = y + frame.up;
    const int height = (int)min((long)ROWS, frame.out_rows - y);
    const int start = get_global_id(0) * groups.run, end = min(start + groups.run, groups.all);
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
#define SPAN        (N * 4)
#define QUARTERS(f) f(0) f(1) f(2) f(3)
#define ADD(k)      GET(x##k, p + t + k * N) SUM(k, x##k, weights[t])
#define FINISH(k)   store_some(RESCALE(a##k, b##k), o + k * N, count - k * N);
#else
#define SPAN         (12 * HALF)
#define EACH_LINE(f) f(0) f(1) f(2) f(3) f(4) f(5)
#define FINISH_L(k)  store_half(l##k, o + k * length, count - k * length);
#define FINISH_R(k)  store_half(r##k, o + k * length + HALF, count - k * length - HALF);
#endif

/* The same for weights of one row: a work-item goes along a run of output columns. */
kernel ALONE void direct_row(global const T *image, global const T *sides, global const T *weights,
                             global T *out, const struct convolve_frame frame,
                             const struct direct_groups groups, T total)
{
    (void)total;
    const long cols = frame.cols, out_cols = frame.out_cols, left = frame.left;
    const int kw = frame.kw;
    const long y = get_global_id(1);
    const int start = get_global_id(0) * groups.run, end = min(start + groups.run, groups.all);
#if IGNORE
    for (int g = start; g < end; g++) {
        const struct columns next = COLUMNS_OF(g);
        const long j = (long)g * SPAN, count = out_cols - j;
        global const T *p = next.in + y * next.pitch + next.offset;
        global T *o = out + y * out_cols + j;
        QUARTERS(ACC)
        _Pragma("unroll 1") for (int t = 0; t < kw; t++){QUARTERS(ADD)} QUARTERS(FINISH)
    }
#else
    const int length = 2 * HALF; /* the six lines are parts of one row, one behind the other */
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
#define CHUNK_ROWS 16 /* input rows per chunk; 1 where a chunk is a part of a row of weights */
#endif
#ifndef CHUNK_COLS
#define CHUNK_COLS 16 /* weights of a row per chunk */
#endif
#ifndef TALL
#define TALL 4 /* results per work-item, one below the other */
#endif
#ifndef TX
#define TX 16 /* work-items of a group side by side */
#endif
#define TY     (GROUP / TX)
#define APART  (CHUNK_ROWS == 1 ? 1 : TALL) /* lines of the tile from one work-item to the next */
#define WIDTH  (TX + CHUNK_COLS - 1)
#define HEIGHT (CHUNK_ROWS + (TY - 1) * APART)

/* Adds pixel x times weight w[k] to result k of the work-item. */
#define TAP(k)                                                                                     \
    {                                                                                              \
        a[k] = fma(w[k], IGNORE && isnan(x) ? (T)0 : x, a[k]);                                     \
        b[k] += IGNORE && !isnan(x) ? w[k] : (T)0;                                                 \
    }

/*
 * Leaves the convolved image, a tile per work-group.
 *
 * For result k of a work-item, the pixel of its input row s and column t has the weight [s - k][t].
 * The TALL weights of a pixel lie together, from (s * kw + t) * TALL on. Where there is no weight
 * [s - k], nothing is multiplied.
 */
kernel __attribute__((reqd_work_group_size(TX, TY, 1))) void
direct_tile(global const T *image, global const T *weights, global T *out,
            const struct convolve_frame frame, T fill, T total)
{
    (void)total;
    const long rows = frame.rows, cols = frame.cols, up = frame.up, left = frame.left;
    const long out_rows = frame.out_rows, out_cols = frame.out_cols;
    const int kh = frame.kh, kw = frame.kw, boundary = frame.boundary;
    local T tile[HEIGHT * WIDTH];
    const int lx = get_local_id(0), ly = get_local_id(1);
    const long x0 = get_group_id(0) * TX, y0 = (get_global_id(1) - ly) * TALL;
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
