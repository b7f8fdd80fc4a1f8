/* SPDX-License-Identifier: MIT */
/*
 * Makes calls fail on purpose: the table of OpenCL functions is bent so that the n-th
 * call returns an error, and malloc and its like, wrapped by the linker, return NULL.
 */
#ifndef CLUMP_TESTS_FAULT_INJECT_H
#define CLUMP_TESTS_FAULT_INJECT_H

#include <stdbool.h>

enum fault {
    FAULT_OPENCL, /* every OpenCL call */
    FAULT_BUILD,  /* those that make programs and kernels */
    FAULT_MEMORY, /* malloc, calloc, realloc, strdup, asprintf of the library and the tests */
    FAULT_KINDS
};

/* Takes the table over; once, before anything else. False where there is no OpenCL. */
bool fault_inject_begin(void);

/* From here on calls of the kind are counted, and the n-th, from 1, fails; 0: none does. */
void fault_inject_arm(enum fault kind, unsigned n);

/* Ends the counting. Returns the number of calls; `*name` is the one that failed, or NULL. */
unsigned fault_inject_disarm(const char **name);

#endif
