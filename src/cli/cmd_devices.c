/* SPDX-License-Identifier: MIT */
#include "run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

#define TABLE_WIDTH 100
#define WHY_ROOM    512
#define LEAST_WIDTH 14 /* of a column that is cut to make the table fit */

static bool check;

static const struct option options[] = {
    {"check", 0, OPTION_FLAG, &check, NULL,
     "run every operation on each device (or on --device) and compare it with the reference"},
    {0},
};

enum { INDEX, NAME, TYPE, UNITS, MEMORY, BUFFER, FP64, DRIVER, PLATFORM, COLUMNS };
static const char *const titles[COLUMNS] = {"",       "name", "type",   "units",   "memory",
                                            "buffer", "fp64", "driver", "platform"};
static const bool right[COLUMNS] = {[UNITS] = true, [MEMORY] = true, [BUFFER] = true};

struct row {
    char cells[COLUMNS][132];
};

static void print_bytes(char *cell, uint64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = (double)bytes;
    int unit = 0;
    for (; value >= 1024 && unit < 6; unit++)
        value /= 1024;
    snprintf(cell, 16, "%.*f %s", unit && value < 100 ? 1 : 0, value, units[unit]);
}

static void fill_row(struct row *row, const struct clump_device *device, bool chosen)
{
    snprintf(row->cells[INDEX], 16, "%c%" PRIu32, chosen ? '*' : ' ', device->index);
    snprintf(row->cells[NAME], sizeof row->cells[NAME], "%s", device->name);
    snprintf(row->cells[TYPE], 16, "%s", clump_device_type_text(device->type));
    snprintf(row->cells[UNITS], 16, "%" PRIu32, device->units);
    print_bytes(row->cells[MEMORY], device->memory);
    print_bytes(row->cells[BUFFER], device->max_buffer);
    snprintf(row->cells[FP64], 16, "%s", device->fp64 ? "yes" : "no");
    snprintf(row->cells[DRIVER], sizeof row->cells[DRIVER], "%s", device->driver);
    snprintf(row->cells[PLATFORM], sizeof row->cells[PLATFORM], "%s", device->platform);
}

/* Makes columns as wide as their texts, then narrows these until all fits, the name last. */
static void choose_widths(const struct row *rows, size_t count, int *widths)
{
    int total = 0;
    for (int c = 0; c < COLUMNS; c++) {
        widths[c] = (int)strlen(titles[c]);
        for (size_t i = 0; i < count; i++)
            if ((int)strlen(rows[i].cells[c]) > widths[c])
                widths[c] = (int)strlen(rows[i].cells[c]);
        total += widths[c] + 1;
    }
    for (; total - 1 > TABLE_WIDTH; total--) {
        int widest = widths[DRIVER] > widths[PLATFORM] ? DRIVER : PLATFORM;
        if (widths[widest] <= LEAST_WIDTH)
            widest = NAME;
        if (widths[widest] <= LEAST_WIDTH)
            return;
        widths[widest]--;
    }
}

static void print_row(struct run *run, const int *widths, const char *const *cells)
{
    for (int c = 0; c < COLUMNS; c++) {
        int width = widths[c], length = (int)strlen(cells[c]);
        const char *end = c + 1 < COLUMNS ? " " : "\n";
        if (length > width)
            run_print(run, "%.*s~%s", width - 1, cells[c], end);
        else if (right[c])
            run_print(run, "%*s%s", width, cells[c], end);
        else
            run_print(run, "%-*s%s", c + 1 < COLUMNS ? width : 0, cells[c], end);
    }
}

static enum clump_status print_table(struct run *run, const struct clump_device *devices,
                                     size_t count, size_t chosen)
{
    struct row *rows = calloc(count, sizeof *rows);
    int widths[COLUMNS];
    if (!rows)
        return CLUMP_ERROR_MEMORY;
    for (size_t i = 0; i < count; i++)
        fill_row(&rows[i], &devices[i], i == chosen);
    choose_widths(rows, count, widths);
    print_row(run, widths, titles);
    for (size_t i = 0; i < count; i++) {
        const char *cells[COLUMNS];
        for (int c = 0; c < COLUMNS; c++)
            cells[c] = rows[i].cells[c];
        print_row(run, widths, cells);
    }
    free(rows);
    return CLUMP_OK;
}

