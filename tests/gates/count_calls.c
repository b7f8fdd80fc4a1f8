/* SPDX-License-Identifier: MIT */
/*
 * Counts the launches of an operation and the calls in which the host waits for the device.
 *
 *   count_calls SIZE PAIR[:SEED]...
 *
 * runs each pair once in the fine layout with groups of 64, on its picture of SIZE x SIZE pixels,
 * and prints "# begin PAIR" before it and "# end PAIR LAUNCHES WAITS STATUS" after it, so that what
 * a simulator prints meanwhile can be told to belong to the pair. The device is CLUMP_TEST_DEVICE,
 * or else the default one.
 */
#include "pair.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/core/opencl.h"

static struct clump_cl real;
static unsigned launches, waits;

static cl_int launch(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                     const size_t *offset, const size_t *global, const size_t *local, cl_uint count,
                     const cl_event *wait, cl_event *event)
{
    launches++;
    return real.EnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, count, wait,
                                     event);
}

static cl_int read_buffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                          size_t bytes, void *memory, cl_uint count, const cl_event *wait,
                          cl_event *event)
{
    waits += blocking != CL_FALSE;
    return real.EnqueueReadBuffer(queue, buffer, blocking, offset, bytes, memory, count, wait,
                                  event);
}

static cl_int write_buffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                           size_t bytes, const void *memory, cl_uint count, const cl_event *wait,
                           cl_event *event)
{
    waits += blocking != CL_FALSE;
    return real.EnqueueWriteBuffer(queue, buffer, blocking, offset, bytes, memory, count, wait,
                                   event);
}

static void *map_buffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_map_flags flags,
                        size_t offset, size_t bytes, cl_uint count, const cl_event *wait,
                        cl_event *event, cl_int *error)
{
    waits += blocking != CL_FALSE;
    return real.EnqueueMapBuffer(queue, buffer, blocking, flags, offset, bytes, count, wait, event,
                                 error);
}

static cl_int finish(cl_command_queue queue)
{
    waits++;
    return real.Finish(queue);
}

static void count_calls(void)
{
    real = clump_cl;
    clump_cl.EnqueueNDRangeKernel = launch;
    clump_cl.EnqueueReadBuffer = read_buffer;
    clump_cl.EnqueueWriteBuffer = write_buffer;
    clump_cl.EnqueueMapBuffer = map_buffer;
    clump_cl.Finish = finish;
}

static bool run(clump_context *context, const struct pair *pair, uint64_t size, const char *name)
{
    const char *seed = strchr(name, ':');
    struct pair_case test = {size, size, CLUMP_F32, seed ? strtoul(seed + 1, NULL, 10) : 0};
    struct pair_input in = {0};
    struct pair_output out = {0};
    for (unsigned type = CLUMP_TYPE_COUNT; type-- > 0 && !(pair->types & 1u << CLUMP_F32);)
        if (pair->types & 1u << type)
            test.type = (enum clump_type)type;
    enum clump_status status = pair_input_make(context, pair, &test, &in);
    if (!status)
        status = clump_context_finish(context);
    printf("# begin %s\n", name);
    fflush(stdout);
    launches = waits = 0;
    if (!status)
        status = pair->run(context, &test, &in, &out);
    unsigned own_launches = launches, own_waits = waits;
    if (!status)
        status = clump_context_finish(context); /* a simulator may not have begun before */
    printf("# end %s %u %u %s\n", name, own_launches, own_waits, clump_status_text(status));
    fflush(stdout);
    pair_output_release(&out);
    pair_input_release(&in);
    return status == CLUMP_OK;
}

int main(int argc, char **argv)
{
    struct clump_context_params params = clump_context_defaults;
    clump_context *context = NULL;
    bool ok = true;
    if (argc < 3) {
        fprintf(stderr, "usage: count_calls SIZE PAIR...\n");
        return 2;
    }
    params.device = getenv("CLUMP_TEST_DEVICE");
    params.layout = CLUMP_CONTEXT_LAYOUT_FINE;
    params.group_limit = 64;
    if (clump_context_create(&params, &context))
        return 1;
    printf("# %s\n", clump_context_device(context)->name);
    if (!context->opencl) {
        clump_context_destroy(&context);
        return 1;
    }
    context->device.shares_memory = false; /* as a GPU that has memory of its own */
    count_calls();
    for (int i = 2; i < argc; i++)
        for (const struct pair *const *p = pairs; *p; p++)
            if (strlen((*p)->name) == strcspn(argv[i], ":") &&
                !strncmp((*p)->name, argv[i], strcspn(argv[i], ":")))
                ok &= run(context, *p, strtoul(argv[1], NULL, 10), argv[i]);
    clump_context_destroy(&context);
    return !ok;
}
