/* SPDX-License-Identifier: MIT */
/*
 * The first look of measure: how large the values are, and which labels there are.
 *
 * Method:    measure_range_values finds the largest finite magnitude of the image's pixels that are set in
 *            a mask, from which the host takes the scale of the fixed-point values. measure_range_labels
 *            finds the range of a label image. COARSE it lists where labels change along the rows, the
 *            first pixel of each row included, and to which: what follows has no need of the label
 *            image then. Changes that a list has no room for are only counted. It also looks at
 *            pixels in the middle of some runs: their largest finite magnitude may be the image's,
 *            which measure_sweep will tell. Else it notes which pixels have a label and at which of
 *            these a new one begins, or goes on from the word before, a bit each.
 * Launch:    measure_range_values COARSE one work-item a band of rows, else any number of groups.
 *            measure_range_labels COARSE one work-item a band, which has `found` of its own: least positive
 *            label less one, greatest and lowest label, length of the list; and where `values` are
 *            wanted too, a magnitude, after all of these. Else one a word of bits, rows the second
 *            dimension, one `found` for all, which has the number of runs at its end.
 * Exactness: integers.
 * Others:    host src/opencl/regions/measure_range.c, definition src/reference/measure.c,
 *            pair src/pairs/measure.c.
 */
#include "regions/pixel_type.cl"

#ifndef LANES /* pixels that are looked at together */
#define LANES 4
#endif
#define SAMPLES 1024 /* of a band's runs and gaps */
#define AHEAD   1024 /* labels that are fetched before: where a page ends, CPUs stop fetching */
typedef JOIN(int, LANES) ints;
typedef JOIN(uint, LANES) uints;

#define FINITE_MAGNITUDE(x) ((bits_of)(MAGNITUDE(x) < INFINITE ? MAGNITUDE(x) : 0))

#if COARSE
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

/* The largest finite magnitude of the pixels of a row that are set in its mask. */
static inline bits_of largest(global const T *row, global const uint *mask, uint cols)
{
    bits_of found = 0;
    uint j = 0;
#ifdef F32
    uints most = 0; /* twice the magnitude, plus what makes all that is not finite wrap to less */
    for (; j < cols / 32; j++) {
        ints set = (ints)(int)mask[j];
#define LARGER(k)                                                                                  \
    most = max(most, ((JOIN(as_uint, LANES)(LOAD(row + 32 * j, k)) << 1) - 2 * INFINITE) &         \
                         JOIN(as_uint, LANES)((set & PLACES << (k * LANES)) != 0));
        if (mask[j]) {
            EACH(LARGER)
        }
    }
    for (uint i = 0; i < LANES; i++)
        found = max(found, ((uint *)&most)[i]);
    found = found < 0 - 2 * INFINITE ? 0 : (found + 2 * INFINITE) >> 1;
#endif
    for (; j < (cols + 31) / 32; j++)
        for (uint set = mask[j]; set; set &= set - 1)
            found = max(found, FINITE_MAGNITUDE(row[32 * j + 31 - (uint)clz(set & (0 - set))]));
    return found;
}

kernel ALONE void measure_range_values(global const T *image, global const uint *masks, uint cols, uint rows, uint band_rows,
              global ulong *most, uint first)
{
    uint top = get_global_id(0) * band_rows, bottom = min(rows, top + band_rows);
    bits_of magnitude = 0;
    for (size_t y = top; y < bottom; y++)
        magnitude = max(magnitude, largest(image + y * cols, masks + y * ((cols + 31) / 32), cols));
    most[first + get_global_id(0)] = magnitude;
}

/* At which of n pixels at p there is another label than before, `last` being the one before p. */
uint changes_slowly(global const int *p, uint n, int last)
{
    uint changes = 0;
    for (uint i = 0; i < n; i++) {
        changes |= (uint)(p[i] != last) << i;
        last = p[i];
    }
    return changes;
}

/* The same of 32 pixels, before which there is another. */
static inline uint changes_at(global const int *p)
{
    ints changes = 0;
#define CHANGED(k) changes |= (LOAD(p, k) != LOAD(p - 1, k)) & (PLACES << (k * LANES));
    EACH(CHANGED)
    return (uint)join_lanes(changes);
}

/* A band's list. */
typedef struct {
    global uint *places;
    global int *numbers;
    size_t n, room; /* what is beyond its room is counted only */
} list;

/* Lists the changes in the word at p, whose first pixel has this place. Where there are none, one
 * is written all the same, and not counted: that is faster than a branch. */
