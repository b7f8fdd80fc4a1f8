/* SPDX-License-Identifier: MIT */
/*
 * Order statistics of an image, as far as its histogram tells them. The bins that have pixels are
 * listed in ascending order. A question that depends on the inside of a bin whose keys are unknown
 * marks the bin as wanted, answers with a guess, and sets `guessed`. After the keys of the wanted
 * bins have come from the device all questions are asked again, until no answer was guessed. See
 * docs/statistics.md, "Guess-and-replay".
 */
#ifndef CLUMP_SRC_OPENCL_STATS_ORDER_H
#define CLUMP_SRC_OPENCL_STATS_ORDER_H

#include "opencl/stats/exact_sums.h"

/* Why the keys of a bin are wanted: an exact answer needs them, or a guessed one would. */
enum order_want { ORDER_HINT = 1, ORDER_NEEDED = 2 };

struct order_bin {
    struct exact_sums_bin sums;
    uint64_t first, last; /* the range of its keys; if they are equal all its pixels are alike */
    uint64_t before;      /* pixels in lower bins */
    const uint64_t *keys; /* of all its pixels, ascending; NULL while they are unknown */
    uint64_t *list;       /* the same in any order, sorted when asked for; such a bin has no sums */
    bool blind;           /* only the number of its pixels is known, not their sums */
    unsigned wanted;      /* enum order_want, ORed */
};

struct order {
    struct keys keys;
    struct order_bin *bin;
    size_t count, room;
    uint64_t pixels;      /* that are not blank */
    uint64_t first, past; /* the finite pixels have ranks first to past - 1 */
    bool guessed;         /* whether an answer since this was last cleared is a guess */
    bool closed;          /* no more keys can be learnt: guesses are of no use */
};

/* Sets `before`, `pixels` and the ranks of finite pixels. Call it when bins have been added. */
void clump_order_index(struct order *order);
void clump_order_destroy(struct order *order);

/* The key of the pixel of this rank; ranks count from 0. */
uint64_t clump_order_select(struct order *order, uint64_t rank);
/* How many pixels have keys below `key`. */
uint64_t clump_order_rank(struct order *order, uint128 key);
/* The mean of the two middle values a and b, as the median of an even number of pixels has it. */
double clump_order_middle(double a, double b);
/* The median of the pixels of ranks first to past - 1; first < past. */
double clump_order_median(struct order *order, uint64_t first, uint64_t past);
/* The median of |x - centre| over the same pixels; `centre` is finite. */
double clump_order_mad(struct order *order, uint64_t first, uint64_t past, double centre);
/* The quantile q of all pixels by linear interpolation, as NumPy's default. */
double clump_order_quantile(struct order *order, double q);
/* Removes the pixels of ranks first to past - 1 from `sums`. */
void clump_order_remove(struct order *order, struct exact_sums *sums, uint64_t first,
                        uint64_t past);

#endif
