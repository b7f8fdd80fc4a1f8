/* SPDX-License-Identifier: MIT */
/*
 * Conversion of pixels to another type.
 *
 * Method:    one pixel from one pixel. FROM and TO say how either side stores pixels (0: one
 *            number, 1: one bit, 2: three bytes), S and T are their element types, CONVERT
 *            converts.
 * Launch:    in groups of GROUP: one work-item per pixel, rows being the second dimension; or one
 *            per mask word where TO is 1.
 * Exactness: one rounding, to nearest even; integers saturate.
 * Limits:    none but memory: pixels are numbered in 64 bits.
 * Others:    host src/opencl/pixels/convert.c, definition src/reference/convert.c, pair
 *            src/pairs/convert.c.
 */
#ifndef S
#define S          float
#define T          float
#define CONVERT    convert_float
#define FROM       0
#define TO         0
#define TO_FLOAT   1
#define BLANKS     0
#define RECIPROCAL 1e-4f
#endif

#if FROM == 1
/* A bit, 0 or 1. */
uint load(global const S *image, ulong cols, ulong row, ulong col)
{
    return image[row * ((cols + 31) / 32) + col / 32] >> (col % 32) & 1;
}
#elif FROM == 2
/*
 * Luminance: an exact sum of integers, divided by 10000 with one rounding. The division of OpenCL
 * may be off by a few ulp; a product with the reciprocal, corrected by its exact remainder, is
 * rounded correctly by Markstein's theorem.
 */
T load(global const S *image, ulong cols, ulong row, ulong col)
{
    global const S *pixel = image + (row * cols + col) * 3;
    uint sum = 2125u * pixel[0] + 7154u * pixel[1] + 721u * pixel[2];
#if TO == 1
    return sum;
#elif TO_FLOAT
    T quotient = (T)sum * (T)RECIPROCAL;
    return fma(fma(-quotient, (T)10000, (T)sum), (T)RECIPROCAL, quotient);
#else
    uint whole = sum / 10000, rest = sum % 10000;
    return CONVERT(whole + (rest > 5000 || (rest == 5000 && whole % 2)));
#endif
}
#else
S load(global const S *image, ulong cols, ulong row, ulong col) { return image[row * cols + col]; }
#endif

#if TO == 1
#include "common/words.cl"

/* One word of the mask per work-item; `count` words in all. */
kernel GROUPED void convert_pixels(global const S *image, ulong cols, ulong count,
                                   global T *converted)
{
    ulong i = get_global_id(0);
    struct word_place own = word_place(i, count, cols);
#if COARSE
    uint bits = 0;
    for (uint k = 0; k < own.n; k++)
        bits |= (uint)(load(image, cols, 0, own.first + k) != 0) << k;
#else
    local struct word_place place[GROUP];
    local uchar set[GROUP * 32];
    uint l = get_local_id(0);
    place[l] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint p = l; p < GROUP * 32; p += GROUP) {
        struct word_place word = place[p / 32];
        set[p] = p % 32 < word.n && load(image, cols, 0, word.first + p % 32) != 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint bits = word_of(set + 32 * l, 0);
#endif
    if (i < count)
        converted[i] = bits;
}
#else
/* One pixel per work-item. */
kernel GROUPED void convert_pixels(global const S *image, ulong cols, ulong unused,
                                   global T *converted)
{
    ulong col = get_global_id(0), row = get_global_id(1);
    if (col >= cols)
        return;
#if BLANKS /* NaN becomes 0 in an integer; some drivers would make it the least number */
    S pixel = load(image, cols, row, col);
    T value = isnan(pixel) ? (T)0 : CONVERT(pixel);
#else
    T value = CONVERT(load(image, cols, row, col));
#endif
#if TO == 2
    vstore3((uchar3)(value), row * cols + col, converted);
#else
    converted[row * cols + col] = value;
#endif
}
#endif
