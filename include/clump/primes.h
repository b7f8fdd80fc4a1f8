/* SPDX-License-Identifier: MIT */
/*
 * Primes by the trial division of the lesson (clump.h): a number n is divided by every candidate
 * from 2 to n/2, whatever is known of smaller numbers, so that times can be compared with the
 * lesson's. 0 and 1 are not prime. Kernels cl/pixels/primes.cl, host src/opencl/pixels/primes.c,
 * definition src/reference/primes.c.
 */
#ifndef CLUMP_PRIMES_H
#define CLUMP_PRIMES_H

#include <stdint.h>

#include <clump/image.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Marks the primes below `below` (at most 2^31): bit n of the one-row mask `*mask` is set where n
 * is prime; the mask has max(below, 1) columns. `mask` may be NULL. `*count` gets the number of
 * primes.
 * Blocks.
 */
CLUMP_API enum clump_status clump_primes(clump_context *context, uint32_t below, clump_image **mask,
                                         uint64_t *count);

#ifdef __cplusplus
}
#endif

#endif
