/* SPDX-License-Identifier: MIT */
#include "opencl/stats/exact_sums.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static_assert(GMP_LIMB_BITS == 64, "sums are kept in limbs of 64 bits");

#define GUARD                                                                                      \
    66 /* bits of a quotient or root, at least: 53, one to round by, and some to spare             \
        */

bool clump_exact_sums_create(struct exact_sums *sums, const struct keys *keys)
{
    sums->keys = *keys;
    sums->groups = keys->fraction ? (size_t)1 << (keys->bits - keys->fraction) : 1;
    sums->group = calloc(sums->groups, sizeof *sums->group);
    sums->units = (struct exact_sums_units){.count = 0};
    return sums->group != NULL;
}

void clump_exact_sums_destroy(struct exact_sums *sums)
{
    free(sums->group);
    sums->group = NULL;
}

void clump_exact_sums_copy(struct exact_sums *to, const struct exact_sums *from)
{
    memcpy(to->group, from->group, to->groups * sizeof *to->group);
    to->units = from->units;
}

/* A whole number of EXACT_SUMS_LIMBS limbs, the lowest one first. */
struct wide {
    mp_limb_t limb[EXACT_SUMS_LIMBS];
};

static struct wide wide_of(uint128 value)
{
    return (struct wide){{(mp_limb_t)value, (mp_limb_t)(value >> 64)}};
}

/* sum += a * b */
static void add_product(struct wide *sum, uint128 a, uint64_t b)
{
    struct wide factor = wide_of(a);
    mpn_addmul_1(sum->limb, factor.limb, EXACT_SUMS_LIMBS, b);
}

/* A bin as its group sees it: the sums of D and of D^2. */
struct share {
    struct exact_sums_group *group;
    struct wide d, square;
};

/* With D = from + d: S(D) = S(d) + n from, S(D^2) = S(d^2) + 2 from S(d) + n from^2. */
static struct share share_of(struct exact_sums *sums, const struct exact_sums_bin *bin)
{
    unsigned fraction = sums->keys.fraction;
    size_t group = fraction ? (size_t)(bin->key >> fraction) : 0;
    uint64_t from = fraction ? bin->key & ((UINT64_C(1) << fraction) - 1) : bin->key;
    struct share share = {.group = &sums->group[group]};
    if (sums->keys.bits == 32) { /* all of it is below 2^128: no need of limbs */
        uint128 d = (uint128)from * bin->count;
        share.d = wide_of(bin->d + d);
        share.square = wide_of(bin->square + 2 * from * bin->d + from * d);
        return share;
    }
    add_product(&share.d, bin->d, 1);
    add_product(&share.d, from, bin->count);
    add_product(&share.square, bin->square, 1);
    struct wide high = {{0, (mp_limb_t)bin->square_high, (mp_limb_t)(bin->square_high >> 64)}};
    mpn_add_n(share.square.limb, share.square.limb, high.limb, EXACT_SUMS_LIMBS);
    add_product(&share.square, bin->d, from);
    add_product(&share.square, bin->d, from);
    add_product(&share.square, (uint128)from * from, bin->count);
    return share;
}

void clump_exact_sums_add(struct exact_sums *sums, const struct exact_sums_bin *bin)
{
    struct share share = share_of(sums, bin);
    share.group->count += bin->count;
    mpn_add_n(share.group->d, share.group->d, share.d.limb, EXACT_SUMS_LIMBS);
    mpn_add_n(share.group->square, share.group->square, share.square.limb, EXACT_SUMS_LIMBS);
}

void clump_exact_sums_remove(struct exact_sums *sums, const struct exact_sums_bin *bin)
{
    struct share share = share_of(sums, bin);
    share.group->count -= bin->count;
    mpn_sub_n(share.group->d, share.group->d, share.d.limb, EXACT_SUMS_LIMBS);
    mpn_sub_n(share.group->square, share.group->square, share.square.limb, EXACT_SUMS_LIMBS);
}

