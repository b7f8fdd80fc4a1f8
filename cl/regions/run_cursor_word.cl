/* SPDX-License-Identifier: MIT */
/*
 * The walk of run_cursor.cl, fine: of a label image (LABELS 1) or of the components of a mask.
 *
 * Method:    a work-item has one word of 32 pixels. A piece of a run goes from a start to the next
 *            edge in the word: another start, the place behind an end, or the word's end. A run
 *            that came in from the word before starts at bit 0. Of a label image measure_range.cl
 *            has left a bit in `mask` for each pixel with a label, and one in `starts` where the
 *            label changes.
 * Launch:    one work-item per word.
 * Exactness: integers.
 * Limits:    fewer than 2^31 runs.
 * Others:    runs.cl; docs/measurement.md, "The walk".
 */
#if LABELS
/* clang-format off */
#define REGIONS global const uint *mask, global const uint *starts, global const int *labels
#define REGIONS_GIVEN {mask, starts, labels}
/* clang-format on */

typedef struct {
    global const uint *mask, *starts;
    global const int *labels;
} regions;
#else
/* clang-format off */
#define REGIONS global const uint *mask, COMPONENTS
#define REGIONS_GIVEN {mask, COMPONENTS_GIVEN}
/* clang-format on */

typedef struct {
    global const uint *mask;
    components found;
} regions;
#endif

typedef struct {
    uint y, j;     /* row, and word of it */
    uint run;      /* mask: number of this run */
    uint from, to; /* columns of this piece */
    uint begin;    /* places in the word where runs begin that have not been met */
    uint edges;    /* places where runs begin or have ended */
} cursor;

INLINE bool begin_runs(const regions *all, const struct walk *walk, cursor *c)
{
    uint words = (walk->cols + 31) / 32, i = get_global_id(0), y = i / words, j = i % words;
    if (y >= walk->rows)
        return false;
    uint w = all->mask[i], before = j ? all->mask[i - 1] >> 31 : 0;
#if LABELS
    uint begin = all->starts[i], run = 0;
#else
    uint begin = STARTS(w, before),
         run = all->found.offsets[i] + all->found.group_offsets[i / GROUP];
#endif
    uint edges = begin | (~w & (w << 1 | before)), within = w & 1 & ~begin & 1;
    *c = (cursor){.y = y, .j = j, .run = run - 1 - within, .begin = begin | within, .edges = edges};
    return true;
}

/* The place of the lowest bit. */
#define LOWEST(bits) ((uint)popcount(~(bits) & ((bits)-1)))

INLINE bool next_run(const regions *all, const struct walk *walk, cursor *c)
{
    if (!c->begin)
        return false;
    uint later = 0 - (c->begin & (0 - c->begin)); /* the run's first place, and those after it */
    c->from = 32 * c->j + LOWEST(c->begin);
    c->run++;
    c->begin &= c->begin - 1;
    c->edges &= later << 1;
    c->to = c->edges ? 32 * c->j + LOWEST(c->edges) : min(walk->cols, 32 * (c->j + 1));
    return true;
}

INLINE bool find_row(const regions *all, const struct walk *walk, const cursor *c, uint *label,
                     uint *row)
{
#if LABELS
    *label = (uint)all->labels[(size_t)c->y * walk->cols + c->from];
#else
    *label = label_of(&all->found, c->run);
#endif
    *row = *label - walk->first;
    return *row < walk->number;
}
