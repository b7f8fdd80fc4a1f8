/* SPDX-License-Identifier: MIT */
#include "opencl/core/opencl.h"

#include <stdlib.h>
#include <string.h>

#include <clump/opencl.h>

#include "device.h"

/* Sets what both ways of opening a context share: folders and layout. */
static enum clump_status prepare(clump_context *context, const struct clump_context_params *params)
{
    struct opencl *opencl = context->opencl;
    opencl->cache_dir = clump_cache_folder(params);
    opencl->building = params->building;
    opencl->building_user = params->building_user;
    if (params->kernel_dir) {
        opencl->kernel_dir = strdup(params->kernel_dir);
        if (!opencl->kernel_dir)
            return clump_fail(&context->log, CLUMP_ERROR_MEMORY, "context: cannot allocate memory");
    }
    const char *strict = getenv("CLUMP_KERNEL_WERROR");
    opencl->strict = strict && *strict;
    clump_layout_choose(context, params);
    opencl->declares = !strcmp(context->device.platform, "Portable Computing Language");
    return CLUMP_OK;
}

static enum clump_status create(clump_context *context)
{
    struct opencl *opencl = context->opencl;
    cl_int error;
    opencl->context = clump_cl.CreateContext(NULL, 1, &opencl->device, NULL, NULL, &error);
    if (!opencl->context)
        return clump_cl_fail(context, error, "opening the device (clCreateContext)");
    opencl->queue = clump_cl.CreateCommandQueue(opencl->context, opencl->device, 0, &error);
    opencl->own_queue = opencl->queue != NULL;
    if (!opencl->queue)
        return clump_cl_fail(context, error, "making a queue (clCreateCommandQueue)");
    return CLUMP_OK;
}

/* With times of commands some drivers take up to twice as long. */
void clump_opencl_profile(clump_context *context)
{
    struct opencl *opencl = context->opencl;
    cl_int error;
    if (opencl->has_events || !opencl->own_queue)
        return;
    cl_command_queue timed = clump_cl.CreateCommandQueue(opencl->context, opencl->device,
                                                         CL_QUEUE_PROFILING_ENABLE, &error);
    if (!timed)
        return;
    clump_cl.ReleaseCommandQueue(opencl->queue);
    opencl->queue = timed;
    opencl->has_events = true;
}

void clump_opencl_close(clump_context *context)
{
    struct opencl *opencl = context->opencl;
    if (!opencl || clump_cl_forked())
        return; /* what is the parent's is left alone */
    if (opencl->queue)
        clump_opencl_finish(context);
    clump_programs_release(opencl);
    clump_constants_release(opencl);
    clump_fft_release(opencl);
    clump_opencl_trim(context);
    if (opencl->queue)
        clump_cl.ReleaseCommandQueue(opencl->queue);
    if (opencl->context)
        clump_cl.ReleaseContext(opencl->context);
    free(opencl->events);
    free(opencl->kernel_dir);
    free(opencl->cache_dir);
    free(opencl);
    context->opencl = NULL;
}

enum clump_status clump_opencl_open(clump_context *context, void *handle,
                                    const struct clump_context_params *params)
{
    context->opencl = calloc(1, sizeof *context->opencl);
    if (!context->opencl)
        return clump_fail(&context->log, CLUMP_ERROR_MEMORY, "context: cannot allocate memory");
    context->opencl->device = handle;
    enum clump_status status = create(context);
    if (!status)
        status = prepare(context, params);
    if (status)
        clump_opencl_close(context);
    return status;
}

enum clump_status clump_opencl_finish(clump_context *context)
{
    cl_int error = clump_cl.Finish(context->opencl->queue);
    if (error != CL_SUCCESS)
        return clump_cl_fail(context, error, "waiting for the queue (clFinish)");
    clump_launch_collect(context);
    return CLUMP_OK;
}

/* Retains the OpenCL context and queue of the program. */
static enum clump_status adopt(clump_context *context, cl_context cl, cl_command_queue queue)
{
    struct opencl *opencl = context->opencl;
    cl_command_queue_properties properties = 0;
    cl_int error = clump_cl.GetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof opencl->device,
                                                &opencl->device, NULL);
    if (error == CL_SUCCESS)
        error = clump_cl.GetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES, sizeof properties,
                                             &properties, NULL);
    if (error != CL_SUCCESS)
        return clump_cl_fail(context, error, "context: asking the given queue for its device");
    if (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "context: the given queue is out of order; an in-order queue is needed");
    clump_opencl_describe(opencl->device, &context->device);
    error = clump_cl.RetainContext(cl);
    if (error != CL_SUCCESS)
        return clump_cl_fail(context, error, "context: keeping the given OpenCL context");
    opencl->context = cl;
    error = clump_cl.RetainCommandQueue(queue);
    if (error != CL_SUCCESS)
        return clump_cl_fail(context, error, "context: keeping the given queue");
    opencl->queue = queue;
    opencl->has_events = (properties & CL_QUEUE_PROFILING_ENABLE) != 0;
    return CLUMP_OK;
}

enum clump_status clump_opencl_context(cl_context cl, cl_command_queue queue,
                                       const struct clump_context_params *params,
                                       clump_context **context)
{
    CLUMP_ROUNDING();
    const char *reason;
    if (!params)
        params = &clump_context_defaults;
    enum clump_status status = clump_check_context_params("clump_opencl_context", params, context);
    if (status)
        return status;
    if (!cl || !queue)
        return clump_fail(&params->log, CLUMP_ERROR_ARGUMENT,
                          "context: needs an OpenCL context and a queue");
    if (!clump_cl_load(&reason))
        return clump_fail(&params->log, CLUMP_ERROR_DEVICE, "context: %s", reason);
    clump_context *made = calloc(1, sizeof *made);
    if (made)
        made->opencl = calloc(1, sizeof *made->opencl);
    if (!made || !made->opencl) {
        free(made);
        return clump_fail(&params->log, CLUMP_ERROR_MEMORY, "context: cannot allocate memory");
    }
    made->log = params->log;
    made->backend = &clump_backend_opencl;
    status = adopt(made, cl, queue);
    if (!status)
        status = prepare(made, params);
    if (status)
        clump_context_destroy(&made);
    else
        *context = made;
    return status;
}

cl_command_queue clump_opencl_queue(const clump_context *context)
{
    return context && context->opencl ? context->opencl->queue : NULL;
}
