/* SPDX-License-Identifier: MIT */
/* Kernel files: where they are searched for, and their text. */
#ifndef CLUMP_SRC_OPENCL_KERNEL_SOURCE_H
#define CLUMP_SRC_OPENCL_KERNEL_SOURCE_H

#include "context.h"

/*
 * Finds and reads a kernel file by its name from cl/ on, "stats/sweep.cl". `*text` and `*origin`
 * (its path, or "the library itself") are freed by the caller. Returns CLUMP_ERROR_KERNEL where
 * there is none, and names every place that was searched, or where the first one found cannot be
 * read.
 */
enum clump_status clump_kernel_source_read(clump_context *context, const char *name, char **text,
                                           char **origin);

#endif
