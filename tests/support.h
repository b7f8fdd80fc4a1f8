/* SPDX-License-Identifier: MIT */
/*
 * What several tests need: a log that remembers, contexts, temporary folders.
 */
#ifndef CLUMP_TESTS_SUPPORT_H
#define CLUMP_TESTS_SUPPORT_H

#include <criterion/criterion.h>

#include <clump/clump.h>

/* The lines a call logged, newest last, joined by '\n'. */
struct memory {
    char text[16384];
    unsigned errors;
};

/* A log that writes to `memory`, at the chattiest level. */
struct clump_log remember(struct memory *memory);

/* Opens the device under test (CLUMP_TEST_DEVICE or the default) or `device`, logging to `memory`,
 * with no cache on disk. Fails the test when there is none. */
clump_context *open_context(const char *device, struct memory *memory);

/* The same with kernels of the folder `kernels` and a cache in the folder `cache`; either may be
 * NULL, for the usual one, or "". */
clump_context *open_with(const char *kernels, const char *cache, struct memory *memory);

/* Counts the primes below 100 by the smallest of all kernels. */
uint64_t count_primes(clump_context *context);

/* Makes an image of these pixels; fails the test where it cannot. */
clump_image *upload(clump_context *context, enum clump_type type, uint64_t rows, uint64_t cols,
                    const void *pixels);

/* The pixels of an image, which is mapped until it is destroyed. */
const void *see_pixels(clump_image *image);

/* A new empty folder, removed by the caller with remove_folder. */
char *make_folder(void);
void remove_folder(char *folder);

/* Writes `text` to FOLDER/NAME. */
void write_file(const char *folder, const char *name, const char *text);

#define ok(status) cr_assert_eq((status), CLUMP_OK)

#define cr_assert_contains(text, part)                                                             \
    cr_assert(strstr((text), (part)), "\"%s\" is not in: %s", (part), (text))

#endif
