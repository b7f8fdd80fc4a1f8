/* SPDX-License-Identifier: MIT */
#include "run.h"

#include <stdlib.h>
#include <string.h>

#include "file/output.h"

static struct {
    const char *mesh, *rms, *mask, *weight;
    bool subtract;
} set;

static struct clump_background_params params;

static void set_defaults(void) { params = clump_background_defaults; }

static const struct option options[] = {
    {"mesh", 'm', OPTION_STRING, &set.mesh, "W[xH]", "pixels of a box, wide and high (64)"},
    {"filter", 0, OPTION_SIZE, &params.filter_width, "N",
     "boxes along a side of the median filter; 1: none (@)"},
    {"filter-threshold", 0, OPTION_DOUBLE, &params.filter_threshold, "T",
     "filter only levels that differ from the median by this or more (@)"},
    {"mask", 0, OPTION_STRING, &set.mask, "FILE",
     "leave out the pixels that are not 0 in this image"},
    {"weight", 0, OPTION_STRING, &set.weight, "FILE",
     "leave out the pixels whose weight is not above 0"},
    {"rms", 0, OPTION_STRING, &set.rms, "FILE", "write the map of the noise"},
    {"subtract", 0, OPTION_FLAG, &set.subtract, NULL, "-o gets the image minus its background"},
    {0},
};

/* "64" or "64x32". */
static bool parse_mesh(const char *text, uint64_t *width, uint64_t *height)
{
    char *end;
    if (*text < '0' || *text > '9')
        return false;
    *width = *height = strtoull(text, &end, 10);
    if (*end == 'x' && end[1] >= '0' && end[1] <= '9')
        *height = strtoull(end + 1, &end, 10);
    return !*end && *width && *height;
}

/* Makes a mask of the pixels without weight. */
static enum clump_status mask_weights(struct run *run, struct clump_operand *weighted,
                                      clump_image **mask)
{
    struct clump_operand positive = {0};
    clump_image *made = NULL;
    enum clump_status status = clump_threshold(run->context, weighted->image, NULL, &made, NULL);
    positive.image = made;
    if (!status)
        status = clump_arith(run->context, &positive, CLUMP_ARITH_NOT, NULL, mask);
    clump_image_destroy(&made);
    return status;
}

/* Reads the mask, the weights, or both as one mask; NULL where none is given. */
static enum clump_status read_mask(struct run *run, clump_image **mask)
{
    struct input given = {0}, weights = {0};
    struct clump_operand a = {0}, b = {0};
    clump_image *weightless = NULL;
    enum clump_status status = set.mask ? run_read_other(run, set.mask, &given) : CLUMP_OK;
    if (!status && set.mask)
        status = run_mask(run, &given.image);
    if (!status && set.weight)
        status = run_read_other(run, set.weight, &weights);
    if (!status && set.weight) {
        a.image = weights.image;
        status = mask_weights(run, &a, &weightless);
    }
    a.image = given.image;
    b.image = weightless;
    if (!status && set.mask && set.weight) {
        status = clump_arith(run->context, &a, CLUMP_ARITH_OR, &b, mask);
    } else if (!status) {
        *mask = set.mask ? given.image : weightless;
        given.image = weightless = NULL;
    }
    clump_image_destroy(&weightless);
    run_release(&weights);
    run_release(&given);
    return status;
}

static enum clump_status background_file(struct run *run, const char *path, json_t *json)
{
    struct input input;
    struct clump_background_result result;
    clump_image *mask = NULL, *level = NULL, *rms = NULL;
    enum clump_status status = run_read(run, path, &input);
    if (!status)
        status = read_mask(run, &mask);
    if (!status)
        status =
            clump_background(run->context, input.image, mask, &params,
                             common.output && !set.subtract ? &level : NULL, set.rms ? &rms : NULL,
                             common.output && set.subtract ? &level : NULL, &result);
    if (!status && level)
        status = run_write(run, level, common.output, path, &input, json);
    if (!status && rms)
        status = run_write(run, rms, set.rms, path, &input, json);
    if (!status) {
        run_number(run, json, "level", result.level);
        run_number(run, json, "rms", result.rms);
        run_count(run, json, "mesh_rows", result.mesh_rows);
        run_count(run, json, "mesh_cols", result.mesh_cols);
        run_count(run, json, "bad", result.bad);
        run_count(run, json, "used", result.used);
    }
    clump_image_destroy(&rms);
    clump_image_destroy(&level);
    clump_image_destroy(&mask);
    run_release(&input);
    return status;
}

static int run_background(struct run *run)
{
    params.filter_height = params.filter_width;
    if (set.mesh && !parse_mesh(set.mesh, &params.mesh_width, &params.mesh_height))
        return run_misuse(run, "--mesh takes W or WxH, as 64 or 64x32, not '%s'", set.mesh);
    if (set.subtract && !common.output)
        return run_misuse(run, "--subtract wants -o FILE for the image minus its background");
    int status = run_check_output(run, "--rms", set.rms, clump_output_check_image);
    return status ? status : run_each(run, background_file);
}

const struct command command_background = {
    .name = "background",
    .summary = "Measures the background of an image and its noise as maps",
    .usage = "FILE... [-o BACK] [--rms RMS]",
    .about =
        "Level and rms of boxes by their clipped histograms, a median filter over the boxes,\n"
        "and a spline through them, as SExtractor and SEP do. Prints the medians of the boxes.\n"
        "-o writes the level as float32, or with --subtract the image minus the level.",
    .examples = "  clump background field.fits -o back.fits --rms rms.fits\n"
                "  clump background field.fits --mesh 128x64 --filter 5 --subtract -o flat.fits\n"
                "  clump background field.fits --mask bad.fits --weight weight.fits --json\n",
    .options = options,
    .groups = COMMAND_READS | COMMAND_WRITES,
    .least = 1,
    .most = -1,
    .defaults = set_defaults,
    .run = run_background,
};
