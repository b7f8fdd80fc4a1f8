/* SPDX-License-Identifier: MIT */
/* Seed 0 is the walk-through's case, sigma 5, which `clump bench` times; others vary everything. */
#include "pair.h"

static struct clump_gaussian_params choose(const struct pair_case *test)
{
    static const double sigmas[] = {5, 1, 0.3, 0, 2.5, 12};
    uint64_t seed = test->seed, count = sizeof sigmas / sizeof *sigmas;
    struct clump_gaussian_params params = clump_gaussian_defaults;
    params.sigma_rows = sigmas[seed % count];
    params.sigma_cols = seed % 4 == 3 ? sigmas[(seed / 2) % count] : params.sigma_rows;
    params.boundary = seed ? (enum clump_boundary)(seed % 5) : CLUMP_BOUNDARY_NEAREST;
    params.fill_value = 0.5;
    params.truncate = seed % 7 == 5 ? 3 : 4;
    return params;
}

static enum clump_status blur(clump_context *context, const struct pair_input *in,
                              const struct clump_gaussian_params *params, struct pair_output *out)
{
    clump_image *blurred;
    enum clump_status status = clump_gaussian(context, in->image, params, &blurred);
    if (!status)
        pair_add_image(out, "blurred", blurred);
    return status;
}

static enum clump_status run(clump_context *context, const struct pair_case *test,
                             const struct pair_input *in, struct pair_output *out)
{
    struct clump_gaussian_params params = choose(test);
    return blur(context, in, &params, out);
}

static enum clump_status run_ignore(clump_context *context, const struct pair_case *test,
                                    const struct pair_input *in, struct pair_output *out)
{
    struct clump_gaussian_params params = choose(test);
    params.blank = CLUMP_BLANK_IGNORE;
    return blur(context, in, &params, out);
}

/* Patches of constants, larger than most windows; one patch for seeds that 4 divides. */
static void patches(const struct pair_case *test, void *pixels)
{
    uint64_t side = test->seed % 4 ? 20 + 7 * test->seed : UINT64_MAX;
    for (uint64_t i = 0; i < test->rows * test->cols; i++) {
        uint64_t patch = i / test->cols / side + 3 * (i % test->cols / side);
        double value = (patch % 2 ? 0.1 : 7.3) * (double)(patch + 1);
        if (test->type == CLUMP_F32)
            ((float *)pixels)[i] = (float)value;
        else
            ((double *)pixels)[i] = value;
    }
}

static enum clump_status run_level(clump_context *context, const struct pair_case *test,
                                   const struct pair_input *in, struct pair_output *out)
{
    struct clump_gaussian_params params = choose(test);
    params.blank = test->seed % 3 ? CLUMP_BLANK_SPREAD : CLUMP_BLANK_IGNORE;
    return blur(context, in, &params, out);
}

static double bytes(const struct pair_case *test) { return 2 * pair_image_bytes(test, test->type); }

/* 41 weights each way for sigma 5, a product and a sum per weight. */
static double flops(const struct pair_case *test)
{
    return 2.0 * (41 + 41) * (double)test->rows * (double)test->cols;
}

const struct pair pair_gaussian = {
    .name = "gaussian",
    .operation = "gaussian",
    .types = PAIR_FLOATS,
    .picture = pair_picture_sky,
    .run = run,
    .bytes = bytes,
    .flops = flops,
};

const struct pair pair_gaussian_ignore = {
    .name = "gaussian_ignore",
    .operation = "gaussian",
    .types = PAIR_FLOATS,
    .picture = pair_picture_sky,
    .run = run_ignore,
    .bytes = bytes,
};

const struct pair pair_gaussian_level = {
    .name = "gaussian_level",
    .operation = "gaussian",
    .types = PAIR_FLOATS,
    .picture = patches,
    .run = run_level,
    .bytes = bytes,
};
