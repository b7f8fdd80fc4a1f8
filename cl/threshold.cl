/* SPDX-License-Identifier: MIT */
/*
 * Method:    a pixel is set when it is not below the least value that is above the level,
 *            which the host finds in the pixel's own type: the comparison with a double
 *            level is exact without doubles. NaN compares false.
 * Launch:    threshold_bits one work-item a mask word (32 pixels), threshold_u8 one a pixel;
 *            rows are the second dimension.
 * Exactness: comparisons only.
 * Others:    host src/opencl/threshold.c, definition src/reference/threshold.c,
 *            pair tests/pairs/threshold.c.
 */
#ifndef T
#define T float
#endif

kernel void threshold_bits(global const T *image, ulong cols, T least, global uint *mask)
{
    ulong words = (cols + 31) / 32, word = get_global_id(0), row = get_global_id(1);
    if (word >= words)
        return;
    global const T *pixels = image + row * cols + word * 32;
    uint n = (uint)min((ulong)32, cols - word * 32);
    uint bits = 0;
    for (uint i = 0; i < n; i++)
        bits |= (uint)(pixels[i] >= least) << i;
    mask[row * words + word] = bits;
}

kernel void threshold_u8(global const T *image, ulong cols, T least, global uchar *mask)
{
    ulong col = get_global_id(0), row = get_global_id(1);
    if (col < cols)
        mask[row * cols + col] = image[row * cols + col] >= least;
}
