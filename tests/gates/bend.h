/* SPDX-License-Identifier: MIT */
/*
 * Makes calls fail on purpose: the table of OpenCL functions is bent so that the n-th
 * call returns an error, and malloc and its like, wrapped by the linker, return NULL.
 */
#ifndef CLUMP_TESTS_BEND_H
#define CLUMP_TESTS_BEND_H

#include <stdbool.h>

enum bend {
    BEND_OPENCL, /* every OpenCL call */
    BEND_BUILD,  /* those that make programs and kernels */
    BEND_MEMORY, /* malloc, calloc, realloc, strdup, asprintf of the library and the tests */
    BEND_KINDS
};

/* Takes the table over; once, before anything else. False where there is no OpenCL. */
bool bend_begin(void);

/* From here on calls of the kind are counted, and the n-th, from 1, fails; 0: none does. */
void bend_arm(enum bend kind, unsigned n);

/* Ends that. Returns how many calls there were; `*name` is the one that failed, or NULL. */
unsigned bend_disarm(const char **name);

#endif
