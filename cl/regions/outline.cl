/* SPDX-License-Identifier: MIT */
/*
 * Counts along the borders of regions, from which perimeters and Euler's numbers follow.
 *
 * Method:    outline_count adds each border pixel to a count of its region that the border pixels
 *            around it choose, and adds to Euler's number what the 2 x 2 windows change in it.
 * Launch:    one work-item per block of 32 windows in a row; the rows of windows, one more than the
 *            image has rows, are the second dimension.
 * Exactness: integers.
 * Limits:    fewer than 2^32 pixels.
 * Others:    host src/opencl/regions/outline.c, definition src/reference/measure_shape.c, pair
 *            src/pairs/measure.c, derivation docs/hull.md, "The outline".
 */
#include "regions/outline.h"

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

/* Adds a border pixel to its region's counts, by the pattern of border pixels around it. */
void count_border(global const int *labels, uint cols, uint rows, uint y, uint x, int label,
                  global uint4 *counts)
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
    volatile global uint *count = (volatile global uint *)(counts + label - 1);
    if (pattern == 5 || pattern == 7 || pattern == 15 || pattern == 17 || pattern == 25 ||
        pattern == 27)
        atomic_inc(count + OUTLINE_STRAIGHT);
    else if (pattern == 21 || pattern == 33)
        atomic_inc(count + OUTLINE_DIAGONAL);
    else if (pattern == 13 || pattern == 23)
        atomic_inc(count + OUTLINE_CORNER);
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

/* Adds border pixels and windows to the counts of their regions. */
kernel GROUPED void outline_count(global const int *labels, uint cols, uint rows,
                                  global uint4 *counts)
{
    uint x = get_global_id(0) * 32, end = min(x + 32, cols + 1), y = get_global_id(1);
    if (x > cols)
        return;
    int a = label_at(labels, cols, rows, y - 1, x - 1), c = label_at(labels, cols, rows, y, x - 1);
    for (; x < end; x++) {
        int b = label_at(labels, cols, rows, y - 1, x), d = label_at(labels, cols, rows, y, x);
        if (a != b || a != c || a != d)
            count_window(a, b, c, d, counts);
        if (d > 0 && on_border(labels, cols, rows, y, x, d))
            count_border(labels, cols, rows, y, x, d, counts);
        a = b;
        c = d;
    }
}
