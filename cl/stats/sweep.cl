/* SPDX-License-Identifier: MIT */
/*
 * Statistics of an image of floats by one sweep over its pixels.
 *
 * Method:    a sample tells the host a unit, a power of two, and a bracket from `low` to `high`.
 *            A pixel is usual if it is a multiple of the unit, of fewer than 2^SWEEP_SPAN units;
 *            the median lies in the bracket, most likely. The sweep adds up the usual pixels as
 *            whole numbers of units, and their squares; it counts the pixels up to `low` and up
 *            to `high`, and lists the keys (cl/common/keys.cl) of those between. All other
 *            pixels are odd: they are added up by sign and exponent in SWEEP_GROUPS groups, each
 *            a count, the sum of d and the sum of d^2, where d is the bits of the fraction.
 *            Infinities fall into the first and the last group. Blank pixels are counted in the
 *            parts, or they fall into the last group with a d of all ones. TIES=0 omits the
 *            counts of pixels equal to low or high; the host asks for that where the sample has
 *            both values only once. The layout of the memory is in sweep.h: one piece, so that
 *            the host waits and maps once.
 * Launch:    sweep_sample one work-item per sample or word to clear. sweep_parts coarse: one
 *            work-item per worker; fine: one group per chunk, all of them one worker.
 *            sweep_place two groups, for the least and for the greatest pixel.
 * Exactness: integers. A pixel is usual if it survives the way to units and back bit by bit. Tiny
 *            (subnormal) pixels never do, since a device may flush them to zero. Where an image has
 *            any, the host trusts low, high and the extremes only if these are not tiny.
 * Limits:    2^31 pixels; the unit is from 2^-126 to 2^98; the list has room for `limit` keys,
 *            further ones are counted and dropped. See docs/limits.md.
 * Others:    host src/opencl/stats/sweep.c, definition src/reference/stats.c, pair
 *            src/pairs/stats.c, derivation docs/statistics.md, "The sweep".
 */
#include "common/keys.cl"
#include "stats/sweep.h"

#ifndef VECTOR
#define VECTOR 8 /* floats that a coarse work-item takes at once: 8 or 16 */
#endif
#ifndef TIES
#define TIES 1
#endif
#define BIAS          (1u << SWEEP_SPAN) /* makes numbers of units positive */
#define LOW32         0xffffffff
#define FRACTION_MASK ((1u << SWEEP_FRACTION) - 1)

/* What the host has learnt from the sample. */
struct aim {
    float scale, unit, low, high;
};

enum { BETWEEN = 1, ODD = 2 };

/* Adds a pixel to a part. Returns BETWEEN if it lies between low and high, ORed with ODD if it is
 * odd and not blank. */
static inline uint add_pixel(float x, struct aim aim, struct sweep_part *part)
{
    int k = convert_int(x * aim.scale);
    uint biased = as_uint(k) + BIAS, bits = as_uint(x) == KEY_SIGN ? 0 : as_uint(x);
    bool odd = as_uint(convert_float(k) * aim.unit) != bits || biased >= 2 * BIAS;
    ulong square = (ulong)biased * biased;
    part->sum += odd ? 0 : biased;
    part->square_low += odd ? 0 : square & LOW32;
    part->square_high += odd ? 0 : square >> 32;
    part->below_low += x < aim.low;
    part->to_low += x <= aim.low;
    part->to_high += x <= aim.high;
    part->least = x < part->least ? x : part->least;
    part->most = x > part->most ? x : part->most;
    part->blank += isnan(x);
    return (x > aim.low && x < aim.high ? BETWEEN : 0) | (odd && !isnan(x) ? ODD : 0);
}

/* Leaves the keys of pixels from all over the image, and clears `zeros` words of the memory. */
kernel GROUPED void sweep_sample(global const word *image, struct sweep_sample_args args,
                                 global ulong *memory)
{
    size_t i = get_global_id(0);
    global key *sample = (global key *)(memory + args.sample_at);
    ulong stride = args.n / args.samples; /* below 2^32 */
    if (i < args.zeros)
        memory[i] = 0;
    if (i < args.samples)
        sample[i] = key_of(image[i * stride + ((uint)i * 2654435761u * stride >> 32)]);
}

/*
 * Finds the first pixel that has the extreme value of all parts, in the first chunk that has it:
 * group 0 that of the least value, group 1 that of the greatest.
 */
kernel GROUPED void sweep_place(global const float *image, ulong n, ulong parts_at,
                                global ulong *memory)
{
    local float values[GROUP];
    local uint places[GROUP], first;
    uint l = get_local_id(0), most = get_group_id(0), at = 0;
    uint chunks = (uint)((n + SWEEP_CHUNK - 1) / SWEEP_CHUNK);
    global const struct sweep_part *parts = (global const struct sweep_part *)(memory + parts_at);
    float sign = most ? -1 : 1, best = INFINITY;
    for (uint c = l; c < chunks; c += GROUP) {
        float value = sign * (most ? parts[c].most : parts[c].least);
        at = value < best ? c : at;
        best = value < best ? value : best;
    }
    values[l] = best;
    places[l] = at;
    if (l == 0)
        first = SWEEP_CHUNK;
    for (uint step = GROUP / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < step && (values[l + step] < values[l] ||
                         (values[l + step] == values[l] && places[l + step] < places[l]))) {
            values[l] = values[l + step];
            places[l] = places[l + step];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    ulong start = (ulong)places[0] * SWEEP_CHUNK;
    for (uint i = l; i < SWEEP_CHUNK && start + i < n; i += GROUP)
        if (image[start + i] == sign * values[0]) {
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
