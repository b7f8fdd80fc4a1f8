/* SPDX-License-Identifier: MIT */
/*
 * The first look of measure: which labels there are, and coarse: how large the values are, about.
 *
 * Method:    measure_range_labels finds the least and the greatest label of a label image and
 *            prepares the walk along its regions (run_cursor.cl). In the coarse layout it looks at
 *            some pixels, too, as measure_range_values does for a mask: their magnitudes are the
 *            host's guess of a scale that suits most regions.
 * Launch:    see measure_range_coarse.cl and measure_range_fine.cl, one of which is this program's.
 * Exactness: integers.
 * Limits:    fewer than 2^32 pixels.
 * Others:    host src/opencl/regions/measure_range.c, definition src/reference/measure.c, pair
 *            src/pairs/measure.c, derivation docs/measurement.md, "Fixed point".
 */
#include "regions/measure_range.h"
#include "regions/run_cursor.h"

#if COARSE
#include "regions/measure_range_coarse.cl"
#else
#include "regions/measure_range_fine.cl"
#endif
