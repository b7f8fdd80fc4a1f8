/* SPDX-License-Identifier: MIT */
#include "stats.h"

#include <math.h>

double pair_level(enum clump_type type)
{
    switch (type) {
    case CLUMP_U8:
        return 80.5;
    case CLUMP_U16:
        return 3500;
    case CLUMP_I16:
        return 1200;
    case CLUMP_I32:
        return 1.2e6;
    case CLUMP_U32:
        return 3.5e6;
    case CLUMP_I64:
        return 1.2e12;
    default:
        return 0.0665;
    }
}

static enum clump_status run(clump_context *context, const struct pair_case *test,
                             const struct pair_input *in, struct pair_output *out)
{
    struct clump_threshold_params params = clump_threshold_defaults;
    clump_image *mask;
    params.above = pair_level(test->type);
    enum clump_status status = clump_threshold(context, in->image, &params, &mask, NULL);
    if (!status)
        pair_add_image(out, "mask", mask);
    return status;
}

/* The mask and how many pixels it has. */
static enum clump_status counted(clump_context *context, const struct pair_input *in,
                                 const struct clump_threshold_params *params,
                                 struct pair_output *out)
{
    clump_image *mask;
    uint64_t count;
    enum clump_status status = clump_threshold(context, in->image, params, &mask, &count);
    if (status)
        return status;
    pair_add_image(out, "mask", mask);
    pair_add_number(out, "count", (double)count);
    return CLUMP_OK;
}

static enum clump_status run_u8(clump_context *context, const struct pair_case *test,
                                const struct pair_input *in, struct pair_output *out)
{
    struct clump_threshold_params params = clump_threshold_defaults;
    params.above = pair_level(test->type);
    params.output = CLUMP_U8;
    return counted(context, in, &params, out);
}

/* Denormals come first, since the first levels are such. */
static void picture_levels(const struct pair_case *test, void *pixels)
{
    struct pair_case other = *test;
    other.seed += 5;
    pair_picture_hard(&other, pixels);
}

/* Levels at and near the ends of the type's range, at zero, and among denormals. */
static double hard_level(uint64_t seed)
{
    static const double levels[] = {1e-40, -1e-45, 1e-45, -1e-39, 0,       -0.0,  1e-60,  -1e-60,
                                    1e38,  -1e300, -1,    255,    32766.5, 4.3e9, 9.3e18, -9.3e18};
    return levels[seed % (sizeof levels / sizeof *levels)];
}

static enum clump_status run_levels(clump_context *context, const struct pair_case *test,
                                    const struct pair_input *in, struct pair_output *out)
{
    struct clump_threshold_params params = clump_threshold_defaults;
    params.above = hard_level(test->seed);
    params.output = test->cols % 2 ? CLUMP_BITS : CLUMP_U8;
    return counted(context, in, &params, out);
}

/* The same levels from below, with and without equality, and a hysteresis. */
static enum clump_status run_below(clump_context *context, const struct pair_case *test,
                                   const struct pair_input *in, struct pair_output *out)
{
    struct clump_threshold_params params = clump_threshold_defaults;
    params.above = test->seed == 7   ? (double)INFINITY
                   : test->seed == 3 ? -(double)INFINITY
                                     : hard_level(test->seed);
    params.below = test->seed != 5 && test->seed != 10;
    params.inclusive = test->rows % 2;
    params.output = test->cols % 2 ? CLUMP_BITS : CLUMP_U8;
    if (test->seed % 5 == 2) {
        params.hysteresis = true;
        params.low = params.above + fabs(params.above) / 2;
        params.connectivity = 8;
    }
    return counted(context, in, &params, out);
}

/* The map is another picture of the same kind. */
static enum clump_status make_map(clump_context *context, const struct pair_case *test,
                                  struct pair_input *in)
{
    struct pair_case other = *test;
    void *pixels;
    enum clump_status status =
        clump_image_create(context, test->type, test->rows, test->cols, &in->extra[0]);
    if (!status)
        status = clump_image_map(in->extra[0], CLUMP_IMAGE_WRITE, &pixels);
    if (status)
        return status;
    other.seed += 2;
    pair_picture_hard(&other, pixels);
    return clump_image_unmap(in->extra[0]);
}

static enum clump_status run_map(clump_context *context, const struct pair_case *test,
                                 const struct pair_input *in, struct pair_output *out)
{
    struct clump_threshold_params params = clump_threshold_defaults;
    params.map = in->extra[0];
    params.below = test->seed % 4 > 1;
    params.inclusive = test->seed % 8 > 3;
    params.output = test->seed % 2 ? CLUMP_U8 : CLUMP_BITS;
    return counted(context, in, &params, out);
}

static enum clump_status run_hysteresis(clump_context *context, const struct pair_case *test,
                                        const struct pair_input *in, struct pair_output *out)
{
    struct clump_threshold_params params = clump_threshold_defaults;
    params.hysteresis = true;
    params.above = pair_level(test->type);
    params.low = params.above / 3;
    params.connectivity = test->seed % 2 ? 8 : 4;
    params.output = test->seed % 3 ? CLUMP_BITS : CLUMP_U8;
    return counted(context, in, &params, out);
}

/* Reads every pixel, writes a bit for each. */
static double bytes(const struct pair_case *test)
{
    return pair_image_bytes(test, test->type) + pair_image_bytes(test, CLUMP_BITS);
}

const struct pair pair_threshold = {
    .name = "threshold",
    .operation = "threshold",
    .types = PAIR_NUMBERS,
    .picture = pair_picture_sky,
    .run = run,
    .bytes = bytes,
};

const struct pair pair_threshold_u8 = {
    .name = "threshold_u8",
    .operation = "threshold",
    .types = PAIR_NUMBERS,
    .picture = pair_picture_bits,
    .run = run_u8,
};

const struct pair pair_threshold_levels = {
    .name = "threshold_levels",
    .operation = "threshold",
    .types = PAIR_NUMBERS,
    .picture = picture_levels,
    .run = run_levels,
};

const struct pair pair_threshold_below = {
    .name = "threshold_below",
    .operation = "threshold",
    .types = PAIR_NUMBERS,
    .picture = picture_levels,
    .run = run_below,
};

const struct pair pair_threshold_map = {
    .name = "threshold_map",
    .operation = "threshold",
    .types = PAIR_NUMBERS,
    .picture = pair_picture_hard,
    .prepare = make_map,
    .run = run_map,
};

const struct pair pair_threshold_hysteresis = {
    .name = "threshold_hysteresis",
    .operation = "threshold",
    .types = 1u << CLUMP_U8 | 1u << CLUMP_F32,
    .picture = pair_picture_sky,
    .run = run_hysteresis,
};
