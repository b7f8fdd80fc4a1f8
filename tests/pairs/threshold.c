/* SPDX-License-Identifier: MIT */
#include "pair.h"

#define NUMBERS                                                                                    \
    (1u << CLUMP_U8 | 1u << CLUMP_U16 | 1u << CLUMP_I16 | 1u << CLUMP_I32 | 1u << CLUMP_U32 |      \
     1u << CLUMP_I64 | 1u << CLUMP_F32 | 1u << CLUMP_F64)

double pair_level(enum clump_type type)
{
    switch (type) {
    case CLUMP_U8:
        return 80.5;
    case CLUMP_U16:
        return 3500;
    case CLUMP_I16:
        return 1200;
    case CLUMP_I32:
        return 1.2e6;
    case CLUMP_U32:
        return 3.5e6;
    case CLUMP_I64:
        return 1.2e12;
    default:
        return 0.0667;
    }
}

static enum clump_status run(clump_context *context, const struct pair_case *test,
                             const struct pair_input *in, struct pair_output *out)
{
    struct clump_threshold_params params = clump_threshold_defaults;
    clump_image *mask;
    params.above = pair_level(test->type);
    enum clump_status status = clump_threshold(context, in->image, &params, &mask, NULL);
    if (!status)
        pair_add_image(out, "mask", mask);
    return status;
}

static enum clump_status run_u8(clump_context *context, const struct pair_case *test,
                                const struct pair_input *in, struct pair_output *out)
{
    struct clump_threshold_params params = clump_threshold_defaults;
    clump_image *mask;
    uint64_t count;
    params.above = pair_level(test->type);
    params.output = CLUMP_U8;
    enum clump_status status = clump_threshold(context, in->image, &params, &mask, &count);
    if (status)
        return status;
    pair_add_image(out, "mask", mask);
    pair_add_number(out, "count", (double)count);
    return CLUMP_OK;
}

/* Reads every pixel, writes a bit for each. */
static double bytes(const struct pair_case *test)
{
    return (double)(clump_type_row_bytes(test->type, test->cols) +
                    clump_type_row_bytes(CLUMP_BITS, test->cols)) *
           (double)test->rows;
}

const struct pair pair_threshold = {
    .name = "threshold",
    .operation = "threshold",
    .types = NUMBERS,
    .picture = pair_picture_sky,
    .run = run,
    .bytes = bytes,
};

const struct pair pair_threshold_u8 = {
    .name = "threshold_u8",
    .operation = "threshold",
    .types = NUMBERS,
    .picture = pair_picture_bits,
    .run = run_u8,
};
