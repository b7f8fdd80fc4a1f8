/* SPDX-License-Identifier: MIT */
/*
 * A part of an image, and one channel of a colour image.
 *
 * Method:    a copy. T has the size of an element; a colour image has three elements per pixel. A
 *            word of a mask is put together from two.
 * Launch:    in groups of GROUP: crop_pixels one work-item per element of the result, rows being
 *            the second dimension; crop_bits one per word; crop_channel one per pixel.
 * Exactness: bits are copied.
 * Limits:    none but memory: elements are numbered in 64 bits.
 * Others:    host src/opencl/pixels/crop.c, definition src/reference/crop.c, pair src/pairs/crop.c.
 */
#ifndef T
#define T uint
#endif

/* A row of the image has `stride` elements; the part begins at element number `start`. */
kernel GROUPED void crop_pixels(global const T *image, ulong stride, ulong start, ulong cols,
                                global T *part)
{
    ulong col = get_global_id(0), row = get_global_id(1);
    if (col < cols)
        part[row * cols + col] = image[start + row * stride + col];
}

/* Makes a word of the part from two neighbouring words of the mask. */
kernel GROUPED void crop_bits(global const uint *image, ulong stride, ulong start, uint shift,
                              ulong cols, ulong count, global uint *part)
{
    ulong words = (cols + 31) / 32, i = get_global_id(0), row = i / words, at = i % words;
    if (i >= count)
        return;
    uint width = (uint)min((ulong)32, cols - at * 32); /* bits in this word */
    ulong from = start + row * stride + at;
    uint bits = image[from] >> shift;
    if (shift + width > 32)
        bits |= image[from + 1] << (32 - shift);
    part[i] = width < 32 ? bits & ((1u << width) - 1) : bits;
}

/* Takes one of the three bytes of every pixel. */
kernel GROUPED void crop_channel(global const uchar *image, uint channel, ulong n,
                                 global uchar *grey)
{
    ulong i = get_global_id(0);
    if (i < n)
        grey[i] = image[3 * i + channel];
}
