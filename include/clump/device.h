/* SPDX-License-Identifier: MIT */
/*
 * The devices of this machine: every OpenCL device of every platform in one
 * flat list, and after them `reference`, the scalar C code that defines every
 * operation and needs no OpenCL. Listing never fails for want of OpenCL: no
 * loader, no driver, a broken driver or a platform without devices leave fewer
 * devices in the list. Host src/device.c and src/opencl/core/device.c.
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
    char name[128]; /* as the driver gives it, without outer blanks */
    char vendor[128];
    char platform[128]; /* two platforms may name their device alike */
    char driver[128];   /* driver version */
    char version[128];  /* OpenCL version of the device */
    enum clump_device_type type;
    uint32_t units;          /* compute units */
    uint32_t vector_width;   /* of its own vectors, in floats */
    uint64_t memory;         /* bytes of global memory */
    uint64_t max_buffer;     /* bytes of the largest single buffer */
    uint64_t local_memory;   /* bytes of local memory a work-group may use */
    uint64_t max_work_group; /* work-items a work-group may have */
    bool fp64;               /* computes in double */
    bool compiler;           /* builds kernels from source */
    bool shares_memory;      /* with the host: images are wrapped and mapped, not copied */
    uint64_t reserved[4];    /* 0 (clump.h) */
};

/*
 * Lists all devices, `reference` last. `*devices` is an array of `*count` entries, to be
 * released with clump_device_list_destroy. `log` may be NULL. Safe from any thread.
 * Returns CLUMP_ERROR_MEMORY only.
 */
CLUMP_API enum clump_status clump_device_list(const struct clump_log *log,
                                              struct clump_device **devices, size_t *count);

/* Releases a list and nulls the pointer; accepts the address of NULL. */
CLUMP_API void clump_device_list_destroy(struct clump_device **devices);

/*
 * Chooses from a list: `name` is an index, `gpu`, `cpu`, `reference` or a part of a device's or
 * platform's name, in any case. NULL or "": the environment's CLUMP_DEVICE, else the first GPU,
 * else the first CPU, else the first other OpenCL device; `reference` only when asked for. `*why`
 * (may be NULL) gets a borrowed sentence on what decided.
 * Returns CLUMP_ERROR_DEVICE when nothing or more than one device fits; the log line lists them.
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
