/* SPDX-License-Identifier: MIT */
#include "reference/big.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define DOUBLE_MAX_BITS UINT64_C(0x7fefffffffffffff)

static void trim(struct clump_big *big)
{
    while (big->count && !big->limb[big->count - 1])
        big->count--;
    if (!big->count)
        big->negative = false;
}

void clump_big_set_unsigned(struct clump_big *big, clump_uint128 value)
{
    big->negative = false;
    big->count = 2;
    big->limb[0] = (uint64_t)value;
    big->limb[1] = (uint64_t)(value >> 64);
    trim(big);
}

void clump_big_set(struct clump_big *big, clump_int128 value)
{
    clump_big_set_unsigned(big, value < 0 ? -(clump_uint128)value : (clump_uint128)value);
    big->negative = value < 0;
}

void clump_big_shift(struct clump_big *big, unsigned bits)
{
    unsigned limbs = bits / 64, rest = bits % 64, count = big->count;
    if (!count)
        return;
    assert(count + limbs < CLUMP_BIG_LIMBS);
    uint64_t above = 0;
    for (unsigned i = count; i--;) {
        big->limb[i + limbs + 1] = above | (rest ? big->limb[i] >> (64 - rest) : 0);
        above = big->limb[i] << rest;
    }
    big->limb[limbs] = above;
    memset(big->limb, 0, limbs * sizeof *big->limb);
    big->count = count + limbs + 1;
    trim(big);
}

static int compare_magnitudes(const struct clump_big *a, const struct clump_big *b)
{
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    for (unsigned i = a->count; i--;)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

static void add_magnitude(struct clump_big *a, const struct clump_big *b)
{
    unsigned count = a->count > b->count ? a->count : b->count;
    clump_uint128 carry = 0;
    assert(count < CLUMP_BIG_LIMBS);
    for (unsigned i = 0; i < count; i++) {
        carry += i < a->count ? a->limb[i] : 0;
        carry += i < b->count ? b->limb[i] : 0;
        a->limb[i] = (uint64_t)carry;
        carry >>= 64;
    }
    a->limb[count] = (uint64_t)carry;
    a->count = count + 1;
    trim(a);
}

/* Sets a to larger - smaller; a is one of the two. */
static void subtract_magnitude(struct clump_big *a, const struct clump_big *larger,
                               const struct clump_big *smaller)
{
    uint64_t borrow = 0;
    for (unsigned i = 0; i < larger->count; i++) {
        uint64_t take = i < smaller->count ? smaller->limb[i] : 0, from = larger->limb[i];
        a->limb[i] = from - take - borrow;
        borrow = from < take || (from == take && borrow);
    }
    a->count = larger->count;
    a->negative = larger->negative;
    trim(a);
}

void clump_big_add(struct clump_big *a, const struct clump_big *b)
{
    if (a->negative == b->negative)
        add_magnitude(a, b);
    else if (compare_magnitudes(a, b) >= 0)
        subtract_magnitude(a, a, b);
    else
        subtract_magnitude(a, b, a);
}

void clump_big_multiply(struct clump_big *product, const struct clump_big *a,
                        const struct clump_big *b)
{
    assert(a->count + b->count <= CLUMP_BIG_LIMBS);
    product->count = a->count + b->count;
    product->negative = a->negative != b->negative;
    memset(product->limb, 0, product->count * sizeof *product->limb);
    for (unsigned i = 0; i < a->count; i++) {
        uint64_t carry = 0;
        for (unsigned j = 0; j < b->count; j++) {
            clump_uint128 t = (clump_uint128)a->limb[i] * b->limb[j] + product->limb[i + j] + carry;
            product->limb[i + j] = (uint64_t)t;
            carry = (uint64_t)(t >> 64);
        }
        product->limb[i + b->count] = carry;
    }
    trim(product);
}

/* A question about numerator / denominator * 2^exponent, or about the root of that. */
struct fraction {
    const struct clump_big *numerator, *denominator;
    int exponent;
    bool root;
};

static void copy(struct clump_big *to, const struct clump_big *from)
{
    to->negative = from->negative;
    to->count = from->count;
    memcpy(to->limb, from->limb, from->count * sizeof *from->limb);
}

/* Compares the candidate mantissa * 2^power with the fraction, or with its root: -1, 0 or 1. */
static int compare_with(const struct fraction *f, uint64_t mantissa, int power)
{
    struct clump_big factor, left, right;
    copy(&right, f->numerator);
    clump_big_set_unsigned(&factor,
                           f->root ? (clump_uint128)mantissa * mantissa : (clump_uint128)mantissa);
    clump_big_multiply(&left, &factor, f->denominator);
    int shift = (f->root ? 2 * power : power) - f->exponent;
    if (shift >= 0)
        clump_big_shift(&left, (unsigned)shift);
    else
        clump_big_shift(&right, (unsigned)-shift);
    right.negative = left.negative = false;
    return compare_magnitudes(&left, &right);
}

/* Splits the double with these bits, which is >= 0, into mantissa * 2^power. */
static void take_apart(uint64_t bits, uint64_t *mantissa, int *power)
{
    uint64_t field = bits >> 52;
    *mantissa = (bits & ((UINT64_C(1) << 52) - 1)) | (field ? UINT64_C(1) << 52 : 0);
    *power = (field ? (int)field : 1) - 1075;
}

/* Tells whether the double with these bits is less than or equal to the fraction. */
static bool fits(const struct fraction *f, uint64_t bits)
{
    uint64_t mantissa;
    int power;
    take_apart(bits, &mantissa, &power);
    return compare_with(f, mantissa, power) <= 0;
}

static long double rough(const struct clump_big *big)
{
    long double value = 0;
    for (unsigned i = big->count; i-- && i + 3 > big->count;)
        value += ldexpl((long double)big->limb[i], (int)(64 * i));
    return value;
}

/* Narrows low..high, which brackets the answer, by a guess; a wrong guess changes nothing. */
static void guess(const struct fraction *f, uint64_t *low, uint64_t *high)
{
    long double value = ldexpl(rough(f->numerator) / rough(f->denominator), f->exponent);
    double about = (double)(f->root ? sqrtl(value) : value);
    uint64_t bits;
    memcpy(&bits, &about, sizeof bits);
    if (bits < 2 || bits > DOUBLE_MAX_BITS - 2)
        return;
    if (fits(f, bits - 2))
        *low = bits - 2;
    if (!fits(f, bits + 2))
        *high = bits + 2;
}

/*
 * The bits of doubles >= 0 are in the order of their values, so bisection finds the greatest
 * double that is not above the fraction; the middle between it and the next one decides.
 */
static double nearest(const struct fraction *f)
{
    uint64_t low = 0, high = DOUBLE_MAX_BITS + 1, mantissa;
    int power;
    guess(f, &low, &high);
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (fits(f, middle))
            low = middle;
        else
            high = middle;
    }
    take_apart(low, &mantissa, &power);
    int order = compare_with(f, 2 * mantissa + 1, power - 1);
    if (order < 0 || (order == 0 && (low & 1)))
        low++;
    double value;
    memcpy(&value, &low, sizeof value);
    return value;
}

double clump_big_quotient(const struct clump_big *numerator, const struct clump_big *denominator,
                          int exponent)
{
    double value = nearest(&(struct fraction){numerator, denominator, exponent, false});
    return numerator->negative ? -value : value;
}

double clump_big_root(const struct clump_big *numerator, const struct clump_big *denominator,
                      int exponent)
{
    return nearest(&(struct fraction){numerator, denominator, exponent, true});
}
