/* SPDX-License-Identifier: MIT */
/* What table, page and comparison share: reading a report. */
#include "bench.h"

#include <math.h>
#include <string.h>

double bench_number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

const char *bench_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

bool bench_is(const json_t *object, const char *key, const char *word)
{
    return !strcmp(bench_text(object, key), word);
}

static const json_t *device_of(const json_t *report, const json_t *row)
{
    size_t i;
    json_t *device;
    json_array_foreach (json_object_get(report, "devices"), i, device)
        if (json_integer_value(json_object_get(device, "index")) ==
            json_integer_value(json_object_get(row, "device")))
            return device;
    return NULL;
}

void bench_who(const json_t *report, const json_t *row, char *text, size_t room)
{
    if (bench_is(row, "by", "reference"))
        snprintf(text, room, "reference");
    else if (bench_is(row, "by", "peer"))
        snprintf(text, room, "%s", bench_text(row, "name"));
    else
        snprintf(text, room, "%d %s", (int)json_integer_value(json_object_get(row, "device")),
                 bench_text(device_of(report, row), "name"));
}

json_t *bench_load(const char *path, char *problem, size_t room)
{
    json_error_t error;
    json_t *report = json_load_file(path, 0, &error);
    if (!report) {
        snprintf(problem, room, "%s: %s", path, error.text);
        return NULL;
    }
    int version = (int)json_integer_value(json_object_get(report, "version"));
    if (!bench_is(report, "format", BENCH_FORMAT))
        snprintf(problem, room, "%s is not what `clump bench --json` writes", path);
    else if (version != BENCH_VERSION)
        snprintf(problem, room, "%s has layout version %d; this clump reads version %d", path,
                 version, BENCH_VERSION);
    else
        return report;
    json_decref(report);
    return NULL;
}
