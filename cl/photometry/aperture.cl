/* SPDX-License-Identifier: MIT */
/*
 * How much of a pixel lies in an ellipse, and which pixels an aperture has; for the kernel files
 * that include this one.
 *
 * Method:    pixels well inside or outside are told by Rho^2 of their middle; the others by points,
 *            or exactly: the pixel's corners are mapped to where the ellipse is the unit circle,
 *            and its sides add up signed areas seen from the centre, a triangle where a side is
 *            inside the circle and a sector where it is outside. Angles come from a series.
 * Launch:    no kernels here.
 * Exactness: double products, sums, quotients and roots, all rounded correctly, in one order.
 * Limits:    needs double.
 * Others:    cl/photometry/sums.cl and rings.cl; definition
 *            src/reference/photometry_overlap.c; docs/photometry.md, "Overlap".
 */
#include "photometry/photometry.h"

#ifndef T
#define T float
#endif
#ifndef E
#define E float
#endif
#ifndef S
#define S int
#endif

/* The images of a launch. */
struct images {
    global const T *image;
    global const E *error_map;
    global const uint *mask;
    global const S *segmentation;
};

/* The part of the image that an ellipse may reach: rows top..bottom - 1, cols left..right - 1. */
struct extent {
    ulong top, bottom, left, right;
    bool truncated;
};

INLINE ulong clipped(double side, ulong size)
{
    return side > 0 ? side < (double)size ? (ulong)side : size : 0;
}

INLINE struct extent extent_of(const struct photometry_source *s,
                               const struct photometry_view *view, double x, double y,
                               double radius)
{
    double left = trunc(x - s->reach_x * radius + 0.5);
    double right = trunc(x + s->reach_x * radius + 1.4999999);
    double top = trunc(y - s->reach_y * radius + 0.5);
    double bottom = trunc(y + s->reach_y * radius + 1.4999999);
    struct extent e = {clipped(top, view->rows), clipped(bottom, view->rows),
                       clipped(left, view->cols), clipped(right, view->cols), false};
    e.truncated = left < 0 || top < 0 || right > (double)view->cols ||
                  bottom > (double)view->rows || e.left >= e.right || e.top >= e.bottom;
    return e;
}

INLINE double rho_squared(const struct photometry_source *s, double dx, double dy)
{
    return s->cxx * dx * dx + s->cyy * dy * dy + s->cxy * dx * dy;
}

/* The angle in 0..pi/4 whose tangent is t, 0 <= t <= 1. */
INLINE double small_angle(double t)
{
    double base = 0;
    if (t > 0.41421356237309503) { /* tan(pi/8) */
        t = (t - 1) / (t + 1);
        base = 0.78539816339744828;
    }
    t = t / (1 + sqrt(1 + t * t)); /* half of the angle */
    double q = t * t, sum = 1.0 / 25;
    sum = 1.0 / 23 - q * sum;
    sum = 1.0 / 21 - q * sum;
    sum = 1.0 / 19 - q * sum;
    sum = 1.0 / 17 - q * sum;
    sum = 1.0 / 15 - q * sum;
    sum = 1.0 / 13 - q * sum;
    sum = 1.0 / 11 - q * sum;
    sum = 1.0 / 9 - q * sum;
    sum = 1.0 / 7 - q * sum;
    sum = 1.0 / 5 - q * sum;
    sum = 1.0 / 3 - q * sum;
    sum = 1.0 - q * sum;
    return base + 2 * (t * sum);
}

/* The angle from p to q, seen from the origin. */
INLINE double angle_between(double2 p, double2 q)
{
    double y = p.x * q.y - p.y * q.x, x = p.x * q.x + p.y * q.y;
    double ay = fabs(y), ax = fabs(x);
    if (ax == 0 && ay == 0)
        return 0;
    double angle = ay > ax ? 1.5707963267948966 - small_angle(ax / ay) : small_angle(ay / ax);
    if (x < 0)
        angle = 3.1415926535897931 - angle;
    return y < 0 ? -angle : angle;
}

