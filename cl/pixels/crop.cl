/* SPDX-License-Identifier: MIT */
/*
 * A part of an image, and one channel of a colour image.
 *
 * Method:    a copy. T has the size of an element; a colour image has three elements per pixel. A
 *            word of a mask is put together from two.
 * Launch:    one work-item per element, or per mask word, of the result; rows are the second
 *            dimension.
 * Exactness: bits are copied.
 * Limits:    none but memory: elements are numbered in 64 bits.
 * Others:    host src/opencl/pixels/crop.c, definition src/reference/crop.c, pair src/pairs/crop.c.
 */
#ifndef T
#define T uint
#endif

/* A row of the image has `stride` elements; the part begins at element number `start`. */
kernel void crop_pixels(global const T *image, ulong stride, ulong start, ulong cols,
                        global T *part)
{
    ulong col = get_global_id(0), row = get_global_id(1);
    if (col < cols)
        part[row * cols + col] = image[start + row * stride + col];
}

/* Makes a word of the part from two neighbouring words of the mask. */
kernel void crop_bits(global const uint *image, ulong stride, ulong start, uint shift, ulong cols,
                      global uint *part)
{
    ulong words = (cols + 31) / 32, at = get_global_id(0), row = get_global_id(1);
    if (at >= words)
        return;
    uint count = (uint)min((ulong)32, cols - at * 32); /* bits in this word */
    ulong from = start + row * stride + at;
    uint bits = image[from] >> shift;
    if (shift + count > 32)
        bits |= image[from + 1] << (32 - shift);
    part[row * words + at] = count < 32 ? bits & ((1u << count) - 1) : bits;
}

/* Takes one of the three bytes of every pixel. */
kernel void crop_channel(global const uchar *image, uint channel, ulong n, global uchar *grey)
{
    ulong i = get_global_id(0);
    if (i < n)
        grey[i] = image[3 * i + channel];
}
