/* SPDX-License-Identifier: MIT */
/*
 * Counts along the borders of regions, from which perimeters and Euler's numbers follow.
 *
 * Method:    outline_count adds each border pixel to a count of its region that the border pixels
 *            around it choose, and adds to Euler's number what the 2 x 2 windows change in it.
 *            Windows lie around the corners of pixels, one more in a row than pixels. Coarse:
 *            vectors of labels tell where there is anything to count.
 * Launch:    coarse: one work-item per row of windows, in groups of one. Fine: one per window, in
 *            groups of GROUP, rows being the second dimension.
 * Exactness: integers.
 * Limits:    fewer than 2^32 pixels.
 * Others:    host src/opencl/regions/outline.c, definition src/reference/measure_shape.c, pair
 *            src/pairs/measure.c, derivation docs/hull.md, "The outline".
 */
#include "regions/outline.h"

/* Of a mask: what makes the label image, since a program more takes longer to build than a kernel
 * more. */
#ifdef CONNECTIVITY
#include "regions/label_write.cl"
#endif

/* The label at (y, x), 0 outside the image; a place before the first is UINT_MAX, thus outside. */
int label_at(global const int *labels, uint cols, uint rows, uint y, uint x)
{
    return x < cols && y < rows ? labels[(size_t)y * cols + x] : 0;
}

/* Whether (y, x) has the label and one of its four neighbours has not. */
bool on_border(global const int *labels, uint cols, uint rows, uint y, uint x, int label)
{
    return label_at(labels, cols, rows, y, x) == label &&
           (label_at(labels, cols, rows, y - 1, x) != label ||
            label_at(labels, cols, rows, y + 1, x) != label ||
            label_at(labels, cols, rows, y, x - 1) != label ||
            label_at(labels, cols, rows, y, x + 1) != label);
}

/* Adds a border pixel to its region's counts; the pattern is of the border pixels around it. */
void count_pattern(uint pattern, int label, global uint4 *counts)
{
    volatile global uint *count = (volatile global uint *)(counts + label - 1);
    if (pattern == 5 || pattern == 7 || pattern == 15 || pattern == 17 || pattern == 25 ||
        pattern == 27)
        atomic_inc(count + OUTLINE_STRAIGHT);
    else if (pattern == 21 || pattern == 33)
        atomic_inc(count + OUTLINE_DIAGONAL);
    else if (pattern == 13 || pattern == 23)
        atomic_inc(count + OUTLINE_CORNER);
}

/* The pattern of a border pixel: 1, and 2 for each border pixel beside, above or below it, and 10
 * for each at a corner. */
uint pattern_of(global const int *labels, uint cols, uint rows, uint y, uint x, int label)
{
    uint pattern = 1;
    /* Not unrolled: the registers that it takes would make Intel's compiler halve the width. */
    /* clang-format off */
    _Pragma("unroll 1") for (uint dy = 0; dy < 3; dy++)
        for (uint dx = 0; dx < 3; dx++)
            if ((dy != 1 || dx != 1) &&
                on_border(labels, cols, rows, y + dy - 1, x + dx - 1, label))
                pattern += dy == 1 || dx == 1 ? 2 : 10;
    /* clang-format on */
    return pattern;
}

/* Adds what the 2 x 2 window a b / c d means for Euler's number: see docs/hull.md, "Euler's
 * number". */
void count_window(int a, int b, int c, int d, global uint4 *counts)
{
    if (a > 0 && a != b && a != c && a != d)
        atomic_inc((volatile global uint *)(counts + a - 1) + OUTLINE_EULER);
    if (b > 0 && b == c && b != d)
        atomic_dec((volatile global uint *)(counts + b - 1) + OUTLINE_EULER);
}

