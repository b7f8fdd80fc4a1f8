/* SPDX-License-Identifier: MIT */
#include "device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static const char no_opencl[] =
    "there is no OpenCL device here: install a driver (on Debian, pocl-opencl-icd runs kernels on "
    "the CPU), or choose the device `reference`, which works now";

static void describe_reference(struct clump_device *device)
{
    *device = (struct clump_device){
        .name = "reference",
        .vendor = "Clump",
        .platform = "scalar C",
        .driver = CLUMP_VERSION,
        .version = "C11",
        .type = CLUMP_DEVICE_REFERENCE,
        .units = 1,
        .vector_width = 1,
        .max_work_group = 1,
        .fp64 = true,
        .compiler = true,
        .shares_memory = true,
    };
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    if (pages > 0 && page > 0)
        device->memory = device->max_buffer = (uint64_t)pages * (uint64_t)page;
}

/* The device that is asked for, and by whom; NULL: none is. */
static const char *wanted(const char *name, const char **why)
{
    *why = "asked for";
    if (name && *name)
        return name;
    *why = "the environment's CLUMP_DEVICE asks for it";
    name = secure_getenv("CLUMP_DEVICE");
    return name && *name ? name : NULL;
}

bool clump_device_is_reference(const char *name, struct clump_device *device, const char **why)
{
    name = wanted(name, why);
    if (!name || strcasecmp(name, "reference"))
        return false;
    describe_reference(device);
    return true;
}

enum clump_status clump_device_find_all(const struct clump_log *log, struct clump_device **devices,
                                        void ***handles, size_t *count)
{
    enum clump_status status = clump_opencl_devices(log, devices, handles, count);
    if (status)
        return status;
    describe_reference(&(*devices)[*count]);
    (*devices)[*count].index = (uint32_t)*count;
    (*handles)[*count] = NULL;
    ++*count;
    return CLUMP_OK;
}

/* Writes "0: NAME (PLATFORM), 1: reference (scalar C)" for messages. */
static void list_names(const struct clump_device *devices, size_t count, char *text, size_t room)
{
    size_t used = 0;
    text[0] = 0;
    for (size_t i = 0; i < count && used + 1 < room; i++) {
        int n = snprintf(text + used, room - used, "%s%u: %s (%s)", i ? ", " : "", devices[i].index,
                         devices[i].name, devices[i].platform);
        used += n > 0 ? (size_t)n : 0;
    }
}

static bool contains(const char *text, const char *part) { return strcasestr(text, part) != NULL; }

static bool first_of_type(const struct clump_device *devices, size_t count,
                          enum clump_device_type type, size_t *index)
{
    for (size_t i = 0; i < count; i++)
        if (devices[i].type == type) {
            *index = i;
            return true;
        }
    return false;
}

static enum clump_status no_such(const struct clump_log *log, const struct clump_device *devices,
                                 size_t count, const char *name, const char *what)
{
    char names[1024];
    list_names(devices, count, names, sizeof names);
    return clump_fail(log, CLUMP_ERROR_DEVICE, "device \"%s\": %s; there are %s", name, what,
                      names);
}

static enum clump_status choose_default(const struct clump_log *log,
                                        const struct clump_device *devices, size_t count,
                                        size_t *index, const char **why)
{
    *why = "the first GPU";
    if (first_of_type(devices, count, CLUMP_DEVICE_GPU, index))
        return CLUMP_OK;
    *why = "there is no GPU, this is the first CPU";
    if (first_of_type(devices, count, CLUMP_DEVICE_CPU, index))
        return CLUMP_OK;
    *why = "there is neither GPU nor CPU, this is the first other device";
    if (first_of_type(devices, count, CLUMP_DEVICE_ACCELERATOR, index))
        return CLUMP_OK;
    return clump_fail(log, CLUMP_ERROR_DEVICE, no_opencl);
}

