/* SPDX-License-Identifier: MIT */
/* The whole run: contexts, limits, peers, cases. */
#include "bench.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/core/peak.h"

#define LIMIT_SHARE 0.25 /* of a contender's time, for each of the device's limits */
#define LONGEST     10.0 /* seconds that the reference may take for another size than the table's */

static bool describe(const struct clump_device *device, struct bench_report *report)
{
    struct bench_device_info *made = bench_add_device(report);
    if (!made)
        return false;
    made->index = device->index;
    made->name = bench_keep(report, device->name);
    made->platform = bench_keep(report, device->platform);
    made->driver = bench_keep(report, device->driver);
    made->version = bench_keep(report, device->version);
    made->type = clump_device_type_text(device->type);
    made->units = device->units;
    made->vector_width = device->vector_width;
    made->fp64 = device->fp64;
    made->shares_memory = device->shares_memory;
    return true;
}

static enum clump_status open_context(const struct bench_settings *settings,
                                      const struct clump_device *device, clump_context **context)
{
    struct clump_context_params params = clump_context_defaults;
    char index[16];
    snprintf(index, sizeof index, "%" PRIu32, device ? device->index : 0);
    params.log = settings->log;
    params.device = device ? index : "reference";
    return clump_context_create(&params, context);
}

/* The limits are taken before and after everything else; the better ones count. */
static enum clump_status measure_limits(const struct bench_settings *settings,
                                        const struct bench_device *device,
                                        struct bench_limits *limits)
{
    struct clump_peak peak;
    size_t bytes = (size_t)settings->size * (size_t)settings->size * sizeof(float);
    settings->tell("clump bench: limits of %s", device->device->name);
    enum clump_status status =
        clump_peak_measure(device->context, bytes, settings->seconds * LIMIT_SHARE, &peak);
    if (status)
        return status;
    const double reached[BENCH_LIMITS] = {NAN, peak.read_gbs, peak.copy_gbs, peak.fma_f32,
                                          peak.fma_f64};
    for (int i = 0; i < BENCH_LIMITS; i++)
        limits->rate[i] = fmax(limits->rate[i], reached[i]);
    limits->bytes = (int64_t)bytes;
    limits->integer = fmax(limits->integer, peak.integer);
    limits->upload_gbs = fmax(limits->upload_gbs, peak.upload_gbs);
    limits->download_gbs = fmax(limits->download_gbs, peak.download_gbs);
    limits->launch_us = fmin(limits->launch_us, peak.launch_us);
    limits->atomics_one = fmax(limits->atomics_one, peak.atomics_one);
    limits->atomics_apart = fmax(limits->atomics_apart, peak.atomics_apart);
    return CLUMP_OK;
}

/* Of every row: the share of the limit that it comes nearer to. A limit is the best that was seen,
 * so it is held against the best time, not against the median that the rates are made of. */
static void add_shares(struct bench_report *report, const struct bench_device_info *device)
{
    const double *rate = device->limits.rate;
    for (size_t i = 0; i < report->row_count; i++) {
        struct bench_row *row = &report->rows[i];
        if (row->by != BENCH_DEVICE || row->device != device->index || !bench_is_timed(row))
            continue;
        double best = row->wall.median / row->wall.min;
        double by_memory = best * row->gbs / rate[row->gbs_limit];
        double by_maths = best * row->gflops / rate[row->gflops_limit];
        row->limit = fmax(by_memory, by_maths);
        if (!isnan(row->limit))
            row->limit_by = row->limit == by_maths ? row->gflops_limit : row->gbs_limit;
    }
}

