/* SPDX-License-Identifier: MIT */
#include "opencl/core/tune.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/core/opencl.h"

struct knob {
    const char *name;
    size_t offset;                      /* in struct layout */
    bool coarse;                        /* it acts in the coarse layout, else in the fine one */
    bool times_unit;                    /* the values are per compute unit */
    uint32_t values[CLUMP_KNOB_VALUES]; /* ended by 0 */
};

static const struct knob knobs[] = {
    {"convolve_rows", offsetof(struct layout, convolve_rows), true, false, {6, 3}},
    {"convolve_vector", offsetof(struct layout, convolve_vector), true, false, {8, 16}},
    {"stats_workers", offsetof(struct layout, stats_workers), true, true, {1, 2, 4}},
    {"label_workers", offsetof(struct layout, label_workers), true, true, {1, 2, 4, 8, 16}},
    {"group", offsetof(struct layout, group), false, false, {32, 64, 128, 256}},
};

const size_t clump_knob_count = sizeof knobs / sizeof *knobs;

const char *clump_knob_name(size_t knob) { return knobs[knob].name; }

uint32_t clump_knob_get(const clump_context *context, size_t knob)
{
    const char *layout = (const char *)&context->opencl->layout;
    return *(const uint32_t *)(const void *)(layout + knobs[knob].offset);
}

void clump_knob_set(clump_context *context, size_t knob, uint32_t value)
{
    char *layout = (char *)&context->opencl->layout;
    *(uint32_t *)(void *)(layout + knobs[knob].offset) = value;
}

size_t clump_knob_candidates(const clump_context *context, size_t knob,
                             uint32_t values[CLUMP_KNOB_VALUES])
{
    const struct knob *k = &knobs[knob];
    const struct clump_device *device = &context->device;
    uint32_t units = device->units ? device->units : 1;
    size_t count = 0;
    if (k->coarse != context->opencl->layout.coarse)
        return 0;
    for (; count < CLUMP_KNOB_VALUES && k->values[count]; count++) {
        values[count] = k->values[count] * (k->times_unit ? units : 1);
        if (!k->coarse && values[count] > device->max_work_group)
            break;
    }
    return count;
}

/* The key has the device but not its driver: with a new version it is still the same hardware. */
static char *key_of(const clump_context *context)
{
    char *key = NULL;
    if (asprintf(&key, "tuned 1\n%s\n%s", context->device.name, context->device.platform) < 0)
        return NULL;
    return key;
}

bool clump_tuned_write(clump_context *context)
{
    char text[512], *key = key_of(context);
    size_t used = 0;
    for (size_t i = 0; i < clump_knob_count; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s %" PRIu32 "\n", knobs[i].name,
                                 clump_knob_get(context, i));
    if (key && context->opencl->cache_dir)
        clump_cache_write(context, key, (const unsigned char *)text, used);
    bool done = key && context->opencl->cache_dir;
    free(key);
    return done;
}

/* Sets a knob by name, if the value is among its candidates. */
static void take(clump_context *context, const char *name, uint32_t value)
{
    uint32_t values[CLUMP_KNOB_VALUES];
    for (size_t i = 0; i < clump_knob_count; i++) {
        size_t count = strcmp(knobs[i].name, name) ? 0 : clump_knob_candidates(context, i, values);
        for (size_t k = 0; k < count; k++)
            if (values[k] == value)
                clump_knob_set(context, i, value);
    }
}

void clump_tuned_read(clump_context *context)
{
    char *key = key_of(context), name[32];
    unsigned char *text = NULL;
    size_t bytes = 0, at = 0;
    uint32_t value;
    int length;
    if (!key || !clump_cache_read(context, key, &text, &bytes)) {
        free(key);
        return;
    }
    text[bytes - 1] = 0; /* the newline of the last line */
    while (sscanf((const char *)text + at, "%31[a-z_] %" SCNu32 "%n", name, &value, &length) == 2) {
        take(context, name, value);
        at += (size_t)length;
        at += text[at] == '\n';
    }
    clump_say(&context->log, CLUMP_LOG_INFO, "%s is tuned", context->device.name);
    free(text);
    free(key);
}
