/* SPDX-License-Identifier: MIT */
#include "reference/photometry_overlap.h"

#include <math.h>

#include "reference/pixel.h"

struct point {
    double x, y;
};

double clump_photometry_rho2(const struct photometry_source *source, double dx, double dy)
{
    return source->cxx * dx * dx + source->cyy * dy * dy + source->cxy * dx * dy;
}

/* The angle of a slope of 0..1, by a series, so that every machine has the same bits. */
static double arc(double slope)
{
    double eighth = 0.41421356237309503, base = 0, series = 0;
    if (slope > eighth) {
        base = 0.78539816339744828;
        slope = (slope - 1) / (slope + 1);
    }
    double t = slope / (1 + sqrt(1 + slope * slope));
    for (int odd = 25; odd >= 1; odd -= 2)
        series = 1.0 / odd - t * t * series;
    return base + 2 * (t * series);
}

static double angle(struct point p, struct point q)
{
    double sine = p.x * q.y - p.y * q.x, cosine = p.x * q.x + p.y * q.y;
    double up = fabs(sine), along = fabs(cosine), turn;
    if (up == 0 && along == 0)
        return 0;
    turn = up > along ? 1.5707963267948966 - arc(along / up) : arc(up / along);
    if (cosine < 0)
        turn = 3.1415926535897931 - turn;
    return sine < 0 ? -turn : turn;
}

static struct point walk(struct point p, struct point d, double t)
{
    return (struct point){p.x + d.x * t, p.y + d.y * t};
}

/* Twice the area of the unit disc that is seen from the centre through a side: sectors where the
 * side is outside, a triangle where it is inside. */
static double swept(struct point p, struct point q)
{
    struct point d = {q.x - p.x, q.y - p.y};
    double a = d.x * d.x + d.y * d.y, b = p.x * d.x + p.y * d.y;
    double c = p.x * p.x + p.y * p.y - 1, discriminant = b * b - a * c;
    if (!(a > 0))
        return 0;
    if (!(discriminant > 0))
        return angle(p, q);
    double in = (-b - sqrt(discriminant)) / a, out = (-b + sqrt(discriminant)) / a;
    if (out <= 0 || in >= 1)
        return angle(p, q);
    struct point first = in > 0 ? walk(p, d, in) : p, last = out < 1 ? walk(p, d, out) : q;
    double sectors = 0;
    if (in > 0)
        sectors += angle(p, first);
    if (out < 1)
        sectors += angle(last, q);
    return sectors + (first.x * last.y - first.y * last.x);
}

static double exact(const struct photometry_source *s, double dx, double dy, double radius)
{
    static const double corners[5][2] = {
        {-0.5, -0.5}, {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}, {-0.5, -0.5}};
    struct point at[5];
    double twice = 0;
    for (int i = 0; i < 5; i++) {
        double x = dx + corners[i][0], y = dy + corners[i][1];
        at[i] = (struct point){(s->ux * x + s->uy * y) / radius, (s->vx * x + s->vy * y) / radius};
    }
    for (int i = 0; i < 4; i++)
        twice += swept(at[i], at[i + 1]);
    double part = fabs(twice) * 0.5 * s->scale * (radius * radius);
    return part < 1 ? part : 1;
}

/* The part of a pixel within a radius; in points where subpix is not 0. */
static double within(const struct photometry_source *s, double dx, double dy, double radius,
                     unsigned subpix)
{
    double whole = subpix ? (double)subpix * subpix : 1, inside = 0;
    double rho2 = clump_photometry_rho2(s, dx, dy);
    if (radius >= s->margin && rho2 <= (radius - s->margin) * (radius - s->margin))
        return whole;
    if (radius == 0 || rho2 >= (radius + s->margin) * (radius + s->margin))
        return 0;
    if (!subpix)
        return exact(s, dx, dy, radius);
    for (unsigned j = 0; j < subpix; j++)
        for (unsigned i = 0; i < subpix; i++)
            inside +=
                clump_photometry_rho2(s, dx + clump_photometry_point(i, subpix),
                                      dy + clump_photometry_point(j, subpix)) < radius * radius;
    return inside;
}

double clump_photometry_overlap(const struct photometry_source *source, double dx, double dy,
                                double inner, double outer, unsigned subpix)
{
    double part = within(source, dx, dy, outer, subpix) - within(source, dx, dy, inner, subpix);
    return subpix ? part / ((double)subpix * subpix) : part;
}

/* From a side of the box, as SEP rounds it, to pixels; tells whether it lies outside. */
static uint64_t side(double place, uint64_t size, bool *outside)
{
    double pixel = trunc(place);
    *outside |= pixel < 0 || pixel > (double)size;
    return pixel < 0 ? 0 : pixel > (double)size ? size : (uint64_t)pixel;
}

struct photometry_extent clump_photometry_extent(const struct photometry_source *source,
                                                 const clump_image *image, double x, double y,
                                                 double radius)
{
    struct photometry_extent e = {0};
    double ex = source->reach_x * radius, ey = source->reach_y * radius;
    bool low = false;
    e.left = side(x - ex + 0.5, image->cols, &low);
    e.right = side(x + ex + 1.4999999, image->cols, &e.truncated);
    e.top = side(y - ey + 0.5, image->rows, &low);
    e.bottom = side(y + ey + 1.4999999, image->rows, &e.truncated);
    e.truncated = e.truncated || low || e.left >= e.right || e.top >= e.bottom;
    return e;
}

bool clump_photometry_left_out(const struct photometry_job *job, uint64_t row, uint64_t col,
                               int64_t id)
{
    uint64_t at = row * job->image->cols + col;
    if (!isfinite((double)pixel_get(job->image, at)))
        return true;
    if (job->mask && bit_get(job->mask, row, col))
        return true;
    if (!job->segmentation)
        return false;
    int64_t label = (int64_t)pixel_get(job->segmentation, at);
    return id > 0 ? label && label != id : (uint64_t)label + (uint64_t)id != 0; /* may wrap */
}
