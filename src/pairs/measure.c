/* SPDX-License-Identifier: MIT */
#include "measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS 34

static void list_region(const struct clump_region *r, double *values)
{
    const double all[FIELDS] = {
        (double)(r->label >> 32),
        (double)(uint32_t)r->label,
        (double)r->area,
        r->sum,
        r->mean,
        r->std,
        r->variance,
        r->min,
        r->max,
        (double)r->peak_row,
        (double)r->peak_col,
        r->centroid_row,
        r->centroid_col,
        r->weighted_row,
        r->weighted_col,
        (double)r->row_min,
        (double)r->col_min,
        (double)r->row_max,
        (double)r->col_max,
        r->moment_rr,
        r->moment_rc,
        r->moment_cc,
        r->weighted_rr,
        r->weighted_rc,
        r->weighted_cc,
        r->axis_major,
        r->axis_minor,
        r->orientation,
        r->eccentricity,
        r->perimeter,
        (double)r->area_convex,
        r->solidity,
        (double)r->euler,
        (double)r->flags,
    };
    for (int i = 0; i < FIELDS; i++)
        values[i] = all[i];
}

enum clump_status pair_measure_all(clump_context *context, const clump_image *image,
                                   const clump_image *labels,
                                   const struct clump_measure_params *params,
                                   struct pair_output *out)
{
    struct clump_region *regions;
    uint64_t count;
    enum clump_status status = clump_measure(context, image, labels, params, &regions, &count);
    if (status)
        return status;
    double *values = pair_memory(count * FIELDS * sizeof *values);
    for (uint64_t i = 0; i < count; i++)
        list_region(&regions[i], values + i * FIELDS);
    clump_measure_destroy(&regions);
    pair_add_number(out, "regions", (double)count);
    pair_add_list(out, "figures", values, count * FIELDS);
    return CLUMP_OK;
}

/* What stands out in the picture. */
enum clump_status pair_mask_above(clump_context *context, const struct pair_case *test,
                                  struct pair_input *in)
{
    struct clump_threshold_params params = clump_threshold_defaults;
    params.above = pair_level(test->type);
    return clump_threshold(context, in->image, &params, &in->extra[0], NULL);
}

enum clump_status pair_make_mask(clump_context *context, const struct pair_case *test,
                                 clump_image **mask)
{
    struct pair_case bits = {test->rows, test->cols, CLUMP_BITS, test->seed};
    void *pixels = pair_memory(clump_type_row_bytes(CLUMP_BITS, test->cols) * (size_t)test->rows);
    pair_picture_mask(&bits, pixels);
    enum clump_status status =
        clump_image_upload(context, CLUMP_BITS, test->rows, test->cols, pixels, mask);
    free(pixels);
    return status;
}

/* A mask that has nothing to do with the picture. */
static enum clump_status prepare_mask(clump_context *context, const struct pair_case *test,
                                      struct pair_input *in)
{
    return pair_make_mask(context, test, &in->extra[0]);
}

/* More labels, in four bands, than a table holds: the second table begins with the third one. */
static void part_labels(int32_t *labels, uint64_t pixels)
{
    static const int32_t numbers[] = {1, 50001, 50002, 400001};
    for (uint64_t i = 0; i < pixels; i++)
        labels[i] = i % 2 ? 0 : numbers[i / 2 % 4];
}

/* Labels whose numbers have gaps and are in no order, and which need not be connected. */
static enum clump_status prepare_labels(clump_context *context, const struct pair_case *test,
                                        struct pair_input *in)
{
    clump_image *mask = NULL;
    uint64_t count, pixels = test->rows * test->cols;
    void *mapped;
    enum clump_status status = pair_make_mask(context, test, &mask);
    if (!status)
        status = clump_label(context, mask, NULL, &in->extra[0], &count);
    clump_image_destroy(&mask);
    if (!status)
        status = clump_image_map(in->extra[0], CLUMP_IMAGE_READ_WRITE, &mapped);
    if (status)
        return status;
    for (uint64_t i = 0; i < pixels; i++) {
        int32_t *label = (int32_t *)mapped + i;
        if (*label)
            *label = (int32_t)((uint64_t)*label * 7919 % 1009 + (test->seed & 1));
    }
    if (test->rows == 64 && test->cols == 1 && test->seed == 3 && test->type == CLUMP_F32)
        part_labels(mapped, pixels);
    return clump_image_unmap(in->extra[0]);
}

