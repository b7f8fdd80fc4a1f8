/* SPDX-License-Identifier: MIT */
#include "reference/photometry_overlap.h"

#include <math.h>

#include "reference/big.h"
#include "reference/pixel.h"

#define RINGS 64

/* The curve of growth: points and integer fluxes of each ring. */
struct growth {
    clump_int128 flux[RINGS];
    uint64_t area[RINGS], masked[RINGS];
    int shift; /* a pixel v counts as v 2^shift, rounded */
    uint32_t flags;
};

static bool is_near(const struct photometry_source *s, double dx, double dy)
{
    return dx * dx + dy * dy < (s->outer + 1.5) * (s->outer + 1.5);
}

/* Chooses the shift by the largest magnitude and the number of points. */
static void scale(const struct photometry_job *job, const struct photometry_source *s,
                  const struct photometry_extent *e, struct growth *growth)
{
    uint64_t points =
        (e->bottom - e->top) * (e->right - e->left) * job->params->subpix * job->params->subpix;
    double largest = 0;
    int size = 0, exponent = -1000;
    while (size < 64 && points >> size)
        size++;
    for (uint64_t y = e->top; y < e->bottom; y++)
        for (uint64_t x = e->left; x < e->right; x++) {
            if (!is_near(s, (double)x - s->x, (double)y - s->y))
                continue;
            if (clump_photometry_left_out(job, y, x, s->id))
                growth->flags |= CLUMP_PHOTOMETRY_MASKED;
            else
                largest =
                    fmax(largest, fabs((double)pixel_get(job->image, y * job->image->cols + x)));
        }
    if (largest > 0)
        frexp(largest, &exponent);
    if (exponent < -1000)
        exponent = -1000;
    int bits = size > 22 ? 62 - size : 40; /* all points add up to less than 2^63 */
    growth->shift = (bits > 1 ? bits : 1) - exponent;
}

static void add_points(struct growth *growth, double dx, double dy, double width, int64_t k,
                       uint64_t points, bool out)
{
    double ring = sqrt(dx * dx + dy * dy) / width;
    if (!(ring < RINGS))
        return;
    growth->area[(int)ring] += points;
    if (out)
        growth->masked[(int)ring] += points;
    else
        growth->flux[(int)ring] += (clump_int128)k * (clump_int128)points;
}

static void add_pixel(const struct photometry_job *job, const struct photometry_source *s,
                      struct growth *growth, uint64_t y, uint64_t x)
{
    double dx = (double)x - s->x, dy = (double)y - s->y, width = s->outer / RINGS;
    double distance = sqrt(dx * dx + dy * dy);
    double rest = distance - trunc(distance / width) * width;
    unsigned n = job->params->subpix;
    bool out = clump_photometry_left_out(job, y, x, s->id);
    double value = (double)pixel_get(job->image, y * job->image->cols + x);
    int64_t k = out ? 0 : (int64_t)rint(ldexp(value, growth->shift));
    if (!is_near(s, dx, dy))
        return;
    if (rest >= 0.7072 && rest <= width - 0.7072) {
        add_points(growth, dx, dy, width, k, (uint64_t)n * n, out);
        return;
    }
    for (unsigned j = 0; j < n; j++)
        for (unsigned i = 0; i < n; i++)
            add_points(growth, dx + clump_photometry_point(i, n), dy + clump_photometry_point(j, n),
                       width, k, 1, out);
}

/* Adds the rings up, each as if its masked part had the mean of the rest. */
static void accumulate(const struct growth *growth, double points, double *curve)
{
    double sum = 0;
    for (int i = 0; i < RINGS; i++) {
        uint64_t used = growth->area[i] - growth->masked[i];
        double flux = ldexp((double)(int64_t)growth->flux[i], -growth->shift) / points;
        if (growth->masked[i] && used)
            flux *= (double)growth->area[i] / (double)used;
        sum += flux;
        curve[i] = sum;
    }
}

static double radius_of(const double *curve, double target, double outer)
{
    double width = outer / RINGS;
    for (int i = 0; i < RINGS; i++) {
        if (!(curve[i] >= target))
            continue;
        if (i)
            return width * (i + (target - curve[i - 1]) / (curve[i] - curve[i - 1]));
        return target <= 0 || curve[0] == 0 ? 0 : width * target / curve[0];
    }
    return outer;
}

static struct growth grow(const struct photometry_job *job, const struct photometry_source *s)
{
    struct photometry_extent e = clump_photometry_extent(s, job->image, s->x, s->y, s->outer);
    struct growth growth = {.flags = e.truncated ? CLUMP_PHOTOMETRY_TRUNCATED : 0};
    uint64_t area = 0, masked = 0;
    if (!(s->outer > 0) || e.top >= e.bottom || e.left >= e.right)
        return growth;
    scale(job, s, &e, &growth);
    for (uint64_t y = e.top; y < e.bottom; y++)
        for (uint64_t x = e.left; x < e.right; x++)
            add_pixel(job, s, &growth, y, x);
    for (int i = 0; i < RINGS; i++) {
        area += growth.area[i];
        masked += growth.masked[i];
    }
    if (masked && masked == area)
        growth.flags |= CLUMP_PHOTOMETRY_ALL_MASKED;
    return growth;
}

enum clump_status clump_reference_photometry_radius(clump_context *context,
                                                    const struct photometry_job *job,
                                                    const double *totals, const double *fractions,
                                                    unsigned parts, double *radii, uint32_t *flags)
{
    (void)context;
    for (uint64_t i = 0; i < job->count; i++) {
        const struct photometry_source *s = &job->sources[i];
        struct growth growth = {.flags = CLUMP_PHOTOMETRY_INVALID};
        double curve[RINGS];
        if (!s->invalid)
            growth = grow(job, s);
        accumulate(&growth, (double)job->params->subpix * job->params->subpix, curve);
        double total = totals ? totals[i] : curve[RINGS - 1];
        for (unsigned part = 0; part < parts; part++)
            radii[i * parts + part] =
                s->invalid ? (double)NAN : radius_of(curve, fractions[part] * total, s->outer);
        if (flags)
            flags[i] = growth.flags;
    }
    return CLUMP_OK;
}
