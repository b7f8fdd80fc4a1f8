/* SPDX-License-Identifier: MIT */
/*
 * Chooses the method. `auto` sums a kernel that is one outer product, or few, down and along
 * (separable.c) where that is less work, and every other kernel directly (direct.c). Its choice
 * depends on the weights and the type of the pixels only, as docs/convolution.md defines it, so
 * that the bits are the same on every device. `fast` may also fold rows (folded.c, CPUs only) or
 * take Fourier transforms (fft.c), by size and device.
 */
#include "opencl/convolve/convolve.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/*
 * What outer products may miss, in eps: a single one, of each weight; several, of the sum of all
 * weights. MARGIN is the least number by which weights outnumber rows and columns, so that the
 * bound of include/clump/convolve.h, which counts weights, also covers what is missed.
 */
#define MISSED_EPSILONS 16
#define MARGIN          16

/* Costs of a separable sum in taps of a direct one: of a tap, and of a product besides its taps.
 * They were measured once and are part of the definition, the same for every device. */
#define SEPARABLE_TAP     1.3
#define SEPARABLE_PRODUCT 6

/*
 * FFT_POINT: the cost of a point of a tile, in direct taps, per doubling of the tile; measured on a
 * CPU (docs/convolution.md), estimated for fine devices. FFT_BUILD: the least work, in direct taps,
 * that is worth building a transform. It holds for a transform that was built before, too: else the
 * bits of a result would depend on what was convolved before.
 */
#define FFT_POINT_F32  72
#define FFT_POINT_F64  38
#define FFT_POINT_FINE 20
#define FFT_BUILD      1e10
#define FFT_BUILD_FINE 3e11

/* Costs of folded rows in direct taps, measured: of a tap, and of a result besides its taps. */
#define FOLDED_TAP    1.15
#define FOLDED_RESULT 40

/* Rotates the caller's weights by 180 degrees; `*weights` borrows `*values`, which is freed. */
static enum clump_status rotate(clump_context *context, const struct clump_weights *kernel,
                                struct convolve_weights *weights, double **values)
{
    void *memory = NULL;
    if (kernel->rows > INT32_MAX || kernel->cols > INT32_MAX)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "convolve: a kernel has at most %d rows and columns, not %" PRIu64
                          " x %" PRIu64,
                          INT32_MAX, kernel->rows, kernel->cols);
    size_t count = (size_t)kernel->rows * (size_t)kernel->cols;
    enum clump_status status = clump_convolve_allocate(context, count, sizeof **values, &memory);
    if (status)
        return status;
    *values = memory;
    for (size_t i = 0; i < count; i++)
        (*values)[i] = kernel->weights[count - 1 - i];
    *weights = (struct convolve_weights){(uint32_t)kernel->rows, (uint32_t)kernel->cols, *values};
    return CLUMP_OK;
}

/*
 * Along one axis, for n pixels and k weights: the size of the result, and the pixel under the first
 * weight of the first result. `same` is the size in mode SAME, `shift` its offset from mode FULL.
 */
static void place(enum clump_convolve_mode mode, uint64_t n, uint64_t k, uint64_t same,
                  uint64_t shift, uint64_t *size, int64_t *first)
{
    uint64_t smaller = n < k ? n : k, larger = n < k ? k : n, start;
    *size = mode == CLUMP_CONVOLVE_MODE_FULL   ? n + k - 1
            : mode == CLUMP_CONVOLVE_MODE_SAME ? same
                                               : larger - smaller + 1;
    start = mode == CLUMP_CONVOLVE_MODE_FULL   ? 0
            : mode == CLUMP_CONVOLVE_MODE_SAME ? shift
                                               : smaller - 1;
    *first = (int64_t)start - (int64_t)(k - 1);
}

/* Whether `rank` outer products are less work than direct sums. */
static bool pays(const struct convolve_weights *weights, uint32_t rank)
{
    double direct = (double)weights->rows * weights->cols;
    double separable =
        rank * (SEPARABLE_TAP * ((double)weights->rows + weights->cols) + SEPARABLE_PRODUCT);
    return separable < direct;
}

/* The largest number of outer products that is tried. */
static uint32_t most_products(const struct convolve_weights *weights, bool asked)
{
    uint32_t least = weights->rows < weights->cols ? weights->rows : weights->cols, most = 1;
    while (most < least && (asked ? most < least / 2 : pays(weights, most + 1)))
        most++;
    return most;
}

/* Whether the products keep the bound of include/clump/convolve.h: they miss little, and do not
 * cancel. */
static bool exact_enough(const struct outer_products *products, double tolerance)
{
    double taps = (double)products->rows + products->cols + products->rank + 4;
    return products->rank && products->error <= tolerance &&
           (products->rank == 1 || products->growth * taps + MISSED_EPSILONS <=
                                       (double)products->rows * products->cols + 4);
}