unsigned pair_scale_fallbacks(const struct pair_case *test)
{
    return test->type == CLUMP_F32 || test->type == CLUMP_I64;
}

unsigned pair_label_fallbacks(const struct pair_case *test)
{
    return pair_scale_fallbacks(test) + (test->rows * test->cols > 1024);
}

/* A negative label, which is refused wherever it is. */
static enum clump_status prepare_negative(clump_context *context, const struct pair_case *test,
                                          struct pair_input *in)
{
    uint64_t state = test->seed;
    void *mapped;
    enum clump_status status = prepare_labels(context, test, in);
    if (!status)
        status = clump_image_map(in->extra[0], CLUMP_IMAGE_READ_WRITE, &mapped);
    if (status)
        return status;
    ((int32_t *)mapped)[pair_random(&state) % (test->rows * test->cols)] =
        test->seed ? -1 : INT32_MIN;
    return clump_image_unmap(in->extra[0]);
}

/* Labels that get ranks are looked at twice. */
static unsigned id_fallbacks(const struct pair_case *test)
{
    return pair_label_fallbacks(test) + (test->rows * test->cols > 1024);
}

/* A label by rank: from the upper end of what the type can hold, far apart, or small. */
static int64_t far_label(enum clump_type type, uint64_t rank)
{
    bool real = type == CLUMP_F32 || type == CLUMP_F64;
    unsigned bits = type == CLUMP_I16   ? 15
                    : type == CLUMP_I32 ? 31
                    : type == CLUMP_I64 ? 63
                    : type == CLUMP_F32 ? 24 /* every whole number up to there */
                    : type == CLUMP_F64 ? 53
                                        : 8 * (unsigned)clump_type_row_bytes(type, 1);
    uint64_t most = ((uint64_t)1 << bits) - !real;
    if (rank % 3 == 2)
        return (int64_t)rank;
    return (int64_t)(rank % 3 ? (most / 2 + rank * 7919) % most : most - rank);
}

static void put_label(enum clump_type type, void *pixels, uint64_t i, int64_t label)
{
    float single = (float)label;
    double real = (double)label;
    const void *from = type == CLUMP_F32   ? (const void *)&single
                       : type == CLUMP_F64 ? (const void *)&real
                                           : (const void *)&label; /* its low bytes come first */
    size_t size = clump_type_row_bytes(type, 1);
    memcpy((char *)pixels + i * size, from, size);
}

/* A label image of the case's own type: each component has a number from far_label. */
static enum clump_status prepare_far_labels(clump_context *context, const struct pair_case *test,
                                            struct pair_input *in)
{
    clump_image *mask = NULL, *dense = NULL;
    uint64_t count, n = test->rows * test->cols;
    void *from, *to = pair_memory(clump_type_row_bytes(test->type, test->cols) * test->rows);
    enum clump_status status = pair_make_mask(context, test, &mask);
    if (!status)
        status = clump_label(context, mask, NULL, &dense, &count);
    if (!status)
        status = clump_image_map(dense, CLUMP_IMAGE_READ, &from);
    if (!status) {
        for (uint64_t i = 0; i < n; i++) {
            uint64_t rank = (uint64_t)((const int32_t *)from)[i];
            put_label(test->type, to, i, rank ? far_label(test->type, rank % 97) : 0);
        }
        status = clump_image_unmap(dense);
    }
    if (!status)
        status = clump_image_upload(context, test->type, test->rows, test->cols, to, &in->extra[0]);
    free(to);
    clump_image_destroy(&dense);
    clump_image_destroy(&mask);
    return status;
}

/* Labels or a mask, in turn. */
static enum clump_status prepare_either(clump_context *context, const struct pair_case *test,
                                        struct pair_input *in)
{
    return (test->seed % 4 < 2 ? prepare_labels : prepare_mask)(context, test, in);
}

