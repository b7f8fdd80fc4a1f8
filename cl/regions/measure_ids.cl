/* SPDX-License-Identifier: MIT */
/*
 * Replaces the ids of a label image, T of any integer type, by their ranks 1..n.
 *
 * Method:    measure_ids_count counts the runs of equal ids along the image: there are at most so
 *            many ids. measure_ids_enter enters each id into a hash table with open addressing.
 *            A slot holds the place, plus one, of some pixel with the id, because not every device
 *            can exchange 64-bit ids atomically. measure_ids_list lists the ids and their slots;
 *            the host sorts them. measure_ids_order notes the rank of each slot, measure_ids_write
 *            writes the rank of each pixel.
 * Launch:    coarse: any number of work-items in groups of one, each with a share of the pixels or
 *            slots. Fine: one per pixel or slot. measure_ids_order has one per id.
 * Exactness: integers. Which slot an id gets depends on the order of the work-items; the ranks do
 *            not.
 * Limits:    fewer than 2^32 pixels; a hash table of 2^bits slots, more than there are ids.
 * Others:    host src/opencl/regions/measure_ids.c, definition src/reference/measure.c, pair
 *            src/pairs/measure.c, docs/measurement.md, "Labels that are not 1..n".
 */
#ifndef T
#define T long
#endif

/* Declares i and `end`: of n elements a work-item takes those from i to end - 1. */
#if COARSE
#define SHARE(n, i)                                                                                \
    size_t workers = get_global_size(0), worker = get_global_id(0);                                \
    ulong i = (n) / workers * worker + min((ulong)worker, (n) % workers);                          \
    ulong end = i + (n) / workers + (worker < (n) % workers);
#else
#define SHARE(n, i) ulong i = get_global_id(0), end = min(i + 1, (ulong)(n));
#endif

/* Whether the pixel is the first of a run of its id. */
static inline bool begins(global const T *labels, ulong i)
{
    return labels[i] > 0 && (i == 0 || labels[i] != labels[i - 1]);
}

/* Counts the runs of ids: at least as many as there are ids, for the size of the hash. */
kernel SIZED void measure_ids_count(global const T *labels, ulong n, volatile global uint *count)
{
    uint runs = 0;
    SHARE(n, i)
    for (; i < end; i++)
        runs += begins(labels, i);
    if (runs)
        atomic_add(count, runs);
}

/* The slot where the search for an id begins: the high bits of a product depend on all bits of the
 * id (multiplicative hashing). */
static inline uint first_slot(ulong id, uint bits)
{
    id ^= id >> 32;
    return (uint)(id * 0x9e3779b97f4a7c15 >> (64 - bits));
}

/* Enters every id into the hash: a slot holds one more than the place of a pixel that has it. */
kernel SIZED void measure_ids_enter(global const T *labels, ulong n, volatile global uint *hash,
                                    uint bits)
{
    uint last = UINT_MAX >> (32 - bits);
    SHARE(n, i)
    for (; i < end; i++) {
        if (!begins(labels, i))
            continue;
        uint slot = first_slot((ulong)labels[i], bits), there;
        while ((there = atomic_cmpxchg(hash + slot, 0u, (uint)i + 1)) &&
               labels[there - 1] != labels[i])
            slot = (slot + 1) & last;
    }
}

/* Lists the ids in the hash with their slots, in no order, for the host to sort. */
kernel SIZED void measure_ids_list(global const T *labels, global const uint *hash, ulong slots,
                                   volatile global uint *count, global ulong *ids,
                                   global uint *places)
{
    SHARE(slots, i)
    for (; i < end; i++)
        if (hash[i]) {
            uint at = atomic_inc(count);
            ids[at] = (ulong)labels[hash[i] - 1];
            places[at] = (uint)i;
        }
}

/* Leaves the rank of every id in ranks[], by its slot; places[] has the slots in order. */
kernel GROUPED void measure_ids_order(global const uint *places, ulong n, global int *ranks)
{
    ulong i = get_global_id(0);
    if (i < n)
        ranks[places[i]] = (int)i + 1;
}

/* Writes the rank of the id of every pixel, 0 where there is none. */
kernel SIZED void measure_ids_write(global const T *labels, ulong n, global const uint *hash,
                                    uint bits, global const int *ranks, global int *ranked)
{
    uint last = UINT_MAX >> (32 - bits);
    int rank = 0;
    T before = 0;
    SHARE(n, i)
    for (; i < end; i++) {
        T id = labels[i];
        if (id != before) {
            uint slot = id > 0 ? first_slot((ulong)id, bits) : 0;
            while (id > 0 && labels[hash[slot] - 1] != id)
                slot = (slot + 1) & last;
            rank = id > 0 ? ranks[slot] : 0;
            before = id;
        }
        ranked[i] = rank;
    }
}
