/* SPDX-License-Identifier: MIT */
/* What the public headers declare, read from their text, so that a test can cover all of it. */
#ifndef CLUMP_TESTS_HEADERS_H
#define CLUMP_TESTS_HEADERS_H

#include <stddef.h>

/* Calls `see` with the name of every exported function, such as "clump_find"; counts them. */
size_t each_public_function(void (*see)(const char *name));

/* Calls `see` with the name of every open struct, such as "clump_find_params"; counts them. */
size_t each_public_struct(void (*see)(const char *name));

/* Reads a text file; release it with free. Fails the test where the file cannot be read. */
char *read_text(const char *path);

#endif
