/* SPDX-License-Identifier: MIT */
/*
 * The walk of run_cursor.cl along the components of a mask, coarse.
 *
 * Method:    blocks of 64 pixels are taken along the rows of a band. `begin` has the starts of runs
 *            that have not been met, `edges` these and the places behind ends of runs: a run goes
 *            from its start to the next edge, in this block or in a later one of the row.
 * Launch:    one work-item per band of rows, in groups of one.
 * Exactness: integers.
 * Limits:    fewer than 2^31 runs.
 * Others:    runs.cl; docs/measurement.md, "The walk".
 */
/* clang-format off */
#define REGIONS global const uint *mask, COMPONENTS
#define REGIONS_GIVEN {mask, COMPONENTS_GIVEN}
/* clang-format on */

typedef struct {
    global const uint *mask;
    components found;
} regions;

typedef struct {
    uint y, j, end; /* row, next word of the mask, the one after the row's last */
    uint bottom;    /* the row after the band's last */
    uint run;       /* number of this run */
    uint from, to;  /* columns of this run */
    ulong begin;    /* places in the block where runs begin that have not been met */
    ulong edges;    /* places where runs begin or have ended */
    ulong before;   /* whether the pixel before the block is set */
    uint band;
} cursor;

INLINE bool begin_runs(const regions *all, const struct walk *walk, cursor *c)
{
    uint band = get_global_id(0), top = band * walk->band_rows;
    *c = (cursor){.y = top,
                  .bottom = min(walk->rows, top + walk->band_rows),
                  .end = (walk->cols + 31) / 32,
                  .run = all->found.bands[band].first - 1,
                  .band = band};
    return true;
}

/* Takes the next block of the row. */
INLINE void next_block(const regions *all, const struct walk *walk, cursor *c)
{
    size_t line = (size_t)c->y * ((walk->cols + 31) / 32);
    ulong w = word64(all->mask + line, c->j, walk->cols);
    c->begin = STARTS(w, c->before);
    c->edges = c->begin | (~w & (w << 1 | c->before));
    c->before = w >> 63;
    c->j += 2;
}

/* Goes on to the band's next row; false: there is none. */
INLINE bool next_row(cursor *c)
{
    c->j = 0;
    c->before = 0;
    return ++c->y < c->bottom;
}

/* The column of the lowest of these bits of the block that was taken last. */
#define COLUMN(c, bits) (32 * ((c)->j - 2) + lowest(bits))

INLINE bool next_run(const regions *all, const struct walk *walk, cursor *c)
{
    while (!c->begin && (c->j < c->end || next_row(c)))
        next_block(all, walk, c);
    if (!c->begin)
        return false;
    ulong later = 0 - (c->begin & (0 - c->begin)); /* the run's first place, and those after it */
    c->from = COLUMN(c, c->begin);
    c->run++;
    c->begin &= c->begin - 1;
    c->edges &= later << 1;
    while (!c->edges && c->j < c->end)
        next_block(all, walk, c);
    c->to = c->edges ? COLUMN(c, c->edges) : walk->cols;
    return true;
}

/* A component that begins in an earlier band has its row behind those of all labels, one per slot:
 * bands never share a row. */
INLINE bool find_row(const regions *all, const struct walk *walk, const cursor *c, uint *label,
                     uint *row)
{
    uint id = all->found.ids[all->found.runs[c->run]];
    *label = label_of(&all->found, all->found.bands[c->band].before, c->run);
    *row = id & RUNS_FLAG ? walk->number + (id & ~RUNS_FLAG) : *label - walk->first;
    return *label - walk->first < walk->number;
}
