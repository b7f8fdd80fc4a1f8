/* SPDX-License-Identifier: MIT */
#include "opencl/core/opencl.h"

#include <strings.h>

#include "opencl/core/tune.h"

#define GROUP_MAX 256

/* More slices than units even out the work where a unit is held up by other programs. */
#define WORKERS_PER_UNIT 4

/* The largest work-group, for devices that nobody has tuned: 256, and 128 on GPUs of Intel, whose
 * units run several groups of 128 work-items at once. */
static uint32_t group_most(const struct clump_device *device)
{
    bool intel = !strncasecmp(device->vendor, "intel", 5);
    return device->type == CLUMP_DEVICE_GPU && intel ? GROUP_MAX / 2 : GROUP_MAX;
}

const struct bounds clump_bounds = {
    .table_pixels = UINT64_C(1) << 31,
    .otsu_pixels = UINT64_C(1) << 31,
    .sweep_pixels = UINT64_C(1) << 31,
    .runs = INT32_MAX,
    .edges = UINT32_MAX,
    .cache_bytes = UINT64_C(256) << 20,
    .launch_groups = UINT16_MAX,
    .launch_items = INT32_MAX,
    .launch_work = UINT64_MAX,
};

#define LEAST_CLOCK 500 /* MHz, of devices that do not tell */

/*
 * Products that one launch may take on a device that may drive a display, whose watchdog waits for
 * a second or two: a quarter of a second's, if a unit makes one per clock. GPUs make from 2, in
 * double precision, to 128 of them. CPUs are never reset.
 */
static uint64_t launch_work(const clump_context *context)
{
    const struct clump_device *device = &context->device;
    cl_uint clock = 0;
    if (device->type == CLUMP_DEVICE_CPU)
        return UINT64_MAX;
    if (clump_cl.GetDeviceInfo(context->opencl->device, CL_DEVICE_MAX_CLOCK_FREQUENCY, sizeof clock,
                               &clock, NULL) != CL_SUCCESS ||
        clock < LEAST_CLOCK)
        clock = LEAST_CLOCK;
    return (uint64_t)(device->units ? device->units : 1) * clock * 1000000 / 4;
}

void clump_layout_choose(clump_context *context, const struct clump_context_params *params)
{
    const struct clump_device *device = &context->device;
    struct layout *layout = &context->opencl->layout;
    context->opencl->bounds = clump_bounds;
    context->opencl->bounds.launch_work = launch_work(context);
    uint64_t limit = device->max_work_group ? device->max_work_group : 1;
    if (params->group_limit && params->group_limit < limit)
        limit = params->group_limit;

    layout->coarse =
        params->layout == CLUMP_CONTEXT_LAYOUT_COARSE ||
        (params->layout == CLUMP_CONTEXT_LAYOUT_AUTO && device->type == CLUMP_DEVICE_CPU &&
         device->vector_width != 1); /* 1: the driver runs work-items as lanes */
    layout->workers = (device->units ? device->units : 1) * WORKERS_PER_UNIT;
    for (layout->group = 1; layout->group * 2 <= limit && layout->group < group_most(device);)
        layout->group *= 2;
    layout->vector = device->vector_width >= 16 ? 16 : device->vector_width >= 8 ? 8 : 4;

    layout->convolve_rows = 6;
    layout->convolve_vector = layout->vector >= 8 ? 16 : 8;
    layout->stats_workers = device->units ? device->units : 1;
    layout->label_workers = layout->workers;
    if (params->layout == CLUMP_CONTEXT_LAYOUT_AUTO && !params->group_limit)
        clump_tuned_read(context);
}

const char *clump_type_opencl(enum clump_type type)
{
    static const char *const names[CLUMP_TYPE_COUNT] = {
        [CLUMP_BITS] = "uint", [CLUMP_U8] = "uchar",  [CLUMP_U16] = "ushort",
        [CLUMP_I16] = "short", [CLUMP_I32] = "int",   [CLUMP_U32] = "uint",
        [CLUMP_I64] = "long",  [CLUMP_F32] = "float", [CLUMP_F64] = "double",
        [CLUMP_RGB] = "uchar",
    };
    return names[type];
}
