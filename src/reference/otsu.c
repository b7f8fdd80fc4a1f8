/* SPDX-License-Identifier: MIT */
#include "reference/reference.h"

#include <math.h>
#include <stdlib.h>

#include "reference/pixel.h"
#include "reference/sorted.h"

#define BINS 256

/* The bins that are not empty, in rising order of their centres; integers have one bin per value.
 */
struct histogram {
    uint64_t bins;
    double *counts, *centres;
};

/*
 * scikit-image's search: weights and means of the two classes for a cut after each bin, summed
 * from either end in double; the first maximum, or the first that is not a number. Empty bins
 * in between change none of the sums.
 */
static double best_cut(const struct histogram *h, double *mean2)
{
    uint64_t last = h->bins - 1, best = 0;
    double weight2 = 0, sum2 = 0, weight1 = 0, sum1 = 0, total = 0, greatest = -1;
    for (uint64_t i = last + 1; i--;) {
        weight2 += h->counts[i];
        sum2 += h->counts[i] * h->centres[i];
        mean2[i] = sum2 / weight2;
    }
    total = weight2;
    for (uint64_t i = 0; i < last; i++) {
        weight1 += h->counts[i];
        sum1 += h->counts[i] * h->centres[i];
        double gap = sum1 / weight1 - mean2[i + 1];
        double variance = weight1 * (total - weight1) * (gap * gap);
        if (isnan(variance))
            return h->centres[i];
        if (variance > greatest) {
            greatest = variance;
            best = i;
        }
    }
    return h->centres[best];
}

/* One bin for each value that occurs. */
static void count_integers(const struct clump_sorted *sample, struct histogram *h)
{
    for (uint64_t i = 0; i < sample->count; i++) {
        double centre = (double)sample->values[i];
        if (i == 0 || sample->values[i] != sample->values[i - 1]) {
            h->centres[h->bins] = centre;
            h->counts[h->bins++] = 0;
        }
        h->counts[h->bins - 1]++;
    }
}

/* The bin of a value between the edges, found as numpy.histogram finds it. */
static int bin_of(double value, double index, const double *edges)
{
    int bin = (int)index;
    if (bin == BINS)
        bin--;
    if (value < edges[bin])
        bin--;
    if (value >= edges[bin + 1] && bin != BINS - 1)
        bin++;
    return bin;
}

/* A value times 2^scale, rounded to the type. */
static double scaled(long double value, int scale, bool single)
{
    value = ldexpl(value, scale);
    return single ? (double)(float)value : (double)value;
}

/* numpy.histogram with 256 bins, in the arithmetic of a float32 or float64 array. */
static void count_floats(const struct clump_sorted *sample, enum clump_type type, int scale,
                         struct histogram *h)
{
    bool single = type == CLUMP_F32;
    double first = scaled(sample->values[0], scale, single), edges[BINS + 1];
    double last = scaled(sample->values[sample->count - 1], scale, single);
    double range = single ? (double)((float)last - (float)first) : last - first;
    double norm = single ? (double)(float)(BINS / range) : BINS / range;
    double step = (last - first) / BINS;
    for (int i = 0; i <= BINS; i++) {
        double edge = i < BINS ? i * step + first : last;
        edges[i] = single ? (double)(float)edge : edge;
    }
    h->bins = BINS;
    for (int i = 0; i < BINS; i++) {
        h->counts[i] = 0;
        h->centres[i] = single ? (double)(((float)edges[i] + (float)edges[i + 1]) / 2)
                               : (edges[i] + edges[i + 1]) / 2;
    }
    for (uint64_t i = 0; i < sample->count; i++) {
        double value = scaled(sample->values[i], scale, single);
        double index =
            single ? (double)(((float)value - (float)first) * (float)norm) : (value - first) * norm;
        h->counts[bin_of(value, index, edges)]++;
    }
}

static enum clump_status find_threshold(clump_context *context, const clump_image *image,
                                        const struct clump_sorted *sample, double *threshold)
{
    bool is_float = type_is_float(image->type);
    uint64_t room = is_float ? BINS : sample->count;
    double *memory = malloc(3 * room * sizeof *memory);
    if (!memory)
        return clump_reference_no_memory(context, "otsu");
    struct histogram h = {0, memory, memory + room};
    int exponent = 0;
    if (is_float) {
        long double low = fabsl(sample->values[0]), high = fabsl(sample->values[sample->count - 1]);
        frexpl(low > high ? low : high, &exponent);
        count_floats(sample, image->type, -exponent, &h);
    } else {
        count_integers(sample, &h);
    }
    *threshold = ldexp(best_cut(&h, memory + 2 * room), exponent);
    free(memory);
    return CLUMP_OK;
}

enum clump_status clump_reference_otsu(clump_context *context, const clump_image *image,
                                       double *threshold)
{
    struct clump_sorted sample;
    enum clump_status status = clump_sorted_create(context, "otsu", image, &sample);
    if (status)
        return status;
    if (!sample.count)
        status = clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                            "otsu: every pixel is blank (NaN); at least one must be a number");
    else if (isinf(sample.values[0]) || isinf(sample.values[sample.count - 1]))
        status = clump_fail(
            &context->log, CLUMP_ERROR_ARGUMENT,
            "otsu: the image has infinite pixels, and bins need a finite range; replace them by "
            "finite values or NaN");
    else if (sample.values[0] == sample.values[sample.count - 1])
        *threshold = (double)sample.values[0];
    else
        status = find_threshold(context, image, &sample, threshold);
    free(sample.values);
    return status;
}
