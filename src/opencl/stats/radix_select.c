/* SPDX-License-Identifier: MIT */
#include "opencl/stats/radix_select.h"

#define DIGITS 2048
#define TURNS  4

/*
 * Counts the keys by their digit: their distance from the least key, shifted. Neighbouring keys
 * often have the same digit, and an addition must wait for the one before it in the same place:
 * keys take turns among TURNS sets of counts.
 */
static void tally(const struct unsorted_keys *unsorted, unsigned shift, uint32_t count[DIGITS])
{
    uint32_t counts[TURNS][DIGITS] = {{0}};
    size_t i = 0;
    for (; i + TURNS <= unsorted->n; i += TURNS)
        for (size_t t = 0; t < TURNS; t++)
            counts[t][(unsorted->key[i + t] - unsorted->least) >> shift]++;
    for (; i < unsorted->n; i++)
        counts[0][(unsorted->key[i] - unsorted->least) >> shift]++;
    for (size_t d = 0; d < DIGITS; d++)
        count[d] = counts[0][d] + counts[1][d] + counts[2][d] + counts[3][d];
}

/* Returns the least key above `key`, or `next` where no key lies between the two. */
static uint32_t next_key(const struct unsorted_keys *unsorted, uint32_t key, uint32_t next)
{
    for (size_t i = 0; i < unsorted->n; i++)
        if (unsorted->key[i] > key && unsorted->key[i] < next)
            next = unsorted->key[i];
    return next;
}

struct unsorted_keys clump_radix_select_between(struct unsorted_keys unsorted, size_t *first,
                                                size_t *last, uint32_t *room, uint32_t *next)
{
    uint32_t count[DIGITS], low = 0, high = 0;
    unsigned shift = 0;
    size_t below = 0, above = 0, kept = 0;
    while ((unsorted.most - unsorted.least) >> shift >= DIGITS)
        shift++;
    tally(&unsorted, shift, count);
    for (; below + count[low] <= *first; low++)
        below += count[low];
    for (; above + count[high] <= *last; high++)
        above += count[high];
    struct unsorted_keys part = {.least = unsorted.least + (low << shift)};
    part.most = part.least + (((high - low + 1) << shift) - 1);
    if (*last + 1 == above + count[high])
        *next = next_key(&unsorted, part.most, *next);
    for (size_t i = 0; i < unsorted.n; i++) {
        uint32_t key = unsorted.key[i];
        room[kept] = key;
        kept += key - part.least <= part.most - part.least;
    }
    part.key = room;
    part.n = kept;
    *first -= below;
    *last -= below;
    return part;
}

uint32_t clump_radix_select(struct unsorted_keys unsorted, size_t rank, uint32_t *room,
                            uint32_t *next)
{
    *next = UINT32_MAX;
    for (size_t last = rank; unsorted.least < unsorted.most; last = rank)
        unsorted = clump_radix_select_between(unsorted, &rank, &last, room, next);
    if (rank + 1 < unsorted.n)
        *next = unsorted.least;
    return unsorted.least;
}
