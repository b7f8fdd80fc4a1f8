/* SPDX-License-Identifier: MIT */
#include "bands/sums.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "opencl/core/int128.h"
#include "opencl/regions/measure_figures.h"

static bool is_float(enum clump_type type) { return type == CLUMP_F32 || type == CLUMP_F64; }

static double real_at(enum clump_type type, const void *pixels, uint32_t col)
{
    return type == CLUMP_F32 ? (double)((const float *)pixels)[col] : ((const double *)pixels)[col];
}

static int64_t whole_at(enum clump_type type, const void *pixels, uint32_t col)
{
    switch (type) {
    case CLUMP_U8:
        return ((const uint8_t *)pixels)[col];
    case CLUMP_U16:
        return ((const uint16_t *)pixels)[col];
    case CLUMP_I16:
        return ((const int16_t *)pixels)[col];
    case CLUMP_I32:
        return ((const int32_t *)pixels)[col];
    case CLUMP_U32:
        return ((const uint32_t *)pixels)[col];
    default:
        return ((const int64_t *)pixels)[col];
    }
}

int16_t clump_sums_exponent(enum clump_type type, const void *pixels, const struct bands_run *run)
{
    double most = 0;
    uint64_t large = 0;
    int exponent;
    for (uint32_t c = run->first; c < run->past; c++)
        if (is_float(type)) {
            double x = fabs(real_at(type, pixels, c));
            most = x > most && isfinite(x) ? x : most;
        } else if (type == CLUMP_I64) {
            int64_t x = whole_at(type, pixels, c);
            uint64_t magnitude = x < 0 ? 0 - (uint64_t)x : (uint64_t)x;
            large = magnitude > large ? magnitude : large;
        }
    if (type == CLUMP_I64 && large)
        return (int16_t)(64 - __builtin_clzll(large));
    frexp(most, &exponent);
    return most > 0 ? (int16_t)exponent : INT16_MIN;
}

int clump_sums_scale(enum clump_type type, int exponent, double level)
{
    int of_level;
    frexp(level, &of_level);
    if (!is_float(type) && type != CLUMP_I64)
        return 0;
    if (level != 0 && of_level > exponent)
        exponent = of_level;
    if (type == CLUMP_I64 && exponent < MEASURE_VALUE_BITS)
        exponent = MEASURE_VALUE_BITS;
    return exponent == INT16_MIN ? 0 : MEASURE_VALUE_BITS - exponent;
}

/* x 2^scale, rounded to nearest even. */
static int64_t fixed_whole(int64_t x, int scale)
{
    if (scale == 0)
        return x;
    unsigned by = (unsigned)-scale;
    int64_t low = x >> by, rest = x - (int64_t)((uint64_t)low << by), half = INT64_C(1) << (by - 1);
    return low + (rest > half || (rest == half && (low & 1)));
}

/* What a run adds up, with columns as they are. */
struct run_sums {
    uint64_t finite;
    int128 v, v_col, v_col_col, v_v;
};

static void add_value(struct run_sums *sums, int64_t v, uint32_t col)
{
    sums->finite++;
    sums->v += v;
    sums->v_col += (int128)v * col;
    sums->v_col_col += (int128)v * col * col;
    sums->v_v += (int128)v * v;
}

/* Keys in the order of the values, as measure's rows have them (decode in measure_figures.c). */
static uint64_t key_of_real(enum clump_type type, double x)
{
    uint64_t bits;
    if (type == CLUMP_F32) {
        float narrow = (float)(x + 0.0);
        uint32_t word;
        memcpy(&word, &narrow, sizeof word);
        word = word >> 31 ? ~word : word ^ UINT32_C(1) << 31;
        return (uint64_t)word << 32;
    }
    x += 0.0; /* -0 is 0 */
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits ^ UINT64_C(1) << 63;
}

static uint64_t key_of_whole(enum clump_type type, int64_t x)
{
    if (type == CLUMP_I64)
        return (uint64_t)x ^ UINT64_C(1) << 63;
    bool is_signed = type == CLUMP_I16 || type == CLUMP_I32;
    return (uint64_t)((uint32_t)x ^ (is_signed ? UINT32_C(1) << 31 : 0)) << 32;
}

