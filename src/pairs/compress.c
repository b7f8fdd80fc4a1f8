/* SPDX-License-Identifier: MIT */
#include "pair.h"

/* A mask of the same size; none, all or a part of it is set, by seed. */
static enum clump_status prepare(clump_context *context, const struct pair_case *test,
                                 struct pair_input *in)
{
    struct pair_case other = *test;
    void *pixels;
    other.type = CLUMP_BITS;
    enum clump_status status =
        clump_image_create(context, CLUMP_BITS, test->rows, test->cols, &in->extra[0]);
    if (!status)
        status = clump_image_map(in->extra[0], CLUMP_IMAGE_WRITE, &pixels);
    if (status)
        return status;
    pair_picture_mask(&other, pixels);
    return clump_image_unmap(in->extra[0]);
}

static enum clump_status run(clump_context *context, const struct pair_case *test,
                             const struct pair_input *in, struct pair_output *out)
{
    clump_image *row = NULL;
    uint64_t count = 0;
    (void)test;
    enum clump_status status = clump_compress(context, in->image, in->extra[0], &row, &count);
    if (status)
        return status;
    pair_add_number(out, "count", (double)count);
    if (row)
        pair_add_image(out, "row", row);
    return CLUMP_OK;
}

static enum clump_status run_select(clump_context *context, const struct pair_case *test,
                                    const struct pair_input *in, struct pair_output *out)
{
    struct clump_operand image = {.image = in->image};
    struct clump_operand number = {.number = (double)(test->seed * 11), .whole = true};
    const struct clump_operand *const operands[][2] = {{&image, &number},
                                                       {&number, &image},
                                                       {&image, &image},
                                                       {&number, &number}};
    static const char *const names[] = {"image or number", "number or image", "images", "numbers"};
    enum clump_status status = CLUMP_OK;
    for (unsigned i = 0; i < 4 && !status; i++) {
        clump_image *made;
        status = clump_select(context, in->extra[0], operands[i][0], operands[i][1], &made);
        if (!status)
            pair_add_image(out, names[i], made);
    }
    return status;
}

/* Reads the image and the mask and writes what is kept: half of it, say. */
static double bytes(const struct pair_case *test)
{
    return 1.5 * pair_image_bytes(test, test->type) + pair_image_bytes(test, CLUMP_BITS);
}

const struct pair pair_compress = {
    .name = "compress",
    .operation = "compress",
    .types = PAIR_NUMBERS,
    .picture = pair_picture_bits,
    .prepare = prepare,
    .run = run,
    .bytes = bytes,
};

const struct pair pair_select = {
    .name = "select",
    .operation = "select",
    .types = PAIR_NUMBERS,
    .picture = pair_picture_bits,
    .prepare = prepare,
    .run = run_select,
};