/* Twice the signed area of the unit disc that is seen from its centre through the side p..q. */
CALLED double side_area(double2 p, double2 q)
{
    double2 d = q - p;
    double a = d.x * d.x + d.y * d.y, b = p.x * d.x + p.y * d.y, c = p.x * p.x + p.y * p.y - 1;
    double inside = b * b - a * c;
    if (!(a > 0))
        return 0;
    if (!(inside > 0))
        return angle_between(p, q);
    double root = sqrt(inside), from = (-b - root) / a, to = (-b + root) / a;
    if (to <= 0 || from >= 1)
        return angle_between(p, q);
    double area = 0;
    double2 enters = p, leaves = q;
    if (from > 0) {
        enters = p + d * from;
        area += angle_between(p, enters);
    }
    if (to < 1) {
        leaves = p + d * to;
        area += angle_between(leaves, q);
    }
    return area + (enters.x * leaves.y - enters.y * leaves.x);
}

INLINE double2 mapped(const struct photometry_source *s, double dx, double dy, double radius)
{
    return (double2)((s->ux * dx + s->uy * dy) / radius, (s->vx * dx + s->vy * dy) / radius);
}

CALLED double exact_part(const struct photometry_source *s, double dx, double dy, double radius)
{
    double2 a = mapped(s, dx - 0.5, dy - 0.5, radius), b = mapped(s, dx + 0.5, dy - 0.5, radius);
    double2 c = mapped(s, dx + 0.5, dy + 0.5, radius), d = mapped(s, dx - 0.5, dy + 0.5, radius);
    double area = side_area(a, b) + side_area(b, c) + side_area(c, d) + side_area(d, a);
    double part = fabs(area) * 0.5 * s->scale * (radius * radius);
    return part < 1 ? part : 1.0;
}

/* The points of a pixel with Rho < radius; `offsets` has their places along a side, then NaN. */
INLINE int points_in(const struct photometry_source *s, double dx, double dy, double radius, int n,
                     global const double *offsets)
{
    double limit = radius * radius;
#if COARSE
    int8 found = 0; /* a sum of long8 comes out wrong in oclgrind */
    for (int j = 0; j < n; j++) {
        double y = dy + offsets[j];
        for (int i = 0; i < n; i += 8) {
            double8 x = dx + vload8(0, offsets + i);
            found -= convert_int8(s->cxx * x * x + s->cyy * y * y + s->cxy * x * y < limit);
        }
    }
    int4 four = found.lo + found.hi;
    return four.x + four.y + four.z + four.w;
#else
    int inside = 0;
    for (int j = 0; j < n; j++) {
        double y = dy + offsets[j];
        for (int i = 0; i < n; i++)
            inside += rho_squared(s, dx + offsets[i], y) < limit;
    }
    return inside;
#endif
}

/* How a pixel lies to an ellipse: 0 outside, 1 inside, -1 neither for sure. */
INLINE int side_of(const struct photometry_source *s, double rho2, double radius)
{
    double in = radius - s->margin, out = radius + s->margin;
    if (in >= 0 && rho2 <= in * in)
        return 1;
    return radius == 0 || rho2 >= out * out ? 0 : -1;
}

/* The part of a pixel that lies between two radii. */
INLINE double part_between(const struct photometry_source *s, double dx, double dy, double inner,
                           double outer, int n, global const double *offsets)
{
    double rho2 = rho_squared(s, dx, dy);
    int in = side_of(s, rho2, inner), out = side_of(s, rho2, outer);
    if (in >= 0 && out >= 0)
        return (double)(out - in);
    if (n == 0) {
        double more = out < 0 ? exact_part(s, dx, dy, outer) : (double)out;
        double less = in < 0 ? exact_part(s, dx, dy, inner) : (double)in;
        return more - less;
    }
    int more = out < 0 ? points_in(s, dx, dy, outer, n, offsets) : out * n * n;
    int less = in < 0 ? points_in(s, dx, dy, inner, n, offsets) : in * n * n;
    return (double)(more - less) / (double)(n * n);
}

/* Whether a pixel is left out. */
INLINE bool is_out(const struct images *images, const struct photometry_view *view, ulong row,
                   ulong col, double value, long id)
{
    ulong at = row * view->cols + col;
    if (!(fabs(value) < (double)INFINITY))
        return true;
    if (view->has & PHOTOMETRY_HAS_MASK &&
        (images->mask[row * ((view->cols + 31) / 32) + col / 32] >> (col % 32) & 1))
        return true;
    if (!(view->has & PHOTOMETRY_HAS_SEGMENTATION))
        return false;
    long label = images->segmentation[at];
    return id > 0 ? label != 0 && label != id : (ulong)label + (ulong)id != 0; /* may wrap */
}
