/* SPDX-License-Identifier: MIT */
/* Which pixel of a line of n stands at place i, where i may lie beyond the border. */
#ifndef CLUMP_SRC_REFERENCE_BOUNDARY_H
#define CLUMP_SRC_REFERENCE_BOUNDARY_H

#include <stdint.h>

#include <clump/convolve.h>

#define BOUNDARY_OUTSIDE (-1) /* none: the fill value */

static inline int64_t modulo(int64_t i, int64_t n) { return (i % n + n) % n; }

static inline int64_t boundary_index(int64_t i, int64_t n, enum clump_boundary boundary)
{
    if (i >= 0 && i < n)
        return i;
    switch (boundary) {
    case CLUMP_BOUNDARY_WRAP:
        return modulo(i, n);
    case CLUMP_BOUNDARY_SYMM:
        i = modulo(i, 2 * n);
        return i < n ? i : 2 * n - 1 - i;
    case CLUMP_BOUNDARY_NEAREST:
        return i < 0 ? 0 : n - 1;
    case CLUMP_BOUNDARY_MIRROR:
        if (n == 1)
            return 0;
        i = modulo(i, 2 * n - 2);
        return i < n ? i : 2 * n - 2 - i;
    default:
        return BOUNDARY_OUTSIDE;
    }
}

#endif
