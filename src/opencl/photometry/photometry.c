/* SPDX-License-Identifier: MIT */
#include "opencl/photometry/photometry_launch.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SUMS "photometry/sums"

static_assert(
    sizeof(struct photometry_source) == 136 && sizeof(struct photometry_view) == 40 &&
        sizeof(struct photometry_sums) == 80 && sizeof(struct photometry_rings) == 1544,
    "a struct of cl/photometry/photometry.h is padded, perhaps otherwise than in the kernels");
static_assert((int)PHOTOMETRY_TRUNCATED == (int)CLUMP_PHOTOMETRY_TRUNCATED &&
                  (int)PHOTOMETRY_LEFT_OUT == (int)CLUMP_PHOTOMETRY_MASKED,
              "the kernels' flags are not the public ones");

enum clump_status clump_photometry_begin(clump_context *context, const struct photometry_job *job,
                                         unsigned subpix, size_t bytes,
                                         struct photometry_launch *launch)
{
    const struct clump_photometry_params *params = job->params;
    double offsets[1032];
    launch->bytes = bytes;
    launch->view = (struct photometry_view){
        .rows = job->image->rows,
        .cols = job->image->cols,
        .count = job->count,
        .error = params->error,
        .has = (job->error_map ? PHOTOMETRY_HAS_MAP : 0u) |
               (params->variance ? PHOTOMETRY_HAS_VARIANCES : 0u) |
               (job->mask ? PHOTOMETRY_HAS_MASK : 0u) |
               (job->segmentation ? PHOTOMETRY_HAS_SEGMENTATION : 0u),
        .subpix = (cl_int)subpix,
    };
    for (unsigned i = 0; i < sizeof offsets / sizeof *offsets; i++)
        offsets[i] = i < subpix ? (i + 0.5) / subpix - 0.5 : (double)NAN;
    size_t size = job->count * sizeof *job->sources;
    enum clump_status status = clump_buffer_borrow(context, size, &launch->sources);
    if (!status)
        status = clump_buffer_borrow(context, sizeof offsets, &launch->offsets);
    if (!status)
        status = clump_buffer_borrow(context, job->count * bytes, &launch->results);
    if (!status)
        status = clump_buffer_write(context, launch->sources, job->sources, size);
    if (!status)
        status = clump_buffer_write(context, launch->offsets, offsets, sizeof offsets);
    return status;
}

void clump_photometry_end(clump_context *context, struct photometry_launch *launch)
{
    clump_buffer_return(context, &launch->results);
    clump_buffer_return(context, &launch->offsets);
    clump_buffer_return(context, &launch->sources);
}

enum clump_status clump_photometry_kernel(clump_context *context, const struct photometry_job *job,
                                          const char *program, const char *option, const char *name,
                                          cl_kernel *kernel)
{
    char options[96];
    snprintf(options, sizeof options, "%s -DT=%s -DE=%s -DS=%s", option,
             clump_type_opencl(job->image->type),
             clump_type_opencl(job->error_map ? job->error_map->type : CLUMP_F32),
             clump_type_opencl(job->segmentation ? job->segmentation->type : CLUMP_I32));
    return clump_kernel(context, program, options, name, kernel);
}

void clump_photometry_args(const struct photometry_job *job, const struct photometry_launch *launch,
                           struct clump_arg args[CLUMP_PHOTOMETRY_ARGS])
{
    struct clump_arg none = CLUMP_ARG(launch->offsets); /* a buffer that is never looked at */
    args[0] = clump_arg_part(job->image, 0);
    args[1] = job->error_map ? clump_arg_part(job->error_map, 0) : none;
    args[2] = job->mask ? clump_arg_part(job->mask, 0) : none;
    args[3] = job->segmentation ? clump_arg_part(job->segmentation, 0) : none;
    args[4] = CLUMP_ARG(launch->view);
    args[5] = CLUMP_ARG(launch->offsets);
    args[6] = CLUMP_ARG(launch->sources);
}

enum clump_status clump_photometry_run(clump_context *context, cl_kernel kernel, uint64_t count,
                                       const struct clump_arg *args, unsigned arg_count)
{
    const struct layout *layout = &context->opencl->layout;
    size_t local = layout->coarse ? 1 : layout->group;
    size_t groups =
        (size_t)(layout->coarse ? (count + PHOTOMETRY_SHARE - 1) / PHOTOMETRY_SHARE : count);
    size_t global = groups * local;
    return clump_launch(context, kernel, 1, &global, &local, args, arg_count);
}

/* The annulus that takes the place of an aperture's radii; outer 0: none. */
struct annulus {
    double inner, outer;
};

/* Sums over all apertures into memory of the host. */
static enum clump_status sum_all(clump_context *context, const struct photometry_job *job,
                                 const char *option, unsigned subpix, struct annulus annulus,
                                 struct photometry_sums *sums)
{
    struct photometry_launch launch = {0};
    struct clump_arg args[CLUMP_PHOTOMETRY_ARGS + 4];
    cl_uint given = annulus.outer > 0;
    cl_kernel kernel;
    enum clump_status status =
        clump_photometry_kernel(context, job, SUMS, option, "photometry_sums", &kernel);
    if (!status)
        status = clump_photometry_begin(context, job, subpix, sizeof *sums, &launch);
    clump_photometry_args(job, &launch, args);
    args[CLUMP_PHOTOMETRY_ARGS] = CLUMP_ARG(given);
    args[CLUMP_PHOTOMETRY_ARGS + 1] = CLUMP_ARG(annulus.inner);
    args[CLUMP_PHOTOMETRY_ARGS + 2] = CLUMP_ARG(annulus.outer);
    args[CLUMP_PHOTOMETRY_ARGS + 3] = CLUMP_ARG(launch.results);
    if (!status)
        status =
            clump_photometry_run(context, kernel, job->count, args, sizeof args / sizeof *args);
    if (!status)
        status = clump_buffer_read(context, launch.results, sums, job->count * sizeof *sums);
    clump_photometry_end(context, &launch);
    return status;
}

