/* SPDX-License-Identifier: MIT */
/*
 * The tuner: tries every value of each knob that a device has, in turns, on the case that the knob
 * matters to. The best value is kept when it beats the default by more than the noise. A value
 * whose result does not agree with the reference is never kept.
 */
#include "bench.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "context.h"
#include "opencl/core/tune.h"

#define SIZE      1024
#define TURNS     5
#define TURN_MS   60
#define LEAST_WIN 0.04 /* a smaller gain does not outweigh the default */

static_assert(CLUMP_KNOB_VALUES <= BENCH_TRIALS, "a report has room for every value");

struct trial {
    uint32_t value;
    clump_context *context;
    struct pair_input in;
    struct samples times;
    bool good;
};

/* One knob on one device. */
struct search {
    const struct bench_settings *settings;
    const struct clump_device *device;
    size_t knob;
    const uint32_t *values; /* of all knobs, as found so far */
    struct pair pair;
    struct pair_case test;
    struct trial trials[CLUMP_KNOB_VALUES];
    size_t count;
};

/* The case that shows a knob's worth. */
static const struct bench_case *case_of(const char *knob)
{
    const char *name = !strncmp(knob, "convolve", 8) ? "convolve-dense-f32"
                       : !strncmp(knob, "label", 5)  ? "label-noise"
                                                     : "stats";
    for (size_t i = 0; i < bench_case_count; i++)
        if (!strcmp(bench_cases[i].name, name))
            return &bench_cases[i];
    return NULL;
}

/* A context; without a cache (cache "") it has the default knobs, not those that were kept. */
static enum clump_status open_plain(const struct bench_settings *settings, const char *device,
                                    const char *cache, clump_context **context)
{
    struct clump_context_params params = clump_context_defaults;
    params.log = settings->log;
    params.device = device;
    params.cache_dir = cache;
    return clump_context_create(&params, context);
}

static enum clump_status run_once(const struct search *s, clump_context *context,
                                  const struct pair_input *in, struct pair_output *out, double *ms)
{
    double start = clump_now_ms();
    enum clump_status status = s->pair.run(context, &s->test, in, out);
    if (!status)
        status = clump_context_finish(context);
    *ms = clump_now_ms() - start;
    return status;
}

/* Opens a context with one value of the knob, and looks whether its result is right. */
static enum clump_status enter(const struct search *s, struct trial *trial,
                               const struct pair_input *reference, const struct pair_output *right)
{
    char index[16], message[256];
    struct pair_output out = {0};
    double ms;
    snprintf(index, sizeof index, "%" PRIu32, s->device->index);
    enum clump_status status = open_plain(s->settings, index, "", &trial->context);
    if (status)
        return status;
    for (size_t i = 0; i < clump_knob_count; i++)
        clump_knob_set(trial->context, i, s->values[i]);
    clump_knob_set(trial->context, s->knob, trial->value);
    status = pair_input_make(trial->context, &s->pair, &s->test, &trial->in);
    if (!status)
        status = run_once(s, trial->context, &trial->in, &out, &ms);
    trial->good = !status &&
                  pair_compare(&s->pair, &s->test, reference, right, &out, message, sizeof message);
    pair_output_release(&out);
    return status;
}

static enum clump_status take_turns(struct search *s)
{
    enum clump_status status = CLUMP_OK;
    for (int turn = 0; turn < TURNS; turn++)
        for (size_t i = 0; i < s->count; i++) {
            struct trial *trial = &s->trials[i];
            double spent = 0, ms = 0;
            for (int run = -1; trial->good && !status && (run < 1 || spent < TURN_MS); run++) {
                struct pair_output out = {0};
                status = run_once(s, trial->context, &trial->in, &out, &ms);
                pair_output_release(&out);
                if (run >= 0)
                    samples_add(&trial->times, ms);
                spent += ms;
            }
        }
    return status;
}

