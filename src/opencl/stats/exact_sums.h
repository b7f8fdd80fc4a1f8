/* SPDX-License-Identifier: MIT */
/*
 * Exact sums of pixels, rounded once: the arithmetic behind stats and clip.
 *
 * Pixels are known by their keys (cl/common/prelude.cl), integers in the order of the values. Keys
 * of one sign and exponent form a group, in which the value is linear in the key; a group keeps the
 * count, the sum of D and the sum of D^2, D being the distance from the group's first key. Integers
 * all through, so any order gives the same sums; GMP combines the groups and rounds. Floats may
 * come as multiples of one unit too.
 */
#ifndef CLUMP_SRC_OPENCL_MOMENTS_H
#define CLUMP_SRC_OPENCL_MOMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gmp.h>

#include <clump/image.h>

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 i128;

/* How the keys of a pixel type stand for values. */
struct keys {
    enum clump_type type;
    unsigned bits;     /* of a key: 32 or 64 */
    unsigned fraction; /* bits of a float's fraction; 0 for integers */
    unsigned pad;      /* an integer's key is shifted left by this */
    bool is_signed;
};

struct keys clump_keys(enum clump_type type);
uint64_t clump_keys_max(const struct keys *keys);
double clump_keys_value(const struct keys *keys, uint64_t key);
/* The first key whose value is greater than `level`, or not less where `equal`; may be one past
 * the last key of all. `level` is not NaN. */
u128 clump_keys_above(const struct keys *keys, double level, bool equal);
/* The sign of the infinity whose key it is, 0 if it is not. */
int clump_keys_infinite(const struct keys *keys, uint64_t key);

#define EXACT_SUMS_LIMBS 4

struct exact_sums_group {
    uint64_t count;
    mp_limb_t d[EXACT_SUMS_LIMBS], square[EXACT_SUMS_LIMBS];
};

/* Pixels as whole numbers of a unit, 2^exponent: how many, their sum, the sum of their squares. */
struct exact_sums_units {
    uint64_t count;
    i128 sum;
    u128 square;
    int exponent; /* not less than that of the smallest float */
};

struct exact_sums {
    struct keys keys;
    size_t groups;
    struct exact_sums_group *group;
    struct exact_sums_units units; /* floats only; count 0 where there are none */
};

/* Pixels of one bin: `count` keys with these sums of d and d^2, d counted from `key`. */
struct exact_sums_bin {
    uint64_t key, count;
    u128 d, square, square_high; /* the sum of d^2 is square + square_high * 2^64 */
};

/* False when memory is short. */
bool clump_exact_sums_create(struct exact_sums *moments, const struct keys *keys);
void clump_exact_sums_destroy(struct exact_sums *moments);
void clump_exact_sums_copy(struct exact_sums *to, const struct exact_sums *from);
void clump_exact_sums_add(struct exact_sums *moments, const struct exact_sums_bin *bin);
void clump_exact_sums_remove(struct exact_sums *moments, const struct exact_sums_bin *bin);

struct rounded {
    uint64_t count;
    double sum, mean, variance, std;
};
struct rounded clump_exact_sums_round(const struct exact_sums *moments, uint32_t ddof);

#endif
