/* SPDX-License-Identifier: MIT */
#include "reference/reference.h"

#include "reference/pixel.h"

/* The test of the lesson (clump.h): divides n by every number from 2 to n/2 until one divides it.
 */
static bool is_prime(uint32_t n)
{
    for (uint32_t d = 2; d <= n / 2; d++)
        if (n % d == 0)
            return false;
    return n > 1;
}

enum clump_status clump_reference_primes(clump_context *context, uint32_t below, clump_image **mask,
                                         uint64_t *count)
{
    clump_image *marks = NULL;
    if (mask) {
        enum clump_status status = clump_reference_mask(context, 1, below ? below : 1, &marks);
        if (status)
            return status;
    }
    uint64_t found = 0;
    for (uint32_t n = 0; n < below; n++) {
        if (!is_prime(n))
            continue;
        found++;
        if (marks)
            bit_set(marks, 0, n);
    }
    if (mask)
        *mask = marks;
    *count = found;
    return CLUMP_OK;
}
