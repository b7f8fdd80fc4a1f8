/* SPDX-License-Identifier: MIT */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_RUNS  7 /* below, the interval of the median is that of all values */
#define LEAST_NOISE 2 /* runs; of one run nothing is known about how runs differ */

void samples_add(struct samples *samples, double ms)
{
    if (samples->count == samples->room) {
        size_t room = samples->room ? samples->room * 2 : 64;
        double *more = realloc(samples->ms, room * sizeof *more);
        if (!more)
            return; /* the figures are then of one run fewer */
        samples->ms = more;
        samples->room = room;
    }
    samples->ms[samples->count++] = ms;
    samples->spent += ms;
}

void samples_release(struct samples *samples)
{
    free(samples->ms);
    *samples = (struct samples){0};
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Between the two values around place `at`. */
static double place(const double *sorted, size_t n, double at)
{
    size_t below = at < 0 ? 0 : (size_t)at;
    if (below + 1 >= n)
        return sorted[n - 1];
    return sorted[below] + (sorted[below + 1] - sorted[below]) * (at < 0 ? 0 : at - (double)below);
}

struct summary samples_summary(const struct samples *samples)
{
    struct summary s = {.runs = (int64_t)samples->count};
    size_t n = samples->count;
    double *sorted = n ? malloc(n * sizeof *sorted) : NULL;
    if (!sorted)
        return (struct summary){0};
    memcpy(sorted, samples->ms, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, by_value);
    double last = (double)n - 1, half = 0.98 * sqrt((double)n), squares = 0;
    s.min = sorted[0];
    s.median = place(sorted, n, last / 2);
    s.mean = samples->spent / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += (sorted[i] - s.mean) * (sorted[i] - s.mean);
    s.std = sqrt(squares / (double)n);
    /* The order statistics that enclose the median of 95 % of all samples of this size. */
    s.low = n < LEAST_RUNS ? sorted[0] : place(sorted, n, last / 2 - half);
    s.high = n < LEAST_RUNS ? sorted[n - 1] : place(sorted, n, last / 2 + half);
    s.noise = (place(sorted, n, last * 0.75) - place(sorted, n, last * 0.25)) / s.median;
    s.steady = n >= LEAST_RUNS && s.high - s.low < 2 * BENCH_STEADY * s.median;
    if (n < LEAST_NOISE)
        s.std = s.low = s.high = s.noise = NAN;
    free(sorted);
    return s;
}