enum clump_status pair_measure_plain(clump_context *context, const struct pair_case *test,
                                     const struct pair_input *in, struct pair_output *out)
{
    (void)test;
    return pair_measure_all(context, in->image, in->extra[0], NULL, out);
}

static enum clump_status run_8(clump_context *context, const struct pair_case *test,
                               const struct pair_input *in, struct pair_output *out)
{
    const struct clump_measure_params params = {8, true, true, true, false};
    (void)test;
    return pair_measure_all(context, in->image, in->extra[0], &params, out);
}

static enum clump_status run_refused(clump_context *context, const struct pair_case *test,
                                     const struct pair_input *in, struct pair_output *out)
{
    struct clump_region *regions = NULL;
    uint64_t count;
    (void)test;
    enum clump_status status = clump_measure(context, NULL, in->extra[0], NULL, &regions, &count);
    pair_add_number(out, "refused", status == CLUMP_ERROR_ARGUMENT);
    if (status == CLUMP_OK)
        clump_measure_destroy(&regions);
    return status == CLUMP_ERROR_ARGUMENT ? CLUMP_OK : status;
}

enum clump_status pair_measure_briefly(clump_context *context, const struct pair_case *test,
                                       const struct pair_input *in, struct pair_output *out)
{
    const struct clump_measure_params params = {4, false, true, false, true};
    (void)test;
    return pair_measure_all(context, in->image, in->extra[0], &params, out);
}

static enum clump_status run_shape(clump_context *context, const struct pair_case *test,
                                   const struct pair_input *in, struct pair_output *out)
{
    const struct clump_measure_params params = {4, true, true, true, false};
    (void)test;
    return pair_measure_all(context, NULL, in->extra[0], &params, out);
}

/* Reads every pixel and the mask. */
static double bytes(const struct pair_case *test)
{
    return pair_image_bytes(test, test->type) + pair_image_bytes(test, CLUMP_BITS);
}

const struct pair pair_measure = {
    .name = "measure",
    .operation = "measure",
    .types = PAIR_NUMBERS,
    .picture = pair_picture_sky,
    .prepare = pair_mask_above,
    .run = pair_measure_plain,
    .fallbacks = pair_scale_fallbacks,
    .bytes = bytes,
};

const struct pair pair_measure_bits = {
    .name = "measure_bits",
    .operation = "measure",
    .types = PAIR_NUMBERS,
    .picture = pair_picture_bits,
    .prepare = prepare_mask,
    .run = run_8,
    .fallbacks = pair_scale_fallbacks,
};

const struct pair pair_measure_labels = {
    .name = "measure_labels",
    .operation = "measure",
    .types = 1u << CLUMP_F32 | 1u << CLUMP_F64 | 1u << CLUMP_U16 | 1u << CLUMP_I64,
    .picture = pair_picture_bits,
    .prepare = prepare_labels,
    .fallbacks = pair_label_fallbacks,
    .run = run_8,
};

const struct pair pair_measure_ids = {
    .name = "measure_ids",
    .operation = "measure",
    .types = PAIR_NUMBERS,
    .picture = pair_picture_sky,
    .prepare = prepare_far_labels,
    .run = run_8,
    .fallbacks = id_fallbacks,
};

const struct pair pair_measure_shape = {
    .name = "measure_shape",
    .operation = "measure",
    .types = 1u << CLUMP_U8,
    .picture = pair_picture_mask,
    .prepare = prepare_either,
    .fallbacks = pair_label_fallbacks,
    .run = run_shape,
};

const struct pair pair_measure_brief = {
    .name = "measure_brief",
    .operation = "measure",
    .types = 1u << CLUMP_F32 | 1u << CLUMP_F64 | 1u << CLUMP_U16 | 1u << CLUMP_I64,
    .picture = pair_picture_bits,
    .prepare = prepare_either,
    .fallbacks = pair_label_fallbacks,
    .run = pair_measure_briefly,
};

const struct pair pair_measure_negative = {
    .name = "measure_negative",
    .operation = "measure",
    .types = 1u << CLUMP_U8,
    .picture = pair_picture_mask,
    .prepare = prepare_negative,
    .run = run_refused,
    .refused = true,
    .fallbacks = pair_label_fallbacks,
};
