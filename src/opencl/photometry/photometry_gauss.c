/* SPDX-License-Identifier: MIT */
#include "opencl/photometry/photometry_launch.h"

#include <math.h>
#include <stdio.h>

#define GAUSS "photometry/gauss"

static void fill(const struct photometry_fit *fit, struct clump_gauss *gauss)
{
    const double *f = fit->figures;
    bool none = fit->pixels == 0;
    *gauss = (struct clump_gauss){.height = none ? (double)NAN : f[0],
                                  .x = none ? (double)NAN : f[1],
                                  .y = none ? (double)NAN : f[2],
                                  .cxx = none ? (double)NAN : f[3],
                                  .cyy = none ? (double)NAN : f[4],
                                  .cxy = none ? (double)NAN : f[5],
                                  .residual = none ? (double)NAN : fit->residual,
                                  .pixels = fit->pixels,
                                  .rounds = fit->rounds,
                                  .flags = fit->flags};
    if (none)
        gauss->flags |= CLUMP_PHOTOMETRY_ALL_MASKED;
    else if (!(f[0] > 0))
        gauss->flags |= CLUMP_PHOTOMETRY_NONPOSITIVE;
}

enum clump_status clump_opencl_photometry_gauss(clump_context *context,
                                                const struct photometry_job *job, bool fixed,
                                                struct clump_gauss *fits)
{
    struct photometry_launch launch = {0};
    struct clump_arg args[CLUMP_PHOTOMETRY_ARGS + 1];
    unsigned count = CLUMP_PHOTOMETRY_ARGS + 1;
    size_t bytes = job->count * sizeof(struct photometry_fit), local = 1;
    size_t global = (size_t)job->count;
    cl_kernel kernel;
    void *mapped;
    enum clump_status status =
        clump_photometry_kernel(context, job, GAUSS, fixed ? "-DFREE=3" : "-DFREE=6",
                                "photometry_gauss", &kernel);
    if (!status)
        status = clump_photometry_begin(context, job, 0, sizeof(struct photometry_fit), &launch);
    clump_photometry_args(job, &launch, args);
    args[CLUMP_PHOTOMETRY_ARGS] = CLUMP_ARG(launch.results);
    if (!status)
        status = context->opencl->layout.coarse
                     ? clump_launch(context, kernel, 1, &global, &local, args, count)
                     : clump_launch_flat(context, kernel, job->count, args, count);
    if (!status)
        status = clump_buffer_map(context, launch.results, CLUMP_IMAGE_READ, bytes, &mapped);
    if (!status) {
        for (uint64_t i = 0; i < job->count; i++)
            fill((const struct photometry_fit *)mapped + i, &fits[i]);
        status = clump_buffer_unmap(context, launch.results, mapped);
    }
    clump_photometry_end(context, &launch);
    return status;
}