static void add_key(struct sums *sums, uint64_t key, uint64_t row, uint32_t col)
{
    uint64_t *words = sums->words;
    if (~key > words[MEASURE_LEAST])
        words[MEASURE_LEAST] = ~key;
    if (key > words[MEASURE_MOST] || !words[MEASURE_PEAK]) {
        words[MEASURE_MOST] = key;
        words[MEASURE_PEAK] = 1; /* there is one */
        sums->peak_row = row;
        sums->peak_col = col;
    }
}

static void add_wide(uint64_t *words, int128 x)
{
    uint128 sum = ((uint128)words[1] << 64 | words[0]) + (uint128)x;
    words[0] = (uint64_t)sum;
    words[1] = (uint64_t)(sum >> 64);
}

/* The sums of the columns first to past - 1, and of their squares. */
static void add_shape(uint64_t *words, uint64_t row, uint64_t first, uint64_t past)
{
    uint128 n = past - first, end = past - 1;
    uint128 cols = n * (first + end) / 2;
    uint128 squares = end * (end + 1) * (2 * end + 1) / 6;
    if (first)
        squares -= (uint128)(first - 1) * first * (2 * first - 1) / 6;
    words[MEASURE_AREA] += past - first;
    words[MEASURE_ROW] += row * (past - first);
    words[MEASURE_COL] += (uint64_t)cols;
    add_wide(words + MEASURE_ROW_ROW, (int128)(n * row * row));
    add_wide(words + MEASURE_ROW_COL, (int128)(cols * row));
    add_wide(words + MEASURE_COL_COL, (int128)squares);
    uint64_t low = ~row & UINT32_MAX, high = ~first << 32, at = words[MEASURE_FIRST];
    low = low > (at & UINT32_MAX) ? low : at & UINT32_MAX;
    high = high > (at & ~(uint64_t)UINT32_MAX) ? high : at & ~(uint64_t)UINT32_MAX;
    words[MEASURE_FIRST] = high | low;
    at = words[MEASURE_LAST];
    low = row + 1 > (at & UINT32_MAX) ? row + 1 : at & UINT32_MAX;
    high = past > at >> 32 ? past : at >> 32;
    words[MEASURE_LAST] = high << 32 | low;
}

void clump_sums_add(struct sums *sums, enum clump_type type, const void *pixels, uint64_t row,
                    const struct bands_run *run)
{
    struct run_sums own = {0};
    uint64_t *words = sums->words;
    /* 2^k may be beyond the range of the type, half of it is not */
    double one = ldexp(1, sums->scale / 2), other = ldexp(1, sums->scale - sums->scale / 2);
    for (uint32_t c = run->first; c < run->past; c++)
        if (is_float(type)) {
            double x = real_at(type, pixels, c);
            add_key(sums, key_of_real(type, x), row, c);
            if (isfinite(x))
                add_value(&own, (int64_t)rint(x * one * other), c);
        } else {
            int64_t x = whole_at(type, pixels, c);
            add_key(sums, key_of_whole(type, x), row, c);
            add_value(&own, fixed_whole(x, sums->scale), c);
        }
    add_shape(words, row, run->first, run->past);
    words[MEASURE_FINITE] += own.finite;
    add_wide(words + MEASURE_V, own.v);
    add_wide(words + MEASURE_V_ROW, own.v * (int128)row);
    add_wide(words + MEASURE_V_COL, own.v_col);
    add_wide(words + MEASURE_V_ROW_ROW, own.v * (int128)row * (int128)row);
    add_wide(words + MEASURE_V_ROW_COL, own.v_col * (int128)row);
    add_wide(words + MEASURE_V_COL_COL, own.v_col_col);
    add_wide(words + MEASURE_V_V, own.v_v);
}

void clump_sums_finish(const struct sums *sums, enum clump_type type, uint64_t rows, uint64_t cols,
                       uint64_t label, double level, struct clump_region *region)
{
    const struct clump_image size = {.type = type, .rows = rows, .cols = cols};
    clump_measure_figures_start(sums->words, label, &size, region);
    clump_measure_figures_finish(sums->words, MEASURE_WORDS, &size, sums->scale, level, region);
    region->peak_row = sums->peak_row;
    region->peak_col = sums->peak_col;
}
