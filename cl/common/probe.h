/* SPDX-License-Identifier: MIT */
/* What host and kernel agree on about a device's arithmetic (probe.cl). */
#ifndef CLUMP_CL_COMMON_PROBE_H
#define CLUMP_CL_COMMON_PROBE_H

enum probe_answer {
    PROBE_FUSES =
        1,         /* products and sums are rounded once, in spite of the pragma FP_CONTRACT OFF */
    PROBE_FMA = 2, /* fma() rounds twice */
    PROBE_ROUNDING = 4, /* integers and sums are not rounded to the nearest, ties to even */
    PROBE_FLUSHES = 8   /* denormal floats are taken for 0 */
};

#endif
