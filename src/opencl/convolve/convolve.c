/* SPDX-License-Identifier: MIT */
/*
 * Which way to convolve. A kernel of rank one is summed down and along (separable.c), one of a
 * low rank too where that is less work, all others directly (direct.c): that depends on the weights
 * and the pixels' type only, as docs/convolution.md defines it, so that the bits are the same on
 * every device. Only where method fast was asked, large ones go by Fourier transforms (fft.c), on
 * CPUs those of some size over folded rows (folded.c).
 */
#include "opencl/convolve/convolve.h"

#include <math.h>
#include <stdlib.h>

/*
 * Rank one: the product meets every weight to this many eps of itself. With the 15 of slack that
 * MARGIN leaves, the bound of convolve.h holds. Higher ranks: all that is missed, to eps of all
 * weights.
 */
#define MET_EPSILONS 16
#define MARGIN       16 /* a separable kernel has this many weights more than rows and columns */

/* A tap of a separable kernel costs more than one of a direct one, and each product has a cost of
 * its own, in taps; measured once. They are part of the definition, the same for every device. */
#define SEPARABLE_TAP  1.3
#define SEPARABLE_TERM 6

/*
 * A point of a tile costs this many direct taps for each doubling of the tile: measured on a CPU
 * (docs/convolution.md), estimated for others. A transform has to be built first, which is worth it
 * from so many taps on; also where it was built before, lest the bits depend on that.
 */
#define FFT_POINT_F32  72
#define FFT_POINT_F64  38
#define FFT_POINT_THIN 20
#define FFT_BUILD      1e10
#define FFT_BUILD_THIN 3e11

/* A tap over folded rows costs as many direct ones, and a result so many more; measured. */
#define FOLDED_TAP 1.15
#define FOLDED_OWN 40

static enum clump_status turn(clump_context *context, const struct clump_weights *kernel,
                              struct weights *weights, double **values)
{
    if (kernel->rows > INT32_MAX || kernel->cols > INT32_MAX)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "convolve: a kernel has at most 2147483647 rows and columns");
    size_t count = (size_t)kernel->rows * (size_t)kernel->cols;
    *values = malloc(count * sizeof **values);
    if (!*values)
        return clump_fail(&context->log, CLUMP_ERROR_MEMORY, "convolve: out of memory");
    for (size_t i = 0; i < count; i++)
        (*values)[i] = kernel->weights[count - 1 - i];
    *weights = (struct weights){(uint32_t)kernel->rows, (uint32_t)kernel->cols, *values};
    return CLUMP_OK;
}

/* Along one axis: the size of the result and where its first sum begins. */
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

/* Whether that many products are less work than the direct sums. */
static bool pays(const struct weights *weights, uint32_t rank)
{
    double direct = (double)weights->rows * weights->cols;
    double separable =
        rank * (SEPARABLE_TAP * ((double)weights->rows + weights->cols) + SEPARABLE_TERM);
    return separable < direct;
}

static uint32_t most_terms(const struct weights *weights, bool asked)
{
    uint32_t least = weights->rows < weights->cols ? weights->rows : weights->cols, most = 1;
    while (most < least && (asked ? most < least / 2 : pays(weights, most + 1)))
        most++;
    return most;
}

/* Whether the products meet the bound of convolve.h: little is missed, and they do not cancel. */
static bool exact_enough(const struct outer_products *terms, double tolerance)
{
    double taps = (double)terms->rows + terms->cols + terms->rank + 4;
    return terms->rank && terms->error <= tolerance &&
           (terms->rank == 1 ||
            terms->growth * taps + MET_EPSILONS <= (double)terms->rows * terms->cols + 4);
}

static enum clump_status refuse(clump_context *context, const struct outer_products *terms,
                                double tolerance)
{
    if (terms->error <= tolerance)
        return clump_fail(
            &context->log, CLUMP_ERROR_ARGUMENT,
            "convolve: the kernel's %u outer products cancel: their weights are %.3g "
            "times its own, which costs too many digits: use the method auto or direct",
            terms->rank, terms->growth);
    return clump_fail(
        &context->log, CLUMP_ERROR_ARGUMENT,
        "convolve: the kernel is not separable: %u outer product%s miss%s %.3g of its "
        "weights, and %.3g is allowed: use the method auto or direct",
        terms->rank, terms->rank == 1 ? "" : "s", terms->rank == 1 ? "es" : "", terms->error,
        tolerance);
}

