/* SPDX-License-Identifier: MIT */
/*
 * The devices of this machine: every OpenCL device of every platform in one flat list, and after
 * them `reference`, the scalar C code that defines every operation and needs no OpenCL. Listing
 * never fails for want of OpenCL: without a loader or a driver, with a broken driver or with a
 * platform without devices, the list is shorter. Host src/device.c and src/opencl/core/device.c.
 */
#ifndef CLUMP_DEVICE_H
#define CLUMP_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <clump/log.h>
#include <clump/status.h>

#ifdef __cplusplus
extern "C" {
#endif

enum clump_device_type {
    CLUMP_DEVICE_GPU,
    CLUMP_DEVICE_CPU,
    CLUMP_DEVICE_ACCELERATOR,
    CLUMP_DEVICE_REFERENCE
};

struct clump_device {
    uint32_t index; /* place in the list */
    char name[128]; /* as the driver gives it, without blanks around it */
    char vendor[128];
    char platform[128]; /* tells devices of one name apart */
    char driver[128];   /* driver version */
    char version[128];  /* OpenCL version of the device */
    enum clump_device_type type;
    uint32_t units;          /* compute units */
    uint32_t vector_width;   /* floats in one vector of the device */
    uint64_t memory;         /* bytes of global memory */
    uint64_t max_buffer;     /* bytes of the largest single buffer */
    uint64_t local_memory;   /* bytes of local memory per work-group */
    uint64_t max_work_group; /* work-items in the largest work-group */
    bool fp64;               /* computes in double */
    bool compiler;           /* builds kernels from source */
    bool shares_memory;      /* with the host, so that images are mapped instead of copied */
    uint64_t reserved[4];    /* 0 (clump.h) */
};

/*
 * Lists all devices, `reference` last. `*devices` is an array of `*count` entries, to be
 * released with clump_device_list_destroy. `log` may be NULL. Safe from any thread.
 */
CLUMP_API enum clump_status clump_device_list(const struct clump_log *log,
                                              struct clump_device **devices, size_t *count);

/* Releases a list and nulls the pointer; accepts the address of NULL. */
CLUMP_API void clump_device_list_destroy(struct clump_device **devices);

/*
 * Chooses from a list: `name` is an index, `gpu`, `cpu`, `reference` or a part of a device's or
 * platform's name, in capitals or not. NULL or "": the environment's CLUMP_DEVICE, else the first
 * GPU, else the first CPU, else the first other OpenCL device; `reference` only when asked for.
 * `why` may be NULL; else `*why` gets a borrowed sentence on what decided. Returns
 * CLUMP_ERROR_DEVICE when nothing or more than one device fits; the log line lists them.
 */
CLUMP_API enum clump_status clump_device_choose(const struct clump_log *log,
                                                const struct clump_device *devices, size_t count,
                                                const char *name, size_t *index, const char **why);

/* Names a type: "GPU", "CPU", "accelerator", "reference". Borrowed, never NULL. */
CLUMP_API const char *clump_device_type_text(enum clump_device_type type);

#ifdef __cplusplus
}
#endif

#endif
