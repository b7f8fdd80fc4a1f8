/* SPDX-License-Identifier: MIT */
/*
 * How long a call takes, measured as it should be: some calls to warm up, which are not counted
 * (kernels are built in the first), then many, each with the host's and the device's time apart, as
 * cupyx.profiler.benchmark does. Host src/benchmark.c.
 */
#ifndef CLUMP_BENCHMARK_H
#define CLUMP_BENCHMARK_H

#include <stdint.h>

#include <clump/context.h>

#ifdef __cplusplus
extern "C" {
#endif

struct clump_benchmark_params {
    uint32_t warmup;      /* calls that are not counted */
    uint32_t repeats;     /* calls that are; 1 or more */
    double most_ms;       /* stop early when the counted calls have taken so long; > 0 */
    uint64_t reserved[2]; /* 0 (clump.h) */
};

/* 10 to warm up, 100 that count, however long that takes. */
CLUMP_API extern const struct clump_benchmark_params clump_benchmark_defaults;

/* Milliseconds. */
struct clump_benchmark_times {
    double min, median, mean, std;
    uint64_t reserved[2]; /* 0 (clump.h) */
};

struct clump_benchmark_result {
    uint32_t repeats;                  /* calls that were counted */
    struct clump_benchmark_times host; /* until the call came back, the device perhaps still busy */
    struct clump_benchmark_times wall; /* until the device was done */
    struct clump_benchmark_times device; /* kernels on the device, by its own clock; NaN where it
                                            keeps none */
    uint64_t reserved[4];                /* 0 (clump.h) */
};

/*
 * Calls `call` with `context` and `user` again and again. A status of `call` other than CLUMP_OK
 * ends it and is returned. Uses the context's profile (profile.h), which counts anew and is off
 * afterwards. `params` may be NULL. Blocks. Returns CLUMP_ERROR_ARGUMENT for no repeats.
 */
CLUMP_API enum clump_status
clump_benchmark(clump_context *context,
                enum clump_status (*call)(clump_context *context, void *user), void *user,
                const struct clump_benchmark_params *params, struct clump_benchmark_result *result);

#ifdef __cplusplus
}
#endif

#endif
