/* SPDX-License-Identifier: MIT */
#include "stats.h"

#include <math.h>
#include <stdlib.h>

void pair_add_clip(struct pair_output *out, const struct clump_clip_result *result)
{
    pair_add_number(out, "lower", result->lower);
    pair_add_number(out, "upper", result->upper);
    pair_add_number(out, "kept", (double)result->kept);
    pair_add_number(out, "iterations", result->iterations);
    pair_add_number(out, "converged", result->converged);
    pair_add_stats(out, &result->before);
    pair_add_stats(out, &result->after);
}

static enum clump_status run(clump_context *context, const struct pair_case *test,
                             const struct pair_input *in, struct pair_output *out)
{
    struct clump_clip_result result;
    (void)test;
    enum clump_status status = clump_clip(context, in->image, NULL, NULL, NULL, &result);
    if (!status)
        pair_add_clip(out, &result);
    return status;
}

/* Every choice, by seed, with the mask and the kept pixels. */
static enum clump_status run_full(clump_context *context, const struct pair_case *test,
                                  const struct pair_input *in, struct pair_output *out)
{
    struct clump_clip_params params = clump_clip_defaults;
    struct clump_clip_result result;
    clump_image *mask = NULL, *kept = NULL;
    uint64_t seed = test->seed;
    params.centre = seed & 1 ? CLUMP_CLIP_CENTRE_MEAN : CLUMP_CLIP_CENTRE_MEDIAN;
    params.scale = seed & 2 ? CLUMP_CLIP_SCALE_MAD : CLUMP_CLIP_SCALE_STD;
    params.inclusive = seed & 4;
    params.mad = seed & 8;
    params.max_iterations = seed % 5;
    params.kappa_low = seed % 7 == 6 ? (double)INFINITY : 1 + (double)(seed % 4);
    params.kappa_high = 1 + (double)(seed % 3);
    enum clump_status status = clump_clip(context, in->image, &params, &mask, &kept, &result);
    if (status)
        return status;
    pair_add_clip(out, &result);
    pair_add_image(out, "mask", mask);
    pair_add_image(out, "kept", kept);
    return CLUMP_OK;
}

/*
 * What a sweep is hard put to, by seed: a sample that promises short tails, one that promises wide
 * bounds, one from beside the median; ties everywhere; two values and outliers; heavy tails;
 * infinite and blank pixels; a level with bright pixels, for which the sweep is made.
 */
enum { SHORT, WIDE, BESIDE, TIES, TWO, HEAVY, ODD, LEVEL, KINDS };

static double sweep_value(uint64_t kind, uint64_t i, uint64_t n, uint64_t *state)
{
    uint64_t r = pair_random(state), q = pair_random(state);
    double noise = -4 * 32767.5, unit = (double)(r >> 11) * 0x1p-53;
    for (int j = 0; j < 64; j += 16)
        noise += (double)(q >> j & 0xffff);
    noise /= 65536; /* of standard deviation 0.58 */
    switch (kind) {
    case SHORT:
        return 1000 + (pair_is_sampled(i, n) ? 20 : 40) * noise;
    case WIDE:
        return 1000 + (pair_is_sampled(i, n) ? 200 : 20) * noise;
    case BESIDE:
        return 1000 + 20 * noise + (pair_is_sampled(i, n) ? 10 : 0);
    case TIES:
        return floor(1000 + 8 * noise) + (r % 100 ? 0 : 300);
    case TWO:
        return r % 1000 == 0 ? 900 + 200 * unit : r & 1024 ? 1000 : 1004;
    case HEAVY:
        return 1000 + noise / (unit * unit + 1e-4);
    case ODD:
        return r % 90 == 0   ? (double)NAN
               : r % 90 == 1 ? (r & 4096 ? 1 : -1) * (double)INFINITY
                             : 20 * noise;
    default:
        return 1000 + 20 * noise + (r % 64 ? 0 : 500 * unit);
    }
}

static void sweep_picture(const struct pair_case *test, void *pixels)
{
    uint64_t n = test->rows * test->cols, state = test->seed + n, kind = test->seed % KINDS;
    bool is_float = test->type == CLUMP_F32 || test->type == CLUMP_F64;
    for (uint64_t i = 0; i < n; i++)
        pair_store(test->type, pixels, i,
                   sweep_value(!is_float && kind == ODD ? LEVEL : kind, i, n, &state));
}

