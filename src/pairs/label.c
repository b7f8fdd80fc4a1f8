/* SPDX-License-Identifier: MIT */
#include "pair.h"

static enum clump_status run(clump_context *context, const struct pair_input *in,
                             unsigned connectivity, struct pair_output *out)
{
    struct clump_label_params params = {.connectivity = connectivity};
    clump_image *labels;
    uint64_t count;
    enum clump_status status = clump_label(context, in->image, &params, &labels, &count);
    if (status)
        return status;
    pair_add_image(out, "labels", labels);
    pair_add_number(out, "count", (double)count);
    return CLUMP_OK;
}

static enum clump_status run_4(clump_context *context, const struct pair_case *test,
                               const struct pair_input *in, struct pair_output *out)
{
    (void)test;
    return run(context, in, 4, out);
}

static enum clump_status run_8(clump_context *context, const struct pair_case *test,
                               const struct pair_input *in, struct pair_output *out)
{
    (void)test;
    return run(context, in, 8, out);
}

static enum clump_status run_count(clump_context *context, const struct pair_case *test,
                                   const struct pair_input *in, struct pair_output *out)
{
    uint64_t count;
    (void)test;
    enum clump_status status = clump_label(context, in->image, NULL, NULL, &count);
    if (!status)
        pair_add_number(out, "count", (double)count);
    return status;
}

/* Reads a mask, writes a label for each pixel. */
static double bytes(const struct pair_case *test)
{
    return pair_image_bytes(test, test->type) + pair_image_bytes(test, CLUMP_I32);
}

const struct pair pair_label = {
    .name = "label",
    .operation = "label",
    .types = 1u << CLUMP_BITS | 1u << CLUMP_U8,
    .picture = pair_picture_mask,
    .run = run_4,
    .bytes = bytes,
};

const struct pair pair_label_8 = {
    .name = "label_8",
    .operation = "label",
    .types = 1u << CLUMP_BITS | 1u << CLUMP_U8,
    .picture = pair_picture_mask,
    .run = run_8,
    .bytes = bytes,
};

const struct pair pair_label_count = {
    .name = "label_count",
    .operation = "label",
    .types = 1u << CLUMP_BITS,
    .picture = pair_picture_mask,
    .run = run_count,
};
