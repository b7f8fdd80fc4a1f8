/* SPDX-License-Identifier: MIT */
#include "opencl/stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum clump_status clump_stats_exact_sums(struct histogram *table, struct exact_sums *moments)
{
    const struct order *bins = &table->bins;
    if (!clump_exact_sums_create(moments, &bins->keys))
        return clump_histogram_out_of_memory(table, moments->groups * sizeof *moments->group);
    for (size_t i = 0; i < bins->count; i++)
        if (bins->bin[i].before >= bins->first && bins->bin[i].before < bins->past)
            clump_exact_sums_add(moments, &bins->bin[i].sums);
    return CLUMP_OK;
}

void clump_stats_sums(const struct exact_sums *moments, uint64_t below, uint64_t above,
                      uint32_t ddof, struct clump_stats_result *result)
{
    struct rounded rounded = clump_exact_sums_round(moments, ddof);
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

void clump_stats_figures(struct histogram *table, const struct exact_sums *moments, uint64_t first,
                         uint64_t past, uint32_t ddof, bool mad, struct clump_stats_result *result)
{
    struct order *bins = &table->bins;
    double nan = (double)NAN;
    *result = (struct clump_stats_result){.count = past - first, .blank = table->blank};
    result->min = result->max = result->median = result->mad = nan;
    clump_stats_sums(moments, first < bins->first ? bins->first - first : 0,
                     past > bins->past ? past - bins->past : 0, ddof, result);
    if (first == past)
        return;
    bool all = first == 0 && past == bins->pixels;
    uint64_t least = all ? table->least : clump_order_select(bins, first);
    uint64_t most = all ? table->most : clump_order_select(bins, past - 1);
    result->min = clump_keys_value(&bins->keys, least);
    result->max = clump_keys_value(&bins->keys, most);
    result->median = clump_order_median(bins, first, past);
    if (mad && isfinite(result->median)) /* |x - median| is NaN of pixels that equal an infinity */
        result->mad = clump_order_mad(bins, first, past, result->median);
}

void clump_stats_positions(const clump_image *image, struct place place,
                           struct clump_stats_result *result)
{
    result->min_row = place.least / image->cols;
    result->min_col = place.least % image->cols;
    result->max_row = place.most / image->cols;
    result->max_col = place.most % image->cols;
}

/* Answers everything, asking the image again until nothing is a guess. */
static enum clump_status answer(struct histogram *table, const struct exact_sums *moments,
                                const struct clump_stats_params *params, double *quantiles,
                                struct clump_stats_result *result)
{
    struct order *bins = &table->bins;
    enum clump_status status = CLUMP_OK;
    for (bool guessed = true; guessed && !status;) {
        guessed = false;
        for (size_t i = 0; i < params->quantile_count; i++) {
            bins->guessed = false; /* quantiles do not depend on each other */
            quantiles[i] =
                bins->pixels ? clump_order_quantile(bins, params->quantiles[i]) : (double)NAN;
            guessed = guessed || bins->guessed;
        }
        bins->guessed = false;
        clump_stats_figures(table, moments, 0, bins->pixels, params->ddof, params->mad, result);
        guessed = guessed || bins->guessed;
        if (guessed)
            status = clump_histogram_refine(table);
    }
    return status;
}

/* All figures, by the table. */
static enum clump_status tabulate(clump_context *context, const clump_image *image,
                                  const struct clump_stats_params *params, double *quantiles,
                                  struct clump_stats_result *result)
{
    struct histogram table;
    struct exact_sums moments = {.group = NULL};
    struct place place = {0, 0};
    enum clump_status status = clump_histogram_open(context, image, &table);
    if (!status)
        status = clump_stats_exact_sums(&table, &moments);
    if (!status)
        status = answer(&table, &moments, params, quantiles, result);
    if (!status && result->count > 0)
        status = clump_histogram_seek_extremes(&table, &place);
    if (!status)
        clump_stats_positions(image, place, result);
    clump_exact_sums_destroy(&moments);
    clump_histogram_close(&table);
    return status;
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
                            "statistics: no host memory for %zu bytes", bytes);
    if (!status && !params->quantile_count && !params->mad)
        status = clump_sweep(context, image, params->ddof, &made, &done);
    if (!status && !done)
        status = tabulate(context, image, params, values, &made);
    if (!status)
        *result = made;
    if (!status && bytes > 0)
        memcpy(quantiles, values, bytes);
    free(values);
    return status;
}
