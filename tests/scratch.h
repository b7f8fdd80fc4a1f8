/* SPDX-License-Identifier: MIT */
/* For tests that write files: a folder of the test's own, and the lines it logged. */
#ifndef CLUMP_TESTS_SCRATCH_H
#define CLUMP_TESTS_SCRATCH_H

#include <stddef.h>

#include <clump/clump.h>

struct scratch {
    char folder[64];
    char path[256];  /* the last one made by scratch_path */
    char line[4096]; /* the last error that was logged */
    unsigned errors; /* how many were */
    struct clump_log log;
    clump_context *context; /* the reference device */
};

void scratch_begin(struct scratch *scratch);
/* Fails when temporary files are left, and where a sanitizer finds memory that is leaked. */
void scratch_end(struct scratch *scratch);

/* A name in the folder; stays valid until the next call. */
const char *scratch_path(struct scratch *scratch, const char *name);

/* Writes bytes into a file of the folder and returns its path. */
const char *scratch_file(struct scratch *scratch, const char *name, const void *bytes,
                         size_t count);

/* Opens and reads an image, asserting that all goes well. `file` may be NULL. */
clump_image *scratch_read(struct scratch *scratch, const char *path,
                          const struct clump_file_params *params, clump_file **file);

/* Writes an image of every number type to a file of that kind, and compares what is read back. */
void scratch_round_trip(struct scratch *scratch, const char *suffix);

/* Pixel of an image of any number type. Downloads the whole image: for small ones. */
double scratch_pixel(const clump_image *image, uint64_t row, uint64_t col);

/* Runs a program; its exit status, or -1 when it cannot be found. Output goes to the folder. */
int scratch_run(struct scratch *scratch, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
