/* SPDX-License-Identifier: MIT */
#include "opencl/photometry/photometry_launch.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define RINGS "photometry/rings"

/* The flux within each ring's outer edge. A ring whose points are all masked holds nothing. */
static void add_up(const struct photometry_rings *rings, unsigned subpix, double *curve)
{
    double sum = 0, points = (double)subpix * subpix;
    for (unsigned i = 0; i < PHOTOMETRY_RINGS; i++) {
        double flux = ldexp((double)rings->flux[i], rings->exponent) / points;
        uint64_t area = rings->area[i], masked = rings->masked[i];
        if (masked && masked < area)
            flux *= (double)area / (double)(area - masked);
        sum += flux;
        curve[i] = sum;
    }
}

/* Where a curve of growth first reaches `target`. */
static double reach(const double *curve, double target, double outer)
{
    double width = outer / PHOTOMETRY_RINGS;
    unsigned i = 0;
    while (i < PHOTOMETRY_RINGS && !(curve[i] >= target))
        i++;
    if (i == PHOTOMETRY_RINGS)
        return outer;
    if (i == 0)
        return target <= 0 || curve[0] == 0 ? 0 : width * target / curve[0];
    return width * (i + (target - curve[i - 1]) / (curve[i] - curve[i - 1]));
}

static void fill_radii(const struct photometry_job *job, uint64_t i,
                       const struct photometry_rings *rings, const double *totals,
                       const double *fractions, unsigned parts, double *radii, uint32_t *flags)
{
    double curve[PHOTOMETRY_RINGS];
    uint64_t area = 0, masked = 0;
    add_up(rings, job->params->subpix, curve);
    for (unsigned ring = 0; ring < PHOTOMETRY_RINGS; ring++) {
        area += rings->area[ring];
        masked += rings->masked[ring];
    }
    *flags = rings->flags | (masked && masked == area ? CLUMP_PHOTOMETRY_ALL_MASKED : 0u);
    double total = totals ? totals[i] : curve[PHOTOMETRY_RINGS - 1];
    for (unsigned part = 0; part < parts; part++)
        radii[part] = reach(curve, fractions[part] * total, job->sources[i].outer);
    if (!job->sources[i].invalid)
        return;
    *flags = CLUMP_PHOTOMETRY_INVALID;
    for (unsigned part = 0; part < parts; part++)
        radii[part] = (double)NAN;
}

/* The flux that the rings of each position must hold, in a buffer; NAN: all of it, as the total is
 * not known before. */
static enum clump_status send_targets(clump_context *context, const struct photometry_job *job,
                                      const double *totals, const double *fractions, unsigned parts,
                                      cl_mem *buffer)
{
    double *targets = malloc(job->count * sizeof *targets);
    if (!targets)
        return clump_fail(&context->log, CLUMP_ERROR_MEMORY,
                          "photometry: no memory for the fluxes of %" PRIu64 " positions",
                          job->count);
    for (uint64_t i = 0; i < job->count; i++) {
        targets[i] = totals ? 0 : (double)NAN;
        for (unsigned part = 0; totals && part < parts; part++)
            targets[i] = fmax(targets[i], fractions[part] * totals[i]);
    }
    enum clump_status status = clump_buffer_borrow(context, job->count * sizeof *targets, buffer);
    if (!status)
        status = clump_buffer_write(context, *buffer, targets, job->count * sizeof *targets);
    free(targets);
    return status;
}

enum clump_status clump_opencl_photometry_radius(clump_context *context,
                                                 const struct photometry_job *job,
                                                 const double *totals, const double *fractions,
                                                 unsigned parts, double *radii, uint32_t *flags)
{
    struct photometry_launch launch = {0};
    struct clump_arg args[CLUMP_PHOTOMETRY_ARGS + 2];
    cl_mem targets = NULL;
    cl_kernel kernel;
    void *mapped;
    size_t bytes = job->count * sizeof(struct photometry_rings);
    enum clump_status status =
        clump_photometry_kernel(context, job, RINGS, "", "photometry_rings", &kernel);
    if (!status)
        status = clump_photometry_begin(context, job, job->params->subpix,
                                        sizeof(struct photometry_rings), &launch);
    clump_photometry_args(job, &launch, args);
    if (!status)
        status = send_targets(context, job, totals, fractions, parts, &targets);
    args[CLUMP_PHOTOMETRY_ARGS] = CLUMP_ARG(targets);
    args[CLUMP_PHOTOMETRY_ARGS + 1] = CLUMP_ARG(launch.results);
    if (!status)
        status = clump_photometry_run(context, kernel, job->count, args, CLUMP_PHOTOMETRY_ARGS + 2);
    if (!status)
        status = clump_buffer_map(context, launch.results, CLUMP_IMAGE_READ, bytes, &mapped);
    if (!status) {
        for (uint64_t i = 0; i < job->count; i++) {
            uint32_t own = 0;
            fill_radii(job, i, (const struct photometry_rings *)mapped + i, totals, fractions,
                       parts, radii + i * parts, &own);
            if (flags)
                flags[i] = own;
        }
        status = clump_buffer_unmap(context, launch.results, mapped);
    }
    clump_buffer_return(context, &targets);
    clump_photometry_end(context, &launch);
    return status;
}
