/* SPDX-License-Identifier: MIT */
#include "run.h"

static struct clump_label_params set;

static void set_defaults(void) { set = clump_label_defaults; }

static const struct option options[] = {
    {"connectivity", 'c', OPTION_UNSIGNED, &set.connectivity, "4|8",
     "neighbours that belong together (@)"},
    {0},
};

static enum clump_status label_file(struct run *run, const char *path, json_t *json)
{
    struct input input;
    clump_image *labels = NULL;
    uint64_t count = 0;
    enum clump_status status = run_read(run, path, &input);
    if (!status)
        status =
            clump_label(run->context, input.image, &set, common.output ? &labels : NULL, &count);
    if (!status)
        status = run_write_plain(run, labels, common.output, path, &input, json);
    if (!status)
        run_count(run, json, "labels", count);
    clump_image_destroy(&labels);
    run_release(&input);
    return status;
}

static int run_label(struct run *run) { return run_each(run, label_file); }

const struct command command_label = {
    .name = "label",
    .summary = "Numbers the connected components of a mask",
    .usage = "FILE...",
    .about =
        "Any pixel that is not 0 is set. Components get the numbers 1, 2, 3, ... in the order of\n"
        "their first pixels, as in scipy.ndimage.label; the labels are written as int32.",
    .examples = "  clump label mask.npy --connectivity 4 -o labels.npy\n"
                "  clump label mask.fits --json\n",
    .options = options,
    .groups = COMMAND_READS | COMMAND_WRITES,
    .least = 1,
    .most = -1,
    .defaults = set_defaults,
    .run = run_label,
};
