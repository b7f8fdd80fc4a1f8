/* SPDX-License-Identifier: MIT */
#include "opencl/stats/histogram.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK HISTOGRAM_CHUNK
#define BINS  HISTOGRAM_BINS

#define SAMPLES 512 /* pixels that tell where the narrow bins belong */

/* Coarse: pixels that a worker takes at once. All of them may be in one bin, whose count must not
 * overflow. In the fine layout counts have 32 bits. */
#define SLICE_PIXELS (((UINT64_C(1) << HISTOGRAM_COUNT_BITS) - 1) / CHUNK * CHUNK)

static_assert(1 << HISTOGRAM_NARROW_LOG == HISTOGRAM_NARROW_BINS, "the logarithm does not fit");
static_assert(sizeof(struct histogram_fill_args) == 40 &&
                  offsetof(struct histogram_fill_args, shift) == 32,
              "histogram_fill_args is laid out otherwise on the device");

enum clump_status clump_histogram_kernel(clump_context *context, enum clump_type type,
                                         const char *program, const char *name, cl_kernel *kernel)
{
    char options[64];
    const char *text = clump_type_opencl(type);
    snprintf(options, sizeof options, "-DT=%s -DT_%s", text, text);
    return clump_kernel(context, program, options, name, kernel);
}

static enum clump_status kernel_of(const struct histogram *histogram, const char *name,
                                   cl_kernel *kernel)
{
    return clump_histogram_kernel(histogram->context, histogram->image->type, "stats/histogram",
                                  name, kernel);
}

uint64_t clump_histogram_chunks(uint64_t n) { return (n + CHUNK - 1) / CHUNK; }

/* How many slices of bins a pass fills: one per worker, coarse; one in all, fine. */
static uint32_t slices_of(const clump_context *context)
{
    return context->opencl->layout.coarse ? context->opencl->layout.stats_workers : 1;
}

enum clump_status clump_histogram_launch(const struct histogram *histogram, cl_kernel kernel,
                                         uint64_t chunks, const struct clump_arg *args,
                                         unsigned count)
{
    const struct layout *layout = &histogram->context->opencl->layout;
    size_t local = layout->coarse ? 1 : layout->group;
    size_t global = layout->coarse ? layout->stats_workers : (size_t)chunks * local;
    return clump_launch(histogram->context, kernel, 1, &global, &local, args, count);
}

uint64_t clump_histogram_read_key(const struct keys *keys, const void *from, size_t i)
{
    return keys->bits == 32 ? ((const uint32_t *)from)[i] : ((const uint64_t *)from)[i];
}

enum clump_status clump_histogram_out_of_memory(const struct histogram *histogram, size_t bytes)
{
    return clump_fail(&histogram->context->log, CLUMP_ERROR_MEMORY,
                      "statistics: cannot allocate %zu bytes of host memory", bytes);
}

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/*
 * Chooses the window: from the sample's quantile 1/64 to its quantile 63/64 and half as far again
 * on either side. Where narrow bins would have to be as wide as the wide ones there is none. Keys
 * of 8 and 16 bits need none: their wide bins have one value each.
 */
struct histogram_window clump_histogram_window(const struct keys *keys, uint64_t *sample,
                                               size_t count)
{
    unsigned low = keys->bits - 16;
    uint64_t max = clump_keys_max(keys);
    qsort(sample, count, sizeof *sample, compare_keys);
    while (keys->fraction && count > 0 && sample[count - 1] == max)
        count--;
    if (count == 0 || keys->pad > 0)
        return (struct histogram_window){0, 0, 0};
    uint64_t from = sample[count / 64], to = sample[count - 1 - count / 64];
    uint64_t margin = (to - from) / 2;
    from = from > margin ? from - margin : 0;
    to = max - to > margin ? to + margin : max;
    uint32_t shift = 0;
    if (keys->fraction) { /* no narrow bin may hold two exponents */
        from = from >> low << low;
        shift = low - HISTOGRAM_NARROW_LOG;
    }
    while (shift < low && (to - from) >> shift >= HISTOGRAM_NARROW_BINS)
        shift++;
    uint64_t length = (uint64_t)HISTOGRAM_NARROW_BINS << shift;
    if (shift >= low || length - 1 > max - from)
        return (struct histogram_window){0, 0, 0};
    return (struct histogram_window){from, length, shift};
}

