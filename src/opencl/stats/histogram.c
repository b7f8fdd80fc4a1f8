/* SPDX-License-Identifier: MIT */
#include "opencl/stats/histogram.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* As in cl/stats/histogram.cl. */
#define CHUNK       HISTOGRAM_CHUNK
#define NARROW_BINS (1 << HISTOGRAM_NARROW_LOG)
#define WIDE_BINS   65536
#define BINS        (WIDE_BINS + NARROW_BINS)

#define SAMPLES 512
/* A coarse worker takes so many pixels, all of which may be in one bin, whose count has 24 bits; a
 * fine table's counts have 32. */
#define COUNT_BITS   24
#define SLICE_PIXELS (((UINT64_C(1) << COUNT_BITS) - 1) / CHUNK * CHUNK)

union histogram_key clump_histogram_key(const struct keys *keys, uint64_t value)
{
    union histogram_key key = {.wide = value};
    if (keys->bits == 32)
        key.narrow = (uint32_t)value;
    return key;
}

enum clump_status clump_histogram_kernel(clump_context *context, enum clump_type type,
                                         const char *program, const char *name, cl_kernel *kernel)
{
    char options[64];
    const char *text = clump_type_opencl(type);
    snprintf(options, sizeof options, "-DKEYS -DT=%s -DT_%s", text, text);
    return clump_kernel(context, program, options, name, kernel);
}

static enum clump_status kernel_of(const struct histogram *table, const char *name,
                                   cl_kernel *kernel)
{
    return clump_histogram_kernel(table->context, table->image->type, "stats/histogram", name,
                                  kernel);
}

/* How many workers share the image, coarse, or groups one chunk each, fine. */
static uint32_t workers_of(const clump_context *context)
{
    return context->opencl->layout.coarse ? context->opencl->layout.stats_workers : 1;
}

enum clump_status clump_histogram_launch(const struct histogram *table, cl_kernel kernel,
                                         uint64_t chunks, const struct clump_arg *args,
                                         unsigned count)
{
    const struct layout *layout = &table->context->opencl->layout;
    size_t local = layout->coarse ? 1 : layout->group;
    size_t global = layout->coarse ? workers_of(table->context) : (size_t)chunks * local;
    return clump_launch(table->context, kernel, 1, &global, &local, args, count);
}

uint64_t clump_histogram_read_key(const struct keys *keys, const void *from, size_t i)
{
    return keys->bits == 32 ? ((const uint32_t *)from)[i] : ((const uint64_t *)from)[i];
}

enum clump_status clump_histogram_out_of_memory(const struct histogram *table, size_t bytes)
{
    return clump_fail(&table->context->log, CLUMP_ERROR_MEMORY,
                      "statistics: no host memory for %zu bytes", bytes);
}

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Where narrow bins serve the image best: around the middle of the sample, if that is narrow. */
static struct window window_of(const struct keys *keys, uint64_t *sample, size_t count)
{
    unsigned low = keys->bits - 16;
    uint64_t max = clump_keys_max(keys);
    qsort(sample, count, sizeof *sample, compare_keys);
    while (keys->fraction && count > 0 && sample[count - 1] == max)
        count--;
    if (count == 0 || keys->pad > 0)
        return (struct window){0, 0, 0};
    uint64_t from = sample[count / 64], to = sample[count - 1 - count / 64];
    uint64_t margin = (to - from) / 2;
    from = from > margin ? from - margin : 0;
    to = max - to > margin ? to + margin : max;
    uint32_t shift = 0;
    if (keys->fraction) { /* a bin holds one sign and exponent */
        from = from >> low << low;
        shift = low - HISTOGRAM_NARROW_LOG;
    }
    while (shift < low && (to - from) >> shift >= NARROW_BINS)
        shift++;
    uint64_t length = (uint64_t)NARROW_BINS << shift;
    if (shift >= low || length - 1 > max - from)
        return (struct window){0, 0, 0};
    return (struct window){from, length, shift};
}

