/* SPDX-License-Identifier: MIT */
/*
 * Commands whose image is read some rows at a time: with --memory, or where the device has no
 * buffer for all of it.
 */
#ifndef CLUMP_CLI_BANDS_H
#define CLUMP_CLI_BANDS_H

#include <clump/bands.h>

#include "run.h"

#define BANDS_OPTION(place)                                                                        \
    {                                                                                              \
        "memory", 0, OPTION_STRING, place, "SIZE",                                                 \
            "read the image some rows at a time, with this much memory besides the program's own " \
            "and the results': bytes, or 512M, 2G; by itself where the device cannot hold it "     \
            "(plain .fits, .npy)"                                                                  \
    }

struct bands_input {
    struct run *run;
    struct input input; /* its image is NULL where there are bands */
    uint64_t step;      /* rows of a band; 0: the image was read whole */
    uint64_t memory;    /* for the library */
};

/* EXIT_USAGE, after one line, for a size that is none; `text` may be NULL. */
int bands_check(const struct run *run, const char *text);

/* Opens a file, and reads it where it is not taken in bands. Release with run_release. */
enum clump_status bands_open(struct run *run, const char *path, const char *memory,
                             struct bands_input *in);

/* Makes the parameters of a task from those of the file. */
struct clump_bands_params bands_params(const struct bands_input *in, enum clump_bands_task task);

/* Does all passes. Writes the labels to `path` by the pattern `segmentation`, unless it is NULL. */
enum clump_status bands_feed(struct bands_input *in, clump_bands *bands, const char *segmentation,
                             const char *path, json_t *json);

/* Clips the image, whole or in bands. */
enum clump_status bands_clip(struct bands_input *in, const struct clump_clip_params *params,
                             struct clump_clip_result *result);
/* Measures it. */
enum clump_status bands_stats(struct bands_input *in, const struct clump_stats_params *params,
                              double *quantiles, struct clump_stats_result *result);

#endif
