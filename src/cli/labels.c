/* SPDX-License-Identifier: MIT */
#include "labels.h"

uint64_t labels_page = UINT64_MAX, labels_plane = UINT64_MAX; /* not given */

/* What was given for the labels, else what was given for the picture if there is a choice. */
static uint64_t choose(uint64_t given, uint64_t picture, uint64_t there)
{
    return given != UINT64_MAX ? given : there > 1 ? picture : 0;
}

enum clump_status labels_read(struct run *run, const char *path, struct input *labels)
{
    struct clump_file_params params = common.file; /* --crop is meant for both */
    params.page = clump_file_defaults.page;
    params.plane = clump_file_defaults.plane;
    params.channel = clump_file_defaults.channel;
    params.float32 = clump_file_defaults.float32;
    *labels = (struct input){0};
    enum clump_status status = clump_file_open(&run->log, path, &params, &labels->file);
    if (status)
        return status;
    const struct clump_file_info *info = clump_file_info(labels->file);
    uint64_t pages = info->format == CLUMP_FILE_FITS ? 1 : info->pages;
    params.page = choose(labels_page, common.file.page, pages);
    params.plane = choose(labels_plane, common.file.plane, info->planes);
    if (params.page || params.plane) {
        clump_file_close(&labels->file);
        status = clump_file_open(&run->log, path, &params, &labels->file);
    }
    if (status)
        return status;
    labels->info = clump_file_info(labels->file);
    if (labels->info->channels > 2)
        return run_fail(run, CLUMP_ERROR_ARGUMENT,
                        "%s: is in colour, but labels are one number a pixel", path);
    return clump_file_read(run->context, labels->file, &labels->image);
}
