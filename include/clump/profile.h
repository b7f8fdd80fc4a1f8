/* SPDX-License-Identifier: MIT */
/*
 * What a context has done since counting began: launches, builds, times, bytes. For benchmarks and
 * for whoever wants to know. While counting is on, every launch costs an event; while it is off,
 * counting costs nothing.
 */
#ifndef CLUMP_PROFILE_H
#define CLUMP_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include <clump/context.h>

#ifdef __cplusplus
extern "C" {
#endif

struct clump_profile {
    double device_ms;     /* sum of the launches' times on the device (OpenCL events); NaN, as the
                             two below, where the device keeps no times */
    double upload_ms;     /* copies of pixels and parameters to the device, or handing mapped memory
                             over to it */
    double download_ms;   /* copies of pixels and results to the host, or handing them over */
    double compile_ms;    /* on the host: reading, building and caching programs */
    uint64_t launches;    /* launches of kernels */
    uint64_t builds;      /* programs compiled from source; those from the cache do not count */
    uint64_t allocations; /* buffers allocated; those from the pool do not count */
    uint64_t upload_bytes, download_bytes; /* copied or mapped; mapping shared memory moves none */
    uint64_t bytes;                        /* of all images that kernels read and wrote */
    uint64_t fallbacks; /* guesses that proved wrong, so that work was done again; counted also
                           while counting is off */
    uint64_t waits;     /* times that the host has waited for an answer: blocking reads and maps */
    uint64_t reserved[3]; /* 0 (clump.h) */
};

/* Starts counting from zero (`on`), or stops. The first start gives the context a queue that keeps
 * times (clump_opencl_queue), unless the program has given it one. */
CLUMP_API enum clump_status clump_profile_start(clump_context *context, bool on);

/* Waits for the queue and reads the counters without resetting them. */
CLUMP_API enum clump_status clump_profile_read(clump_context *context,
                                               struct clump_profile *profile);

#ifdef __cplusplus
}
#endif

#endif
