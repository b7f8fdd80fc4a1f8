/* SPDX-License-Identifier: MIT */
/*
 * One of two values for every pixel, by a mask.
 *
 * Method:    an operand is an image, or the number beside it where `numbers` has bit 0 (for a) or
 *            bit 1 (for b) set. Values are copied as bits: T has the size of a pixel.
 * Launch:    one work-item per pixel; rows are the second dimension.
 * Exactness: bits are copied.
 * Limits:    none but memory: pixels are numbered in 64 bits.
 * Others:    host src/opencl/pixels/arith.c, definition src/reference/arith.c, pair
 *            src/pairs/compress.c.
 */
#ifndef T
#define T uint
#endif

/* Leaves in result[i] the value of a where the mask is set, else that of b. */
kernel GROUPED void select_pixels(global const uint *mask, global const T *a, global const T *b,
                                  T x, T y, uint numbers, ulong cols, global T *result)
{
    ulong col = get_global_id(0), row = get_global_id(1), i = row * cols + col;
    if (col >= cols)
        return;
    int set = mask[row * ((cols + 31) / 32) + col / 32] >> col % 32 & 1;
    if (set)
        result[i] = numbers & 1 ? x : a[i];
    else
        result[i] = numbers & 2 ? y : b[i];
}
