/* SPDX-License-Identifier: MIT */
/* The bins that a pass has filled, as bins of histogram->order: those that have pixels. */
#include "opencl/stats/histogram.h"

#include <stdlib.h>
#include <string.h>

#define BINS HISTOGRAM_BINS

bool clump_histogram_list_empty(const struct histogram_totals *totals, size_t bin)
{
    return (totals->added ? totals->added[bin].count : totals->band[bin]) == 0;
}

struct exact_sums_bin clump_histogram_list_total(const struct keys *keys,
                                                 const struct histogram_totals *totals, size_t bin)
{
    const uint64_t *t = totals->band + bin;
    if (totals->added)
        return totals->added[bin];
    if (keys->bits == 32)
        return (struct exact_sums_bin){.count = t[0], .d = t[BINS], .square = t[2 * BINS]};
    return (struct exact_sums_bin){.count = t[0],
                                   .d = ((uint128)t[BINS] << 32) + t[2 * BINS],
                                   .square = ((uint128)t[4 * BINS] << 32) + t[3 * BINS],
                                   .square_high = t[5 * BINS]};
}

/*
 * If all pixels of a bin have the same key, says so in the bin. They do if d = S(d) / n is whole
 * and S(d^2) = n d^2, because the variance of d is then 0. Products stay below 2^128 while n <
 * 2^32.
 */
static void make_uniform(struct order_bin *bin)
{
    const struct exact_sums_bin *sums = &bin->sums;
    uint128 d = sums->d / sums->count;
    if (sums->count >> 32 || d * sums->count != sums->d ||
        d * d * sums->count != sums->square + (sums->square_high << 64))
        return;
    bin->first = bin->last = sums->key + (uint64_t)d;
    bin->sums = (struct exact_sums_bin){bin->first, sums->count, 0, 0, 0};
}

/* Appends a bin. Distances d are counted from `key`; the keys lie from `first` to `last`. */
static bool append(struct order *order, uint64_t key, uint64_t first, uint64_t last,
                   struct exact_sums_bin sums)
{
    if (order->count == order->room) {
        size_t room = order->room ? 2 * order->room : 4096;
        struct order_bin *more = realloc(order->bin, room * sizeof *more);
        if (!more)
            return false;
        order->bin = more;
        order->room = room;
    }
    struct order_bin *bin = &order->bin[order->count++];
    *bin = (struct order_bin){.sums = sums, .first = first, .last = last};
    bin->sums.key = key;
    make_uniform(bin);
    return true;
}

/*
 * Tells whether a wide bin with pixels wraps around from the highest keys to the lowest. Its sums
 * are then of no use, and the histogram must be made again with base 0.
 */
static bool is_torn(const struct keys *keys, const struct histogram_window *window,
                    const struct histogram_totals *totals)
{
    unsigned low = keys->bits - 16;
    uint64_t last = clump_keys_max(keys) - window->base;
    return (last + 1) & ((UINT64_C(1) << low) - 1) &&
           !clump_histogram_list_empty(totals, (size_t)(last >> low));
}

/* Appends the narrow bins that have pixels. */
static bool list_narrow(struct order *order, const struct histogram_window *window,
                        const struct histogram_totals *totals)
{
    bool fits = true;
    for (size_t b = 0; b < HISTOGRAM_NARROW_BINS && fits; b++) {
        if (clump_histogram_list_empty(totals, HISTOGRAM_WIDE_BINS + b))
            continue;
        uint64_t key = window->base + ((uint64_t)b << window->shift);
        uint64_t last = key + ((UINT64_C(1) << window->shift) - 1);
        uint64_t end = window->base + (window->length - 1); /* the last bin may be cut off there */
        fits = append(order, key, key, last < end ? last : end,
                      clump_histogram_list_total(&order->keys, totals, HISTOGRAM_WIDE_BINS + b));
    }
    return fits;
}

/* Appends the wide bins from `first` to `past` - 1 that have pixels. */
static bool list_wide(struct order *order, const struct histogram_window *window,
                      const struct histogram_totals *totals, size_t first, size_t past)
{
    unsigned low = order->keys.bits - 16;
    uint64_t max = clump_keys_max(&order->keys);
    bool fits = true;
    for (size_t b = first; b < past && fits; b++) {
        if (clump_histogram_list_empty(totals, b))
            continue;
        uint64_t key = (window->base + ((uint64_t)b << low)) & max;
        uint64_t from = b == 0 && window->length < UINT64_C(1) << low ? key + window->length : key;
        fits = append(order, key, from, key + ((UINT64_C(1) << low) - 1),
                      clump_histogram_list_total(&order->keys, totals, b));
    }
    return fits;
}

/* Lists the bins that have pixels in the order of their keys. Bin 0 starts at the base, so the bins
 * after the one with the highest keys have the lowest keys, and come first. */
bool clump_histogram_list_bins(struct histogram *histogram, const struct histogram_window *window,
                               const struct histogram_totals *totals)
{
    struct order *order = &histogram->order;
    unsigned low = order->keys.bits - 16;
    uint64_t last = clump_keys_max(&order->keys) - window->base;
    size_t turn = (size_t)(last >> low) + 1; /* wide bins from here on lie below the base */
    order->count = 0;
    if (is_torn(&order->keys, window, totals))
        return true; /* with no bins: clump_histogram_open notices */
    histogram->blank =
        order->keys.fraction ? clump_histogram_list_total(&order->keys, totals, turn - 1).count : 0;
    return list_wide(order, window, totals, turn, HISTOGRAM_WIDE_BINS) &&
           list_narrow(order, window, totals) &&
           list_wide(order, window, totals, 0, turn - (order->keys.fraction != 0));
}

/* Puts the narrow bins in the place of the bin that is being split. */
bool clump_histogram_list_split(struct histogram *histogram, const struct histogram_window *window,
                                const struct histogram_totals *totals)
{
    struct order old = histogram->order, *order = &histogram->order;
    order->bin = NULL;
    order->count = order->room = 0;
    order->room = old.count + HISTOGRAM_NARROW_BINS;
    order->bin = malloc(order->room * sizeof *order->bin);
    if (!order->bin) {
        *order = old;
        return false;
    }
    size_t after = old.count - histogram->split - 1;
    memcpy(order->bin, old.bin, histogram->split * sizeof *order->bin);
    order->count = histogram->split;
    list_narrow(order, window, totals); /* there is room */
    memcpy(order->bin + order->count, old.bin + histogram->split + 1, after * sizeof *order->bin);
    order->count += after;
    free(old.bin);
    clump_order_index(order);
    return true;
}
