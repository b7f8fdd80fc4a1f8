/* SPDX-License-Identifier: MIT */
#include "opencl/stats/clip.h"

#include <assert.h>
#include <math.h>

#include "opencl/stats/sweep.h"

#include "stats/clip.h"

static_assert(sizeof(struct clip_interval) == 16,
              "clip_interval is laid out otherwise on the device");

#define MAD_TO_STD 1.482602218505602 /* of normal noise: 1 / (quantile 3/4 of the unit normal) */

/* Sets the bounds of an iteration by the centre and the scale of the kept pixels. */
static void bounds(struct order *order, const struct clump_clip_params *params,
                   const struct clip_kept *kept, struct clump_clip_result *result)
{
    bool median =
        params->centre == CLUMP_CLIP_CENTRE_MEDIAN || params->scale == CLUMP_CLIP_SCALE_MAD;
    bool needs_sums =
        params->centre == CLUMP_CLIP_CENTRE_MEAN || params->scale == CLUMP_CLIP_SCALE_STD;
    double middle = median ? clump_order_median(order, kept->first, kept->past) : 0;
    struct exact_sums_rounded rounded = {.count = 0};
    if (needs_sums)
        rounded = clump_exact_sums_round(&kept->sums, 0);
    double centre = params->centre == CLUMP_CLIP_CENTRE_MEDIAN ? middle : rounded.mean;
    double scale = rounded.std;
    if (params->scale == CLUMP_CLIP_SCALE_MAD)
        scale = MAD_TO_STD * clump_order_mad(order, kept->first, kept->past, middle);
    result->lower =
        isinf(params->kappa_low) ? -(double)INFINITY : centre - params->kappa_low * scale;
    result->upper =
        isinf(params->kappa_high) ? (double)INFINITY : centre + params->kappa_high * scale;
}

/* Removes the pixels outside of the bounds from `kept`, unless that would remove all of them.
 * Returns whether it removed any. */
static bool apply(struct order *order, bool inclusive, struct clip_kept *kept,
                  const struct clump_clip_result *result)
{
    uint128 low = clump_keys_above(&order->keys, result->lower, inclusive);
    uint128 high = clump_keys_above(&order->keys, result->upper, !inclusive);
    uint64_t first = clump_order_rank(order, low), past = clump_order_rank(order, high);
    if (first < kept->first)
        first = kept->first;
    if (past > kept->past)
        past = kept->past;
    if (first >= past || (first == kept->first && past == kept->past))
        return false;
    clump_order_remove(order, &kept->sums, kept->first, first);
    clump_order_remove(order, &kept->sums, past, kept->past);
    kept->first = first;
    kept->past = past;
    return true;
}

void clump_clip_iterate(struct histogram *histogram, const struct exact_sums *all,
                        const struct clump_clip_params *params, struct clip_kept *kept,
                        struct clump_clip_result *result)
{
    struct order *order = &histogram->order;
    *result = (struct clump_clip_result){.lower = (double)NAN, .upper = (double)NAN};
    clump_stats_figures(histogram, all, 0, order->pixels, 0, params->mad, &result->before);
    kept->first = order->first;
    kept->past = order->past;
    clump_exact_sums_copy(&kept->sums, all);
    result->converged = kept->first == kept->past;
    while (!result->converged && !(order->closed && order->guessed) &&
           (!params->max_iterations || result->iterations < params->max_iterations)) {
        bounds(order, params, kept, result);
        result->iterations++;
        result->converged = !apply(order, params->inclusive, kept, result);
    }
    result->kept = kept->past - kept->first;
    clump_stats_figures(histogram, &kept->sums, kept->first, kept->past, 0, params->mad,
                        &result->after);
}

