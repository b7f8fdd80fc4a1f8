/* SPDX-License-Identifier: MIT */
/* The scale of a region's fixed-point values (include/clump/measure.h, k), and whether sums that
 * were made with another one will do (docs/measurement.md, "Fixed point"). */
#include "opencl/regions/measure.h"

#include <limits.h>
#include <math.h>

#include "opencl/core/int128.h"
#include "regions/measure_row.h"

#define PIXEL_BITS 24 /* of a float */

static const uint64_t zero = (uint64_t)1 << 63; /* the key of 0 (cl/regions/pixel_type.cl) */

bool clump_measure_scale_needed(const struct measure *job)
{
    return job->image && (job->image->type == CLUMP_F32 || job->image->type == CLUMP_F64 ||
                          job->image->type == CLUMP_I64);
}

/* E such that 2^(E-1) <= m < 2^E, for the magnitude m that has these bits; INT_MIN for 0. */
static int exponent_of(uint64_t bits, enum clump_type type)
{
    if (!bits)
        return INT_MIN;
    int length = 64 - __builtin_clzll(bits);
    if (type == CLUMP_I64)
        return length;
    int stored = (int)(type == CLUMP_F32 ? bits >> 23 : bits >> 52);
    int bias = type == CLUMP_F32 ? 126 : 1022, least = type == CLUMP_F32 ? -149 : -1074;
    return stored ? stored - bias : least + length;
}

/* The same of the value that has this key (KEY_OF in cl/regions/pixel_type.cl). */
static int exponent_of_key(uint64_t key, enum clump_type type)
{
    uint64_t sign = type == CLUMP_F32 ? (uint64_t)1 << 31 : (uint64_t)1 << 63;
    key = type == CLUMP_F32 ? key >> 32 : key;
    uint64_t bits = key & sign ? key ^ sign : (sign - 1) & ~key;
    return exponent_of(type == CLUMP_I64 && !(key & sign) ? bits + 1 : bits, type);
}

static int greater(int a, int b) { return a > b ? a : b; }

int clump_measure_scale_level(const struct measure *job)
{
    int exponent;
    frexp(job->params->level, &exponent);
    return job->params->level == 0 ? INT_MIN : exponent;
}

/* k for magnitudes below 2^exponent. */
static int scale_for(const struct measure *job, int exponent)
{
    if (job->image->type == CLUMP_I64)
        exponent = greater(exponent, MEASURE_VALUE_BITS);
    return exponent == INT_MIN ? 0 : MEASURE_VALUE_BITS - exponent;
}

void clump_measure_scale_guess(struct measure *job, uint32_t least, uint32_t greatest)
{
    const int room = MEASURE_VALUE_BITS - PIXEL_BITS - 1; /* some pixels are less than the least */
    int low = exponent_of(least, CLUMP_F32), top = exponent_of(greatest, CLUMP_F32);
    if (greatest && top > low + room)
        top = low + room;
    job->scale = scale_for(job, greater(top, clump_measure_scale_level(job)));
}

/* Whether the sums of a row depend on its scale: not if all pixels are blank or 0, and not if some
 * are infinite, because sums are not used then. */
static bool has_sums(const uint64_t *row)
{
    return row[MEASURE_FINITE] == row[MEASURE_AREA] - row[MEASURE_BLANK] &&
           (row[MEASURE_MOST] != zero || ~row[MEASURE_LEAST] != zero) && row[MEASURE_FINITE];
}

int clump_measure_scale_of(const struct measure *job, const uint64_t *row)
{
    if (!row || !clump_measure_scale_needed(job))
        return 0;
    int least = exponent_of_key(~row[MEASURE_LEAST], job->image->type);
    int most = exponent_of_key(row[MEASURE_MOST], job->image->type);
    return scale_for(job, greater(clump_measure_scale_level(job), greater(least, most)));
}

/* Whether all pixels of a row of floats are multiples of 2^-scale, as far as the extreme values
 * tell: values of one sign, with all their bits above it. */
static bool is_exact(const struct measure *job, const uint64_t *row)
{
    uint64_t least = ~row[MEASURE_LEAST], most = row[MEASURE_MOST];
    if (job->image->type != CLUMP_F32 || (least < zero && most > zero))
        return false;
    int low = exponent_of_key(least >= zero ? least : most, CLUMP_F32);
    return low != INT_MIN && low - PIXEL_BITS >= -job->scale;
}

/* Multiplies a sum of 128 bits by 2^by. */
static void shift(uint64_t *words, unsigned by)
{
    uint128 sum = ((uint128)words[1] << 64 | words[0]) << by;
    words[0] = (uint64_t)sum;
    words[1] = (uint64_t)(sum >> 64);
}

bool clump_measure_scale_settle(const struct measure *job, uint64_t *row, int own)
{
    if (!clump_measure_scale_needed(job) || row[MEASURE_SCALE] || own == job->scale ||
        !has_sums(row))
        return true;
    if (own < job->scale || !is_exact(job, row))
        return false;
    unsigned by = (unsigned)(own - job->scale);
    for (unsigned i = MEASURE_V; i <= MEASURE_V_COL; i += 2)
        shift(row + i, by);
    if (job->words == MEASURE_BRIEF_WORDS)
        return true;
    for (unsigned i = MEASURE_V_ROW_ROW; i <= MEASURE_V_COL_COL; i += 2)
        shift(row + i, by);
    shift(row + MEASURE_V_V, 2 * by);
    return true;
}