static inline void note(list *l, global const int *p, uint place, uint changes)
{
    do {
        uint at = 31 - (uint)clz((changes & (0 - changes)) | 1);
        size_t i = min(l->n, l->room);
        l->places[i] = place + at;
        l->numbers[i] = p[at];
        l->n += changes != 0;
        changes &= changes - 1;
    } while (changes);
}

static inline void list_row(list *l, global const int *row, uint place, uint cols)
{
    uint last = cols & ~31u;
    note(l, row, place, changes_slowly(row, min(cols, 32u), 0) | 1);
    for (uint x = 32; x < last; x += 32) {
        PREFETCH(row + x + AHEAD, 0);
        PREFETCH(row + x + AHEAD + LINE / sizeof *row, 0);
        note(l, row + x, place + x, changes_at(row + x));
    }
    if (last && last < cols)
        note(l, row + last, place + last, changes_slowly(row + last, cols - last, row[last - 1]));
}

/* Least positive label less one, greatest and lowest of n; and n. */
int4 range_of(const list *l)
{
    uint least = UINT_MAX;
    int greatest = 0, lowest = 0;
    for (size_t i = 0; i < min(l->n, l->room); i++) {
        int label = l->numbers[i];
        least = min(least, (uint)label - 1);
        greatest = max(greatest, label);
        lowest = min(lowest, label);
    }
    return (int4)((int)least, greatest, lowest, (int)l->n);
}

/* The largest finite magnitude in the middle of some runs: of all, where regions are few, since
 * that is where stars have their peaks. */
bits_of guess(const list *l, global const T *image)
{
    bits_of found = 0;
    for (size_t i = 0, step = (l->n / SAMPLES) | 1; i < min(l->n, l->room); i += step) {
        uint from = l->places[i];
        T x = image[from + (l->places[i + 1] - from) / 2];
        found = max(found, l->numbers[i] > 0 ? FINITE_MAGNITUDE(x) : 0);
    }
    return found;
}

kernel ALONE void measure_range_labels(global const int *labels, uint cols, uint rows, uint band_rows,
              global uint *restrict changes, global int *restrict numbers, ulong room,
              global int4 *found, global const T *image, uint values)
{
    uint band = get_global_id(0), top = band * band_rows, bottom = min(rows, top + band_rows);
    list l = {changes + band * room, numbers + band * room, 0, room - 1}; /* and the end's place */
    for (uint y = top; y < bottom; y++)
        list_row(&l, labels + (size_t)y * cols, y * cols, cols);
    l.places[min(l.n, l.room)] = bottom * cols;
    found[band] = range_of(&l);
    if (values)
        ((global ulong *)(found + get_global_size(0)))[band] = guess(&l, image);
}
#else
kernel void measure_range_values(global const T *image, global const uint *masks, uint cols, uint rows,
                          uint band_rows, global ulong *most, uint first)
{
    bits_of found = 0;
    for (size_t y = get_group_id(0); y < rows; y += get_num_groups(0)) {
        global const uint *mask = masks + y * ((cols + 31) / 32);
        for (uint x = get_local_id(0); x < cols; x += get_local_size(0))
            if (mask[x / 32] >> x % 32 & 1)
                found = max(found, FINITE_MAGNITUDE(image[y * cols + x]));
    }
    most[first + get_global_id(0)] = found;
}

/* The bits of n pixels at p, and at which of them a label begins, the first one included. Returns
 * the lowest label. */
int look_at(global const int *p, uint n, uint *set, uint *starts)
{
    int lowest = 0, last = 0;
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

kernel void measure_range_labels(global const int *labels, uint cols, uint rows, uint band_rows,
                          global uint *changes, global uint *masks, ulong room,
                          global int4 *found, global const T *image, uint values)
{
    local int most, lowest, runs;
    uint j = get_global_id(0), y = get_global_id(1), words = (cols + 31) / 32;
    bool first = get_local_id(0) == 0;
    if (first)
        most = lowest = runs = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (j < words) {
        global const int *p = labels + (size_t)y * cols + 32 * j;
        uint n = min(cols - 32 * j, 32u), set, starts;
        atomic_min(&lowest, look_at(p, n, &set, &starts));
        masks[(size_t)y * words + j] = set;
        changes[(size_t)y * words + j] = starts;
        if (starts)
            atomic_add(&runs, (int)popcount(starts));
        for (; starts; starts &= starts - 1)
            atomic_max(&most, p[31 - (uint)clz(starts & (0 - starts))]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (first && most)
        atomic_max((volatile global int *)found + 1, most);
    if (first && lowest)
        atomic_min((volatile global int *)found + 2, lowest);
    if (first && runs)
        atomic_add((volatile global int *)found + 3, runs);
}
#endif
