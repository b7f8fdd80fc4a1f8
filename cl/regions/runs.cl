/* SPDX-License-Identifier: MIT */
/*
 * Runs of set pixels in the rows of a mask, and the components that label.cl makes of them; for the
 * kernel files that include this one.
 *
 * Method:    bit p of STARTS says that a run begins at p. So the number of the run that covers p is
 *            the number of runs before the word, plus the starts up to p, less one: a popcount. Two
 *            runs in neighbouring rows touch exactly when their intervals overlap (for 8
 *            neighbours: each interval made longer by one pixel to the right), and the first common
 *            position is a start of one of them.
 *            Coarse: a work-item takes a band of rows. The runs of a band are numbered from
 *            bands[].first on. ids[runs[k]] is the rank of k's component among those that begin
 *            in the band; or it is, with RUNS_FLAG, the slot of a component that begins in an
 *            earlier band.
 *            Fine: runs are numbered through the image. offsets[i] + group_offsets[i / GROUP] is
 *            the number of runs before word i. runs[k] is, with RUNS_FLAG, k's label; or it is the
 *            run that has the label.
 * Launch:    as the file that includes this one.
 * Exactness: integers.
 * Limits:    fewer than 2^31 runs.
 * Others:    host src/opencl/regions/runs.c, docs/labelling.md, "Runs".
 */
#include "regions/runs.h"

#ifndef CONNECTIVITY
#define CONNECTIVITY 4
#endif
#ifndef INVERT /* 1: the clear pixels' runs */
#define INVERT 0
#endif

/* COMPONENTS are the arguments of a kernel that describe a mask's components: the buffers of struct
 * runs (src/opencl/regions/runs.h) in their order. `components all = COMPONENTS_GIVEN;` gathers
 * them, so that functions take one pointer. */
/* clang-format off */
#if COARSE
#define COMPONENTS                                                                                 \
    global const uint *restrict runs, global const uint *restrict ids,                             \
    global const struct runs_band *restrict bands, global const struct runs_slot *restrict slots
#define COMPONENTS_GIVEN {runs, ids, bands, slots}
#else
#define COMPONENTS                                                                                 \
    global const uint *restrict runs, global const uint *restrict offsets,                         \
    global const uint *restrict group_offsets, global const uint *restrict unused
#define COMPONENTS_GIVEN {runs, offsets, group_offsets}
#endif
/* clang-format on */

typedef struct {
    global const uint *runs;
#if COARSE
    global const uint *ids;
    global const struct runs_band *bands;
    global const struct runs_slot *slots;
#else
    global const uint *offsets, *group_offsets;
#endif
} components;

/* 32 pixels of a row; those past its end are clear. */
uint word32(global const uint *row, uint j, uint cols)
{
#if INVERT
    uint left = cols - 32 * j;
    return ~row[j] & (left < 32 ? (1u << left) - 1 : ~0u);
#else
    return row[j];
#endif
}

/* 64 pixels, from an even word on. */
ulong word64(global const uint *row, uint j, uint cols)
{
#if !INVERT && defined(__ENDIAN_LITTLE__)
    if (32 * (j + 1) < cols)
        return as_ulong(vload2(0, row + j));
#endif
    ulong low = word32(row, j, cols);
    return 32 * (j + 1) < cols ? low | (ulong)word32(row, j + 1, cols) << 32 : low;
}

/* The place of the lowest bit; 64 if there is none. */
uint lowest(ulong bits) { return (uint)popcount(~bits & (bits - 1)); }

/* The bits at which a run begins; `before` is the pixel before the word. */
#define STARTS(word, before) ((word) & ~((word) << 1 | (before)))

/* The bits that a run touches in the row below: with 8 neighbours also the one behind its end. */
#if CONNECTIVITY == 8
#define WIDE(word, before) ((word) | (word) << 1 | (before))
#else
#define WIDE(word, before) (word)
#endif

#if COARSE
/* The label of run k, in a band before which `before` components begin. */
INLINE uint label_of(const components *all, uint before, uint k)
{
    uint id = all->ids[all->runs[k]];
    if (!(id & RUNS_FLAG))
        return id + before + 1;
    struct runs_slot slot = all->slots[id & ~RUNS_FLAG];
    return all->ids[slot.root] + slot.before + 1;
}
#else
/* The number of runs before word i of the mask. */
#define OFFSET(i) (offsets[i] + group_offsets[(i) / GROUP])

/* The label of run k. */
INLINE uint label_of(const components *all, uint k)
{
    uint run = all->runs[k];
    return (run & RUNS_FLAG ? run : all->runs[run]) & ~RUNS_FLAG;
}
#endif
