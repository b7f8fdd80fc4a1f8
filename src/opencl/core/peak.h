/* SPDX-License-Identifier: MIT */
/*
 * What a device reaches at best, for `clump bench`. Kernels cl/common/peak.cl, host
 * src/opencl/core/peak.c.
 */
#ifndef CLUMP_SRC_OPENCL_PEAK_H
#define CLUMP_SRC_OPENCL_PEAK_H

#include <stddef.h>

#include <clump/context.h>

struct clump_peak {
    double read_gbs; /* reading `bytes` of memory, 10^9 bytes/s */
    double copy_gbs; /* copying them: bytes read and bytes written */
    double fma_f32;  /* 10^9 operations/s, a fused multiplication and addition being two */
    double fma_f64;  /* 0 without fp64 */
    double integer;  /* 10^9 operations/s on 32 bits, a multiplication and an addition being two */
    double upload_gbs, download_gbs; /* host memory to the device's, and back */
    double launch_us;                /* from a launch to the moment that its end is known */
    double atomics_one;              /* 10^9 additions/s to one counter that all share */
    double atomics_apart;            /* and to counters of their own */
};

/*
 * Measures a context of an OpenCL device over `bytes` of memory. Each figure takes about `seconds`
 * and is that of the fastest launch, by wall time.
 */
enum clump_status clump_peak_measure(clump_context *context, size_t bytes, double seconds,
                                     struct clump_peak *limits);

#endif
