/* SPDX-License-Identifier: MIT */
/*
 * Output that appears whole or not at all: a temporary name beside the target, a "part", renamed at
 * the end, after its contents have reached the disk. clump_file_cleanup removes the parts still in
 * use, from a signal handler if need be. A part whose process was killed is removed by the next
 * output of the same name: its writer held a lock on it, which ended with the process.
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
    int fd;   /* of the temporary file, which is locked through it; or -1 */
    int slot; /* in the list that the signal handler sees */
};

/*
 * Fails as clump_output_begin does, and creates nothing: the folder is missing or cannot be written
 * to, the target exists and `force` is not set, or it is no regular file.
 */
enum clump_status clump_output_check(const struct clump_log *log, const char *path, bool force);

/* Fails unless the name ends as a file of images, of a table, or of either a picture or a drawing
 * does. file.c, catalog.c */
enum clump_status clump_output_check_image(const struct clump_log *log, const char *path);
enum clump_status clump_output_check_table(const struct clump_log *log, const char *path);
enum clump_status clump_output_check_drawing(const struct clump_log *log, const char *path);

/* Creates an empty temporary file. Fails when the target exists and `force` is not set. */
enum clump_status clump_output_begin(const struct clump_log *log, const char *path, bool force,
                                     struct output *output);

/* Renames the file when `status` is CLUMP_OK, else removes it. Returns `status`, or that of
 * renaming.
 */
enum clump_status clump_output_end(struct output *output, enum clump_status status);

/* A number that stands for this machine: folders may be shared by several. */
unsigned clump_output_machine(void);

/* True when `path` ends in `ending`, in capitals or not, with a name before it. */
bool clump_path_ends(const char *path, const char *ending);

#endif
