/* SPDX-License-Identifier: MIT */
/* How clump-reader gives up what it does not need, before it looks at a file. */
#ifndef CLUMP_SRC_FILE_READER_SANDBOX_H
#define CLUMP_SRC_FILE_READER_SANDBOX_H

#include "context.h"

/*
 * Limits address space to what is in use now and `memory` bytes, computing to `seconds`; takes away
 * new files, privileges, the file system and every system call that reading does not need. What
 * the kernel or a sanitizer does not let it do is left out, and said at DEBUG.
 */
void reader_sandbox(const struct clump_log *log, uint64_t memory, uint64_t seconds);

#endif
