/* SPDX-License-Identifier: MIT */
#include "run.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ahead.h"
#include "file/output.h"
#include "places.h"
#include "progress.h"

int run_misuse(const struct run *run, const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    char *shown = clump_shown_new(text, "");
    progress_clear();
    fprintf(stderr, "clump %s: %s (clump %s --help)\n", run->command->name,
            shown ? shown : "out of memory", run->command->name);
    free(shown);
    return EXIT_USAGE;
}

enum clump_status run_fail(struct run *run, enum clump_status status, const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    run->log.line(run->log.user, CLUMP_LOG_ERROR, text);
    return status;
}

enum clump_status run_open(struct run *run)
{
    if (run->context)
        return CLUMP_OK;
    struct clump_context_params params = clump_context_defaults;
    params.device = common.device;
    params.log = run->log;
    params.building = ahead_building;
    params.building_user = run;
    return clump_context_create(&params, &run->context);
}

/* Calls `one` for one file, and prints its object if all went well. */
static bool run_one(struct run *run, run_file *one, const char *path)
{
    uint64_t errors = run->errors;
    json_t *json = json_object();
    char *name = path && run->count > 1 ? clump_shown_new(path, "") : NULL;
    if (name)
        run_print(run, "==> %s <==\n", name);
    free(name);
    json_object_set_new(json, "file", path ? run_json_text(path) : json_null());
    json_object_set_new(json, "device",
                        run->context ? run_json_text(clump_context_device(run->context)->name)
                                     : json_null());
    run_time_begin(run);
    enum clump_status status = json ? one(run, path, json) : CLUMP_ERROR_MEMORY;
    run_time_end(run, json);
    if (status && run->errors == errors)
        run_fail(run, status, "%s", clump_status_text(status));
    if (!status && common.json) {
        progress_clear();
        json_dumpf(json, stdout, JSON_REAL_PRECISION(17));
        putchar('\n');
    }
    json_decref(json);
    return !status;
}

static int run_all(struct run *run, run_file *one, bool files)
{
    if (!(run->command->groups & COMMAND_HOST) && run_open(run))
        return EXIT_FAILED;
    bool good = true;
    for (int i = 0; i < (files ? run->count : 1); i++) {
        run->file = files ? run->operands[i] : NULL;
        if (files && run->count > 1)
            progress_set("clump %s: %d of %d, %s", run->command->name, i + 1, run->count,
                         run->file);
        else
            progress_set("clump %s%s%s", run->command->name, files ? ": " : "",
                         files ? run->file : "");
        good &= run_one(run, one, run->file);
    }
    return good && !run->failed ? EXIT_DONE : EXIT_FAILED;
}

/* What the ending of -o has to be. */
static places_ending *ending_of(const struct command *command)
{
    if (command->ending)
        return command->ending;
    return command->groups & COMMAND_TABLE ? clump_output_check_table : clump_output_check_image;
}

int run_each(struct run *run, run_file *one)
{
    int status = EXIT_DONE;
    run->joins = run_joins(run);
    if (run->joins)
        places_add("--output", common.output, ending_of(run->command));
    else
        status = run_check_output(run, "--output", common.output, ending_of(run->command));
    if (!status)
        status = places_check(run, true);
    if (!status)
        status = run_all(run, one, true);
    return run_join_end(run, status);
}

int run_once(struct run *run, run_file *one)
{
    places_add("--output", common.output, ending_of(run->command));
    int status = places_check(run, false);
    return status ? status : run_all(run, one, false);
}

enum clump_status run_open_input(struct run *run, const char *path,
                                 const struct clump_file_params *params, struct input *input)
{
    *input = (struct input){0};
    if (!strcmp(path, "-") && access(path, F_OK))
        return run_fail(run, CLUMP_ERROR_FILE,
                        "-: images are not read from stdin: write it to a file and name that");
    enum clump_status status = clump_file_open(&run->log, path, params, &input->file);
    if (!status)
        input->info = clump_file_info(input->file);
    return status;
}

static enum clump_status read_image(struct run *run, const char *path,
                                    const struct clump_file_params *params, struct input *input)
{
    double begun = run_now_ms();
    enum clump_status status = run_open_input(run, path, params, input);
    if (status)
        return status;
    status = clump_file_read(run->context, input->file, &input->image);
    run->reading_ms += run_now_ms() - begun;
    return status;
}

enum clump_status run_read(struct run *run, const char *path, struct input *input)
{
    return read_image(run, path, &common.file, input);
}

enum clump_status run_read_other(struct run *run, const char *path, struct input *input)
{
    struct clump_file_params params = clump_file_defaults;
    params.memory_limit = common.file.memory_limit;
    return read_image(run, path, &params, input);
}

void run_release(struct input *input)
{
    clump_image_destroy(&input->image);
    clump_file_close(&input->file);
}

static enum clump_status replace(struct run *run, clump_image **image, enum clump_type type)
{
    clump_image *converted = NULL;
    enum clump_status status = clump_convert(run->context, *image, type, &converted);
    if (status)
        return status;
    clump_image_destroy(image);
    *image = converted;
    return CLUMP_OK;
}

enum clump_status run_mask(struct run *run, clump_image **image)
{
    if (clump_image_type(*image) == CLUMP_BITS)
        return CLUMP_OK;
    return replace(run, image, CLUMP_BITS);
}