static uint32_t tell_best(const struct search *s, uint32_t usual, FILE *out,
                          struct bench_tuned *tuned)
{
    double best = INFINITY, before = INFINITY;
    uint32_t value = usual;
    fprintf(out, "  %-16s", clump_knob_name(s->knob));
    for (size_t i = 0; i < s->count; i++) {
        const struct trial *trial = &s->trials[i];
        double ms = trial->good ? samples_summary(&trial->times).median : (double)NAN;
        tuned->trials[tuned->count].value = trial->value;
        tuned->trials[tuned->count++].ms = ms;
        fprintf(out, " %" PRIu32 "%s: %.3f ms", trial->value,
                trial->value == usual ? " (default)" : "", ms);
        if (trial->value == usual)
            before = ms;
        if (ms < best) {
            best = ms;
            value = trial->value;
        }
    }
    if (!(best < before * (1 - LEAST_WIN)))
        value = usual;
    fprintf(out, "  -> %" PRIu32 "\n", value);
    tuned->device = s->device->index;
    tuned->knob = clump_knob_name(s->knob);
    tuned->usual = usual;
    tuned->value = value;
    return value;
}

static enum clump_status search_knob(struct search *s, clump_context *reference,
                                     const uint32_t *candidates, uint32_t *value, FILE *out,
                                     struct bench_report *report)
{
    struct pair_input in = {0};
    struct pair_output right = {0};
    double ms;
    s->settings->tell("clump bench: tuning %s on %s", clump_knob_name(s->knob), s->device->name);
    enum clump_status status = pair_input_make(reference, &s->pair, &s->test, &in);
    if (!status)
        status = run_once(s, reference, &in, &right, &ms);
    for (size_t i = 0; i < s->count && !status; i++) {
        s->trials[i].value = candidates[i];
        status = enter(s, &s->trials[i], &in, &right);
    }
    if (!status)
        status = take_turns(s);
    struct bench_tuned *tuned = status ? NULL : bench_add_tuned(report);
    if (tuned)
        *value = tell_best(s, *value, out, tuned);
    else if (!status)
        status = CLUMP_ERROR_MEMORY;
    for (size_t i = 0; i < s->count; i++) {
        pair_input_release(&s->trials[i].in);
        samples_release(&s->trials[i].times);
        clump_context_destroy(&s->trials[i].context);
    }
    pair_output_release(&right);
    pair_input_release(&in);
    return status;
}

static enum clump_status tune_device(const struct bench_settings *settings,
                                     const struct clump_device *device, clump_context *reference,
                                     FILE *out, struct bench_report *report)
{
    uint32_t values[16], candidates[CLUMP_KNOB_VALUES];
    char index[16];
    clump_context *plain = NULL, *kept = NULL;
    snprintf(index, sizeof index, "%" PRIu32, device->index);
    enum clump_status status = open_plain(settings, index, "", &plain);
    if (!status)
        status = open_plain(settings, index, NULL, &kept);
    fprintf(out, "%d %s, %s\n", (int)device->index, device->name, device->platform);
    for (size_t i = 0; i < clump_knob_count && !status; i++)
        values[i] = clump_knob_get(plain, i);
    for (size_t i = 0; i < clump_knob_count && !status; i++) {
        const struct bench_case *item = case_of(clump_knob_name(i));
        struct search s = {.settings = settings, .device = device, .knob = i, .values = values};
        s.pair = bench_pair(item);
        s.test = bench_test(item, SIZE);
        s.count = clump_knob_candidates(plain, i, candidates);
        if (s.count > 1)
            status = search_knob(&s, reference, candidates, &values[i], out, report);
    }
    for (size_t i = 0; i < clump_knob_count && !status; i++)
        clump_knob_set(kept, i, values[i]);
    if (!status && !clump_tuned_write(kept))
        fprintf(out, "  not kept: there is no folder for caches\n");
    clump_context_destroy(&plain);
    clump_context_destroy(&kept);
    return status;
}

enum clump_status bench_tune(const struct bench_settings *settings, FILE *out,
                             struct bench_report *report)
{
    clump_context *reference = NULL;
    enum clump_status status = open_plain(settings, "reference", NULL, &reference);
    for (size_t i = 0; i < settings->device_count && !status; i++)
        status = tune_device(settings, &settings->devices[i], reference, out, report);
    clump_context_destroy(&reference);
    return status;
}
