/* SPDX-License-Identifier: MIT */
/*
 * What the borders of regions tell: the perimeter's and Euler's counts.
 *
 * Method:    outline_count adds border pixels to their region's counts by the pattern of border
 *            pixels around them, and 2 x 2 windows by what they mean for Euler's number.
 * Launch:    one work-item a block of 32 windows, rows, and one more, the second dimension.
 * Exactness: integers.
 * Limits:    fewer than 2^32 pixels.
 * Others:    host src/opencl/regions/outline.c, definition src/reference/measure_shape.c,
 *            pair src/pairs/measure.c.
 */
int label_at(global const int *labels, uint cols, uint rows, uint y, uint x)
{
    return x < cols && y < rows ? labels[(size_t)y * cols + x] : 0; /* -1 is large, too */
}

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
    /* Unrolled, it takes so many registers that Intel's compiler halves the width. */
    _Pragma("unroll 1") for (uint dy = 0; dy < 3; dy++)
        for (uint dx = 0; dx < 3; dx++)
            if ((dy != 1 || dx != 1) &&
                on_border(labels, cols, rows, y + dy - 1, x + dx - 1, label))
                pattern += dy == 1 || dx == 1 ? 2 : 10;
    volatile global uint *count = (volatile global uint *)(counts + label - 1);
    if (pattern == 5 || pattern == 7 || pattern == 15 || pattern == 17 || pattern == 25 ||
        pattern == 27)
        atomic_inc(count);
    else if (pattern == 21 || pattern == 33)
        atomic_inc(count + 1);
    else if (pattern == 13 || pattern == 23)
        atomic_inc(count + 2);
}

/* Adds what a 2 x 2 window, of which d is the last pixel, means for Euler's number. */
void count_window(int a, int b, int c, int d, global uint4 *counts)
{
    if (a > 0 && a != b && a != c && a != d)
        atomic_inc((volatile global uint *)(counts + a - 1) + 3);
    if (b > 0 && b == c && b != d)
        atomic_dec((volatile global uint *)(counts + b - 1) + 3);
}

kernel GROUPED void outline_count(global const int *labels, uint cols, uint rows, global uint4 *counts)
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
