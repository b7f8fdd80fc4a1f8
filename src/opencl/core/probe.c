/* SPDX-License-Identifier: MIT */
#include "opencl/core/opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/probe.h"

enum clump_status clump_probe_ask(clump_context *context, uint32_t *answer)
{
    float near = 0x1.001p0f, square = 0x1.002p0f, least = 0x1p-126f;
    cl_int big = (1 << 24) + 3;
    size_t one = 1;
    cl_mem found = NULL;
    cl_kernel kernel;
    enum clump_status status =
        clump_kernel(context, "common/probe", context->device.fp64 ? "-DFP64=1" : "-DFP64=0",
                     "probe", &kernel);
    if (!status)
        status = clump_buffer_borrow(context, sizeof *answer, &found);
    if (!status)
        status = clump_launch(context, kernel, 1, &one, &one,
                              CLUMP_ARGS(CLUMP_ARG(near), CLUMP_ARG(square), CLUMP_ARG(big),
                                         CLUMP_ARG(least), CLUMP_ARG(found)));
    if (!status)
        status = clump_buffer_read(context, found, answer, sizeof *answer);
    clump_buffer_return(context, &found);
    return status;
}

/* Drivers for CPUs that every test is run with: to build a program would take them a good part of
 * a first command's time. */
static bool is_known(const struct clump_device *device)
{
    return device->type == CLUMP_DEVICE_CPU &&
           (!strcmp(device->platform, "Portable Computing Language") ||
            !strcmp(device->platform, "Intel(R) OpenCL"));
}

/* The answer from the cache, or else from the device. */
static enum clump_status find_answer(clump_context *context, uint32_t *answer)
{
    const struct clump_device *device = &context->device;
    char key[1024];
    unsigned char *kept;
    size_t bytes;
    snprintf(key, sizeof key, "probe 1\n%s\n%s\n%s\n%s\n%s", device->name, device->vendor,
             device->platform, device->driver, device->version);
    if (clump_cache_read(context, key, &kept, &bytes)) {
        bool whole = bytes == sizeof *answer;
        if (whole)
            memcpy(answer, kept, bytes);
        free(kept);
        if (whole)
            return CLUMP_OK;
    }
    enum clump_status status = clump_probe_ask(context, answer);
    if (!status)
        clump_cache_write(context, key, (const unsigned char *)answer, sizeof *answer);
    return status;
}

enum clump_status clump_probe(clump_context *context)
{
    uint32_t answer = 0;
    if (context->opencl->probed || is_known(&context->device))
        return CLUMP_OK;
    context->opencl->probed = true; /* before asking, which builds a kernel and comes here again */
    enum clump_status status = find_answer(context, &answer);
    context->opencl->flushes = (answer & PROBE_FLUSHES) != 0;
    if (!status && answer & (PROBE_FUSES | PROBE_FMA | PROBE_ROUNDING))
        status = clump_fail(&context->log, CLUMP_ERROR_UNSUPPORTED,
                            "%s (driver %s) %s: its results would differ from those of other "
                            "devices; choose another device, for example cpu",
                            context->device.name, context->device.driver,
                            answer & PROBE_FUSES ? "fuses products and sums that must not be fused"
                            : answer & PROBE_FMA ? "rounds fma() twice"
                                                 : "does not round to the nearest number");
    if (status)
        context->opencl->probed = false;
    return status;
}
