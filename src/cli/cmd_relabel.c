/* SPDX-License-Identifier: MIT */
#include "run.h"

static const struct option options[] = {{0}};

static enum clump_status relabel_file(struct run *run, const char *path, json_t *json)
{
    struct input input;
    clump_image *made = NULL;
    uint64_t count = 0;
    enum clump_status status = run_read(run, path, &input);
    if (!status)
        status = clump_relabel(run->context, input.image, &made, &count);
    if (!status && common.output)
        status = run_write_plain(run, made, common.output, path, &input, json);
    if (!status)
        run_count(run, json, "labels", count);
    clump_image_destroy(&made);
    run_release(&input);
    return status;
}

static int run_relabel(struct run *run) { return run_each(run, relabel_file); }

const struct command command_relabel = {
    .name = "relabel",
    .summary = "Numbers the labels of an image anew, without gaps",
    .usage = "FILE...",
    .about = "Labels become 1, 2, 3, ... in their order, as in\n"
             "skimage.segmentation.relabel_sequential; 0 stays 0. They are written as int32.",
    .examples = "  clump relabel labels.npy -o numbered.npy\n",
    .options = options,
    .groups = COMMAND_READS | COMMAND_WRITES,
    .least = 1,
    .most = -1,
    .run = run_relabel,
};