static enum clump_status choose_window(struct histogram *table, struct window *window)
{
    const struct keys *keys = &table->bins.keys;
    clump_context *context = table->context;
    uint64_t sample[SAMPLES];
    cl_kernel kernel;
    cl_mem buffer = NULL;
    *window = (struct window){0, 0, 0};
    if (table->n < SAMPLES * 64 || keys->pad > 0)
        return CLUMP_OK;
    enum clump_status status = kernel_of(table, "histogram_sample", &kernel);
    if (!status)
        status = clump_buffer_borrow(context, sizeof sample, &buffer);
    if (!status)
        status = clump_launch_flat(context, kernel, SAMPLES,
                                   CLUMP_ARGS(clump_arg_part(table->image, SAMPLES),
                                              CLUMP_ARG(table->n), CLUMP_ARG(buffer)));
    void *mapped = NULL;
    size_t bytes = SAMPLES * keys->bits / 8;
    if (!status)
        status = clump_buffer_map(context, buffer, CLUMP_IMAGE_READ, bytes, &mapped);
    if (!status) {
        for (size_t i = 0; i < SAMPLES; i++)
            sample[i] = clump_histogram_read_key(keys, mapped, i);
        status = clump_buffer_unmap(context, buffer, mapped);
        *window = window_of(keys, sample, SAMPLES);
    }
    clump_buffer_return(context, &buffer);
    return status;
}

/* The scratch of a pass that fills a table. */
struct pass {
    cl_mem slices, total, range;
    size_t slice_bytes, total_bytes, range_bytes;
    uint64_t band; /* pixels at a time */
};

static void end_pass(const struct histogram *table, struct pass *pass)
{
    clump_buffer_return(table->context, &pass->slices);
    clump_buffer_return(table->context, &pass->total);
    clump_buffer_return(table->context, &pass->range);
}

static enum clump_status begin_pass(const struct histogram *table, struct pass *pass)
{
    const struct bounds *bounds = &table->context->opencl->bounds;
    bool coarse = table->context->opencl->layout.coarse, narrow = table->bins.keys.bits == 32;
    uint32_t workers = workers_of(table->context);
    size_t cell = coarse ? (narrow ? 16 : 64) : (narrow ? 20 : 44);
    uint64_t most = coarse ? workers * SLICE_PIXELS : bounds->table_pixels;
    *pass = (struct pass){.slice_bytes = workers * BINS * cell,
                          .total_bytes = BINS * sizeof(uint64_t) * (narrow ? 3 : 6),
                          .band = table->n < most ? table->n : most};
    uint64_t chunks = (pass->band + CHUNK - 1) / CHUNK;
    pass->range_bytes = (size_t)chunks * 2 * table->bins.keys.bits / 8;
    enum clump_status status =
        clump_buffer_borrow(table->context, pass->slice_bytes, &pass->slices);
    if (!status)
        status = clump_buffer_borrow(table->context, pass->total_bytes, &pass->total);
    if (!status)
        status = clump_buffer_borrow(table->context, pass->range_bytes, &pass->range);
    if (status)
        end_pass(table, pass);
    return status;
}

/* Enqueues the pass over n pixels from `first`. */
static enum clump_status run_pass(const struct histogram *table, const struct pass *pass,
                                  const struct window *window, uint64_t first, uint64_t n)
{
    const struct keys *keys = &table->bins.keys;
    cl_kernel fill, merge;
    uint32_t workers = workers_of(table->context);
    union histogram_key base = clump_histogram_key(keys, window->base),
                        length = clump_histogram_key(keys, window->length);
    enum clump_status status = kernel_of(table, "histogram_fill", &fill);
    if (!status)
        status = kernel_of(table, "histogram_merge", &merge);
    if (!status && !table->context->opencl->layout.coarse)
        status = clump_buffer_fill(table->context, pass->slices, 0, pass->slice_bytes);
    if (!status)
        status = clump_histogram_launch(
            table, fill, (n + CHUNK - 1) / CHUNK,
            CLUMP_ARGS(CLUMP_ARG_IMAGE(table->image), CLUMP_ARG(first), CLUMP_ARG(n),
                       HISTOGRAM_ARG_KEY(keys, base), HISTOGRAM_ARG_KEY(keys, length),
                       CLUMP_ARG(window->shift), CLUMP_ARG(pass->slices), CLUMP_ARG(pass->range)));
    if (!status)
        status = clump_launch_flat(table->context, merge, BINS,
                                   CLUMP_ARGS(CLUMP_ARG(pass->slices), CLUMP_ARG(workers),
                                              CLUMP_ARG(pass->total)));
    return status;
}

