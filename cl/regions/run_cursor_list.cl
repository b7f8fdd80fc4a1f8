/* SPDX-License-Identifier: MIT */
/*
 * The walk of run_cursor.cl along a label image, coarse.
 *
 * Method:    measure_range.cl has listed, per band, the places where the label changes along the
 *            rows and the labels from there on. A run is an entry with a positive label; it ends
 *            where the next entry begins. The first pixel of each row is an entry, too, so that no
 *            run goes on into the next row.
 * Launch:    one work-item per band of rows, in groups of one.
 * Exactness: integers.
 * Limits:    fewer than 2^32 pixels.
 * Others:    docs/measurement.md, "The walk".
 */
/* clang-format off */
#define REGIONS                                                                                    \
    global const uint *changes, global const int *numbers, global const struct walk_slice *slices
#define REGIONS_GIVEN {changes, numbers, slices}
/* clang-format on */

typedef struct {
    global const uint *changes; /* places, each band's in a part of `room` entries */
    global const int *numbers;  /* the labels from these places on */
    global const struct walk_slice *slices;
} regions;

typedef struct {
    uint y, start, end; /* row, the places of its first pixel and of the next row's */
    size_t next;        /* entry of the list, */
    uint left;          /* and how many of them follow */
    uint from, to;      /* columns of this run */
    uint label;
    uint band;
} cursor;

INLINE bool begin_runs(const regions *all, const struct walk *walk, cursor *c)
{
    uint band = get_global_id(0), top = band * walk->band_rows;
    *c = (cursor){.y = top - 1,
                  .end = top * walk->cols,
                  .next = band * walk->room,
                  .left = all->slices[band].changes,
                  .band = band};
    return true;
}

INLINE bool next_run(const regions *all, const struct walk *walk, cursor *c)
{
    int label = 0;
    while (label <= 0) {
        if (!c->left--)
            return false;
        label = all->numbers[c->next++];
    }
    uint place = all->changes[c->next - 1];
    for (; place >= c->end; c->end += walk->cols) {
        c->y++;
        c->start = c->end;
    }
    c->label = (uint)label;
    c->from = place - c->start;
    c->to = all->changes[c->next] - c->start;
    return true;
}

INLINE bool find_row(const regions *all, const struct walk *walk, const cursor *c, uint *label,
                     uint *row)
{
    struct walk_slice own = all->slices[c->band];
    *label = c->label;
    *row = own.row + (*label - own.first);
    return *label - own.first < own.number;
}
