/* SPDX-License-Identifier: MIT */
/*
 * One line on the terminal that tells what is going on, shown when it takes more than a second.
 * Nothing is ever shown where stderr is not a terminal. A thread of its own draws the line.
 */
#ifndef CLUMP_CLI_PROGRESS_H
#define CLUMP_CLI_PROGRESS_H

#include <stdbool.h>

/* Starts a watch; `wanted` false, or no terminal: every call here does nothing. */
void progress_start(bool wanted);

/* Tells what is being done now. */
void progress_set(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Wipes the line before something else is printed; it comes back by itself. */
void progress_clear(void);

/* Wipes the line and ends the watch. */
void progress_stop(void);

#endif
