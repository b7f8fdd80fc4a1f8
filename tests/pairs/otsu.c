/* SPDX-License-Identifier: MIT */
#include "stats.h"

/* The threshold, or that there is none: blank and infinite images are refused. */
static enum clump_status run(clump_context *context, const struct pair_case *test,
                             const struct pair_input *in, struct pair_output *out)
{
    double threshold = 0;
    (void)test;
    enum clump_status status = clump_otsu(context, in->image, &threshold);
    if (status && status != CLUMP_ERROR_ARGUMENT)
        return status;
    pair_add_number(out, "refused", status != CLUMP_OK);
    pair_add_number(out, "threshold", threshold);
    return CLUMP_OK;
}

/* The extremes first, then the bins: two readings. */
static double bytes(const struct pair_case *test)
{
    return 2.0 * (double)clump_type_row_bytes(test->type, test->cols) * (double)test->rows;
}

const struct pair pair_otsu = {
    .name = "otsu",
    .operation = "otsu",
    .types = PAIR_NUMBERS,
    .picture = pair_picture_sky,
    .run = run,
    .bytes = bytes,
};

const struct pair pair_otsu_hard = {
    .name = "otsu_hard",
    .operation = "otsu",
    .types = PAIR_NUMBERS,
    .picture = pair_picture_hard,
    .run = run,
};
