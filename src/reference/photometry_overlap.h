/* SPDX-License-Identifier: MIT */
/* Pixels and ellipses: docs/photometry.md, "Overlap". */
#ifndef CLUMP_SRC_REFERENCE_PHOTOMETRY_OVERLAP_H
#define CLUMP_SRC_REFERENCE_PHOTOMETRY_OVERLAP_H

#include "photometry_job.h"
#include "reference/reference.h"

/* Rho^2 at a place from the centre. */
double clump_photometry_rho2(const struct photometry_source *source, double dx, double dy);

/* The part of a pixel, whose middle is dx, dy from the centre, between two radii. */
double clump_photometry_overlap(const struct photometry_source *source, double dx, double dy,
                                double inner, double outer, unsigned subpix);

/* Rows and columns, half open, that an ellipse may reach; whether it reaches beyond the image. */
struct photometry_extent {
    uint64_t top, bottom, left, right;
    bool truncated;
};
struct photometry_extent clump_photometry_extent(const struct photometry_source *source,
                                                 const clump_image *image, double x, double y,
                                                 double radius);

/* Whether a pixel is left out of sums: blank, infinite, masked, or of another object. */
bool clump_photometry_left_out(const struct photometry_job *job, uint64_t row, uint64_t col,
                               int64_t id);

/* exp(-z) for 0 <= z < 700 by its series, so that every machine has the same bits. */
double clump_photometry_decay(double z);

/* The place of point i of n along a side of a pixel, from its middle. */
static inline double clump_photometry_point(unsigned i, unsigned n) { return (i + 0.5) / n - 0.5; }

#endif
