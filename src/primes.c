/* SPDX-License-Identifier: MIT */
#include "context.h"

#include <inttypes.h>

#define LIMIT (UINT32_C(1) << 31)

enum clump_status clump_primes(clump_context *context, uint32_t below, clump_image **mask,
                               uint64_t *count)
{
    CLUMP_ROUNDING();
    enum clump_status status = clump_check_context("primes", context);
    if (status)
        return status;
    if (below > LIMIT)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "primes: below must be at most %" PRIu32 ", not %" PRIu32, LIMIT, below);
    if (!count)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "primes: no place for the count was given");
    return context->backend->primes(context, below, mask, count);
}
