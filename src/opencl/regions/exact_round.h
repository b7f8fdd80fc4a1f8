/* SPDX-License-Identifier: MIT */
/*
 * Quotients and roots of integers of up to 250 bits, rounded once to double: to nearest, ties to
 * even. Nearly always the first 64 bits of a quotient decide; if not, the division goes on
 * (docs/measurement.md, "Rounding once").
 */
#ifndef CLUMP_SRC_OPENCL_EXACT_ROUND_H
#define CLUMP_SRC_OPENCL_EXACT_ROUND_H

#include <stdbool.h>
#include <stdint.h>

#include "opencl/core/int128.h"

/* Magnitude, lowest word first, and sign. */
struct wide {
    uint64_t word[4];
    bool negative;
};

/* The same number. */
struct wide clump_exact_round_wide(int128 value);

/* a b - c d; the magnitude of each product is below 2^250. */
struct wide clump_exact_round_cross(int128 a, int128 b, int128 c, int128 d);

/* a / b 2^exponent; b > 0. */
double clump_exact_round_quotient(const struct wide *a, const struct wide *b, int exponent);

/* The root of a, divided by n, times 2^exponent; a >= 0, below 2^160, 0 < n < 2^32. */
double clump_exact_round_root(const struct wide *a, uint64_t n, int exponent);

#endif