/* Makes the mask of kept pixels; `any` tells whether there are any. */
static enum clump_status make_mask(const struct histogram *histogram, struct clip_span span,
                                   bool any, clump_image **mask)
{
    clump_context *context = histogram->context;
    const clump_image *image = histogram->image;
    struct clip_interval interval = {span.least, span.most - span.least};
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
                                        CLUMP_ARG(interval), CLUMP_ARG_IMAGE(*mask)));
}

/* Leaves in `starts` how many pixels are kept before each chunk. */
static enum clump_status find_starts(const struct histogram *histogram,
                                     const struct clip_interval *interval, uint64_t chunks,
                                     uint64_t kept, cl_mem starts)
{
    clump_context *context = histogram->context;
    cl_kernel kernel;
    void *mapped;
    size_t bytes = (size_t)chunks * sizeof(uint64_t);
    enum clump_status status = clump_histogram_kernel(context, histogram->image->type, "stats/clip",
                                                      "clip_count", &kernel);
    if (!status)
        status = clump_histogram_launch(histogram, kernel, chunks,
                                        CLUMP_ARGS(CLUMP_ARG_IMAGE(histogram->image),
                                                   CLUMP_ARG(histogram->n), CLUMP_ARG(*interval),
                                                   CLUMP_ARG(starts)));
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

/* Copies the kept pixels into an image of one row; makes none if there are none. */
static enum clump_status make_row(const struct histogram *histogram, struct clip_span span,
                                  uint64_t count, clump_image **row)
{
    clump_context *context = histogram->context;
    struct clip_interval interval = {span.least, span.most - span.least};
    uint64_t chunks = clump_histogram_chunks(histogram->n);
    cl_mem starts = NULL;
    cl_kernel kernel;
    if (count == 0)
        return CLUMP_OK;
    enum clump_status status = clump_image_create(context, histogram->image->type, 1, count, row);
    if (!status)
        status = clump_buffer_borrow(context, (size_t)chunks * sizeof(uint64_t), &starts);
    if (!status)
        status = find_starts(histogram, &interval, chunks, count, starts);
    if (!status)
        status = clump_histogram_kernel(context, histogram->image->type, "stats/clip", "clip_pack",
                                        &kernel);
    if (!status)
        status = clump_histogram_launch(histogram, kernel, chunks,
                                        CLUMP_ARGS(CLUMP_ARG_IMAGE(histogram->image),
                                                   CLUMP_ARG(histogram->n), CLUMP_ARG(interval),
                                                   CLUMP_ARG(starts), CLUMP_ARG_IMAGE(*row)));
    clump_buffer_return(context, &starts);
    return status;
}

struct clip_span clump_clip_span(struct histogram *histogram, const struct clip_kept *kept)
{
    struct order *order = &histogram->order;
    if (kept->first == 0 && kept->past == order->pixels)
        return (struct clip_span){histogram->least, histogram->most};
    if (kept->first == kept->past)
        return (struct clip_span){0, 0};
    return (struct clip_span){clump_order_select(order, kept->first),
                              clump_order_select(order, kept->past - 1)};
}

/* Sets the positions of the extreme pixels: `before` are those of all pixels. */
static enum clump_status find_positions(struct histogram *histogram, const struct sweep *sweep,
                                        struct histogram_place before, struct clip_span span,
                                        struct clump_clip_result *result)
{
    enum clump_status status = CLUMP_OK;
    struct histogram_place place = before;
    if (result->before.count == 0)
        return CLUMP_OK;
    clump_stats_positions(histogram->image, before, &result->before);
    if (result->kept == 0)
        return CLUMP_OK;
    if (result->kept < result->before.count &&
        !(sweep && clump_sweep_order_seek(sweep, span.least, span.most, &place)))
        status = clump_histogram_seek(histogram, span.least, span.most, &place);
    clump_stats_positions(histogram->image, place, &result->after);
    return status;
}

/* Clips by one sweep over the image, unless *done becomes false. The bounds of a scale by the MAD
 * lie within the core, and so does the MAD: these are done by the histogram. */
static enum clump_status by_sweep(clump_context *context, const clump_image *image,
                                  const struct clump_clip_params *params, struct clip_span *span,
                                  struct clump_clip_result *result, bool *done)
{
    struct sweep sweep;
    struct clip_kept kept = {.first = 0};
    *done = false;
    if (params->mad || params->scale == CLUMP_CLIP_SCALE_MAD)
        return CLUMP_OK;
    enum clump_status status = clump_sweep_open(context, image, params, &sweep, done);
    if (!status && *done && !clump_exact_sums_create(&kept.sums, &sweep.histogram.order.keys))
        status = clump_histogram_out_of_memory(&sweep.histogram,
                                               kept.sums.groups * sizeof *kept.sums.group);
    if (!status && *done) {
        clump_clip_iterate(&sweep.histogram, &sweep.sums, params, &kept, result);
        *span = clump_clip_span(&sweep.histogram, &kept);
        *done = !sweep.histogram.order.guessed;
        if (*done)
            status = find_positions(&sweep.histogram, &sweep, sweep.place, *span, result);
        else
            clump_fall_back(context, CLUMP_SWEEP_MISLED);
    }
    clump_exact_sums_destroy(&kept.sums);
    enum clump_status closed = clump_sweep_close(&sweep);
    return status ? status : closed;
}

/* Guess-and-replay (docs/statistics.md): does all iterations again until none rests on a guess, and
 * then finds the positions. */
static enum clump_status replay(struct histogram *histogram, const struct clump_clip_params *params,
                                struct clip_span *span, struct clump_clip_result *result)
{
    struct exact_sums all = {.group = NULL};
    struct clip_kept kept = {.first = 0};
    struct histogram_place place = {0, 0};
    enum clump_status status = clump_stats_exact_sums(histogram, &all);
    if (!status && !clump_exact_sums_create(&kept.sums, &histogram->order.keys))
        status = clump_histogram_out_of_memory(histogram, all.groups * sizeof *all.group);
    for (histogram->order.guessed = !status; histogram->order.guessed && !status;) {
        histogram->order.guessed = false;
        clump_clip_iterate(histogram, &all, params, &kept, result);
        if (histogram->order.guessed) {
            status = clump_histogram_refine(histogram);
            histogram->order.guessed = true;
        }
    }
    if (!status)
        *span = clump_clip_span(histogram, &kept);
    if (!status && result->before.count > 0)
        status = clump_histogram_seek_extremes(histogram, &place);
    if (!status)
        status = find_positions(histogram, NULL, place, *span, result);
    clump_exact_sums_destroy(&kept.sums);
    clump_exact_sums_destroy(&all);
    return status;
}

static enum clump_status by_histogram(clump_context *context, const clump_image *image,
                                      const struct clump_clip_params *params,
                                      struct clip_span *span, struct clump_clip_result *result)
{
    struct histogram histogram;
    enum clump_status status = clump_histogram_open(context, image, &histogram);
    if (!status)
        status = replay(&histogram, params, span, result);
    clump_histogram_close(&histogram);
    return status;
}

enum clump_status clump_opencl_clip(clump_context *context, const clump_image *image,
                                    const struct clump_clip_params *params, clump_image **mask,
                                    clump_image **kept, struct clump_clip_result *result)
{
    struct clump_clip_result made;
    struct clip_span span = {0, 0};
    const struct histogram pixels = {.context = context,
                                     .image = image,
                                     .n = image->rows * image->cols};
    clump_image *made_mask = NULL, *made_row = NULL;
    bool done;
    enum clump_status status = by_sweep(context, image, params, &span, &made, &done);
    if (!status && !done)
        status = by_histogram(context, image, params, &span, &made);
    if (!status && mask)
        status = make_mask(&pixels, span, made.kept > 0, &made_mask);
    if (!status && kept)
        status = make_row(&pixels, span, made.kept, &made_row);
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
