/* SPDX-License-Identifier: MIT */
#include "run.h"

#include <math.h>
#include <string.h>

static struct {
    const char *above;
    double low, high;
    unsigned connectivity;
} set = {.low = NAN, .high = NAN};

static const struct option options[] = {
    {"above", 'a', OPTION_STRING, &set.above, "T|otsu",
     "the level: a number, or Otsu's threshold of the image"},
    {"high", 0, OPTION_DOUBLE, &set.high, "T", "the level, as --above, of a hysteresis"},
    {"low", 0, OPTION_DOUBLE, &set.low, "T",
     "hysteresis: set what is above this and connected to a pixel above the level"},
    {"connectivity", 'c', OPTION_UNSIGNED, &set.connectivity, "4|8",
     "neighbours that connect in a hysteresis (4)"},
    {0},
};

static struct clump_threshold_params params;

static enum clump_status threshold_file(struct run *run, const char *path, json_t *json)
{
    struct input input;
    clump_image *mask = NULL;
    uint64_t count = 0;
    enum clump_status status = run_read(run, path, &input);
    if (!status && set.above && !strcmp(set.above, "otsu"))
        status = clump_otsu(run->context, input.image, &params.above);
    if (!status)
        status = clump_threshold(run->context, input.image, &params, &mask, &count);
    if (!status)
        status = run_write_plain(run, mask, common.output, path, &input, json);
    if (!status) {
        run_number(run, json, "threshold", params.above);
        run_count(run, json, "count", count);
    }
    clump_image_destroy(&mask);
    run_release(&input);
    return status;
}

static int run_threshold(struct run *run)
{
    params = clump_threshold_defaults;
    if (!set.above && isnan(set.high))
        return run_misuse(run, "--above T, --above otsu or --high T is wanted");
    if (set.above && !isnan(set.high))
        return run_misuse(run, "--above and --high both give the level; use one");
    const struct option level = {"above", 0, OPTION_DOUBLE, &params.above, "T|otsu", NULL};
    params.above = set.high;
    if (set.above && strcmp(set.above, "otsu") &&
        !options_value("clump threshold", "--above", &level, set.above))
        return EXIT_USAGE;
    if (set.connectivity)
        params.connectivity = set.connectivity;
    params.hysteresis = !isnan(set.low);
    params.low = params.hysteresis ? set.low : 0;
    return run_each(run, threshold_file);
}

const struct command command_threshold = {
    .name = "threshold",
    .summary = "Marks the pixels above a level and counts them",
    .usage = "FILE... --above T|otsu",
    .about = "A pixel is set when its value is greater than the level; blank (NaN) pixels never\n"
             "are. The mask is written as uint8, 0 and 1.",
    .examples = "  clump threshold field.fits --above 0.0667 -o mask.fits\n"
                "  clump threshold cells.png --channel green --above otsu -o mask.png\n"
                "  clump threshold field.fits --low 0.04 --high 0.0667 --json\n",
    .options = options,
    .groups = COMMAND_READS | COMMAND_WRITES,
    .least = 1,
    .most = -1,
    .run = run_threshold,
};
