/* SPDX-License-Identifier: MIT */
#include "reference/sorted.h"

#include <math.h>
#include <stdlib.h>

#include "reference/exact.h"
#include "reference/pixel.h"
#include "reference/reference.h"

static int compare_values(const void *a, const void *b)
{
    const long double x = *(const long double *)a, y = *(const long double *)b;
    return (x > y) - (x < y);
}

enum clump_status clump_sorted_create(clump_context *context, const char *operation,
                                      const clump_image *image, struct clump_sorted *sample)
{
    uint64_t pixels = pixel_count(image), count = 0;
    long double *values = malloc(pixels * sizeof *values);
    if (!values)
        return clump_reference_no_memory(context, operation);
    for (uint64_t i = 0; i < pixels; i++) {
        long double value = pixel_get(image, i);
        if (!isnan(value))
            values[count++] = value + 0.0L; /* -0 + 0 is 0 */
    }
    qsort(values, count, sizeof *values, compare_values);
    *sample = (struct clump_sorted){values, count, pixels - count};
    return CLUMP_OK;
}

static double middle(double a, double b)
{
    double sum = a + b;
    return isinf(sum) && isfinite(a) && isfinite(b) ? a / 2 + b / 2 : sum / 2;
}

double clump_sorted_median(const long double *values, uint64_t count)
{
    if (!count)
        return (double)NAN;
    double upper = (double)values[count / 2];
    return count % 2 ? upper : middle((double)values[count / 2 - 1], upper);
}

/*
 * The deviations from the median rise to either side of it. Taking the smaller of the next one on
 * the left and the next one on the right, again and again, gives them in rising order.
 */
double clump_sorted_mad(const long double *values, uint64_t count)
{
    double median = clump_sorted_median(values, count), last = 0, before = 0;
    if (!isfinite(median))
        return (double)NAN;
    uint64_t right = 0;
    while (right < count && (double)values[right] < median)
        right++;
    uint64_t left = right; /* values[left - 1] is the next one to the left */
    for (uint64_t taken = 0; taken <= count / 2; taken++) {
        double below = left ? fabs((double)values[left - 1] - median) : (double)INFINITY;
        double above = right < count ? fabs((double)values[right] - median) : (double)INFINITY;
        bool go_left = left && (right == count || below < above);
        before = last;
        last = go_left ? below : above;
        left -= go_left;
        right += !go_left;
    }
    return count % 2 ? last : middle(before, last);
}

double clump_sorted_quantile(const long double *values, uint64_t count, double quantile)
{
    if (!count)
        return (double)NAN;
    double place = (double)(count - 1) * quantile, start = floor(place), t = place - start;
    uint64_t index = (uint64_t)start;
    if (index >= count - 1)
        return (double)values[count - 1];
    double a = (double)values[index], b = (double)values[index + 1];
    if (t == 0 || a == b)
        return a;
    return t < 0.5 ? a + (b - a) * t : b - (b - a) * (1 - t);
}

/* The first pixel of this value in raster order. */
static void find(const clump_image *image, long double value, uint64_t *row, uint64_t *col)
{
    uint64_t i = 0;
    while (pixel_get(image, i) != value)
        i++;
    *row = i / image->cols;
    *col = i % image->cols;
}

/* Sum, mean, variance and std; infinite values overrule the finite ones. */
static enum clump_status add_up(clump_context *context, const long double *values, uint64_t count,
                                uint32_t ddof, struct clump_stats_result *result)
{
    struct clump_exact *exact = calloc(1, sizeof *exact);
    if (!exact)
        return clump_reference_no_memory(context, "statistics");
    double infinities = 0;
    for (uint64_t i = 0; i < count; i++) {
        if (isinf(values[i])) {
            result->infinite++;
            infinities += (double)values[i];
        } else {
            clump_exact_add(exact, values[i]);
        }
    }
    if (result->infinite) {
        result->sum = result->mean = infinities;
    } else {
        result->sum = clump_exact_sum(exact);
        result->mean = clump_exact_mean(exact);
        clump_exact_variance(exact, ddof, &result->variance, &result->std);
    }
    free(exact);
    return CLUMP_OK;
}

enum clump_status clump_sorted_stats(clump_context *context, const clump_image *image,
                                     const struct clump_sorted *sample, uint64_t from, uint64_t to,
                                     uint32_t ddof, bool mad, struct clump_stats_result *result)
{
    const double nan = (double)NAN;
    const long double *values = sample->values + from;
    uint64_t count = to - from;
    struct clump_stats_result r = {.count = count,
                                   .blank = sample->blank,
                                   .min = nan,
                                   .max = nan,
                                   .mean = nan,
                                   .variance = nan,
                                   .std = nan,
                                   .mad = nan};
    enum clump_status status = add_up(context, values, count, ddof, &r);
    if (status)
        return status;
    r.median = clump_sorted_median(values, count);
    if (mad)
        r.mad = clump_sorted_mad(values, count);
    if (count) {
        r.min = (double)values[0];
        r.max = (double)values[count - 1];
        find(image, values[0], &r.min_row, &r.min_col);
        find(image, values[count - 1], &r.max_row, &r.max_col);
    }
    *result = r;
    return CLUMP_OK;
}
