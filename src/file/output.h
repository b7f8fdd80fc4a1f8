/* SPDX-License-Identifier: MIT */
/*
 * Output that appears whole or not at all: a temporary name beside the target,
 * renamed at the end. clump_file_cleanup removes the names still in use, from a
 * signal handler if need be.
 */
#ifndef CLUMP_SRC_FILE_OUTPUT_H
#define CLUMP_SRC_FILE_OUTPUT_H

#include <stdbool.h>

#include <clump/log.h>
#include <clump/status.h>

struct output {
    const struct clump_log *log;
    char *path;   /* as the caller wrote it */
    char *target; /* where it goes: `path`, or what it links to */
    char *temporary;
    bool force;
    int slot; /* in the list that the signal handler sees */
};

/* Creates an empty temporary file. Fails when the target exists and `force` is not set. */
enum clump_status clump_output_begin(const struct clump_log *log, const char *path, bool force,
                                     struct output *output);

/* Renames the file when `status` is CLUMP_OK, else removes it. Returns `status`, or that of
 * renaming.
 */
enum clump_status clump_output_end(struct output *output, enum clump_status status);

/* True when `path` ends in `ending`, in capitals or not, with a name before it. */
bool clump_path_ends(const char *path, const char *ending);

#endif
