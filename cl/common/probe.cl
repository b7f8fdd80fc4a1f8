/* SPDX-License-Identifier: MIT */
/*
 * Asks a device how it computes.
 *
 * Method:    each bit of the answer is a sum whose result tells two ways of rounding apart. The
 *            numbers are arguments, so that no compiler can compute with them beforehand.
 * Launch:    one work-item.
 * Exactness: that is the question.
 * Limits:    none.
 * Others:    host src/opencl/core/probe.c, docs/portability.md.
 */
#include "common/probe.h"

/* near is 1 + 2^-12: its square is 1 + 2^-11 + 2^-24, of which a float loses the last term; big is
 * 2^24 + 3, which a float cannot hold; least is the smallest normal float. */
kernel ALONE void probe(float near, float square, int big, float least, global uint *answer)
{
    uint found = 0;
    if (near * near - square != 0)
        found |= PROBE_FUSES;
    if (fma(near, near, -square) != 0x1p-24f)
        found |= PROBE_FMA;
    if ((float)big != 16777220.0f || (float)(long)big != 16777220.0f ||
        (float)(uint)big != 16777220.0f || 1.0f + (near - 1.0f) * 0x1.8p-12f != 1.0f + 0x1p-23f)
        found |= PROBE_ROUNDING;
    if (as_uint(least * 0.5f) != 0x400000 || as_uint(as_float(as_uint(least) >> 3) + 0.0f) == 0)
        found |= PROBE_FLUSHES;
#if FP64
    double wide = 1.0 + (double)(near - 1.0f) * 0x1p-15; /* 1 + 2^-27 */
    double both = 1.0 + (double)(near - 1.0f) * 0x1p-14; /* its square, but for 2^-54 */
    if (wide * wide - both != 0)
        found |= PROBE_FUSES;
    if (fma(wide, wide, -both) != 0x1p-54)
        found |= PROBE_FMA;
    if ((double)(((long)big << 30) + 3) != (double)((long)big << 30) + 4.0) /* of 55 bits */
        found |= PROBE_ROUNDING;
#endif
    *answer = found;
}