/* Separably if that was asked or pays; sets `*done` when it was. */
static enum clump_status try_separable(clump_context *context, const struct sum *sum,
                                       const struct weights *weights, bool asked, bool *done)
{
    struct outer_products terms;
    double tolerance = clump_type_epsilon(sum->type);
    *done = false;
    if (weights->rows < 2 || weights->cols < 2)
        return CLUMP_OK; /* a line of weights: the direct sum is the separable one */
    if (!asked && (!pays(weights, 1) || (uint64_t)weights->rows * weights->cols <
                                            (uint64_t)weights->rows + weights->cols + MARGIN))
        return CLUMP_OK;
    enum clump_status status = clump_outer_products_find(context, weights, MET_EPSILONS * tolerance,
                                                         most_terms(weights, asked), &terms);
    if (status)
        return status;
    if (exact_enough(&terms, MET_EPSILONS * tolerance)) {
        clump_say(&context->log, CLUMP_LOG_INFO, "convolve: %u x %u weights as %u outer product%s",
                  weights->rows, weights->cols, terms.rank, terms.rank == 1 ? "" : "s");
        status = clump_separable_sum(context, sum, &terms);
        *done = true;
    } else if (asked && terms.rank) {
        status = refuse(context, &terms, MET_EPSILONS * tolerance);
    }
    clump_outer_products_free(&terms);
    return status;
}

/* Whether transforms are less work than sums that cost so many taps a result. */
static bool fft_pays(const clump_context *context, const struct sum *sum,
                     const struct weights *weights, double taps)
{
    struct fft_size size = clump_fft_size(sum, weights);
    bool coarse = context->opencl->layout.coarse;
    double sums = taps * (double)sum->out_rows * (double)sum->out_cols;
    double points = (double)size.high * size.wide;
    double tiles = ceil((double)sum->out_cols / ((double)size.wide - weights->cols + 1)) *
                   ceil((double)sum->out_rows / ((double)size.high - weights->rows + 1));
    double each = !coarse ? FFT_POINT_THIN : sum->type == CLUMP_F32 ? FFT_POINT_F32 : FFT_POINT_F64;
    if (sums < (coarse ? FFT_BUILD : FFT_BUILD_THIN))
        return false;
    return each * points * log2(points) * 2 * ceil(tiles / 2) < sums; /* two tiles at once */
}

/* By transforms if that was asked or pays; sets `*done` when it was. */
static enum clump_status try_fft(clump_context *context, const struct sum *sum,
                                 const struct weights *weights, double taps, bool asked, bool *done)
{
    *done = false;
    double error = clump_fft_error(sum, weights);
    if (asked && error > 1)
        return clump_fail(
            &context->log, CLUMP_ERROR_ARGUMENT,
            "convolve: a Fourier transform may err %.3g times as much as the bound "
            "allows for this kernel of %u x %u weights: use the method auto or direct",
            error, weights->rows, weights->cols);
    if (!asked && (error > 1 || !fft_pays(context, sum, weights, taps)))
        return CLUMP_OK;
    enum clump_status status = clump_fft_sum(context, sum, weights, done);
    if (*done)
        clump_say(&context->log, CLUMP_LOG_INFO, "convolve: %u x %u weights by Fourier transforms",
                  weights->rows, weights->cols);
    return status;
}

/*
 * Whether rows are folded: where that was asked or is less work than the direct sums, whose `*taps`
 * a result it then makes fewer.
 */
