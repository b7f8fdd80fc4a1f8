/* SPDX-License-Identifier: MIT */
#include "run.h"

#include <stdlib.h>

/* The words of scipy.ndimage, and the boundaries that they mean. */
enum { NEAREST, REFLECT, MIRROR, CONSTANT, WRAP };
static const enum clump_boundary boundaries[] = {
    [NEAREST] = CLUMP_BOUNDARY_NEAREST, [REFLECT] = CLUMP_BOUNDARY_SYMM,
    [MIRROR] = CLUMP_BOUNDARY_MIRROR,   [CONSTANT] = CLUMP_BOUNDARY_FILL,
    [WRAP] = CLUMP_BOUNDARY_WRAP,
};

static struct {
    struct option_list sigma;
    int boundary;
} set;

static struct clump_gaussian_params params;

static void set_defaults(void)
{
    params = clump_gaussian_defaults;
    while (boundaries[set.boundary] != params.boundary)
        set.boundary++;
}

static const struct option options[] = {
    {"sigma", 's', OPTION_LIST, &set.sigma, "S[,S]",
     "standard deviation in pixels; or that down the columns and that along the rows (1)"},
    {"truncate", 't', OPTION_DOUBLE, &params.truncate, "T", "radius in standard deviations (@)"},
    {"boundary", 'b', OPTION_CHOICE, &set.boundary, "nearest|reflect|mirror|constant|wrap",
     "what lies beyond the border (@)"},
    {"fill-value", 0, OPTION_DOUBLE, &params.fill_value, "V", "the value of constant (@)"},
    {"blank", 0, OPTION_CHOICE, &params.blank, "spread|ignore",
     "NaN spreads, or is left out and the other weights are scaled up (@)"},
    {0},
};

static enum clump_status gaussian_file(struct run *run, const char *path, json_t *json)
{
    struct input input;
    clump_image *blurred = NULL;
    enum clump_status status = run_read(run, path, &input);
    if (!status)
        status = clump_gaussian(run->context, input.image, &params, &blurred);
    if (!status)
        status = run_write(run, blurred, common.output, path, &input, json);
    if (!status) {
        run_count(run, json, "rows", clump_image_rows(blurred));
        run_count(run, json, "cols", clump_image_cols(blurred));
    }
    clump_image_destroy(&blurred);
    run_release(&input);
    return status;
}

static int run_gaussian(struct run *run)
{
    if (set.sigma.count > 2)
        return run_misuse(run, "--sigma takes one number or two");
    if (!common.output)
        return run_misuse(run, "-o FILE is wanted");
    if (set.sigma.count) {
        params.sigma_rows = set.sigma.values[0];
        params.sigma_cols = set.sigma.values[set.sigma.count - 1];
    }
    params.boundary = boundaries[set.boundary];
    int exit = run_each(run, gaussian_file);
    free(set.sigma.values);
    return exit;
}

const struct command command_gaussian = {
    .name = "gaussian",
    .summary = "Blurs an image with a gaussian",
    .usage = "FILE... --sigma S -o OUT",
    .about = "As scipy.ndimage.gaussian_filter and skimage.filters.gaussian, whose default\n"
             "boundary, nearest, is the default here. Integer images become float32.",
    .examples = "  clump gaussian cells.png --channel green --sigma 5 -o blurred.npy\n"
                "  clump gaussian field.fits --sigma 2,1 --boundary reflect -o smooth.fits\n",
    .options = options,
    .groups = COMMAND_READS | COMMAND_WRITES,
    .least = 1,
    .most = -1,
    .defaults = set_defaults,
    .run = run_gaussian,
};
