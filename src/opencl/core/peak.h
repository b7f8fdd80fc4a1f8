/* SPDX-License-Identifier: MIT */
/*
 * What a device reaches at best: for the benchmark. Kernels cl/common/peak.cl, host
 * src/opencl/core/peak.c.
 */
#ifndef CLUMP_SRC_OPENCL_LIMITS_H
#define CLUMP_SRC_OPENCL_LIMITS_H

#include <stddef.h>

#include <clump/context.h>

struct clump_peak {
    double read_gbs; /* reading `bytes` of memory, 10^9 bytes/s */
    double copy_gbs; /* copying them: bytes read and bytes written */
    double fma_f32;  /* 10^9 operations/s, a fused multiplication and addition being two */
    double fma_f64;  /* 0 without fp64 */
};

/*
 * Measures a context of an OpenCL device over `bytes` of memory, each figure for about `seconds`;
 * the best of the runs counts, wall time of one launch.
 */
enum clump_status clump_peak_measure(clump_context *context, size_t bytes, double seconds,
                                     struct clump_peak *limits);

#endif
