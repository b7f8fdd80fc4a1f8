/* SPDX-License-Identifier: MIT */
/*
 * Sums by outer products, both passes in one launch; or, where the device's local memory has no
 * room for the lines between them, in two, with the same bits.
 */
#include "opencl/convolve/convolve.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define LINE_BYTES (128 * 1024) /* of lines on a CPU: half of a common second-level cache */
#define LANE_STRIP 4            /* columns of a strip for each lane of a fine device */

/* How one launch is cut up. */
struct cut {
    uint32_t rows, lines; /* output rows of a work-group; its lines of local memory */
    uint32_t n, half;     /* elements of vectors */
    cl_int strip, length; /* output columns of a work-group; elements of a line */
    size_t bytes;         /* of local memory */
};

static size_t up_to(size_t n, size_t step) { return (n + step - 1) / step * step; }

/* The widest strip whose lines fit; false when not even the narrowest does. */
static bool cut_up(clump_context *context, const struct sum *sum,
                   const struct outer_products *terms, struct cut *cut)
{
    const struct layout *layout = &context->opencl->layout;
    size_t size = clump_type_size(sum->type), room = context->device.local_memory;
    uint32_t lanes = layout->coarse ? 1 : layout->group;
    /* on fine devices 3 rows: 6 take more registers than a full unit has for each work-item */
    bool tall = layout->coarse && terms->rows >= 6 && !sum->ignore && layout->convolve_rows == 6;
    cut->rows = tall ? 6 : terms->rows > 1 ? 3 : 1;
    cut->lines = cut->rows * (sum->ignore ? 2 : 1);
    cut->n = layout->coarse ? clump_vector_elements(context, sum->type) : 1;
    cut->half = !layout->coarse ? 1 : layout->vector >= 16 ? cut->n : cut->n / 2;
    if (layout->coarse && room > LINE_BYTES)
        room = LINE_BYTES;

    size_t step = (size_t)2 * cut->half * lanes, least = (size_t)2 * cut->half;
    size_t per_column = (size_t)cut->lines * terms->rank * size;
    size_t margin = (size_t)terms->cols + 32; /* taps, and what rounds a line up */
    if (room / per_column < margin + step)
        room = context->device.local_memory;
    if (room / per_column < margin + step)
        step = least; /* some lanes rest */
    if (room / per_column < margin + step)
        return false;
    size_t widest = (room / per_column - margin) / step * step;
    if (!layout->coarse && widest > (size_t)LANE_STRIP * lanes)
        widest = up_to((size_t)LANE_STRIP * lanes, step);
    size_t strips = (sum->out_cols + widest - 1) / widest;
    cut->strip = (cl_int)up_to((sum->out_cols + strips - 1) / strips, step);
    size_t length = up_to((size_t)cut->strip + terms->cols - 1, 16);
    cut->length = (cl_int)(length % 256 ? length : length + 16); /* lines not in the same sets */
    cut->bytes = (size_t)cut->length * per_column;
    return true;
}

/* For each product `rows` weights for every input row and the weights along; then fill values. */
static enum clump_status upload(clump_context *context, const struct sum *sum,
                                const struct outer_products *terms, const struct cut *cut,
                                cl_mem *buffer)
{
    size_t each = (size_t)terms->rows * cut->rows + terms->cols, at = 0;
    size_t bytes = (each * terms->rank + cut->n) * clump_type_size(sum->type);
    void *memory = malloc(bytes);
    if (!memory)
        return clump_fail(&context->log, CLUMP_ERROR_MEMORY, "convolve: out of memory");
    for (uint32_t q = 0; q < terms->rank; q++) {
        const double *down = terms->down + (size_t)q * terms->rows;
        for (uint32_t i = 0; i < terms->rows; i++)
            for (uint32_t k = 0; k < cut->rows; k++) /* row i into accumulator k, in turn */
                clump_reals_put(sum->type, &down[(i + terms->rows - k) % terms->rows], 1, memory,
                                at++);
        clump_reals_put(sum->type, terms->along + (size_t)q * terms->cols, terms->cols, memory, at);
        at += terms->cols;
    }
    for (uint32_t i = 0; i < cut->n; i++)
        clump_reals_put(sum->type, &sum->fill, 1, memory, at++);
    enum clump_status status = clump_buffer_constant(context, memory, bytes, buffer);
    free(memory);
    return status;
}

