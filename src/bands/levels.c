/* SPDX-License-Identifier: MIT */
#include "bands/levels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/core/error.h"

#define SAMPLES 512

static enum clump_status no_memory(const struct levels *levels, size_t bytes)
{
    return clump_fail(&levels->context->log, CLUMP_ERROR_MEMORY,
                      "bands: cannot allocate %zu bytes of host memory", bytes);
}

enum clump_status clump_levels_create(clump_context *context, enum clump_type type, uint64_t pixels,
                                      uint64_t room, struct levels *levels)
{
    *levels = (struct levels){.context = context, .pixels = pixels, .room = room};
    levels->histogram = (struct histogram){.context = context, .n = pixels};
    levels->histogram.order.keys = clump_keys(type);
    levels->bins = malloc(BANDS_BINS * sizeof *levels->bins);
    if (!levels->bins)
        return no_memory(levels, BANDS_BINS * sizeof *levels->bins);
    const struct keys *keys = &levels->histogram.order.keys;
    if (!clump_exact_sums_create(&levels->all, keys) ||
        !clump_exact_sums_create(&levels->kept.sums, keys))
        return no_memory(levels, levels->all.groups * sizeof *levels->all.group);
    return CLUMP_OK;
}

void clump_levels_destroy(struct levels *levels)
{
    clump_exact_sums_destroy(&levels->kept.sums);
    clump_exact_sums_destroy(&levels->all);
    clump_histogram_close(&levels->histogram);
    free(levels->quantiles);
    free(levels->intervals);
    free(levels->keys.key);
    free(levels->bins);
    *levels = (struct levels){.pass = LEVELS_DONE};
}

/* A pixel's key, of the sample only: which window is chosen changes no result. */
static uint64_t sample_key(const struct keys *keys, const char *pixel)
{
    uint32_t word;
    uint64_t wide;
    double value;
    switch (keys->type) {
    case CLUMP_F32: {
        float single;
        memcpy(&single, pixel, sizeof single);
        value = (double)single;
        break;
    }
    case CLUMP_F64:
        memcpy(&value, pixel, sizeof value);
        break;
    case CLUMP_I64:
        memcpy(&wide, pixel, sizeof wide);
        return wide ^ UINT64_C(1) << 63;
    default:
        memcpy(&word, pixel, sizeof word);
        return keys->is_signed ? word ^ UINT32_C(1) << 31 : word;
    }
    return isnan(value) ? clump_keys_max(keys) : (uint64_t)clump_keys_above(keys, value, true);
}

enum clump_status clump_levels_hint(struct levels *levels, const clump_image *image)
{
    const struct keys *keys = &levels->histogram.order.keys;
    uint64_t sample[SAMPLES], n = image->rows * image->cols;
    size_t bytes = clump_type_row_bytes(image->type, 1);
    void *pixels;
    if (keys->pad || n < SAMPLES)
        return CLUMP_OK;
    enum clump_status status = clump_image_map((clump_image *)image, CLUMP_IMAGE_READ, &pixels);
    if (status)
        return status;
    for (uint64_t i = 0; i < SAMPLES; i++) {
        uint64_t at = n / SAMPLES * i + i * UINT64_C(2654435761) / 128 % (n / SAMPLES);
        sample[i] = sample_key(keys, (const char *)pixels + at * bytes);
    }
    struct histogram_window window = clump_histogram_window(keys, sample, SAMPLES);
    /* No wide bin may wrap around from the highest keys to the lowest. */
    uint64_t low = keys->bits - 16, base = window.base >> low << low;
    if (window.length && !keys->fraction)
        levels->window = (struct bands_window){base, window.length, window.shift};
    else
        levels->window = (struct bands_window){window.base, window.length, window.shift};
    return clump_image_unmap((clump_image *)image);
}

enum clump_status clump_levels_begin(struct levels *levels)
{
    if (levels->pass == LEVELS_FILL || levels->pass == LEVELS_SPLIT)
        memset(levels->bins, 0, BANDS_BINS * sizeof *levels->bins);
    levels->keys.count = 0;
    return CLUMP_OK;
}

/* Keeps the extremes of rows that begin with pixel number `first`. */
static void add_extremes(struct bands_extremes *all, const struct bands_extremes *rows,
                         uint64_t first)
{
    if (!rows->any)
        return;
    if (!all->any || rows->least < all->least) {
        all->least = rows->least;
        all->least_at = first + rows->least_at;
    }
    if (!all->any || rows->most > all->most) {
        all->most = rows->most;
        all->most_at = first + rows->most_at;
    }
    all->any = true;
}

