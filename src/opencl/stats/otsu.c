/* SPDX-License-Identifier: MIT */
#include "opencl/stats/histogram.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "stats/otsu.h"

#define BINS OTSU_BINS

#define GROUPS 256 /* fine: work-groups of a launch */

static_assert(sizeof(struct otsu_steps_float) == 7 * sizeof(float) &&
                  sizeof(struct otsu_steps_double) == 7 * sizeof(double),
              "otsu_steps is laid out otherwise on the device");

struct launch {
    size_t global, local;
    size_t slices; /* how many ranges, or sets of counts, the launch leaves */
};

static struct launch launch_of(const clump_context *context, bool counts)
{
    const struct layout *layout = &context->opencl->layout;
    if (layout->coarse)
        return (struct launch){layout->workers, 1, layout->workers};
    return (struct launch){(size_t)GROUPS * layout->group, layout->group, counts ? 1 : GROUPS};
}

/* Finds the extreme keys of a float image. *any becomes false if every pixel is blank. */
static enum clump_status find_range(clump_context *context, const clump_image *image, bool *any,
                                    uint64_t *least, uint64_t *most)
{
    struct keys keys = clump_keys(image->type);
    struct launch launch = launch_of(context, false);
    uint64_t n = image->rows * image->cols;
    size_t bytes = launch.slices * 2 * keys.bits / 8;
    cl_kernel kernel;
    cl_mem buffer = NULL;
    void *range = NULL;
    enum clump_status status =
        clump_histogram_kernel(context, image->type, "stats/otsu", "otsu_range", &kernel);
    if (!status)
        status = clump_buffer_borrow(context, bytes, &buffer);
    if (!status)
        status = clump_launch(context, kernel, 1, &launch.global, &launch.local,
                              CLUMP_ARGS(CLUMP_ARG_IMAGE(image), CLUMP_ARG(n), CLUMP_ARG(buffer)));
    if (!status)
        status = clump_buffer_map(context, buffer, CLUMP_IMAGE_READ, bytes, &range);
    if (!status) {
        uint64_t past = 0;
        *least = UINT64_MAX;
        for (size_t i = 0; i < launch.slices; i++) {
            uint64_t low = clump_histogram_read_key(&keys, range, 2 * i);
            uint64_t high = clump_histogram_read_key(&keys, range, 2 * i + 1);
            *least = low < *least ? low : *least;
            past = high > past ? high : past;
        }
        *any = past > 0;
        *most = past - 1;
        status = clump_buffer_unmap(context, buffer, range);
    }
    clump_buffer_return(context, &buffer);
    return status;
}

/* The bins that numpy.histogram makes of the scaled image, in the arithmetic of its type. */
struct bins256 {
    double edges[BINS + 1], centres[BINS], counts[BINS];
    float narrow[BINS + 1]; /* the edges as floats */
    struct otsu_steps_double steps;
    struct otsu_steps_float narrow_steps;
};

static double rounded(double value, bool single) { return single ? (double)(float)value : value; }

static void make_bins(double least, double most, int exponent, bool single, struct bins256 *bins)
{
    double first = rounded(ldexp(least, -exponent), single);
    double last = rounded(ldexp(most, -exponent), single);
    double range = rounded(last - first, single), step = (last - first) / BINS;
    for (int i = 0; i <= BINS; i++)
        bins->edges[i] = rounded(i < BINS ? i * step + first : last, single);
    for (int i = 0; i <= BINS; i++)
        bins->narrow[i] = (float)bins->edges[i];
    for (int i = 0; i < BINS; i++) {
        double sum = rounded(bins->edges[i] + bins->edges[i + 1], single);
        bins->centres[i] = rounded(sum / 2, single);
        bins->counts[i] = 0;
    }
    /*
     * The number of a bin is off by four roundings of a number up to 256; an edge is off by half a
     * unit in the last place of a number up to 1, in bins that are `step` wide. The slack is more
     * than both. See docs/statistics.md, "Otsu's edges".
     */
    double unit = single ? 0x1p-24 : 0x1p-53, norm = rounded(BINS / range, single);
    bins->steps = (struct otsu_steps_double){
        .least = least,
        .rate = rounded(ldexp(norm, -exponent), single),
        .slack = rounded(6 * BINS * unit + unit / step, single),
        .scale = ldexp(1, -exponent / 2), /* two factors, because one may overflow a float */
        .again = ldexp(1, -exponent - -exponent / 2),
        .first = first,
        .norm = norm};
    bins->narrow_steps =
        (struct otsu_steps_float){(float)bins->steps.least, (float)bins->steps.rate,
                                  (float)bins->steps.slack, (float)bins->steps.scale,
                                  (float)bins->steps.again, (float)bins->steps.first,
                                  (float)bins->steps.norm};
}

