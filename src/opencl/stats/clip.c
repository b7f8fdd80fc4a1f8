/* SPDX-License-Identifier: MIT */
#include "opencl/stats/stats.h"

#include <math.h>
#include <string.h>

#define MAD_TO_STD 1.482602218505602

/* The kept pixels: ranks first to past - 1, and their sums. */
struct kept {
    uint64_t first, past;
    struct exact_sums moments;
};

static void bounds(struct order *bins, const struct clump_clip_params *params,
                   const struct kept *kept, struct clump_clip_result *result)
{
    bool median =
        params->centre == CLUMP_CLIP_CENTRE_MEDIAN || params->scale == CLUMP_CLIP_SCALE_MAD;
    bool moments =
        params->centre == CLUMP_CLIP_CENTRE_MEAN || params->scale == CLUMP_CLIP_SCALE_STD;
    double middle = median ? clump_order_median(bins, kept->first, kept->past) : 0;
    struct rounded rounded = {.count = 0};
    if (moments)
        rounded = clump_exact_sums_round(&kept->moments, 0);
    double centre = params->centre == CLUMP_CLIP_CENTRE_MEDIAN ? middle : rounded.mean;
    double scale = rounded.std;
    if (params->scale == CLUMP_CLIP_SCALE_MAD)
        scale = MAD_TO_STD * clump_order_mad(bins, kept->first, kept->past, middle);
    result->lower =
        isinf(params->kappa_low) ? -(double)INFINITY : centre - params->kappa_low * scale;
    result->upper =
        isinf(params->kappa_high) ? (double)INFINITY : centre + params->kappa_high * scale;
}

/* Narrows `kept` to what lies within the bounds, if that leaves anything. Returns whether it
 * removed pixels. */
static bool apply(struct order *bins, bool inclusive, struct kept *kept,
                  const struct clump_clip_result *result)
{
    u128 low = clump_keys_above(&bins->keys, result->lower, inclusive);
    u128 high = clump_keys_above(&bins->keys, result->upper, !inclusive);
    uint64_t first = clump_order_rank(bins, low), past = clump_order_rank(bins, high);
    if (first < kept->first)
        first = kept->first;
    if (past > kept->past)
        past = kept->past;
    if (first >= past || (first == kept->first && past == kept->past))
        return false;
    clump_order_remove(bins, &kept->moments, kept->first, first);
    clump_order_remove(bins, &kept->moments, past, kept->past);
    kept->first = first;
    kept->past = past;
    return true;
}

/* All iterations, and the figures; some may be guesses. */
static void iterate(struct histogram *table, const struct exact_sums *all,
                    const struct clump_clip_params *params, struct kept *kept,
                    struct clump_clip_result *result)
{
    struct order *bins = &table->bins;
    *result = (struct clump_clip_result){.lower = (double)NAN, .upper = (double)NAN};
    clump_stats_figures(table, all, 0, bins->pixels, 0, params->mad, &result->before);
    kept->first = bins->first;
    kept->past = bins->past;
    clump_exact_sums_copy(&kept->moments, all);
    result->converged = kept->first == kept->past;
    while (!result->converged &&
           (!params->max_iterations || result->iterations < params->max_iterations)) {
        bounds(bins, params, kept, result);
        result->iterations++;
        result->converged = !apply(bins, params->inclusive, kept, result);
    }
    result->kept = kept->past - kept->first;
    clump_stats_figures(table, &kept->moments, kept->first, kept->past, 0, params->mad,
                        &result->after);
}

/* The least and the greatest key of the kept pixels; all of them are known by now. */
struct span {
    uint64_t least, most;
};

static enum clump_status find_positions(struct histogram *table, struct span span,
                                        struct clump_clip_result *result)
{
    struct place place;
    enum clump_status status = CLUMP_OK;
    if (result->before.count == 0)
        return CLUMP_OK;
    status = clump_histogram_seek_extremes(table, &place);
    if (status)
        return status;
    clump_stats_positions(table->image, place, &result->before);
    if (result->kept == 0)
        return CLUMP_OK;
    if (result->kept < result->before.count)
        status = clump_histogram_seek(table, span.least, span.most, &place);
    clump_stats_positions(table->image, place, &result->after);
    return status;
}

static enum clump_status make_mask(struct histogram *table, struct span span, bool any,
                                   clump_image **mask)
{
    clump_context *context = table->context;
    const clump_image *image = table->image;
    const struct keys *keys = &table->bins.keys;
    union histogram_key least = clump_histogram_key(keys, span.least);
    union histogram_key past = clump_histogram_key(keys, span.most - span.least);
    cl_kernel kernel;
    enum clump_status status =
        clump_image_create(context, CLUMP_BITS, image->rows, image->cols, mask);
    if (status)
        return status;
    if (!any)
        return clump_buffer_fill(context, (*mask)->buffer, 0, (*mask)->bytes);
    status = clump_histogram_kernel(context, image->type, "stats/clip", "clip_mask", &kernel);
    if (status)
        return status;
    return clump_launch_rows(context, kernel, image->rows, clump_row_words(image->cols),
                             CLUMP_ARGS(CLUMP_ARG_IMAGE(image), CLUMP_ARG(image->cols),
                                        HISTOGRAM_ARG_KEY(keys, least),
                                        HISTOGRAM_ARG_KEY(keys, past), CLUMP_ARG_IMAGE(*mask)));
}

