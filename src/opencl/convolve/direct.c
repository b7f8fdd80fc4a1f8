/* SPDX-License-Identifier: MIT */
/*
 * Direct sums: on coarse devices the interior straight from the image and the border through a copy
 * of its columns; elsewhere tiles in local memory.
 */
#include "opencl/convolve/convolve.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SHARES_PER_WORKER 16  /* pieces of work, so that no unit is left waiting */
#define LONGEST_RUN       16  /* groups of columns of a work-item; more only cost balance */
#define LONGEST_ROW_RUN   256 /* the same for one row */

struct clump_arg clump_real(enum clump_type type, double value, union real *real)
{
    if (type == CLUMP_F32)
        real->f32 = (float)value;
    else
        real->f64 = value;
    return (struct clump_arg){clump_type_size(type), real};
}

void clump_reals_put(enum clump_type type, const double *values, size_t count, void *to, size_t at)
{
    for (size_t i = 0; i < count; i++)
        if (type == CLUMP_F32)
            ((float *)to)[at + i] = (float)values[i];
        else
            ((double *)to)[at + i] = values[i];
}

double clump_type_epsilon(enum clump_type type) { return type == CLUMP_F32 ? 0x1p-23 : 0x1p-52; }

size_t clump_type_size(enum clump_type type) { return type == CLUMP_F32 ? 4 : 8; }

uint32_t clump_vector_elements(const clump_context *context, enum clump_type type)
{
    uint32_t floats = context->opencl->layout.convolve_vector;
    return type == CLUMP_F32 ? floats : floats / 2;
}

/* How the groups of columns of a launch lie: copied on the left, inside, copied on the right. */
struct columns {
    cl_int left_groups, inner_groups, groups;
    cl_int left_width, width; /* of the copy */
    cl_long right;            /* its first column on the right */
};

static enum clump_status lay_out(clump_context *context, const struct sum *sum, uint32_t kw,
                                 uint32_t span, struct columns *columns)
{
    int64_t groups = ((int64_t)sum->out_cols + span - 1) / span;
    int64_t left = sum->left < 0 ? (-sum->left + span - 1) / span : 0;
    int64_t inner = ((int64_t)sum->cols - sum->left - kw + 1) / span - left;
    if ((int64_t)sum->cols - sum->left - kw + 1 < 0 || inner <= 0)
        left = inner = 0;
    if (inner > groups - left)
        inner = groups - left;
    int64_t right = groups - left - inner;
    int64_t left_width = left ? left * span + kw - 1 : 0;
    int64_t width = left_width + (right ? right * span + kw - 1 : 0);
    if (width < span + (int64_t)kw - 1)
        width = span + (int64_t)kw - 1; /* the row of fill values */
    if (width > INT32_MAX || groups > INT32_MAX)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "convolve: %lld columns are too many to extend beyond the border",
                          (long long)width);
    *columns =
        (struct columns){(cl_int)left,       (cl_int)inner, (cl_int)groups,
                         (cl_int)left_width, (cl_int)width, sum->left + (left + inner) * span};
    return CLUMP_OK;
}

/*
 * Weights in the pixels' type: column after column; or, with `tall` of 1 and more, for every input
 * row and column those of `tall` results below each other, 0 where there is none.
 */
static enum clump_status upload(clump_context *context, const struct sum *sum,
                                const struct weights *weights, uint32_t tall, cl_mem *buffer)
{
    size_t rows = weights->rows, cols = weights->cols, each = tall ? tall : 1;
    size_t count = (tall ? rows + tall - 1 : rows) * cols * each;
    void *memory = calloc(count, clump_type_size(sum->type));
    if (!memory)
        return clump_fail(&context->log, CLUMP_ERROR_MEMORY, "convolve: out of memory");
    for (size_t s = 0; s < rows; s++)
        for (size_t t = 0; t < cols; t++)
            for (size_t k = 0; k < each; k++)
                clump_reals_put(sum->type, &weights->values[s * cols + t], 1, memory,
                                tall ? ((s + k) * cols + t) * tall + k : t * rows + s);
    enum clump_status status =
        clump_buffer_constant(context, memory, count * clump_type_size(sum->type), buffer);
    free(memory);
    return status;
}

