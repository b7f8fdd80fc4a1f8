/* SPDX-License-Identifier: MIT */
#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The list with room for one more entry, which is zero; or NULL, and the list is as it was. */
static void *grow(void *list, size_t count, size_t size)
{
    char *grown = realloc(list, (count + 1) * size);
    if (grown)
        memset(grown + count * size, 0, size);
    return grown;
}

struct bench_device_info *bench_add_device(struct bench_report *report)
{
    struct bench_device_info *grown = grow(report->devices, report->device_count, sizeof *grown);
    if (!grown)
        return NULL;
    report->devices = grown;
    struct bench_device_info *made = &grown[report->device_count++];
    for (int i = 0; i < BENCH_LIMITS; i++)
        made->limits.rate[i] = NAN;
    made->limits.bytes = -1;
    made->limits.integer = made->limits.upload_gbs = made->limits.download_gbs = NAN;
    made->limits.launch_us = made->limits.atomics_one = made->limits.atomics_apart = NAN;
    return made;
}

struct bench_case_info *bench_add_case(struct bench_report *report)
{
    struct bench_case_info *grown = grow(report->cases, report->case_count, sizeof *grown);
    if (!grown)
        return NULL;
    report->cases = grown;
    return &grown[report->case_count++];
}

struct bench_row *bench_add_row(struct bench_report *report)
{
    struct bench_row *grown = grow(report->rows, report->row_count, sizeof *grown);
    if (!grown)
        return NULL;
    report->rows = grown;
    struct bench_row *made = &grown[report->row_count++];
    made->device = made->peer.threads = -1;
    made->builds = made->launches = made->allocations = made->bytes = -1;
    made->peer.goal = made->speedup = made->gbs = made->gflops = made->limit = NAN;
    made->compile_ms = made->first_ms = made->upload_ms = made->download_ms = NAN;
    made->device_ms = made->passes = made->joules = NAN;
    return made;
}

struct bench_tuned *bench_add_tuned(struct bench_report *report)
{
    struct bench_tuned *grown = grow(report->tuned, report->tuned_count, sizeof *grown);
    if (!grown)
        return NULL;
    report->tuned = grown;
    return &grown[report->tuned_count++];
}

bool bench_add_fact(struct bench_report *report, const char *key, const char *text)
{
    struct bench_environment *environment = &report->environment;
    struct bench_fact *grown = grow(environment->peers, environment->peer_count, sizeof *grown);
    if (!grown)
        return false;
    environment->peers = grown;
    grown[environment->peer_count++] =
        (struct bench_fact){bench_keep(report, key), bench_keep(report, text)};
    return true;
}

bool bench_add_ratio(struct bench_row *row, int64_t device, double ratio)
{
    struct bench_ratio *grown = grow(row->ratios, row->ratio_count, sizeof *grown);
    if (!grown)
        return false;
    row->ratios = grown;
    grown[row->ratio_count++] = (struct bench_ratio){device, ratio};
    return true;
}

bool bench_add_time(struct bench_row *row, double ms)
{
    double *grown = grow(row->times, row->time_count, sizeof *grown);
    if (!grown)
        return false;
    row->times = grown;
    grown[row->time_count++] = ms;
    return true;
}

const char *bench_keep(struct bench_report *report, const char *text)
{
    char **grown = text ? grow(report->texts, report->text_count, sizeof *grown) : NULL;
    if (!grown)
        return text ? "" : NULL;
    report->texts = grown;
    grown[report->text_count] = strdup(text);
    if (!grown[report->text_count])
        return "";
    return grown[report->text_count++];
}

void bench_report_release(struct bench_report *report)
{
    for (size_t i = 0; i < report->row_count; i++) {
        free(report->rows[i].ratios);
        free(report->rows[i].times);
    }
    for (size_t i = 0; i < report->text_count; i++)
        free(report->texts[i]);
    free(report->environment.peers);
    free(report->devices);
    free(report->cases);
    free(report->rows);
    free(report->tuned);
    free(report->texts);
    *report = (struct bench_report){0};
}

const struct bench_device_info *bench_device_at(const struct bench_report *report, int64_t index)
{
    for (size_t i = 0; i < report->device_count; i++)
        if (report->devices[i].index == index)
            return &report->devices[i];
    return NULL;
}

const struct bench_case_info *bench_case_named(const struct bench_report *report, const char *name)
{
    for (size_t i = 0; i < report->case_count; i++)
        if (!strcmp(report->cases[i].name, name))
            return &report->cases[i];
    return NULL;
}

const struct bench_row *bench_row_at(const struct bench_report *report, const char *name,
                                     int64_t device, int64_t size)
{
    for (size_t i = 0; i < report->row_count; i++) {
        const struct bench_row *row = &report->rows[i];
        bool his = device < 0 ? row->by == BENCH_REFERENCE
                              : row->by == BENCH_DEVICE && row->device == device;
        if (his && row->size == size && !strcmp(row->name, name))
            return row;
    }
    return NULL;
}

bool bench_is_timed(const struct bench_row *row) { return row && row->wall.runs > 0; }

bool bench_is_lesson_peer(const struct bench_row *row)
{
    return row->by == BENCH_PEER && bench_is_timed(row) && row->size == BENCH_LESSON_SIZE &&
           row->peer.package &&
           (!strcmp(row->peer.package, "NumPy") || !strcmp(row->peer.package, "SciPy"));
}

double bench_median(const struct bench_row *row)
{
    return bench_is_timed(row) ? row->wall.median : (double)NAN;
}

double bench_ratio_to(const struct bench_row *row, int64_t device)
{
    for (size_t i = 0; i < row->ratio_count; i++)
        if (row->ratios[i].device == device)
            return row->ratios[i].ratio;
    return NAN;
}

void bench_reaches(const struct bench_limits *limits, char *text, size_t room)
{
    const double *rate = limits->rate;
    size_t used = 0;
    text[0] = 0;
    if (!isnan(rate[BENCH_LIMIT_READ]))
        used = (size_t)snprintf(
            text, room,
            "reading %.1f GB/s, copying %.1f GB/s, FMA %.0f GFLOP/s in float, %.0f in double",
            rate[BENCH_LIMIT_READ], rate[BENCH_LIMIT_COPY], rate[BENCH_LIMIT_FMA_F32],
            rate[BENCH_LIMIT_FMA_F64]);
    if (used < room && !isnan(limits->integer))
        snprintf(text + used, room - used,
                 "; 32-bit integers %.0f Gop/s, upload %.1f GB/s, download %.1f GB/s, a launch "
                 "%.0f us, atomics %.3g G/s on one counter, %.3g on their own",
                 limits->integer, limits->upload_gbs, limits->download_gbs, limits->launch_us,
                 limits->atomics_one, limits->atomics_apart);
}

void bench_who(const struct bench_report *report, const struct bench_row *row, char *text,
               size_t room)
{
    const struct bench_device_info *device = bench_device_at(report, row->device);
    if (row->by == BENCH_REFERENCE)
        snprintf(text, room, "reference");
    else if (row->by == BENCH_PEER)
        snprintf(text, room, "%s", row->peer.name);
    else
        snprintf(text, room, "%d %s", (int)row->device, device ? device->name : "");
}