static struct clump_arg steps_arg(const struct bins256 *bins, bool single)
{
    return single ? CLUMP_ARG(bins->narrow_steps) : CLUMP_ARG(bins->steps);
}

/* Sends the edges without waiting: `bins` must stay where it is until counts have been read. */
static enum clump_status send_edges(clump_context *context, const struct bins256 *bins, bool single,
                                    cl_mem buffer)
{
    return clump_buffer_send(context, buffer, single ? (const void *)bins->narrow : bins->edges,
                             single ? sizeof bins->narrow : sizeof bins->edges);
}

/* Counts n pixels from number `start` on, and adds them to the bins. */
static enum clump_status count_band(clump_context *context, const clump_image *image,
                                    uint64_t start, uint64_t n, cl_mem edges, cl_mem counts,
                                    struct bins256 *bins)
{
    bool single = image->type == CLUMP_F32, coarse = context->opencl->layout.coarse;
    struct launch launch = launch_of(context, true);
    size_t bytes = launch.slices * OTSU_SLICE * sizeof(uint32_t);
    cl_kernel kernel;
    void *mapped;
    enum clump_status status =
        clump_histogram_kernel(context, image->type, "stats/otsu", "otsu_count", &kernel);
    if (!status && !coarse)
        status = clump_buffer_fill(context, counts, 0, bytes);
    if (!status)
        status =
            clump_launch(context, kernel, 1, &launch.global, &launch.local,
                         CLUMP_ARGS(CLUMP_ARG_IMAGE(image), CLUMP_ARG(start), CLUMP_ARG(n),
                                    steps_arg(bins, single), CLUMP_ARG(edges), CLUMP_ARG(counts)));
    if (!status)
        status = clump_buffer_map(context, counts, CLUMP_IMAGE_READ, bytes, &mapped);
    if (status)
        return status;
    uint64_t pixels = 0;
    for (size_t s = 0; s < launch.slices; s++)
        for (size_t b = 0; b <= BINS; b++) {
            uint32_t count = ((const uint32_t *)mapped)[s * OTSU_SLICE + b];
            pixels += count;
            if (b < BINS) /* the last count is of blank pixels */
                bins->counts[b] += count;
        }
    status = clump_buffer_unmap(context, counts, mapped);
    return status ? status : clump_check_count(context, "otsu", "pixels in all bins", pixels, n);
}

static enum clump_status count_floats(clump_context *context, const clump_image *image,
                                      struct bins256 *bins)
{
    cl_mem edges = NULL, counts = NULL;
    bool single = image->type == CLUMP_F32;
    size_t slices = launch_of(context, true).slices;
    uint64_t n = image->rows * image->cols, band = context->opencl->bounds.otsu_pixels;
    enum clump_status status = clump_buffer_borrow(context, sizeof bins->edges, &edges);
    if (!status)
        status = clump_buffer_borrow(context, slices * OTSU_SLICE * sizeof(uint32_t), &counts);
    if (!status)
        status = send_edges(context, bins, single, edges);
    for (uint64_t start = 0; start < n && !status; start += band)
        status = count_band(context, image, start, n - start < band ? n - start : band, edges,
                            counts, bins);
    if (status) /* the edges may still be on their way to the device */
        clump_opencl_finish(context);
    clump_buffer_return(context, &counts);
    clump_buffer_return(context, &edges);
    return status;
}

