/* SPDX-License-Identifier: MIT */
/*
 * What a context has done since it was last asked: for benchmarks and for the
 * curious. Counting costs an event a launch while it is on, nothing while it is off.
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
    double upload_ms;     /* moving pixels and parameters to the device: copies, or what it takes to
                             hand mapped memory over */
    double download_ms;   /* and pixels and results back */
    double compile_ms;    /* getting programs: reading, building, from the cache */
    uint64_t launches;    /* kernels launched */
    uint64_t builds;      /* programs compiled from source, as against read from the cache */
    uint64_t allocations; /* buffers newly allocated, as against taken from the pool */
    uint64_t upload_bytes, download_bytes; /* that were copied or mapped; where memory is shared
                                              mapping moves none of them */
    uint64_t bytes;       /* bytes of images that kernels were given to read and write */
    uint64_t fallbacks;   /* quick ways that did not serve, so that work was done again; counted
                             always */
    uint64_t reserved[4]; /* 0 (clump.h) */
};

/* Starts counting from zero (`on`), or stops. */
CLUMP_API enum clump_status clump_profile_start(clump_context *context, bool on);

/* Waits for the queue and reads the counters without resetting them. */
CLUMP_API enum clump_status clump_profile_read(clump_context *context,
                                               struct clump_profile *profile);

#ifdef __cplusplus
}
#endif

#endif