/* Room for the sums of all apertures, `times` over. */
static enum clump_status make_sums(clump_context *context, uint64_t count, unsigned times,
                                   struct photometry_sums **sums)
{
    *sums = malloc(count * times * sizeof **sums);
    return *sums ? CLUMP_OK
                 : clump_fail(&context->log, CLUMP_ERROR_MEMORY,
                              "photometry: no memory for the sums of %llu apertures",
                              (unsigned long long)count);
}

/* The flux of an aperture without a local background; its error is still a variance. */
static struct clump_flux flux_of(const struct clump_photometry_params *params, bool ignore,
                                 const struct photometry_sums *sums)
{
    double area = sums->sum[2], out = sums->sum[3];
    struct clump_flux flux = {.sum = sums->sum[0],
                              .error = sums->sum[1],
                              .area = area,
                              .flags = (uint32_t)sums->flags};
    if (out > 0 && !(area - out > 0)) {
        flux.sum = flux.error = 0;
        flux.flags |= CLUMP_PHOTOMETRY_ALL_MASKED;
        flux.area = ignore ? 0 : area;
    } else if (out > 0 && ignore) {
        flux.area = area - out;
    } else if (out > 0) {
        flux.sum *= area / (area - out);
        flux.error *= area / (area - out);
    }
    if (params->gain > 0 && flux.sum > 0)
        flux.error += flux.sum / params->gain;
    return flux;
}

static struct clump_flux finish(const struct photometry_job *job, uint64_t i,
                                const struct photometry_sums *sums,
                                const struct photometry_sums *annulus)
{
    const struct clump_photometry_params *params = job->params;
    if (job->sources[i].invalid)
        return (struct clump_flux){.sum = (double)NAN,
                                   .error = (double)NAN,
                                   .area = (double)NAN,
                                   .background = (double)NAN,
                                   .flags = CLUMP_PHOTOMETRY_INVALID};
    struct clump_flux flux = flux_of(params, params->ignore, sums);
    double variance = flux.error;
    if (annulus) {
        struct clump_flux around = flux_of(params, true, annulus);
        bool none = !(around.area > 0);
        double ratio = none ? (double)NAN : flux.area / around.area;
        flux.background = none ? (double)NAN : around.sum / around.area;
        flux.sum -= flux.background * flux.area;
        variance += around.error * (ratio * ratio);
        flux.flags |= none ? CLUMP_PHOTOMETRY_ALL_MASKED : 0u;
    }
    flux.error = sqrt(variance);
    return flux;
}

enum clump_status clump_opencl_photometry_sum(clump_context *context,
                                              const struct photometry_job *job,
                                              struct clump_flux *fluxes)
{
    const struct clump_photometry_params *params = job->params;
    const struct annulus own = {0, 0}, local = {params->local_inner, params->local_outer};
    struct photometry_sums *sums = NULL, *around = NULL;
    enum clump_status status = make_sums(context, job->count, local.outer > 0 ? 2 : 1, &sums);
    if (!status)
        status = sum_all(context, job, "-DFLUX", params->subpix, own, sums);
    if (!status && local.outer > 0) {
        around = sums + job->count;
        status = sum_all(context, job, "-DFLUX", params->local_subpix, local, around);
    }
    for (uint64_t i = 0; i < job->count && !status; i++)
        fluxes[i] = finish(job, i, &sums[i], around ? &around[i] : NULL);
    free(sums);
    return status;
}

enum clump_status clump_opencl_photometry_kron(clump_context *context,
                                               const struct photometry_job *job,
                                               struct clump_kron *radii)
{
    struct photometry_sums *sums = NULL;
    enum clump_status status = make_sums(context, job->count, 1, &sums);
    if (!status)
        status = sum_all(context, job, "-DKRON", 0, (struct annulus){0, 0}, sums);
    for (uint64_t i = 0; i < job->count && !status; i++) {
        const double *sum = sums[i].sum;
        struct clump_kron kron = {.flags = (uint32_t)sums[i].flags};
        if (job->sources[i].invalid)
            kron = (struct clump_kron){.radius = (double)NAN, .flags = CLUMP_PHOTOMETRY_INVALID};
        else if (sum[2] == 0)
            kron.flags |= CLUMP_PHOTOMETRY_ALL_MASKED;
        else if (!(sum[0] > 0) || !(sum[1] > 0))
            kron.flags |= CLUMP_PHOTOMETRY_NONPOSITIVE;
        else
            kron.radius = sum[0] / sum[1];
        radii[i] = kron;
    }
    free(sums);
    return status;
}

enum clump_status clump_opencl_photometry_window(clump_context *context,
                                                 const struct photometry_job *job,
                                                 struct clump_window *positions)
{
    struct photometry_sums *sums = NULL;
    enum clump_status status = make_sums(context, job->count, 1, &sums);
    if (!status)
        status =
            sum_all(context, job, "-DWINDOW", job->params->subpix, (struct annulus){0, 0}, sums);
    for (uint64_t i = 0; i < job->count && !status; i++) {
        const double *sum = sums[i].sum;
        bool invalid = job->sources[i].invalid;
        positions[i] = (struct clump_window){.x = invalid ? (double)NAN : sum[0],
                                             .y = invalid ? (double)NAN : sum[1],
                                             .iterations = invalid ? 0 : (uint32_t)sum[2],
                                             .flags = invalid ? CLUMP_PHOTOMETRY_INVALID
                                                              : (uint32_t)sums[i].flags};
    }
    free(sums);
    return status;
}
