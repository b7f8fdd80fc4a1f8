/* SPDX-License-Identifier: MIT */
/*
 * Values in the place of labels, out of a table.
 *
 * Method:    finds the label in the table: by its distance from the first one where none is missing
 *            between the first and the last (`dense`), else by bisection. T has the size of a
 *            value. The table's last row is for the labels that it lacks.
 * Launch:    one work-item per pixel, in groups of GROUP.
 * Exactness: bits are copied.
 * Limits:    none but memory: pixels and labels are numbered in 64 bits.
 * Others:    host src/opencl/pixels/lookup.c, definition src/reference/lookup.c, pair
 *            src/pairs/lookup.c.
 */
#ifndef T
#define T uint
#endif
#ifndef LABEL
#define LABEL int
#endif

/* The row of a label: `count`, the last one, if the table does not have the label. */
static inline ulong row_of(long label, global const long *labels, ulong count, uint dense)
{
    if (!count || label < labels[0] || label > labels[count - 1])
        return count;
    if (dense)
        return (ulong)label - (ulong)labels[0];
    ulong low = 0, high = count - 1; /* labels[low] <= label <= labels[high] */
    while (low < high) {
        ulong middle = low + (high - low) / 2;
        if (labels[middle] < label)
            low = middle + 1;
        else
            high = middle;
    }
    return labels[low] == label ? low : count;
}

/* Leaves the values of the labels, `columns` of them per pixel: one pixel per work-item. */
kernel GROUPED void lookup_pixels(global const LABEL *image, global const long *labels, ulong count,
                                  uint dense, global const T *values, uint columns, ulong n,
                                  global T *result)
{
    ulong i = get_global_id(0);
    if (i >= n)
        return;
    ulong row = row_of((long)image[i], labels, count, dense);
    for (uint k = 0; k < columns; k++)
        result[i * columns + k] = values[row * columns + k];
}
