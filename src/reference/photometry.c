/* SPDX-License-Identifier: MIT */
#include "reference/photometry_overlap.h"

#include <math.h>

#include "reference/pixel.h"

/* What an aperture's pixels add up to. */
struct tally {
    double sum, variance, area, out;
    uint32_t flags;
};

static double variance_at(const struct photometry_job *job, uint64_t at)
{
    double error = job->error_map ? (double)pixel_get(job->error_map, at) : job->params->error;
    return job->params->variance ? error : error * error;
}

/* Sums each row from left to right, then the rows. */
static struct tally tally(const struct photometry_job *job, const struct photometry_source *s,
                          double inner, double outer, unsigned subpix)
{
    struct photometry_extent e = clump_photometry_extent(s, job->image, s->x, s->y, outer);
    struct tally all = {.flags = e.truncated ? CLUMP_PHOTOMETRY_TRUNCATED : 0};
    for (uint64_t y = e.top; y < e.bottom; y++) {
        struct tally row = {0};
        for (uint64_t x = e.left; x < e.right; x++) {
            uint64_t at = y * job->image->cols + x;
            double part = clump_photometry_overlap(s, (double)x - s->x, (double)y - s->y, inner,
                                                   outer, subpix);
            if (part == 0)
                continue;
            row.area += part;
            if (clump_photometry_left_out(job, y, x, s->id)) {
                row.out += part;
                all.flags |= CLUMP_PHOTOMETRY_MASKED;
                continue;
            }
            row.sum += part * (double)pixel_get(job->image, at);
            row.variance += part * variance_at(job, at);
        }
        all.sum += row.sum;
        all.variance += row.variance;
        all.area += row.area;
        all.out += row.out;
    }
    return all;
}

/* Makes up for what is left out, or takes it from the area; adds the noise of the source. */
static void complete(struct tally *t, bool ignore, double gain)
{
    double used = t->area - t->out;
    if (t->out > 0 && used > 0 && !ignore) {
        t->sum *= t->area / used;
        t->variance *= t->area / used;
    } else if (t->out > 0 && !(used > 0)) {
        t->sum = t->variance = 0;
        t->flags |= CLUMP_PHOTOMETRY_ALL_MASKED;
        used = 0;
    }
    if (t->out > 0 && ignore)
        t->area = used;
    if (gain > 0 && t->sum > 0)
        t->variance += t->sum / gain;
}

static struct clump_flux measure(const struct photometry_job *job,
                                 const struct photometry_source *s)
{
    const struct clump_photometry_params *params = job->params;
    double nan = (double)NAN;
    if (s->invalid)
        return (struct clump_flux){nan, nan, nan, nan, CLUMP_PHOTOMETRY_INVALID, {0}};
    struct tally own = tally(job, s, s->inner, s->outer, params->subpix);
    complete(&own, params->ignore, params->gain);
    double level = 0;
    if (params->local_outer > 0) {
        struct tally ring =
            tally(job, s, params->local_inner, params->local_outer, params->local_subpix);
        complete(&ring, true, params->gain);
        double ratio = ring.area > 0 ? own.area / ring.area : nan;
        level = ring.area > 0 ? ring.sum / ring.area : nan;
        own.sum -= level * own.area;
        own.variance += ring.variance * (ratio * ratio);
        if (!(ring.area > 0))
            own.flags |= CLUMP_PHOTOMETRY_ALL_MASKED;
    }
    return (struct clump_flux){own.sum, sqrt(own.variance), own.area, level, own.flags, {0}};
}

enum clump_status clump_reference_photometry_sum(clump_context *context,
                                                 const struct photometry_job *job,
                                                 struct clump_flux *fluxes)
{
    (void)context;
    for (uint64_t i = 0; i < job->count; i++)
        fluxes[i] = measure(job, &job->sources[i]);
    return CLUMP_OK;
}

static struct clump_kron kron(const struct photometry_job *job, const struct photometry_source *s)
{
    double first = 0, flux = 0;
    uint64_t used = 0;
    if (s->invalid)
        return (struct clump_kron){.radius = (double)NAN, .flags = CLUMP_PHOTOMETRY_INVALID};
    struct photometry_extent e = clump_photometry_extent(s, job->image, s->x, s->y, s->outer);
    struct clump_kron result = {.flags = e.truncated ? CLUMP_PHOTOMETRY_TRUNCATED : 0};
    for (uint64_t y = e.top; y < e.bottom; y++) {
        double row_first = 0, row_flux = 0;
        for (uint64_t x = e.left; x < e.right; x++) {
            double rho2 = clump_photometry_rho2(s, (double)x - s->x, (double)y - s->y);
            double value = (double)pixel_get(job->image, y * job->image->cols + x);
            if (!(rho2 <= s->outer * s->outer))
                continue;
            if (clump_photometry_left_out(job, y, x, s->id)) {
                result.flags |= CLUMP_PHOTOMETRY_MASKED;
                continue;
            }
            row_first += sqrt(rho2) * value;
            row_flux += value;
            used++;
        }
        first += row_first;
        flux += row_flux;
    }
    if (!used)
        result.flags |= CLUMP_PHOTOMETRY_ALL_MASKED;
    else if (first > 0 && flux > 0)
        result.radius = first / flux;
    else
        result.flags |= CLUMP_PHOTOMETRY_NONPOSITIVE;
    return result;
}

enum clump_status clump_reference_photometry_kron(clump_context *context,
                                                  const struct photometry_job *job,
                                                  struct clump_kron *radii)
{
    (void)context;
    for (uint64_t i = 0; i < job->count; i++)
        radii[i] = kron(job, &job->sources[i]);
    return CLUMP_OK;
}
