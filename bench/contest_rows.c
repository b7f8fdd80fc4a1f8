/* SPDX-License-Identifier: MIT */
/* A case's contenders as rows of the report. */
#include "contest.h"

#include <math.h>

static void start_row(const struct contest *contest, const struct contender *c,
                      struct bench_report *report, struct bench_row *row)
{
    const struct pair_case *test = &contest->test;
    row->name = contest->item->name;
    row->type = clump_type_text(test->type);
    row->rows = (int64_t)test->rows;
    row->cols = (int64_t)test->cols;
    row->size = (int64_t)contest->size;
    row->main = contest->main;
    row->by = c->by;
    if (c->by == BENCH_DEVICE)
        row->device = c->on->device->index;
    if (c->by == BENCH_PEER)
        row->peer = c->peer;
    row->peer.state = c->state;
    if (c->message[0])
        row->peer.difference = bench_keep(report, c->message);
}

/* Where bytes are mostly read the limit is that of reading, else that of copying. */
static enum bench_limit memory_limit(const struct pair_case *test, double bytes)
{
    return bytes < 1.25 * pair_image_bytes(test, test->type) ? BENCH_LIMIT_READ : BENCH_LIMIT_COPY;
}

/* Rates by the wall time, and what they are to be held against. */
static void add_rates(const struct contest *contest, double ms, struct bench_row *row)
{
    const struct pair *pair = &contest->pair;
    const struct pair_case *test = &contest->test;
    double bytes = pair->bytes ? pair->bytes(test) : 0;
    double flops = pair->flops ? pair->flops(test) : 0;
    if (bytes > 0) {
        row->gbs = bytes * 1e-6 / ms;
        row->gbs_limit = memory_limit(test, bytes);
    }
    if (flops > 0) {
        row->gflops = flops * 1e-6 / ms;
        row->gflops_limit = test->type == CLUMP_F64 ? BENCH_LIMIT_FMA_F64 : BENCH_LIMIT_FMA_F32;
    }
}

static void add_device_times(const struct contest *contest, const struct contender *c,
                             struct bench_row *row)
{
    double least = contest->pair.bytes ? contest->pair.bytes(&contest->test) : 0;
    row->compile_ms = c->first.compile_ms;
    row->builds = (int64_t)c->first.builds;
    row->first_ms = c->first_ms;
    if (!c->total.count)
        return;
    row->total = samples_summary(&c->total);
    row->upload_ms = samples_summary(&c->upload).median;
    row->download_ms = samples_summary(&c->download).median;
    row->launches = (int64_t)c->usual.launches;
    row->bytes = (int64_t)c->usual.bytes;
    if (least > 0)
        row->passes = (double)c->usual.bytes / least;
    row->allocations = (int64_t)c->usual.allocations;
}

static bool add_ratios(const struct contest *contest, double ms, struct bench_row *row)
{
    for (size_t i = 0; i < contest->count; i++) {
        const struct contender *c = &contest->contenders[i];
        if (c->by == BENCH_DEVICE && c->state == BENCH_AGREES && c->wall.count &&
            !bench_add_ratio(row, c->on->device->index, ms / samples_summary(&c->wall).median))
            return false;
    }
    return true;
}

static bool add_times(const struct contest *contest, const struct contender *c,
                      struct bench_row *row)
{
    row->wall = samples_summary(&c->wall);
    for (size_t i = 0; i < c->wall.count; i++)
        if (!bench_add_time(row, c->wall.ms[i]))
            return false;
    if (c->counted)
        row->joules = c->joules / (double)c->counted;
    row->speedup = samples_summary(&contest->contenders[0].wall).median / row->wall.median;
    if (c->on_device.count)
        row->device_ms = samples_summary(&c->on_device).median;
    if (c->by == BENCH_PEER)
        return add_ratios(contest, row->wall.median, row);
    add_rates(contest, row->wall.median, row);
    if (c->by == BENCH_DEVICE)
        add_device_times(contest, c, row);
    return true;
}

enum clump_status bench_rows(const struct contest *contest, struct bench_report *report,
                             size_t *differ)
{
    for (size_t i = 0; i < contest->count; i++) {
        const struct contender *c = &contest->contenders[i];
        struct bench_row *row = bench_add_row(report);
        bool timed = c->wall.count && (c->state == BENCH_AGREES || c->state == BENCH_OTHER);
        if (!row)
            return CLUMP_ERROR_MEMORY;
        start_row(contest, c, report, row);
        if (timed && !contest->settings->agree_only && !add_times(contest, c, row))
            return CLUMP_ERROR_MEMORY;
        *differ += c->state == BENCH_DIFFERS || c->state == BENCH_FAILED;
    }
    return CLUMP_OK;
}
