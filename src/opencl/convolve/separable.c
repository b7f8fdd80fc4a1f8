/* SPDX-License-Identifier: MIT */
/*
 * Sums by outer products: down the columns and along the rows in one launch, with the lines between
 * in local memory; in two launches, with the same bits, where local memory has no room for them.
 */
#include "opencl/convolve/convolve.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define LINE_BYTES (128 * 1024) /* of lines on a CPU: half of a common second-level cache */
#define LANE_STRIP 4            /* columns of a strip per work-item of a fine device */

/* How one launch is cut up. */
struct cut {
    uint32_t rows, lines; /* output rows per work-group; its lines of local memory */
    uint32_t n, half;     /* N and HALF: vectors of the sums down columns, and along lines */
    struct separable_strip strip;
    size_t bytes; /* of local memory */
};

static size_t up_to(size_t n, size_t step) { return (n + step - 1) / step * step; }

/* Chooses the widest strip whose lines fit into local memory; false where none fits. */
static bool cut_up(clump_context *context, const struct convolve_task *task,
                   const struct outer_products *products, struct cut *cut)
{
    const struct layout *layout = &context->opencl->layout;
    size_t size = clump_convolve_bytes(task->type), room = context->device.local_memory;
    uint32_t lanes = layout->coarse ? 1 : layout->group;
    /* On fine devices 6 rows would take more registers than a full unit has per work-item. */
    bool tall =
        layout->coarse && products->rows >= 6 && !task->ignore && layout->convolve_rows == 6;
    cut->rows = tall ? 6 : products->rows > 1 ? 3 : 1;
    cut->lines = cut->rows * (task->ignore ? 2 : 1);
    cut->n = layout->coarse ? clump_convolve_vector(context, task->type) : 1;
    cut->half = !layout->coarse ? 1 : layout->vector >= 16 ? cut->n : cut->n / 2;
    if (layout->coarse && room > LINE_BYTES)
        room = LINE_BYTES;

    size_t step = (size_t)2 * cut->half * lanes, least = (size_t)2 * cut->half;
    size_t per_column = (size_t)cut->lines * products->rank * size;
    size_t margin = (size_t)products->cols + 32; /* taps, and what rounding a line up adds */
    if (room / per_column < margin + step)
        room = context->device.local_memory;
    if (room / per_column < margin + step)
        step = least; /* some lanes rest */
    if (room / per_column < margin + step)
        return false;
    size_t widest = (room / per_column - margin) / step * step;
    if (!layout->coarse && widest > (size_t)LANE_STRIP * lanes)
        widest = up_to((size_t)LANE_STRIP * lanes, step);
    size_t strips = (task->out_cols + widest - 1) / widest;
    size_t width = up_to((task->out_cols + strips - 1) / strips, step);
    size_t length = up_to(width + products->cols - 1, 16);
    length += length % 256 ? 0 : 16; /* so that lines begin in different sets of the cache */
    cut->strip = (struct separable_strip){.rank = (int32_t)products->rank,
                                          .width = (int32_t)width,
                                          .length = (int32_t)length};
    cut->bytes = length * per_column;
    return true;
}

/*
 * Weights for separable_fused: for each product, per input row one weight for each of cut->rows
 * sums (down), then the weights along; then a vector of fill values; at the end `direct`, if it is
 * not NULL.
 */
