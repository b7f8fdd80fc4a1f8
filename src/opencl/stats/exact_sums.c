/* SPDX-License-Identifier: MIT */
#include "opencl/stats/exact_sums.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static_assert(GMP_LIMB_BITS == 64, "sums are kept in limbs of 64 bits");

#define GUARD 66 /* bits of a quotient or root: 53, one to round by, and some */

struct keys clump_keys(enum clump_type type)
{
    static const struct keys table[CLUMP_TYPE_COUNT] = {
        [CLUMP_U8] = {CLUMP_U8, 32, 0, 24, false},  [CLUMP_U16] = {CLUMP_U16, 32, 0, 16, false},
        [CLUMP_I16] = {CLUMP_I16, 32, 0, 16, true}, [CLUMP_I32] = {CLUMP_I32, 32, 0, 0, true},
        [CLUMP_U32] = {CLUMP_U32, 32, 0, 0, false}, [CLUMP_I64] = {CLUMP_I64, 64, 0, 0, true},
        [CLUMP_F32] = {CLUMP_F32, 32, 23, 0, true}, [CLUMP_F64] = {CLUMP_F64, 64, 52, 0, true},
    };
    return table[type];
}

uint64_t clump_keys_max(const struct keys *keys) { return UINT64_MAX >> (64 - keys->bits); }

static uint64_t sign_of(const struct keys *keys) { return UINT64_C(1) << (keys->bits - 1); }

double clump_keys_value(const struct keys *keys, uint64_t key)
{
    uint64_t sign = sign_of(keys);
    if (!keys->fraction) {
        if (!keys->is_signed)
            return (double)(key >> keys->pad);
        int64_t value = keys->bits == 64 ? (int64_t)(key ^ sign) : (int64_t)key - (int64_t)sign;
        return (double)(value >> keys->pad);
    }
    uint64_t bits = key & sign ? key ^ sign : ~key & clump_keys_max(keys);
    if (keys->bits == 64) {
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    uint32_t narrow = (uint32_t)bits;
    float value;
    memcpy(&value, &narrow, sizeof value);
    return value;
}

static uint64_t float_key(const struct keys *keys, double value)
{
    uint64_t bits, sign = sign_of(keys);
    if (value == 0)
        return sign;
    if (keys->bits == 64) {
        memcpy(&bits, &value, sizeof bits);
    } else {
        float narrow = (float)value;
        uint32_t word;
        memcpy(&word, &narrow, sizeof word);
        bits = word;
    }
    return bits & sign ? ~bits & clump_keys_max(keys) : bits | sign;
}

static u128 integer_above(const struct keys *keys, double level, bool equal)
{
    double first = equal ? ceil(level) : floor(level); /* then one more, unless equal */
    u128 end = (u128)clump_keys_max(keys) + 1;
    double offset = keys->is_signed ? (double)(sign_of(keys) >> keys->pad) : 0;
    if (first < -offset)
        return 0;
    if (first >= ldexp(1, (int)(keys->bits - keys->pad)) - offset)
        return end;
    u128 key = (u128)((i128)first + (keys->is_signed ? (i128)(sign_of(keys) >> keys->pad) : 0));
    return (key + !equal) << keys->pad;
}

u128 clump_keys_above(const struct keys *keys, double level, bool equal)
{
    if (!keys->fraction)
        return integer_above(keys, level, equal);
    if (keys->bits == 64)
        return (u128)float_key(keys, level) + !equal;
    float nearest = (float)level; /* which may lie on either side */
    u128 key = float_key(keys, nearest);
    if ((double)nearest < level)
        return key + 1;
    return (double)nearest > level ? key : key + !equal;
}

int clump_keys_infinite(const struct keys *keys, uint64_t key)
{
    double value = clump_keys_value(keys, key);
    return !keys->fraction || !isinf(value) ? 0 : value < 0 ? -1 : 1;
}

bool clump_exact_sums_create(struct exact_sums *moments, const struct keys *keys)
{
    moments->keys = *keys;
    moments->groups = keys->fraction ? (size_t)1 << (keys->bits - keys->fraction) : 1;
    moments->group = calloc(moments->groups, sizeof *moments->group);
    moments->units = (struct exact_sums_units){.count = 0};
    return moments->group != NULL;
}

void clump_exact_sums_destroy(struct exact_sums *moments)
{
    free(moments->group);
    moments->group = NULL;
}

void clump_exact_sums_copy(struct exact_sums *to, const struct exact_sums *from)
{
    memcpy(to->group, from->group, to->groups * sizeof *to->group);
    to->units = from->units;
}

/* A whole number of up to four limbs. */
struct wide {
    mp_limb_t limb[EXACT_SUMS_LIMBS];
};

static struct wide wide_of(u128 value)
{
    return (struct wide){{(mp_limb_t)value, (mp_limb_t)(value >> 64)}};
}

/* sum += a * b */
static void add_product(struct wide *sum, u128 a, uint64_t b)
{
    struct wide factor = wide_of(a);
    mpn_addmul_1(sum->limb, factor.limb, EXACT_SUMS_LIMBS, b);
}

struct sums {
    struct exact_sums_group *group;
    struct wide d, square;
};

/* A bin's sums of D and D^2, counted from its group's first key. */
static struct sums sums_of(struct exact_sums *moments, const struct exact_sums_bin *bin)
{
    unsigned fraction = moments->keys.fraction;
    size_t group = fraction ? (size_t)(bin->key >> fraction) : 0;
    uint64_t from = fraction ? bin->key & ((UINT64_C(1) << fraction) - 1) : bin->key;
    struct sums sums = {.group = &moments->group[group]};
    if (moments->keys.bits == 32) { /* all of it is below 2^128, and this is quicker */
        u128 d = (u128)from * bin->count;
        sums.d = wide_of(bin->d + d);
        sums.square = wide_of(bin->square + 2 * from * bin->d + from * d);
        return sums;
    }
    add_product(&sums.d, bin->d, 1);
    add_product(&sums.d, from, bin->count);
    add_product(&sums.square, bin->square, 1);
    struct wide high = {{0, (mp_limb_t)bin->square_high, (mp_limb_t)(bin->square_high >> 64)}};
    mpn_add_n(sums.square.limb, sums.square.limb, high.limb, EXACT_SUMS_LIMBS);
    add_product(&sums.square, bin->d, from);
    add_product(&sums.square, bin->d, from);
    add_product(&sums.square, (u128)from * from, bin->count);
    return sums;
}

void clump_exact_sums_add(struct exact_sums *moments, const struct exact_sums_bin *bin)
{
    struct sums sums = sums_of(moments, bin);
    sums.group->count += bin->count;
    mpn_add_n(sums.group->d, sums.group->d, sums.d.limb, EXACT_SUMS_LIMBS);
    mpn_add_n(sums.group->square, sums.group->square, sums.square.limb, EXACT_SUMS_LIMBS);
}

void clump_exact_sums_remove(struct exact_sums *moments, const struct exact_sums_bin *bin)
{
    struct sums sums = sums_of(moments, bin);
    sums.group->count -= bin->count;
    mpn_sub_n(sums.group->d, sums.group->d, sums.d.limb, EXACT_SUMS_LIMBS);
    mpn_sub_n(sums.group->square, sums.group->square, sums.square.limb, EXACT_SUMS_LIMBS);
}

/* In a group a value is (negative ? -1 : 1) * (start + D or start - D) * 2^(place - lowest). */
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
    if (line->down) { /* the group's first key is its largest magnitude */
        mpz_t last;
        mpz_init_set_ui(last, 0);
        mpz_setbit(last, keys->fraction);
        mpz_sub_ui(last, last, 1);
        mpz_add(line->start, line->start, last);
        mpz_clear(last);
    }
}

