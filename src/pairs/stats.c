/* SPDX-License-Identifier: MIT */
#include "stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void pair_store(enum clump_type type, void *pixels, uint64_t i, double value)
{
    switch (type) {
    case CLUMP_U8:
        ((uint8_t *)pixels)[i] = (uint8_t)fmod(fabs(value), 256);
        break;
    case CLUMP_U16:
        ((uint16_t *)pixels)[i] = (uint16_t)fmod(fabs(value), 65536);
        break;
    case CLUMP_I16:
        ((int16_t *)pixels)[i] = (int16_t)fmod(value, 32768);
        break;
    case CLUMP_I32:
        ((int32_t *)pixels)[i] = (int32_t)fmod(value, 0x1p31);
        break;
    case CLUMP_U32:
        ((uint32_t *)pixels)[i] = (uint32_t)fmod(fabs(value), 0x1p32);
        break;
    case CLUMP_I64:
        ((int64_t *)pixels)[i] = (int64_t)fmod(value, 0x1p63);
        break;
    case CLUMP_F32:
        ((float *)pixels)[i] = (float)value;
        break;
    default:
        ((double *)pixels)[i] = value;
    }
}

static double hard(uint64_t kind, uint64_t *state, bool is_float)
{
    uint64_t r = pair_random(state);
    double unit = (double)(r >> 11) * 0x1p-53, sign = r & 1 ? -1 : 1;
    switch (kind) {
    case 0:
        return 7.25;
    case 1:
        return r & 3 ? 5 : -3;
    case 2:
        return 10000 + 3 * (unit + (double)(r & 1023) / 1024); /* most values in one wide bin */
    case 3:
        return sign / (unit * unit * unit + 1e-9);
    case 4:
        return r % 5 ? 0 : sign * unit * 100;
    case 5:
        return sign * unit * (r & 6 ? 0x1p-140 : 0x1p-1040);
    case 6:
        return sign * unit * (r & 2 ? 1e30 : 1e-30);
    case 7:
        return is_float && r % 7 == 0 ? sign * (double)INFINITY : (double)(r % 11);
    case 8:
        return is_float ? (double)NAN : 3;
    default:
        return is_float ? (double)INFINITY : 4;
    }
}

void pair_picture_hard(const struct pair_case *test, void *pixels)
{
    uint64_t state = test->seed * 977 + test->rows, n = test->rows * test->cols;
    bool is_float = test->type == CLUMP_F32 || test->type == CLUMP_F64;
    uint64_t kind = test->rows * test->cols > 100000 ? 2 + test->seed : test->seed % 10;
    for (uint64_t i = 0; i < n; i++)
        pair_store(test->type, pixels, i, hard(kind, &state, is_float));
}

void pair_add_stats(struct pair_output *out, const struct clump_stats_result *result)
{
    pair_add_number(out, "count", (double)result->count);
    pair_add_number(out, "blank", (double)result->blank);
    pair_add_number(out, "infinite", (double)result->infinite);
    pair_add_number(out, "min", result->min);
    pair_add_number(out, "max", result->max);
    pair_add_number(out, "min_row", (double)result->min_row);
    pair_add_number(out, "min_col", (double)result->min_col);
    pair_add_number(out, "max_row", (double)result->max_row);
    pair_add_number(out, "max_col", (double)result->max_col);
    pair_add_number(out, "sum", result->sum);
    pair_add_number(out, "mean", result->mean);
    pair_add_number(out, "variance", result->variance);
    pair_add_number(out, "std", result->std);
    pair_add_number(out, "median", result->median);
    pair_add_number(out, "mad", result->mad);
}

bool pair_is_sampled(uint64_t i, uint64_t n)
{
    uint64_t samples = n / 256 > 4096 ? n / 256 < 65536 ? n / 256 : 65536 : 4096;
    if (n < 2 * samples)
        return false;
    uint64_t stride = n / samples, sample = i / stride;
    return sample < samples && i % stride == (uint32_t)sample * 2654435761u * stride >> 32;
}

/* What is hard for a sweep that relies on a sample, by kinds from 9 on. */
static double misleading(uint64_t kind, uint64_t *state, uint64_t i, uint64_t n)
{
    uint64_t r = pair_random(state);
    double unit = (double)(r >> 11) * 0x1p-53, sign = r & 1 ? -1 : 1;
    bool sampled = pair_is_sampled(i, n);
    switch (kind) {
    case 9: /* the sample is from one side of the median */
        return sampled ? 5 + unit : unit;
    case 10: /* where the sample has few pixels there are most */
        return sampled ? 100 * (unit - 0.5) : (unit - 0.5) / 10;
    case 11: /* one infinity, and blank */
        return r & 6 ? (double)NAN : n % 2 ? (double)INFINITY : -(double)INFINITY;
    case 12: /* zeros of both signs, and denormals, least or greatest of all if they are */
        return r % 50 ? sign * 0.0 : r & 64 ? sign * 1e-40 : n % 2 ? unit : -unit;
    case 13: /* few values, and the median at the border of two */
        return (double)(i < n / 2 ? r % 3 : 3 + r % 3);
    case 14: /* a level, blank in the first rows, and pixels of all sizes */
        if (i < n / 90)
            return (double)NAN;
        return i % 23 ? 1000 + unit : ldexp(sign * unit, (int)(r % 64) - 20);
    default: /* some denormals, in a noise around zero that reaches over many exponents */
        return r % 100 == 0 ? sign * 1e-39 * unit : sign * unit * unit * 0x1p-90;
    }
}