static enum clump_status copy_sides(clump_context *context, const struct sum *sum,
                                    const struct columns *columns, cl_mem sides)
{
    cl_kernel kernel;
    char options[64];
    union real fill;
    cl_long rows = (cl_long)sum->rows, cols = (cl_long)sum->cols, left = sum->left;
    cl_int boundary = (cl_int)sum->boundary;
    snprintf(options, sizeof options, "-DT=%s -DROWS=0", clump_type_opencl(sum->type));
    enum clump_status status =
        clump_kernel(context, "convolve/direct", options, "direct_sides", &kernel);
    if (status)
        return status;
    return clump_launch_rows(context, kernel, sum->rows + 1, (uint64_t)columns->width,
                             CLUMP_ARGS(CLUMP_ARG(sum->in), CLUMP_ARG(rows), CLUMP_ARG(cols),
                                        CLUMP_ARG(boundary),
                                        clump_real(sum->type, sum->fill, &fill), CLUMP_ARG(left),
                                        CLUMP_ARG(columns->right), CLUMP_ARG(columns->left_width),
                                        CLUMP_ARG(columns->width), CLUMP_ARG(sides)));
}

double clump_chain(enum clump_type type, double sum, double weight, double value)
{
    return type == CLUMP_F32 ? (double)fmaf((float)weight, (float)value, (float)sum)
                             : fma(weight, value, sum);
}

/* What rescaling needs: the sum of the weights where none is missing, as kernels sum it. */
static double total_of(const struct sum *sum, const struct weights *weights)
{
    double total = 0;
    for (size_t i = 0; sum->ignore && i < (size_t)weights->rows * weights->cols; i++)
        total = clump_chain(sum->type, total, weights->values[i], 1);
    return total;
}

static enum clump_status sum_coarse(clump_context *context, const struct sum *sum,
                                    const struct weights *weights)
{
    const struct layout *layout = &context->opencl->layout;
    struct columns columns;
    union real total;
    cl_mem sides = NULL, taps;
    cl_kernel kernel;
    char options[128];
    uint32_t n = clump_vector_elements(context, sum->type);
    bool tall = weights->rows >= 5 && !sum->ignore && layout->convolve_rows == 6;
    uint32_t rows = tall ? 6 : weights->rows >= 2 ? 3 : 1;
    bool wide = !sum->ignore && (rows == 3 || (rows == 6 && layout->vector >= 16));
    uint32_t half = layout->vector >= 16 ? n : n / 2;
    uint32_t span = rows == 1 ? (sum->ignore ? 4 * n : 12 * half) : wide ? 2 * n : n;

    snprintf(options, sizeof options, "-DT=%s -DN=%u -DHALF=%u -DROWS=%u -DWIDE=%d -DIGNORE=%d",
             clump_type_opencl(sum->type), n, half, rows, wide, sum->ignore);
    enum clump_status status = lay_out(context, sum, weights->cols, span, &columns);
    if (!status)
        status = upload(context, sum, weights, 0, &taps);
    if (!status)
        status = clump_kernel(context, "convolve/direct", options,
                              rows == 1 ? "direct_row" : "direct_block", &kernel);
    if (!status)
        status = clump_buffer_borrow(context,
                                     (size_t)(sum->rows + 1) * (size_t)columns.width *
                                         clump_type_size(sum->type),
                                     &sides);
    if (!status)
        status = copy_sides(context, sum, &columns, sides);
    if (status)
        goto out;

    uint64_t bands = (sum->out_rows + rows - 1) / rows;
    uint64_t share = bands * (uint64_t)columns.groups / (layout->workers * SHARES_PER_WORKER);
    uint64_t longest = sum->out_rows == 1 ? LONGEST_ROW_RUN : LONGEST_RUN;
    cl_int run = (cl_int)(share < 1 ? 1 : share < longest ? share : longest);
    size_t global[2] = {((size_t)columns.groups + (size_t)run - 1) / (size_t)run, (size_t)bands};
    size_t local[2] = {1, 1};
    cl_long in_rows = (cl_long)sum->rows, in_cols = (cl_long)sum->cols;
    cl_long out_rows = (cl_long)sum->out_rows, out_cols = (cl_long)sum->out_cols;
    cl_long up = sum->up, left = sum->left;
    cl_int kh = (cl_int)weights->rows, kw = (cl_int)weights->cols, boundary = (cl_int)sum->boundary;
    struct clump_arg total_arg = clump_real(sum->type, total_of(sum, weights), &total);
    if (rows == 1)
        status =
            clump_launch(context, kernel, 2, global, local,
                         CLUMP_ARGS(CLUMP_ARG_IN(sum), CLUMP_ARG(sides), CLUMP_ARG(taps),
                                    CLUMP_ARG_OUT(sum), CLUMP_ARG(in_cols), CLUMP_ARG(out_cols),
                                    CLUMP_ARG(kw), CLUMP_ARG(left), CLUMP_ARG(columns.left_groups),
                                    CLUMP_ARG(columns.inner_groups), CLUMP_ARG(columns.left_width),
                                    CLUMP_ARG(columns.width), CLUMP_ARG(columns.groups),
                                    CLUMP_ARG(run), total_arg));
    else
        status = clump_launch(context, kernel, 2, global, local,
                              CLUMP_ARGS(CLUMP_ARG_IN(sum), CLUMP_ARG(sides), CLUMP_ARG(taps),
                                         CLUMP_ARG_OUT(sum), CLUMP_ARG(in_rows), CLUMP_ARG(in_cols),
                                         CLUMP_ARG(out_rows), CLUMP_ARG(out_cols), CLUMP_ARG(kh),
                                         CLUMP_ARG(kw), CLUMP_ARG(up), CLUMP_ARG(left),
                                         CLUMP_ARG(boundary), CLUMP_ARG(columns.left_groups),
                                         CLUMP_ARG(columns.inner_groups),
                                         CLUMP_ARG(columns.left_width), CLUMP_ARG(columns.width),
                                         CLUMP_ARG(columns.groups), CLUMP_ARG(run), total_arg));
out:
    clump_buffer_return(context, &sides);
    return status;
}

