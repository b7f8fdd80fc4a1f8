/* SPDX-License-Identifier: MIT */
/*
 * What a command will write, looked at before it does any work: endings that nothing can be written
 * as, folders that are missing, files that are there already, and two names for one file, be it two
 * outputs or an output and an input.
 */
#ifndef CLUMP_CLI_PLACES_H
#define CLUMP_CLI_PLACES_H

#include "run.h"

/* Checks an ending: clump_output_check_image and its like, or NULL where any will do. */
typedef enum clump_status places_ending(const struct clump_log *log, const char *path);

/* Notes that `option` writes what `pattern` names, for every input where that has a {}. */
void places_add(const char *option, const char *pattern, places_ending *ending);

/* Notes a file that is read, where it is neither an operand of run_each nor the value of an option:
 * those are known. */
void places_add_input(const char *path);

/* Looks at all of them, and forgets them; says in one line what is wrong. Returns EXIT_DONE or
 * EXIT_FAILED. */
int places_check(struct run *run, bool files);

#endif
