/* SPDX-License-Identifier: MIT */
#include "pair.h"

#include <stdlib.h>

#define NUMBERS                                                                                    \
    (1u << CLUMP_U8 | 1u << CLUMP_U16 | 1u << CLUMP_I16 | 1u << CLUMP_I32 | 1u << CLUMP_U32 |      \
     1u << CLUMP_I64 | 1u << CLUMP_F32 | 1u << CLUMP_F64)

#define FIELDS 32

static void list_region(const struct clump_region *r, double *values)
{
    const double all[FIELDS] = {
        (double)r->label,
        (double)r->area,
        r->sum,
        r->mean,
        r->std,
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

static enum clump_status measure(clump_context *context, const clump_image *image,
                                 const clump_image *labels,
                                 const struct clump_measure_params *params, struct pair_output *out)
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
static enum clump_status prepare_sky(clump_context *context, const struct pair_case *test,
                                     struct pair_input *in)
{
    struct clump_threshold_params params = clump_threshold_defaults;
    params.above = pair_level(test->type);
    return clump_threshold(context, in->image, &params, &in->extra[0], NULL);
}

static enum clump_status make_mask(clump_context *context, const struct pair_case *test,
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
    return make_mask(context, test, &in->extra[0]);
}

/* Labels whose numbers have gaps and are in no order, and which need not be connected. */
static enum clump_status prepare_labels(clump_context *context, const struct pair_case *test,
                                        struct pair_input *in)
{
    clump_image *mask = NULL;
    uint64_t count, pixels = test->rows * test->cols;
    void *mapped;
    enum clump_status status = make_mask(context, test, &mask);
    if (!status)
        status = clump_label(context, mask, NULL, &in->extra[0], &count);
    clump_image_destroy(&mask);
    if (!status)
        status = clump_image_map(in->extra[0], CLUMP_READ_WRITE, &mapped);
    if (status)
        return status;
    for (uint64_t i = 0; i < pixels; i++) {
        int32_t *label = (int32_t *)mapped + i;
        if (*label)
            *label = (int32_t)((uint64_t)*label * 7919 % 1009 + (test->seed & 1));
    }
    return clump_image_unmap(in->extra[0]);
}

/* Labels or a mask, in turn. */
static enum clump_status prepare_either(clump_context *context, const struct pair_case *test,
                                        struct pair_input *in)
{
    return (test->seed % 4 < 2 ? prepare_labels : prepare_mask)(context, test, in);
}

static enum clump_status run(clump_context *context, const struct pair_case *test,
                             const struct pair_input *in, struct pair_output *out)
{
    (void)test;
    return measure(context, in->image, in->extra[0], NULL, out);
}

static enum clump_status run_8(clump_context *context, const struct pair_case *test,
                               const struct pair_input *in, struct pair_output *out)
{
    const struct clump_measure_params params = {8, true, true, true, false};
    (void)test;
    return measure(context, in->image, in->extra[0], &params, out);
}

static enum clump_status run_brief(clump_context *context, const struct pair_case *test,
                                   const struct pair_input *in, struct pair_output *out)
{
    const struct clump_measure_params params = {4, false, true, false, true};
    (void)test;
    return measure(context, in->image, in->extra[0], &params, out);
}

static enum clump_status run_shape(clump_context *context, const struct pair_case *test,
                                   const struct pair_input *in, struct pair_output *out)
{
    const struct clump_measure_params params = {4, true, true, true, false};
    (void)test;
    return measure(context, NULL, in->extra[0], &params, out);
}

/* Reads every pixel and the mask. */
static double bytes(const struct pair_case *test)
{
    return (double)(clump_type_row_bytes(test->type, test->cols) +
                    clump_type_row_bytes(CLUMP_BITS, test->cols)) *
           (double)test->rows;
}

const struct pair pair_measure = {
    .name = "measure",
    .operation = "measure",
    .types = NUMBERS,
    .picture = pair_picture_sky,
    .prepare = prepare_sky,
    .run = run,
    .bytes = bytes,
};

const struct pair pair_measure_bits = {
    .name = "measure_bits",
    .operation = "measure",
    .types = NUMBERS,
    .picture = pair_picture_bits,
    .prepare = prepare_mask,
    .run = run_8,
};

const struct pair pair_measure_labels = {
    .name = "measure_labels",
    .operation = "measure",
    .types = 1u << CLUMP_F32 | 1u << CLUMP_F64 | 1u << CLUMP_U16 | 1u << CLUMP_I64,
    .picture = pair_picture_bits,
    .prepare = prepare_labels,
    .run = run_8,
};

const struct pair pair_measure_shape = {
    .name = "measure_shape",
    .operation = "measure",
    .types = 1u << CLUMP_U8,
    .picture = pair_picture_mask,
    .prepare = prepare_mask,
    .run = run_shape,
};

const struct pair pair_measure_brief = {
    .name = "measure_brief",
    .operation = "measure",
    .types = 1u << CLUMP_F32 | 1u << CLUMP_F64 | 1u << CLUMP_U16 | 1u << CLUMP_I64,
    .picture = pair_picture_bits,
    .prepare = prepare_either,
    .run = run_brief,
};
