/* SPDX-License-Identifier: MIT */
#include "operands.h"

static struct {
    uint64_t rows, cols;
} set;

static const struct option options[] = {
    {"rows", 0, OPTION_SIZE, &set.rows, "N", "rows; without, as many as the pixels make"},
    {"cols", 0, OPTION_SIZE, &set.cols, "N", "columns; without, as many as the pixels make"},
    {0},
};

static enum clump_status reshape_file(struct run *run, const char *path, json_t *json)
{
    struct input input;
    clump_image *made = NULL;
    uint64_t n = 0;
    enum clump_status status = run_read(run, path, &input);
    if (!status)
        n = clump_image_rows(input.image) * clump_image_cols(input.image);
    if (!status)
        status = clump_reshape(run->context, input.image, set.rows ? set.rows : n / set.cols,
                               set.cols ? set.cols : n / set.rows, &made);
    if (!status)
        status = run_write_plain(run, made, common.output, path, NULL, json);
    if (!status)
        operands_tell(run, made, path, json);
    clump_image_destroy(&made);
    run_release(&input);
    return status;
}

static int run_reshape(struct run *run)
{
    if (!set.rows && !set.cols)
        return run_misuse(run, "--rows N or --cols N is wanted");
    return run_each(run, reshape_file);
}

const struct command command_reshape = {
    .name = "reshape",
    .summary = "Puts the pixels into rows of another length",
    .usage = "FILE... --rows N --cols N",
    .about = "As numpy.reshape: raster order stays, and so does the number of pixels. One of the\n"
             "two numbers is enough. A FITS header's coordinates do not fit any more and are left\n"
             "out.",
    .examples = "  clump reshape deltas.npy --rows 1 -o row.npy\n"
                "  clump reshape row.npy --cols 2048 -o image.npy\n",
    .options = options,
    .groups = COMMAND_READS | COMMAND_WRITES,
    .least = 1,
    .most = -1,
    .run = run_reshape,
};