/* What the lowest bit of the sums is worth: 2^this. */
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

/* sum += values of the group; square += their squares; in units of the lowest bit. */
static void add_group(const struct exact_sums *moments, size_t index, mpz_t sum, mpz_t square)
{
    const struct exact_sums_group *group = &moments->group[index];
    struct line line;
    mpz_t d, dd, term;
    line_of(&moments->keys, index, &line);
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

static void set_wide(mpz_t value, u128 from)
{
    struct wide wide = wide_of(from);
    import(value, wide.limb);
}

/* The same for the pixels that are whole numbers of units. */
static void add_units(const struct exact_sums *moments, mpz_t sum, mpz_t square)
{
    const struct exact_sums_units *units = &moments->units;
    mp_bitcnt_t place = (mp_bitcnt_t)(units->exponent - lowest_of(&moments->keys));
    bool negative = units->sum < 0;
    mpz_t term;
    mpz_init(term);
    set_wide(term, negative ? -(u128)units->sum : (u128)units->sum);
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

/* Rounds bits * 2^exponent, a little more where `more`, to nearest even. `bits` > 0, GUARD long. */
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

/* Shifts numerator or denominator so that their quotient has at least `bits` bits; returns by how
 * much the quotient has grown, an even number. */
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

/* numerator / denominator * 2^exponent, rounded once; its root, where `root`, instead. */
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

struct rounded clump_exact_sums_round(const struct exact_sums *moments, uint32_t ddof)
{
    struct rounded rounded = {0, 0, NAN, NAN, NAN};
    long lowest = lowest_of(&moments->keys);
    mpz_t sum, square, n, spread;
    mpz_inits(sum, square, n, spread, NULL);
    for (size_t g = 0; g < moments->groups; g++) {
        if (moments->group[g].count)
            add_group(moments, g, sum, square);
        rounded.count += moments->group[g].count;
    }
    if (moments->units.count) {
        add_units(moments, sum, square);
        rounded.count += moments->units.count;
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
