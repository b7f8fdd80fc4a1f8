/* SPDX-License-Identifier: MIT */
/* What host and kernels agree on about clipping (clip.cl). */
#ifndef CLUMP_CL_STATS_CLIP_H
#define CLUMP_CL_STATS_CLIP_H

#include "common/types.h"

/* The keys of kept pixels: from `least` to least + span, both included. An argument of kernels. */
struct clip_interval {
    u64 least, span;
};

#endif
