/* SPDX-License-Identifier: MIT */
#include "file/output.h"
#include "run.h"

#include "bands.h"
#include "clip_options.h"

static const char *kept_path, *memory;

static const struct option options[] = {
    CLIP_OPTIONS,
    {"kept", 0, OPTION_STRING, &kept_path, "FILE",
     "write the values of the kept pixels, in the order of the image, as one row"},
    BANDS_OPTION(&memory),
    {0},
};

static struct clump_clip_params params;

static enum clump_status clip_file(struct run *run, const char *path, json_t *json)
{
    struct bands_input in;
    struct clump_clip_result result;
    clump_image *mask = NULL, *kept = NULL;
    enum clump_status status = bands_open(run, path, memory, &in);
    const struct input *input = &in.input;
    if (!status && in.step && (common.output || kept_path))
        status =
            run_fail(run, CLUMP_ERROR_UNSUPPORTED,
                     "%s: is read some rows at a time, of which no mask and no kept pixels are "
                     "written; leave out %s",
                     path, common.output ? "--output" : "--kept");
    if (!status && in.step)
        status = bands_clip(&in, &params, &result);
    else if (!status)
        status = clump_clip(run->context, input->image, &params, common.output ? &mask : NULL,
                            kept_path ? &kept : NULL, &result);
    if (!status && mask)
        status = run_write_plain(run, mask, common.output, path, input, json);
    if (!status && kept_path && !kept)
        status = run_fail(run, CLUMP_ERROR_ARGUMENT, "no pixel is kept, so there is none to write");
    if (!status && kept)
        status = run_write(run, kept, kept_path, path, NULL, json);
    if (!status) {
        json_object_set_new(json, "clip", run_json_clip(&result));
        json_object_set_new(json, "after", run_json_stats(&result.after));
        clip_print(run, "after:", &result.after);
        clip_print_bounds(run, &result);
    }
    clump_image_destroy(&kept);
    clump_image_destroy(&mask);
    run_release(&in.input);
    return status;
}

static int run_clip(struct run *run)
{
    int status = clip_options(run, &params);
    params.mad = true;
    if (!status)
        status = run_check_output(run, "--kept", kept_path, clump_output_check_image);
    if (!status)
        status = bands_check(run, memory);
    return status ? status : run_each(run, clip_file);
}

const struct command command_clip = {
    .name = "clip",
    .summary = "Finds the level and the noise of the background by kappa-sigma clipping",
    .usage = "FILE...",
    .about =
        "Sets aside the pixels further than kappa scales from the centre of those still kept,\n"
        "and repeats until nothing is removed. -o writes the mask of the kept pixels as uint8,\n"
        "0 and 1.",
    .examples = "  clump clip field.fits --kappa 3 -o kept.fits\n"
                "  clump clip field.fits --kappa-low 3 --kappa-high 2 --iterations 5 --json\n"
                "  clump clip field.fits --scale mad --inclusive --kept background.npy\n",
    .options = options,
    .groups = COMMAND_READS | COMMAND_WRITES,
    .least = 1,
    .most = -1,
    .run = run_clip,
};
