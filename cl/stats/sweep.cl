/* SPDX-License-Identifier: MIT */
/*
 * Statistics of an image, and all that clipping asks for, by one sweep over its pixels.
 *
 * Method:    a sample (sweep_sample.cl) tells the host two units, powers of two, a bracket from
 *            `low` to `high` and a core from `core_low` to `core_high`. A pixel is usual if it is
 *            a whole number of units (sweep_units.cl); the median lies in the bracket, and
 *            clipping removes nothing of the core, most likely. The sweep adds up the usual
 *            pixels as whole numbers of the first unit, or else of the second one; it counts the
 *            pixels up to `low` and up to `high`, and lists the keys (cl/common/keys.cl) of
 *            those between. With CLIP=1 it lists the keys and the numbers of the pixels outside
 *            of the core: the tails. The keys of pixels that are no whole number of either unit
 *            are listed too: the odd. Blank pixels are counted. TIES=0 omits the counts of
 *            pixels equal to low or high; the host asks for that where the sample has both
 *            values only once. The layout of the memory is in sweep.h: one piece, so that the
 *            host waits and maps once.
 * Launch:    sweep_parts coarse: one work-item per worker; fine: one group per chunk. sweep_place
 *            two groups, for the least and for the greatest pixel.
 * Exactness: integers. Tiny (subnormal) pixels are odd, since a device may flush them to zero.
 *            Where an image has any, the host trusts low, high, core and extremes only if these
 *            are not tiny.
 * Limits:    2^31 pixels; the lists have room for so many entries, further ones are counted and
 *            dropped. See docs/limits.md.
 * Others:    host src/opencl/stats/sweep.c, definition src/reference/stats.c and clip.c, pairs
 *            src/pairs/stats.c and clip.c, derivation docs/statistics.md, "The sweep".
 */
#include "common/keys.cl"
#include "stats/sweep.h"

#ifndef VECTOR
#define VECTOR 8 /* 32-bit numbers that a coarse work-item takes at once: 8 or 16 */
#endif
#ifndef TIES
#define TIES 1
#endif
#ifndef CLIP
#define CLIP 1
#endif
#include "stats/sweep_units.cl"

#define PART_WORDS (2 * SUMS + SWEEP_COUNTS)
/* An entry of the tails. */
#if KEY_BITS == 32
typedef ulong entry;
#define ENTRY(k, number) ((ulong)(k) << 32 | (number))
#else
typedef ulong2 entry;
#define ENTRY(k, number) (ulong2)(k, number)
#endif

/* What the host has learnt from the sample. */
struct aim {
    struct unit first, second;
    REAL low, high, core_low, core_high;
};

static inline struct aim aim_of(const struct sweep_parts_args *args)
{
    struct aim aim = {
        .first = {REAL_OF_BITS(args->scale[0]), REAL_OF_BITS(args->unit[0])},
        .second = {REAL_OF_BITS(args->scale[1]), REAL_OF_BITS(args->unit[1])},
        .low = REAL_OF_BITS(args->low),
        .high = REAL_OF_BITS(args->high),
        .core_low = REAL_OF_BITS(args->core_low),
        .core_high = REAL_OF_BITS(args->core_high),
    };
    return aim;
}

static inline bool is_between(REAL x, struct aim aim) { return x > aim.low && x < aim.high; }
INLINE bool is_tail(REAL x, struct aim aim)
{
    return CLIP && (x <= aim.core_low || x >= aim.core_high);
}

#define KEY_OF(pixel) key_of(WORD_OF(pixel))

/*
 * Finds the first pixel that has the extreme key of all parts, in the first chunk that has it:
 * group 0 that of the least key, group 1 that of the greatest.
 */
kernel GROUPED void sweep_place(global const T *image, ulong n, ulong parts_at,
                                global ulong *memory)
{
    local key keys[GROUP];
    local uint places[GROUP], first;
    uint l = get_local_id(0), most = get_group_id(0), at = 0;
    uint chunks = (uint)((n + SWEEP_CHUNK - 1) / SWEEP_CHUNK);
    global const ulong *parts = memory + parts_at + 2 * SUMS + (most ? SWEEP_MOST : SWEEP_LEAST);
    key flip = most ? BLANK : 0, best = BLANK; /* the greatest key, flipped, is the least */
    for (uint c = l; c < chunks; c += GROUP) {
        key k = (key)parts[(size_t)c * PART_WORDS] ^ flip;
        at = k < best ? c : at;
        best = min(k, best);
    }
    keys[l] = best;
    places[l] = at;
    if (l == 0)
        first = SWEEP_CHUNK;
    for (uint step = GROUP / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < step && (keys[l + step] < keys[l] ||
                         (keys[l + step] == keys[l] && places[l + step] < places[l]))) {
            keys[l] = keys[l + step];
            places[l] = places[l + step];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    ulong start = (ulong)places[0] * SWEEP_CHUNK;
    for (uint i = l; i < SWEEP_CHUNK && start + i < n; i += GROUP)
        if (KEY_OF(image[start + i]) == (keys[0] ^ flip)) {
            atomic_min(&first, i);
            break;
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0)
        memory[SWEEP_PLACES + most] = start + first;
}

#if COARSE
#include "stats/sweep_coarse.cl"
#else
#include "stats/sweep_fine.cl"
#endif
