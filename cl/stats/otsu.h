/* SPDX-License-Identifier: MIT */
/* What host and kernels agree on about Otsu's threshold (otsu.cl). */
#ifndef CLUMP_CL_STATS_OTSU_H
#define CLUMP_CL_STATS_OTSU_H

#include "common/types.h"

#define OTSU_BINS  256
#define OTSU_SLICE (OTSU_BINS + 1) /* counts of a slice; the last one is of blank pixels */

/*
 * How a pixel x of type T finds its bin; an argument of otsu_count. (x - least) * rate is the bin's
 * number, unless it is within `slack` of a whole number. Then numpy.histogram's own steps decide:
 * with v = x * scale * again the number is (v - first) * norm, corrected by the bin's edges.
 */
#define OTSU_STEPS(T)                                                                              \
    {                                                                                              \
        T least, rate, slack;                                                                      \
        T scale, again, first, norm;                                                               \
    }
#ifdef __OPENCL_C_VERSION__
struct otsu_steps OTSU_STEPS(T);
#else
struct otsu_steps_float OTSU_STEPS(float);
struct otsu_steps_double OTSU_STEPS(double);
#endif

#endif