static enum clump_status refuse(clump_context *context, const struct outer_products *products,
                                double tolerance)
{
    if (products->error <= tolerance)
        return clump_fail(
            &context->log, CLUMP_ERROR_ARGUMENT,
            "convolve: the %u outer products of the kernel cancel: their weights are %.3g times "
            "as large as its own, and too many digits are lost: use the method auto or direct",
            products->rank, products->growth);
    return clump_fail(
        &context->log, CLUMP_ERROR_ARGUMENT,
        "convolve: the kernel is not separable: %u outer product%s miss%s %.3g of its weights, "
        "where at most %.3g is allowed: use the method auto or direct",
        products->rank, products->rank == 1 ? "" : "s", products->rank == 1 ? "es" : "",
        products->error, tolerance);
}

/*
 * The try_ functions: each convolves by its method, and sets `*done`, if the method was asked for
 * or pays, and is exact enough. Where it was asked for and is not exact enough, it fails.
 */
static enum clump_status try_separable(clump_context *context, const struct convolve_task *task,
                                       const struct convolve_weights *weights, bool asked,
                                       bool *done)
{
    struct outer_products products;
    double tolerance = clump_convolve_epsilon(task->type);
    *done = false;
    if (weights->rows < 2 || weights->cols < 2)
        return CLUMP_OK; /* a line of weights: the direct sum is the separable one */
    if (!asked && (!pays(weights, 1) || (uint64_t)weights->rows * weights->cols <
                                            (uint64_t)weights->rows + weights->cols + MARGIN))
        return CLUMP_OK;
    enum clump_status status =
        clump_outer_products_find(context, weights, MISSED_EPSILONS * tolerance,
                                  most_products(weights, asked), &products);
    if (status)
        return status;
    if (exact_enough(&products, MISSED_EPSILONS * tolerance)) {
        clump_say(&context->log, CLUMP_LOG_INFO, "convolve: %u x %u weights as %u outer product%s",
                  weights->rows, weights->cols, products.rank, products.rank == 1 ? "" : "s");
        status = clump_separable_sum(context, task, &products, weights);
        *done = true;
    } else if (asked && products.rank) {
        status = refuse(context, &products, MISSED_EPSILONS * tolerance);
    }
    clump_outer_products_free(&products);
    return status;
}

/* Whether rows can be folded and that costs less than direct sums; what it costs per result. */
static bool folded_pays(const clump_context *context, const struct convolve_task *task,
                        const struct convolve_weights *weights, double *cost)
{
    if (!clump_folded_fits(context, task, weights))
        return false;
    *cost = FOLDED_TAP * clump_folded_taps(task, weights) + FOLDED_RESULT;
    return *cost < (double)weights->rows * weights->cols;
}

/* Whether transforms are less work than sums that cost so many direct taps per result. */
static bool fft_pays(const clump_context *context, const struct convolve_task *task,
                     const struct convolve_weights *weights, double cost)
{
    struct fft_size size = clump_fft_size(task, weights);
    bool coarse = context->opencl->layout.coarse;
    double sums = cost * (double)task->out_rows * (double)task->out_cols;
    double points = (double)size.high * size.wide;
    double tiles = ceil((double)task->out_cols / ((double)size.wide - weights->cols + 1)) *
                   ceil((double)task->out_rows / ((double)size.high - weights->rows + 1));
    double each = !coarse                   ? FFT_POINT_FINE
                  : task->type == CLUMP_F32 ? FFT_POINT_F32
                                            : FFT_POINT_F64;
    if (sums < (coarse ? FFT_BUILD : FFT_BUILD_FINE))
        return false;
    return each * points * log2(points) * 2 * ceil(tiles / 2) < sums; /* two tiles at once */
}

/* `cost` is that of the cheapest other method, in direct taps per result. */
static enum clump_status try_fft(clump_context *context, const struct convolve_task *task,
                                 const struct convolve_weights *weights, double cost, bool asked,
                                 bool *done)
{
    double error = clump_fft_error(task, weights);
    *done = false;
    if (asked && error > 1)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "convolve: a Fourier transform may err %.3g times as much as is allowed "
                          "for a kernel of "
                          "%u x %u weights: use the method auto or direct",
                          error, weights->rows, weights->cols);
    if (!asked && (error > 1 || !fft_pays(context, task, weights, cost)))
        return CLUMP_OK;
    enum clump_status status = clump_fft_sum(context, task, weights, done);
    if (*done)
        clump_say(&context->log, CLUMP_LOG_INFO, "convolve: %u x %u weights by Fourier transforms",
                  weights->rows, weights->cols);
    return status;
}

