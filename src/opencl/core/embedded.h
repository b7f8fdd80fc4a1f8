/* SPDX-License-Identifier: MIT */
/* The text of the kernel files inside the library, the last place that is searched. */
#ifndef CLUMP_SRC_OPENCL_EMBEDDED_H
#define CLUMP_SRC_OPENCL_EMBEDDED_H

struct embedded {
    const char *name; /* "ROOM/FILE.cl"; NULL ends the list */
    const char *text;
};

extern const struct embedded clump_embedded[];

#endif
