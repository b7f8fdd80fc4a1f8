/* SPDX-License-Identifier: MIT */
/*
 * The fine half of sweep.cl.
 *
 * Method:    a group takes a chunk. Every work-item adds up its own pixels; a tree in local memory
 *            merges the work-items' parts. Odd pixels go to the groups in global memory by atomics.
 *            Keys between low and high are held in local memory, as many as it has room for.
 * Launch:    one group of GROUP work-items per chunk.
 * Exactness: integers.
 * Limits:    local memory: 48 bytes per work-item and 4 per held key.
 * Others:    as in sweep.cl.
 */
#include "stats/fine_common.cl"

#define HELD 1024 /* keys that a group holds back before it asks for room */

/* Adds an odd pixel to its group. */
static inline void add_odd(volatile global uint *groups, key k)
{
    volatile global uint *g = groups + 8 * (k >> SWEEP_FRACTION);
    ulong d = k & FRACTION_MASK, square = d * d;
    atomic_inc(g);
    add_wide(g + 2, d);
    add_wide(g + 4, square & LOW32);
    add_wide(g + 6, square >> 32);
}

/* The part of the pixels of both. */
static inline struct sweep_part merge(struct sweep_part a, struct sweep_part b)
{
    struct sweep_part part = {.sum = a.sum + b.sum,
                              .square_low = a.square_low + b.square_low,
                              .square_high = a.square_high + b.square_high,
                              .below_low = a.below_low + b.below_low,
                              .to_low = a.to_low + b.to_low,
                              .to_high = a.to_high + b.to_high,
                              .least = a.least < b.least ? a.least : b.least,
                              .most = a.most > b.most ? a.most : b.most,
                              .blank = a.blank + b.blank};
    return part;
}

/* Leaves a part per chunk, adds to the groups, and lists the keys between low and high. */
kernel GROUPED void sweep_parts(global const float *image, struct sweep_parts_args args,
                                global ulong *memory)
{
    local struct sweep_part own[GROUP];
    local key held[HELD];
    local uint count, start;
    uint l = get_local_id(0);
    ulong c = get_group_id(0), end = min((c + 1) * SWEEP_CHUNK, args.n);
    struct aim aim = {args.scale, args.unit, args.low, args.high};
    global struct sweep_part *parts = (global struct sweep_part *)(memory + args.parts_at);
    volatile global uint *room = (volatile global uint *)(memory + SWEEP_LISTED);
    global key *list = (global key *)(parts + get_num_groups(0));
    struct sweep_part part = {.least = INFINITY, .most = -INFINITY};
    if (l == 0)
        count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (ulong i = c * SWEEP_CHUNK + l; i < end; i += GROUP) {
        uint what = add_pixel(image[i], aim, &part), at = HELD;
        key k = key_of(as_uint(image[i]));
        if (what & ODD)
            add_odd((volatile global uint *)(memory + SWEEP_HEAD), k);
        if (what & BETWEEN)
            at = atomic_inc(&count);
        if (what & BETWEEN && at < HELD)
            held[at] = k;
        else if (what & BETWEEN && (at = atomic_inc(room)) < args.limit)
            list[at] = k;
    }
    own[l] = part;
    for (uint step = GROUP / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < step)
            own[l] = merge(own[l], own[l + step]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        parts[c] = own[0];
        count = min(count, (uint)HELD);
        start = atomic_add(room, count);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint j = l; j < count && start + j < args.limit; j += GROUP)
        list[start + j] = held[j];
}
