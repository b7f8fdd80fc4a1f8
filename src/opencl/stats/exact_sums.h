/* SPDX-License-Identifier: MIT */
/*
 * Exact sums of pixels, which are rounded once, when a figure is asked for.
 *
 * Keys of the same sign and exponent form a group, in which the value is a linear function of the
 * key. A group keeps the number of its pixels, the sum of D and the sum of D^2, where D is a key's
 * distance from the first key of the group. All of these are integers, so the order of additions
 * does not matter. GMP combines the groups and rounds. Pixels may also arrive as whole numbers of
 * one or two common units. See docs/statistics.md, "Exact sums" and "Units".
 */
#ifndef CLUMP_SRC_OPENCL_STATS_EXACT_SUMS_H
#define CLUMP_SRC_OPENCL_STATS_EXACT_SUMS_H

#include <stddef.h>

#include <gmp.h>

#include "opencl/stats/keys.h"

#define EXACT_SUMS_LIMBS 4

struct exact_sums_group {
    uint64_t count;
    mp_limb_t d[EXACT_SUMS_LIMBS], square[EXACT_SUMS_LIMBS];
};

/* Pixels as whole numbers of a unit, 2^exponent: how many, their sum, the sum of their squares. */
struct exact_sums_units {
    bool given;
    uint64_t count;
    int128 sum;
    mp_limb_t square[EXACT_SUMS_LIMBS];
    int exponent; /* at least that of the lowest bit of a pixel */
};

#define EXACT_SUMS_UNITS 2

struct exact_sums {
    struct keys keys;
    size_t groups;
    struct exact_sums_group *group;
    struct exact_sums_units units[EXACT_SUMS_UNITS]; /* a pixel counts with the first that fits */
};

/* Pixels of one bin: `count` keys with these sums of d and d^2, where d is the distance from `key`.
 */
struct exact_sums_bin {
    uint64_t key, count;
    uint128 d, square, square_high; /* the sum of d^2 is square + square_high * 2^64 */
};

/* Returns false when memory is short. */
bool clump_exact_sums_create(struct exact_sums *sums, const struct keys *keys);
void clump_exact_sums_destroy(struct exact_sums *sums);
/* Both must have been created for the same pixel type. */
void clump_exact_sums_copy(struct exact_sums *to, const struct exact_sums *from);
void clump_exact_sums_add(struct exact_sums *sums, const struct exact_sums_bin *bin);
/* The pixels of `bin` must have been added before. */
void clump_exact_sums_remove(struct exact_sums *sums, const struct exact_sums_bin *bin);

/*
 * Adds or removes pixels one by one. A pixel that is usual with a given unit (cl/stats/sweep.h) is
 * counted with that unit, else in its group.
 */
void clump_exact_sums_add_keys(struct exact_sums *sums, const uint64_t *keys, size_t n);
void clump_exact_sums_remove_keys(struct exact_sums *sums, const uint64_t *keys, size_t n);

/* Each figure is the exact one, rounded once. Those that do not exist are NaN. */
struct exact_sums_rounded {
    uint64_t count;
    double sum, mean, variance, std;
};
struct exact_sums_rounded clump_exact_sums_round(const struct exact_sums *sums, uint32_t ddof);

#endif
