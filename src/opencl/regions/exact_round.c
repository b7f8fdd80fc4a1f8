/* SPDX-License-Identifier: MIT */
#include "opencl/regions/exact_round.h"

#include <math.h>
#include <stdlib.h>

#define WORDS 4

static unsigned bits_of(const struct wide *a)
{
    for (unsigned i = WORDS; i-- > 0;)
        if (a->word[i])
            return 64 * i + 64 - (unsigned)__builtin_clzll(a->word[i]);
    return 0;
}

/* a 2^by; bits shifted out on either side are lost. */
static struct wide shift(const struct wide *a, int by)
{
    struct wide result = {{0}, a->negative};
    int words = (by >= 0 ? by : by - 63) / 64, rest = by - 64 * words;
    for (int i = 0; i < WORDS; i++) {
        int from = i - words;
        if (from >= 0 && from < WORDS)
            result.word[i] = a->word[from] << rest;
        if (rest && from >= 1 && from <= WORDS)
            result.word[i] |= a->word[from - 1] >> (64 - rest);
    }
    return result;
}

static int compare(const struct wide *a, const struct wide *b)
{
    for (unsigned i = WORDS; i-- > 0;)
        if (a->word[i] != b->word[i])
            return a->word[i] < b->word[i] ? -1 : 1;
    return 0;
}

/* Adds the magnitude of b to that of a; below, subtracts it, for a >= b. */
static void add(struct wide *a, const struct wide *b)
{
    uint128 carry = 0;
    for (unsigned i = 0; i < WORDS; i++) {
        carry += (uint128)a->word[i] + b->word[i];
        a->word[i] = (uint64_t)carry;
        carry >>= 64;
    }
}

static void subtract(struct wide *a, const struct wide *b)
{
    uint64_t borrow = 0;
    for (unsigned i = 0; i < WORDS; i++) {
        uint128 left = (uint128)a->word[i] - b->word[i] - borrow;
        a->word[i] = (uint64_t)left;
        borrow = (left >> 64) != 0;
    }
}

struct wide clump_exact_round_wide(int128 value)
{
    uint128 magnitude = value < 0 ? 0 - (uint128)value : (uint128)value;
    return (struct wide){{(uint64_t)magnitude, (uint64_t)(magnitude >> 64)}, value < 0};
}

static struct wide multiply(int128 a, int128 b)
{
    struct wide x = clump_exact_round_wide(a), y = clump_exact_round_wide(b);
    struct wide result = {{0}, x.negative != y.negative};
    for (unsigned i = 0; i < 2; i++) {
        uint128 carry = 0;
        for (unsigned j = 0; j < 2; j++) {
            carry += (uint128)x.word[i] * y.word[j] + result.word[i + j];
            result.word[i + j] = (uint64_t)carry;
            carry >>= 64;
        }
        result.word[i + 2] = (uint64_t)carry;
    }
    return result;
}

static bool is_small(int128 a) { return a > -((int128)1 << 62) && a < (int128)1 << 62; }

struct wide clump_exact_round_cross(int128 a, int128 b, int128 c, int128 d)
{
    if (is_small(a) && is_small(b) && is_small(c) && is_small(d))
        return clump_exact_round_wide(a * b - c * d);
    struct wide x = multiply(a, b), y = multiply(c, d);
    if (x.negative != y.negative) {
        add(&x, &y);
        return x;
    }
    if (compare(&x, &y) >= 0) {
        subtract(&x, &y);
        return x;
    }
    subtract(&y, &x);
    y.negative = !y.negative;
    return y;
}

/* q 2^exponent, rounded to nearest even. `more`: the number is greater than q, by less than 1. */
static double round_once(uint64_t q, bool more, int exponent)
{
    int zeros = __builtin_clzll(q), top = 63 - zeros + exponent;
    int keep = top < -1022 ? 53 - (-1022 - top) : 53;
    q <<= zeros;
    exponent -= zeros;
    if (keep < 0)
        return 0;
    uint64_t kept = keep ? q >> (64 - keep) : 0, half = (uint64_t)1 << (63 - keep);
    uint64_t rest = q & (2 * half - 1);
    if (rest > half || (rest == half && (more || kept & 1)))
        kept++;
    return ldexp((double)kept, exponent + 64 - keep);
}

