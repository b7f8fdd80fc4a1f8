/* SPDX-License-Identifier: MIT */
/* Order statistics of keys of 32 bits, in linear time. */
#ifndef CLUMP_SRC_OPENCL_SELECT_H
#define CLUMP_SRC_OPENCL_SELECT_H

#include <stddef.h>
#include <stdint.h>

/* Keys from `least` to `most`, in no order. */
struct unsorted_keys {
    const uint32_t *keys;
    size_t n;
    uint32_t least, most;
};

/*
 * Those of the keys that may be of ranks first to last, in `room`, which takes as many and one, and
 * may be where they are. Ranks count from 0, afterwards from the least of those. *next becomes the
 * least key above them, if there is one that is less, and the last is the greatest of them.
 */
struct unsorted_keys clump_radix_select_between(struct unsorted_keys heap, size_t *first,
                                                size_t *last, uint32_t *room, uint32_t *next);

/* The key of this rank; *next gets the one after it, or the greatest possible. */
uint32_t clump_radix_select(struct unsorted_keys heap, size_t rank, uint32_t *room, uint32_t *next);

#endif
