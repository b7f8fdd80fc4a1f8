/* SPDX-License-Identifier: MIT */
/* What host and kernels agree on about the key histogram (histogram.cl, docs/statistics.md). */
#ifndef CLUMP_CL_STATS_HISTOGRAM_H
#define CLUMP_CL_STATS_HISTOGRAM_H

#include "common/types.h"

/* Pixels whose extreme keys are kept together; a multiple of 16. */
#define HISTOGRAM_CHUNK 16384

/* Bins: wide ones by the top 16 bits of a key, and narrow ones for the keys of the window. */
#define HISTOGRAM_NARROW_LOG  12
#define HISTOGRAM_NARROW_BINS 4096 /* 2^HISTOGRAM_NARROW_LOG */
#define HISTOGRAM_WIDE_BINS   65536
#define HISTOGRAM_BINS        (HISTOGRAM_WIDE_BINS + HISTOGRAM_NARROW_BINS)

/*
 * Words of 64 bits that histogram_merge leaves of a bin, each HISTOGRAM_BINS words after the one
 * before. 32-bit keys: count, sum of d, sum of d^2. 64-bit keys: count, sums of the high and of the
 * low 32 bits of d, sums of the three parts of d^2.
 */
#define HISTOGRAM_WORDS_32 3
#define HISTOGRAM_WORDS_64 6

/*
 * Coarse: bits of a count in a worker's slice. The other bits of the word hold the sum of numbers
 * of 16 bits, so a worker takes fewer than 2^HISTOGRAM_COUNT_BITS pixels at once.
 */
#define HISTOGRAM_COUNT_BITS 24
/* Bytes of a bin in a worker's slice, coarse, and in the only slice, fine, by the bits of a key. */
#define HISTOGRAM_COARSE_BYTES_32 16
#define HISTOGRAM_COARSE_BYTES_64 64
#define HISTOGRAM_FINE_BYTES_32   20 /* a count of 32 bits, the sums of 64 bits each */
#define HISTOGRAM_FINE_BYTES_64   44

/* Bytes before the keys that histogram_gather leaves; the first 32-bit word counts the keys. */
#define HISTOGRAM_HEAD 16
/* Intervals of keys that histogram_gather compares every key with, before it looks closer. */
#define HISTOGRAM_ZONES 3

/*
 * Scalar arguments of kernels. Keys have 64 bits here, whatever the pixel's type. Members of 8
 * bytes come first, so that no compiler pads between members.
 */
struct histogram_fill_args {
    u64 first, n;     /* pixels from number `first` on */
    u64 base, length; /* the window: keys from `base` to base + length - 1 have narrow bins */
    u32 shift;        /* a narrow bin has 2^shift keys */
    u32 unused;
};

struct histogram_seek_args {
    u64 n;
    u64 start_least, start_most; /* chunks where the search for either key starts */
    u64 least, most;             /* the keys that are sought */
    u64 chunks;                  /* to be searched from each start on */
};

struct histogram_gather_args {
    u64 n;
    u64 from[HISTOGRAM_ZONES], span[HISTOGRAM_ZONES]; /* zones: `span` keys from `from` on */
    u32 intervals; /* of keys that are gathered; all lie in the zones */
    u32 limit;     /* keys that `out` has room for */
};

#endif
