/* SPDX-License-Identifier: MIT */
#include "pair.h"

#include <math.h>

static enum clump_status measure(clump_context *context, const struct pair_input *in,
                                 const struct clump_background_params *params,
                                 struct pair_output *out)
{
    struct clump_background_result result;
    clump_image *back = NULL, *rms = NULL, *subtracted = NULL;
    enum clump_status status = clump_background(context, in->image, in->extra[0], params, &back,
                                                &rms, &subtracted, &result);
    if (status)
        return status;
    pair_add_image(out, "back", back);
    pair_add_image(out, "rms", rms);
    pair_add_image(out, "subtracted", subtracted);
    pair_add_number(out, "level", result.level);
    pair_add_number(out, "global rms", result.rms);
    pair_add_number(out, "bad", (double)result.bad);
    pair_add_number(out, "used", (double)result.used);
    pair_add_number(out, "mesh rows", (double)result.mesh_rows);
    pair_add_number(out, "mesh cols", (double)result.mesh_cols);
    return CLUMP_OK;
}

static enum clump_status run(clump_context *context, const struct pair_case *test,
                             const struct pair_input *in, struct pair_output *out)
{
    struct clump_background_result result;
    clump_image *subtracted = NULL;
    (void)test;
    enum clump_status status =
        clump_background(context, in->image, NULL, NULL, NULL, NULL, &subtracted, &result);
    if (status)
        return status;
    pair_add_image(out, "subtracted", subtracted);
    pair_add_number(out, "level", result.level);
    pair_add_number(out, "rms", result.rms);
    return CLUMP_OK;
}

/* Boxes and filters of many sizes, by seed. */
static enum clump_status run_full(clump_context *context, const struct pair_case *test,
                                  const struct pair_input *in, struct pair_output *out)
{
    static const uint64_t sides[] = {16, 7, 64, 3, 33, 10, 1, 200, 5, 8};
    struct clump_background_params params = clump_background_defaults;
    uint64_t seed = test->seed + test->rows;
    params.mesh_width = sides[seed % 10];
    params.mesh_height = sides[(seed / 10 + test->cols) % 10];
    if (test->rows * test->cols > 100000) { /* the reference takes long for a million boxes */
        params.mesh_width += 8;
        params.mesh_height += 8;
    }
    params.filter_width = seed % 6;
    params.filter_height = seed % 4 + 1;
    params.filter_threshold = seed % 3 == 2 ? 0.01 : 0;
    params.mask_threshold = seed % 5 == 4 ? -1 : 0;
    return measure(context, in, &params, out);
}

/* A mask: some pixels here and there, and a block that leaves boxes without pixels. */
static enum clump_status make_mask(clump_context *context, const struct pair_case *test,
                                   struct pair_input *in)
{
    uint64_t state = test->seed + 17;
    void *pixels;
    enum clump_status status =
        clump_image_create(context, CLUMP_U8, test->rows, test->cols, &in->extra[0]);
    if (!status)
        status = clump_image_map(in->extra[0], CLUMP_IMAGE_WRITE, &pixels);
    if (status)
        return status;
    uint8_t *mask = pixels;
    for (uint64_t i = 0; i < test->rows * test->cols; i++) {
        uint64_t row = i / test->cols, col = i % test->cols;
        bool block = row > test->rows / 3 && col < test->cols / 2 && test->seed % 3 != 1;
        mask[i] = block || pair_random(&state) % 8 == 0;
    }
    return clump_image_unmap(in->extra[0]);
}

/* A sky, infinities, values past what is used, a constant part, and tiny numbers. */
static void picture_hard(const struct pair_case *test, void *pixels)
{
    uint64_t state = test->seed, n = test->rows * test->cols;
    float *values = pixels;
    pair_picture_sky(test, pixels);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t bits = pair_random(&state);
        if (i % test->cols < test->cols / 4)
            values[i] = (float)(bits % 3 == 0 ? 5 : 7);
        else if (i % test->cols < test->cols / 3)
            values[i] = test->seed % 2 ? -3e-41f : (float)(bits % 100) * 1e-30f;
        if (bits % 50 == 0)
            values[i] = bits % 3 == 0 ? INFINITY : bits % 3 == 1 ? -2e30f : 3e37f;
        if (bits % 50 == 1)
            values[i] = bits % 2 ? 9e29f : -1e20f;
    }
}

/* Two heaps of values, about as many in each, and a few values far from both, more of them on one
 * side: when these are clipped the median moves to the other heap, and values that were clipped on
 * that side are taken in again. */
static void picture_split(const struct pair_case *test, void *pixels)
{
    uint64_t state = test->seed + 3;
    float *values = pixels;
    for (uint64_t i = 0; i < test->rows * test->cols; i++) {
        uint64_t bits = pair_random(&state);
        float part = (float)(bits >> 40) * 0x1p-24f;
        float value = (i + i / test->cols) % 2 ? 5 + part : part;
        if (bits % 20 == 0)
            value = bits / 20 % 8 < 5 ? 13 + 3 * part : -3 - 4.5f * part;
        values[i] = test->seed & 1 ? 6 - value : value;
    }
}

/* Boxes without a filter, so that each tells by itself. */
static enum clump_status run_boxes(clump_context *context, const struct pair_case *test,
                                   const struct pair_input *in, struct pair_output *out)
{
    struct clump_background_params params = clump_background_defaults;
    bool large = test->rows * test->cols > 100000;
    params.mesh_width = (large ? 64 : 20) + test->seed % 4;
    params.mesh_height = 16 + test->seed % 5;
    params.filter_width = params.filter_height = 1;
    return measure(context, in, &params, out);
}

/* Reads every pixel, writes one for each. */
static double bytes(const struct pair_case *test)
{
    return pair_image_bytes(test, test->type) + pair_image_bytes(test, CLUMP_F32);
}

const struct pair pair_background = {
    .name = "background",
    .operation = "background",
    .types = 1u << CLUMP_F32,
    .picture = pair_picture_sky,
    .run = run,
    .fp64 = true,
    .bytes = bytes,
};

const struct pair pair_background_full = {
    .name = "background_full",
    .operation = "background",
    .types = PAIR_NUMBERS,
    .picture = pair_picture_sky,
    .prepare = make_mask,
    .run = run_full,
    .fp64 = true,
};

const struct pair pair_background_hard = {
    .name = "background_hard",
    .operation = "background",
    .types = 1u << CLUMP_F32,
    .picture = picture_hard,
    .run = run_full,
    .fp64 = true,
};

const struct pair pair_background_bits = {
    .name = "background_bits",
    .operation = "background",
    .types = PAIR_NUMBERS,
    .picture = pair_picture_bits,
    .run = run_full,
    .fp64 = true,
};

const struct pair pair_background_split = {
    .name = "background_split",
    .operation = "background",
    .types = 1u << CLUMP_F32,
    .picture = picture_split,
    .run = run_boxes,
    .fp64 = true,
};
