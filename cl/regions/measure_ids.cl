/* SPDX-License-Identifier: MIT */
/*
 * The ids of a label image, T of any integer type, become ranks 1..n.
 *
 * Method:    measure_ids_count counts the runs of one id along the image. measure_ids_enter enters each id into a
 *            table with open addressing: a slot holds the place, plus one, of some pixel with the
 *            id, since 64-bit ids cannot be exchanged atomically everywhere. measure_ids_list lists the ids
 *            in the table and their slots; the host sorts them. measure_ids_order notes the rank of each
 *            slot, measure_ids_write the rank of each pixel.
 * Launch:    COARSE: any number of work-items in groups of one, each a share of the pixels or slots;
 *            else one a pixel or slot. measure_ids_order one an id.
 * Exactness: integers; the slots depend on who comes first, the ranks do not.
 * Limits:    fewer than 2^32 pixels; a table of 2^bits slots, more than there are ids.
 * Others:    host src/opencl/regions/measure_ids.c, definition src/reference/measure.c, pair src/pairs/measure.c.
 */
#ifndef T
#define T long
#endif

/* The part of n elements that a work-item takes. */
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

kernel void measure_ids_count(global const T *labels, ulong n, volatile global uint *count)
{
    uint runs = 0;
    SHARE(n, i)
    for (; i < end; i++)
        runs += begins(labels, i);
    if (runs)
        atomic_add(count, runs);
}

/* Where the search for an id begins: the high bits of a product mix all of its bits. */
static inline uint first_slot(ulong id, uint bits)
{
    id ^= id >> 32;
    return (uint)(id * 0x9e3779b97f4a7c15 >> (64 - bits));
}

kernel void measure_ids_enter(global const T *labels, ulong n, volatile global uint *table, uint bits)
{
    uint last = UINT_MAX >> (32 - bits);
    SHARE(n, i)
    for (; i < end; i++) {
        if (!begins(labels, i))
            continue;
        uint slot = first_slot((ulong)labels[i], bits), there;
        while ((there = atomic_cmpxchg(table + slot, 0u, (uint)i + 1)) &&
               labels[there - 1] != labels[i])
            slot = (slot + 1) & last;
    }
}

kernel void measure_ids_list(global const T *labels, global const uint *table, ulong slots,
                     volatile global uint *count, global ulong *ids, global uint *places)
{
    SHARE(slots, i)
    for (; i < end; i++)
        if (table[i]) {
            uint at = atomic_inc(count);
            ids[at] = (ulong)labels[table[i] - 1];
            places[at] = (uint)i;
        }
}

kernel void measure_ids_order(global const uint *places, ulong n, global int *ranks)
{
    ulong i = get_global_id(0);
    if (i < n)
        ranks[places[i]] = (int)i + 1;
}

kernel void measure_ids_write(global const T *labels, ulong n, global const uint *table, uint bits,
                      global const int *ranks, global int *ranked)
{
    uint last = UINT_MAX >> (32 - bits);
    int rank = 0;
    T before = 0;
    SHARE(n, i)
    for (; i < end; i++) {
        T id = labels[i];
        if (id != before) {
            uint slot = id > 0 ? first_slot((ulong)id, bits) : 0;
            while (id > 0 && labels[table[slot] - 1] != id)
                slot = (slot + 1) & last;
            rank = id > 0 ? ranks[slot] : 0;
            before = id;
        }
        ranked[i] = rank;
    }
}
