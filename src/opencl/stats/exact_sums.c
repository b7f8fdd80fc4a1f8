/* SPDX-License-Identifier: MIT */
#include "opencl/stats/exact_sums.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/sweep.h"

static_assert(GMP_LIMB_BITS == 64, "sums are kept in limbs of 64 bits");

#define GUARD                                                                                      \
    66 /* bits of a quotient or root, at least: 53, one to round by, and some to spare             \
        */

bool clump_exact_sums_create(struct exact_sums *sums, const struct keys *keys)
{
    sums->keys = *keys;
    sums->groups = keys->fraction ? (size_t)1 << (keys->bits - keys->fraction) : 1;
    sums->group = calloc(sums->groups, sizeof *sums->group);
    memset(sums->units, 0, sizeof sums->units);
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
    memcpy(to->units, from->units, sizeof to->units);
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

/* A unit and its reciprocal. */
struct unit {
    bool given, wide; /* whether numbers of the unit have two parts (cl/stats/sweep.h) */
    double unit, scale;
};

static struct unit unit_of(const struct exact_sums *sums, size_t u)
{
    const struct exact_sums_units *units = &sums->units[u];
    return (struct unit){units->given, sums->keys.bits == 64, ldexp(1, units->exponent),
                         ldexp(1, -units->exponent)};
}

/* The value as a whole number of units, if that is how cl/stats/sweep_units.cl counts it. */
static inline bool number_of(const struct unit *unit, double value, int64_t *number)
{
    const double half = (double)(1 << SWEEP_SPAN);
    double t = value * unit->scale;
    if (!unit->given || !(fabs(t) <= half * half))
        return false;
    *number = (int64_t)t;
    if ((double)*number * unit->unit != value)
        return false;
    return unit->wide ? fabs(rint(t / half)) < half : t >= -half && t < half;
}

/* Adds an integer to limbs, or subtracts it. */
static inline void move_limbs(mp_limb_t *limbs, uint128 value, bool remove)
{
    const mp_limb_t parts[2] = {(mp_limb_t)value, (mp_limb_t)(value >> 64)};
    mp_limb_t low = limbs[0];
    limbs[0] = remove ? low - parts[0] : low + parts[0];
    bool carry = remove ? low < parts[0] : limbs[0] < low;
    if (!carry && parts[1] == 0)
        return;
    uint128 high = (uint128)parts[1] + carry;
    const mp_limb_t rest[2] = {(mp_limb_t)high, (mp_limb_t)(high >> 64)};
    if (remove)
        mpn_sub(limbs + 1, limbs + 1, EXACT_SUMS_LIMBS - 1, rest, 2);
    else
        mpn_add(limbs + 1, limbs + 1, EXACT_SUMS_LIMBS - 1, rest, 2);
}

/* Adds the pixel of a key to its group, or removes it. */
static void move_in_group(struct exact_sums *sums, uint64_t key, bool remove)
{
    unsigned fraction = sums->keys.fraction;
    uint64_t d = fraction ? key & ((UINT64_C(1) << fraction) - 1) : key;
    struct exact_sums_group *group = &sums->group[fraction ? (size_t)(key >> fraction) : 0];
    group->count += remove ? UINT64_MAX : 1;
    move_limbs(group->d, d, remove);
    move_limbs(group->square, (uint128)d * d, remove);
}

/* What a row of pixels adds to the units. */
struct row {
    uint64_t count;
    int128 sum;
    uint128 low, high; /* sums of the low and the high 64 bits of the squares */
};

static void move_units(struct exact_sums_units *units, const struct row *row, bool remove)
{
    struct wide high = {{0, (mp_limb_t)row->high, (mp_limb_t)(row->high >> 64)}};
    units->count += remove ? -row->count : row->count;
    units->sum += remove ? -row->sum : row->sum;
    move_limbs(units->square, row->low, remove);
    if (remove)
        mpn_sub_n(units->square, units->square, high.limb, EXACT_SUMS_LIMBS);
    else
        mpn_add_n(units->square, units->square, high.limb, EXACT_SUMS_LIMBS);
}

static void move_keys(struct exact_sums *sums, const uint64_t *keys, size_t n, bool remove)
{
    struct row rows[EXACT_SUMS_UNITS] = {{0}};
    const struct unit unit[EXACT_SUMS_UNITS] = {unit_of(sums, 0), unit_of(sums, 1)};
    bool is_float = sums->keys.type == CLUMP_F32;
    for (size_t i = 0; i < n; i++) {
        double value = is_float ? (double)clump_keys_float((uint32_t)keys[i])
                                : clump_keys_value(&sums->keys, keys[i]);
        int64_t number = 0;
        bool first = number_of(&unit[0], value, &number);
        if (!first && !number_of(&unit[1], value, &number)) {
            move_in_group(sums, keys[i], remove);
            continue;
        }
        uint128 square = (uint128)((int128)number * number);
        struct row *row = &rows[!first];
        row->count++;
        row->sum += number;
        row->low += (uint64_t)square;
        row->high += square >> 64;
    }
    for (size_t u = 0; u < EXACT_SUMS_UNITS; u++)
        move_units(&sums->units[u], &rows[u], remove);
}

/* Removes pixels that are alike and were counted with a unit. Returns false if they were not. */
static bool remove_alike(struct exact_sums *sums, const struct exact_sums_bin *bin)
{
    double value = clump_keys_value(&sums->keys, bin->key);
    int64_t number;
    for (size_t u = 0; u < EXACT_SUMS_UNITS; u++) {
        const struct unit unit = unit_of(sums, u);
        if (bin->d || !number_of(&unit, value, &number))
            continue;
        uint128 square = (uint128)((int128)number * number);
        struct row row = {bin->count, (int128)number * (int128)bin->count,
                          (square & UINT64_MAX) * bin->count, (square >> 64) * bin->count};
        move_units(&sums->units[u], &row, true);
        return true;
    }
    return false;
}

void clump_exact_sums_remove(struct exact_sums *sums, const struct exact_sums_bin *bin)
{
    if (remove_alike(sums, bin))
        return;
    struct share share = share_of(sums, bin);
    share.group->count -= bin->count;
    mpn_sub_n(share.group->d, share.group->d, share.d.limb, EXACT_SUMS_LIMBS);
    mpn_sub_n(share.group->square, share.group->square, share.square.limb, EXACT_SUMS_LIMBS);
}

void clump_exact_sums_add_keys(struct exact_sums *sums, const uint64_t *keys, size_t n)
{
    move_keys(sums, keys, n, false);
}

void clump_exact_sums_remove_keys(struct exact_sums *sums, const uint64_t *keys, size_t n)
{
    move_keys(sums, keys, n, true);
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

/* Does the same with the pixels that are whole numbers of a unit. */
static void add_units(const struct exact_sums *sums, const struct exact_sums_units *units,
                      mpz_t sum, mpz_t square)
{
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
    import(term, units->square);
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
    for (size_t u = 0; u < EXACT_SUMS_UNITS; u++)
        if (sums->units[u].given) {
            add_units(sums, &sums->units[u], sum, square);
            rounded.count += sums->units[u].count;
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
