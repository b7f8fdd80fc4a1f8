/* SPDX-License-Identifier: MIT */
#include "opencl/opencl.h"

#define GROUP_MAX 256

/* A few slices more than units evens out units that are held up by other work. */
#define WORKERS_PER_UNIT 4

void clump_shape_choose(clump_context *context, const struct clump_context_params *params)
{
    const struct clump_device *device = &context->device;
    struct shape *shape = &context->opencl->shape;
    uint64_t limit = device->max_work_group ? device->max_work_group : 1;
    if (params->group_limit && params->group_limit < limit)
        limit = params->group_limit;

    shape->fat = params->shape == CLUMP_SHAPE_FAT ||
                 (params->shape == CLUMP_SHAPE_AUTO && device->type == CLUMP_DEVICE_CPU);
    shape->workers = (device->units ? device->units : 1) * WORKERS_PER_UNIT;
    for (shape->group = 1; shape->group * 2 <= limit && shape->group < GROUP_MAX;)
        shape->group *= 2;
    shape->vector = device->vector_width >= 16 ? 16 : device->vector_width >= 8 ? 8 : 4;
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