/* Adds the window whose last pixel is (y, x), and that pixel if it is on a border. */
void count_place(global const int *labels, uint cols, uint rows, uint y, uint x,
                 global uint4 *counts)
{
    int a = label_at(labels, cols, rows, y - 1, x - 1), b = label_at(labels, cols, rows, y - 1, x);
    int c = label_at(labels, cols, rows, y, x - 1), d = label_at(labels, cols, rows, y, x);
    if (a != b || a != c || a != d)
        count_window(a, b, c, d, counts);
    if (d > 0 && on_border(labels, cols, rows, y, x, d))
        count_pattern(pattern_of(labels, cols, rows, y, x, d), d, counts);
}

#if COARSE
#define LANES  8
#define PLACES ((int8)(1, 2, 4, 8, 16, 32, 64, 128))
#define BLOCK  32

/* Where, of the BLOCK pixels at p, one has another label beside it, or above or below it, or where
 * the pixel above has another to its left: all others count nothing. */
INLINE uint changes_at(global const int *p, uint cols)
{
    int8 found = 0;
    _Pragma("unroll") for (uint k = 0; k < BLOCK; k += LANES)
    {
        int8 here = vload8(0, p + k), up = vload8(0, p + k - cols);
        found |= ((here != vload8(0, p + k - 1)) | (here != vload8(0, p + k + 1)) | (here != up) |
                  (here != vload8(0, p + k + cols)) | (up != vload8(0, p + k - cols - 1))) &
                 PLACES << (int8)k;
    }
    int4 four = found.lo | found.hi;
    int2 two = four.lo | four.hi;
    return (uint)(two.x | two.y);
}

/* Bit i says whether the pixel i columns from p has the label. */
INLINE uint equal_at(global const int *p, int label)
{
    return (uint)(p[0] == label) | (uint)(p[1] == label) << 1 | (uint)(p[2] == label) << 2 |
           (uint)(p[3] == label) << 3 | (uint)(p[4] == label) << 4;
}

/* As count_place, for a pixel at p that is two or more from the image's border. */
INLINE void count_inner(global const int *p, uint cols, global uint4 *counts)
{
    int d = p[0], b = p[-(int)cols], a = p[-(int)cols - 1], c = p[-1];
    count_window(a, b, c, d, counts);
    if (d <= 0 || (d == b && d == c && d == p[1] && d == p[cols]))
        return;
    uint e0 = equal_at(p - 2 * (size_t)cols - 2, d), e1 = equal_at(p - (size_t)cols - 2, d);
    uint e2 = equal_at(p - 2, d), e3 = equal_at(p + cols - 2, d);
    uint e4 = equal_at(p + 2 * (size_t)cols - 2, d);
    uint above = e1 & ~(e0 & e2 & e1 << 1 & e1 >> 1), here = e2 & ~(e1 & e3 & e2 << 1 & e2 >> 1);
    uint below = e3 & ~(e2 & e4 & e3 << 1 & e3 >> 1);
    count_pattern(1 + 2 * (uint)(popcount(here & 10) + popcount(above & 4) + popcount(below & 4)) +
                      10 * (uint)(popcount(above & 10) + popcount(below & 10)),
                  d, counts);
}

/* Adds the border pixels and windows of a row to the counts of their regions. */
kernel ALONE void outline_count(global const int *labels, uint cols, uint rows,
                                global uint4 *counts)
{
    uint y = get_global_id(0), x = 0;
    bool inner = y >= 2 && y + 2 < rows;
    for (; x < cols + 1 && (x < 2 || !inner); x++)
        count_place(labels, cols, rows, y, x, counts);
    for (; x + BLOCK + 2 <= cols; x += BLOCK) {
        global const int *p = labels + (size_t)y * cols + x;
        for (uint found = changes_at(p, cols); found; found &= found - 1)
            count_inner(p + (31 - clz(found & (0 - found))), cols, counts);
    }
    for (; x < cols + 1; x++)
        count_place(labels, cols, rows, y, x, counts);
}
#else
/* Adds border pixels and windows to the counts of their regions. */
kernel GROUPED void outline_count(global const int *labels, uint cols, uint rows,
                                  global uint4 *counts)
{
    uint x = get_global_id(0), y = get_global_id(1);
    if (x <= cols)
        count_place(labels, cols, rows, y, x, counts);
}
#endif
