/* SPDX-License-Identifier: MIT */
#include "pair.h"

/* A part that the seed chooses, the last pixel or the whole for some seeds. */
static enum clump_status run(clump_context *context, const struct pair_case *test,
                             const struct pair_input *in, struct pair_output *out)
{
    uint64_t state = test->seed + test->rows * 31 + test->cols;
    uint64_t row = pair_random(&state) % test->rows, col = pair_random(&state) % test->cols;
    uint64_t rows = 1 + pair_random(&state) % (test->rows - row);
    uint64_t cols = 1 + pair_random(&state) % (test->cols - col);
    if (test->seed == 1) {
        row = col = 0;
        rows = test->rows;
        cols = test->cols;
    }
    if (test->seed == 2) {
        row = test->rows - 1;
        col = test->cols - 1;
        rows = cols = 1;
    }
    clump_image *part;
    enum clump_status status = clump_crop(context, in->image, row, col, rows, cols, &part);
    if (!status)
        pair_add_image(out, "part", part);
    return status;
}

/* Rows and columns change places, and then all pixels in one row, or in one column. */
static enum clump_status run_reshape(clump_context *context, const struct pair_case *test,
                                     const struct pair_input *in, struct pair_output *out)
{
    uint64_t n = test->rows * test->cols;
    const uint64_t rows[] = {test->cols, 1, n}, cols[] = {test->rows, n, 1};
    static const char *const names[] = {"turned", "row", "column"};
    enum clump_status status = CLUMP_OK;
    for (unsigned i = 0; i < 3 && !status; i++) {
        clump_image *made;
        status = clump_reshape(context, in->image, rows[i], cols[i], &made);
        if (!status)
            pair_add_image(out, names[i], made);
    }
    return status;
}

static enum clump_status run_channel(clump_context *context, const struct pair_case *test,
                                     const struct pair_input *in, struct pair_output *out)
{
    clump_image *grey;
    enum clump_status status = clump_channel(context, in->image, (unsigned)(test->seed % 3), &grey);
    if (!status)
        pair_add_image(out, "channel", grey);
    return status;
}

const struct pair pair_crop = {
    .name = "crop",
    .operation = "crop",
    .types = (1u << CLUMP_TYPE_COUNT) - 1,
    .picture = pair_picture_any,
    .run = run,
};

const struct pair pair_reshape = {
    .name = "reshape",
    .operation = "reshape",
    .types = (1u << CLUMP_TYPE_COUNT) - 1,
    .picture = pair_picture_any,
    .run = run_reshape,
};

const struct pair pair_channel = {
    .name = "channel",
    .operation = "channel",
    .types = 1u << CLUMP_RGB,
    .picture = pair_picture_bits,
    .run = run_channel,
};
