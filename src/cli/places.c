/* SPDX-License-Identifier: MIT */
#include "places.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "file/output.h"

static struct output_name {
    const char *option, *pattern;
    places_ending *ending;
} * outputs;
static size_t output_count;

static const char **inputs;
static size_t input_count;
static bool no_room; /* some could not be noted */

/* Which file a name stands for: that of a file which is there, or a new name in a folder. */
struct place {
    dev_t device;
    ino_t file;       /* or the folder */
    const char *name; /* in the folder; "" for a file that is there */
    char *path;       /* as the person wrote it */
    bool output;
    size_t order;
};

struct places {
    struct place *list;
    size_t count, room;
};

void places_add(const char *option, const char *pattern, places_ending *ending)
{
    if (!pattern || run_to_stdout(pattern))
        return;
    struct output_name *more = realloc(outputs, (output_count + 1) * sizeof *more);
    no_room |= !more;
    if (!more)
        return;
    outputs = more;
    outputs[output_count++] = (struct output_name){option, pattern, ending};
}

void places_add_input(const char *path)
{
    const char **more = path ? realloc(inputs, (input_count + 1) * sizeof *more) : NULL;
    no_room |= path && !more;
    if (!more)
        return;
    inputs = more;
    inputs[input_count++] = path;
}

/* Fills in where a path leads; false where that cannot be told. */
static bool locate(struct place *place)
{
    struct stat about;
    char *slash = strrchr(place->path, '/');
    place->name = "";
    int missing = stat(place->path, &about);
    if (missing && !place->output) { /* an input may have an extension or a section behind it */
        char *copy = strdup(place->path);
        for (char *bracket; missing && copy && (bracket = strrchr(copy, '['));) {
            *bracket = 0;
            missing = stat(copy, &about);
        }
        free(copy);
    } else if (missing) {
        char *folder = slash ? strndup(place->path, (size_t)(slash - place->path) + 1) : NULL;
        place->name = slash ? slash + 1 : place->path;
        missing = stat(slash && folder ? folder : ".", &about);
        free(folder);
    }
    place->device = about.st_dev;
    place->file = about.st_ino;
    return !missing;
}

static bool add(struct places *places, char *path, bool output)
{
    if (places->count == places->room) {
        size_t room = places->room ? 2 * places->room : 64;
        struct place *more = realloc(places->list, room * sizeof *more);
        if (!more) {
            free(path);
            return false;
        }
        places->list = more;
        places->room = room;
    }
    struct place place = {.path = path, .output = output, .order = places->count};
    if (path && locate(&place))
        places->list[places->count++] = place;
    else
        free(path);
    return path != NULL;
}

static int by_place(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->device != y->device)
        return x->device < y->device ? -1 : 1;
    if (x->file != y->file)
        return x->file < y->file ? -1 : 1;
    int names = strcmp(x->name, y->name);
    return names ? names : x->order < y->order ? -1 : 1;
}

/* One line where two places are one, of which one is an output. */
static enum clump_status compare(struct run *run, struct places *places)
{
    if (places->count)
        qsort(places->list, places->count, sizeof *places->list, by_place);
    for (size_t i = 1; i < places->count; i++) {
        const struct place *a = &places->list[i - 1], *b = &places->list[i];
        bool same = a->device == b->device && a->file == b->file && !strcmp(a->name, b->name);
        if (!same || (!a->output && !b->output))
            continue;
        if (a->output && b->output)
            return run_fail(run, CLUMP_ERROR_ARGUMENT,
                            "%s and %s: two outputs would go to one file; give them names of "
                            "their own",
                            a->path, b->path);
        const struct place *input = a->output ? b : a, *output = a->output ? a : b;
        return run_fail(run, CLUMP_ERROR_ARGUMENT,
                        "%s: the output would replace the input %s; give it another name",
                        output->path, input->path);
    }
    return CLUMP_OK;
}

/* The output of one option for one input: its name is checked and noted. */
static enum clump_status plan(struct run *run, struct places *places, size_t output,
                              const char *input)
{
    char *name = run_output(outputs[output].pattern, input);
    if (!name)
        return run_fail(run, CLUMP_ERROR_MEMORY, "no room for the output's name");
    enum clump_status status =
        outputs[output].ending ? outputs[output].ending(&run->log, name) : CLUMP_OK;
    if (!status)
        status = clump_output_check(&run->log, name, common.force);
    if (status) {
        free(name);
        return status;
    }
    return add(places, name, true) ? CLUMP_OK
                                   : run_fail(run, CLUMP_ERROR_MEMORY, "no room for its name");
}

static void forget(void)
{
    free(outputs);
    free(inputs);
    outputs = NULL;
    inputs = NULL;
    output_count = input_count = 0;
    no_room = false;
}

static bool is_output(const char *text)
{
    for (size_t i = 0; i < output_count; i++)
        if (outputs[i].pattern == text)
            return true;
    return false;
}

/* Notes the files that the value of an option names, which may be several, parted by commas. */
static void add_named(struct run *run, struct places *places, const char *text, bool files)
{
    char *copy = strdup(text), *rest = copy;
    no_room |= !copy || !add(places, strdup(text), false);
    for (char *name; copy && (name = strsep(&rest, ","));)
        for (int k = 0; k < (files && strstr(name, "{}") ? run->count : 1); k++)
            no_room |=
                !add(places, files ? run_output(name, run->operands[k]) : strdup(name), false);
    free(copy);
}

/* An option that has FILE in what help calls its value reads it, where it does not write it. */
static void add_options(struct run *run, struct places *places, bool files)
{
    for (const struct option *o = run->command->options; o && o->name; o++) {
        bool one = o->type == OPTION_STRING, many = o->type == OPTION_STRINGS;
        if (!(one || many) || !strstr(o->value, "FILE"))
            continue;
        const struct option_strings *list = many ? o->target : NULL;
        const char *const *texts = one ? o->target : list->values;
        for (size_t i = 0; i < (one ? 1 : list->count); i++)
            if (texts[i] && !is_output(texts[i]))
                add_named(run, places, texts[i], files);
    }
}

int places_check(struct run *run, bool files)
{
    struct places places = {0};
    enum clump_status status = CLUMP_OK;
    for (size_t i = 0; i < output_count && !status; i++) {
        bool each = files && strstr(outputs[i].pattern, "{}");
        for (int k = 0; k < (each ? run->count : 1) && !status; k++)
            status = plan(run, &places, i, files ? run->operands[k] : "");
    }
    for (int k = 0; files && output_count && k < run->count && !status; k++)
        no_room |= !add(&places, strdup(run->operands[k]), false);
    for (size_t i = 0; i < input_count && output_count && !status; i++)
        no_room |= !add(&places, strdup(inputs[i]), false);
    if (output_count && !status)
        add_options(run, &places, files);
    if (!status && no_room)
        status = run_fail(run, CLUMP_ERROR_MEMORY, "no room for the names of files");
    if (!status)
        status = compare(run, &places);
    for (size_t i = 0; i < places.count; i++)
        free(places.list[i].path);
    free(places.list);
    forget();
    return status ? EXIT_FAILED : EXIT_DONE;
}