/* Samples the image, unless it is small, and chooses the window by the sample. */
static enum clump_status choose_window(struct histogram *histogram, struct histogram_window *window)
{
    const struct keys *keys = &histogram->order.keys;
    clump_context *context = histogram->context;
    uint64_t sample[SAMPLES];
    cl_kernel kernel;
    cl_mem buffer = NULL;
    *window = (struct histogram_window){0, 0, 0};
    if (histogram->n < SAMPLES * 64 || keys->pad > 0)
        return CLUMP_OK;
    enum clump_status status = kernel_of(histogram, "histogram_sample", &kernel);
    if (!status)
        status = clump_buffer_borrow(context, sizeof sample, &buffer);
    if (!status)
        status = clump_launch_flat(context, kernel, SAMPLES,
                                   CLUMP_ARGS(clump_arg_part(histogram->image, SAMPLES),
                                              CLUMP_ARG(histogram->n), CLUMP_ARG(buffer)));
    void *mapped = NULL;
    size_t bytes = SAMPLES * keys->bits / 8;
    if (!status)
        status = clump_buffer_map(context, buffer, CLUMP_IMAGE_READ, bytes, &mapped);
    if (!status) {
        for (size_t i = 0; i < SAMPLES; i++)
            sample[i] = clump_histogram_read_key(keys, mapped, i);
        status = clump_buffer_unmap(context, buffer, mapped);
        *window = clump_histogram_window(keys, sample, SAMPLES);
    }
    clump_buffer_return(context, &buffer);
    return status;
}

/* The scratch memory of a pass that fills the bins. */
struct pass {
    cl_mem slices, total, range;
    size_t slice_bytes, total_bytes, range_bytes;
    uint64_t band; /* pixels per launch */
};

static void end_pass(const struct histogram *histogram, struct pass *pass)
{
    clump_buffer_return(histogram->context, &pass->slices);
    clump_buffer_return(histogram->context, &pass->total);
    clump_buffer_return(histogram->context, &pass->range);
}

/* Bytes of a bin in a slice. */
static size_t cell_bytes(const struct histogram *histogram)
{
    bool coarse = histogram->context->opencl->layout.coarse;
    if (histogram->order.keys.bits == 32)
        return coarse ? HISTOGRAM_COARSE_BYTES_32 : HISTOGRAM_FINE_BYTES_32;
    return coarse ? HISTOGRAM_COARSE_BYTES_64 : HISTOGRAM_FINE_BYTES_64;
}

static enum clump_status begin_pass(const struct histogram *histogram, struct pass *pass)
{
    const struct opencl *opencl = histogram->context->opencl;
    unsigned bits = histogram->order.keys.bits;
    size_t words = bits == 32 ? HISTOGRAM_WORDS_32 : HISTOGRAM_WORDS_64;
    uint32_t slices = slices_of(histogram->context);
    uint64_t most = opencl->bounds.table_pixels; /* histogram_merge adds up all slices */
    if (opencl->layout.coarse && slices * SLICE_PIXELS < most)
        most = slices * SLICE_PIXELS;
    *pass = (struct pass){.slice_bytes = slices * BINS * cell_bytes(histogram),
                          .total_bytes = BINS * sizeof(uint64_t) * words,
                          .band = histogram->n < most ? histogram->n : most};
    pass->range_bytes = (size_t)clump_histogram_chunks(pass->band) * 2 * bits / 8;
    enum clump_status status =
        clump_buffer_borrow(histogram->context, pass->slice_bytes, &pass->slices);
    if (!status)
        status = clump_buffer_borrow(histogram->context, pass->total_bytes, &pass->total);
    if (!status)
        status = clump_buffer_borrow(histogram->context, pass->range_bytes, &pass->range);
    if (status)
        end_pass(histogram, pass);
    return status;
}

/* Enqueues the pass over n pixels from number `first` on. */
static enum clump_status run_pass(const struct histogram *histogram, const struct pass *pass,
                                  const struct histogram_window *window, uint64_t first, uint64_t n)
{
    cl_kernel fill, merge;
    uint32_t slices = slices_of(histogram->context);
    struct histogram_fill_args args = {.first = first,
                                       .n = n,
                                       .base = window->base,
                                       .length = window->length,
                                       .shift = window->shift};
    enum clump_status status = kernel_of(histogram, "histogram_fill", &fill);
    if (!status)
        status = kernel_of(histogram, "histogram_merge", &merge);
    if (!status && !histogram->context->opencl->layout.coarse)
        status = clump_buffer_fill(histogram->context, pass->slices, 0, pass->slice_bytes);
    if (!status)
        status =
            clump_histogram_launch(histogram, fill, clump_histogram_chunks(n),
                                   CLUMP_ARGS(CLUMP_ARG_IMAGE(histogram->image), CLUMP_ARG(args),
                                              CLUMP_ARG(pass->slices), CLUMP_ARG(pass->range)));
    if (!status)
        status = clump_launch_flat(histogram->context, merge, BINS,
                                   CLUMP_ARGS(CLUMP_ARG(pass->slices), CLUMP_ARG(slices),
                                              CLUMP_ARG(pass->total)));
    return status;
}

static void add_band(const struct keys *keys, const uint64_t *band, struct exact_sums_bin *added)
{
    struct histogram_totals totals = {.band = band};
    for (size_t b = 0; b < BINS; b++) {
        if (clump_histogram_list_empty(&totals, b))
            continue;
        struct exact_sums_bin sums = clump_histogram_list_total(keys, &totals, b);
        added[b].count += sums.count;
        added[b].d += sums.d;
        added[b].square += sums.square;
        added[b].square_high += sums.square_high;
    }
}