/* All bins' sums: those of a single band as the merge kernel leaves them, or of many added up. */
struct totals {
    const uint64_t *band;
    struct exact_sums_bin *added; /* NULL while there is one band */
};

static bool is_empty(const struct totals *totals, size_t bin)
{
    return (totals->added ? totals->added[bin].count : totals->band[bin]) == 0;
}

static struct exact_sums_bin total_of(const struct keys *keys, const struct totals *totals,
                                      size_t bin)
{
    const uint64_t *t = totals->band + bin;
    if (totals->added)
        return totals->added[bin];
    if (keys->bits == 32)
        return (struct exact_sums_bin){.count = t[0], .d = t[BINS], .square = t[2 * BINS]};
    return (struct exact_sums_bin){.count = t[0],
                                   .d = ((u128)t[BINS] << 32) + t[2 * BINS],
                                   .square = ((u128)t[4 * BINS] << 32) + t[3 * BINS],
                                   .square_high = t[5 * BINS]};
}

static void add_band(const struct keys *keys, const uint64_t *band, struct exact_sums_bin *added)
{
    struct totals totals = {.band = band};
    for (size_t b = 0; b < BINS; b++) {
        if (is_empty(&totals, b))
            continue;
        struct exact_sums_bin sums = total_of(keys, &totals, b);
        added[b].count += sums.count;
        added[b].d += sums.d;
        added[b].square += sums.square;
        added[b].square_high += sums.square_high;
    }
}

/* Notes the extremes of a band's chunks. */
static void add_range(struct histogram *table, const void *range, uint64_t first, uint64_t n)
{
    const struct keys *keys = &table->bins.keys;
    uint64_t blank = keys->fraction != 0, chunks = (n + CHUNK - 1) / CHUNK;
    for (size_t c = 0; c < chunks; c++) {
        uint64_t least = clump_histogram_read_key(keys, range, 2 * c),
                 past = clump_histogram_read_key(keys, range, 2 * c + 1);
        if (blank && past == 0)
            continue; /* nothing but blank pixels */
        if (table->least_chunk == UINT64_MAX || least < table->least) {
            table->least = least;
            table->least_chunk = first / CHUNK + c;
        }
        if (table->most_chunk == UINT64_MAX || past - blank > table->most) {
            table->most = past - blank;
            table->most_chunk = first / CHUNK + c;
        }
    }
}

/* What becomes of a filled table; false when memory is short. */
typedef bool take_totals(struct histogram *table, const struct window *window,
                         const struct totals *totals);

/* One band: fills the table, notes the extremes, and keeps or adds up the totals. */
static enum clump_status fill_band(struct histogram *table, const struct pass *pass,
                                   const struct window *window, uint64_t first,
                                   struct totals *totals)
{
    clump_context *context = table->context;
    uint64_t n = table->n - first < pass->band ? table->n - first : pass->band;
    void *total = NULL, *range = NULL;
    enum clump_status status = run_pass(table, pass, window, first, n);
    if (!status)
        status =
            clump_buffer_map(context, pass->range, CLUMP_IMAGE_READ, pass->range_bytes, &range);
    if (status)
        return status;
    add_range(table, range, first, n);
    status = clump_buffer_unmap(context, pass->range, range);
    if (!status)
        status =
            clump_buffer_map(context, pass->total, CLUMP_IMAGE_READ, pass->total_bytes, &total);
    totals->band = total;
    if (!status && totals->added) {
        add_band(&table->bins.keys, total, totals->added);
        totals->band = NULL;
        status = clump_buffer_unmap(context, pass->total, total);
    }
    return status;
}

