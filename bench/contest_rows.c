/* SPDX-License-Identifier: MIT */
/* A case's contenders as rows of the report. */
#include "contest.h"

#include <math.h>
#include <string.h>

static const char *const words[] = {[AGREES] = "agrees",
                                    [DIFFERS] = "differs",
                                    [UNSUPPORTED] = "unsupported",
                                    [FAILED] = "failed",
                                    [OTHER] = "other"};

static void set_real(json_t *row, const char *key, double value)
{
    json_object_set_new(row, key, isfinite(value) ? json_real(value) : json_null());
}

static void set_text(json_t *row, const char *key, const char *text)
{
    json_t *made = json_string(text);
    json_object_set_new(row, key, made ? made : json_string("(not UTF-8)"));
}

static json_t *start_row(const struct contest *contest, const struct contender *c)
{
    const struct pair_case *test = &contest->test;
    json_t *row = json_object();
    set_text(row, "case", contest->item->name);
    set_text(row, "type", clump_type_text(test->type));
    json_object_set_new(row, "rows", json_integer((json_int_t)test->rows));
    json_object_set_new(row, "cols", json_integer((json_int_t)test->cols));
    json_object_set_new(row, "size", json_integer((json_int_t)contest->size));
    json_object_set_new(row, "main", json_boolean(contest->main));
    set_text(row, "by", c->kind == PEER ? "peer" : c->kind == DEVICE ? "device" : "reference");
    if (c->kind == DEVICE)
        json_object_set_new(row, "device", json_integer(c->on->device->index));
    if (c->kind == PEER)
        json_object_update(row, (json_t *)c->about);
    set_text(row, "state", words[c->state]);
    if (c->message[0])
        set_text(row, "difference", c->message);
    return row;
}

/* Where bytes are mostly read the limit is that of reading, else that of copying. */
static const char *memory_limit(const struct contest *contest, double bytes)
{
    const struct pair_case *test = &contest->test;
    double input = (double)clump_type_row_bytes(test->type, test->cols) * (double)test->rows;
    return bytes < 1.25 * input ? "read_gbs" : "copy_gbs";
}

/* Rates by the wall time, and what they are to be held against. */
static void add_rates(const struct contest *contest, double ms, json_t *row)
{
    const struct pair *pair = &contest->pair;
    double bytes = pair->bytes ? pair->bytes(&contest->test) : 0;
    double flops = pair->flops ? pair->flops(&contest->test) : 0;
    if (bytes > 0) {
        set_real(row, "gbs", bytes * 1e-6 / ms);
        set_text(row, "gbs_limit", memory_limit(contest, bytes));
    }
    if (flops > 0) {
        set_real(row, "gflops", flops * 1e-6 / ms);
        set_text(row, "gflops_limit", contest->test.type == CLUMP_F64 ? "fma_f64" : "fma_f32");
    }
}

static void add_device_times(const struct contest *contest, const struct contender *c, json_t *row)
{
    double least = contest->pair.bytes ? contest->pair.bytes(&contest->test) : 0;
    set_real(row, "compile_ms", c->first.compile_ms);
    json_object_set_new(row, "builds", json_integer((json_int_t)c->first.builds));
    set_real(row, "first_ms", c->first_ms);
    if (!c->total.count)
        return;
    struct summary total = samples_summary(&c->total);
    json_object_set_new(row, "total", summary_json(&total));
    set_real(row, "upload_ms", samples_summary(&c->upload).median);
    set_real(row, "download_ms", samples_summary(&c->download).median);
    set_real(row, "device_ms", samples_summary(&c->on_device).median);
    json_object_set_new(row, "launches", json_integer((json_int_t)c->usual.launches));
    json_object_set_new(row, "bytes", json_integer((json_int_t)c->usual.bytes));
    if (least > 0)
        set_real(row, "passes", (double)c->usual.bytes / least);
    json_object_set_new(row, "allocations", json_integer((json_int_t)c->usual.allocations));
}

/* How many times longer a peer takes than each device. */
static json_t *ratios(const struct contest *contest, double ms)
{
    json_t *list = json_array();
    for (size_t i = 0; i < contest->count; i++) {
        const struct contender *c = &contest->contenders[i];
        if (c->kind != DEVICE || c->state != AGREES || !c->wall.count)
            continue;
        json_array_append_new(list, json_pack("{s:i s:f}", "device", (int)c->on->device->index,
                                              "ratio", ms / samples_summary(&c->wall).median));
    }
    return list;
}

static json_t *make_row(const struct contest *contest, const struct contender *c)
{
    json_t *row = start_row(contest, c);
    bool timed = c->wall.count && (c->state == AGREES || c->state == OTHER);
    if (!timed || contest->settings->agree_only)
        return row;
    struct summary wall = samples_summary(&c->wall);
    struct summary base = samples_summary(&contest->contenders[0].wall);
    json_object_set_new(row, "wall", summary_json(&wall));
    set_real(row, "speedup", base.median / wall.median);
    if (c->kind == PEER)
        json_object_set_new(row, "ratios", ratios(contest, wall.median));
    else
        add_rates(contest, wall.median, row);
    if (c->kind == DEVICE)
        add_device_times(contest, c, row);
    return row;
}

void bench_rows(const struct contest *contest, json_t *rows, size_t *differ)
{
    for (size_t i = 0; i < contest->count; i++) {
        const struct contender *c = &contest->contenders[i];
        json_array_append_new(rows, make_row(contest, c));
        *differ += c->state == DIFFERS || c->state == FAILED;
    }
}
