/* SPDX-License-Identifier: MIT */
#include "run.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "progress.h"

static void __attribute__((format(printf, 2, 0)))
say_list(const struct run *run, const char *format, va_list list)
{
    progress_clear();
    fprintf(stderr, "clump %s: ", run->command->name);
    vfprintf(stderr, format, list);
}

int run_misuse(const struct run *run, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    say_list(run, format, list);
    va_end(list);
    fprintf(stderr, " (clump %s --help)\n", run->command->name);
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
    return clump_context_create(&params, &run->context);
}

/* Calls `one` for one file, and prints its object if all went well. */
static bool run_one(struct run *run, run_file *one, const char *path)
{
    uint64_t errors = run->errors;
    json_t *json = json_object();
    if (path && run->count > 1)
        run_print(run, "==> %s <==\n", path);
    json_object_set_new(json, "file", path ? run_json_text(path) : json_null());
    json_object_set_new(json, "device",
                        run->context ? run_json_text(clump_context_device(run->context)->name)
                                     : json_null());
    enum clump_status status = json ? one(run, path, json) : CLUMP_ERROR_MEMORY;
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

int run_each(struct run *run, run_file *one)
{
    int status = run_check_output(run, "--output", common.output);
    return status ? status : run_all(run, one, true);
}

int run_once(struct run *run, run_file *one) { return run_all(run, one, false); }

static enum clump_status read_image(struct run *run, const char *path,
                                    const struct clump_file_params *params, struct input *input)
{
    *input = (struct input){0};
    enum clump_status status = clump_file_open(&run->log, path, params, &input->file);
    if (status)
        return status;
    input->info = clump_file_info(input->file);
    return clump_file_read(run->context, input->file, &input->image);
}

enum clump_status run_read(struct run *run, const char *path, struct input *input)
{
    return read_image(run, path, &common.file, input);
}

enum clump_status run_read_other(struct run *run, const char *path, struct input *input)
{
    return read_image(run, path, &clump_file_defaults, input);
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

enum clump_status run_float(struct run *run, clump_image **image)
{
    enum clump_type type = clump_image_type(*image);
    if (type == CLUMP_F32 || type == CLUMP_F64)
        return CLUMP_OK;
    return replace(run, image, CLUMP_F32);
}

enum clump_status run_mask(struct run *run, clump_image **image)
{
    if (clump_image_type(*image) == CLUMP_BITS)
        return CLUMP_OK;
    return replace(run, image, CLUMP_BITS);
}

enum clump_status run_labels(struct run *run, clump_image **image)
{
    if (clump_image_type(*image) == CLUMP_I32)
        return CLUMP_OK;
    return replace(run, image, CLUMP_I32);
}

/* The input's name without folder, extension syntax and ending: "a/b.fits[2]" gives "b". */
static void stem(const char *path, const char **start, int *length)
{
    const char *slash = strrchr(path, '/');
    *start = slash ? slash + 1 : path;
    size_t whole = strlen(*start);
    const char *bracket = strchr(*start, '[');
    if (bracket && bracket != *start)
        whole = (size_t)(bracket - *start);
    if (whole > 3 && !strncmp(*start + whole - 3, ".gz", 3))
        whole -= 3;
    for (size_t dot = whole; dot-- > 1;)
        if ((*start)[dot] == '.') {
            whole = dot;
            break;
        }
    *length = (int)whole;
}

int run_check_output(const struct run *run, const char *option, const char *pattern)
{
    if (!pattern || run->count < 2 || strstr(pattern, "{}"))
        return EXIT_DONE;
    return run_misuse(run, "one name for %d outputs: %s %s; put {} where the input's name goes",
                      run->count, option, pattern);
}

char *run_output(const char *pattern, const char *path)
{
    const char *name;
    int length;
    char *text = NULL;
    size_t size = 0;
    stem(path, &name, &length);
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    for (const char *hole; (hole = strstr(pattern, "{}")); pattern = hole + 2)
        fprintf(out, "%.*s%.*s", (int)(hole - pattern), pattern, length, name);
    fputs(pattern, out);
    if (fclose(out)) {
        free(text);
        return NULL;
    }
    return text;
}

void run_wrote(struct run *run, const char *path, json_t *json)
{
    json_t *files = json_object_get(json, "files");
    if (!files) {
        files = json_array();
        json_object_set_new(json, "files", files);
    }
    json_array_append_new(files, run_json_text(path));
    if (common.quiet)
        return;
    progress_clear();
    fflush(stdout); /* in order, where both streams go to one place */
    fprintf(stderr, "clump %s: wrote %s\n", run->command->name, path);
}

const char *run_history(struct run *run)
{
    static char text[sizeof run->history + 256];
    snprintf(text, sizeof text, "made by clump %s on %s\n%s", clump_version(),
             run->context ? clump_context_device(run->context)->name : "the host", run->history);
    return text;
}

static enum clump_status write_image(struct run *run, const clump_image *image, const char *pattern,
                                     const char *path, struct clump_file_write_params params,
                                     json_t *json)
{
    if (!pattern)
        return CLUMP_OK;
    char *name = run_output(pattern, path);
    if (!name)
        return run_fail(run, CLUMP_ERROR_MEMORY, "no memory for the output's name");
    params.force = common.force;
    params.history = run_history(run);
    enum clump_status status = clump_file_write(run->context, image, name, &params);
    if (!status)
        run_wrote(run, name, json);
    free(name);
    return status;
}

enum clump_status run_write(struct run *run, const clump_image *image, const char *pattern,
                            const char *path, const struct input *like, json_t *json)
{
    struct clump_file_write_params params = {.like = like ? like->file : NULL};
    return write_image(run, image, pattern, path, params, json);
}

enum clump_status run_write_plain(struct run *run, const clump_image *image, const char *pattern,
                                  const char *path, const struct input *like, json_t *json)
{
    struct clump_file_write_params params = {.like = like ? like->file : NULL, .unit = ""};
    return write_image(run, image, pattern, path, params, json);
}

enum clump_status run_write_moved(struct run *run, const clump_image *image, const char *pattern,
                                  const char *path, const struct input *like, int64_t row,
                                  int64_t col, json_t *json)
{
    struct clump_file_write_params params = {.like = like->file,
                                             .moved = true,
                                             .row = row,
                                             .col = col};
    return write_image(run, image, pattern, path, params, json);
}

enum clump_status run_catalog(struct run *run, clump_catalog *catalog, const char *pattern,
                              const char *path, json_t *json)
{
    if (!pattern)
        return CLUMP_OK;
    char *name = run_output(pattern, path);
    if (!name)
        return run_fail(run, CLUMP_ERROR_MEMORY, "no memory for the output's name");
    struct clump_catalog_write_params params = clump_catalog_write_defaults;
    params.force = common.force;
    enum clump_status status = clump_catalog_note(catalog, "program", "clump " CLUMP_VERSION);
    if (!status)
        status = clump_catalog_note(catalog, "device", clump_context_device(run->context)->name);
    if (!status)
        status = clump_catalog_note(catalog, "command", run->history);
    if (!status)
        status = clump_catalog_write(catalog, name, &params);
    if (!status)
        run_wrote(run, name, json);
    free(name);
    return status;
}