static enum clump_status sum_fine(clump_context *context, const struct sum *sum,
                                  const struct weights *weights)
{
    union real fill, total;
    cl_mem taps;
    cl_kernel kernel;
    char options[128];
    uint32_t group = context->opencl->layout.group;
    bool line = sum->out_rows == 1;
    uint32_t tx = line || group < 16 ? group : 16, tall = line ? 1 : 4;
    /* where a row of weights is too long for a tile, rows are taken one by one */
    uint32_t cols = line || weights->cols > 32 ? 64 : weights->cols > 16 ? 32 : 16;
    uint32_t rows = cols == 64 ? 1 : cols == 32 ? 8 : 16;
    snprintf(options, sizeof options,
             "-DT=%s -DTX=%u -DTALL=%u -DCHUNK_ROWS=%u -DCHUNK_COLS=%u -DIGNORE=%d",
             clump_type_opencl(sum->type), tx, tall, rows, cols, sum->ignore);
    enum clump_status status = upload(context, sum, weights, tall, &taps);
    if (!status)
        status = clump_kernel(context, "convolve/direct", options, "direct_tile", &kernel);
    if (status)
        return status;

    size_t ty = group / tx, high = ty * tall, local[2] = {tx, ty};
    size_t global[2] = {((size_t)sum->out_cols + tx - 1) / tx * tx,
                        ((size_t)sum->out_rows + high - 1) / high * ty};
    cl_long in_rows = (cl_long)sum->rows, in_cols = (cl_long)sum->cols;
    cl_long out_rows = (cl_long)sum->out_rows, out_cols = (cl_long)sum->out_cols;
    cl_long up = sum->up, left = sum->left;
    cl_int kh = (cl_int)weights->rows, kw = (cl_int)weights->cols, boundary = (cl_int)sum->boundary;
    return clump_launch(context, kernel, 2, global, local,
                        CLUMP_ARGS(CLUMP_ARG_IN(sum), CLUMP_ARG(taps), CLUMP_ARG_OUT(sum),
                                   CLUMP_ARG(in_rows), CLUMP_ARG(in_cols), CLUMP_ARG(out_rows),
                                   CLUMP_ARG(out_cols), CLUMP_ARG(kh), CLUMP_ARG(kw), CLUMP_ARG(up),
                                   CLUMP_ARG(left), CLUMP_ARG(boundary),
                                   clump_real(sum->type, sum->fill, &fill),
                                   clump_real(sum->type, total_of(sum, weights), &total)));
}

enum clump_status clump_direct_sum(clump_context *context, const struct sum *sum,
                                   const struct weights *weights)
{
    return context->opencl->layout.coarse ? sum_coarse(context, sum, weights)
                                          : sum_fine(context, sum, weights);
}