/* Convolves by `plan`, if there is one. */
static enum clump_status try_folded(clump_context *context, const struct convolve_task *task,
                                    const struct convolve_weights *weights,
                                    const struct folded_plan *plan, bool asked, bool *done)
{
    *done = false;
    if (asked && !plan->values)
        clump_say(&context->log, CLUMP_LOG_INFO,
                  "convolve: rows are folded on CPUs only, for 8 rows of weights and more, and "
                  "where NaN spreads: this is summed directly");
    if (asked && plan->values && plan->error > 1)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "convolve: folded rows may err %.3g times as much as is allowed for a "
                          "kernel of %u x %u "
                          "weights: use the method auto or direct",
                          plan->error, weights->rows, weights->cols);
    if (!plan->values || plan->error > 1)
        return CLUMP_OK;
    clump_say(&context->log, CLUMP_LOG_INFO, "convolve: %u x %u weights over folded rows",
              weights->rows, weights->cols);
    *done = true;
    return clump_folded_sum(context, task, weights, plan);
}

static enum clump_status sum_directly(clump_context *context, const struct convolve_task *task,
                                      const struct convolve_weights *weights)
{
    clump_say(&context->log, CLUMP_LOG_INFO, "convolve: %u x %u weights directly", weights->rows,
              weights->cols);
    return clump_direct_sum(context, task, weights);
}

static enum clump_status run(clump_context *context, const struct convolve_task *task,
                             const struct convolve_weights *weights,
                             enum clump_convolve_method method)
{
    bool fast = method == CLUMP_CONVOLVE_METHOD_FAST;
    bool any = fast || method == CLUMP_CONVOLVE_METHOD_AUTO;
    bool fold = method == CLUMP_CONVOLVE_METHOD_FOLDED, done = false;
    double cost = (double)weights->rows * weights->cols, folded_cost = 0;
    struct folded_plan plan = {0};
    enum clump_status status = CLUMP_OK;
    if (any || method == CLUMP_CONVOLVE_METHOD_SEPARABLE)
        status = try_separable(context, task, weights, !any, &done);
    if (!status && !done &&
        (fast ? folded_pays(context, task, weights, &folded_cost)
              : fold && clump_folded_fits(context, task, weights)))
        status = clump_folded_plan_make(context, task, weights, &plan);
    if (fast && plan.values && plan.error <= 1)
        cost = folded_cost;
    if (!status && !done && (fast || method == CLUMP_CONVOLVE_METHOD_FFT))
        status = try_fft(context, task, weights, cost, !fast, &done);
    if (!status && !done && (fast || fold))
        status = try_folded(context, task, weights, &plan, fold, &done);
    if (!status && !done)
        status = sum_directly(context, task, weights);
    clump_folded_plan_free(&plan);
    return status;
}

static enum clump_status convolve(clump_context *context, const clump_image *image,
                                  const struct clump_weights *kernel,
                                  enum clump_convolve_method method, struct convolve_task *task,
                                  clump_image **convolved)
{
    struct convolve_weights weights;
    double *values = NULL;
    clump_image *made = NULL;
    enum clump_status status = rotate(context, kernel, &weights, &values);
    if (!status)
        status = clump_image_create(context, image->type, task->out_rows, task->out_cols, &made);
    if (!status) {
        task->type = image->type;
        task->in = image->buffer;
        task->out = made->buffer;
        task->rows = image->rows;
        task->cols = image->cols;
        status = run(context, task, &weights, method);
    }
    free(values);
    if (status)
        clump_image_destroy(&made);
    else
        *convolved = made;
    return status;
}

enum clump_status clump_opencl_convolve(clump_context *context, const clump_image *image,
                                        const struct clump_weights *kernel,
                                        const struct clump_convolve_params *params,
                                        clump_image **convolved)
{
    bool valid = params->mode == CLUMP_CONVOLVE_MODE_VALID;
    struct convolve_task task = {.boundary = valid ? CLUMP_BOUNDARY_FILL : params->boundary,
                                 .fill = valid ? 0 : params->fill_value,
                                 .ignore = params->blank == CLUMP_BLANK_IGNORE};
    place(params->mode, image->rows, kernel->rows, image->rows, (kernel->rows - 1) / 2,
          &task.out_rows, &task.up);
    place(params->mode, image->cols, kernel->cols, image->cols, (kernel->cols - 1) / 2,
          &task.out_cols, &task.left);
    return convolve(context, image, kernel, params->method, &task, convolved);
}

enum clump_status clump_opencl_convolve_1d(clump_context *context, const clump_image *image,
                                           const struct clump_weights *kernel,
                                           const struct clump_convolve_params *params,
                                           clump_image **convolved)
{
    uint64_t n = image->cols, k = kernel->cols;
    struct convolve_task task = {.boundary = CLUMP_BOUNDARY_FILL,
                                 .ignore = params->blank == CLUMP_BLANK_IGNORE,
                                 .out_rows = 1};
    place(params->mode, n, k, n < k ? k : n, ((n < k ? n : k) - 1) / 2, &task.out_cols, &task.left);
    return convolve(context, image, kernel, params->method, &task, convolved);
}
