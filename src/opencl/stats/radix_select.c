/* SPDX-License-Identifier: MIT */
#include "opencl/stats/radix_select.h"

#define DIGITS 2048
#define TABLES 4

/* Counts the keys by their distance from the least one, shifted. Many keys in a row may have the
 * same digit: several tables let the additions overlap. */
static void tally(const struct unsorted_keys *heap, unsigned shift, uint32_t count[DIGITS])
{
    uint32_t tables[TABLES][DIGITS] = {{0}};
    size_t i = 0;
    for (; i + TABLES <= heap->n; i += TABLES)
        for (size_t t = 0; t < TABLES; t++)
            tables[t][(heap->keys[i + t] - heap->least) >> shift]++;
    for (; i < heap->n; i++)
        tables[0][(heap->keys[i] - heap->least) >> shift]++;
    for (size_t d = 0; d < DIGITS; d++)
        count[d] = tables[0][d] + tables[1][d] + tables[2][d] + tables[3][d];
}

/* The least key above this one, if that is less than `next`, which it is otherwise. */
static uint32_t next_key(const struct unsorted_keys *heap, uint32_t key, uint32_t next)
{
    for (size_t i = 0; i < heap->n; i++)
        if (heap->keys[i] > key && heap->keys[i] < next)
            next = heap->keys[i];
    return next;
}

struct unsorted_keys clump_radix_select_between(struct unsorted_keys heap, size_t *first,
                                                size_t *last, uint32_t *room, uint32_t *next)
{
    uint32_t count[DIGITS], low = 0, high = 0;
    unsigned shift = 0;
    size_t below = 0, above = 0, kept = 0;
    while ((heap.most - heap.least) >> shift >= DIGITS)
        shift++;
    tally(&heap, shift, count);
    for (; below + count[low] <= *first; low++)
        below += count[low];
    for (; above + count[high] <= *last; high++)
        above += count[high];
    struct unsorted_keys part = {.least = heap.least + (low << shift)};
    part.most = part.least + (((high - low + 1) << shift) - 1);
    if (*last + 1 == above + count[high])
        *next = next_key(&heap, part.most, *next);
    for (size_t i = 0; i < heap.n; i++) {
        uint32_t key = heap.keys[i];
        room[kept] = key;
        kept += key - part.least <= part.most - part.least;
    }
    part.keys = room;
    part.n = kept;
    *first -= below;
    *last -= below;
    return part;
}

uint32_t clump_radix_select(struct unsorted_keys heap, size_t rank, uint32_t *room, uint32_t *next)
{
    *next = UINT32_MAX;
    for (size_t last = rank; heap.least < heap.most; last = rank)
        heap = clump_radix_select_between(heap, &rank, &last, room, next);
    if (rank + 1 < heap.n)
        *next = heap.least;
    return heap.least;
}
