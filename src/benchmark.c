/* SPDX-License-Identifier: MIT */
#include <clump/benchmark.h>

#include <math.h>
#include <stdlib.h>

#include "context.h"

const struct clump_benchmark_params clump_benchmark_defaults = {.warmup = 10,
                                                                .repeats = 100,
                                                                .most_ms = INFINITY};

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static struct clump_benchmark_times summary(double *ms, size_t count)
{
    struct clump_benchmark_times times = {NAN, NAN, NAN, NAN};
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++)
        sum += ms[i];
    if (isnan(sum)) /* a device without a clock */
        return times;
    qsort(ms, count, sizeof *ms, by_value);
    times.min = ms[0];
    times.median = (ms[(count - 1) / 2] + ms[count / 2]) / 2;
    times.mean = sum / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += (ms[i] - times.mean) * (ms[i] - times.mean);
    times.std = sqrt(squares / (double)count);
    return times;
}

/* Times one call in three ways: until it returned, until the device was done, on the device. */
static enum clump_status measure(clump_context *context,
                                 enum clump_status (*call)(clump_context *, void *), void *user,
                                 double *host, double *wall, double *device)
{
    struct clump_profile profile;
    enum clump_status status = clump_profile_start(context, true);
    double start = clump_now_ms();
    if (!status)
        status = call(context, user);
    *host = clump_now_ms() - start;
    if (!status)
        status = clump_context_finish(context);
    *wall = clump_now_ms() - start;
    if (!status)
        status = clump_profile_read(context, &profile);
    if (!status)
        *device = profile.device_ms;
    return status;
}

enum clump_status clump_benchmark(clump_context *context,
                                  enum clump_status (*call)(clump_context *context, void *user),
                                  void *user, const struct clump_benchmark_params *params,
                                  struct clump_benchmark_result *result)
{
    CLUMP_ROUNDING();
    if (!params)
        params = &clump_benchmark_defaults;
    enum clump_status status = clump_check_context("benchmark", context);
    if (!status)
        status = clump_check_reserved(&context->log, "clump_benchmark", "params", params);
    if (status)
        return status;
    if (!call || !result || !params->repeats || !(params->most_ms > 0))
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "benchmark: a call, a place for the result, repeats of 1 or more and "
                          "most_ms above 0 are needed");
    size_t room = params->repeats, count = 0;
    double *ms = malloc(3 * room * sizeof *ms), spent = 0;
    if (!ms)
        return clump_fail(&context->log, CLUMP_ERROR_MEMORY,
                          "benchmark: cannot allocate memory for %zu times", room);
    for (uint32_t i = 0; i < params->warmup && !status; i++)
        status = call(context, user);
    if (!status)
        status = clump_context_finish(context);
    while (!status && count < room && spent < params->most_ms) {
        status = measure(context, call, user, &ms[count], &ms[room + count], &ms[2 * room + count]);
        spent += ms[room + count++];
    }
    clump_profile_start(context, false);
    if (!status)
        *result = (struct clump_benchmark_result){
            .repeats = (uint32_t)count,
            .host = summary(ms, count),
            .wall = summary(ms + room, count),
            .device = summary(ms + 2 * room, count),
        };
    free(ms);
    return status;
}
