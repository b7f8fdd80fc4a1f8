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

static enum clump_status set_args(clump_context *context, cl_kernel kernel,
                                  const struct clump_arg *args, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        cl_int error = clump_cl.SetKernelArg(kernel, i, args[i].size, args[i].value);
        if (error != CL_SUCCESS)
            return clump_cl_fail(context, error, "kernel %s, argument %u of %u, %zu bytes",
                                 name_of(kernel).text, i, count, args[i].size);
        context->profile.bytes += args[i].pixels;
    }
    return CLUMP_OK;
}

/* Enqueues the work-items from `offset` on (NULL: from 0) of a kernel that has its arguments. */
static enum clump_status enqueue(clump_context *context, cl_kernel kernel, unsigned dims,
                                 const size_t *offset, const size_t *global, const size_t *local)
{
    char global_text[80], local_text[80];
    cl_event *event = clump_event_place(context, TIMED_LAUNCH);
    cl_int error = clump_cl.EnqueueNDRangeKernel(context->opencl->queue, kernel, dims, offset,
                                                 global, local, 0, NULL, event);
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

enum clump_status clump_launch(clump_context *context, cl_kernel kernel, unsigned dims,
                               const size_t *global, const size_t *local,
                               const struct clump_arg *args, unsigned count)
{
    enum clump_status status = set_args(context, kernel, args, count);
    return status ? status : enqueue(context, kernel, dims, NULL, global, local);
}

/* How far one part of a launch reaches along its last dimension: a multiple of the group's size
 * there, and at least that. */
static size_t part_of(const struct bounds *bounds, unsigned dims, const size_t *global,
                      const size_t *local, double work)
{
    unsigned last = dims - 1;
    double across = last ? (double)global[0] : 1; /* work-items per step along that dimension */
    double most = (double)bounds->launch_items / across;
    if (last && most > (double)bounds->launch_groups * (double)local[last])
        most = (double)bounds->launch_groups * (double)local[last];
    if (most > (double)bounds->launch_work / (across * work))
        most = (double)bounds->launch_work / (across * work);
    if (most >= (double)global[last])
        return global[last];
    size_t groups = (size_t)(most / (double)local[last]);
    return (groups ? groups : 1) * local[last];
}

enum clump_status clump_launch_parts(clump_context *context, cl_kernel kernel, unsigned dims,
                                     const size_t *global, const size_t *local, double work,
                                     const struct clump_arg *args, unsigned count)
{
    unsigned last = dims - 1;
    size_t part = part_of(&context->opencl->bounds, dims, global, local, work);
    size_t from[2] = {0, 0}, some[2] = {global[0], global[last]};
    enum clump_status status = set_args(context, kernel, args, count);
    for (; !status && from[last] < global[last]; from[last] += part) {
        size_t left = global[last] - from[last];
        some[last] = left < part ? left : part;
        status = enqueue(context, kernel, dims, from[last] ? from : NULL, some, local);
        if (!status && left > part) /* else a driver may send all parts to the device as one */
            clump_cl.Flush(context->opencl->queue);
    }
    return status;
}

enum clump_status clump_launch_heavy_rows(clump_context *context, cl_kernel kernel, uint64_t rows,
                                          uint64_t cols, double work, const struct clump_arg *args,
                                          unsigned count)
{
    size_t group = context->opencl->layout.group;
    size_t local[2] = {group, 1};
    size_t global[2] = {((size_t)cols + group - 1) / group * group, (size_t)rows};
    return clump_launch_parts(context, kernel, 2, global, local, work, args, count);
}

enum clump_status clump_launch_rows(clump_context *context, cl_kernel kernel, uint64_t rows,
                                    uint64_t cols, const struct clump_arg *args, unsigned count)
{
    return clump_launch_heavy_rows(context, kernel, rows, cols, 1, args, count);
}

enum clump_status clump_launch_flat(clump_context *context, cl_kernel kernel, uint64_t n,
                                    const struct clump_arg *args, unsigned count)
{
    size_t group = context->opencl->layout.group;
    size_t global = ((size_t)n + group - 1) / group * group;
    return clump_launch_parts(context, kernel, 1, &global, &group, 1, args, count);
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