/* How many pixels are kept before each chunk. */
static enum clump_status find_starts(struct histogram *table, union histogram_key least,
                                     union histogram_key past, uint64_t chunks, uint64_t kept,
                                     cl_mem starts)
{
    clump_context *context = table->context;
    const struct keys *keys = &table->bins.keys;
    cl_kernel kernel;
    void *mapped;
    size_t bytes = (size_t)chunks * sizeof(uint64_t);
    enum clump_status status =
        clump_histogram_kernel(context, table->image->type, "stats/clip", "clip_count", &kernel);
    if (!status)
        status =
            clump_histogram_launch(table, kernel, chunks,
                                   CLUMP_ARGS(CLUMP_ARG_IMAGE(table->image), CLUMP_ARG(table->n),
                                              HISTOGRAM_ARG_KEY(keys, least),
                                              HISTOGRAM_ARG_KEY(keys, past), CLUMP_ARG(starts)));
    if (!status)
        status = clump_buffer_map(context, starts, CLUMP_IMAGE_READ_WRITE, bytes, &mapped);
    if (status)
        return status;
    uint64_t sum = 0, *start = mapped;
    for (uint64_t c = 0; c < chunks; c++) {
        uint64_t count = start[c];
        start[c] = sum;
        sum += count;
    }
    status = clump_buffer_unmap(context, starts, mapped);
    return status ? status : clump_check_count(context, "clip", "kept pixels", sum, kept);
}

static enum clump_status make_row(struct histogram *table, struct span span, uint64_t count,
                                  clump_image **row)
{
    clump_context *context = table->context;
    const struct keys *keys = &table->bins.keys;
    union histogram_key least = clump_histogram_key(keys, span.least);
    union histogram_key past = clump_histogram_key(keys, span.most - span.least);
    uint64_t chunks = (table->n + HISTOGRAM_CHUNK - 1) / HISTOGRAM_CHUNK;
    cl_mem starts = NULL;
    cl_kernel kernel;
    if (count == 0)
        return CLUMP_OK;
    enum clump_status status = clump_image_create(context, table->image->type, 1, count, row);
    if (!status)
        status = clump_buffer_borrow(context, (size_t)chunks * sizeof(uint64_t), &starts);
    if (!status)
        status = find_starts(table, least, past, chunks, count, starts);
    if (!status)
        status =
            clump_histogram_kernel(context, table->image->type, "stats/clip", "clip_pack", &kernel);
    if (!status)
        status =
            clump_histogram_launch(table, kernel, chunks,
                                   CLUMP_ARGS(CLUMP_ARG_IMAGE(table->image), CLUMP_ARG(table->n),
                                              HISTOGRAM_ARG_KEY(keys, least),
                                              HISTOGRAM_ARG_KEY(keys, past), CLUMP_ARG(starts),
                                              CLUMP_ARG_IMAGE(*row)));
    clump_buffer_return(context, &starts);
    return status;
}

/* Clips until nothing is a guess, and finds the positions. */
static enum clump_status clip(struct histogram *table, const struct clump_clip_params *params,
                              struct span *span, struct clump_clip_result *result)
{
    struct exact_sums all = {.group = NULL};
    struct kept kept = {.first = 0};
    enum clump_status status = clump_stats_exact_sums(table, &all);
    if (!status && !clump_exact_sums_create(&kept.moments, &table->bins.keys))
        status = clump_histogram_out_of_memory(table, all.groups * sizeof *all.group);
    for (table->bins.guessed = !status; table->bins.guessed && !status;) {
        table->bins.guessed = false;
        iterate(table, &all, params, &kept, result);
        if (table->bins.guessed) {
            status = clump_histogram_refine(table);
            table->bins.guessed = true;
        }
    }
    if (!status && result->kept == table->bins.pixels)
        *span = (struct span){table->least, table->most};
    else if (!status && result->kept > 0)
        *span = (struct span){clump_order_select(&table->bins, kept.first),
                              clump_order_select(&table->bins, kept.past - 1)};
    if (!status)
        status = find_positions(table, *span, result);
    clump_exact_sums_destroy(&kept.moments);
    clump_exact_sums_destroy(&all);
    return status;
}

enum clump_status clump_opencl_clip(clump_context *context, const clump_image *image,
                                    const struct clump_clip_params *params, clump_image **mask,
                                    clump_image **kept, struct clump_clip_result *result)
{
    struct histogram table;
    struct clump_clip_result made;
    struct span span = {0, 0};
    clump_image *made_mask = NULL, *made_row = NULL;
    enum clump_status status = clump_histogram_open(context, image, &table);
    if (!status)
        status = clip(&table, params, &span, &made);
    if (!status && mask)
        status = make_mask(&table, span, made.kept > 0, &made_mask);
    if (!status && kept)
        status = make_row(&table, span, made.kept, &made_row);
    clump_histogram_close(&table);
    if (status) {
        clump_image_destroy(&made_mask);
        clump_image_destroy(&made_row);
        return status;
    }
    if (mask)
        *mask = made_mask;
    if (kept)
        *kept = made_row;
    *result = made;
    return CLUMP_OK;
}
