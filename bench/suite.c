/* SPDX-License-Identifier: MIT */
/* The whole run: contexts, limits, peers, cases. */
#include "bench.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/core/peak.h"

#define LIMIT_SHARE 0.25 /* of a contender's time, for each of the device's limits */
#define LONGEST     10.0 /* seconds that the reference may take for a size beside the table's */

static json_t *describe(const struct clump_device *device)
{
    json_t *json =
        json_pack("{s:i s:s s:s s:s s:s s:s s:i s:i s:b s:b}", "index", (int)device->index, "name",
                  device->name, "platform", device->platform, "driver", device->driver, "version",
                  device->version, "type", clump_device_type_text(device->type), "units",
                  (int)device->units, "vector_width", (int)device->vector_width, "fp64",
                  device->fp64, "shares_memory", device->shares_memory);
    return json ? json : json_pack("{s:i s:s}", "index", (int)device->index, "name", "?");
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
                                        struct bench_device *device)
{
    struct clump_peak limits;
    size_t bytes = (size_t)settings->size * (size_t)settings->size * sizeof(float);
    settings->tell("clump bench: limits of %s", device->device->name);
    enum clump_status status =
        clump_peak_measure(device->context, bytes, settings->seconds * LIMIT_SHARE, &limits);
    if (status)
        return status;
    const struct {
        const char *name;
        double value;
    } figures[] = {{"read_gbs", limits.read_gbs},
                   {"copy_gbs", limits.copy_gbs},
                   {"fma_f32", limits.fma_f32},
                   {"fma_f64", limits.fma_f64}};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        if (!(bench_number(device->limits, figures[i].name) > figures[i].value))
            json_object_set_new(device->limits, figures[i].name, json_real(figures[i].value));
    json_object_set_new(device->limits, "bytes", json_integer((json_int_t)bytes));
    return CLUMP_OK;
}

/* Of every row: the share of the limit that it comes nearer to. A limit is the best that was seen,
 * so it is held against the best time, not against the median that the rates are made of. */
static void add_shares(json_t *rows, const struct bench_device *device)
{
    size_t i;
    json_t *row;
    json_array_foreach (rows, i, row) {
        const char *memory = bench_text(row, "gbs_limit"), *maths = bench_text(row, "gflops_limit");
        json_t *index = json_object_get(row, "device");
        if (!index || json_integer_value(index) != device->device->index)
            continue;
        const json_t *wall = json_object_get(row, "wall");
        double best = bench_number(wall, "median") / bench_number(wall, "min");
        double by_memory = best * bench_number(row, "gbs") / bench_number(device->limits, memory);
        double by_maths = best * bench_number(row, "gflops") / bench_number(device->limits, maths);
        double share = by_maths > by_memory || isnan(by_memory) ? by_maths : by_memory;
        if (isnan(share))
            continue;
        json_object_set_new(row, "limit", json_real(share));
        json_object_set_new(row, "limit_by", json_string(share == by_maths ? maths : memory));
    }
}

/* The reference first, then the devices that were asked for. */
static enum clump_status open_all(const struct bench_settings *settings, json_t *list,
                                  struct bench_device *devices)
{
    enum clump_status status = open_context(settings, NULL, &devices[0].context);
    if (status)
        return status;
    devices[0].device = clump_context_device(devices[0].context);
    for (size_t i = 0; i < settings->device_count && !status; i++) {
        struct bench_device *device = &devices[i + 1];
        json_t *json = describe(&settings->devices[i]);
        json_array_append_new(list, json);
        status = open_context(settings, &settings->devices[i], &device->context);
        if (status)
            break;
        device->device = clump_context_device(device->context);
        device->limits = json_object();
        json_object_set_new(json, "limits", device->limits);
        if (!settings->agree_only)
            status = measure_limits(settings, device);
    }
    return status;
}

static bool wanted(const struct bench_settings *settings, const struct bench_case *item)
{
    for (int i = 0; i < settings->name_count; i++)
        if (strstr(item->name, settings->names[i]))
            return true;
    return !settings->name_count;
}

