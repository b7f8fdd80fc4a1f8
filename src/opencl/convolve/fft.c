/* SPDX-License-Identifier: MIT */
/*
 * Sums by Fourier transforms of tiles (overlap-save), which VkFFT carries out.
 *
 * The bound that decides whether a transform is exact enough,
 *     |error| <= FFT_ROUNDING * log2(n) * eps * sum |w| * max |x|
 * for n points per tile, with max |x| over a tile and the one that is transformed with it, is
 * empirical. Its form is that of the known bounds for transforms with exact sines: the
 * root-mean-square error grows with log2(n) times eps. That the largest error of all points stays
 * below FFT_ROUNDING times that was measured (docs/convolution.md, "Error"), not proved. Transforms
 * are used only where this is within the bound of direct sums,
 *     (weights + 4) * eps * sum |w| * max |x|.
 */
#include "opencl/convolve/convolve.h"
#include "opencl/convolve/transform.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define FFT_ROUNDING 4
#define LEAST_SIDE   64
#define MOST_SIDE    4096    /* of a tile */
#define MOST_LINE    1048576 /* of a tile of one row */
#define TILE_KERNELS 6       /* a tile is at least this many kernels wide, where the image is */

/* A transform of one size, kept in the context. */
struct fft {
    struct fft *next;
    enum clump_type type;
    uint32_t high, wide;
    uint64_t bytes;              /* of its complex points */
    struct transform *transform; /* NULL: VkFFT refused it */
};

void clump_fft_release(struct opencl *opencl)
{
    while (opencl->ffts) {
        struct fft *fft = opencl->ffts;
        opencl->ffts = fft->next;
        clump_transform_destroy(&fft->transform);
        free(fft);
    }
}

/* Points of a tile along one axis, a power of two, for `out` results and k weights. */
static uint32_t side(uint64_t out, uint32_t k, uint32_t most)
{
    uint64_t whole = out + k - 1, side = LEAST_SIDE;
    while (side < most && side < whole && side < (uint64_t)TILE_KERNELS * k)
        side *= 2;
    return (uint32_t)side;
}

/* Tiles are square, so that few sizes have to be built. */
struct fft_size clump_fft_size(const struct convolve_task *task,
                               const struct convolve_weights *weights)
{
    if (task->out_rows == 1 && weights->rows == 1)
        return (struct fft_size){1, side(task->out_cols, weights->cols, MOST_LINE)};
    uint32_t high = side(task->out_rows, weights->rows, MOST_SIDE);
    uint32_t wide = side(task->out_cols, weights->cols, MOST_SIDE);
    uint32_t larger = high > wide ? high : wide;
    return (struct fft_size){larger, larger};
}

double clump_fft_error(const struct convolve_task *task, const struct convolve_weights *weights)
{
    struct fft_size size = clump_fft_size(task, weights);
    double points = (double)size.high * size.wide, taps = (double)weights->rows * weights->cols;
    if (size.high < weights->rows || size.wide < weights->cols)
        return INFINITY;
    return FFT_ROUNDING * log2(points) / (taps + 4);
}

/* The transform of a size, built on first use; NULL where there is no memory. */
static struct fft *find(clump_context *context, enum clump_type type, struct fft_size size)
{
    struct opencl *opencl = context->opencl;
    for (struct fft *known = opencl->ffts; known; known = known->next)
        if (known->type == type && known->high == size.high && known->wide == size.wide)
            return known;
    struct fft *fft = calloc(1, sizeof *fft);
    if (!fft)
        return NULL;
    fft->type = type;
    fft->high = size.high;
    fft->wide = size.wide;
    fft->bytes = (uint64_t)size.high * size.wide * 2 * clump_convolve_bytes(type);
    fft->next = opencl->ffts;
    opencl->ffts = fft;
    int error;
    double start = clump_now_ms();
    fft->transform = clump_transform_create(opencl->device, opencl->context, size.high, size.wide,
                                            type == CLUMP_F64, &error);
    context->profile.compile_ms += clump_now_ms() - start;
    if (!fft->transform && error == TRANSFORM_MISSING)
        clump_say(&context->log, CLUMP_LOG_WARNING,
                  "convolve: Clump was built without VkFFT: another method is used");
    else if (!fft->transform)
        clump_say(&context->log, CLUMP_LOG_WARNING,
                  "convolve: VkFFT cannot transform %u x %u points of %s on %s (its error %d): "
                  "another method is used",
                  size.high, size.wide, clump_type_text(type), context->device.name, error);
    return fft;
}

