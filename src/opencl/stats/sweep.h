/* SPDX-License-Identifier: MIT */
/* Statistics of f32 images by one sweep over the pixels. See docs/statistics.md, "The sweep". */
#ifndef CLUMP_SRC_OPENCL_STATS_SWEEP_H
#define CLUMP_SRC_OPENCL_STATS_SWEEP_H

#include "opencl/core/opencl.h"

/*
 * Computes every figure but the quantiles and the MAD. Leaves *done false, and *result alone, where
 * the histogram must answer: the image has another type or too many pixels, too few pixels are
 * multiples of one unit, or the sample misled. Blocks.
 */
enum clump_status clump_sweep(clump_context *context, const clump_image *image, uint32_t ddof,
                              struct clump_stats_result *result, bool *done);

#endif
