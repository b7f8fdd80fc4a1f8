/* SPDX-License-Identifier: MIT */
/* Files that clump-reader reads for the library. */
#ifndef CLUMP_SRC_FILE_READER_REMOTE_H
#define CLUMP_SRC_FILE_READER_REMOTE_H

#include <sys/types.h>

#include "file/format.h"

/* Opens, describes and reads through a reader that was started for this file. */
extern const struct format clump_format_remote;

/* A running reader: where to talk to it. */
struct reader {
    pid_t pid;
    int handle; /* of the process, or -1: numbers of processes are used again */
    int socket;
    uint64_t memory; /* its limit of address space before pixels are read, or 0 */
};

/*
 * Starts a reader, or takes the one that was started ahead. False where there is none; then the
 * library reads in its own process, and says so once at WARNING unless that was asked for
 * (CLUMP_READER=none).
 */
bool clump_reader_start(const struct clump_log *log, struct reader *reader);

/* Ends the reader. Returns what waitpid says of it, or -1 where somebody else was told. */
int clump_reader_end(struct reader *reader);

/* Starts a reader ahead of the `count` files that will be opened, one at a time: linking it takes
 * longer than reading a small file. */
void clump_reader_expect(unsigned count);

#endif