/*
 * How the values of a group follow from D: in units of the lowest bit (lowest_of) a value is
 * (start + D) * 2^place, or -(start - D) * 2^place where `negative` and `down` are set.
 */
struct line {
    mpz_t start;
    bool negative, down;
    unsigned place;
};

static void line_of(const struct keys *keys, size_t group, struct line *line)
{
    *line = (struct line){.negative = false};
    mpz_init(line->start);
    if (!keys->fraction) {
        if (keys->is_signed)
            mpz_setbit(line->start, keys->bits - 1);
        mpz_neg(line->start, line->start);
        return;
    }
    size_t half = (size_t)1 << (keys->bits - keys->fraction - 1);
    line->negative = line->down = group < half;
    size_t exponent = group < half ? half - 1 - group : group - half;
    line->place = exponent > 0 ? (unsigned)exponent - 1 : 0;
    if (exponent > 0)
        mpz_setbit(line->start, keys->fraction);
    if (line->down) { /* the first key of the group has the largest magnitude */
        mpz_t last;
        mpz_init_set_ui(last, 0);
        mpz_setbit(last, keys->fraction);
        mpz_sub_ui(last, last, 1);
        mpz_add(line->start, line->start, last);
        mpz_clear(last);
    }
}

/* The lowest bit of all sums is worth 2^lowest_of(keys). */
static long lowest_of(const struct keys *keys)
{
    if (!keys->fraction)
        return -(long)keys->pad;
    return keys->bits == 64 ? -1074 : -149;
}

static void import(mpz_t value, const mp_limb_t *limbs)
{
    mpz_import(value, EXACT_SUMS_LIMBS, -1, sizeof *limbs, 0, 0, limbs);
}

/* Adds the values of a group to `sum` and their squares to `square`, in units of the lowest bit. */
static void add_group(const struct exact_sums *sums, size_t index, mpz_t sum, mpz_t square)
{
    const struct exact_sums_group *group = &sums->group[index];
    struct line line;
    mpz_t d, dd, term;
    line_of(&sums->keys, index, &line);
    mpz_inits(d, dd, term, NULL);
    import(d, group->d);
    import(dd, group->square);
    if (line.down)
        mpz_neg(d, d);
    mpz_mul_ui(term, line.start, group->count); /* n start + D */
    mpz_add(term, term, d);
    mpz_mul_2exp(term, term, line.place);
    if (line.negative)
        mpz_sub(sum, sum, term);
    else
        mpz_add(sum, sum, term);
    mpz_mul_2exp(d, d, 1); /* n start^2 + 2 start D + D^2 = start (n start + 2 D) + D^2 */
    mpz_addmul_ui(d, line.start, group->count);
    mpz_addmul(dd, d, line.start);
    mpz_mul_2exp(dd, dd, 2 * line.place);
    mpz_add(square, square, dd);
    mpz_clears(d, dd, term, line.start, NULL);
}

static void set_wide(mpz_t value, uint128 from)
{
    struct wide wide = wide_of(from);
    import(value, wide.limb);
}

/* Does the same with the pixels that are whole numbers of units. */
static void add_units(const struct exact_sums *sums, mpz_t sum, mpz_t square)
{
    const struct exact_sums_units *units = &sums->units;
    mp_bitcnt_t place = (mp_bitcnt_t)(units->exponent - lowest_of(&sums->keys));
    bool negative = units->sum < 0;
    mpz_t term;
    mpz_init(term);
    set_wide(term, negative ? -(uint128)units->sum : (uint128)units->sum);
    mpz_mul_2exp(term, term, place);
    if (negative)
        mpz_sub(sum, sum, term);
    else
        mpz_add(sum, sum, term);
    set_wide(term, units->square);
    mpz_mul_2exp(term, term, 2 * place);
    mpz_add(square, square, term);
    mpz_clear(term);
}

/*
 * Rounds (bits + rest) * 2^exponent to the nearest double, ties to even, where 0 <= rest < 1 and
 * `more` tells whether rest > 0. `bits` has GUARD bits at least, so that `more` lies below the bit
 * that decides. Subnormal results keep fewer bits, and are still rounded once.
 */