static enum clump_status try_folded(clump_context *context, const struct sum *sum,
                                    const struct weights *weights, bool asked, double *taps,
                                    bool *folded)
{
    double error, spent = FOLDED_TAP * clump_folded_taps(sum, weights) + FOLDED_OWN;
    *folded = false;
    if (!clump_folded_fits(context, sum, weights)) {
        if (asked)
            clump_say(
                &context->log, CLUMP_LOG_INFO,
                "convolve: rows are folded on CPUs, for 8 rows of weights and more, and where "
                "NaN spreads: this is summed directly");
        return CLUMP_OK;
    }
    if (!asked && spent >= *taps)
        return CLUMP_OK;
    enum clump_status status = clump_folded_error(context, sum, weights, &error);
    if (!status && asked && error > 1)
        return clump_fail(
            &context->log, CLUMP_ERROR_ARGUMENT,
            "convolve: folded rows may err %.3g times as much as the bound allows for this "
            "kernel of %u x %u weights: use the method auto or direct",
            error, weights->rows, weights->cols);
    *folded = !status && error <= 1;
    if (*folded)
        *taps = spent;
    return status;
}

static enum clump_status run(clump_context *context, const struct sum *sum,
                             const struct weights *weights, enum clump_convolve_method method)
{
    bool fast = method == CLUMP_CONVOLVE_METHOD_FAST,
         any = fast || method == CLUMP_CONVOLVE_METHOD_AUTO;
    bool done = false, folded = false;
    double taps = (double)weights->rows * weights->cols;
    enum clump_status status = CLUMP_OK;
    if (any || method == CLUMP_CONVOLVE_METHOD_SEPARABLE)
        status = try_separable(context, sum, weights, !any, &done);
    if (!status && !done && (fast || method == CLUMP_CONVOLVE_METHOD_FOLDED))
        status = try_folded(context, sum, weights, !fast, &taps, &folded);
    if (!status && !done && (fast || method == CLUMP_CONVOLVE_METHOD_FFT))
        status = try_fft(context, sum, weights, taps, !fast, &done);
    if (status || done)
        return status;
    clump_say(&context->log, CLUMP_LOG_INFO, "convolve: %u x %u weights %s", weights->rows,
              weights->cols, folded ? "over folded rows" : "directly");
    return folded ? clump_folded_sum(context, sum, weights)
                  : clump_direct_sum(context, sum, weights);
}

static enum clump_status convolve(clump_context *context, const clump_image *image,
                                  const struct clump_weights *kernel,
                                  enum clump_convolve_method method, struct sum *sum,
                                  clump_image **convolved)
{
    struct weights weights;
    double *values = NULL;
    clump_image *made = NULL;
    enum clump_status status = turn(context, kernel, &weights, &values);
    if (!status)
        status = clump_image_create(context, image->type, sum->out_rows, sum->out_cols, &made);
    if (status)
        goto out;
    sum->type = image->type;
    sum->in = image->buffer;
    sum->out = made->buffer;
    sum->rows = image->rows;
    sum->cols = image->cols;
    status = run(context, sum, &weights, method);
    if (status)
        clump_image_destroy(&made);
    else
        *convolved = made;
out:
    free(values);
    return status;
}

enum clump_status clump_opencl_convolve(clump_context *context, const clump_image *image,
                                        const struct clump_weights *kernel,
                                        const struct clump_convolve_params *params,
                                        clump_image **convolved)
{
    bool valid = params->mode == CLUMP_CONVOLVE_MODE_VALID;
    struct sum sum = {.boundary = valid ? CLUMP_BOUNDARY_FILL : params->boundary,
                      .fill = valid ? 0 : params->fill_value,
                      .ignore = params->blank == CLUMP_BLANK_IGNORE};
    place(params->mode, image->rows, kernel->rows, image->rows, (kernel->rows - 1) / 2,
          &sum.out_rows, &sum.up);
    place(params->mode, image->cols, kernel->cols, image->cols, (kernel->cols - 1) / 2,
          &sum.out_cols, &sum.left);
    return convolve(context, image, kernel, params->method, &sum, convolved);
}

enum clump_status clump_opencl_convolve_1d(clump_context *context, const clump_image *image,
                                           const struct clump_weights *kernel,
                                           const struct clump_convolve_params *params,
                                           clump_image **convolved)
{
    uint64_t n = image->cols, k = kernel->cols;
    struct sum sum = {.boundary = CLUMP_BOUNDARY_FILL,
                      .ignore = params->blank == CLUMP_BLANK_IGNORE,
                      .out_rows = 1};
    place(params->mode, n, k, n < k ? k : n, ((n < k ? n : k) - 1) / 2, &sum.out_cols, &sum.left);
    return convolve(context, image, kernel, params->method, &sum, convolved);
}
