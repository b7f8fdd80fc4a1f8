/* SPDX-License-Identifier: MIT */
#include "context.h"

#include <stdlib.h>

#include "device.h"

const struct clump_context_params clump_context_defaults = {.log = {.level = CLUMP_LOG_WARNING}};

/* Opens a device of the list; `handle` is NULL for the reference. */
static enum clump_status open_device(clump_context *context, const struct clump_device *device,
                                     void *handle, const struct clump_context_params *params)
{
    context->device = *device;
    if (!handle) {
        context->backend = &clump_backend_reference;
        return CLUMP_OK;
    }
    context->backend = &clump_backend_opencl;
    if (!device->compiler)
        return clump_fail(&context->log, CLUMP_ERROR_UNSUPPORTED,
                          "%s cannot build kernels (it has no compiler); choose another device",
                          device->name);
    return clump_opencl_open(context, handle, params);
}

enum clump_status clump_check_context_params(const char *function,
                                             const struct clump_context_params *params,
                                             clump_context *const *place)
{
    enum clump_status status =
        clump_check_reserved(&params->log, function, "params.log", &params->log);
    if (!status)
        status = clump_check_reserved(&params->log, function, "params", params);
    return status ? status
                  : clump_check_given(&params->log, function, "place for the context", place);
}

enum clump_status clump_context_create(const struct clump_context_params *params,
                                       clump_context **context)
{
    CLUMP_ROUNDING();
    struct clump_device *devices = NULL, reference;
    void **handles = NULL;
    size_t count, index = 0;
    const char *why = "";
    if (!params)
        params = &clump_context_defaults;
    enum clump_status status = clump_check_context_params("clump_context_create", params, context);
    if (status)
        return status;
    clump_context *made = calloc(1, sizeof *made);
    if (!made)
        return clump_fail(&params->log, CLUMP_ERROR_MEMORY, "context: out of memory");
    made->log = params->log;

    if (clump_device_is_reference(params->device, &reference, &why)) {
        status = open_device(made, &reference, NULL, params);
    } else {
        status = clump_device_find_all(&made->log, &devices, &handles, &count);
        if (!status)
            status = clump_device_choose(&made->log, devices, count, params->device, &index, &why);
        if (!status)
            status = open_device(made, &devices[index], handles[index], params);
    }
    if (!status) {
        clump_say(&made->log, CLUMP_LOG_INFO, "device %u: %s (%s), %s", made->device.index,
                  made->device.name, made->device.platform, why);
        *context = made;
        made = NULL;
    }
    free(handles);
    free(devices);
    free(made);
    return status;
}

void clump_context_close_unused(clump_context *context)
{
    if (context->images || !context->released)
        return;
    context->backend->close(context);
    free(context);
}

void clump_context_destroy(clump_context **context)
{
    CLUMP_ROUNDING();
    clump_context *old = context ? *context : NULL;
    if (!old)
        return;
    *context = NULL;
    old->released = true;
    clump_context_close_unused(old);
}

const struct clump_device *clump_context_device(const clump_context *context)
{
    return context ? &context->device : NULL;
}

enum clump_status clump_context_finish(clump_context *context)
{
    CLUMP_ROUNDING();
    enum clump_status status = clump_check_context("finish", context);
    return status ? status : context->backend->finish(context);
}

enum clump_status clump_context_trim(clump_context *context)
{
    CLUMP_ROUNDING();
    enum clump_status status = clump_check_context("trim", context);
    return status ? status : context->backend->trim(context);
}
