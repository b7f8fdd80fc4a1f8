/* SPDX-License-Identifier: MIT */
/*
 * The first start on a device builds kernels, which takes seconds. POCL builds one thing at a time
 * in a process, so a second process helps: the same command line again, with CLUMP_AHEAD in its
 * environment and nothing to read or to print. It runs the steps of the command on a tiny image,
 * the last step first, and leaves what it builds in the cache of kernels. There the two meet: a
 * program that one of them is building the other waits for (src/opencl/core/cache.c).
 *
 * The helper starts when the first program has to be built, never on a warm start, and is ended
 * with the command. Whatever goes wrong in it costs time and no more.
 */
#ifndef CLUMP_CLI_AHEAD_H
#define CLUMP_CLI_AHEAD_H

#include "run.h"

/* Keeps the command line, before anything changes it, and prepares the environment. */
void ahead_prepare(int argc, char **argv);

/* Says that the work from here on has a helper, which is told the type of the pixels. */
void ahead_plan(enum clump_type type);

/* A context's `building`: says what takes so long, and starts the helper that was planned. */
void ahead_building(void *user);

/* Ends the helper, if there is one. */
void ahead_end(void);

/* Whether this process is a helper, and for which type of pixels. */
bool ahead_is_helper(enum clump_type *type);

/* What a helper does for clump_find and for clump_cells. Returns the exit status. */
int ahead_find(struct run *run, enum clump_type type, const struct clump_find_params *params,
               bool labels);
int ahead_cells(struct run *run, enum clump_type type, const struct clump_cells_params *params,
                bool labels, bool overlay);

#endif
