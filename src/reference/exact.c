/* SPDX-License-Identifier: MIT */
#include "reference/exact.h"

#include <math.h>

void clump_exact_add(struct clump_exact *exact, long double value)
{
    int exponent;
    long double fraction = frexpl(value, &exponent);
    exact->count++;
    if (fraction == 0)
        return;
    uint64_t mantissa = (uint64_t)ldexpl(fabsl(fraction), 64);
    clump_uint128 square = (clump_uint128)mantissa * mantissa;
    int power = exponent - 64 - CLUMP_EXACT_LOWEST;
    exact->sum[power] += value < 0 ? -(clump_int128)mantissa : (clump_int128)mantissa;
    exact->square_low[power] += (uint64_t)square;
    exact->square_high[power] += square >> 64;
}

/* The sum, in units of 2^LOWEST. */
static void put_together(const struct clump_exact *exact, struct clump_big *sum)
{
    clump_big_set(sum, 0);
    for (unsigned power = 0; power < CLUMP_EXACT_POWERS; power++) {
        struct clump_big part;
        if (!exact->sum[power])
            continue;
        clump_big_set(&part, exact->sum[power]);
        clump_big_shift(&part, power);
        clump_big_add(sum, &part);
    }
}

/* The sum of squares, in units of 2^(2 LOWEST). */
static void put_squares_together(const struct clump_exact *exact, struct clump_big *sum)
{
    clump_big_set(sum, 0);
    for (unsigned power = 0; power < CLUMP_EXACT_POWERS; power++) {
        struct clump_big low, high;
        if (!exact->sum[power] && !exact->square_low[power] && !exact->square_high[power])
            continue;
        clump_big_set_unsigned(&low, exact->square_low[power]);
        clump_big_shift(&low, 2 * power);
        clump_big_add(sum, &low);
        clump_big_set_unsigned(&high, exact->square_high[power]);
        clump_big_shift(&high, 2 * power + 64);
        clump_big_add(sum, &high);
    }
}

static double divided_sum(const struct clump_exact *exact, uint64_t by)
{
    struct clump_big sum, divisor;
    put_together(exact, &sum);
    clump_big_set_unsigned(&divisor, by);
    return clump_big_quotient(&sum, &divisor, CLUMP_EXACT_LOWEST);
}

double clump_exact_sum(const struct clump_exact *exact) { return divided_sum(exact, 1); }

double clump_exact_mean(const struct clump_exact *exact)
{
    return exact->count ? divided_sum(exact, exact->count) : (double)NAN;
}

/* (n * sum of squares - square of the sum) / (n * (n - ddof)) */
void clump_exact_variance(const struct clump_exact *exact, uint32_t ddof, double *variance,
                          double *std)
{
    struct clump_big sum, square, squares, count, numerator, denominator;
    *variance = *std = (double)NAN;
    if (exact->count <= ddof)
        return;
    put_together(exact, &sum);
    clump_big_multiply(&square, &sum, &sum);
    square.negative = square.count > 0;
    put_squares_together(exact, &squares);
    clump_big_set_unsigned(&count, exact->count);
    clump_big_multiply(&numerator, &squares, &count);
    clump_big_add(&numerator, &square);
    clump_big_set_unsigned(&denominator, (clump_uint128)exact->count * (exact->count - ddof));
    *variance = clump_big_quotient(&numerator, &denominator, 2 * CLUMP_EXACT_LOWEST);
    *std = clump_big_root(&numerator, &denominator, 2 * CLUMP_EXACT_LOWEST);
}