/* What the steps of one convolution share. */
struct job {
    clump_context *context;
    const struct convolve_task *task;
    const struct convolve_weights *weights;
    struct fft *fft;
    char options[64];
    cl_mem z;        /* the points of two tiles, as real and imaginary parts */
    cl_mem spectrum; /* the transform of the weights */
    cl_mem counts;   /* of pixels that are not finite, in either tile */
    cl_mem flags;    /* whether either tile has such pixels */
    cl_mem taps;     /* the weights */
    struct convolve_frame frame;
    struct fft_tiles tiles;
    union convolve_real fill, total, scale;
};

/* `work`: products of a work-item. */
static enum clump_status step(struct job *job, const char *name, uint64_t rows, uint64_t cols,
                              double work, const struct clump_arg *args, unsigned count)
{
    cl_kernel kernel;
    enum clump_status status =
        clump_kernel(job->context, "convolve/fft", job->options, name, &kernel);
    return status ? status
                  : clump_launch_heavy_rows(job->context, kernel, rows, cols, work, args, count);
}

static enum clump_status transform(struct job *job, cl_mem buffer, bool back)
{
    int error = clump_transform_run(job->fft->transform, job->context->opencl->queue, buffer, back);
    if (error)
        return clump_fail(&job->context->log, CLUMP_ERROR_OPENCL,
                          "convolve: VkFFT failed on %s (its error %d)", job->context->device.name,
                          error);
    return CLUMP_OK;
}

static enum clump_status transform_weights(struct job *job)
{
    const struct convolve_weights *weights = job->weights;
    enum clump_type type = job->task->type;
    size_t count = (size_t)weights->rows * weights->cols, size = clump_convolve_bytes(type);
    void *memory = NULL;
    enum clump_status status = clump_convolve_allocate(job->context, count, size, &memory);
    if (status)
        return status;
    clump_convolve_put(type, weights->values, count, memory, 0);
    status = clump_buffer_constant(job->context, memory, count * size, &job->taps);
    free(memory);
    if (!status)
        status = step(job, "fft_weights", job->fft->high, job->fft->wide, 1,
                      CLUMP_ARGS(CLUMP_ARG(job->taps), CLUMP_ARG(job->spectrum),
                                 CLUMP_ARG(job->frame), CLUMP_ARG(job->tiles)));
    return status ? status : transform(job, job->spectrum, false);
}

static enum clump_status gather(struct job *job)
{
    struct clump_arg fill = {clump_convolve_bytes(job->task->type), &job->fill, 0};
    enum clump_status status = clump_buffer_fill(job->context, job->flags, 0, 8);
    if (!status)
        status = step(job, "fft_gather", job->fft->high, job->fft->wide, 1,
                      CLUMP_ARGS(CLUMP_ARG_IN(job->task), CLUMP_ARG(job->z), CLUMP_ARG(job->flags),
                                 CLUMP_ARG(job->frame), CLUMP_ARG(job->tiles), fill));
    if (!status)
        status =
            step(job, "fft_along", 2, job->fft->high, 1,
                 CLUMP_ARGS(CLUMP_ARG_IN(job->task), CLUMP_ARG(job->flags), CLUMP_ARG(job->counts),
                            CLUMP_ARG(job->frame), CLUMP_ARG(job->tiles), fill));
    if (!status)
        status =
            step(job, "fft_down", 2, job->fft->wide, 1,
                 CLUMP_ARGS(CLUMP_ARG(job->flags), CLUMP_ARG(job->counts), CLUMP_ARG(job->tiles)));
    return status;
}

static enum clump_status multiply(struct job *job)
{
    cl_kernel kernel;
    cl_long count = (cl_long)job->fft->high * job->fft->wide;
    enum clump_status status =
        clump_kernel(job->context, "convolve/fft", job->options, "fft_multiply", &kernel);
    return status ? status
                  : clump_launch_flat(job->context, kernel, (uint64_t)count,
                                      CLUMP_ARGS(CLUMP_ARG(job->z), CLUMP_ARG(job->spectrum),
                                                 CLUMP_ARG(count)));
}

