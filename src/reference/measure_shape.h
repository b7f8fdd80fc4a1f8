/* SPDX-License-Identifier: MIT */
/*
 * The figures that measure computes on request. Each function takes the label image, the region's
 * pixels in raster order and the region with label, area and box filled in. Other regions count as
 * background.
 */
#ifndef CLUMP_SRC_REFERENCE_MEASURE_SHAPE_H
#define CLUMP_SRC_REFERENCE_MEASURE_SHAPE_H

#include "context.h"

double clump_measure_shape_perimeter(const clump_image *labels, const uint64_t *pixels,
                                     const struct clump_region *region);
int64_t clump_measure_shape_euler(const clump_image *labels, const uint64_t *pixels,
                                  const struct clump_region *region);

/* Fills in region->area_convex. False when the host has no memory left. */
bool clump_measure_shape_convex_area(const clump_image *labels, const uint64_t *pixels,
                                     struct clump_region *region);

#endif
