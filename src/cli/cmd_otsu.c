/* SPDX-License-Identifier: MIT */
#include "run.h"

static bool below;

static const struct option options[] = {
    {"below", 'b', OPTION_FLAG, &below, NULL, "the mask has the dark pixels: those not above it"},
    {0},
};

static enum clump_status otsu_file(struct run *run, const char *path, json_t *json)
{
    struct input input;
    clump_image *mask = NULL;
    struct clump_threshold_params params = clump_threshold_defaults;
    params.below = params.inclusive = below;
    enum clump_status status = run_read(run, path, &input);
    if (!status)
        status = clump_otsu(run->context, input.image, &params.above);
    if (!status && common.output)
        status = clump_threshold(run->context, input.image, &params, &mask, NULL);
    if (!status && mask)
        status = run_write_plain(run, mask, common.output, path, &input, json);
    if (!status)
        run_number(run, json, "threshold", params.above);
    clump_image_destroy(&mask);
    run_release(&input);
    return status;
}

static int run_otsu(struct run *run) { return run_each(run, otsu_file); }

const struct command command_otsu = {
    .name = "otsu",
    .summary = "Finds the level that best parts dark from bright",
    .usage = "FILE...",
    .about = "Otsu's threshold, as scikit-image has it: 256 bins from the least to the greatest\n"
             "value of floats, a bin for each value of integers. -o writes the mask of the pixels\n"
             "above it, or with --below of the others, as uint8, 0 and 1; blank pixels are 0.",
    .examples = "  clump otsu cells.tif --json\n"
                "  clump otsu cells.png --channel green -o mask.png\n"
                "  clump otsu stained.tif --below -o dark.png\n",
    .options = options,
    .groups = COMMAND_READS | COMMAND_WRITES,
    .least = 1,
    .most = -1,
    .run = run_otsu,
};
