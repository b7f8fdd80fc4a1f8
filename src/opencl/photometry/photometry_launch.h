/* SPDX-License-Identifier: MIT */
/* What the hosts of photometry share: the inputs of a launch on the device. */
#ifndef CLUMP_SRC_OPENCL_PHOTOMETRY_LAUNCH_H
#define CLUMP_SRC_OPENCL_PHOTOMETRY_LAUNCH_H

#include "opencl/core/opencl.h"
#include "photometry_job.h"

struct photometry_launch {
    struct photometry_view view;
    cl_mem sources, offsets, results;
    size_t bytes; /* of a result */
};

/* Uploads the apertures and the places of `subpix` points, and borrows room for the results.
 * Release with clump_photometry_end, also after failure. */
enum clump_status clump_photometry_begin(clump_context *context, const struct photometry_job *job,
                                         unsigned subpix, size_t bytes,
                                         struct photometry_launch *launch);
void clump_photometry_end(clump_context *context, struct photometry_launch *launch);

/* A kernel of cl/photometry for the types of the images, with a further option. */
enum clump_status clump_photometry_kernel(clump_context *context, const struct photometry_job *job,
                                          const char *program, const char *option, const char *name,
                                          cl_kernel *kernel);

/* Launches over all apertures; `args` begin with those that clump_photometry_args fills. */
#define CLUMP_PHOTOMETRY_ARGS 7
void clump_photometry_args(const struct photometry_job *job, const struct photometry_launch *launch,
                           struct clump_arg args[CLUMP_PHOTOMETRY_ARGS]);
enum clump_status clump_photometry_run(clump_context *context, cl_kernel kernel, uint64_t count,
                                       const struct clump_arg *args, unsigned arg_count);

#endif