/* Keeps the extreme keys of a band's chunks, and the first chunks that have them. */
static void add_range(struct histogram *histogram, const void *range, uint64_t first, uint64_t n)
{
    const struct keys *keys = &histogram->order.keys;
    uint64_t blank = keys->fraction != 0, chunks = clump_histogram_chunks(n);
    for (size_t c = 0; c < chunks; c++) {
        uint64_t least = clump_histogram_read_key(keys, range, 2 * c),
                 past = clump_histogram_read_key(keys, range, 2 * c + 1);
        if (blank && past == 0)
            continue; /* nothing but blank pixels */
        if (histogram->least_chunk == UINT64_MAX || least < histogram->least) {
            histogram->least = least;
            histogram->least_chunk = first / CHUNK + c;
        }
        if (histogram->most_chunk == UINT64_MAX || past - blank > histogram->most) {
            histogram->most = past - blank;
            histogram->most_chunk = first / CHUNK + c;
        }
    }
}

/* Runs the pass over one band, and keeps its extremes and its totals. */
static enum clump_status fill_band(struct histogram *histogram, const struct pass *pass,
                                   const struct histogram_window *window, uint64_t first,
                                   struct histogram_totals *totals)
{
    clump_context *context = histogram->context;
    uint64_t n = histogram->n - first < pass->band ? histogram->n - first : pass->band;
    void *total = NULL, *range = NULL;
    enum clump_status status = run_pass(histogram, pass, window, first, n);
    if (!status)
        status =
            clump_buffer_map(context, pass->range, CLUMP_IMAGE_READ, pass->range_bytes, &range);
    if (status)
        return status;
    add_range(histogram, range, first, n);
    status = clump_buffer_unmap(context, pass->range, range);
    if (!status)
        status =
            clump_buffer_map(context, pass->total, CLUMP_IMAGE_READ, pass->total_bytes, &total);
    totals->band = total;
    if (!status && totals->added) {
        add_band(&histogram->order.keys, total, totals->added);
        totals->band = NULL;
        status = clump_buffer_unmap(context, pass->total, total);
    }
    return status;
}

enum clump_status clump_histogram_fill(struct histogram *histogram,
                                       const struct histogram_window *window, histogram_take *take)
{
    struct pass pass;
    struct histogram_totals totals = {.band = NULL};
    enum clump_status status = begin_pass(histogram, &pass);
    if (status)
        return status;
    histogram->least_chunk = histogram->most_chunk = UINT64_MAX;
    if (pass.band < histogram->n && !(totals.added = calloc(BINS, sizeof *totals.added)))
        status = clump_histogram_out_of_memory(histogram, BINS * sizeof *totals.added);
    for (uint64_t first = 0; first < histogram->n && !status; first += pass.band)
        status = fill_band(histogram, &pass, window, first, &totals);
    if (!status && !take(histogram, window, &totals))
        status = clump_histogram_out_of_memory(histogram, 2 * histogram->order.room *
                                                              sizeof *histogram->order.bin);
    if (totals.band) {
        enum clump_status unmapped =
            clump_buffer_unmap(histogram->context, pass.total, (void *)totals.band);
        status = status ? status : unmapped;
    }
    free(totals.added);
    end_pass(histogram, &pass);
    return status;
}

/* Fails unless every pixel is in a bin or blank. */
static enum clump_status check_count(const struct histogram *histogram)
{
    return clump_check_count(histogram->context, "statistics", "pixels in all bins",
                             histogram->order.pixels + histogram->blank, histogram->n);
}

enum clump_status clump_histogram_open(clump_context *context, const clump_image *image,
                                       struct histogram *histogram)
{
    struct histogram_window window;
    *histogram =
        (struct histogram){.context = context, .image = image, .n = image->rows * image->cols};
    histogram->order.keys = clump_keys(image->type);
    enum clump_status status = choose_window(histogram, &window);
    if (!status)
        status = clump_histogram_fill(histogram, &window, clump_histogram_list_bins);
    if (!status && histogram->order.count == 0 && histogram->blank < histogram->n) {
        clump_fall_back(context,
                        "statistics: a bin wraps around from the highest keys to the lowest: the "
                        "histogram is made again");
        status = clump_histogram_fill(histogram, &(struct histogram_window){0, 0, 0},
                                      clump_histogram_list_bins);
    }
    if (status)
        return status;
    clump_order_index(&histogram->order);
    return check_count(histogram);
}

enum clump_status clump_histogram_split(struct histogram *histogram, size_t bin)
{
    const struct order_bin *old = &histogram->order.bin[bin];
    uint32_t shift = 0;
    while ((old->last - old->first) >> shift >= HISTOGRAM_NARROW_BINS)
        shift++;
    histogram->split = bin;
    enum clump_status status =
        clump_histogram_fill(histogram,
                             &(struct histogram_window){old->first, old->last - old->first + 1,
                                                        shift},
                             clump_histogram_list_split);
    return status ? status : check_count(histogram);
}

void clump_histogram_close(struct histogram *histogram)
{
    while (histogram->gathered) {
        struct histogram_keys *next = histogram->gathered->next;
        free(histogram->gathered);
        histogram->gathered = next;
    }
    clump_order_destroy(&histogram->order);
}
