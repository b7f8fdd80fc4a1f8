/* SPDX-License-Identifier: MIT */
/*
 * How a call ended. The status is for the program; the sentence for the person goes to the log
 * (log.h). There is no global last error.
 */
#ifndef CLUMP_STATUS_H
#define CLUMP_STATUS_H

#include <clump/version.h>

#ifdef __cplusplus
extern "C" {
#endif

enum clump_status {
    CLUMP_OK = 0,
    CLUMP_ERROR_ARGUMENT,      /* an argument that the function cannot take */
    CLUMP_ERROR_DEVICE,        /* no such device, or more than one of that name */
    CLUMP_ERROR_UNSUPPORTED,   /* the device or this build cannot do it (fp64, no compiler) */
    CLUMP_ERROR_KERNEL,        /* a kernel file that is missing or does not build */
    CLUMP_ERROR_OPENCL,        /* an OpenCL call failed; the log has its symbol */
    CLUMP_ERROR_MEMORY,        /* the host has no memory left */
    CLUMP_ERROR_DEVICE_MEMORY, /* the device has no memory left, or no buffer is that large */
    CLUMP_ERROR_FILE,          /* a file that cannot be opened, read or written */
    CLUMP_ERROR_FORMAT,        /* a file whose contents make no sense */
    CLUMP_ERROR_RESULT, /* a device gave an answer that contradicts itself; it is not returned */
    CLUMP_STATUS_COUNT
};

/* Names a status in a few words, such as "no such device". Borrowed, never NULL. */
CLUMP_API const char *clump_status_text(enum clump_status status);

#ifdef __cplusplus
}
#endif

#endif