/* The kinds of pair_picture_hard, then those that mislead; large images are of the latter. */
static uint64_t kind_of(const struct pair_case *test)
{
    return test->rows * test->cols > 100000 ? 9 + test->seed : test->seed % 16;
}

/* A sample misleads by kinds 9 and 10; denormals near the median or an extreme (5, 12 and 15) a
 * device may have flushed; nothing finite (11) leaves no extremes to seek. */
static unsigned misleads(const struct pair_case *test)
{
    return 1u << kind_of(test) & (1u << 5 | 0x1e00 | 1u << 15) ? 1 : 0;
}

static void picture_sweep(const struct pair_case *test, void *pixels)
{
    uint64_t state = test->seed * 977 + test->cols, n = test->rows * test->cols;
    uint64_t kind = kind_of(test);
    for (uint64_t i = 0; i < n; i++)
        pair_store(test->type, pixels, i,
                   kind < 9 ? hard(kind, &state, true) : misleading(kind, &state, i, n));
}

static enum clump_status run_sweep(clump_context *context, const struct pair_case *test,
                                   const struct pair_input *in, struct pair_output *out)
{
    struct clump_stats_params params = {.ddof = (uint32_t)(test->seed % 3)};
    struct clump_stats_result result;
    enum clump_status status = clump_stats(context, in->image, &params, NULL, &result);
    if (!status)
        pair_add_stats(out, &result);
    return status;
}

static enum clump_status run(clump_context *context, const struct pair_case *test,
                             const struct pair_input *in, struct pair_output *out)
{
    struct clump_stats_result result;
    (void)test;
    enum clump_status status = clump_stats(context, in->image, NULL, NULL, &result);
    if (!status)
        pair_add_stats(out, &result);
    return status;
}

static enum clump_status run_full(clump_context *context, const struct pair_case *test,
                                  const struct pair_input *in, struct pair_output *out)
{
    const clump_image *image = in->extra[0] ? in->extra[0] : in->image;
    static const double wanted[] = {0, 0.001, 0.1, 0.25, 1.0 / 3, 0.5, 0.9, 0.999999, 1};
    struct clump_stats_params params = {wanted, sizeof wanted / sizeof *wanted,
                                        (uint32_t)(test->seed % 3), true};
    struct clump_stats_result result;
    double *quantiles = pair_memory(sizeof wanted);
    enum clump_status status = clump_stats(context, image, &params, quantiles, &result);
    pair_add_list(out, "quantiles", quantiles, params.quantile_count);
    if (!status)
        pair_add_stats(out, &result);
    return status;
}

/* One of the small shapes stands for an image of more than 32768 pixels, where a sample of the
 * pixels chooses the histogram's window. The large shapes have that too, but few checks have time
 * for them. */
static enum clump_status prepare_sampled(clump_context *context, const struct pair_case *test,
                                         struct pair_input *in)
{
    const struct pair_case large = {8, 4099, test->type, test->seed};
    if (test->rows != 65)
        return CLUMP_OK;
    void *pixels = pair_memory(clump_type_row_bytes(large.type, large.cols) * (size_t)large.rows);
    pair_picture_hard(&large, pixels);
    enum clump_status status =
        clump_image_upload(context, large.type, large.rows, large.cols, pixels, &in->extra[0]);
    free(pixels);
    return status;
}

/* Every pixel has to be read once. */
static double bytes(const struct pair_case *test) { return pair_image_bytes(test, test->type); }

const struct pair pair_stats = {
    .name = "stats",
    .operation = "stats",
    .types = 1u << CLUMP_F32,
    .picture = pair_picture_sky,
    .run = run,
    .bytes = bytes,
};

const struct pair pair_stats_sweep = {
    .name = "stats_sweep",
    .operation = "stats",
    .types = 1u << CLUMP_F32 | 1u << CLUMP_F64,
    .picture = picture_sweep,
    .run = run_sweep,
    .fallbacks = misleads,
};

const struct pair pair_stats_full = {
    .name = "stats_full",
    .operation = "stats",
    .types = PAIR_NUMBERS,
    .picture = pair_picture_sky,
    .run = run_full,
    .bytes = bytes,
};

const struct pair pair_stats_hard = {
    .name = "stats_hard",
    .operation = "stats",
    .types = PAIR_NUMBERS,
    .picture = pair_picture_hard,
    .run = run_full,
};

const struct pair pair_stats_bits = {
    .name = "stats_bits",
    .operation = "stats",
    .types = PAIR_WIDE,
    .picture = pair_picture_bits,
    .run = run_full,
};

const struct pair pair_stats_sampled = {
    .name = "stats_sampled",
    .operation = "stats",
    .types = 1u << CLUMP_I32 | 1u << CLUMP_F32,
    .picture = pair_picture_hard,
    .prepare = prepare_sampled,
    .run = run_full,
};
