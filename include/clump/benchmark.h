/* SPDX-License-Identifier: MIT */
/*
 * How long a call takes. Some calls warm up and are not counted, because kernels are built in the
 * first; then many are timed, each with the host's time and the device's time apart, as
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
    uint32_t repeats;     /* calls that are counted, at most; 1 or more */
    double most_ms;       /* no further call once the counted ones have taken this long; > 0 */
    uint64_t reserved[2]; /* 0 (clump.h) */
};

/* 10 calls to warm up and 100 that count, however long they take. */
CLUMP_API extern const struct clump_benchmark_params clump_benchmark_defaults;

/* Milliseconds. */
struct clump_benchmark_times {
    double min, median, mean, std;
    uint64_t reserved[2]; /* 0 (clump.h) */
};

struct clump_benchmark_result {
    uint32_t repeats;                    /* calls that were counted */
    struct clump_benchmark_times host;   /* until the call returned; the device may still be busy */
    struct clump_benchmark_times wall;   /* until the device was done */
    struct clump_benchmark_times device; /* of the kernels, by the device's clock; NaN where it has
                                            none */
    uint64_t reserved[4];                /* 0 (clump.h) */
};

/*
 * Calls `call` with `context` and `user` again and again. The first status of `call` other than
 * CLUMP_OK ends that and is returned. Restarts the context's profile (profile.h) and leaves it off.
 * `user` and `params` may be NULL. Blocks. Returns CLUMP_ERROR_ARGUMENT for 0 repeats.
 */
CLUMP_API enum clump_status
clump_benchmark(clump_context *context,
                enum clump_status (*call)(clump_context *context, void *user), void *user,
                const struct clump_benchmark_params *params, struct clump_benchmark_result *result);

#ifdef __cplusplus
}
#endif

#endif
