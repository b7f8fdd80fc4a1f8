/* SPDX-License-Identifier: MIT */
#include "run.h"

static const char *mask_path;

static const struct option options[] = {
    {"mask", 'm', OPTION_STRING, &mask_path, "FILE", "which pixels: what is not 0 is set"},
    {0},
};

static enum clump_status compress_file(struct run *run, const char *path, json_t *json)
{
    struct input input, mask = {0};
    clump_image *row = NULL;
    uint64_t count = 0;
    enum clump_status status = run_read(run, path, &input);
    if (!status)
        status = run_read(run, mask_path, &mask);
    if (!status)
        status = clump_compress(run->context, input.image, mask.image, &row, &count);
    if (!status && !row && common.output)
        status = run_fail(run, CLUMP_ERROR_ARGUMENT,
                          "%s sets no pixel, and an image of none cannot be written", mask_path);
    if (!status && row)
        status = run_write_plain(run, row, common.output, path, NULL, json);
    if (!status)
        run_count(run, json, "count", count);
    clump_image_destroy(&row);
    run_release(&mask);
    run_release(&input);
    return status;
}

static int run_compress(struct run *run)
{
    if (!mask_path)
        return run_misuse(run, "--mask FILE is wanted");
    return run_each(run, compress_file);
}

const struct command command_compress = {
    .name = "compress",
    .summary = "Keeps the pixels where a mask is set, in one row",
    .usage = "FILE... --mask MASK",
    .about =
        "As numpy.compress: the pixels follow each other in raster order. Prints their number.",
    .examples = "  clump compress field.fits --mask sky.fits -o sky.npy\n",
    .options = options,
    .groups = COMMAND_READS | COMMAND_WRITES,
    .least = 1,
    .most = -1,
    .run = run_compress,
};
