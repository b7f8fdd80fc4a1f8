/* SPDX-License-Identifier: MIT */
/*
 * Signed integers of up to 5120 bits, and the double nearest to the quotient of two of them or to
 * its root. With these an exact result is rounded once.
 */
#ifndef CLUMP_SRC_REFERENCE_BIG_H
#define CLUMP_SRC_REFERENCE_BIG_H

#include <stdbool.h>
#include <stdint.h>

#define CLUMP_BIG_LIMBS 80

__extension__ typedef __int128 clump_int128;
__extension__ typedef unsigned __int128 clump_uint128;

/* Magnitude, lowest limb first, no zero limb on top; zero has no limb. */
struct clump_big {
    bool negative;
    unsigned count;
    uint64_t limb[CLUMP_BIG_LIMBS];
};

void clump_big_set(struct clump_big *big, clump_int128 value);
void clump_big_set_unsigned(struct clump_big *big, clump_uint128 value);

/* Multiplies by 2^bits. */
void clump_big_shift(struct clump_big *big, unsigned bits);

/* Adds `b` to `a`. */
void clump_big_add(struct clump_big *a, const struct clump_big *b);

/* Sets `product`, which must be neither of the factors. */
void clump_big_multiply(struct clump_big *product, const struct clump_big *a,
                        const struct clump_big *b);

/* The double nearest to numerator / denominator * 2^exponent, ties to even; denominator > 0. */
double clump_big_quotient(const struct clump_big *numerator, const struct clump_big *denominator,
                          int exponent);

/* The double nearest to the root of numerator / denominator * 2^exponent; numerator >= 0. */
double clump_big_root(const struct clump_big *numerator, const struct clump_big *denominator,
                      int exponent);

#endif
