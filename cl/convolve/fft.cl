/* SPDX-License-Identifier: MIT */
/*
 * Convolution by Fourier transforms of tiles; VkFFT makes the transforms between these kernels.
 *
 * Method:    overlap-save. The image is cut into tiles that overlap by the size of the weights less
 *            one. Two tiles are the real and the imaginary part of one complex array, which is
 *            transformed, multiplied by the conjugate of the transform of the weights, and
 *            transformed back; as weights are real, the two parts stay apart. A pixel that is not
 *            finite would spread over its whole tile: it enters as 0, and a result that has one
 *            under its weights is NaN or is summed directly. fft_along and fft_down make tables of
 *            sums over rectangles (summed-area tables) of the number of such pixels, so that four
 *            numbers tell a result how many it has. A result that is not finite because the
 *            transform overflowed is summed directly, too.
 * Launch:    fft_weights, fft_gather and fft_multiply have one work-item per point; fft_along one
 *            per row and fft_down one per column of a tile; fft_scatter one per result of the two
 *            tiles.
 * Exactness: src/opencl/convolve/fft.c has the bound, which is empirical.
 * Limits:    counts have 32 bits; a tile has at most 2^24 points.
 * Others:    host src/opencl/convolve/fft.c, definition src/reference/convolve.c, pair
 *            src/pairs/convolve.c, docs/convolution.md.
 */
#include "convolve/convolve_common.cl"

#define C JOIN(T, 2)

/* A pixel of the extended image. */
static T pixel(global const T *image, const struct convolve_frame frame, T fill, long r, long c)
{
    const long row = boundary_index(r, frame.rows, frame.boundary);
    const long col = boundary_index(c, frame.cols, frame.boundary);
    return row < 0 || col < 0 ? fill : image[row * frame.cols + col];
}

/* Writes the weights into the corner of a tile of zeros, to be transformed. */
kernel GROUPED void fft_weights(global const T *weights, global C *z,
                                const struct convolve_frame frame, const struct fft_tiles tiles)
{
    const int c = get_global_id(0), r = get_global_id(1);
    if (c >= tiles.wide)
        return;
    const bool within = r < frame.kh && c < frame.kw;
    z[(long)r * tiles.wide + c] = (C)(within ? weights[(long)r * frame.kw + c] : (T)0, (T)0);
}

/* Puts the pixels of both tiles into z; `flags` tell which tile has one that is not finite. */
kernel GROUPED void fft_gather(global const T *image, global C *z, global uint *flags,
                               const struct convolve_frame frame, const struct fft_tiles tiles,
                               T fill)
{
    const int c = get_global_id(0), r = get_global_id(1);
    if (c >= tiles.wide)
        return;
    const long y = frame.up + r, x = frame.left + c;
    const T a = pixel(image, frame, fill, tiles.row_0 + y, tiles.col_0 + x);
    const T b = pixel(image, frame, fill, tiles.row_1 + y, tiles.col_1 + x);
    if (!isfinite(a))
        atomic_or(flags, 1u);
    if (!isfinite(b))
        atomic_or(flags + 1, 1u);
    z[(long)r * tiles.wide + c] = (C)(isfinite(a) ? a : (T)0, isfinite(b) ? b : (T)0);
}

/* Counts NaN (x) and infinities (y) of a tile from the start of each row on. */
kernel GROUPED void fft_along(global const T *image, global const uint *flags, global uint2 *counts,
                              const struct convolve_frame frame, const struct fft_tiles tiles,
                              T fill)
{
    const int r = get_global_id(0), tile = get_global_id(1);
    if (r >= tiles.high || !flags[tile])
        return;
    const long top = (tile ? tiles.row_1 : tiles.row_0) + frame.up;
    const long left = (tile ? tiles.col_1 : tiles.col_0) + frame.left;
    global uint2 *row = counts + ((long)tile * tiles.high + r) * tiles.wide;
    uint2 count = 0;
    for (int c = 0; c < tiles.wide; c++) {
        const T x = pixel(image, frame, fill, top + r, left + c);
        count += (uint2)(isnan(x) ? 1 : 0, isinf(x) ? 1 : 0);
        row[c] = count;
    }
}

/* Adds up these counts down each column: they are then those of the rectangle from the first row
 * and column on. */
kernel GROUPED void fft_down(global const uint *flags, global uint2 *counts,
                             const struct fft_tiles tiles)
{
    const int c = get_global_id(0), tile = get_global_id(1);
    if (c >= tiles.wide || !flags[tile])
        return;
    uint2 count = 0;
    for (int r = 0; r < tiles.high; r++) {
        global uint2 *at = counts + ((long)tile * tiles.high + r) * tiles.wide + c;
        count += *at;
        *at = count;
    }
}

/* Multiplies the transform of two tiles by that of the weights, point by point. */
kernel GROUPED void fft_multiply(global C *z, global const C *weights, long count)
{
    const long i = get_global_id(0);
    if (i >= count)
        return;
    const C x = z[i], w = weights[i];
    z[i] = (C)(fma(x.s0, w.s0, x.s1 * w.s1), fma(x.s1, w.s0, -x.s0 * w.s1));
}

/* A result summed directly. */
static T sum_one(global const T *image, global const T *weights, const struct convolve_frame frame,
                 T fill, long top, long left, T total)
{
    T a = 0, b = 0;
    for (int s = 0; s < frame.kh; s++)
        for (int t = 0; t < frame.kw; t++) {
            const T x = pixel(image, frame, fill, top + s, left + t);
            const T w = weights[(long)s * frame.kw + t];
            a = fma(w, IGNORE && isnan(x) ? (T)0 : x, a);
            b += IGNORE && isnan(x) ? (T)0 : w;
        }
    return IGNORE ? RESCALE(a, b) : a;
}

/* Stores the results of both tiles; those of the second tile may lie outside. */
kernel GROUPED void fft_scatter(global const C *z, global const T *image, global const T *weights,
                                global const uint *flags, global const uint2 *counts, global T *out,
                                const struct convolve_frame frame, const struct fft_tiles tiles,
                                T fill, T scale, T total)
{
    const int kh = frame.kh, kw = frame.kw, wide = tiles.wide, height = tiles.high - kh + 1;
    const int c = get_global_id(0), r = get_global_id(1) % height;
    const int tile = get_global_id(1) / height;
    const long y = (tile ? tiles.row_1 : tiles.row_0) + r;
    const long x = (tile ? tiles.col_1 : tiles.col_0) + c;
    if (c > wide - kw || y >= frame.out_rows || x >= frame.out_cols)
        return;
    const C value = z[(long)r * wide + c];
    T result = (tile ? value.s1 : value.s0) * scale;
    bool again = !isfinite(result); /* the transform overflowed */
    if (flags[tile]) {
        global const uint2 *count = counts + ((long)tile * tiles.high + r) * wide + c;
        const long below = (long)(kh - 1) * wide, right = kw - 1;
        uint2 n = count[below + right];
        if (r)
            n -= count[right - wide];
        if (c)
            n -= count[below - 1];
        if (r && c)
            n += count[-wide - 1];
#if IGNORE
        n.y += n.x;
#else
        if (n.x) {
            out[y * frame.out_cols + x] = NAN;
            return;
        }
#endif
        again |= n.y != 0;
    }
    if (again)
        result = sum_one(image, weights, frame, fill, y + frame.up, x + frame.left, total);
    out[y * frame.out_cols + x] = result;
}