/* The sum of down weights times one value, as kernels sum it. */
static double down_of(const struct sum *sum, const struct outer_products *terms, uint32_t q,
                      double value)
{
    double made = 0;
    for (uint32_t i = 0; i < terms->rows; i++)
        made = clump_chain(sum->type, made, terms->down[(size_t)q * terms->rows + i], value);
    return made;
}

/* What rescaling needs: the sum of the weights where none is missing, as kernels sum it. */
static double total_of(const struct sum *sum, const struct outer_products *terms)
{
    double total = 0;
    for (uint32_t q = 0; sum->ignore && q < terms->rank; q++) {
        double down = down_of(sum, terms, q, 1);
        for (uint32_t t = 0; t < terms->cols; t++)
            total = clump_chain(sum->type, total, terms->along[(size_t)q * terms->cols + t], down);
    }
    return total;
}

static enum clump_status sum_fused(clump_context *context, const struct sum *sum,
                                   const struct outer_products *terms, const struct cut *cut)
{
    union real fill, total;
    cl_mem taps;
    cl_kernel kernel;
    char options[128];
    size_t lanes = context->opencl->layout.coarse ? 1 : context->opencl->layout.group;
    snprintf(options, sizeof options, "-DT=%s -DN=%u -DHALF=%u -DROWS=%u -DIGNORE=%d -DLEVEL=%d",
             clump_type_opencl(sum->type), cut->n, cut->half, cut->rows, sum->ignore, sum->level);
    enum clump_status status =
        clump_kernel(context, "convolve/separable", options, "separable_fused", &kernel);
    if (!status)
        status = upload(context, sum, terms, cut, &taps);
    if (status)
        return status;

    size_t strips = (sum->out_cols + (size_t)cut->strip - 1) / (size_t)cut->strip;
    size_t global[2] = {strips * lanes, (sum->out_rows + cut->rows - 1) / cut->rows};
    size_t local[2] = {lanes, 1};
    cl_long rows = (cl_long)sum->rows, cols = (cl_long)sum->cols;
    cl_long out_rows = (cl_long)sum->out_rows, out_cols = (cl_long)sum->out_cols;
    cl_long up = sum->up, left = sum->left;
    cl_int kh = (cl_int)terms->rows, kw = (cl_int)terms->cols, rank = (cl_int)terms->rank;
    cl_int boundary = (cl_int)sum->boundary;
    return clump_launch(context, kernel, 2, global, local,
                        CLUMP_ARGS(CLUMP_ARG_IN(sum), CLUMP_ARG(taps), CLUMP_ARG_OUT(sum),
                                   CLUMP_ARG_LOCAL(cut->bytes), CLUMP_ARG(rows), CLUMP_ARG(cols),
                                   CLUMP_ARG(out_rows), CLUMP_ARG(out_cols), CLUMP_ARG(kh),
                                   CLUMP_ARG(kw), CLUMP_ARG(rank), CLUMP_ARG(up), CLUMP_ARG(left),
                                   CLUMP_ARG(boundary), clump_real(sum->type, sum->fill, &fill),
                                   CLUMP_ARG(cut->strip), CLUMP_ARG(cut->length),
                                   clump_real(sum->type, total_of(sum, terms), &total)));
}

/* Weights for two launches: those down and those along of every product, then what a column of fill
 * values comes to, its sum and its weights that are present. */
