/* SPDX-License-Identifier: MIT */
/*
 * Runs of set pixels in the rows of a mask, and what label.cl leaves in its tables about them;
 * for the kernel files that include this one.
 *
 * Method:    bit p of `starts` says that a run begins at p, so the run that covers p has the number
 *            of runs before the word plus the number of starts up to p, less one: a popcount. Two
 *            runs in neighbouring rows touch exactly when their intervals, for 8 neighbours each
 *            longer by one to the right, overlap; and the first common position is a start of one.
 *            COARSE: a work-item takes a band of rows. The runs of a band are numbered from
 *            bands[].first on; ids[runs[k]] is the rank of k's component among those that begin in
 *            the band, or, with FLAG, the slot of one that begins in an earlier band.
 *            Else runs are numbered through the image, offsets[] + sums[] of a word being the
 *            number of those before it; runs[k] is, with FLAG, k's label, or else the run that
 *            has it.
 * Limits:    fewer than 2^31 runs.
 */
#ifndef CONNECTIVITY
#define CONNECTIVITY 4
#endif
#ifndef INVERT /* 1: the clear pixels' runs */
#define INVERT 0
#endif

#define FLAG 0x80000000u

typedef struct {
    uint first; /* run, and id */
    uint last;  /* row's first run */
    uint ids;
    uint roots;  /* components that begin in this band */
    uint before; /* components that begin in earlier bands */
    uint pixels; /* of all components */
} band;

#if COARSE
#define TABLES                                                                                     \
    global const uint *restrict runs, global const uint *restrict ids,                             \
        global const band *restrict bands, global const uint2 *restrict slots
#else
#define TABLES                                                                                     \
    global const uint *restrict runs, global const uint *restrict offsets,                         \
        global const uint *restrict sums, global const uint *restrict unused
#endif

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

/* The bits at which a run begins; `before` is the bit before the word. */
#define STARTS(word, before) ((word) & ~((word) << 1 | (before)))

#if CONNECTIVITY == 8
#define WIDE(word, before) ((word) | (word) << 1 | (before))
#else
#define WIDE(word, before) (word)
#endif

#if COARSE
/* The label of run k of a band. */
uint label_of(global const uint *runs, global const uint *ids, global const uint2 *slots,
              uint before, uint k)
{
    uint id = ids[runs[k]];
    if (!(id & FLAG))
        return id + before + 1;
    uint2 slot = slots[id & ~FLAG];
    return ids[slot.x] + slot.y + 1;
}
#else
/* The number of runs before word i of the mask. */
#define OFFSET(i) (offsets[i] + sums[(i) / GROUP])

uint label_of(global const uint *runs, uint k)
{
    uint run = runs[k];
    return (run & FLAG ? run : runs[run]) & ~FLAG;
}
#endif
