/* SPDX-License-Identifier: MIT */
#include "opencl/core/opencl.h"

#include "device.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PLATFORMS 64
#define MAX_DEVICES   64

/* A text property without leading and trailing blanks; "" where the driver does not tell. */
static void text_info(cl_device_id id, cl_device_info what, char *text, size_t room)
{
    char buffer[1024] = "";
    size_t bytes = 0;
    if (clump_cl.GetDeviceInfo(id, what, sizeof buffer - 1, buffer, &bytes) != CL_SUCCESS)
        buffer[0] = 0;
    char *start = buffer;
    while (isspace((unsigned char)*start))
        start++;
    size_t length = strlen(start);
    while (length && isspace((unsigned char)start[length - 1]))
        length--;
    if (length >= room)
        length = room - 1;
    memcpy(text, start, length);
    text[length] = 0;
}

/* A number property of 4 or 8 bytes, 0 where the driver does not tell. */
static uint64_t number_info(cl_device_id id, cl_device_info what)
{
    union {
        uint32_t narrow;
        uint64_t wide;
    } value = {.wide = 0};
    size_t bytes = 0;
    if (clump_cl.GetDeviceInfo(id, what, sizeof value, &value, &bytes) != CL_SUCCESS)
        return 0;
    return bytes == sizeof value.wide ? value.wide : value.narrow;
}

static enum clump_device_type type_of(cl_device_type type)
{
    if (type & CL_DEVICE_TYPE_GPU)
        return CLUMP_DEVICE_GPU;
    if (type & CL_DEVICE_TYPE_CPU)
        return CLUMP_DEVICE_CPU;
    return CLUMP_DEVICE_ACCELERATOR;
}

void clump_opencl_describe(cl_device_id id, struct clump_device *device)
{
    cl_platform_id platform = NULL;
    text_info(id, CL_DEVICE_NAME, device->name, sizeof device->name);
    text_info(id, CL_DEVICE_VENDOR, device->vendor, sizeof device->vendor);
    text_info(id, CL_DRIVER_VERSION, device->driver, sizeof device->driver);
    text_info(id, CL_DEVICE_VERSION, device->version, sizeof device->version);
    if (clump_cl.GetDeviceInfo(id, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL) ==
            CL_SUCCESS &&
        clump_cl.GetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof device->platform - 1,
                                 device->platform, NULL) != CL_SUCCESS)
        device->platform[0] = 0;
    device->type = type_of(number_info(id, CL_DEVICE_TYPE));
    device->units = (uint32_t)number_info(id, CL_DEVICE_MAX_COMPUTE_UNITS);
    device->vector_width = (uint32_t)number_info(id, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT);
    device->memory = number_info(id, CL_DEVICE_GLOBAL_MEM_SIZE);
    device->max_buffer = number_info(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    device->local_memory = number_info(id, CL_DEVICE_LOCAL_MEM_SIZE);
    device->max_work_group = number_info(id, CL_DEVICE_MAX_WORK_GROUP_SIZE);
    device->fp64 = number_info(id, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
    device->compiler = number_info(id, CL_DEVICE_COMPILER_AVAILABLE) != 0;
    device->shares_memory =
        device->type == CLUMP_DEVICE_CPU || number_info(id, CL_DEVICE_HOST_UNIFIED_MEMORY) != 0;
}

static cl_uint devices_of(const struct clump_log *log, cl_platform_id platform, cl_device_id *ids)
{
    cl_uint count = 0;
    char name[128] = "?";
    cl_int error = clump_cl.GetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, MAX_DEVICES, ids, &count);
    if (error == CL_SUCCESS)
        return count < MAX_DEVICES ? count : MAX_DEVICES;
    clump_cl.GetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, NULL);
    clump_say(log, CLUMP_LOG_INFO, "OpenCL platform %s has no device: %s", name,
              clump_cl_symbol(error));
    return 0;
}

static bool grow(struct clump_device **devices, void ***handles, size_t count)
{
    struct clump_device *more = realloc(*devices, count * sizeof *more);
    if (more)
        *devices = more;
    void **more_handles = realloc(*handles, count * sizeof *more_handles);
    if (more_handles)
        *handles = more_handles;
    return more && more_handles;
}

static cl_uint find_platforms(const struct clump_log *log, cl_platform_id *platforms)
{
    cl_uint count = 0;
    const char *reason;
    if (!clump_cl_load(&reason)) {
        clump_say(log, clump_cl_forked() ? CLUMP_LOG_WARNING : CLUMP_LOG_INFO,
                  "no OpenCL device: %s", reason);
        return 0;
    }
    cl_int error = clump_cl.GetPlatformIDs(MAX_PLATFORMS, platforms, &count);
    if (error == CL_SUCCESS)
        return count < MAX_PLATFORMS ? count : MAX_PLATFORMS;
    clump_say(log, CLUMP_LOG_INFO, "no OpenCL platform: %s", clump_cl_symbol(error));
    return 0;
}

enum clump_status clump_opencl_devices(const struct clump_log *log, struct clump_device **devices,
                                       void ***handles, size_t *count)
{
    cl_platform_id platforms[MAX_PLATFORMS];
    cl_device_id found[MAX_DEVICES];
    struct clump_device *list = NULL;
    void **ids = NULL;
    size_t total = 0;
    bool ok = grow(&list, &ids, 1);
    clump_cl_lock();
    cl_uint platform_count = find_platforms(log, platforms);
    for (cl_uint p = 0; ok && p < platform_count; p++) {
        cl_uint n = devices_of(log, platforms[p], found);
        ok = grow(&list, &ids, total + n + 1);
        for (cl_uint d = 0; ok && d < n; d++, total++) {
            list[total] = (struct clump_device){.index = (uint32_t)total};
            ids[total] = found[d];
            clump_opencl_describe(found[d], &list[total]);
        }
    }
    clump_cl_unlock();
    if (!ok) {
        free(list);
        free(ids);
        return clump_fail(log, CLUMP_ERROR_MEMORY, "devices: cannot allocate the list");
    }
    *devices = list;
    *handles = ids;
    *count = total;
    return CLUMP_OK;
}