static enum clump_status upload_plain(clump_context *context, const struct sum *sum,
                                      const struct outer_products *terms, cl_mem *buffer)
{
    size_t each = (size_t)terms->rows + terms->cols, at = 0, size = clump_type_size(sum->type);
    size_t bytes = (each + 2) * terms->rank * size;
    bool blank = sum->ignore && isnan(sum->fill);
    void *memory = malloc(bytes);
    if (!memory)
        return clump_fail(&context->log, CLUMP_ERROR_MEMORY, "convolve: out of memory");
    for (uint32_t q = 0; q < terms->rank; q++, at += each) {
        clump_reals_put(sum->type, terms->down + (size_t)q * terms->rows, terms->rows, memory, at);
        clump_reals_put(sum->type, terms->along + (size_t)q * terms->cols, terms->cols, memory,
                        at + terms->rows);
    }
    for (uint32_t q = 0; q < terms->rank; q++, at += 2) {
        double value = blank ? 0 : sum->fill;
        double edges[2] = {sum->level ? value : down_of(sum, terms, q, value),
                           down_of(sum, terms, q, !blank)};
        clump_reals_put(sum->type, edges, 2, memory, at);
    }
    enum clump_status status = clump_buffer_constant(context, memory, bytes, buffer);
    free(memory);
    return status;
}

static enum clump_status sum_twice(clump_context *context, const struct sum *sum,
                                   const struct outer_products *terms)
{
    cl_mem between = NULL, taps;
    cl_kernel down, along;
    char options[128];
    union real fill, total;
    size_t planes = (size_t)terms->rank * (sum->ignore ? 2 : 1);
    cl_long rows = (cl_long)sum->rows, cols = (cl_long)sum->cols;
    cl_long out_rows = (cl_long)sum->out_rows, out_cols = (cl_long)sum->out_cols;
    cl_long up = sum->up, left = sum->left;
    cl_int kh = (cl_int)terms->rows, kw = (cl_int)terms->cols, rank = (cl_int)terms->rank;
    cl_int boundary = (cl_int)sum->boundary;
    snprintf(options, sizeof options, "-DT=%s -DROWS=1 -DIGNORE=%d -DLEVEL=%d -DPLAIN=1",
             clump_type_opencl(sum->type), sum->ignore, sum->level);
    enum clump_status status = clump_buffer_borrow(context,
                                                   planes * (size_t)(sum->out_rows * sum->cols) *
                                                       clump_type_size(sum->type),
                                                   &between);
    if (!status)
        status = upload_plain(context, sum, terms, &taps);
    if (!status)
        status = clump_kernel(context, "convolve/separable", options, "separable_down", &down);
    if (!status)
        status = clump_kernel(context, "convolve/separable", options, "separable_along", &along);
    if (!status)
        status = clump_launch_rows(context, down, sum->out_rows, sum->cols,
                                   CLUMP_ARGS(CLUMP_ARG_IN(sum), CLUMP_ARG(taps),
                                              CLUMP_ARG(between), CLUMP_ARG(rows), CLUMP_ARG(cols),
                                              CLUMP_ARG(out_rows), CLUMP_ARG(kh), CLUMP_ARG(kw),
                                              CLUMP_ARG(rank), CLUMP_ARG(up), CLUMP_ARG(boundary),
                                              clump_real(sum->type, sum->fill, &fill)));
    if (!status)
        status =
            clump_launch_rows(context, along, sum->out_rows, sum->out_cols,
                              CLUMP_ARGS(CLUMP_ARG(between), CLUMP_ARG(taps), CLUMP_ARG_OUT(sum),
                                         CLUMP_ARG(cols), CLUMP_ARG(out_rows), CLUMP_ARG(out_cols),
                                         CLUMP_ARG(kh), CLUMP_ARG(kw), CLUMP_ARG(rank),
                                         CLUMP_ARG(left), CLUMP_ARG(boundary),
                                         clump_real(sum->type, total_of(sum, terms), &total)));
    clump_buffer_return(context, &between);
    return status;
}

enum clump_status clump_separable_sum(clump_context *context, const struct sum *sum,
                                      const struct outer_products *terms)
{
    struct cut cut;
    return cut_up(context, sum, terms, &cut) ? sum_fused(context, sum, terms, &cut)
                                             : sum_twice(context, sum, terms);
}
