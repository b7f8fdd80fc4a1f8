/* SPDX-License-Identifier: MIT */
/* Sorts keys in linear time, digit by digit. */
#ifndef CLUMP_SRC_OPENCL_STATS_RADIX_SORT_H
#define CLUMP_SRC_OPENCL_STATS_RADIX_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Sorts n keys of `bits` bits. `other` has room for n keys. Returns whichever of the two arrays has
 * the sorted ones. */
uint64_t *clump_radix_sort(uint64_t *keys, uint64_t *other, size_t n, unsigned bits);

#endif
