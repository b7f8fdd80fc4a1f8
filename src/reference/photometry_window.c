/* SPDX-License-Identifier: MIT */
#include "reference/photometry_overlap.h"

#include <math.h>

#include "reference/pixel.h"

double clump_photometry_decay(double z)
{
    static const double factorials[] = {1,       1,        2,         6,           24,
                                        120,     720,      5040,      40320,       362880,
                                        3628800, 39916800, 479001600, 6227020800.0};
    double halvings = rint(z * 1.4426950408889634), series = 0;
    double r = halvings * 0x1.62e42fee00000p-1 - z + halvings * 0x1.a39ef35793c76p-33;
    for (int i = 13; i >= 0; i--)
        series = 1 / factorials[i] + r * series;
    return ldexp(series, -(int)halvings);
}

/* Sums of a window: of what is used, and of what is left out and gets the mean of the rest. */
struct sums {
    double part, flux; /* of pixels' parts in the disc, and those times values */
    double w, x, y;    /* weighted, and times the place */
};

static void add(struct sums *to, const struct sums *row)
{
    to->part += row->part;
    to->flux += row->flux;
    to->w += row->w;
    to->x += row->x;
    to->y += row->y;
}

/* One round about a centre. `out` has values of 1. */
static uint32_t sum(const struct photometry_job *job, const struct photometry_source *s, double x0,
                    double y0, double sigma, struct sums *all, struct sums *used, struct sums *out)
{
    struct photometry_extent e = clump_photometry_extent(s, job->image, x0, y0, 4 * sigma);
    uint32_t flags = e.truncated ? CLUMP_PHOTOMETRY_TRUNCATED : 0;
    *all = *used = *out = (struct sums){0};
    for (uint64_t y = e.top; y < e.bottom; y++) {
        struct sums row_all = {0}, row_used = {0}, row_out = {0};
        for (uint64_t x = e.left; x < e.right; x++) {
            double dx = (double)x - x0, dy = (double)y - y0;
            double part = clump_photometry_overlap(s, dx, dy, 0, 4 * sigma, job->params->subpix);
            if (part == 0)
                continue;
            bool left_out = clump_photometry_left_out(job, y, x, s->id);
            double weight =
                part * clump_photometry_decay((dx * dx + dy * dy) * (1 / (2 * sigma * sigma)));
            struct sums *to = left_out ? &row_out : &row_used;
            row_all.part += part;
            to->part += part;
            if (left_out) {
                flags |= CLUMP_PHOTOMETRY_MASKED;
            } else {
                double value = (double)pixel_get(job->image, y * job->image->cols + x);
                to->flux += part * value;
                weight *= value;
            }
            to->w += weight;
            to->x += weight * dx;
            to->y += weight * dy;
        }
        add(all, &row_all);
        add(used, &row_used);
        add(out, &row_out);
    }
    return flags;
}

static struct clump_window find(const struct photometry_job *job,
                                const struct photometry_source *given)
{
    struct clump_window at = {.x = given->x, .y = given->y};
    struct sums all, used, out;
    double sigma = fmax(given->outer, 2 / 2.35 * 0.5);
    bool moves = true;
    if (given->invalid)
        return (struct clump_window){.x = (double)NAN,
                                     .y = (double)NAN,
                                     .flags = CLUMP_PHOTOMETRY_INVALID};
    while (moves && at.iterations < 16) {
        at.flags |= sum(job, given, at.x, at.y, sigma, &all, &used, &out);
        double area = all.part - out.part, mean = area > 0 ? used.flux / area : 0;
        double w = used.w + mean * out.w;
        double dx = (used.x + mean * out.x) / w, dy = (used.y + mean * out.y) / w;
        at.iterations++;
        moves = w > 0;
        if (!moves)
            break;
        at.x += 2 * dx;
        at.y += 2 * dy;
        moves = dx * dx + dy * dy >= 1e-4 * 1e-4;
    }
    return at;
}

enum clump_status clump_reference_photometry_window(clump_context *context,
                                                    const struct photometry_job *job,
                                                    struct clump_window *positions)
{
    (void)context;
    for (uint64_t i = 0; i < job->count; i++)
        positions[i] = find(job, &job->sources[i]);
    return CLUMP_OK;
}
