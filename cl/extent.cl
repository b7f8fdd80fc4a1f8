/* SPDX-License-Identifier: MIT */
/*
 * The first look of measure: how large the values are, and which labels there are.
 *
 * Method:    extent_values finds the largest finite magnitude of the image, from which the host
 *            takes the scale of the fixed-point values. extent_labels finds the range of a label
 *            image, and notes which pixels have a label and at which of these a new one begins, a
 *            bit each; FAT also the labels of the runs, at the band's own pixels. What follows has
 *            no need of the label image then, or only of where runs begin.
 * Launch:    extent_values any number of work-items. extent_labels FAT one work-item a band of
 *            rows, which has `found` of its own: least positive label less one, greatest and lowest
 *            label; and where `values` are wanted too, a magnitude, after all of these. Else one a
 *            word of bits, rows the second dimension, one `found` for all.
 * Exactness: integers.
 * Others:    host src/opencl/extent.c, definition src/reference/measure.c,
 *            pair tests/pairs/measure.c.
 */
#include "pixel.cl"

#ifndef LANES /* pixels that are looked at together */
#define LANES 4
#endif
typedef JOIN(int, LANES) ints;
typedef JOIN(uint, LANES) uints;

/* The largest magnitude of every `step`-th pixel. */
static inline bits_of largest(global const T *image, ulong start, ulong end, ulong step)
{
    bits_of found = 0;
    ulong p = start;
#if FAT && defined(F32)
    uints most = 0;
    for (; p + LANES <= end; p += LANES) {
        uints bits = JOIN(as_uint, LANES)(JOIN(vload, LANES)(0, image + p)) & INT_MAX;
        most = max(most, bits & JOIN(as_uint, LANES)(bits < (uints)INFINITE));
    }
    for (uint i = 0; i < LANES; i++)
        found = max(found, ((uint *)&most)[i]);
#endif
    for (; p < end; p += step) {
        bits_of bits = MAGNITUDE(image[p]);
        found = max(found, bits < INFINITE ? bits : 0);
    }
    return found;
}

kernel void extent_values(global const T *image, ulong count, global ulong *most, uint first)
{
    ulong items = get_global_size(0), i = get_global_id(0);
#if FAT
    ulong share = (count + items - 1) / items, start = min(count, i * share);
    most[first + i] = largest(image, start, min(count, start + share), 1);
#else
    most[first + i] = largest(image, i, count, items);
#endif
}

/* The bits of n pixels at p, and at which of them a label begins; `last` is the one before them.
 * Returns the lowest label. */
int look_at(global const int *p, uint n, int last, uint *set, uint *starts)
{
    int lowest = 0;
    *set = *starts = 0;
    for (uint i = 0; i < n; i++) {
        int label = p[i];
        *set |= (uint)(label > 0) << i;
        *starts |= (uint)(label > 0 && label != last) << i;
        lowest = min(lowest, label);
        last = label;
    }
    return lowest;
}

#if FAT
#define LOAD(p, k) JOIN(vload, LANES)(k, p)
#if LANES == 8
#define PLACES ((ints)(1, 2, 4, 8, 16, 32, 64, 128))
#define EACH(M) M(0) M(1) M(2) M(3)
#define HALVES(v) ((v).lo | (v).hi)
#else
#define PLACES ((ints)(1, 2, 4, 8))
#define EACH(M) M(0) M(1) M(2) M(3) M(4) M(5) M(6) M(7)
#define HALVES(v) (v)
#endif

static inline int join_lanes(ints v)
{
    int4 four = HALVES(v);
    int2 two = four.lo | four.hi;
    return two.x | two.y;
}

/* The LANES pixels at k of a whole word, before which there is a pixel in its row. */
#define GATHER(k)                                                                                  \
    {                                                                                              \
        ints own = LOAD(p, k), places = PLACES << (k * LANES);                                     \
        signs |= own;                                                                              \
        bits |= (own > 0) & places;                                                                \
        begin |= (own != LOAD(p - 1, k)) & places;                                                 \
    }

__attribute__((reqd_work_group_size(1, 1, 1))) kernel void
extent_labels(global const int *labels, uint cols, uint rows, uint band_rows,
              global uint *restrict masks, global uint *restrict begins,
              global int *restrict numbers, global int4 *found, global const T *image, uint values)
{
    uint top = get_global_id(0) * band_rows, bottom = min(rows, top + band_rows);
    uint words = (cols + 31) / 32, least = UINT_MAX;
    global int *number = numbers + (size_t)top * cols;
    int most = 0, lowest = 0;
    bits_of magnitude = 0;
    ints signs = 0;
    for (size_t y = top; y < bottom; y++) {
        if (values)
            magnitude = max(magnitude, largest(image, y * cols, y * cols + cols, 1));
        for (uint j = 0; j < words; j++) {
            global const int *p = labels + y * cols + 32 * j;
            uint set, starts;
            if (j && 32 * j + 32 <= cols) {
                ints bits = 0, begin = 0;
                EACH(GATHER)
                set = (uint)join_lanes(bits);
                starts = (uint)join_lanes(begin) & set;
            } else {
                lowest = min(lowest,
                             look_at(p, min(cols - 32 * j, 32u), j ? p[-1] : 0, &set, &starts));
            }
            masks[y * words + j] = set;
            begins[y * words + j] = starts;
            for (; starts; starts &= starts - 1) {
                int label = p[31 - (uint)clz(starts & (0 - starts))];
                least = min(least, (uint)label - 1);
                most = max(most, label);
                *number++ = label;
            }
        }
    }
    for (size_t i = (size_t)top * cols; join_lanes(signs) < 0 && i < (size_t)bottom * cols; i++)
        lowest = min(lowest, labels[i]);
    found[get_global_id(0)] = (int4)((int)least, most, lowest, 0);
    if (values)
        ((global ulong *)(found + get_global_size(0)))[get_global_id(0)] = magnitude;
}
#else
kernel void extent_labels(global const int *labels, uint cols, uint rows, uint band_rows,
                          global uint *masks, global uint *begins, global int *numbers,
                          global int4 *found, global const T *image, uint values)
{
    local int most, lowest;
    uint j = get_global_id(0), y = get_global_id(1), words = (cols + 31) / 32;
    bool first = get_local_id(0) == 0;
    if (first)
        most = lowest = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (j < words) {
        global const int *p = labels + (size_t)y * cols + 32 * j;
        uint n = min(cols - 32 * j, 32u), set, starts;
        atomic_min(&lowest, look_at(p, n, j ? p[-1] : 0, &set, &starts));
        masks[(size_t)y * words + j] = set;
        begins[(size_t)y * words + j] = starts;
        for (; starts; starts &= starts - 1)
            atomic_max(&most, p[31 - (uint)clz(starts & (0 - starts))]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (first && most)
        atomic_max((volatile global int *)found + 1, most);
    if (first && lowest)
        atomic_min((volatile global int *)found + 2, lowest);
}
#endif
