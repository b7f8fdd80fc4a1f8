/* SPDX-License-Identifier: MIT */
#include "opencl/region.h"

#include <math.h>
#include <string.h>

#include "opencl/rational.h"

static int128 get(const uint64_t *words) { return (int128)((uint128)words[1] << 64 | words[0]); }

static void add_128(uint64_t *into, const uint64_t *from)
{
    uint128 sum = (uint128)get(into) + (uint128)get(from);
    into[0] = (uint64_t)sum;
    into[1] = (uint64_t)(sum >> 64);
}

static uint64_t greater(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* The greater of each half. */
static uint64_t greater_halves(uint64_t a, uint64_t b)
{
    const uint64_t low = UINT32_MAX;
    return greater(a & low, b & low) | greater(a & ~low, b & ~low);
}

void clump_region_merge(uint64_t *into, const uint64_t *from)
{
    for (unsigned i = REGION_AREA; i <= REGION_BLANK; i++)
        into[i] += from[i];
    into[REGION_ROW] += from[REGION_ROW];
    into[REGION_COL] += from[REGION_COL];
    for (unsigned i = REGION_ROW_ROW; i < REGION_FIRST; i += 2)
        add_128(into + i, from + i);
    into[REGION_FIRST] = greater_halves(into[REGION_FIRST], from[REGION_FIRST]);
    into[REGION_LAST] = greater_halves(into[REGION_LAST], from[REGION_LAST]);
    into[REGION_LEAST] = greater(into[REGION_LEAST], from[REGION_LEAST]);
    if (from[REGION_MOST] == into[REGION_MOST])
        into[REGION_PEAK] = greater(into[REGION_PEAK], from[REGION_PEAK]);
    else if (from[REGION_MOST] > into[REGION_MOST])
        into[REGION_PEAK] = from[REGION_PEAK];
    into[REGION_MOST] = greater(into[REGION_MOST], from[REGION_MOST]);
}

struct clump_region clump_region_empty(uint64_t label, bool values)
{
    const double nan = (double)NAN;
    return (struct clump_region){
        .label = label,
        .sum = values ? 0 : nan,
        .mean = nan,
        .std = nan,
        .min = nan,
        .max = nan,
        .centroid_row = nan,
        .centroid_col = nan,
        .weighted_row = nan,
        .weighted_col = nan,
        .moment_rr = nan,
        .moment_rc = nan,
        .moment_cc = nan,
        .weighted_rr = nan,
        .weighted_rc = nan,
        .weighted_cc = nan,
        .axis_major = nan,
        .axis_minor = nan,
        .orientation = nan,
        .eccentricity = nan,
        .perimeter = nan,
        .solidity = nan,
    };
}

/* a / b 2^exponent as IEEE arithmetic has it. */
static double ratio(int128 a, int128 b, int exponent)
{
    if (b == 0)
        return a == 0 ? (double)NAN : a > 0 ? (double)INFINITY : -(double)INFINITY;
    struct wide x = clump_wide(b < 0 ? -a : a), y = clump_wide(b < 0 ? -b : b);
    return clump_wide_quotient(&x, &y, exponent);
}

/* (n ab - a b) / n^2 */
static double moment(int128 n, int128 a, int128 b, int128 ab)
{
    if (n == 0)
        return (double)NAN;
    struct wide x = clump_wide_cross(n, ab, a, b), y = clump_wide_cross(n, n, 0, 0);
    return clump_wide_quotient(&x, &y, 0);
}

static void finish_shape(const uint64_t *t, const clump_image *labels, struct clump_region *region)
{
    int128 n = t[REGION_AREA], row = t[REGION_ROW], col = t[REGION_COL];
    region->area = t[REGION_AREA];
    region->row_min = (uint32_t)~t[REGION_FIRST];
    region->col_min = (uint32_t)(~t[REGION_FIRST] >> 32);
    region->row_max = (uint32_t)t[REGION_LAST];
    region->col_max = t[REGION_LAST] >> 32;
    if (!region->row_min || !region->col_min || region->row_max == labels->rows ||
        region->col_max == labels->cols)
        region->flags |= CLUMP_REGION_BORDER;
    region->centroid_row = ratio(row, n, 0);
    region->centroid_col = ratio(col, n, 0);
    region->moment_rr = moment(n, row, row, get(t + REGION_ROW_ROW));
    region->moment_rc = moment(n, row, col, get(t + REGION_ROW_COL));
    region->moment_cc = moment(n, col, col, get(t + REGION_COL_COL));
}

/* The operations and their order are part of measure.h's promise. */
static void finish_ellipse(struct clump_region *region)
{
    const double quarter = 0.78539816339744830962; /* of pi */
    double rr = region->moment_rr, rc = region->moment_rc, cc = region->moment_cc;
    double mid = (rr + cc) / 2, dif = (rr - cc) / 2, root = sqrt(dif * dif + rc * rc);
    double l1 = mid + root, l2 = fmax(mid - root, 0);
    region->axis_major = 4 * sqrt(l1);
    region->axis_minor = 4 * sqrt(l2);
    region->orientation =
        rr - cc == 0 ? (rc > 0 ? -quarter : quarter) : 0.5 * atan2(2 * rc, rr - cc);
    region->eccentricity = l1 == 0 ? 0 : sqrt(1 - l2 / l1);
}

static double decode(uint64_t key, enum clump_type type)
{
    uint32_t high = (uint32_t)(key >> 32);
    float single;
    double real;
    switch (type) {
    case CLUMP_F32:
        high = high >> 31 ? high ^ 0x80000000u : ~high;
        memcpy(&single, &high, sizeof single);
        return single;
    case CLUMP_F64:
        key = key >> 63 ? key ^ (uint64_t)1 << 63 : ~key;
        memcpy(&real, &key, sizeof real);
        return real;
    case CLUMP_I64:
        return (double)(int64_t)(key ^ (uint64_t)1 << 63);
    case CLUMP_I16:
    case CLUMP_I32:
        return (int32_t)(high ^ 0x80000000u);
    default:
        return high;
    }
}

static void finish_sums(const uint64_t *t, int scale, struct clump_region *region)
{
    int128 n = t[REGION_FINITE], v = get(t + REGION_V);
    int128 row = get(t + REGION_V_ROW), col = get(t + REGION_V_COL);
    struct wide spread = clump_wide_cross(n, get(t + REGION_V_V), v, v);
    region->sum = ratio(v, 1, -scale);
    region->mean = ratio(v, n, -scale);
    if (n)
        region->std = clump_wide_root(&spread, t[REGION_FINITE], -scale);
    region->weighted_row = ratio(row, v, 0);
    region->weighted_col = ratio(col, v, 0);
    region->weighted_rr = moment(v, row, row, get(t + REGION_V_ROW_ROW));
    region->weighted_rc = moment(v, row, col, get(t + REGION_V_ROW_COL));
    region->weighted_cc = moment(v, col, col, get(t + REGION_V_COL_COL));
}

static void finish_values(const uint64_t *t, const clump_image *image, int scale,
                          struct clump_region *region)
{
    uint64_t known = t[REGION_AREA] - t[REGION_BLANK];
    if (t[REGION_BLANK])
        region->flags |= CLUMP_REGION_BLANK;
    if (known) {
        uint64_t peak = (uint32_t)~t[REGION_PEAK];
        region->min = decode(~t[REGION_LEAST], image->type);
        region->max = decode(t[REGION_MOST], image->type);
        region->peak_row = peak / image->cols;
        region->peak_col = peak % image->cols;
    }
    if (t[REGION_FINITE] < known) {
        region->flags |= CLUMP_REGION_INFINITE;
        region->sum = region->mean = !isinf(region->min) ? (double)INFINITY
                                     : region->max == (double)INFINITY && region->min < 0
                                         ? (double)NAN
                                         : region->min;
    } else {
        finish_sums(t, scale, region);
    }
    if (region->sum <= 0)
        region->flags |= CLUMP_REGION_NEGATIVE;
}

void clump_region_finish(const uint64_t *row, const clump_image *image, const clump_image *labels,
                         int scale, struct clump_region *region)
{
    finish_shape(row, labels, region);
    finish_ellipse(region);
    if (image)
        finish_values(row, image, scale, region);
}
