/* SPDX-License-Identifier: MIT */
#include "opencl/core/opencl.h"

#include <stdio.h>
#include <stdlib.h>

static void sizes_text(unsigned dims, const size_t *sizes, char *text, size_t room)
{
    size_t used = 0;
    if (!sizes)
        snprintf(text, room, "any");
    for (unsigned d = 0; sizes && d < dims && used < room; d++)
        used += (size_t)snprintf(text + used, room - used, "%s%zu", d ? "x" : "", sizes[d]);
}

struct name {
    char text[64];
};

static struct name name_of(cl_kernel kernel)
{
    struct name name = {"?"};
    clump_cl.GetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name.text - 1, name.text, NULL);
    return name;
}

cl_event *clump_event_place(clump_context *context, enum timed_kind kind)
{
    struct opencl *opencl = context->opencl;
    if (!context->profiling || !opencl->has_events)
        return NULL;
    if (opencl->event_count == opencl->event_room) {
        size_t room = opencl->event_room ? opencl->event_room * 2 : 64;
        struct timed *more = realloc(opencl->events, room * sizeof *more);
        if (!more)
            return NULL;
        opencl->events = more;
        opencl->event_room = room;
    }
    opencl->events[opencl->event_count].kind = kind;
    return &opencl->events[opencl->event_count].event;
}

void clump_event_keep(clump_context *context, const cl_event *event)
{
    if (event)
        context->opencl->event_count++;
}

struct clump_arg clump_arg_part(const clump_image *image, uint64_t pixels)
{
    struct clump_arg arg = CLUMP_ARG_IMAGE(image);
    uint64_t all = image->rows * image->cols;
    if (pixels < all)
        arg.pixels = (size_t)((double)image->bytes * (double)pixels / (double)all);
    return arg;
}

enum clump_status clump_launch(clump_context *context, cl_kernel kernel, unsigned dims,
                               const size_t *global, const size_t *local,
                               const struct clump_arg *args, unsigned count)
{
    struct opencl *opencl = context->opencl;
    char global_text[80], local_text[80];
    for (unsigned i = 0; i < count; i++) {
        cl_int error = clump_cl.SetKernelArg(kernel, i, args[i].size, args[i].value);
        if (error != CL_SUCCESS)
            return clump_cl_fail(context, error, "kernel %s, argument %u of %u, %zu bytes",
                                 name_of(kernel).text, i, count, args[i].size);
        context->profile.bytes += args[i].pixels;
    }
    cl_event *event = clump_event_place(context, TIMED_LAUNCH);
    cl_int error = clump_cl.EnqueueNDRangeKernel(opencl->queue, kernel, dims, NULL, global, local,
                                                 0, NULL, event);
    if (error != CL_SUCCESS) {
        sizes_text(dims, global, global_text, sizeof global_text);
        sizes_text(dims, local, local_text, sizeof local_text);
        return clump_cl_fail(context, error,
                             "launching kernel %s over %s work-items in groups of %s",
                             name_of(kernel).text, global_text, local_text);
    }
    clump_event_keep(context, event);
    context->profile.launches++;
    return CLUMP_OK;
}

enum clump_status clump_launch_rows(clump_context *context, cl_kernel kernel, uint64_t rows,
                                    uint64_t cols, const struct clump_arg *args, unsigned count)
{
    size_t group = context->opencl->layout.group;
    size_t local[2] = {group, 1};
    size_t global[2] = {((size_t)cols + group - 1) / group * group, (size_t)rows};
    return clump_launch(context, kernel, 2, global, local, args, count);
}

enum clump_status clump_launch_flat(clump_context *context, cl_kernel kernel, uint64_t n,
                                    const struct clump_arg *args, unsigned count)
{
    size_t group = context->opencl->layout.group;
    size_t global = ((size_t)n + group - 1) / group * group;
    return clump_launch(context, kernel, 1, &global, &group, args, count);
}

void clump_launch_collect(clump_context *context)
{
    struct opencl *opencl = context->opencl;
    for (size_t i = 0; i < opencl->event_count; i++) {
        cl_ulong start = 0, end = 0;
        cl_event event = opencl->events[i].event;
        struct clump_profile *profile = &context->profile;
        double *const sums[] = {&profile->device_ms, &profile->upload_ms, &profile->download_ms};
        if (clump_cl.GetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start,
                                           NULL) == CL_SUCCESS &&
            clump_cl.GetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end,
                                           NULL) == CL_SUCCESS)
            *sums[opencl->events[i].kind] += (double)(end - start) * 1e-6;
        clump_cl.ReleaseEvent(event);
    }
    opencl->event_count = 0;
}
