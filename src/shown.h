/* SPDX-License-Identifier: MIT */
/* Text of others as a terminal may show it. */
#ifndef CLUMP_SRC_SHOWN_H
#define CLUMP_SRC_SHOWN_H

#include <stddef.h>

/*
 * Copies `text` with control characters, and bytes that are no UTF-8, written as \x1b, except
 * those in `kept`; cut to `room` bytes. Returns the length that the whole has, as snprintf does.
 */
size_t clump_shown(const char *text, const char *kept, char *to, size_t room);

/* The same in new memory, or NULL. */
char *clump_shown_new(const char *text, const char *kept);

#endif
