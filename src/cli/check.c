/* SPDX-License-Identifier: MIT */
#include "check.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "ahead.h"
#include "pair.h"
#include "progress.h"

/* Small odd shapes: tests/run_pairs is the thorough check, this is one for the owner's patience. */
static const struct {
    uint64_t rows, cols;
} shapes[] = {{1, 1}, {7, 3}, {65, 63}, {257, 129}};

#define SHAPES (sizeof shapes / sizeof *shapes)
#define SEEDS  2

/*
 * Nearly all the time of a first check is taken by building kernels, and every type has its own. So
 * the plain case of an operation, its first pair, has bytes and floats, and the pairs that vary its
 * parameters have one type, but for these. tests/run_pairs has them all.
 */
#define BYTES   (1u << CLUMP_U8)
#define FLOATS  (1u << CLUMP_F32)
#define DOUBLES (1u << CLUMP_F64)

static const struct {
    const char *pair;
    unsigned types;
} others[] = {
    {"convert", BYTES | 1u << CLUMP_I16 | FLOATS | DOUBLES}, /* one type of each size */
    {"stats_full", FLOATS | DOUBLES},
    {"convolve", FLOATS | DOUBLES},
    {"measure", FLOATS | DOUBLES},
};

/* What is checked of a pair. */
struct extent {
    unsigned types;
    size_t first_shape;
    uint64_t seeds;
};

static unsigned types_of(const struct pair *pair, bool plain)
{
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!strcmp(pair->name, others[i].pair))
            return pair->types & others[i].types;
    unsigned types = plain ? BYTES | FLOATS : FLOATS;
    if (pair->types & types)
        return pair->types & types;
    return pair->types & -pair->types; /* the first of them */
}

static struct extent extent_of(const struct pair *pair, bool plain)
{
    struct extent extent = {types_of(pair, plain), 0, SEEDS};
    if (!strcmp(pair->name, "convolve_fft")) /* from this shape on, one size of transform does */
        extent.first_shape = 2;
    if (!strcmp(pair->operation, "convolve") || (!plain && !strcmp(pair->operation, "morphology")))
        extent.seeds = 1; /* each has kernels of its own */
    return extent;
}

/* What the library says goes to the command's log, but for errors that are the right answer. */
struct listener {
    const struct clump_log *log;
    bool refused;
};

static void pass_on(void *user, enum clump_log_level level, const char *text)
{
    const struct listener *listener = user;
    if (!listener->refused || level != CLUMP_LOG_ERROR)
        listener->log->line(listener->log->user, level, text);
}

struct outcome {
    uint64_t cases, skipped, differing;
    double time_ms;
    char message[512]; /* the first difference */
};

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static void check_case(const struct pair *pair, const struct pair_case *test,
                       clump_context *reference, clump_context *device, struct outcome *outcome)
{
    char message[384] = "";
    bool skipped = false;
    bool same = pair_check(pair, test, reference, device, &skipped, message, sizeof message);
    outcome->cases += !skipped;
    outcome->skipped += skipped;
    if (!same && !outcome->differing++)
        snprintf(outcome->message, sizeof outcome->message,
                 "%" PRIu64 " x %" PRIu64 " %s, seed %" PRIu64 ": %s", test->rows, test->cols,
                 clump_type_text(test->type), test->seed, message);
}

/* A helper, see ahead.h, checks the last shape only: that has the kernels built. */
static void check_pair(const struct pair *pair, clump_context *reference, clump_context *device,
                       bool helper, const struct extent *extent, struct outcome *outcome)
{
    double start = now_ms();
    size_t first = helper ? SHAPES - 1 : extent->first_shape;
    uint64_t seeds = helper ? 1 : extent->seeds;
    for (int type = 0; type < CLUMP_TYPE_COUNT; type++)
        for (size_t shape = first; extent->types >> type & 1 && shape < SHAPES; shape++)
            for (uint64_t seed = 0; seed < seeds; seed++) {
                struct pair_case test = {shapes[shape].rows, shapes[shape].cols, type, seed};
                check_case(pair, &test, reference, device, outcome);
            }
    outcome->time_ms = now_ms() - start;
}

