/* SPDX-License-Identifier: MIT */
#include "run.h"

#include <inttypes.h>

#define MOST (UINT32_C(1) << 31)

static bool list;
static uint32_t below, repeats;

static const struct option options[] = {
    {"list", 'l', OPTION_FLAG, &list, NULL, "print them, one a line (`primes` in JSON)"},
    {"repeat", 'r', OPTION_UNSIGNED, &repeats, "N",
     "time N calls after 10 that are not counted (`benchmark` in JSON)"},
    {0},
};

static enum clump_status print_list(struct run *run, clump_image *mask, json_t *json)
{
    void *pixels;
    enum clump_status status = clump_image_map(mask, CLUMP_IMAGE_READ, &pixels);
    if (status)
        return status;
    const uint32_t *words = pixels;
    json_t *primes = json_array();
    for (uint32_t n = 0; n < below; n++)
        if (words[n / 32] >> n % 32 & 1) {
            run_print(run, "%" PRIu32 "\n", n);
            if (common.json)
                json_array_append_new(primes, json_integer(n));
        }
    json_object_set_new(json, "primes", primes);
    return clump_image_unmap(mask);
}

static enum clump_status call(clump_context *context, void *user)
{
    return clump_primes(context, below, NULL, user);
}

static void tell_times(struct run *run, json_t *json, const char *name,
                       const struct clump_benchmark_times *times)
{
    json_t *object = json_object();
    json_object_set_new(object, "min", run_json_real(times->min));
    json_object_set_new(object, "median", run_json_real(times->median));
    json_object_set_new(object, "mean", run_json_real(times->mean));
    json_object_set_new(object, "std", run_json_real(times->std));
    json_object_set_new(json, name, object);
    run_print(run, "%-7s min %.4f, median %.4f, mean %.4f, std %.4f ms\n", name, times->min,
              times->median, times->mean, times->std);
}

static enum clump_status repeat(struct run *run, json_t *json)
{
    struct clump_benchmark_params params = clump_benchmark_defaults;
    struct clump_benchmark_result result;
    uint64_t count;
    params.repeats = repeats;
    enum clump_status status = clump_benchmark(run->context, call, &count, &params, &result);
    if (status)
        return status;
    json_t *object = json_object();
    json_object_set_new(object, "repeats", json_integer(result.repeats));
    tell_times(run, object, "host", &result.host);
    tell_times(run, object, "wall", &result.wall);
    tell_times(run, object, "device", &result.device);
    json_object_set_new(json, "benchmark", object);
    return CLUMP_OK;
}

static enum clump_status count_primes(struct run *run, const char *path, json_t *json)
{
    (void)path;
    clump_image *mask = NULL;
    uint64_t count = 0;
    double start = run_now_ms();
    enum clump_status status = clump_primes(run->context, below, list ? &mask : NULL, &count);
    double time = run_now_ms() - start;
    if (!status && list)
        status = print_list(run, mask, json);
    if (!status) {
        json_object_set_new(json, "below", json_integer(below));
        json_object_set_new(json, "count", json_integer((json_int_t)count));
        json_object_set_new(json, "time_ms", json_real(time));
        if (!list)
            run_print(run, "%" PRIu64 " primes below %" PRIu32 "\n", count, below);
        if (!common.quiet)
            fprintf(stderr, "clump primes: %.3f ms on %s\n", time,
                    clump_context_device(run->context)->name);
    }
    clump_image_destroy(&mask);
    if (!status && repeats)
        status = repeat(run, json);
    return status;
}

static int run_primes(struct run *run)
{
    const struct option number = {"N", 0, OPTION_UNSIGNED, &below, "N", NULL};
    if (!options_value("clump primes", "N", &number, run->operands[0]))
        return EXIT_USAGE;
    if (below > MOST)
        return run_misuse(run, "N may be at most %" PRIu32 ", not %" PRIu32, MOST, below);
    return run_once(run, count_primes);
}

const struct command command_primes = {
    .name = "primes",
    .summary = "Counts the primes below N by trial division, and times it",
    .usage = "N",
    .about = "Every candidate up to n/2 is tried for every n, whatever has been learnt before, so\n"
             "that the times of devices compare. The time includes getting the kernel ready.",
    .examples = "  clump primes 10000\n"
                "  clump primes 100 --list\n"
                "  clump primes 10000 --repeat 20\n"
                "  clump primes 10000 --device reference --json\n",
    .options = options,
    .least = 1,
    .most = 1,
    .run = run_primes,
};
