/* SPDX-License-Identifier: MIT */
/* Where results go: names of outputs, files, stdout, one table for many inputs. */
#include "run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "places.h"
#include "progress.h"
#include "scratch.h"

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

int run_check_output(const struct run *run, const char *option, const char *pattern,
                     places_ending *ending)
{
    bool output = !strcmp(option, "--output");
    if (pattern && !strcmp(pattern, "-") && !output)
        return run_misuse(run, "%s goes to a file; -o - alone writes to stdout", option);
    places_add(option, pattern, ending);
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

bool run_to_stdout(const char *pattern) { return pattern && !strcmp(pattern, "-"); }

/* Copies a file to stdout; what stdout does not take is told when the program ends. */
static enum clump_status copy_out(struct run *run, const char *name)
{
    char block[65536];
    size_t bytes;
    FILE *in = fopen(name, "rb");
    if (!in)
        return run_fail(run, CLUMP_ERROR_FILE, "%s: cannot be read: %s", name, strerror(errno));
    progress_clear();
    while ((bytes = fread(block, 1, sizeof block, in)) > 0)
        if (fwrite(block, 1, bytes, stdout) != bytes)
            break;
    bool bad = ferror(in);
    fclose(in);
    return bad ? run_fail(run, CLUMP_ERROR_FILE, "%s: cannot be read", name) : CLUMP_OK;
}

/* Stores the name to write to: that of the output, or of a file whose contents then go to stdout.
 */
static enum clump_status name_for(struct run *run, const char *pattern, const char *path,
                                  const char *ending, char **name)
{
    bool out = run_to_stdout(pattern);
    const char *scratch = out ? scratch_name(common.format ? common.format : ending) : NULL;
    if (out && !scratch)
        return run_fail(run, CLUMP_ERROR_FILE,
                        "what is for stdout needs a temporary file, which cannot be made: %s",
                        strerror(errno));
    *name = out ? strdup(scratch) : run_output(pattern, path);
    return *name ? CLUMP_OK : run_fail(run, CLUMP_ERROR_MEMORY, "no room for the output's name");
}

static enum clump_status done(struct run *run, const char *pattern, char *name,
                              enum clump_status status, json_t *json)
{
    bool out = run_to_stdout(pattern);
    if (!status && out)
        status = copy_out(run, name);
    else if (!status)
        run_wrote(run, name, json);
    if (out)
        scratch_remove();
    free(name);
    return status;
}

static enum clump_status write_image(struct run *run, const clump_image *image, const char *pattern,
                                     const char *path, struct clump_file_write_params params,
                                     json_t *json)
{
    if (!pattern)
        return CLUMP_OK;
    char *name;
    enum clump_status status =
        name_for(run, pattern, path, clump_image_type(image) == CLUMP_RGB ? "png" : "npy", &name);
    if (status)
        return status;
    params.force = common.force;
    params.history = run_history(run);
    double begun = run_write_begin(run);
    status = clump_file_write(run->context, image, name, &params);
    status = done(run, pattern, name, status, json);
    run_write_end(run, begun);
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

enum clump_status run_write_made(struct run *run, const clump_image *image, const char *pattern,
                                 const char *name, const char *cards, json_t *json)
{
    struct clump_file_write_params params = {.cards = cards};
    return write_image(run, image, pattern, name, params, json);
}

enum clump_status run_write_by(struct run *run, run_writer *writer, const void *user,
                               const char *pattern, const char *path, json_t *json)
{
    char *name;
    enum clump_status status = name_for(run, pattern, path, "pdf", &name);
    if (status)
        return status;
    double begun = run_write_begin(run);
    status = writer(run, name, user);
    status = done(run, pattern, name, status, json);
    run_write_end(run, begun);
    return status;
}

static enum clump_status write_table(struct run *run, clump_catalog *catalog, const char *pattern,
                                     const char *path, const clump_file *sky, json_t *json)
{
    char *name;
    enum clump_status status = name_for(run, pattern, path, "csv", &name);
    if (status)
        return status;
    double begun = run_write_begin(run);
    struct clump_catalog_write_params params = clump_catalog_write_defaults;
    params.force = common.force;
    params.sky = sky;
    status = clump_catalog_note(catalog, "program", "clump " CLUMP_VERSION);
    if (!status)
        status = clump_catalog_note(catalog, "device", clump_context_device(run->context)->name);
    if (!status)
        status = clump_catalog_note(catalog, "command", run->history);
    if (!status)
        status = clump_catalog_write(catalog, name, &params);
    status = done(run, pattern, name, status, json);
    run_write_end(run, begun);
    return status;
}

enum clump_status run_catalog(struct run *run, clump_catalog *catalog, const char *pattern,
                              const char *path, json_t *json)
{
    return run_catalog_sky(run, catalog, pattern, path, NULL, json);
}

enum clump_status run_catalog_sky(struct run *run, clump_catalog *catalog, const char *pattern,
                                  const char *path, const clump_file *sky, json_t *json)
{
    if (!pattern)
        return CLUMP_OK;
    if (run->joins && pattern == common.output)
        return run_join(run, catalog, path, json);
    return write_table(run, catalog, pattern, path, sky, json);
}

int run_join_end(struct run *run, int status)
{
    clump_catalog *all = NULL;
    if (!run->joined || status == EXIT_USAGE)
        return status;
    run->file = NULL;
    json_t *json = json_object();
    if (run_joined(run, &all) || write_table(run, all, common.output, "", NULL, json))
        status = EXIT_FAILED;
    json_decref(json);
    clump_catalog_destroy(&all);
    return status;
}
