/* SPDX-License-Identifier: MIT */
#include "stats.h"

static enum clump_status make_other(clump_context *context, const struct pair_case *test,
                                    enum clump_type type, uint64_t seed, clump_image **image)
{
    struct pair_case other = {test->rows, test->cols, type, seed};
    void *pixels;
    enum clump_status status = clump_image_create(context, type, test->rows, test->cols, image);
    if (!status)
        status = clump_image_map(*image, CLUMP_IMAGE_WRITE, &pixels);
    if (status)
        return status;
    if (type == CLUMP_BITS)
        pair_picture_mask(&other, pixels);
    else
        pair_picture_bits(&other, pixels);
    return clump_image_unmap(*image);
}

/* An unrelated picture of another type. */
static enum clump_status prepare(clump_context *context, const struct pair_case *test,
                                 struct pair_input *in)
{
    enum clump_type type = (enum clump_type)(test->seed % CLUMP_F64); /* not float64 itself */
    return make_other(context, test, type, test->seed + 5, &in->extra[0]);
}

/* The same picture with a value that is off by little here and there. */
static enum clump_status prepare_near(clump_context *context, const struct pair_case *test,
                                      struct pair_input *in)
{
    void *pixels;
    enum clump_status status = make_other(context, test, test->type, test->seed, &in->extra[0]);
    if (!status)
        status = clump_image_map(in->extra[0], CLUMP_IMAGE_READ_WRITE, &pixels);
    if (status)
        return status;
    size_t size = clump_type_row_bytes(test->type, 1);
    for (uint64_t i = test->seed % 11; i < test->rows * test->cols; i += 1 + i % 13)
        ((uint8_t *)pixels)[i * size] ^=
            (uint8_t)(1 + i % 3); /* of little-endian numbers the last */
    return clump_image_unmap(in->extra[0]);
}

static enum clump_status run(clump_context *context, const struct pair_case *test,
                             const struct pair_input *in, struct pair_output *out)
{
    static const double relative[] = {1e-5, 0, 1.5e-7, 1e300},
                        absolute[] = {1e-8, 0, 1, 1e-42, 1e30};
    struct clump_allclose_params params = {relative[test->seed % 4], absolute[test->seed % 5],
                                           test->seed % 2};
    struct clump_allclose_result r;
    enum clump_status status = clump_allclose(context, in->image, in->extra[0], &params, &r);
    if (status)
        return status;
    pair_add_number(out, "close", r.close);
    pair_add_number(out, "differ", (double)r.differ);
    pair_add_number(out, "row", (double)r.row);
    pair_add_number(out, "col", (double)r.col);
    pair_add_number(out, "a", r.a);
    pair_add_number(out, "b", r.b);
    pair_add_number(out, "difference", r.difference);
    return CLUMP_OK;
}

static double bytes(const struct pair_case *test) { return 2 * pair_image_bytes(test, test->type); }

const struct pair pair_allclose = {
    .name = "allclose",
    .operation = "allclose",
    .types = PAIR_NUMBERS,
    .picture = pair_picture_bits,
    .prepare = prepare,
    .run = run,
    .bytes = bytes,
};

const struct pair pair_allclose_near = {
    .name = "allclose_near",
    .operation = "allclose",
    .types = PAIR_NUMBERS,
    .picture = pair_picture_bits,
    .prepare = prepare_near,
    .run = run,
};
