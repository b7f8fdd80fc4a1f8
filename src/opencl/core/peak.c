/* SPDX-License-Identifier: MIT */
#include "opencl/core/peak.h"

#include <stdio.h>
#include <stdlib.h>

#include "opencl/core/opencl.h"

#define TURNS        60000 /* of each chain of peak_fma */
#define CHAINS       12
#define LEAST_RUNS   5
#define FINE_ITEMS   (1 << 14) /* work-items of a fine launch */
#define LEAST_BYTES  (16 * FINE_ITEMS * sizeof(float))
#define BUILD_OPTION 64
#define ATOMIC_TURNS 1000
#define APART        16 /* counters between those of two work-items: a line of cache */

/* A launch that is timed repeatedly. */
struct load {
    clump_context *context;
    cl_kernel kernel;
    size_t global, local;
    struct clump_arg args[3];
};

/* The best wall time of a launch in ms. */
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
        if (run && (!*best || took < *best)) /* the first run may compile */
            *best = took;
    }
    return CLUMP_OK;
}

static enum clump_status measure_memory(clump_context *context, cl_mem in, cl_mem out, size_t bytes,
                                        double seconds, struct clump_peak *limits)
{
    const struct layout *layout = &context->opencl->layout;
    char options[BUILD_OPTION];
    double best = 0;
    uint32_t lanes = layout->coarse ? layout->vector : 4;
    struct load load = {.context = context,
                        .global = layout->coarse ? layout->workers : FINE_ITEMS,
                        .local = layout->coarse ? 1 : layout->group};
    size_t grain = 4 * lanes * load.global;
    cl_ulong n = bytes / sizeof(float) / grain * grain;
    load.args[0] = CLUMP_ARG(in);
    load.args[1] = CLUMP_ARG(n);
    load.args[2] = CLUMP_ARG(out);
    snprintf(options, sizeof options, "-DT=float -DLANES=%u", lanes);
    enum clump_status status =
        clump_kernel(context, "common/peak", options, "peak_copy", &load.kernel);
    if (!status)
        status = best_time(&load, seconds, &best);
    if (status)
        return status;
    limits->copy_gbs = 2e-6 * (double)n * sizeof(float) / best;
    status = clump_kernel(context, "common/peak", options, "peak_read", &load.kernel);
    if (!status)
        status = best_time(&load, seconds, &best);
    if (!status)
        limits->read_gbs = 1e-6 * (double)n * sizeof(float) / best;
    return status;
}

static enum clump_status measure_fma(clump_context *context, bool wide, cl_mem out, double seconds,
                                     double *gflops)
{
    const struct layout *layout = &context->opencl->layout;
    uint32_t turns = TURNS, lanes = !layout->coarse ? 1
                                    : wide          ? layout->vector / 2
                                                    : layout->vector;
    float near_one = 1 - 0x1p-20f;
    double near_one_f64 = 1 - 0x1p-20;
    char options[BUILD_OPTION];
    double best = 0;
    lanes = lanes == 2 ? 4 : lanes;
    struct load load = {.context = context,
                        .global = layout->coarse ? layout->workers : FINE_ITEMS,
                        .local = layout->coarse ? 1 : layout->group};
    load.args[0] = CLUMP_ARG(turns);
    load.args[1] = wide ? CLUMP_ARG(near_one_f64) : CLUMP_ARG(near_one);
    load.args[2] = CLUMP_ARG(out);
    snprintf(options, sizeof options, "-DT=%s -DLANES=%u", wide ? "double" : "float", lanes);
    enum clump_status status =
        clump_kernel(context, "common/peak", options, "peak_fma", &load.kernel);
    if (!status)
        status = best_time(&load, seconds, &best);
    if (!status)
        *gflops = 2e-6 * CHAINS * lanes * TURNS * (double)load.global / best;
    return status;
}