static void tell(struct run *run, const struct pair *pair, const struct outcome *outcome,
                 json_t *list)
{
    json_t *json = json_object();
    json_object_set_new(json, "name", run_json_text(pair->name));
    json_object_set_new(json, "operation", run_json_text(pair->operation));
    json_object_set_new(json, "cases", json_integer((json_int_t)outcome->cases));
    json_object_set_new(json, "skipped", json_integer((json_int_t)outcome->skipped));
    json_object_set_new(json, "differing", json_integer((json_int_t)outcome->differing));
    json_object_set_new(json, "time_ms", run_json_real(outcome->time_ms));
    json_array_append_new(list, json);
    run_print(run, "  %-22s %4" PRIu64 " cases %10.1f ms  %s%s\n", pair->name, outcome->cases,
              outcome->time_ms,
              outcome->differing ? "DIFFERS: "
              : outcome->cases   ? "agrees"
                                 : "not checked: the device has no doubles",
              outcome->message);
    fflush(stdout); /* a pipe shows each line as it comes, too */
}

static enum clump_status open_both(struct run *run, const struct clump_device *device,
                                   struct listener *listener, clump_context **reference,
                                   clump_context **context)
{
    char index[16];
    snprintf(index, sizeof index, "%" PRIu32, device->index);
    struct clump_context_params params = clump_context_defaults;
    params.log = (struct clump_log){.line = pass_on, .user = listener, .level = run->log.level};
    params.device = "reference";
    enum clump_status status = clump_context_create(&params, reference);
    params.device = index;
    params.building = ahead_building;
    params.building_user = run;
    ahead_plan(CLUMP_F32);
    return status ? status : clump_context_create(&params, context);
}

enum clump_status check_device(struct run *run, const struct clump_device *device, json_t *json)
{
    clump_context *reference = NULL, *context = NULL;
    uint64_t count = 0, differing = 0, cases = 0;
    size_t number = 0;
    double start = now_ms();
    enum clump_type type;
    bool helper = ahead_is_helper(&type);
    struct listener listener = {.log = &run->log};
    json_t *list = json_array();
    json_object_set_new(json, "check", list);
    run_print(run, "\n%" PRIu32 " %s against the reference:\n", device->index, device->name);
    fflush(stdout);
    while (pairs[number])
        number++;
    enum clump_status status = open_both(run, device, &listener, &reference, &context);
    for (; count < number && !status; count++) {
        size_t at = helper ? number - 1 - count : count;
        const struct pair *pair = pairs[at];
        bool plain = at == 0 || strcmp(pairs[at - 1]->operation, pair->operation);
        struct extent extent = extent_of(pair, plain);
        struct outcome outcome = {0};
        progress_set("clump devices: checking %s on %s", pair->name, device->name);
        listener.refused = pair->refused;
        check_pair(pair, reference, context, helper, &extent, &outcome);
        tell(run, pair, &outcome, list);
        differing += outcome.differing > 0;
        cases += outcome.cases;
    }
    clump_context_destroy(&context);
    clump_context_destroy(&reference);
    if (!status)
        run_print(run, "  %" PRIu64 " of %" PRIu64 " agree, %.1f s\n", count - differing, count,
                  (now_ms() - start) / 1e3);
    if (!status && !cases)
        status = run_fail(run, CLUMP_ERROR_UNSUPPORTED, "nothing was checked on %s", device->name);
    if (!status && differing)
        status = run_fail(run, CLUMP_ERROR_OPENCL,
                          "%s does not agree with the reference in %" PRIu64 " of %" PRIu64
                          " operations",
                          device->name, differing, count);
    return status;
}
