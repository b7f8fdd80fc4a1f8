/* SPDX-License-Identifier: MIT */
/* Seed 0 is the walk-through's case, sigma 5, which is timed; other seeds vary everything. */
#include "pair.h"

#include <float.h>
#include <math.h>

#define FLOATS (1u << CLUMP_F32 | 1u << CLUMP_F64)

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

/* (n + 4) eps max |x|, n being the weights of both passes, which sum to 1. */
static double tolerance(const struct pair_case *test, const struct pair_input *in)
{
    struct clump_gaussian_params params = choose(test);
    bool single = test->type == CLUMP_F32;
    double most = fabs(params.fill_value);
    void *pixels;
    if (clump_image_map(in->image, CLUMP_READ, &pixels))
        return 0;
    for (uint64_t i = 0; i < test->rows * test->cols; i++)
        most = fmax(most, fabs(single ? (double)((float *)pixels)[i] : ((double *)pixels)[i]));
    clump_image_unmap(in->image);
    double weights = 2 * params.truncate * (params.sigma_rows + params.sigma_cols) + 4;
    return (weights + 4) * (single ? FLT_EPSILON : DBL_EPSILON) * most;
}

static double tolerance_ignore(const struct pair_case *test, const struct pair_input *in)
{
    return 4 * tolerance(test, in); /* a quotient of two such sums */
}

static double bytes(const struct pair_case *test)
{
    return 2 * (double)clump_type_row_bytes(test->type, test->cols) * (double)test->rows;
}

static double flops(const struct pair_case *test)
{
    return 2.0 * (41 + 41) * (double)test->rows * (double)test->cols;
}

const struct pair pair_gaussian = {
    .name = "gaussian",
    .operation = "gaussian",
    .types = FLOATS,
    .picture = pair_picture_sky,
    .run = run,
    .tolerance = tolerance,
    .bytes = bytes,
    .flops = flops,
};

const struct pair pair_gaussian_ignore = {
    .name = "gaussian_ignore",
    .operation = "gaussian",
    .types = FLOATS,
    .picture = pair_picture_sky,
    .run = run_ignore,
    .tolerance = tolerance_ignore,
    .bytes = bytes,
};
