/* SPDX-License-Identifier: MIT */
/*
 * A file on its way to somewhere else, in a folder of its own below $TMPDIR or /tmp. One is there
 * at a time. The folder's name has this machine and this process, which holds a lock on it: the
 * next process that needs one removes what was left by those that were killed.
 */
#ifndef CLUMP_CLI_SCRATCH_H
#define CLUMP_CLI_SCRATCH_H

/* The name of the file, "output" with this ending, which is not there yet; NULL, with errno set, if
 * there can be none. Release with scratch_remove, which keeps errno. */
const char *scratch_name(const char *ending);

/* Removes the file and its folder; from a signal handler too. */
void scratch_remove(void);

#endif
