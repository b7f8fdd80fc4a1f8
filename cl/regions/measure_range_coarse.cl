/* SPDX-License-Identifier: MIT */
/*
 * The coarse half of measure_range.cl.
 *
 * Method:    measure_range_labels lists where labels change along the rows, the first pixel of each
 *            row included, and to which label, so that what follows has no need of the label image.
 *            Changes that a list has no room for are only counted; the host then asks again for
 *            longer lists. It also looks at values in the middle of some runs.
 * Launch:    one work-item per band of rows, in groups of one.
 * Exactness: integers.
 * Limits:    fewer than 2^32 pixels.
 * Others:    as measure_range.cl.
 */
#ifndef LANES /* pixels that are looked at together: 4 or 8 */
#define LANES 4
#endif
#define SAMPLES 1024 /* runs and gaps of a band that are looked at for a guess, about */
#define ROWS    64   /* rows of a mask's band that are looked at, about */
#define AHEAD   1024 /* how many labels ahead memory is fetched: CPUs do not fetch past a page */
typedef JOIN(int, LANES) ints;

#define LOAD(p, k) JOIN(vload, LANES)(k, p)
#if LANES == 8
#define PLACES    ((ints)(1, 2, 4, 8, 16, 32, 64, 128))
#define EACH(M)   M(0) M(1) M(2) M(3)
#define HALVES(v) ((v).lo | (v).hi)
#else
#define PLACES    ((ints)(1, 2, 4, 8))
#define EACH(M)   M(0) M(1) M(2) M(3) M(4) M(5) M(6) M(7)
#define HALVES(v) (v)
#endif

/* A program has one of the kernels only, which halves the time to build it. */
#ifndef LABELS
#define LABELS 0
#endif
/* Takes a float into the magnitudes `seen`: x is UINT_MAX less the bits of the least one but 0, y
 * has those of the greatest; 0 if there is none. */
CALLED uint2 look_at(uint2 seen, float pixel)
{
    uint magnitude = as_uint(pixel) & INT_MAX;
    if (magnitude && magnitude < 0x7f800000u)
        seen = max(seen, (uint2)(UINT_MAX - magnitude, magnitude));
    return seen;
}

#if !LABELS
/* The place of the lowest bit. */
#define LOWEST(bits) ((uint)popcount(~(bits) & ((bits)-1)))

/* Looks at the middle of the first run in each word of some rows of the mask; leaves what a band
 * has seen in found[first + band]. */
kernel ALONE void measure_range_values(global const float *image, global const uint *masks,
                                       struct walk walk, global uint2 *found, uint first)
{
    uint cols = walk.cols, words = (cols + 31) / 32, top = get_global_id(0) * walk.band_rows;
    uint bottom = min(walk.rows, top + walk.band_rows);
    uint2 seen = 0;
    for (size_t y = top; y < bottom; y += walk.band_rows / ROWS + 1)
        for (uint j = 0; j < words; j++) {
            uint w = masks[y * words + j], start = LOWEST(w);
            if (w)
                seen = look_at(seen, image[y * cols + 32 * j + start + LOWEST(~(w >> start)) / 2]);
        }
    found[first + get_global_id(0)] = seen;
}
#else
/* The bits of all lanes in one number. */
static inline int join_lanes(ints v)
{
    int4 four = HALVES(v);
    int2 two = four.lo | four.hi;
    return two.x | two.y;
}

/* At which of the n pixels at p the label differs from that of the pixel before; `last` is the
 * label before p. */
CALLED uint changes_slowly(global const int *p, uint n, int last)
{
    uint changes = 0;
    for (uint i = 0; i < n; i++) {
        changes |= (uint)(p[i] != last) << i;
        last = p[i];
    }
    return changes;
}

/* The same of 32 pixels, with a pixel before them in memory. */
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
    size_t n, room; /* entries; those beyond the room are only counted */
} list;

/* Lists the changes in the 32 pixels at p, the first of which has this place. If there are none, an
 * entry is written all the same but not counted: that is faster than a branch. */
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

/* Lists the changes in a row, whose first pixel has this place and counts as a change. */
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

struct measure_range range_of(const list *l)
{
    uint least = UINT_MAX;
    int greatest = 0, lowest = 0;
    for (size_t i = 0; i < min(l->n, l->room); i++) {
        int label = l->numbers[i];
        least = min(least, (uint)label - 1);
        greatest = max(greatest, label);
        lowest = min(lowest, label);
    }
    return (struct measure_range){least, greatest, lowest, (uint)l->n};
}

/* Looks at the middle of some runs, or of all if there are few: that is where stars have their
 * peaks. */
uint2 guess(const list *l, global const float *image)
{
    uint2 seen = 0;
    for (size_t i = 0, step = (l->n / SAMPLES) | 1; i < min(l->n, l->room); i += step) {
        uint from = l->places[i];
        if (l->numbers[i] > 0)
            seen = look_at(seen, image[from + (l->places[i + 1] - from) / 2]);
    }
    return seen;
}

/* Leaves the changes of every band and, in found[], their range; behind the ranges of all bands
 * come, if `values`, the magnitudes that each band has seen. */
kernel ALONE void measure_range_labels(global const int *labels, struct walk walk,
                                       global uint *restrict changes, global int *restrict numbers,
                                       global struct measure_range *found,
                                       global const float *image, uint values)
{
    uint band = get_global_id(0), top = band * walk.band_rows, cols = walk.cols;
    uint bottom = min(walk.rows, top + walk.band_rows);
    size_t start = band * walk.room;
    list l = {changes + start, numbers + start, 0, walk.room - 1}; /* one place is for the end */
    for (uint y = top; y < bottom; y++)
        list_row(&l, labels + (size_t)y * cols, y * cols, cols);
    l.places[min(l.n, l.room)] = bottom * cols;
    found[band] = range_of(&l);
    if (values)
        ((global uint2 *)(found + get_global_size(0)))[band] = guess(&l, image);
}
#endif
