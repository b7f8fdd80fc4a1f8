/* SPDX-License-Identifier: MIT */
#include "regions.h"

#include <stdlib.h>

/* Labels of a mask, some of them negative. */
static enum clump_status prepare(clump_context *context, const struct pair_case *test,
                                 struct pair_input *in)
{
    struct pair_case bits = {test->rows, test->cols, CLUMP_BITS, test->seed};
    void *pixels = pair_memory(clump_type_row_bytes(CLUMP_BITS, test->cols) * (size_t)test->rows);
    clump_image *mask = NULL;
    uint64_t count;
    pair_picture_mask(&bits, pixels);
    enum clump_status status =
        clump_image_upload(context, CLUMP_BITS, test->rows, test->cols, pixels, &mask);
    free(pixels);
    if (!status)
        status = clump_label(context, mask, NULL, &in->extra[0], &count);
    clump_image_destroy(&mask);
    if (!status)
        status = clump_image_map(in->extra[0], CLUMP_IMAGE_READ_WRITE, &pixels);
    if (status)
        return status;
    for (uint64_t i = 0; i < test->rows * test->cols; i += 5)
        ((int32_t *)pixels)[i] -= 3;
    return clump_image_unmap(in->extra[0]);
}

static enum clump_status run(clump_context *context, const struct pair_case *test,
                             const struct pair_input *in, struct pair_output *out)
{
    struct clump_label2rgb_params params = clump_label2rgb_defaults;
    clump_image *rgb;
    params.overlay = test->seed & 1;
    params.plain = test->seed & 2;
    params.alpha = test->seed & 4 ? 0.3 : 0.71;
    params.image_alpha = test->seed & 8 ? 1 : 0.9;
    params.low = -0.1;
    params.high = pair_level(test->type) * 2;
    enum clump_status status = clump_label2rgb(context, in->extra[0], in->image, &params, &rgb);
    if (!status)
        pair_add_image(out, "rgb", rgb);
    return status;
}

/* Labels of the case's own type, whatever it can hold; floats become whole. */
static enum clump_status prepare_any(clump_context *context, const struct pair_case *test,
                                     struct pair_input *in)
{
    clump_image *whole = NULL;
    enum clump_status status = clump_convert(context, in->image, CLUMP_I32, &whole);
    if (!status)
        status = test->type == CLUMP_F32 || test->type == CLUMP_F64
                     ? clump_convert(context, whole, test->type, &in->extra[0])
                     : clump_convert(context, in->image, test->type, &in->extra[0]);
    clump_image_destroy(&whole);
    return status;
}

/* Without a picture. */
static enum clump_status run_alone(clump_context *context, const struct pair_case *test,
                                   const struct pair_input *in, struct pair_output *out)
{
    clump_image *rgb;
    (void)test;
    enum clump_status status = clump_label2rgb(context, in->extra[0], NULL, NULL, &rgb);
    if (!status)
        pair_add_image(out, "rgb", rgb);
    return status;
}

static enum clump_status prepare_cells(clump_context *context, const struct pair_case *test,
                                       struct pair_input *in)
{
    (void)test;
    return pair_label_above(context, in, PAIR_CELLS_LEVEL, 8);
}

/* Over the picture that the labels are of: what `clump bench` times. */
static enum clump_status run_cells(clump_context *context, const struct pair_case *test,
                                   const struct pair_input *in, struct pair_output *out)
{
    clump_image *rgb;
    (void)test;
    enum clump_status status = clump_label2rgb(context, in->extra[0], in->image, NULL, &rgb);
    if (!status)
        pair_add_image(out, "rgb", rgb);
    return status;
}

/* Reads labels, writes colours. */
static double bytes(const struct pair_case *test)
{
    return pair_image_bytes(test, CLUMP_I32) + pair_image_bytes(test, CLUMP_RGB);
}

/* Reads the picture too. */
static double bytes_cells(const struct pair_case *test)
{
    return pair_image_bytes(test, test->type) + bytes(test);
}

const struct pair pair_label2rgb = {
    .name = "label2rgb",
    .operation = "label2rgb",
    .types = 1u << CLUMP_U8,
    .picture = pair_picture_sky,
    .prepare = prepare,
    .run = run_alone,
    .bytes = bytes,
};

const struct pair pair_label2rgb_picture = {
    .name = "label2rgb_picture",
    .operation = "label2rgb",
    .types = PAIR_NUMBERS,
    .picture = pair_picture_sky,
    .prepare = prepare,
    .run = run,
};

const struct pair pair_label2rgb_ids = {
    .name = "label2rgb_ids",
    .operation = "label2rgb",
    .types = PAIR_NUMBERS,
    .picture = pair_picture_bits,
    .prepare = prepare_any,
    .run = run,
};

const struct pair pair_label2rgb_cells = {
    .name = "label2rgb_cells",
    .operation = "label2rgb",
    .types = PAIR_FLOATS,
    .picture = pair_picture_cells,
    .prepare = prepare_cells,
    .run = run_cells,
    .bytes = bytes_cells,
};
