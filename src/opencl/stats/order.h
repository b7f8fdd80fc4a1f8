/* SPDX-License-Identifier: MIT */
/*
 * The pixels of an image in the order of their values, as far as they are known: bins that have
 * pixels, in ascending order. What a question needs to know about the inside of a bin it asks for
 * by marking the bin, answers as well as it can, and remembers that the answer is a guess; after
 * the keys of the marked bins have come from the device the question is put again.
 */
#ifndef CLUMP_SRC_OPENCL_BINS_H
#define CLUMP_SRC_OPENCL_BINS_H

#include "opencl/stats/exact_sums.h"

/* Why a bin's keys are wanted. */
enum { BIN_HINT = 1, BIN_NEEDED = 2 };

struct order_bin {
    struct exact_sums_bin sums;
    uint64_t first, last; /* keys that may be in it; when equal all its pixels are alike */
    uint64_t before;      /* pixels in lower bins */
    const uint64_t *keys; /* all of them, ascending; NULL while unknown */
    unsigned wanted;      /* why: BIN_HINT, BIN_NEEDED */
};

struct order {
    struct keys keys;
    struct order_bin *bin;
    size_t count, room;
    uint64_t pixels;
    uint64_t first, past; /* ranks of the finite pixels */
    bool guessed;         /* some answer since the last reset rests on an unknown bin */
};

/* Sets `before`, `pixels` and the finite range after bins were added in order. */
void clump_order_index(struct order *bins);
void clump_order_destroy(struct order *bins);

/* The key of the pixel of this rank, counted from 0. */
uint64_t clump_order_select(struct order *bins, uint64_t rank);
/* How many pixels have keys below `key`. */
uint64_t clump_order_rank(struct order *bins, u128 key);
/* The mean of two pixels, as the median has it. */
double clump_order_middle(double a, double b);
/* The median of the pixels of ranks first to past - 1, of which there is one at least. */
double clump_order_median(struct order *bins, uint64_t first, uint64_t past);
/* The median of |x - centre| of these pixels; `centre` is finite. */
double clump_order_mad(struct order *bins, uint64_t first, uint64_t past, double centre);
/* NumPy's linear quantile of all pixels. */
double clump_order_quantile(struct order *bins, double q);
/* Takes the pixels of these ranks out of the sums. */
void clump_order_remove(struct order *bins, struct exact_sums *moments, uint64_t first,
                        uint64_t past);

#endif
