/* SPDX-License-Identifier: MIT */
/* Tables of some rows of an image (src/bands/tables.h), by the passes of the key histogram. */
#include "opencl/stats/histogram.h"

#include <assert.h>

#include "bands/tables.h"

static_assert(BANDS_WIDE == HISTOGRAM_WIDE_BINS && BANDS_NARROW == HISTOGRAM_NARROW_BINS,
              "bands have the bins of the histogram");

static struct histogram open_rows(clump_context *context, const clump_image *image)
{
    return (struct histogram){.context = context,
                              .image = image,
                              .n = image->rows * image->cols,
                              .order = {.keys = clump_keys(image->type)}};
}

/* Adds the totals of a pass to the bins of the whole image. */
static bool add_totals(struct histogram *histogram, const struct histogram_window *window,
                       const struct histogram_totals *totals)
{
    struct bands_bin *bins = histogram->into;
    (void)window;
    for (size_t b = 0; b < BANDS_BINS; b++) {
        if (clump_histogram_list_empty(totals, b))
            continue;
        struct exact_sums_bin sums = clump_histogram_list_total(&histogram->order.keys, totals, b);
        histogram->blank += sums.count; /* all pixels, here */
        bins[b].count += sums.count;
        bins[b].d += sums.d;
        bins[b].low += sums.square;
        bins[b].high += sums.square_high;
    }
    return true;
}

enum clump_status clump_opencl_bands_fill(clump_context *context, const clump_image *image,
                                          const struct bands_window *window, struct bands_bin *bins,
                                          struct bands_extremes *extremes)
{
    struct histogram histogram = open_rows(context, image);
    struct histogram_place place = {0, 0};
    const struct histogram_window narrow = {window->base, window->length, window->shift};
    histogram.into = bins;
    enum clump_status status = clump_histogram_fill(&histogram, &narrow, add_totals);
    if (!status)
        status =
            clump_check_count(context, "bands", "pixels in all bins", histogram.blank, histogram.n);
    bool any = histogram.least_chunk != UINT64_MAX;
    if (!status && extremes && any)
        status = clump_histogram_seek_extremes(&histogram, &place);
    if (!status && extremes)
        *extremes =
            (struct bands_extremes){any, histogram.least, histogram.most, place.least, place.most};
    return status;
}

enum clump_status clump_opencl_bands_gather(clump_context *context, const clump_image *image,
                                            const struct bands_intervals *intervals,
                                            struct bands_keys *keys)
{
    struct histogram histogram = open_rows(context, image);
    size_t room = keys->room - keys->count, n = 0;
    if (!room || !intervals->count)
        return CLUMP_OK;
    room = room < histogram.n ? room : (size_t)histogram.n;
    histogram.order = *(const struct order *)intervals->order;
    enum clump_status status =
        clump_histogram_gather(&histogram, intervals->bounds, intervals->count, room,
                               keys->key + keys->count, &n);
    if (status)
        return status;
    if (n > room)
        return clump_check_count(context, "bands", "keys of the wanted bins", n, room);
    keys->count += n;
    return CLUMP_OK;
}

enum clump_status clump_opencl_bands_seek(clump_context *context, const clump_image *image,
                                          struct bands_places *places)
{
    struct histogram histogram = open_rows(context, image);
    struct histogram_place place;
    bool has[2];
    enum clump_status status =
        clump_histogram_seek_any(&histogram, places->least, places->most, &place, has);
    if (status)
        return status;
    *places =
        (struct bands_places){places->least, places->most, has[0], has[1], place.least, place.most};
    return CLUMP_OK;
}
