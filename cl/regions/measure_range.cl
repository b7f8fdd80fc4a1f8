/* SPDX-License-Identifier: MIT */
/*
 * The first look of measure: how large the values are, and which labels there are.
 *
 * Method:    measure_range_values finds the largest finite magnitude of the image's pixels that are
 *            set in a mask; the host derives the scale of the fixed-point values from it.
 *            measure_range_labels finds the least and the greatest label of a label image and
 *            prepares the walk along its regions (run_cursor.cl).
 * Launch:    see measure_range_coarse.cl and measure_range_fine.cl, one of which is this program's.
 * Exactness: integers.
 * Limits:    fewer than 2^32 pixels.
 * Others:    host src/opencl/regions/measure_range.c, definition src/reference/measure.c, pair
 *            src/pairs/measure.c, derivation docs/measurement.md, "Fixed point".
 */
#include "regions/measure_range.h"
#include "regions/pixel_type.cl"
#include "regions/run_cursor.h"

#define FINITE_MAGNITUDE(x) ((bits_of)(MAGNITUDE(x) < INFINITE ? MAGNITUDE(x) : 0))

#if COARSE
#include "regions/measure_range_coarse.cl"
#else
#include "regions/measure_range_fine.cl"
#endif
