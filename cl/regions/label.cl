/* SPDX-License-Identifier: MIT */
/*
 * Labels the components of a mask in raster order of their first pixels.
 *
 * Method:    union-find on runs (runs.cl). The root of a component is its first run in raster
 *            order, so the rank of the root among all roots is the label. A run with a run above
 *            its first pixel hangs below that run from the start; only the other contacts need a
 *            union.
 * Launch:    see label_coarse.cl and label_fine.cl, one of which is this program's.
 * Exactness: integers; every order of unions gives the same roots.
 * Limits:    fewer than 2^31 runs.
 * Others:    host src/opencl/regions/runs.c, definition src/reference/label.c, pair
 *            src/pairs/label.c, proofs docs/labelling.md.
 */
#include "regions/runs.cl"

#if COARSE
#include "regions/label_coarse.cl"
#else
#include "regions/label_fine.cl"
#endif