static json_t *describe_case(const struct bench_case *item)
{
    json_t *json = json_pack("{s:s s:s s:s}", "name", item->name, "about", item->about, "operation",
                             item->pair->operation);
    const struct bench_lesson *lesson = &item->lesson;
    if (lesson->gpu_ms > 0)
        json_object_set_new(json, "lesson",
                            json_pack("{s:f s:f s:f}", "cpu_ms", lesson->cpu_ms, "gpu_ms",
                                      lesson->gpu_ms, "gpu_total_ms", lesson->total_ms));
    return json;
}

/* Whether the reference, which is the base of every size, would take too long at `size`. */
static bool too_long(const json_t *rows, const struct bench_case *item, uint64_t size)
{
    size_t i;
    json_t *row;
    double ms = 0;
    json_array_foreach (rows, i, row)
        if (bench_is(row, "case", item->name) && bench_is(row, "by", "reference"))
            ms = fmax(ms, bench_number(json_object_get(row, "wall"), "median") * (double)size *
                              (double)size / pow(bench_number(row, "size"), 2));
    return ms > 1e3 * LONGEST;
}

static enum clump_status run_case(const struct bench_settings *settings,
                                  const struct bench_case *item, struct bench_device *devices,
                                  struct peers *peers, json_t *rows, size_t *differ)
{
    size_t count = settings->device_count + 1;
    enum clump_status status = CLUMP_OK;
    bool scales = settings->sizes && item->extent != BENCH_FIXED;
    for (const uint64_t *size = settings->sizes; scales && *size && !status; size++)
        if (*size != settings->size && !too_long(rows, item, *size))
            status = bench_contest(settings, item, *size, devices, count, NULL, rows, differ);
    if (!status)
        status = bench_contest(settings, item, settings->size, devices, count, peers, rows, differ);
    for (size_t i = 0; i < count; i++) /* memory of large cases is not kept for small ones */
        clump_context_trim(devices[i].context);
    return status;
}

enum clump_status bench_run(const struct bench_settings *settings, json_t *report, size_t *differ)
{
    json_t *cases = json_array(), *rows = json_array(), *list = json_array();
    json_t *environment = bench_environment();
    struct peers *peers = NULL;
    struct bench_device *devices = calloc(settings->device_count + 1, sizeof *devices);
    enum clump_status status = devices ? CLUMP_OK : CLUMP_ERROR_MEMORY;
    json_object_set_new(report, "format", json_string(BENCH_FORMAT));
    json_object_set_new(report, "version", json_integer(BENCH_VERSION));
    json_object_set_new(report, "environment", environment);
    json_object_set_new(report, "settings",
                        json_pack("{s:I s:f s:i s:b}", "size", (json_int_t)settings->size,
                                  "seconds", settings->seconds, "runs", (int)settings->runs,
                                  "agree_only", settings->agree_only));
    json_object_set_new(report, "devices", list);
    json_object_set_new(report, "cases", cases);
    json_object_set_new(report, "rows", rows);
    if (!status && settings->python)
        status = peers_start(settings, &peers);
    if (!status && peers)
        json_object_set(environment, "peers", (json_t *)peers_environment(peers));
    if (!status)
        status = open_all(settings, list, devices);
    for (size_t i = 0; i < bench_case_count && !status; i++)
        if (wanted(settings, &bench_cases[i])) {
            json_array_append_new(cases, describe_case(&bench_cases[i]));
            status = run_case(settings, &bench_cases[i], devices, peers, rows, differ);
        }
    for (size_t i = 1; i < settings->device_count + 1 && !status && !settings->agree_only; i++) {
        status = measure_limits(settings, &devices[i]);
        add_shares(rows, &devices[i]);
    }
    for (size_t i = 0; devices && i < settings->device_count + 1; i++)
        clump_context_destroy(&devices[i].context);
    free(devices);
    peers_stop(&peers);
    return status;
}