/* Fills the table by a pass over all the image and hands its totals on. */
static enum clump_status fill(struct histogram *table, const struct window *window,
                              take_totals *take)
{
    struct pass pass;
    struct totals totals = {.band = NULL};
    enum clump_status status = begin_pass(table, &pass);
    if (status)
        return status;
    table->least_chunk = table->most_chunk = UINT64_MAX;
    if (pass.band < table->n && !(totals.added = calloc(BINS, sizeof *totals.added)))
        status = clump_histogram_out_of_memory(table, BINS * sizeof *totals.added);
    for (uint64_t first = 0; first < table->n && !status; first += pass.band)
        status = fill_band(table, &pass, window, first, &totals);
    if (!status && !take(table, window, &totals))
        status =
            clump_histogram_out_of_memory(table, 2 * table->bins.room * sizeof *table->bins.bin);
    if (totals.band) {
        enum clump_status unmapped =
            clump_buffer_unmap(table->context, pass.total, (void *)totals.band);
        status = status ? status : unmapped;
    }
    free(totals.added);
    end_pass(table, &pass);
    return status;
}

/* A bin all of whose pixels are alike has one key. */
static void narrow(struct order_bin *bin)
{
    const struct exact_sums_bin *sums = &bin->sums;
    u128 d = sums->d / sums->count;
    if (sums->count >> 32 || d * sums->count != sums->d ||
        d * d * sums->count != sums->square + (sums->square_high << 64))
        return;
    bin->first = bin->last = sums->key + (uint64_t)d;
    bin->sums = (struct exact_sums_bin){bin->first, sums->count, 0, 0, 0};
}

/* Adds a bin. Its pixels' d counts from `key`; they lie from `first` to `last`. */
static bool append(struct order *bins, uint64_t key, uint64_t first, uint64_t last,
                   struct exact_sums_bin sums)
{
    if (bins->count == bins->room) {
        size_t room = bins->room ? 2 * bins->room : 4096;
        struct order_bin *more = realloc(bins->bin, room * sizeof *more);
        if (!more)
            return false;
        bins->bin = more;
        bins->room = room;
    }
    struct order_bin *bin = &bins->bin[bins->count++];
    *bin = (struct order_bin){.sums = sums, .first = first, .last = last};
    bin->sums.key = key;
    narrow(bin);
    return true;
}

/* Whether a wide bin has both the greatest and the least keys: the base was badly chosen. */
static bool is_torn(const struct keys *keys, const struct window *window,
                    const struct totals *totals)
{
    unsigned low = keys->bits - 16;
    uint64_t last = clump_keys_max(keys) - window->base;
    return (last + 1) & ((UINT64_C(1) << low) - 1) && !is_empty(totals, (size_t)(last >> low));
}

/* Lists the narrow bins that have pixels. */
static bool list_narrow(struct order *bins, const struct window *window,
                        const struct totals *totals)
{
    bool fits = true;
    for (size_t b = 0; b < NARROW_BINS && fits; b++) {
        if (is_empty(totals, WIDE_BINS + b))
            continue;
        uint64_t key = window->base + ((uint64_t)b << window->shift);
        fits = append(bins, key, key, key + ((UINT64_C(1) << window->shift) - 1),
                      total_of(&bins->keys, totals, WIDE_BINS + b));
    }
    return fits;
}

