/* SPDX-License-Identifier: MIT */
#include "pair.h"

/* The picture's size says how far to count. */
static enum clump_status run(clump_context *context, const struct pair_case *test,
                             const struct pair_input *in, struct pair_output *out)
{
    uint64_t pixels = test->rows * test->cols, count;
    clump_image *mask;
    (void)in;
    enum clump_status status =
        clump_primes(context, (uint32_t)(pixels < 10000 ? pixels : 10000), &mask, &count);
    if (status)
        return status;
    pair_add_image(out, "mask", mask);
    pair_add_number(out, "count", (double)count);
    return CLUMP_OK;
}

const struct pair pair_primes = {
    .name = "primes",
    .operation = "primes",
    .types = 1u << CLUMP_U8,
    .picture = pair_picture_sky,
    .run = run,
};
