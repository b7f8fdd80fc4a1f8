/* SPDX-License-Identifier: MIT */
/* Chooses the values that get the first and the last colour. */
#include "render.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLE_LIMIT (UINT64_C(1) << 22) /* pixels looked at for percentiles */

/* The defaults of astropy's ZScaleInterval. */
#define ZSCALE_SAMPLES  1000
#define ZSCALE_CONTRAST 0.25
#define ZSCALE_REJECT   0.5 /* the greatest part of the sample that may be left out */
#define ZSCALE_LEAST    5   /* and the fewest pixels that must remain */
#define ZSCALE_KAPPA    2.5
#define ZSCALE_ROUNDS   5

/* The value that would stand at `place` if all values were sorted, by Hoare's quickselect, which
 * changes their order. */
static float select_value(float *values, uint64_t count, uint64_t place)
{
    uint64_t left = 0, right = count - 1;
    while (left < right) {
        float pivot = values[left + (right - left) / 2];
        uint64_t i = left, k = right;
        for (;;) {
            while (values[i] < pivot)
                i++;
            while (values[k] > pivot)
                k--;
            if (i >= k)
                break;
            float swap = values[i];
            values[i++] = values[k];
            values[k--] = swap;
        }
        if (place <= k)
            right = k;
        else
            left = k + 1;
    }
    return values[place];
}

/* A percentile by linear interpolation, as NumPy's. */
static double percentile(float *values, uint64_t count, double percent)
{
    double place = percent / 100 * (double)(count - 1);
    uint64_t below = (uint64_t)place;
    uint64_t above = below + 1 < count ? below + 1 : below;
    double low = select_value(values, count, below), high = select_value(values, count, above);
    return low + (place - (double)below) * (high - low);
}

/* Collects the finite values shown; of a large part only those of every n-th row and column. */
static bool gather(const struct view *view, float **values, uint64_t *count)
{
    uint64_t step = (uint64_t)ceil(sqrt((double)view->rows * (double)view->cols / SAMPLE_LIMIT));
    step = step ? step : 1;
    uint64_t across = (view->cols + step - 1) / step, down = (view->rows + step - 1) / step;
    float *row = malloc(view->cols * sizeof *row);
    *values = malloc(across * down * sizeof **values);
    *count = 0;
    for (uint64_t i = 0; row && *values && i < view->rows; i += step) {
        clump_view_row(view, view->row + i, row);
        for (uint64_t k = 0; k < view->cols; k += step)
            if (isfinite(row[k]))
                (*values)[(*count)++] = row[k];
    }
    bool good = row && *values;
    free(row);
    return good;
}

/* Finds the least and the greatest finite value of all pixels shown; false when there is no memory.
 */
