/* SPDX-License-Identifier: MIT */
#include "opencl/stats/radix_sort.h"

#define DIGIT_BITS 11
#define DIGITS     (1 << DIGIT_BITS)

uint64_t *clump_radix_sort(uint64_t *keys, uint64_t *other, size_t n, unsigned bits)
{
    for (unsigned shift = 0; shift < bits && n > 1; shift += DIGIT_BITS) { /* the lowest first */
        size_t start[DIGITS + 1] = {0};
        for (size_t i = 0; i < n; i++)
            start[(keys[i] >> shift & (DIGITS - 1)) + 1]++;
        if (start[(keys[0] >> shift & (DIGITS - 1)) + 1] == n)
            continue; /* all keys have the same digit here */
        for (size_t d = 0; d < DIGITS; d++)
            start[d + 1] += start[d];
        for (size_t i = 0; i < n; i++)
            other[start[keys[i] >> shift & (DIGITS - 1)]++] = keys[i];
        uint64_t *sorted = other;
        other = keys;
        keys = sorted;
    }
    return keys;
}
