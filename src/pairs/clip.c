/* SPDX-License-Identifier: MIT */
#include "stats.h"

#include <math.h>

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
};

const struct pair pair_clip_bits = {
    .name = "clip_bits",
    .operation = "clip",
    .types = PAIR_WIDE,
    .picture = pair_picture_bits,
    .run = run_full,
};
