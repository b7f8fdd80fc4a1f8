/* SPDX-License-Identifier: MIT */
/*
 * Level and rms of every box of an image.
 *
 * Method:    the pixels within bounds are counted, their range is found and they are summed as
 *            integers of that range, twice: all of them, then those within two standard deviations
 *            of their mean. A histogram of all pixels, ten standard deviations wide, is then
 *            clipped about its median until its standard deviation stays.
 * Launch:    boxes_coarse.cl: one work-item per box. boxes_fine.cl: one work-group per box.
 * Exactness: sums and counts are integers; what is made of them is in box_common.cl.
 * Limits:    2^32 - 1 pixels in a box; grid.bits is such that a sum of squares is below 2^64.
 *            Needs double.
 * Others:    host src/opencl/background/background.c, definition src/reference/background.c, pair
 *            src/pairs/background.c, docs/background.md.
 */
#include "background/box_common.cl"

#if COARSE
#include "background/boxes_coarse.cl"
#else
#include "background/boxes_fine.cl"
#endif
