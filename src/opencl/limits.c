/* SPDX-License-Identifier: MIT */
#include "opencl/limits.h"

#include <stdio.h>

#include "opencl/opencl.h"

#define TURNS        60000 /* of the chains of bench_fma */
#define CHAINS       12
#define LEAST_RUNS   5
#define THIN_ITEMS   (1 << 14) /* work-items of a device that likes many */
#define LEAST_BYTES  (16 * THIN_ITEMS * sizeof(float))
#define BUILD_OPTION 64

/* One launch, again and again. */
struct load {
    clump_context *context;
    cl_kernel kernel;
    size_t global, local;
    struct clump_arg args[3];
};

/* The best wall time in ms, NaN never: a failure is a status. */
static enum clump_status best_time(const struct load *load, double seconds, double *best)
{
    double begin = clump_now_ms();
    *best = 0;
    for (unsigned run = 0; run <= LEAST_RUNS || clump_now_ms() - begin < seconds * 1e3; run++) {
        double start = clump_now_ms();
        enum clump_status status = clump_launch(load->context, load->kernel, 1, &load->global,
                                                &load->local, load->args, 3);
        if (!status)
            status = clump_context_finish(load->context);
        if (status)
            return status;
        double took = clump_now_ms() - start;
        if (run && (!*best || took < *best)) /* the first one may compile */
            *best = took;
    }
    return CLUMP_OK;
}

static enum clump_status measure_memory(clump_context *context, cl_mem in, cl_mem out, size_t bytes,
                                        double seconds, struct clump_limits *limits)
{
    const struct shape *shape = &context->opencl->shape;
    char options[BUILD_OPTION];
    double best = 0;
    uint32_t lanes = shape->fat ? shape->vector : 4;
    struct load load = {.context = context,
                        .global = shape->fat ? shape->workers : THIN_ITEMS,
                        .local = shape->fat ? 1 : shape->group};
    size_t grain = 4 * lanes * load.global;
    cl_ulong n = bytes / sizeof(float) / grain * grain;
    load.args[0] = CLUMP_ARG(in);
    load.args[1] = CLUMP_ARG(n);
    load.args[2] = CLUMP_ARG(out);
    snprintf(options, sizeof options, "-DT=float -DLANES=%u", lanes);
    enum clump_status status = clump_kernel(context, "bench", options, "bench_copy", &load.kernel);
    if (!status)
        status = best_time(&load, seconds, &best);
    if (status)
        return status;
    limits->copy_gbs = 2e-6 * (double)n * sizeof(float) / best;
    status = clump_kernel(context, "bench", options, "bench_read", &load.kernel);
    if (!status)
        status = best_time(&load, seconds, &best);
    if (!status)
        limits->read_gbs = 1e-6 * (double)n * sizeof(float) / best;
    return status;
}

static enum clump_status measure_fma(clump_context *context, bool wide, cl_mem out, double seconds,
                                     double *gflops)
{
    const struct shape *shape = &context->opencl->shape;
    uint32_t turns = TURNS, lanes = !shape->fat ? 1 : wide ? shape->vector / 2 : shape->vector;
    float near_one = 1 - 0x1p-20f;
    double near_one_f64 = 1 - 0x1p-20;
    char options[BUILD_OPTION];
    double best = 0;
    lanes = lanes == 2 ? 4 : lanes;
    struct load load = {.context = context,
                        .global = shape->fat ? shape->workers : THIN_ITEMS,
                        .local = shape->fat ? 1 : shape->group};
    load.args[0] = CLUMP_ARG(turns);
    load.args[1] = wide ? CLUMP_ARG(near_one_f64) : CLUMP_ARG(near_one);
    load.args[2] = CLUMP_ARG(out);
    snprintf(options, sizeof options, "-DT=%s -DLANES=%u", wide ? "double" : "float", lanes);
    enum clump_status status = clump_kernel(context, "bench", options, "bench_fma", &load.kernel);
    if (!status)
        status = best_time(&load, seconds, &best);
    if (!status)
        *gflops = 2e-6 * CHAINS * lanes * TURNS * (double)load.global / best;
    return status;
}

enum clump_status clump_limits_measure(clump_context *context, size_t bytes, double seconds,
                                       struct clump_limits *limits)
{
    cl_mem in = NULL, out = NULL;
    struct clump_limits made = {0};
    if (bytes < LEAST_BYTES)
        bytes = LEAST_BYTES;
    enum clump_status status = clump_buffer_borrow(context, bytes, &in);
    if (!status)
        status = clump_buffer_borrow(context, bytes, &out);
    if (!status)
        status = clump_buffer_fill(context, in, 0, bytes);
    if (!status)
        status = clump_buffer_fill(context, out, 0, bytes);
    if (!status)
        status = measure_memory(context, in, out, bytes, seconds, &made);
    if (!status)
        status = measure_fma(context, false, out, seconds, &made.fma_f32);
    if (!status && context->device.fp64)
        status = measure_fma(context, true, out, seconds, &made.fma_f64);
    clump_buffer_return(context, &out);
    clump_buffer_return(context, &in);
    if (!status)
        *limits = made;
    return status;
}
