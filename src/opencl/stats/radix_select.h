/* SPDX-License-Identifier: MIT */
/* Order statistics of unsorted keys of 32 bits, in linear time: a radix select by 11 bits at once.
 */
#ifndef CLUMP_SRC_OPENCL_STATS_RADIX_SELECT_H
#define CLUMP_SRC_OPENCL_STATS_RADIX_SELECT_H

#include <stddef.h>
#include <stdint.h>

/* n keys from `least` to `most`, in any order. */
struct unsorted_keys {
    const uint32_t *key;
    size_t n;
    uint32_t least, most;
};

/*
 * Copies to `room` (n + 1 entries, which may alias the keys) the keys whose rank can lie in
 * [*first, *last], and returns them. Ranks count from 0. *first and *last become ranks among the
 * copied keys. *next is lowered to the least key above the copied ones, if *last is the rank of the
 * greatest copied key and that least key is less than *next.
 */
struct unsorted_keys clump_radix_select_between(struct unsorted_keys unsorted, size_t *first,
                                                size_t *last, uint32_t *room, uint32_t *next);

/* The key of this rank. *next gets the key of the next rank, or UINT32_MAX if there is none. */
uint32_t clump_radix_select(struct unsorted_keys unsorted, size_t rank, uint32_t *room,
                            uint32_t *next);

#endif
