/* SPDX-License-Identifier: MIT */
/*
 * Direct sums. On coarse devices the pixels of the interior are read from the image, and those of
 * the border's columns from an extended copy; on fine devices tiles of both are in local memory.
 */
#include "opencl/convolve/convolve.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define SHARES_PER_WORKER 16  /* pieces of work, so that no unit is left waiting */
#define LONGEST_RUN       16  /* groups of columns per work-item: more cost balance, gain nothing */
#define LONGEST_ROW_RUN   256 /* the same for a result of one row */

/* Divides the output columns into groups of `span`, and these into left, inner and right ones. */
static enum clump_status divide_columns(clump_context *context, const struct convolve_task *task,
                                        uint32_t kw, uint32_t span, struct direct_groups *groups)
{
    int64_t all = ((int64_t)task->out_cols + span - 1) / span;
    int64_t left = task->left < 0 ? (-task->left + span - 1) / span : 0;
    int64_t inner = ((int64_t)task->cols - task->left - kw + 1) / span - left;
    if ((int64_t)task->cols - task->left - kw + 1 < 0 || inner <= 0)
        left = inner = 0;
    if (inner > all - left)
        inner = all - left;
    int64_t right = all - left - inner;
    int64_t left_width = left ? left * span + kw - 1 : 0;
    int64_t width = left_width + (right ? right * span + kw - 1 : 0);
    if (width < span + (int64_t)kw - 1)
        width = span + (int64_t)kw - 1; /* the last row of sides has fill values for one group */
    if (width > INT32_MAX || all > INT32_MAX)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "convolve: the border extends %" PRId64 " columns, in %" PRId64
                          " groups; at most %d of either are possible",
                          width, all, INT32_MAX);
    *groups = (struct direct_groups){.right = task->left + (left + inner) * span,
                                     .left_width = (int32_t)left_width,
                                     .width = (int32_t)width,
                                     .left = (int32_t)left,
                                     .inner = (int32_t)inner,
                                     .all = (int32_t)all};
    return CLUMP_OK;
}

/*
 * Weights in the pixels' type. With `tall` 0 they lie column after column. With `tall` 1 and more
 * there are `tall` weights for every input row and column, one for each of `tall` results below
 * each other, 0 where that result has no weight for the row.
 */
static enum clump_status upload(clump_context *context, const struct convolve_task *task,
                                const struct convolve_weights *weights, uint32_t tall,
                                cl_mem *buffer)
{
    size_t rows = weights->rows, cols = weights->cols, each = tall ? tall : 1;
    size_t count = (tall ? rows + tall - 1 : rows) * cols * each;
    size_t size = clump_convolve_bytes(task->type);
    void *memory = NULL;
    enum clump_status status = clump_convolve_allocate(context, count, size, &memory);
    if (status)
        return status;
    for (size_t s = 0; s < rows; s++)
        for (size_t t = 0; t < cols; t++)
            for (size_t k = 0; k < each; k++)
                clump_convolve_put(task->type, &weights->values[s * cols + t], 1, memory,
                                   tall ? ((s + k) * cols + t) * tall + k : t * rows + s);
    status = clump_buffer_constant(context, memory, count * size, buffer);
    free(memory);
    return status;
}

static enum clump_status copy_sides(clump_context *context, const struct convolve_task *task,
                                    const struct convolve_frame *frame,
                                    const struct direct_groups *groups, cl_mem sides)
{
    cl_kernel kernel;
    char options[64];
    union convolve_real fill;
    snprintf(options, sizeof options, "-DT=%s -DROWS=0", clump_type_opencl(task->type));
    enum clump_status status =
        clump_kernel(context, "convolve/direct", options, "direct_sides", &kernel);
    if (status)
        return status;
    return clump_launch_rows(context, kernel, task->rows + 1, (uint64_t)groups->width,
                             CLUMP_ARGS(CLUMP_ARG(task->in), CLUMP_ARG(sides), CLUMP_ARG(*frame),
                                        CLUMP_ARG(*groups),
                                        clump_convolve_real(task->type, task->fill, &fill)));
}

/* What a coarse kernel is built for. */
struct block {
    uint32_t rows;    /* of results per work-item */
    uint32_t n, half; /* elements of vectors */
    uint32_t span;    /* output columns that are summed at once */
    bool wide;        /* two vectors side by side */
};

static struct block choose_block(const clump_context *context, const struct convolve_task *task,
                                 const struct convolve_weights *weights)
{
    const struct layout *layout = &context->opencl->layout;
    bool tall = weights->rows >= 5 && !task->ignore && layout->convolve_rows == 6;
    struct block block = {.rows = tall                 ? 6
                                  : weights->rows >= 2 ? 3
                                                       : 1,
                          .n = clump_convolve_vector(context, task->type)};
    block.half = layout->vector >= 16 ? block.n : block.n / 2;
    block.wide = !task->ignore && (block.rows == 3 || (block.rows == 6 && layout->vector >= 16));
    if (block.rows == 1)
        block.span = task->ignore ? 4 * block.n : 12 * block.half;
    else
        block.span = block.wide ? 2 * block.n : block.n;
    return block;
}