/* a / b by long division, bit by bit: 63 bits of it, and whether more follow. */
static double divide_slowly(struct wide a, struct wide b, int exponent)
{
    int by = (int)bits_of(&a) - (int)bits_of(&b);
    uint64_t q = 0;
    b = by > 0 ? shift(&b, by) : b;
    a = by < 0 ? shift(&a, -by) : a;
    for (int i = 0; i < 63; i++) {
        q <<= 1;
        if (compare(&a, &b) >= 0) {
            subtract(&a, &b);
            q |= 1;
        }
        a = shift(&a, 1);
    }
    return round_once(q, bits_of(&a) != 0, exponent + by - 62);
}

double clump_exact_round_quotient(const struct wide *a, const struct wide *b, int exponent)
{
    int bits_a = (int)bits_of(a), bits_b = (int)bits_of(b);
    double result;
    if (!bits_a)
        return 0;
    if (bits_a <= 53 && bits_b <= 53 && abs(exponent) < 900) { /* exact as doubles, and normal */
        result = ldexp((double)a->word[0] / (double)b->word[0], exponent);
        return a->negative ? -result : result;
    }
    struct wide x = shift(a, 127 - bits_a), y = shift(b, 64 - bits_b);
    uint128 dividend = (uint128)x.word[1] << 64 | x.word[0];
    uint64_t q = (uint64_t)(dividend / y.word[0]);
    bool more = dividend % y.word[0] != 0;
    exponent += bits_a - bits_b - 63;
    if (bits_a <= 127 && bits_b <= 64) {
        result = round_once(q, more, exponent);
    } else { /* the bits cut off change q by less than 2: see whether that matters */
        result = round_once(q - 2, true, exponent);
        if (q == UINT64_MAX || result != round_once(q + 1, true, exponent))
            result = divide_slowly(*a, *b, exponent - (bits_a - bits_b - 63));
    }
    return a->negative ? -result : result;
}

/* Compares the root of a with m n 2^e: negative, 0 or positive. */
static int compare_root(const struct wide *a, int128 m, uint64_t n, int e)
{
    struct wide square = multiply(m * (int128)n, m * (int128)n), other = *a;
    if (e > 0)
        square = shift(&square, 2 * e);
    else
        other = shift(&other, -2 * e);
    return compare(&other, &square);
}

/*
 * The root as clump_exact_round_root has it where it is subnormal, and has fewer than 53 bits:
 * `result` is the root rounded to 53 bits, and is not rounded a second time. Its distance from the
 * root tells on which side of the middle of two such numbers the root lies.
 */
static double round_subnormal(const struct wide *a, uint64_t n, int e, double result, int exponent)
{
    int by;
    int128 m = (int128)ldexp(frexp(result, &by), 53);
    int side = compare_root(a, m, n, by - 53 + e);
    uint64_t q = (uint64_t)m << 10;
    return round_once(side < 0 ? q - 1 : q, side != 0, by - 63 + e + exponent);
}

double clump_exact_round_root(const struct wide *a, uint64_t n, int exponent)
{
    int bits = (int)bits_of(a), e = bits - 106, by = 0;
    if (!bits)
        return 0;
    e += e & 1;
    struct wide x = shift(a, -e);
    uint128 number = (uint128)x.word[1] << 64 | x.word[0];
    double high = ldexp((double)(uint64_t)(number >> 53), 53);
    double low = (double)((uint64_t)number & (((uint64_t)1 << 53) - 1));
    /* One step of Newton for the root and one for the quotient, both with exact remainders: the
     * result is known to about 2^-100 of itself. */
    double root = sqrt(high + low), rest = (fma(-root, root, high) + low) / (2 * root);
    double first = root / (double)n, next = (fma(-first, (double)n, root) + rest) / (double)n;
    double result = first + next, left = next - (result - first);
    double unit = nextafter(result, INFINITY) - result;
    if (fabs(fabs(left) - unit / 2) <
        unit * 0x1p-30) { /* too near to the middle of two doubles to tell by doubles */
        int128 m = (int128)ldexp(frexp(result, &by), 54) + (left > 0 ? 1 : -1);
        int side = compare_root(a, m, n, by - 54 + e / 2);
        bool odd = (m + (left > 0 ? -1 : 1)) / 2 & 1;
        bool beyond = left > 0 ? side > 0 || (side == 0 && odd) : side < 0 || (side == 0 && odd);
        if (beyond)
            result = nextafter(result, left > 0 ? (double)INFINITY : 0);
    }
    frexp(result, &by);
    if (by + e / 2 + exponent < -1021)
        return round_subnormal(a, n, e / 2, result, exponent);
    return ldexp(result, e / 2 + exponent);
}