static enum clump_status seek(struct levels *levels, const clump_image *image, uint64_t first)
{
    struct bands_places *all = &levels->places, rows = *all;
    if (all->has_least && all->has_most)
        return CLUMP_OK;
    enum clump_status status = levels->context->backend->bands_seek(levels->context, image, &rows);
    if (status)
        return status;
    if (rows.has_least && !all->has_least) {
        all->has_least = true;
        all->least_at = first + rows.least_at;
    }
    if (rows.has_most && !all->has_most) {
        all->has_most = true;
        all->most_at = first + rows.most_at;
    }
    return CLUMP_OK;
}

enum clump_status clump_levels_rows(struct levels *levels, const clump_image *image, uint64_t first)
{
    clump_context *context = levels->context;
    const struct backend *backend = context->backend;
    struct bands_extremes extremes;
    const struct bands_intervals intervals = {levels->intervals, levels->interval_count,
                                              &levels->histogram.order};
    enum clump_status status = CLUMP_OK;
    switch (levels->pass) {
    case LEVELS_FILL:
        status = backend->bands_fill(context, image, &levels->window, levels->bins, &extremes);
        if (!status)
            add_extremes(&levels->extremes, &extremes, first);
        return status;
    case LEVELS_SPLIT:
        return backend->bands_fill(context, image, &levels->window, levels->bins, NULL);
    case LEVELS_GATHER:
        return backend->bands_gather(context, image, &intervals, &levels->keys);
    case LEVELS_SEEK:
        return seek(levels, image, first);
    default:
        return CLUMP_OK;
    }
}

/* The bins of a pass as the histogram's lists take them; free with free. */
static struct exact_sums_bin *totals_of(const struct levels *levels)
{
    struct exact_sums_bin *added = malloc(BANDS_BINS * sizeof *added);
    for (size_t b = 0; added && b < BANDS_BINS; b++) {
        const struct bands_bin *bin = &levels->bins[b];
        added[b] = (struct exact_sums_bin){.count = bin->count,
                                           .d = bin->d,
                                           .square = bin->low,
                                           .square_high = bin->high};
    }
    return added;
}

static enum clump_status take_bins(struct levels *levels, histogram_take *take)
{
    const struct histogram_window window = {levels->window.base, levels->window.length,
                                            levels->window.shift};
    struct histogram *histogram = &levels->histogram;
    struct exact_sums_bin *added = totals_of(levels);
    bool taken = added && take(histogram, &window, &(struct histogram_totals){.added = added});
    free(added);
    if (!taken)
        return no_memory(levels, BANDS_BINS * sizeof *added);
    clump_order_index(&histogram->order);
    uint64_t found = histogram->order.pixels + histogram->blank;
    if (found != levels->pixels)
        return clump_check_count(levels->context, "bands", "pixels in all bins", found,
                                 levels->pixels);
    return CLUMP_OK;
}

static enum clump_status take_fill(struct levels *levels)
{
    struct histogram *histogram = &levels->histogram;
    enum clump_status status = take_bins(levels, clump_histogram_list_bins);
    if (status)
        return status;
    histogram->least = levels->extremes.least;
    histogram->most = levels->extremes.most;
    levels->before = (struct histogram_place){levels->extremes.least_at, levels->extremes.most_at};
    const struct order *order = &histogram->order;
    for (size_t i = 0; i < order->count; i++)
        if (order->bin[i].before >= order->first && order->bin[i].before < order->past)
            clump_exact_sums_add(&levels->all, &order->bin[i].sums);
    return CLUMP_OK;
}

static enum clump_status take_keys(struct levels *levels)
{
    uint64_t wanted = 0;
    const struct order *order = &levels->histogram.order;
    for (size_t i = 0; i < order->count; i++)
        wanted += order->bin[i].wanted ? order->bin[i].sums.count : 0;
    enum clump_status status = CLUMP_OK;
    if (levels->keys.count != wanted)
        status = clump_check_count(levels->context, "bands", "keys of the wanted bins",
                                   levels->keys.count, wanted);
    if (!status)
        status =
            clump_histogram_take_keys(&levels->histogram, levels->keys.key, levels->keys.count);
    clump_histogram_planned(&levels->histogram);
    return status;
}