/* One of the small shapes stands for an image that is not its own sample. */
static struct pair_case sampled_case(const struct pair_case *test)
{
    return (struct pair_case){68, 1031, test->type, test->seed};
}

static enum clump_status prepare_sweep(clump_context *context, const struct pair_case *test,
                                       struct pair_input *in)
{
    const struct pair_case large = sampled_case(test);
    if (test->rows != 65)
        return CLUMP_OK;
    void *pixels = pair_memory(clump_type_row_bytes(large.type, large.cols) * (size_t)large.rows);
    sweep_picture(&large, pixels);
    enum clump_status status =
        clump_image_upload(context, large.type, large.rows, large.cols, pixels, &in->extra[0]);
    free(pixels);
    return status;
}

/* Strict and inclusive bounds, both centres, one side only, one pass only. */
static enum clump_status run_sweep(clump_context *context, const struct pair_case *test,
                                   const struct pair_input *in, struct pair_output *out)
{
    struct clump_clip_params params = clump_clip_defaults;
    struct clump_clip_result result;
    clump_image *mask = NULL, *kept = NULL;
    uint64_t turn = test->seed / KINDS;
    params.centre = turn & 1 ? CLUMP_CLIP_CENTRE_MEAN : CLUMP_CLIP_CENTRE_MEDIAN;
    params.inclusive = turn & 2;
    params.kappa_low = turn % 3 == 2 ? (double)INFINITY : 3;
    params.kappa_high = turn % 4 == 3 ? (double)INFINITY : 3;
    params.max_iterations = turn % 5 == 4;
    enum clump_status status = clump_clip(context, in->extra[0] ? in->extra[0] : in->image, &params,
                                          &mask, &kept, &result);
    if (status)
        return status;
    pair_add_clip(out, &result);
    pair_add_image(out, "mask", mask);
    pair_add_image(out, "kept", kept);
    return CLUMP_OK;
}

/* The sample misleads where it differs from the rest: the first three kinds. Where infinities are
 * the extremes, a sweep does not know the least finite pixel unless that lies in a tail. */
static unsigned sweep_misled(const struct pair_case *test)
{
    uint64_t n = test->rows == 65 ? 68 * 1031 : test->rows * test->cols, kind = test->seed % KINDS;
    return (n >= 8192 && kind <= BESIDE) || kind == ODD;
}

/* Fall-backs for denormals near the median or an extreme, which a device may have flushed. */
static unsigned hard_misled(const struct pair_case *test)
{
    return test->rows * test->cols <= 100000 && test->seed % 10 == 5;
}

/* Every pixel has to be read once. */
static double bytes(const struct pair_case *test) { return pair_image_bytes(test, test->type); }

const struct pair pair_clip = {
    .name = "clip",
    .operation = "clip",
    .types = 1u << CLUMP_F32,
    .picture = pair_picture_sky,
    .run = run,
    .bytes = bytes,
};

const struct pair pair_clip_full = {
    .name = "clip_full",
    .operation = "clip",
    .types = PAIR_NUMBERS,
    .picture = pair_picture_sky,
    .run = run_full,
};

const struct pair pair_clip_hard = {
    .name = "clip_hard",
    .operation = "clip",
    .types = PAIR_WIDE,
    .picture = pair_picture_hard,
    .run = run_full,
    .fallbacks = hard_misled,
};

const struct pair pair_clip_bits = {
    .name = "clip_bits",
    .operation = "clip",
    .types = PAIR_WIDE,
    .picture = pair_picture_bits,
    .run = run_full,
};

const struct pair pair_clip_sweep = {
    .name = "clip_sweep",
    .operation = "clip",
    .types = 1u << CLUMP_U16 | 1u << CLUMP_I16 | 1u << CLUMP_F32 | 1u << CLUMP_F64,
    .picture = sweep_picture,
    .prepare = prepare_sweep,
    .run = run_sweep,
    .fallbacks = sweep_misled,
};