static json_t *describe(const struct clump_device *device, bool chosen)
{
    json_t *json = json_object();
    json_object_set_new(json, "index", json_integer(device->index));
    json_object_set_new(json, "name", run_json_text(device->name));
    json_object_set_new(json, "vendor", run_json_text(device->vendor));
    json_object_set_new(json, "platform", run_json_text(device->platform));
    json_object_set_new(json, "driver", run_json_text(device->driver));
    json_object_set_new(json, "version", run_json_text(device->version));
    json_object_set_new(json, "type", run_json_text(clump_device_type_text(device->type)));
    json_object_set_new(json, "units", json_integer(device->units));
    json_object_set_new(json, "vector_width", json_integer(device->vector_width));
    json_object_set_new(json, "memory", json_integer((json_int_t)device->memory));
    json_object_set_new(json, "max_buffer", json_integer((json_int_t)device->max_buffer));
    json_object_set_new(json, "local_memory", json_integer((json_int_t)device->local_memory));
    json_object_set_new(json, "max_work_group", json_integer((json_int_t)device->max_work_group));
    json_object_set_new(json, "fp64", json_boolean(device->fp64));
    json_object_set_new(json, "compiler", json_boolean(device->compiler));
    json_object_set_new(json, "shares_memory", json_boolean(device->shares_memory));
    json_object_set_new(json, "default", json_boolean(chosen));
    return json;
}

static void keep_line(void *user, enum clump_log_level level, const char *text)
{
    if (level == CLUMP_LOG_ERROR)
        snprintf(user, WHY_ROOM, "%s", text);
}

/* Which is the default and why. Having none is no failure here unless a device was asked for. */
static enum clump_status choose(struct run *run, const struct clump_device *devices, size_t count,
                                size_t *chosen, char *why)
{
    const char *reason = "";
    struct clump_log log = {.line = keep_line, .user = why, .level = CLUMP_LOG_ERROR};
    enum clump_status status =
        clump_device_choose(&log, devices, count, common.device, chosen, &reason);
    if (status && common.device)
        return run_fail(run, status, "%s", why);
    if (status)
        *chosen = count;
    else
        snprintf(why, WHY_ROOM, "%s", reason);
    return CLUMP_OK;
}

/* What was asked for and not done is a failure: no device passes by being absent. */
static void check_all(struct run *run, const struct clump_device *devices, size_t count,
                      size_t chosen, const json_t *list)
{
    bool checked = false;
    for (size_t i = 0; i < count; i++) {
        if ((common.device && i != chosen) || devices[i].type == CLUMP_DEVICE_REFERENCE)
            continue;
        checked = true;
        if (check_device(run, &devices[i], json_array_get(list, i)))
            run->failed = true;
    }
    if (checked)
        return;
    run_fail(run, CLUMP_ERROR_DEVICE,
             common.device
                 ? "nothing was checked: the reference is what devices are checked against"
                 : "nothing was checked: there is no OpenCL device");
    run->failed = true;
}

static enum clump_status list_devices(struct run *run, const char *path, json_t *json)
{
    (void)path;
    struct clump_device *devices = NULL;
    size_t count = 0, chosen = 0;
    char why[WHY_ROOM] = "";
    enum clump_status status = clump_device_list(&run->log, &devices, &count);
    if (!status)
        status = choose(run, devices, count, &chosen, why);
    if (!status)
        status = print_table(run, devices, count, chosen);
    if (!status) {
        json_t *list = json_array();
        for (size_t i = 0; i < count; i++)
            json_array_append_new(list, describe(&devices[i], i == chosen));
        json_object_set_new(json, "device",
                            chosen < count ? run_json_text(devices[chosen].name) : json_null());
        json_object_set_new(json, "why", run_json_text(why));
        json_object_set_new(json, "devices", list);
        run_print(run, "\n%s: %s\n", chosen < count ? "* is the default" : "no default", why);
        if (check)
            check_all(run, devices, count, chosen, list);
    }
    clump_device_list_destroy(&devices);
    return status;
}

static int run_devices(struct run *run) { return run_once(run, list_devices); }

const struct command command_devices = {
    .name = "devices",
    .summary = "Lists the devices, and checks them on request",
    .usage = "",
    .about = "Every OpenCL device of every platform, and last `reference`, the scalar C code that\n"
             "defines every operation and needs no OpenCL.",
    .examples = "  clump devices\n"
                "  clump devices --check\n"
                "  clump devices --json | jq '.devices[].name'\n",
    .options = options,
    .groups = COMMAND_HOST,
    .most = 0,
    .run = run_devices,
};