/*
 * The centre of the last bin of the lower class where the variance between the classes has its
 * first maximum, as scikit-image computes it. NaN counts as the greatest variance, as for
 * numpy.argmax. `above` is scratch memory for as many numbers as there are bins.
 */
static double best_centre(const double *counts, const double *centres, size_t bins, double *above)
{
    double weight = 0, sum = 0, total = 0, greatest = -1;
    size_t best = 0;
    for (size_t i = bins; i-- > 0;) {
        total += counts[i];
        sum += counts[i] * centres[i];
        above[i] = sum / total;
    }
    sum = 0;
    for (size_t i = 0; i + 1 < bins; i++) {
        weight += counts[i];
        sum += counts[i] * centres[i];
        double gap = sum / weight - above[i + 1];
        double variance = weight * (total - weight) * (gap * gap);
        if (isnan(variance))
            return centres[i];
        if (variance > greatest) {
            greatest = variance;
            best = i;
        }
    }
    return centres[best];
}

static enum clump_status otsu_float(clump_context *context, const clump_image *image,
                                    double *threshold)
{
    struct keys keys = clump_keys(image->type);
    struct bins256 bins;
    double above[BINS];
    uint64_t low = 0, high = 0;
    bool any = false;
    int exponent;
    enum clump_status status = find_range(context, image, &any, &low, &high);
    if (status)
        return status;
    if (!any)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "otsu: every pixel is blank (NaN); at least one must be a number");
    double least = clump_keys_value(&keys, low), most = clump_keys_value(&keys, high);
    if (isinf(least) || isinf(most))
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "otsu: the image has infinite pixels, and bins need a finite range; "
                          "replace them by finite values or NaN");
    if (least == most) {
        *threshold = least;
        return CLUMP_OK;
    }
    frexp(fmax(fabs(least), fabs(most)), &exponent);
    make_bins(least, most, exponent, image->type == CLUMP_F32, &bins);
    status = count_floats(context, image, &bins);
    if (!status)
        *threshold = ldexp(best_centre(bins.counts, bins.centres, BINS, above), exponent);
    return status;
}

/* Lists the values that occur and how often, from bins of one key and from the keys of the others.
 * Returns how many values there are. */
static size_t list_values(const struct order *order, double *counts, double *centres)
{
    size_t values = 0;
    for (size_t i = 0; i < order->count; i++) {
        const struct order_bin *bin = &order->bin[i];
        for (uint64_t j = 0; j < (bin->keys ? bin->sums.count : 1); j++) {
            uint64_t key = bin->keys ? bin->keys[j] : bin->first;
            double one = bin->keys ? 1 : (double)bin->sums.count;
            if (j > 0 && key == bin->keys[j - 1]) {
                counts[values - 1]++;
                continue;
            }
            centres[values] = clump_keys_value(&order->keys, key);
            counts[values++] = one;
        }
    }
    return values;
}

static enum clump_status otsu_integer(clump_context *context, const clump_image *image,
                                      double *threshold)
{
    struct histogram histogram;
    double *memory = NULL;
    enum clump_status status = clump_histogram_open(context, image, &histogram);
    if (!status)
        status = clump_histogram_refine_all(&histogram);
    size_t room = 0;
    for (size_t i = 0; i < histogram.order.count; i++)
        room += histogram.order.bin[i].keys ? (size_t)histogram.order.bin[i].sums.count : 1;
    if (!status && !(memory = malloc(3 * room * sizeof *memory)))
        status = clump_histogram_out_of_memory(&histogram, 3 * room * sizeof *memory);
    if (!status) {
        size_t values = list_values(&histogram.order, memory, memory + room);
        *threshold = best_centre(memory, memory + room, values, memory + 2 * room);
    }
    free(memory);
    clump_histogram_close(&histogram);
    return status;
}

enum clump_status clump_opencl_otsu(clump_context *context, const clump_image *image,
                                    double *threshold)
{
    bool is_float = image->type == CLUMP_F32 || image->type == CLUMP_F64;
    return (is_float ? otsu_float : otsu_integer)(context, image, threshold);
}