static bool range(const struct view *view, double *low, double *high, uint64_t *count)
{
    float *row = malloc(view->cols * sizeof *row);
    *low = INFINITY;
    *high = -INFINITY;
    *count = 0;
    for (uint64_t i = 0; row && i < view->rows; i++) {
        clump_view_row(view, view->row + i, row);
        for (uint64_t k = 0; k < view->cols; k++)
            if (isfinite(row[k])) {
                *low = fmin(*low, (double)row[k]);
                *high = fmax(*high, (double)row[k]);
                ++*count;
            }
    }
    bool good = row != NULL;
    free(row);
    return good;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Collects about a thousand finite values at equal distances in raster order, and sorts them. */
static bool zscale_sample(const struct view *view, uint64_t finite, double *sample, int *count)
{
    uint64_t step = finite / ZSCALE_SAMPLES, seen = 0;
    float *row = malloc(view->cols * sizeof *row);
    step = step ? step : 1;
    *count = 0;
    for (uint64_t i = 0; row && i < view->rows && *count < ZSCALE_SAMPLES; i++) {
        clump_view_row(view, view->row + i, row);
        for (uint64_t k = 0; k < view->cols && *count < ZSCALE_SAMPLES; k++)
            if (isfinite(row[k]) && seen++ % step == 0)
                sample[(*count)++] = (double)row[k];
    }
    bool good = row != NULL;
    free(row);
    qsort(sample, (size_t)*count, sizeof *sample, ascending);
    return good;
}

/* Fits a straight line to the values that are not marked as bad, by least squares. */
static void fit_line(const double *y, const bool *bad, int count, double *slope, double *offset)
{
    double n = 0, sum_x = 0, sum_y = 0, top = 0, below = 0;
    for (int i = 0; i < count; i++)
        if (!bad[i]) {
            n++;
            sum_x += i;
            sum_y += y[i];
        }
    for (int i = 0; i < count; i++)
        if (!bad[i]) {
            top += (i - sum_x / n) * (y[i] - sum_y / n);
            below += (i - sum_x / n) * (i - sum_x / n);
        }
    *slope = below > 0 ? top / below : 0;
    *offset = sum_y / n - *slope * sum_x / n;
}

/* Marks as bad the values far from the line and their neighbours within `grow`; returns the number
 * of the others. */
static int reject(const double *y, bool *bad, int count, double slope, double offset)
{
    double n = 0, sum = 0, squares = 0;
    bool *far = calloc((size_t)count, sizeof *far);
    if (!far)
        return 0;
    for (int i = 0; i < count; i++)
        if (!bad[i]) {
            double flat = y[i] - (offset + slope * i);
            n++;
            sum += flat;
            squares += flat * flat;
        }
    double limit = ZSCALE_KAPPA * sqrt(fmax(squares / n - sum / n * (sum / n), 0));
    for (int i = 0; i < count; i++)
        far[i] = bad[i] || fabs(y[i] - (offset + slope * i)) > limit;
    int grow = count / 100 > 1 ? count / 100 : 1, good = 0;
    for (int i = 0; i < count; i++) {
        bad[i] = false;
        for (int k = i - grow / 2; k <= i + (grow - 1) / 2; k++)
            bad[i] = bad[i] || (k >= 0 && k < count && far[k]);
        good += !bad[i];
    }
    free(far);
    return good;
}

/*
 * IRAF's zscale: the sorted sample is nearly a straight line over the values of the sky. The slope
 * of that line divided by the contrast gives limits around the median, which never lie beyond the
 * least and the greatest value of the sample.
 */
static void zscale(const double *sample, int count, double *low, double *high)
{
    bool bad[ZSCALE_SAMPLES] = {false};
    double slope = 0, offset = 0;
    int least = (int)(count * ZSCALE_REJECT), good = count, before = count + 1;
    least = least > ZSCALE_LEAST ? least : ZSCALE_LEAST;
    for (int i = 0; i < ZSCALE_ROUNDS && good < before && good >= least; i++) {
        fit_line(sample, bad, count, &slope, &offset);
        before = good;
        good = reject(sample, bad, count, slope, offset);
    }
    *low = sample[0];
    *high = sample[count - 1];
    if (good < least)
        return;
    slope /= ZSCALE_CONTRAST;
    int centre = (count - 1) / 2;
    double median = (sample[centre] + sample[count / 2]) / 2;
    *low = fmax(*low, median - (centre - 1) * slope);
    *high = fmin(*high, median + (count - centre) * slope);
}

/* Chooses limits by the rule in `params`; limits that were given replace them later. */
static bool find_limits(const struct view *view, double *low, double *high)
{
    const struct clump_render_params *params = view->params;
    uint64_t count;
    *low = 0;
    *high = 1;
    if (params->limits == CLUMP_RENDER_LIMITS_PERCENTILES) {
        float *values = NULL;
        bool good = gather(view, &values, &count);
        if (good && count) {
            *low = percentile(values, count, params->low_percentile);
            *high = percentile(values, count, params->high_percentile);
        }
        free(values);
        if (!good || *low < *high)
            return good;
    }
    double least, greatest;
    if (!range(view, &least, &greatest, &count))
        return false;
    if (!count)
        return true;
    *low = least;
    *high = greatest;
    double sample[ZSCALE_SAMPLES];
    int taken;
    if (params->limits != CLUMP_RENDER_LIMITS_ZSCALE)
        return true;
    if (!zscale_sample(view, count, sample, &taken))
        return false;
    zscale(sample, taken, low, high);
    return true;
}

bool clump_view_limits(struct view *view)
{
    const struct clump_render_params *params = view->params;
    view->low = params->low;
    view->high = params->high;
    if (view->type == CLUMP_RGB)
        return true;
    if (isnan(view->low) || isnan(view->high)) {
        double low, high;
        if (!find_limits(view, &low, &high))
            return false;
        view->low = isnan(view->low) ? low : view->low;
        view->high = isnan(view->high) ? high : view->high;
    }
    if (!(view->low < view->high)) { /* a constant part, or a limit beyond all values */
        double width = fmax(fabs(view->low), 1) * 0.5;
        if (isnan(params->low))
            view->low = fmin(view->low, view->high) - width;
        if (isnan(params->high))
            view->high = view->low + 2 * width;
    }
    return true;
}