/* Chooses how the wanted bins become known: by their keys, or by splitting one of them. */
static enum clump_status plan(struct levels *levels)
{
    struct histogram *histogram = &levels->histogram;
    const struct order *order = &histogram->order;
    size_t bin;
    uint64_t keys;
    clump_histogram_plan(histogram, levels->room / 4, levels->room, &bin);
    if (bin < order->count) {
        uint64_t first = order->bin[bin].first, last = order->bin[bin].last;
        uint32_t shift = 0;
        while ((last - first) >> shift >= BANDS_NARROW)
            shift++;
        levels->window = (struct bands_window){first, last - first + 1, shift};
        histogram->split = bin;
        levels->pass = LEVELS_SPLIT;
        return CLUMP_OK;
    }
    free(levels->intervals);
    free(levels->keys.key);
    levels->keys = (struct bands_keys){NULL, 0, 0};
    levels->pass = LEVELS_GATHER;
    enum clump_status status =
        clump_histogram_wanted(histogram, &levels->intervals, &levels->interval_count, &keys);
    if (status)
        return status;
    levels->keys.room = (size_t)keys + 1; /* one more, to notice keys that are too many */
    levels->keys.key = malloc(levels->keys.room * sizeof *levels->keys.key);
    return levels->keys.key ? CLUMP_OK
                            : no_memory(levels, levels->keys.room * sizeof *levels->keys.key);
}

/* Asks for all figures of stats. Returns whether some rest on guesses. */
static bool ask_stats(struct levels *levels)
{
    struct order *order = &levels->histogram.order;
    bool guessed = false;
    for (size_t i = 0; i < levels->stats.quantile_count; i++) {
        order->guessed = false;
        levels->quantiles[i] =
            order->pixels ? clump_order_quantile(order, levels->stats.quantiles[i]) : (double)NAN;
        guessed = guessed || order->guessed;
    }
    order->guessed = false;
    clump_stats_figures(&levels->histogram, &levels->all, 0, order->pixels, levels->stats.ddof,
                        levels->stats.mad, &levels->figures);
    return guessed || order->guessed;
}

static bool ask_clip(struct levels *levels)
{
    levels->histogram.order.guessed = false;
    clump_clip_iterate(&levels->histogram, &levels->all, &levels->clip, &levels->kept,
                       &levels->result);
    return levels->histogram.order.guessed;
}

static void place(struct clump_stats_result *result, uint64_t cols, uint64_t least, uint64_t most)
{
    result->min_row = least / cols;
    result->min_col = least % cols;
    result->max_row = most / cols;
    result->max_col = most % cols;
}

/* Nothing is guessed any more: sets the places that are known, and seeks the others. */
static void settle(struct levels *levels, uint64_t cols)
{
    struct clump_clip_result *clip = &levels->result;
    struct clump_stats_result *all = levels->clips ? &clip->before : &levels->figures;
    levels->pass = LEVELS_DONE;
    if (all->count)
        place(all, cols, levels->before.least, levels->before.most);
    if (!levels->clips || !clip->kept)
        return;
    if (clip->kept == all->count) {
        place(&clip->after, cols, levels->before.least, levels->before.most);
        return;
    }
    struct clip_span span = clump_clip_span(&levels->histogram, &levels->kept);
    levels->places = (struct bands_places){.least = span.least, .most = span.most};
    levels->pass = LEVELS_SEEK;
}

static enum clump_status take_places(struct levels *levels, uint64_t cols)
{
    const struct bands_places *found = &levels->places;
    levels->pass = LEVELS_DONE;
    if (!found->has_least || !found->has_most)
        return clump_check_count(levels->context, "bands", "extreme pixels",
                                 (uint64_t)found->has_least + found->has_most, 2);
    place(&levels->result.after, cols, found->least_at, found->most_at);
    return CLUMP_OK;
}

enum clump_status clump_levels_finish(struct levels *levels, uint64_t cols)
{
    enum clump_status status = CLUMP_OK;
    if (levels->pass == LEVELS_SEEK)
        return take_places(levels, cols);
    if (levels->pass == LEVELS_FILL)
        status = take_fill(levels);
    else if (levels->pass == LEVELS_GATHER)
        status = take_keys(levels);
    else {
        status = take_bins(levels, clump_histogram_list_split);
        clump_histogram_planned(&levels->histogram);
    }
    if (status)
        return status;
    if (levels->clips ? ask_clip(levels) : ask_stats(levels))
        return plan(levels);
    settle(levels, cols);
    return CLUMP_OK;
}