/* A device whose whole name was given is preferred to those that have it as a part of theirs. */
static enum clump_status choose_by_name(const struct clump_log *log,
                                        const struct clump_device *devices, size_t count,
                                        const char *name, size_t *index)
{
    size_t whole = 0, part = 0, whole_at = 0, part_at = 0;
    for (size_t i = 0; i < count; i++) {
        if (!strcasecmp(devices[i].name, name) && !whole++)
            whole_at = i;
        if ((contains(devices[i].name, name) || contains(devices[i].platform, name)) && !part++)
            part_at = i;
    }
    if (whole == 1 || (!whole && part == 1)) {
        *index = whole ? whole_at : part_at;
        return CLUMP_OK;
    }
    return no_such(log, devices, count, name,
                   part ? "several devices have that in their names" : "no device has that name");
}

static enum clump_status choose_named(const struct clump_log *log,
                                      const struct clump_device *devices, size_t count,
                                      const char *name, size_t *index)
{
    static const char *const types[] = {
        [CLUMP_DEVICE_GPU] = "gpu",
        [CLUMP_DEVICE_CPU] = "cpu",
        [CLUMP_DEVICE_ACCELERATOR] = "accelerator",
        [CLUMP_DEVICE_REFERENCE] = "reference",
    };
    if (name[strspn(name, "0123456789")] == 0) {
        unsigned long wanted = strtoul(name, NULL, 10);
        if (wanted >= count)
            return no_such(log, devices, count, name, "no device has that index");
        *index = wanted;
        return CLUMP_OK;
    }
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        if (!strcasecmp(name, types[t])) {
            if (first_of_type(devices, count, (enum clump_device_type)t, index))
                return CLUMP_OK;
            if (count <= 1)
                return clump_fail(log, CLUMP_ERROR_DEVICE, no_opencl);
            return no_such(log, devices, count, name, "no device is of that type");
        }
    return choose_by_name(log, devices, count, name, index);
}

enum clump_status clump_device_choose(const struct clump_log *log,
                                      const struct clump_device *devices, size_t count,
                                      const char *name, size_t *index, const char **why)
{
    CLUMP_ROUNDING();
    const char *reason;
    size_t chosen = 0;
    enum clump_status status = clump_check_log("clump_device_choose", log);
    if (!status && count)
        status = clump_check_given(log, "device choose", "list of devices", devices);
    if (!status)
        status = clump_check_given(log, "device choose", "place for the index", index);
    if (status)
        return status;
    name = wanted(name, &reason);
    if (name)
        status = choose_named(log, devices, count, name, &chosen);
    else
        status = choose_default(log, devices, count, &chosen, &reason);
    if (status)
        return status;
    *index = chosen;
    if (why)
        *why = reason;
    return CLUMP_OK;
}

enum clump_status clump_device_list(const struct clump_log *log, struct clump_device **devices,
                                    size_t *count)
{
    CLUMP_ROUNDING();
    struct clump_device *found;
    void **handles;
    size_t n;
    enum clump_status status = clump_check_log("clump_device_list", log);
    if (!status)
        status = clump_check_given(log, "device list", "place for the devices", devices);
    if (!status)
        status = clump_check_given(log, "device list", "place for the count", count);
    if (status)
        return status;
    status = clump_device_find_all(log, &found, &handles, &n);
    if (status)
        return status;
    free(handles);
    *devices = found;
    *count = n;
    return CLUMP_OK;
}

void clump_device_list_destroy(struct clump_device **devices)
{
    if (!devices)
        return;
    free(*devices);
    *devices = NULL;
}

const char *clump_device_type_text(enum clump_device_type type)
{
    switch (type) {
    case CLUMP_DEVICE_GPU:
        return "GPU";
    case CLUMP_DEVICE_CPU:
        return "CPU";
    case CLUMP_DEVICE_ACCELERATOR:
        return "accelerator";
    case CLUMP_DEVICE_REFERENCE:
        return "reference";
    }
    return "unknown";
}
