/* SPDX-License-Identifier: MIT */
#include "run.h"

#include <string.h>

/* In the order of enum clump_type; NumPy's own names do as well. */
static const char *const short_names[CLUMP_TYPE_COUNT] = {"bits", "u8",  "u16", "i16", "i32",
                                                          "u32",  "i64", "f32", "f64", "rgb"};

static const char *type_name;
static enum clump_type type;

static const struct option options[] = {
    {"type", 't', OPTION_STRING, &type_name, "u8|u16|i16|i32|u32|i64|f32|f64|bits|rgb",
     "the pixels' new type, also by NumPy's name; the file's own by default"},
    {0},
};

static enum clump_status convert_file(struct run *run, const char *path, json_t *json)
{
    struct input input;
    clump_image *converted = NULL;
    enum clump_status status = run_read(run, path, &input);
    if (!status && type_name)
        status = clump_convert(run->context, input.image, type, &converted);
    const clump_image *image = converted ? converted : input.image;
    if (!status)
        status = run_write(run, image, common.output, path, &input, json);
    if (!status) {
        run_word(run, json, "type", clump_type_text(clump_image_type(image)));
        run_count(run, json, "rows", clump_image_rows(image));
        run_count(run, json, "cols", clump_image_cols(image));
    }
    clump_image_destroy(&converted);
    run_release(&input);
    return status;
}

static int run_convert(struct run *run)
{
    if (!common.output)
        return run_misuse(run, "-o FILE is wanted");
    for (type = 0; type_name && type < CLUMP_TYPE_COUNT; type++)
        if (!strcmp(type_name, short_names[type]) || !strcmp(type_name, clump_type_text(type)))
            break;
    if (type == CLUMP_TYPE_COUNT)
        return run_misuse(run, "--type wants one of %s, not '%s'", options[0].value, type_name);
    return run_each(run, convert_file);
}

const struct command command_convert = {
    .name = "convert",
    .summary = "Changes the type of the pixels or the format of the file",
    .usage = "FILE... -o OUT",
    .about = "Values are rounded to the nearest (even) and clamped to the new type's range; NaN\n"
             "becomes 0 in an integer. The format of OUT follows from its ending.",
    .examples = "  clump convert field.fits -o field.npy\n"
                "  clump convert cells.png --channel green --type f32 -o green.fits\n"
                "  clump convert *.fits --type f32 -o 'small/{}.fits'\n",
    .options = options,
    .groups = COMMAND_READS | COMMAND_WRITES,
    .least = 1,
    .most = -1,
    .run = run_convert,
};
