/* SPDX-License-Identifier: MIT */
#include <clump/photometry.h>

#include <math.h>
#include <stddef.h>

#include "rounding.h"

static void put(double *place, double value)
{
    if (place)
        *place = value;
}

void clump_ellipse_coefficients(double a, double b, double theta, double *cxx, double *cyy,
                                double *cxy)
{
    CLUMP_ROUNDING();
    double c = cos(theta), s = sin(theta);
    put(cxx, c * c / (a * a) + s * s / (b * b));
    put(cyy, s * s / (a * a) + c * c / (b * b));
    put(cxy, 2 * c * s * (1 / (a * a) - 1 / (b * b)));
}

bool clump_ellipse_axes(double cxx, double cyy, double cxy, double *a, double *b, double *theta)
{
    CLUMP_ROUNDING();
    double sum = cxx + cyy, difference = cxx - cyy;
    double root = hypot(difference, cxy);
    bool is_ellipse = sum > 0 && cxx * cyy > cxy * cxy / 4 && isfinite(sum) && isfinite(root);
    put(a, is_ellipse ? sqrt(2 / (sum - root)) : (double)NAN);
    put(b, is_ellipse ? sqrt(2 / (sum + root)) : (double)NAN);
    /* The long axis is where Rho^2 is least; a circle has none, and 0. */
    put(theta, !is_ellipse ? (double)NAN : root == 0 ? 0.0 : 0.5 * atan2(-cxy, -difference));
    return is_ellipse;
}
