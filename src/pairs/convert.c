/* SPDX-License-Identifier: MIT */
#include "pair.h"

/* To the type that the seed names. */
static enum clump_status run(clump_context *context, const struct pair_case *test,
                             const struct pair_input *in, struct pair_output *out)
{
    clump_image *converted;
    enum clump_type type = (enum clump_type)(test->seed % CLUMP_TYPE_COUNT);
    if (type == CLUMP_F64 && !clump_context_device(context)->fp64)
        type = CLUMP_F32;
    enum clump_status status = clump_convert(context, in->image, type, &converted);
    if (!status)
        pair_add_image(out, "converted", converted);
    return status;
}

const struct pair pair_convert = {
    .name = "convert",
    .operation = "convert",
    .types = (1u << CLUMP_TYPE_COUNT) - 1,
    .picture = pair_picture_any,
    .run = run,
};
