/* SPDX-License-Identifier: MIT */
#include "opencl/stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/stats/sweep.h"

enum clump_status clump_stats_exact_sums(struct histogram *histogram, struct exact_sums *sums)
{
    const struct order *order = &histogram->order;
    if (!clump_exact_sums_create(sums, &order->keys))
        return clump_histogram_out_of_memory(histogram, sums->groups * sizeof *sums->group);
    for (size_t i = 0; i < order->count; i++)
        if (order->bin[i].before >= order->first && order->bin[i].before < order->past)
            clump_exact_sums_add(sums, &order->bin[i].sums);
    return CLUMP_OK;
}

void clump_stats_sums(const struct exact_sums *sums, uint64_t below, uint64_t above, uint32_t ddof,
                      struct clump_stats_result *result)
{
    struct exact_sums_rounded rounded = clump_exact_sums_round(sums, ddof);
    result->infinite = below + above;
    result->sum = rounded.sum;
    result->mean = rounded.mean;
    result->variance = rounded.variance;
    result->std = rounded.std;
    if (result->infinite == 0)
        return;
    double infinity = (double)INFINITY;
    result->sum = (below ? -infinity : 0) + (above ? infinity : 0);
    result->mean = result->sum;
    result->variance = result->std = (double)NAN;
}

void clump_stats_figures(struct histogram *histogram, const struct exact_sums *sums, uint64_t first,
                         uint64_t past, uint32_t ddof, bool mad, struct clump_stats_result *result)
{
    struct order *order = &histogram->order;
    double nan = (double)NAN;
    *result = (struct clump_stats_result){.count = past - first, .blank = histogram->blank};
    result->min = result->max = result->median = result->mad = nan;
    clump_stats_sums(sums, first < order->first ? order->first - first : 0,
                     past > order->past ? past - order->past : 0, ddof, result);
    if (first == past)
        return;
    bool all = first == 0 && past == order->pixels;
    uint64_t least = all ? histogram->least : clump_order_select(order, first);
    uint64_t most = all ? histogram->most : clump_order_select(order, past - 1);
    result->min = clump_keys_value(&order->keys, least);
    result->max = clump_keys_value(&order->keys, most);
    result->median = clump_order_median(order, first, past);
    if (mad && isfinite(result->median)) /* else |x - median| may be NaN */
        result->mad = clump_order_mad(order, first, past, result->median);
}

void clump_stats_positions(const clump_image *image, struct histogram_place place,
                           struct clump_stats_result *result)
{
    result->min_row = place.least / image->cols;
    result->min_col = place.least % image->cols;
    result->max_row = place.most / image->cols;
    result->max_col = place.most % image->cols;
}

/* Guess-and-replay (docs/statistics.md): computes everything again until nothing rests on a guess.
 */
static enum clump_status answer(struct histogram *histogram, const struct exact_sums *sums,
                                const struct clump_stats_params *params, double *quantiles,
                                struct clump_stats_result *result)
{
    struct order *order = &histogram->order;
    enum clump_status status = CLUMP_OK;
    for (bool guessed = true; guessed && !status;) {
        guessed = false;
        for (size_t i = 0; i < params->quantile_count; i++) {
            order->guessed = false; /* quantiles do not depend on each other */
            quantiles[i] =
                order->pixels ? clump_order_quantile(order, params->quantiles[i]) : (double)NAN;
            guessed = guessed || order->guessed;
        }
        order->guessed = false;
        clump_stats_figures(histogram, sums, 0, order->pixels, params->ddof, params->mad, result);
        guessed = guessed || order->guessed;
        if (guessed)
            status = clump_histogram_refine(histogram);
    }
    return status;
}

/* Computes all figures by the key histogram. */
static enum clump_status by_histogram(clump_context *context, const clump_image *image,
                                      const struct clump_stats_params *params, double *quantiles,
                                      struct clump_stats_result *result)
{
    struct histogram histogram;
    struct exact_sums sums = {.group = NULL};
    struct histogram_place place = {0, 0};
    enum clump_status status = clump_histogram_open(context, image, &histogram);
    if (!status)
        status = clump_stats_exact_sums(&histogram, &sums);
    if (!status)
        status = answer(&histogram, &sums, params, quantiles, result);
    if (!status && result->count > 0)
        status = clump_histogram_seek_extremes(&histogram, &place);
    if (!status)
        clump_stats_positions(image, place, result);
    clump_exact_sums_destroy(&sums);
    clump_histogram_close(&histogram);
    return status;
}

/* Computes all figures but the quantiles and the MAD by the sweep, unless *done becomes false. */
static enum clump_status by_sweep(clump_context *context, const clump_image *image, uint32_t ddof,
                                  struct clump_stats_result *result, bool *done)
{
    struct sweep sweep;
    enum clump_status status = clump_sweep_open(context, image, NULL, &sweep, done);
    if (!status && *done) {
        clump_stats_figures(&sweep.histogram, &sweep.sums, 0, sweep.histogram.order.pixels, ddof,
                            false, result);
        if (result->count > 0)
            clump_stats_positions(image, sweep.place, result);
        *done = !sweep.histogram.order.guessed;
        if (!*done)
            clump_fall_back(context, CLUMP_SWEEP_MISLED);
    }
    enum clump_status closed = clump_sweep_close(&sweep);
    return status ? status : closed;
}

enum clump_status clump_opencl_stats(clump_context *context, const clump_image *image,
                                     const struct clump_stats_params *params, double *quantiles,
                                     struct clump_stats_result *result)
{
    struct clump_stats_result made = {.count = 0};
    size_t bytes = params->quantile_count * sizeof *quantiles;
    double *values = malloc(bytes + 1);
    bool done = false;
    enum clump_status status = CLUMP_OK;
    if (!values)
        status = clump_fail(&context->log, CLUMP_ERROR_MEMORY,
                            "statistics: cannot allocate %zu bytes of host memory", bytes);
    if (!status && !params->quantile_count && !params->mad)
        status = by_sweep(context, image, params->ddof, &made, &done);
    if (!status && !done)
        status = by_histogram(context, image, params, values, &made);
    if (!status)
        *result = made;
    if (!status && bytes > 0)
        memcpy(quantiles, values, bytes);
    free(values);
    return status;
}