/* Results of a tile along either axis: points less the weights that reach beyond them. */
static uint64_t results_down(const struct job *job)
{
    return (uint64_t)(job->tiles.high - job->frame.kh + 1);
}

static uint64_t results_across(const struct job *job)
{
    return (uint64_t)(job->tiles.wide - job->frame.kw + 1);
}

static enum clump_status scatter(struct job *job)
{
    size_t size = clump_convolve_bytes(job->task->type);
    struct clump_arg fill = {size, &job->fill, 0}, scale = {size, &job->scale, 0};
    struct clump_arg total = {size, &job->total, 0};
    /* Every result may have a pixel that is not finite, and be summed directly. */
    return step(job, "fft_scatter", 2 * results_down(job), results_across(job),
                (double)job->frame.kh * job->frame.kw,
                CLUMP_ARGS(CLUMP_ARG(job->z), CLUMP_ARG(job->task->in), CLUMP_ARG(job->taps),
                           CLUMP_ARG(job->flags), CLUMP_ARG(job->counts), CLUMP_ARG_OUT(job->task),
                           CLUMP_ARG(job->frame), CLUMP_ARG(job->tiles), fill, scale, total));
}

/* Convolves two tiles, from number `tile` on; the second may be one too many, and lies outside the
 * result then. */
static enum clump_status do_pair(struct job *job, uint64_t tile, uint64_t across)
{
    uint64_t high = results_down(job), wide = results_across(job);
    job->tiles.row_0 = (int64_t)(tile / across * high);
    job->tiles.col_0 = (int64_t)(tile % across * wide);
    job->tiles.row_1 = (int64_t)((tile + 1) / across * high);
    job->tiles.col_1 = (int64_t)((tile + 1) % across * wide);
    enum clump_status status = gather(job);
    if (!status)
        status = transform(job, job->z, false);
    if (!status)
        status = multiply(job);
    if (!status)
        status = transform(job, job->z, true);
    return status ? status : scatter(job);
}

static enum clump_status do_all(struct job *job)
{
    uint64_t across = (job->task->out_cols + results_across(job) - 1) / results_across(job);
    uint64_t down = (job->task->out_rows + results_down(job) - 1) / results_down(job);
    enum clump_status status = transform_weights(job);
    for (uint64_t tile = 0; !status && tile < across * down; tile += 2)
        status = do_pair(job, tile, across);
    return status;
}

enum clump_status clump_fft_sum(clump_context *context, const struct convolve_task *task,
                                const struct convolve_weights *weights, bool *done)
{
    struct job job = {.context = context, .task = task, .weights = weights};
    *done = false;
    job.fft = find(context, task->type, clump_fft_size(task, weights));
    if (!job.fft)
        return clump_fail(&context->log, CLUMP_ERROR_MEMORY, "convolve: cannot allocate %zu bytes",
                          sizeof *job.fft);
    if (!job.fft->transform)
        return CLUMP_OK;
    size_t points = (size_t)job.fft->high * job.fft->wide;
    job.frame = clump_convolve_frame(task, weights->rows, weights->cols);
    job.tiles.high = (int32_t)job.fft->high;
    job.tiles.wide = (int32_t)job.fft->wide;
    clump_convolve_real(task->type, task->fill, &job.fill);
    clump_convolve_real(task->type, clump_convolve_total(task, weights), &job.total);
    clump_convolve_real(task->type, 1.0 / (double)points, &job.scale);
    snprintf(job.options, sizeof job.options, "-DT=%s -DROWS=0 -DIGNORE=%d",
             clump_type_opencl(task->type), task->ignore);
    enum clump_status status = clump_buffer_borrow(context, job.fft->bytes, &job.z);
    if (!status)
        status = clump_buffer_borrow(context, job.fft->bytes, &job.spectrum);
    if (!status)
        status = clump_buffer_borrow(context, points * 2 * sizeof(cl_uint2), &job.counts);
    if (!status)
        status = clump_buffer_borrow(context, 8, &job.flags);
    if (!status)
        status = do_all(&job);
    clump_buffer_return(context, &job.flags);
    clump_buffer_return(context, &job.counts);
    clump_buffer_return(context, &job.spectrum);
    clump_buffer_return(context, &job.z);
    *done = true;
    return status;
}
