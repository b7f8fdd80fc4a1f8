/* SPDX-License-Identifier: MIT */
/* What host and kernels agree on about thresholds (threshold.cl). */
#ifndef CLUMP_CL_REGIONS_THRESHOLD_H
#define CLUMP_CL_REGIONS_THRESHOLD_H

#define THRESHOLD_SHARE 512 /* coarse: mask words, or 32 pixels each, that a work-item takes */

#endif
