/* SPDX-License-Identifier: MIT */
#include "run.h"

#include <math.h>
#include <string.h>

static struct {
    const char *above, *below;
    double low, high;
} set = {.low = NAN, .high = NAN};

static struct clump_threshold_params params;

static void set_defaults(void) { params = clump_threshold_defaults; }

static const struct option options[] = {
    {"above", 'a', OPTION_STRING, &set.above, "T|otsu",
     "the level: a number, or Otsu's threshold of the image"},
    {"below", 'b', OPTION_STRING, &set.below, "T|otsu",
     "the level of dark objects: set what is less than T, or not above Otsu's threshold"},
    {"high", 0, OPTION_DOUBLE, &set.high, "T", "the level, as --above, of a hysteresis"},
    {"low", 0, OPTION_DOUBLE, &set.low, "T",
     "hysteresis: set what is above this and connected to a pixel above the level; with --below "
     "what is less than this, a greater T, and connected to one below the level"},
    {"connectivity", 'c', OPTION_UNSIGNED, &params.connectivity, "4|8",
     "neighbours that connect in a hysteresis (@)"},
    {0},
};

/* The level as it was typed. */
static const char *level_text(void) { return set.above ? set.above : set.below; }

static bool is_otsu(void) { return level_text() && !strcmp(level_text(), "otsu"); }

static enum clump_status threshold_file(struct run *run, const char *path, json_t *json)
{
    struct input input;
    clump_image *mask = NULL;
    uint64_t count = 0;
    enum clump_status status = run_read(run, path, &input);
    if (!status && is_otsu())
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
    int levels = (set.above != NULL) + (set.below != NULL) + !isnan(set.high);
    if (!levels)
        return run_misuse(run, "--above T, --above otsu, --below T or --high T is wanted");
    if (levels > 1)
        return run_misuse(run, "%s and %s both give the level; use one",
                          set.above ? "--above" : "--below",
                          set.above && set.below ? "--below" : "--high");
    const struct option level = {"level", 0, OPTION_DOUBLE, &params.above, "T|otsu", NULL};
    params.above = set.high;
    if (level_text() && !is_otsu() &&
        !options_value("clump threshold", set.above ? "--above" : "--below", &level, level_text()))
        return EXIT_USAGE;
    params.below = set.below;
    params.inclusive = set.below && is_otsu();
    params.hysteresis = !isnan(set.low);
    params.low = params.hysteresis ? set.low : 0;
    return run_each(run, threshold_file);
}

const struct command command_threshold = {
    .name = "threshold",
    .summary = "Marks the pixels above or below a level and counts them",
    .usage = "FILE... --above T|otsu",
    .about = "A pixel is set when its value is greater than the level, or less than that of\n"
             "--below; blank (NaN) pixels never are. The mask is written as uint8, 0 and 1.",
    .examples = "  clump threshold field.fits --above 0.0667 -o mask.fits\n"
                "  clump threshold cells.png --channel green --above otsu -o mask.png\n"
                "  clump threshold stained.tif --below otsu -o dark.png\n"
                "  clump threshold field.fits --low 0.04 --high 0.0667 --json\n",
    .options = options,
    .groups = COMMAND_READS | COMMAND_WRITES,
    .least = 1,
    .most = -1,
    .defaults = set_defaults,
    .run = run_threshold,
};
