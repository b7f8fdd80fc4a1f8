/* SPDX-License-Identifier: MIT */
#include "opencl/regions/measure_figures.h"

#include <math.h>
#include <string.h>

#include "opencl/regions/exact_round.h"

/* A sum of 128 bits. */
static int128 get(const uint64_t *words) { return (int128)((uint128)words[1] << 64 | words[0]); }

static void add_128(uint64_t *into, const uint64_t *from)
{
    uint128 sum = (uint128)get(into) + (uint128)get(from);
    into[0] = (uint64_t)sum;
    into[1] = (uint64_t)(sum >> 64);
}

static const uint64_t nothing[MEASURE_WORDS]; /* the row of no pixels: its quotients are 0 / 0 */

static uint64_t greater(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* The greater of both low halves and the greater of both high halves. */
static uint64_t greater_halves(uint64_t a, uint64_t b)
{
    const uint64_t low = UINT32_MAX;
    return greater(a & low, b & low) | greater(a & ~low, b & ~low);
}

void clump_measure_figures_merge(uint64_t *into, const uint64_t *from, unsigned words)
{
    for (unsigned i = MEASURE_AREA; i <= MEASURE_BLANK; i++)
        into[i] += from[i];
    into[MEASURE_ROW] += from[MEASURE_ROW];
    into[MEASURE_COL] += from[MEASURE_COL];
    for (unsigned i = MEASURE_V; i < MEASURE_FIRST; i += 2)
        add_128(into + i, from + i);
    for (unsigned i = MEASURE_BRIEF_WORDS; i < words; i += 2)
        add_128(into + i, from + i);
    into[MEASURE_FIRST] = greater_halves(into[MEASURE_FIRST], from[MEASURE_FIRST]);
    into[MEASURE_LAST] = greater_halves(into[MEASURE_LAST], from[MEASURE_LAST]);
    into[MEASURE_LEAST] = greater(into[MEASURE_LEAST], from[MEASURE_LEAST]);
    if (from[MEASURE_MOST] == into[MEASURE_MOST])
        into[MEASURE_PEAK] = greater(into[MEASURE_PEAK], from[MEASURE_PEAK]);
    else if (from[MEASURE_MOST] > into[MEASURE_MOST])
        into[MEASURE_PEAK] = from[MEASURE_PEAK];
    into[MEASURE_MOST] = greater(into[MEASURE_MOST], from[MEASURE_MOST]);
}

/* a / b 2^exponent, rounded once; for b = 0 what IEEE arithmetic gives. */
static double ratio(int128 a, int128 b, int exponent)
{
    if (b == 0)
        return a == 0 ? (double)NAN : a > 0 ? (double)INFINITY : -(double)INFINITY;
    struct wide x = clump_exact_round_wide(b < 0 ? -a : a),
                y = clump_exact_round_wide(b < 0 ? -b : b);
    return clump_exact_round_quotient(&x, &y, exponent);
}

/* The central second moment (n ab - a b) / n^2 from the sums of weights, n, and of weighted
 * positions. */
static double moment(int128 n, int128 a, int128 b, int128 ab)
{
    if (n == 0)
        return (double)NAN;
    struct wide x = clump_exact_round_cross(n, ab, a, b), y = clump_exact_round_cross(n, n, 0, 0);
    return clump_exact_round_quotient(&x, &y, 0);
}

/* Centroid of the shape. */
static void finish_shape(const uint64_t *t, struct clump_region *region)
{
    region->centroid_row = ratio(t[MEASURE_ROW], t[MEASURE_AREA], 0);
    region->centroid_col = ratio(t[MEASURE_COL], t[MEASURE_AREA], 0);
}

/* Second moments of the shape. */
static void finish_moments(const uint64_t *t, struct clump_region *region)
{
    int128 n = t[MEASURE_AREA], row = t[MEASURE_ROW], col = t[MEASURE_COL];
    region->moment_rr = moment(n, row, row, get(t + MEASURE_ROW_ROW));
    region->moment_rc = moment(n, row, col, get(t + MEASURE_ROW_COL));
    region->moment_cc = moment(n, col, col, get(t + MEASURE_COL_COL));
}

/* The level in halves of a unit of v: include/clump/measure.h has w = 2 v - base. */
static int128 base_of(double level, int scale) { return (int128)rint(ldexp(level, scale + 1)); }

/* The sum of w x from those of v x and of x. */
static int128 above(int128 sum_vx, int128 sum_x, int128 base) { return 2 * sum_vx - base * sum_x; }

/* Standard deviation and variance of the values, and their second moments. */
static void finish_spread(const uint64_t *t, int scale, double level, struct clump_region *region)
{
    int128 n = t[MEASURE_FINITE], v = get(t + MEASURE_V), base = base_of(level, scale);
    struct wide spread = clump_exact_round_cross(n, get(t + MEASURE_V_V), v, v);
    struct wide square = clump_exact_round_cross(n, n, 0, 0);
    region->variance = n ? clump_exact_round_quotient(&spread, &square, -2 * scale) : (double)NAN;
    region->std = n ? clump_exact_round_root(&spread, t[MEASURE_FINITE], -scale) : (double)NAN;
    int128 row = above(get(t + MEASURE_V_ROW), t[MEASURE_ROW], base);
    int128 col = above(get(t + MEASURE_V_COL), t[MEASURE_COL], base);
    int128 row_row = above(get(t + MEASURE_V_ROW_ROW), get(t + MEASURE_ROW_ROW), base);
    int128 row_col = above(get(t + MEASURE_V_ROW_COL), get(t + MEASURE_ROW_COL), base);
    int128 col_col = above(get(t + MEASURE_V_COL_COL), get(t + MEASURE_COL_COL), base);
    v = above(v, n, base);
    region->weighted_rr = moment(v, row, row, row_row);
    region->weighted_rc = moment(v, row, col, row_col);
    region->weighted_cc = moment(v, col, col, col_col);
}

/* Of the ellipse: include/clump/measure.h promises these operations in this order. */
static void finish_ellipse(struct clump_region *region)
{
    const double quarter = 0.78539816339744830962; /* of pi */
    double rr = region->moment_rr, rc = region->moment_rc, cc = region->moment_cc;
    double mid = (rr + cc) / 2, dif = (rr - cc) / 2, root = sqrt(dif * dif + rc * rc);
    double l1 = mid + root, l2 = mid - root > 0 || isnan(mid) ? mid - root : 0;
    region->axis_major = 4 * sqrt(l1);
    region->axis_minor = 4 * sqrt(l2);
    region->orientation =
        rr - cc == 0 ? (rc > 0 ? quarter : -quarter) : 0.5 * atan2(2 * rc, rr - cc);
    region->eccentricity = l1 == 0 ? 0 : sqrt(1 - l2 / l1);
}

/* The value behind a key (KEY_OF in cl/regions/pixel_type.cl). */
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

/* Sum, mean and centre of the values. */
static void finish_sums(const uint64_t *t, int scale, double level, struct clump_region *region)
{
    int128 base = base_of(level, scale), w = above(get(t + MEASURE_V), t[MEASURE_FINITE], base);
    region->sum = ratio(w, 1, -scale - 1);
    region->mean = ratio(w, t[MEASURE_FINITE], -scale - 1);
    region->weighted_row = ratio(above(get(t + MEASURE_V_ROW), t[MEASURE_ROW], base), w, 0);
    region->weighted_col = ratio(above(get(t + MEASURE_V_COL), t[MEASURE_COL], base), w, 0);
}

/* All figures of the values, and what they flag. */
static void finish_values(const uint64_t *t, bool brief, const clump_image *image, int scale,
                          double level, struct clump_region *region)
{
    uint64_t known = t[MEASURE_AREA] - t[MEASURE_BLANK], peak = (uint32_t)~t[MEASURE_PEAK];
    bool finite = t[MEASURE_FINITE] == known;
    finish_sums(finite ? t : nothing, scale, level, region);
    finish_spread(finite && !brief ? t : nothing, scale, level, region);
    region->min = region->max = (double)NAN;
    if (t[MEASURE_BLANK])
        region->flags |= CLUMP_REGION_BLANK;
    if (known) {
        region->min = decode(~t[MEASURE_LEAST], image->type) - level;
        region->max = decode(t[MEASURE_MOST], image->type) - level;
        region->peak_row = peak / image->cols;
        region->peak_col = peak % image->cols;
    }
    if (!finite) {
        region->flags |= CLUMP_REGION_INFINITE;
        region->sum = region->mean = !isinf(region->min) ? (double)INFINITY
                                     : region->max == (double)INFINITY && region->min < 0
                                         ? (double)NAN
                                         : region->min;
    }
    if (region->area && region->sum <= 0)
        region->flags |= CLUMP_REGION_NEGATIVE;
}

void clump_measure_figures_start(const uint64_t *row, uint64_t label, const clump_image *labels,
                                 struct clump_region *region)
{
    *region = (struct clump_region){.label = label};
    if (!row)
        return;
    region->area = row[MEASURE_AREA];
    region->row_min = (uint32_t)~row[MEASURE_FIRST];
    region->col_min = (uint32_t)(~row[MEASURE_FIRST] >> 32);
    region->row_max = (uint32_t)row[MEASURE_LAST];
    region->col_max = row[MEASURE_LAST] >> 32;
    if (!region->row_min || !region->col_min || region->row_max == labels->rows ||
        region->col_max == labels->cols)
        region->flags |= CLUMP_REGION_BORDER;
}

void clump_measure_figures_finish(const uint64_t *row, unsigned words, const clump_image *image,
                                  int scale, double level, struct clump_region *region)
{
    bool brief = words == MEASURE_BRIEF_WORDS;
    finish_shape(row ? row : nothing, region);
    finish_moments(row && !brief ? row : nothing, region);
    finish_ellipse(region);
    finish_values(row && image ? row : nothing, brief, image, scale, level, region);
    if (!image) {
        region->sum = (double)NAN;
        region->flags &= ~(uint32_t)CLUMP_REGION_NEGATIVE;
    }
    region->perimeter = region->solidity = (double)NAN;
}
