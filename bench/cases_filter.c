/* SPDX-License-Identifier: MIT */
/* Convolution and blur: the lesson's first half. */
#include "bench.h"

#include <float.h>
#include <math.h>

#define SIDE  15
#define SIGMA 5.0

struct weights {
    double values[SIDE * SIDE];
};

/* exp(-r^2 / 2) on 15 x 15 points of the square from -2 to 2, as the lesson makes it. */
static struct weights gauss_weights(void)
{
    struct weights made;
    for (int i = 0; i < SIDE * SIDE; i++) {
        double y = -2 + 4.0 * (i / SIDE) / (SIDE - 1), x = -2 + 4.0 * (i % SIDE) / (SIDE - 1);
        made.values[i] = exp(-(x * x + y * y) / 2);
    }
    return made;
}

/* No outer product of two vectors, nor a sum of few. */
static struct weights dense_weights(void)
{
    struct weights made;
    uint64_t state = 15;
    for (int i = 0; i < SIDE * SIDE; i++)
        made.values[i] = (double)(pair_random(&state) >> 40) * 0x1p-24;
    return made;
}

static enum clump_status run(clump_context *context, const struct pair_input *in,
                             const double *weights, enum clump_convolve_method method,
                             struct pair_output *out)
{
    struct clump_weights kernel = {SIDE, SIDE, weights};
    struct clump_convolve_params params = clump_convolve_defaults;
    clump_image *convolved;
    params.method = method;
    enum clump_status status = clump_convolve(context, in->image, &kernel, &params, &convolved);
    if (!status)
        pair_add_image(out, "convolved", convolved);
    return status;
}

static enum clump_status run_gauss(clump_context *context, const struct pair_case *test,
                                   const struct pair_input *in, struct pair_output *out)
{
    struct weights gauss = gauss_weights();
    (void)test;
    return run(context, in, gauss.values, CLUMP_CONVOLVE_METHOD_AUTO, out);
}

static enum clump_status run_dense(clump_context *context, const struct pair_case *test,
                                   const struct pair_input *in, struct pair_output *out)
{
    struct weights dense = dense_weights();
    (void)test;
    return run(context, in, dense.values, CLUMP_CONVOLVE_METHOD_FAST, out); /* within the bound */
}

/* The diagonal of the gaussian, over the image in one row. */
static enum clump_status run_1d(clump_context *context, const struct pair_case *test,
                                const struct pair_input *in, struct pair_output *out)
{
    struct weights gauss = gauss_weights();
    double diagonal[SIDE];
    clump_image *convolved;
    (void)test;
    for (int i = 0; i < SIDE; i++)
        diagonal[i] = gauss.values[i * SIDE + i];
    struct clump_weights kernel = {1, SIDE, diagonal};
    enum clump_status status = clump_convolve_1d(context, in->image, &kernel, NULL, &convolved);
    if (!status)
        pair_add_image(out, "convolved", convolved);
    return status;
}

static enum clump_status run_gaussian(clump_context *context, const struct pair_case *test,
                                      const struct pair_input *in, struct pair_output *out)
{
    struct clump_gaussian_params params = clump_gaussian_defaults;
    clump_image *blurred;
    (void)test;
    params.sigma_rows = params.sigma_cols = SIGMA;
    enum clump_status status = clump_gaussian(context, in->image, &params, &blurred);
    if (!status)
        pair_add_image(out, "blurred", blurred);
    return status;
}

static double eps(const struct pair_case *test)
{
    return test->type == CLUMP_F64 ? DBL_EPSILON : (double)FLT_EPSILON;
}

/* convolve.h's bound, twice, as either side may be off; no pixel is larger than 1, no weight sum
 * than the number of weights. */
static double tolerance(const struct pair_case *test, const struct pair_input *reference)
{
    (void)reference;
    return 2 * (SIDE * SIDE + 4) * eps(test) * SIDE * SIDE;
}

static double tolerance_1d(const struct pair_case *test, const struct pair_input *reference)
{
    (void)reference;
    return 2 * (SIDE + 4) * eps(test) * SIDE;
}

/* The weights sum to 1; 41 each way. */
static double tolerance_gaussian(const struct pair_case *test, const struct pair_input *reference)
{
    (void)reference;
    return 2 * (2 * 41 + 4) * eps(test);
}

static double results(const struct pair_case *test)
{
    return (double)(test->rows + SIDE - 1) * (double)(test->cols + SIDE - 1);
}

/* Reads the image and writes the result, once each. */
static double bytes(const struct pair_case *test)
{
    double pixel = (double)clump_type_row_bytes(test->type, 1);
    double rows = test->rows > 1 ? (double)(test->rows + SIDE - 1) : 1;
    return pixel *
           ((double)test->rows * (double)test->cols + rows * (double)(test->cols + SIDE - 1));
}

static double bytes_same(const struct pair_case *test)
{
    return 2 * (double)clump_type_row_bytes(test->type, test->cols) * (double)test->rows;
}

/* A product and a sum a weight: what the definition asks, not what a method spends. */
static double flops_dense(const struct pair_case *test) { return 2 * SIDE * SIDE * results(test); }
static double flops_gauss(const struct pair_case *test) { return 2 * 2 * SIDE * results(test); }

static double flops_1d(const struct pair_case *test)
{
    return 2 * SIDE * (double)(test->cols + SIDE - 1);
}

static double flops_gaussian(const struct pair_case *test)
{
    return 2 * 2 * 41 * (double)test->rows * (double)test->cols;
}

#define CONVOLVE(word) .name = word, .operation = "convolve", .picture = bench_deltas

const struct pair bench_convolve_gauss = {CONVOLVE("convolve-gauss"), .run = run_gauss,
                                          .tolerance = tolerance, .bytes = bytes,
                                          .flops = flops_gauss};
const struct pair bench_convolve_dense = {CONVOLVE("convolve-dense"), .run = run_dense,
                                          .tolerance = tolerance, .bytes = bytes,
                                          .flops = flops_dense};
const struct pair bench_convolve_1d = {CONVOLVE("convolve-1d"), .run = run_1d,
                                       .tolerance = tolerance_1d, .bytes = bytes,
                                       .flops = flops_1d};
const struct pair bench_gaussian = {.name = "gaussian",
                                    .operation = "gaussian",
                                    .picture = bench_cells,
                                    .run = run_gaussian,
                                    .tolerance = tolerance_gaussian,
                                    .bytes = bytes_same,
                                    .flops = flops_gaussian};
