/* SPDX-License-Identifier: MIT */
/*
 * Method:    overlap-save. The image is cut into tiles that overlap by the kernel's size less
 *            one; two tiles are one complex array, transformed, multiplied by the conjugate of
 *            the weights' transform, and transformed back: weights are real, so the two stay
 *            apart. Pixels that are not finite would spread over their whole tile: they enter as
 *            0, and results that have one under the kernel are summed directly, or are NaN.
 *            fft_along and fft_down count them, so that a result knows by four numbers. What
 *            overflows in a transform leaves results that are not finite, which are summed
 *            directly too.
 * Launch:    fft_weights, fft_gather, fft_multiply one work-item an element; fft_along one a row,
 *            fft_down one a column of a tile; fft_scatter one a result of the two tiles.
 * Exactness: src/opencl/convolve/fft.c has the bound.
 * Others:    cl/convolve/convolve_common.cl, host src/opencl/convolve/fft.c, definition src/reference/convolve.c,
 *            pair src/pairs/convolve.c.
 */
#include "convolve/convolve_common.cl"

#define C JOIN(T, 2)

/* A pixel of the extended image. */
static T pixel(global const T *image, long rows, long cols, int boundary, T fill, long r, long c)
{
    const long row = boundary_index(r, rows, boundary), col = boundary_index(c, cols, boundary);
    return row < 0 || col < 0 ? fill : image[row * cols + col];
}

kernel GROUPED void fft_weights(global const T *weights, int kh, int kw, int wide, global C *z)
{
    const int c = get_global_id(0), r = get_global_id(1);
    if (c < wide)
        z[(long)r * wide + c] = (C)(r < kh && c < kw ? weights[(long)r * kw + c] : (T)0, (T)0);
}

/* `corners` are the first row and column of either tile in the image. */
kernel GROUPED void fft_gather(global const T *image, long rows, long cols, int boundary, T fill,
                       long4 corners, int wide, global C *z, global uint *flags)
{
    const int c = get_global_id(0), r = get_global_id(1);
    if (c >= wide)
        return;
    T a = pixel(image, rows, cols, boundary, fill, corners.s0 + r, corners.s1 + c);
    T b = pixel(image, rows, cols, boundary, fill, corners.s2 + r, corners.s3 + c);
    if (!isfinite(a))
        atomic_or(flags, 1u);
    if (!isfinite(b))
        atomic_or(flags + 1, 1u);
    z[(long)r * wide + c] = (C)(isfinite(a) ? a : (T)0, isfinite(b) ? b : (T)0);
}

/* How many NaN (x) and infinities (y) there are in a tile from its row's start on. */
kernel GROUPED void fft_along(global const T *image, long rows, long cols, int boundary, T fill,
                      long4 corners, int high, int wide, global const uint *flags,
                      global uint2 *counts)
{
    const int r = get_global_id(0), tile = get_global_id(1);
    if (r >= high || !flags[tile])
        return;
    const long top = tile ? corners.s2 : corners.s0, left = tile ? corners.s3 : corners.s1;
    global uint2 *row = counts + ((long)tile * high + r) * wide;
    uint2 count = 0;
    for (int c = 0; c < wide; c++) {
        const T x = pixel(image, rows, cols, boundary, fill, top + r, left + c);
        count += (uint2)(isnan(x) ? 1 : 0, isinf(x) ? 1 : 0);
        row[c] = count;
    }
}

kernel GROUPED void fft_down(int high, int wide, global const uint *flags, global uint2 *counts)
{
    const int c = get_global_id(0), tile = get_global_id(1);
    if (c >= wide || !flags[tile])
        return;
    uint2 count = 0;
    for (int r = 0; r < high; r++) {
        global uint2 *at = counts + ((long)tile * high + r) * wide + c;
        count += *at;
        *at = count;
    }
}

kernel GROUPED void fft_multiply(global C *z, global const C *weights, long count)
{
    const long i = get_global_id(0);
    if (i >= count)
        return;
    const C x = z[i], w = weights[i];
    z[i] = (C)(fma(x.s0, w.s0, x.s1 * w.s1), fma(x.s1, w.s0, -x.s0 * w.s1));
}

/* A result summed directly, for the few that have a pixel under them that is not finite. */
static T sum_one(global const T *image, global const T *weights, long rows, long cols, int kh,
                 int kw, int boundary, T fill, long top, long left, T total)
{
    T a = 0, b = 0;
    for (int s = 0; s < kh; s++)
        for (int t = 0; t < kw; t++) {
            const T x = pixel(image, rows, cols, boundary, fill, top + s, left + t);
            const T w = weights[(long)s * kw + t];
            a = fma(w, IGNORE && isnan(x) ? (T)0 : x, a);
            b += IGNORE && isnan(x) ? (T)0 : w;
        }
    return IGNORE ? RESCALE(a, b) : a;
}

/* `places` are the first row and column of either tile's results; those of the second may lie
 * outside. Results lie where `up` and `left` put them in the image. */
kernel GROUPED void fft_scatter(global const C *z, global const T *image, global const T *weights,
                        global T *out, long rows, long cols, long out_rows, long out_cols, int kh,
                        int kw, long up, long left, int boundary, T fill, long4 places, int high,
                        int wide, T scale, T total, global const uint *flags,
                        global const uint2 *counts)
{
    const int c = get_global_id(0), r = get_global_id(1) % (high - kh + 1);
    const int tile = get_global_id(1) / (high - kh + 1);
    const long y = (tile ? places.s2 : places.s0) + r, x = (tile ? places.s3 : places.s1) + c;
    if (c > wide - kw || y >= out_rows || x >= out_cols)
        return;
    const C value = z[(long)r * wide + c];
    T result = (tile ? value.s1 : value.s0) * scale;
    bool again = !isfinite(result); /* an overflow on the way */
    if (flags[tile]) {
        global const uint2 *count = counts + ((long)tile * high + r) * wide + c;
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
            out[y * out_cols + x] = NAN;
            return;
        }
#endif
        again |= n.y != 0;
    }
    if (again)
        result = sum_one(image, weights, rows, cols, kh, kw, boundary, fill, y + up, x + left,
                         total);
    out[y * out_cols + x] = result;
}