static enum clump_status upload(clump_context *context, const struct convolve_task *task,
                                const struct outer_products *products,
                                const struct convolve_weights *direct, const struct cut *cut,
                                cl_mem *buffer)
{
    size_t each = (size_t)products->rows * cut->rows + products->cols, at = 0;
    size_t count = direct ? (size_t)direct->rows * direct->cols : 0;
    size_t bytes = (each * products->rank + cut->n + count) * clump_convolve_bytes(task->type);
    void *memory = NULL;
    enum clump_status status = clump_convolve_allocate(context, bytes, 1, &memory);
    if (status)
        return status;
    for (uint32_t q = 0; q < products->rank; q++) {
        const double *down = products->down + (size_t)q * products->rows;
        for (uint32_t i = 0; i < products->rows; i++)
            for (uint32_t k = 0; k < cut->rows; k++) /* of row i in sum k */
                clump_convolve_put(task->type, &down[(i + products->rows - k) % products->rows], 1,
                                   memory, at++);
        clump_convolve_put(task->type, products->along + (size_t)q * products->cols, products->cols,
                           memory, at);
        at += products->cols;
    }
    for (uint32_t i = 0; i < cut->n; i++)
        clump_convolve_put(task->type, &task->fill, 1, memory, at++);
    if (direct)
        clump_convolve_put(task->type, direct->values, count, memory, at);
    status = clump_buffer_constant(context, memory, bytes, buffer);
    free(memory);
    return status;
}

/* The sum down a column whose pixels all have one value, as kernels make it. */
static double down_of(const struct convolve_task *task, const struct outer_products *products,
                      uint32_t q, double value)
{
    double made = 0;
    for (uint32_t i = 0; i < products->rows; i++)
        made = clump_convolve_fma(task->type, made, products->down[(size_t)q * products->rows + i],
                                  value);
    return made;
}

/* The sum of all weights as kernels make it, by which results are rescaled where blank pixels are
 * left out; else 0. */
static double total_of(const struct convolve_task *task, const struct outer_products *products)
{
    double total = 0;
    for (uint32_t q = 0; task->ignore && q < products->rank; q++) {
        double down = down_of(task, products, q, 1);
        for (uint32_t t = 0; t < products->cols; t++)
            total = clump_convolve_fma(task->type, total,
                                       products->along[(size_t)q * products->cols + t], down);
    }
    return total;
}

/* The same as direct sums make it. */
static double direct_total_of(const struct convolve_task *task,
                              const struct convolve_weights *direct)
{
    return direct && task->ignore ? clump_convolve_total(task, direct) : 0;
}

static enum clump_status sum_fused(clump_context *context, const struct convolve_task *task,
                                   const struct outer_products *products,
                                   const struct convolve_weights *direct, const struct cut *cut)
{
    union convolve_real fill, total, direct_total;
    struct convolve_frame frame = clump_convolve_frame(task, products->rows, products->cols);
    cl_mem taps;
    cl_kernel kernel;
    char options[128];
    size_t lanes = context->opencl->layout.coarse ? 1 : context->opencl->layout.group;
    snprintf(options, sizeof options, "-DT=%s -DN=%u -DHALF=%u -DROWS=%u -DIGNORE=%d -DLEVEL=%d",
             clump_type_opencl(task->type), cut->n, cut->half, cut->rows, task->ignore,
             task->level);
    enum clump_status status =
        clump_kernel(context, "convolve/separable", options, "separable_fused", &kernel);
    if (!status)
        status = upload(context, task, products, direct, cut, &taps);
    if (status)
        return status;
    size_t width = (size_t)cut->strip.width, strips = (task->out_cols + width - 1) / width;
    size_t global[2] = {strips * lanes, (task->out_rows + cut->rows - 1) / cut->rows};
    size_t local[2] = {lanes, 1};
    double products_each = (double)products->rank * (products->rows + products->cols) *
                           (double)(cut->rows * width) / (double)lanes;
    return clump_launch_parts(
        context, kernel, 2, global, local, products_each,
        CLUMP_ARGS(CLUMP_ARG_IN(task), CLUMP_ARG(taps), CLUMP_ARG_OUT(task),
                   CLUMP_ARG_LOCAL(cut->bytes), CLUMP_ARG(frame), CLUMP_ARG(cut->strip),
                   clump_convolve_real(task->type, task->fill, &fill),
                   clump_convolve_real(task->type, total_of(task, products), &total),
                   clump_convolve_real(task->type, direct_total_of(task, direct), &direct_total)));
}

/*
 * Weights for two launches: for each product those down, then those along; then, for each product,
 * the sum down a column of fill values and the sum of its weights that are present; at the end
 * `direct`, if it is not NULL.
 */