/* Lists the wide bins from `first` to `past` - 1 that have pixels. */
static bool list_wide(struct order *bins, const struct window *window, const struct totals *totals,
                      size_t first, size_t past)
{
    unsigned low = bins->keys.bits - 16;
    uint64_t max = clump_keys_max(&bins->keys);
    bool fits = true;
    for (size_t b = first; b < past && fits; b++) {
        if (is_empty(totals, b))
            continue;
        uint64_t key = (window->base + ((uint64_t)b << low)) & max;
        uint64_t from = b == 0 && window->length < UINT64_C(1) << low ? key + window->length : key;
        fits = append(bins, key, from, key + ((UINT64_C(1) << low) - 1),
                      total_of(&bins->keys, totals, b));
    }
    return fits;
}

/* Lists the bins that have pixels, in ascending order, which starts at key 0, not at the base. */
static bool list_bins(struct histogram *table, const struct window *window,
                      const struct totals *totals)
{
    struct order *bins = &table->bins;
    unsigned low = bins->keys.bits - 16;
    uint64_t last = clump_keys_max(&bins->keys) - window->base;
    size_t turn = (size_t)(last >> low) + 1; /* wide bins from here on lie below the base */
    bins->count = 0;
    if (is_torn(&bins->keys, window, totals))
        return true; /* clump_histogram_open sees that there are none */
    table->blank = bins->keys.fraction ? total_of(&bins->keys, totals, turn - 1).count : 0;
    return list_wide(bins, window, totals, turn, WIDE_BINS) && list_narrow(bins, window, totals) &&
           list_wide(bins, window, totals, 0, turn - (bins->keys.fraction != 0));
}

/* Every pixel is in a bin, or blank. */
static enum clump_status check_count(const struct histogram *table)
{
    return clump_check_count(table->context, "statistics", "pixels in all bins",
                             table->bins.pixels + table->blank, table->n);
}

enum clump_status clump_histogram_open(clump_context *context, const clump_image *image,
                                       struct histogram *table)
{
    struct window window;
    *table = (struct histogram){.context = context, .image = image, .n = image->rows * image->cols};
    table->bins.keys = clump_keys(image->type);
    enum clump_status status = choose_window(table, &window);
    if (!status)
        status = fill(table, &window, list_bins);
    if (!status && table->bins.count == 0 && table->blank < table->n) {
        clump_fall_back(context, "statistics: keys reach around the table's base: another table");
        status = fill(table, &(struct window){0, 0, 0}, list_bins);
    }
    if (status)
        return status;
    clump_order_index(&table->bins);
    return check_count(table);
}

/* Puts the narrow bins in the place of the one that is being split. */
static bool replace_split(struct histogram *table, const struct window *window,
                          const struct totals *totals)
{
    struct order old = table->bins, *bins = &table->bins;
    bins->bin = NULL;
    bins->count = bins->room = 0;
    bins->room = old.count + NARROW_BINS;
    bins->bin = malloc(bins->room * sizeof *bins->bin);
    if (!bins->bin) {
        *bins = old;
        return false;
    }
    size_t after = old.count - table->split - 1;
    memcpy(bins->bin, old.bin, table->split * sizeof *bins->bin);
    bins->count = table->split;
    list_narrow(bins, window, totals); /* there is room */
    memcpy(bins->bin + bins->count, old.bin + table->split + 1, after * sizeof *bins->bin);
    bins->count += after;
    free(old.bin);
    clump_order_index(bins);
    return true;
}

enum clump_status clump_histogram_split(struct histogram *table, size_t bin)
{
    const struct order_bin *old = &table->bins.bin[bin];
    uint32_t shift = 0;
    while ((old->last - old->first) >> shift >= NARROW_BINS)
        shift++;
    table->split = bin;
    enum clump_status status =
        fill(table, &(struct window){old->first, old->last - old->first + 1, shift}, replace_split);
    return status ? status : check_count(table);
}

void clump_histogram_close(struct histogram *table)
{
    while (table->gathered) {
        struct histogram_keys *next = table->gathered->next;
        free(table->gathered);
        table->gathered = next;
    }
    clump_order_destroy(&table->bins);
}
