/* SPDX-License-Identifier: MIT */
/*
 * What the OpenCL files share: the OpenCL side of a context, and all headers of this room, one per
 * file. An operation
 *   - asks for its kernels (program.h), which are built or found in a cache,
 *   - borrows scratch buffers from a pool (buffer.h),
 *   - launches by the layout of the device (launch.h, layout.h),
 *   - returns the buffers and, if it failed, its status (error.h).
 */
#ifndef CLUMP_SRC_OPENCL_OPENCL_H
#define CLUMP_SRC_OPENCL_OPENCL_H

#include "context.h"
#include "opencl/core/api.h"
#include "opencl/core/buffer.h"
#include "opencl/core/cache.h"
#include "opencl/core/error.h"
#include "opencl/core/kernel_source.h"
#include "opencl/core/launch.h"
#include "opencl/core/layout.h"
#include "opencl/core/operations.h"
#include "opencl/core/probe.h"
#include "opencl/core/program.h"

#define CLUMP_POOL_SLOTS     32
#define CLUMP_CONSTANT_SLOTS 8

/* The OpenCL side of a context; made in context.c. */
struct opencl {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue; /* in order */
    bool own_queue;         /* made here, and not the program's */
    bool has_events;        /* the queue keeps the times of commands */
    bool tight;    /* buffers are exactly as large as asked for, so that a checker sees overruns */
    bool strict;   /* a warning of the device's compiler is an error: for tests (program.c) */
    bool stale;    /* label reads parents as they were a while ago: for tests (regions/runs.c) */
    bool probed;   /* the device was asked how it computes: probe.c */
    bool flushes;  /* it takes denormal floats for 0, whatever its driver says */
    bool declares; /* programs declare built-in functions themselves: cl/common/builtins.cl */
    struct layout layout;
    struct bounds bounds;
    char *kernel_dir;             /* or NULL */
    char *cache_dir;              /* or NULL: no cache on disk */
    struct program *programs;     /* built in this context: program.c */
    void (*building)(void *user); /* called before the first build, then NULL */
    void *building_user;
    struct pooled pool[CLUMP_POOL_SLOTS];
    struct constant constants[CLUMP_CONSTANT_SLOTS];
    uint64_t pool_clock;  /* of the pool and the constants */
    struct fft *ffts;     /* convolve/fft.c */
    struct timed *events; /* of commands not yet counted, while profiling */
    size_t event_count, event_room;
};

/* context.c: replaces the queue, which must be drained, by one that keeps the times of commands, if
 * it can be had and the queue is not the program's. */
void clump_opencl_profile(clump_context *context);
/* device.c: describes a device by what its driver tells. */
void clump_opencl_describe(cl_device_id id, struct clump_device *device);
/* convolve/fft.c: releases the transforms of a context. */
void clump_fft_release(struct opencl *opencl);

#endif