static enum clump_status measure_integer(clump_context *context, cl_mem out, double seconds,
                                         struct clump_peak *limits)
{
    const struct layout *layout = &context->opencl->layout;
    uint32_t turns = TURNS, odd = 2654435761u, lanes = layout->coarse ? layout->vector : 1;
    char options[BUILD_OPTION];
    double best = 0;
    struct load load = {.context = context,
                        .global = layout->coarse ? layout->workers : FINE_ITEMS,
                        .local = layout->coarse ? 1 : layout->group,
                        .args = {CLUMP_ARG(turns), CLUMP_ARG(odd), CLUMP_ARG(out)}};
    snprintf(options, sizeof options, "-DLANES=%u", lanes);
    enum clump_status status =
        clump_kernel(context, "common/peak_rates", options, "peak_integer", &load.kernel);
    if (!status)
        status = best_time(&load, seconds, &best);
    if (!status)
        limits->integer = 2e-6 * CHAINS * lanes * TURNS * (double)load.global / best;
    return status;
}

/* Launches of work-items that do hardly anything, or only add to counters. */
static enum clump_status measure_counters(clump_context *context, cl_mem out, double seconds,
                                          struct clump_peak *limits)
{
    const struct layout *layout = &context->opencl->layout;
    uint32_t turns = ATOMIC_TURNS, apart = 0;
    double best = 0;
    struct load load = {.context = context,
                        .global = layout->coarse ? layout->workers : FINE_ITEMS,
                        .local = layout->coarse ? 1 : layout->group,
                        .args = {CLUMP_ARG(turns), CLUMP_ARG(apart), CLUMP_ARG(out)}};
    enum clump_status status =
        clump_kernel(context, "common/peak_rates", "-DLANES=1", "peak_nothing", &load.kernel);
    if (!status)
        status = best_time(&load, seconds, &best);
    limits->launch_us = 1e3 * best;
    if (!status)
        status =
            clump_kernel(context, "common/peak_rates", "-DLANES=1", "peak_atomics", &load.kernel);
    if (!status)
        status = best_time(&load, seconds, &best);
    limits->atomics_one = 1e-6 * ATOMIC_TURNS * (double)load.global / best;
    apart = APART;
    if (!status)
        status = best_time(&load, seconds, &best);
    limits->atomics_apart = 1e-6 * ATOMIC_TURNS * (double)load.global / best;
    return status;
}

/* What a program sees that copies its own memory to the device and back. */
static enum clump_status measure_transfers(clump_context *context, cl_mem memory, size_t bytes,
                                           double seconds, struct clump_peak *limits)
{
    double up = 0, down = 0, begin = clump_now_ms();
    enum clump_status status = CLUMP_OK;
    void *host = calloc(1, bytes);
    if (!host)
        return CLUMP_ERROR_MEMORY;
    for (unsigned run = 0; !status && (run < LEAST_RUNS || clump_now_ms() - begin < seconds * 1e3);
         run++) {
        double start = clump_now_ms();
        status = clump_buffer_write(context, memory, host, bytes);
        if (!status)
            status = clump_context_finish(context);
        double written = clump_now_ms();
        if (!status)
            status = clump_buffer_read(context, memory, host, bytes);
        double read = clump_now_ms();
        up = !run || written - start < up ? written - start : up;
        down = !run || read - written < down ? read - written : down;
    }
    free(host);
    limits->upload_gbs = 1e-6 * (double)bytes / up;
    limits->download_gbs = 1e-6 * (double)bytes / down;
    return status;
}

enum clump_status clump_peak_measure(clump_context *context, size_t bytes, double seconds,
                                     struct clump_peak *limits)
{
    cl_mem in = NULL, out = NULL;
    struct clump_peak made = {0};
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
    if (!status)
        status = measure_integer(context, out, seconds, &made);
    if (!status)
        status = measure_counters(context, out, seconds, &made);
    if (!status)
        status = measure_transfers(context, out, bytes, seconds, &made);
    clump_buffer_return(context, &out);
    clump_buffer_return(context, &in);
    if (!status)
        *limits = made;
    return status;
}