static enum clump_status launch_coarse(clump_context *context, const struct convolve_task *task,
                                       cl_kernel kernel, const struct block *block,
                                       const struct convolve_frame *frame,
                                       struct direct_groups *groups, cl_mem sides, cl_mem taps,
                                       double total)
{
    uint64_t bands = (task->out_rows + block->rows - 1) / block->rows;
    uint64_t share =
        bands * (uint64_t)groups->all / (context->opencl->layout.workers * SHARES_PER_WORKER);
    uint64_t longest = task->out_rows == 1 ? LONGEST_ROW_RUN : LONGEST_RUN;
    uint64_t run = share < 1 ? 1 : share < longest ? share : longest;
    size_t global[2] = {(size_t)(((uint64_t)groups->all + run - 1) / run), (size_t)bands};
    size_t local[2] = {1, 1};
    union convolve_real real;
    groups->run = (int32_t)run;
    return clump_launch_parts(context, kernel, 2, global, local, 1,
                              CLUMP_ARGS(CLUMP_ARG_IN(task), CLUMP_ARG(sides), CLUMP_ARG(taps),
                                         CLUMP_ARG_OUT(task), CLUMP_ARG(*frame), CLUMP_ARG(*groups),
                                         clump_convolve_real(task->type, total, &real)));
}

static enum clump_status sum_coarse(clump_context *context, const struct convolve_task *task,
                                    const struct convolve_weights *weights)
{
    struct block block = choose_block(context, task, weights);
    struct convolve_frame frame = clump_convolve_frame(task, weights->rows, weights->cols);
    struct direct_groups groups;
    cl_mem sides = NULL, taps;
    cl_kernel kernel;
    char options[128];
    snprintf(options, sizeof options, "-DT=%s -DN=%u -DHALF=%u -DROWS=%u -DWIDE=%d -DIGNORE=%d",
             clump_type_opencl(task->type), block.n, block.half, block.rows, block.wide,
             task->ignore);
    enum clump_status status = divide_columns(context, task, weights->cols, block.span, &groups);
    if (!status)
        status = upload(context, task, weights, 0, &taps);
    if (!status)
        status = clump_kernel(context, "convolve/direct", options,
                              block.rows == 1 ? "direct_row" : "direct_block", &kernel);
    if (!status)
        status = clump_buffer_borrow(context,
                                     (size_t)(task->rows + 1) * (size_t)groups.width *
                                         clump_convolve_bytes(task->type),
                                     &sides);
    if (!status)
        status = copy_sides(context, task, &frame, &groups, sides);
    if (!status)
        status = launch_coarse(context, task, kernel, &block, &frame, &groups, sides, taps,
                               clump_convolve_total(task, weights));
    clump_buffer_return(context, &sides);
    return status;
}

static enum clump_status sum_fine(clump_context *context, const struct convolve_task *task,
                                  const struct convolve_weights *weights)
{
    union convolve_real fill, total;
    struct convolve_frame frame = clump_convolve_frame(task, weights->rows, weights->cols);
    cl_mem taps;
    cl_kernel kernel;
    char options[128];
    uint32_t group = context->opencl->layout.group;
    bool line = task->out_rows == 1;
    uint32_t tx = line || group < 16 ? group : 16, tall = line ? 1 : 4;
    /* Where a row of weights is too long for a tile, a tile has one row of pixels. */
    uint32_t cols = line || weights->cols > 32 ? 64 : weights->cols > 16 ? 32 : 16;
    uint32_t rows = cols == 64 ? 1 : cols == 32 ? 8 : 16;
    snprintf(options, sizeof options,
             "-DT=%s -DTX=%u -DTALL=%u -DCHUNK_ROWS=%u -DCHUNK_COLS=%u -DIGNORE=%d",
             clump_type_opencl(task->type), tx, tall, rows, cols, task->ignore);
    enum clump_status status = upload(context, task, weights, tall, &taps);
    if (!status)
        status = clump_kernel(context, "convolve/direct", options, "direct_tile", &kernel);
    if (status)
        return status;

    size_t ty = group / tx, high = ty * tall, local[2] = {tx, ty};
    size_t global[2] = {((size_t)task->out_cols + tx - 1) / tx * tx,
                        ((size_t)task->out_rows + high - 1) / high * ty};
    return clump_launch_parts(
        context, kernel, 2, global, local, (double)weights->rows * weights->cols * tall,
        CLUMP_ARGS(CLUMP_ARG_IN(task), CLUMP_ARG(taps), CLUMP_ARG_OUT(task), CLUMP_ARG(frame),
                   clump_convolve_real(task->type, task->fill, &fill),
                   clump_convolve_real(task->type, clump_convolve_total(task, weights), &total)));
}

enum clump_status clump_direct_sum(clump_context *context, const struct convolve_task *task,
                                   const struct convolve_weights *weights)
{
    return context->opencl->layout.coarse ? sum_coarse(context, task, weights)
                                          : sum_fine(context, task, weights);
}