static double round_bits(const mpz_t bits, bool more, long exponent)
{
    long length = (long)mpz_sizeinbase(bits, 2), keep = DBL_MANT_DIG;
    if (length + exponent + 1074 < keep)
        keep = length + exponent + 1074;
    if (keep < 0)
        return 0;
    mp_bitcnt_t drop = (mp_bitcnt_t)(length - keep);
    mpz_t kept;
    mpz_init(kept);
    mpz_tdiv_q_2exp(kept, bits, drop);
    bool half = drop > 0 && mpz_tstbit(bits, drop - 1);
    more = more || mpz_scan1(bits, 0) + 1 < drop;
    if (half && (more || mpz_odd_p(kept)))
        mpz_add_ui(kept, kept, 1);
    double value = ldexp(mpz_get_d(kept), (int)(exponent + (long)drop));
    mpz_clear(kept);
    return value;
}

/*
 * Shifts the numerator or the denominator so that their quotient has at least `bits` bits. Returns
 * by how many bits the quotient has grown, an even number, so that its root has an exponent too.
 */
static long stretch(mpz_t numerator, mpz_t denominator, long bits)
{
    long by = bits - (long)mpz_sizeinbase(numerator, 2) + (long)mpz_sizeinbase(denominator, 2) + 1;
    by += by & 1;
    if (by > 0)
        mpz_mul_2exp(numerator, numerator, (mp_bitcnt_t)by);
    else
        mpz_mul_2exp(denominator, denominator, (mp_bitcnt_t)-by);
    return by;
}

/* numerator / denominator * 2^exponent, rounded once; if `root` is true, its square root instead.
 */
static double quotient(const mpz_t numerator, const mpz_t denominator, long exponent, bool root)
{
    int sign = mpz_sgn(numerator);
    if (sign == 0)
        return 0;
    mpz_t a, b, rest;
    mpz_inits(a, b, rest, NULL);
    mpz_abs(a, numerator);
    mpz_set(b, denominator);
    if (root && exponent & 1) {
        mpz_mul_2exp(a, a, 1);
        exponent--;
    }
    exponent -= stretch(a, b, root ? 2 * GUARD : GUARD);
    mpz_tdiv_qr(a, rest, a, b);
    bool more = mpz_sgn(rest) != 0;
    if (root) {
        mpz_sqrtrem(a, rest, a);
        more = more || mpz_sgn(rest) != 0;
        exponent /= 2;
    }
    double value = round_bits(a, more, exponent);
    mpz_clears(a, b, rest, NULL);
    return sign < 0 ? -value : value;
}

struct exact_sums_rounded clump_exact_sums_round(const struct exact_sums *sums, uint32_t ddof)
{
    struct exact_sums_rounded rounded = {0, 0, NAN, NAN, NAN};
    long lowest = lowest_of(&sums->keys);
    mpz_t sum, square, n, spread;
    mpz_inits(sum, square, n, spread, NULL);
    for (size_t g = 0; g < sums->groups; g++) {
        if (sums->group[g].count)
            add_group(sums, g, sum, square);
        rounded.count += sums->group[g].count;
    }
    if (sums->units.count) {
        add_units(sums, sum, square);
        rounded.count += sums->units.count;
    }
    mpz_set_ui(n, 1);
    rounded.sum = quotient(sum, n, lowest, false);
    mpz_set_ui(n, rounded.count);
    if (rounded.count > 0)
        rounded.mean = quotient(sum, n, lowest, false);
    if (rounded.count > ddof) { /* (n S(x^2) - S(x)^2) / (n (n - ddof)) */
        mpz_mul(spread, square, n);
        mpz_submul(spread, sum, sum);
        mpz_mul_ui(n, n, rounded.count - ddof);
        rounded.variance = quotient(spread, n, 2 * lowest, false);
        rounded.std = quotient(spread, n, 2 * lowest, true);
    }
    mpz_clears(sum, square, n, spread, NULL);
    return rounded;
}
