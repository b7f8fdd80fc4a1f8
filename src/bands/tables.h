/* SPDX-License-Identifier: MIT */
/*
 * What a backend adds up about some rows of an image, for statistics of the whole: counts and sums
 * per bin of keys, keys in intervals, places. All of it is integers, so it does not matter how the
 * rows were cut. Keys are those of docs/statistics.md, "Keys"; a key's bin is as in "The key
 * histogram".
 */
#ifndef CLUMP_SRC_BANDS_TABLES_H
#define CLUMP_SRC_BANDS_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 bands_wide;

/* Bins: wide ones by the top 16 bits of a key's distance from the base, then the narrow ones. */
#define BANDS_WIDE   65536
#define BANDS_NARROW 4096
#define BANDS_BINS   (BANDS_WIDE + BANDS_NARROW)

/* Keys from `base` to base + length - 1 have narrow bins of 2^shift keys each; length 0: none. The
 * base is a multiple of a wide bin's keys where wide bins count. */
struct bands_window {
    uint64_t base, length;
    uint32_t shift;
};

/* Sums of d, a key's distance from the start of its bin; that of d^2 is low + high 2^64. */
struct bands_bin {
    uint64_t count;
    bands_wide d, low, high;
};

/* The extreme keys, blank pixels left out, and the numbers of the first pixels that have them. */
struct bands_extremes {
    bool any;
    uint64_t least, most, least_at, most_at;
};

/* Ascending intervals of keys: first and last of each. */
struct bands_intervals {
    const uint64_t *bounds;
    size_t count;
    const void *order; /* struct order of the image, which tells a device where most pixels are */
};

/* Keys that were gathered, in any order. */
struct bands_keys {
    uint64_t *key;
    size_t count, room;
};

/* The first pixels of two keys. */
struct bands_places {
    uint64_t least, most;       /* the keys */
    bool has_least, has_most;   /* whether they were found yet */
    uint64_t least_at, most_at; /* numbers of pixels */
};

#endif