static enum clump_status upload_plain(clump_context *context, const struct convolve_task *task,
                                      const struct outer_products *products,
                                      const struct convolve_weights *direct, cl_mem *buffer)
{
    size_t each = (size_t)products->rows + products->cols, at = 0,
           size = clump_convolve_bytes(task->type);
    size_t count = direct ? (size_t)direct->rows * direct->cols : 0;
    size_t bytes = ((each + 2) * products->rank + count) * size;
    bool blank = task->ignore && isnan(task->fill);
    void *memory = NULL;
    enum clump_status status = clump_convolve_allocate(context, bytes, 1, &memory);
    if (status)
        return status;
    for (uint32_t q = 0; q < products->rank; q++, at += each) {
        clump_convolve_put(task->type, products->down + (size_t)q * products->rows, products->rows,
                           memory, at);
        clump_convolve_put(task->type, products->along + (size_t)q * products->cols, products->cols,
                           memory, at + products->rows);
    }
    for (uint32_t q = 0; q < products->rank; q++, at += 2) {
        double value = blank ? 0 : task->fill;
        double edges[2] = {task->level ? value : down_of(task, products, q, value),
                           down_of(task, products, q, !blank)};
        clump_convolve_put(task->type, edges, 2, memory, at);
    }
    if (direct)
        clump_convolve_put(task->type, direct->values, count, memory, at);
    status = clump_buffer_constant(context, memory, bytes, buffer);
    free(memory);
    return status;
}

static enum clump_status sum_twice(clump_context *context, const struct convolve_task *task,
                                   const struct outer_products *products,
                                   const struct convolve_weights *direct)
{
    cl_mem between = NULL, taps;
    cl_kernel down, along;
    char options[128];
    union convolve_real fill, total, direct_total;
    struct convolve_frame frame = clump_convolve_frame(task, products->rows, products->cols);
    struct separable_strip strip = {.rank = (int32_t)products->rank};
    size_t planes = (size_t)products->rank * (task->ignore ? 2 : 1);
    size_t bytes =
        planes * (size_t)(task->out_rows * task->cols) * clump_convolve_bytes(task->type);
    snprintf(options, sizeof options, "-DT=%s -DROWS=1 -DIGNORE=%d -DLEVEL=%d -DPLAIN=1",
             clump_type_opencl(task->type), task->ignore, task->level);
    enum clump_status status = clump_buffer_borrow(context, bytes, &between);
    if (!status)
        status = upload_plain(context, task, products, direct, &taps);
    if (!status)
        status = clump_kernel(context, "convolve/separable", options, "separable_down", &down);
    if (!status)
        status = clump_kernel(context, "convolve/separable", options, "separable_along", &along);
    if (!status)
        status = clump_launch_heavy_rows(
            context, down, task->out_rows, task->cols, (double)products->rank * products->rows,
            CLUMP_ARGS(CLUMP_ARG_IN(task), CLUMP_ARG(taps), CLUMP_ARG(between), CLUMP_ARG(frame),
                       CLUMP_ARG(strip), clump_convolve_real(task->type, task->fill, &fill)));
    if (!status)
        status = clump_launch_heavy_rows(
            context, along, task->out_rows, task->out_cols, (double)products->rank * products->cols,
            CLUMP_ARGS(CLUMP_ARG(between), CLUMP_ARG(taps), CLUMP_ARG_OUT(task), CLUMP_ARG(frame),
                       CLUMP_ARG(strip),
                       clump_convolve_real(task->type, total_of(task, products), &total),
                       CLUMP_ARG_IN(task), clump_convolve_real(task->type, task->fill, &fill),
                       clump_convolve_real(task->type, direct_total_of(task, direct),
                                           &direct_total)));
    clump_buffer_return(context, &between);
    return status;
}

enum clump_status clump_separable_sum(clump_context *context, const struct convolve_task *task,
                                      const struct outer_products *products,
                                      const struct convolve_weights *direct)
{
    struct cut cut;
    return cut_up(context, task, products, &cut) ? sum_fused(context, task, products, direct, &cut)
                                                 : sum_twice(context, task, products, direct);
}