/* The reference first, then the devices that were asked for. */
static enum clump_status open_all(const struct bench_settings *settings,
                                  struct bench_report *report, struct bench_device *devices)
{
    enum clump_status status = open_context(settings, NULL, &devices[0].context);
    if (status)
        return status;
    devices[0].device = clump_context_device(devices[0].context);
    for (size_t i = 0; i < settings->device_count && !status; i++) {
        struct bench_device *device = &devices[i + 1];
        if (!describe(&settings->devices[i], report))
            return CLUMP_ERROR_MEMORY;
        status = open_context(settings, &settings->devices[i], &device->context);
        if (status)
            break;
        device->device = clump_context_device(device->context);
        if (!settings->agree_only)
            status = measure_limits(settings, device, &report->devices[i].limits);
    }
    return status;
}

static bool wanted(const struct bench_settings *settings, const struct bench_case *item)
{
    if (*settings->image && !bench_own_has(item->name))
        return false;
    for (int i = 0; i < settings->name_count; i++)
        if (strstr(item->name, settings->names[i]))
            return true;
    return !settings->name_count;
}

static bool describe_case(const struct bench_case *item, struct bench_report *report)
{
    struct bench_case_info *made = bench_add_case(report);
    if (made)
        *made =
            (struct bench_case_info){item->name, item->about, item->pair->operation, item->lesson};
    return made;
}

/* Whether the reference, which is the base of every size, would take too long at `size`. */
static bool too_long(const struct bench_report *report, const struct bench_case *item,
                     uint64_t size)
{
    double ms = 0;
    for (size_t i = 0; i < report->row_count; i++) {
        const struct bench_row *row = &report->rows[i];
        double growth = pow((double)size / (double)row->size, 2);
        if (row->by == BENCH_REFERENCE && !strcmp(row->name, item->name))
            ms = fmax(ms, bench_median(row) * growth);
    }
    return ms > 1e3 * LONGEST;
}

static enum clump_status run_case(const struct bench_settings *settings,
                                  const struct bench_case *item, struct bench_device *devices,
                                  struct peers *peers, struct bench_report *report, size_t *differ)
{
    size_t count = settings->device_count + 1;
    enum clump_status status = describe_case(item, report) ? CLUMP_OK : CLUMP_ERROR_MEMORY;
    bool scales = settings->sizes && item->extent != BENCH_FIXED && !*settings->image;
    for (const uint64_t *size = settings->sizes; scales && *size && !status; size++)
        if (*size != settings->size && !too_long(report, item, *size))
            status = bench_contest(settings, item, *size, devices, count, NULL, report, differ);
    if (!status)
        status =
            bench_contest(settings, item, settings->size, devices, count, peers, report, differ);
    for (size_t i = 0; i < count; i++) /* memory of large cases is not kept for small ones */
        clump_context_trim(devices[i].context);
    return status;
}

enum clump_status bench_run(const struct bench_settings *settings, struct bench_report *report,
                            size_t *differ)
{
    struct peers *peers = NULL;
    struct bench_device *devices = calloc(settings->device_count + 1, sizeof *devices);
    enum clump_status status = devices ? CLUMP_OK : CLUMP_ERROR_MEMORY;
    struct bench_conditions begin;
    bench_environment(report);
    bench_conditions_read(&begin);
    report->image = bench_keep(report, settings->image);
    report->size = (int64_t)settings->size;
    report->seconds = settings->seconds;
    report->runs = settings->runs;
    report->agree_only = settings->agree_only;
    if (!status && settings->peers)
        status = peers_start(settings, report, &peers);
    if (!status)
        status = open_all(settings, report, devices);
    for (size_t i = 0; i < bench_case_count && !status; i++)
        if (wanted(settings, &bench_cases[i]))
            status = run_case(settings, &bench_cases[i], devices, peers, report, differ);
    for (size_t i = 0; i < settings->device_count && !status && !settings->agree_only; i++) {
        status = measure_limits(settings, &devices[i + 1], &report->devices[i].limits);
        add_shares(report, &report->devices[i]);
    }
    for (size_t i = 0; devices && i < settings->device_count + 1; i++)
        clump_context_destroy(&devices[i].context);
    free(devices);
    peers_stop(&peers);
    bench_conditions_tell(&begin, &report->environment);
    report->environment.load_end = bench_load_average(report);
    return status;
}
