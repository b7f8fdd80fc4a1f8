/* SPDX-License-Identifier: MIT */
/*
 * The way along the regions of an image, run by run; for the kernel files that include this one
 * after runs.cl.
 *
 * Method:    LABELS 1: regions are those of a label image, of which measure_range.cl has left COARSE a list
 *            of where labels change and to which, else a bit in `mask` for each pixel with a label
 *            and one in `starts` where a run of one label begins. 0: the components of a mask, by
 *            the tables of runs.cl. REGIONS are the arguments of a kernel that say it. A table
 *            holds the labels first..first + count - 1.
 *            COARSE: a work-item goes along the rows of a band, and gets whole runs. Else it has one
 *            word, and gets the pieces of runs that are in it.
 */
#ifndef LABELS
#define LABELS 0
#endif

#if LABELS && COARSE
#define REGIONS                                                                                    \
    global const uint *changes, global const int *numbers, ulong room, global const uint4 *slices
#define WHERE changes, numbers, room, slices

typedef struct {
    uint y, start, end; /* row, the places of its first pixel and of the next row's */
    size_t next;        /* in the list, ... */
    uint left;          /* ... and how many changes follow */
    uint from, to;      /* columns of this run */
    uint label;
} cursor;

/* Before the first row of a band. */
cursor band_cursor(REGIONS, uint band, uint band_rows, uint cols, uint rows)
{
    uint top = band * band_rows, place = top * cols;
    return (cursor){.y = top - 1, .end = place, .next = band * room, .left = slices[band].w};
}

/* The next run of the band; false if there is none. */
INLINE bool next_run(cursor *c, REGIONS, uint cols)
{
    int label = 0;
    while (label <= 0) {
        if (!c->left--)
            return false;
        label = numbers[c->next++];
    }
    uint place = changes[c->next - 1];
    for (; place >= c->end; c->end += cols) {
        c->y++;
        c->start = c->end;
    }
    c->label = (uint)label;
    c->from = place - c->start;
    c->to = changes[c->next] - c->start;
    return true;
}
#else
#if COARSE
typedef ulong block;
#define LOAD_BLOCK(line, j) word64(line, j, cols)
#define BLOCK_WORDS 2
#else
typedef uint block;
#define LOAD_BLOCK(line, j) word32(line, j, cols)
#define BLOCK_WORDS 1
#endif
#define BLOCK_BITS (32 * BLOCK_WORDS)
#define LOWEST(bits) ((uint)popcount(~(bits) & ((bits) - 1)))

#if LABELS
#define REGIONS global const uint *mask, global const uint *starts, global const int *labels
#define WHERE mask, starts, labels
#elif COARSE
#define REGIONS global const uint *mask, TABLES
#define WHERE mask, runs, ids, bands, slots
#else
#define REGIONS global const uint *mask, TABLES
#define WHERE mask, runs, offsets, sums, unused
#endif

typedef struct {
    uint y, j, end; /* row, next word, the one after the last */
    uint bottom;    /* COARSE: the row after the band's last */
    uint run;       /* number of this run */
    uint from, to;  /* columns of this run */
    block begin;    /* places in the block where runs begin that have not been taken */
    block edges;    /* where runs begin or have ended */
    block before;   /* whether the pixel before the block has a label */
} cursor;

/* Takes the next block of a row. */
INLINE void next_block(cursor *c, REGIONS, uint cols)
{
    size_t line = (size_t)c->y * ((cols + 31) / 32);
    block w = LOAD_BLOCK(mask + line, c->j);
#if LABELS
    c->begin = LOAD_BLOCK(starts + line, c->j);
#else
    c->begin = STARTS(w, c->before);
#endif
    c->edges = c->begin | (~w & (w << 1 | c->before));
    c->before = w >> (BLOCK_BITS - 1);
    c->j += BLOCK_WORDS;
}

#define COLUMN(c, bits) (32 * ((c)->j - BLOCK_WORDS) + LOWEST(bits))

#if COARSE
/* Goes on to the band's next row, if there is one. */
static inline bool next_row(cursor *c)
{
    c->j = 0;
    c->before = 0;
    return ++c->y < c->bottom;
}
#else
#define next_row(c) false
#endif

/* The next run of the band, or of the word; false if there is none. */
INLINE bool next_run(cursor *c, REGIONS, uint cols)
{
    while (!c->begin && (c->j < c->end || next_row(c)))
        next_block(c, WHERE, cols);
    if (!c->begin)
        return false;
    block later = 0 - (c->begin & (0 - c->begin)); /* the run's first place, and those after it */
    c->from = COLUMN(c, c->begin);
    c->run++;
    c->begin &= c->begin - 1;
    c->edges &= later << 1;
    while (!c->edges && c->j < c->end)
        next_block(c, WHERE, cols);
    c->to = c->edges ? COLUMN(c, c->edges) : min(cols, 32 * c->end);
    return true;
}

#if COARSE
/* At the beginning of a band. */
cursor band_cursor(REGIONS, uint band, uint band_rows, uint cols, uint rows)
{
    uint top = band * band_rows;
    return (cursor){.y = top, .bottom = min(rows, top + band_rows), .end = (cols + 31) / 32,
                    .run = bands[band].first - 1};
}
#else
/* At the beginning of word j of row y. A run that came into it goes on. */
cursor word_cursor(REGIONS, uint y, uint j, uint cols)
{
    uint i = y * ((cols + 31) / 32) + j;
    cursor c = {.y = y, .j = j, .end = j + 1};
    c.before = j ? mask[i - 1] >> 31 : 0;
    next_block(&c, WHERE, cols);
    bool within = mask[i] & 1 & ~c.begin & 1;
    c.begin |= within;
#if !LABELS
    c.run = OFFSET(i) - 1 - within;
#endif
    return c;
}
#endif
#endif

/* The label of the cursor's run, and its row in the table; false if the table does not hold it. */
INLINE bool find(REGIONS, uint slice, uint first, uint count, uint cols, const cursor *c,
                 uint *label, uint *row)
{
#if LABELS && COARSE
    *label = c->label;
    uint4 own = slices[slice]; /* row, first label, labels */
    *row = own.x + (*label - own.y);
    return *label - own.y < own.z;
#elif LABELS
    *label = labels[(size_t)c->y * cols + c->from];
#elif COARSE
    uint id = ids[runs[c->run]];
    *label = label_of(runs, ids, slots, bands[slice].before, c->run);
    *row = id & FLAG ? count + (id & ~FLAG) : *label - first;
    return *label - first < count;
#else
    *label = label_of(runs, c->run);
#endif
#if !COARSE
    *row = *label - first;
    return *row < count;
#endif
}
