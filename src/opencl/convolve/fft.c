/* SPDX-License-Identifier: MIT */
/*
 * Sums by Fourier transforms, tile by tile (VkFFT, overlap-save).
 *
 * Rounding spreads evenly over the points of a transform, a few eps of their root-mean-square for
 * each doubling of their number n; so
 *     |error| <= FFT_ROUNDING * log2(n) * eps * sum |w| * max |x|
 * with max |x| over a tile and the one that is transformed with it. That is exact enough where it
 * is within what direct sums may err by, (weights + 4) * eps * sum |w| * max |x|.
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
#define TILE_KERNELS 6       /* a tile is this many kernels wide, before it is made a power of 2 */

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

static uint32_t side(uint64_t out, uint32_t k, uint32_t most)
{
    uint64_t whole = out + k - 1, side = LEAST_SIDE;
    while (side < most && side < whole && side < (uint64_t)TILE_KERNELS * k)
        side *= 2;
    return (uint32_t)side;
}

/* Square, so that few sizes have to be built. */
struct fft_size clump_fft_size(const struct sum *sum, const struct weights *weights)
{
    if (sum->out_rows == 1 && weights->rows == 1)
        return (struct fft_size){1, side(sum->out_cols, weights->cols, MOST_LINE)};
    uint32_t high = side(sum->out_rows, weights->rows, MOST_SIDE);
    uint32_t wide = side(sum->out_cols, weights->cols, MOST_SIDE);
    uint32_t larger = high > wide ? high : wide;
    return (struct fft_size){larger, larger};
}

double clump_fft_error(const struct sum *sum, const struct weights *weights)
{
    struct fft_size size = clump_fft_size(sum, weights);
    double points = (double)size.high * size.wide, taps = (double)weights->rows * weights->cols;
    if (size.high < weights->rows || size.wide < weights->cols)
        return INFINITY;
    return FFT_ROUNDING * log2(points) / (taps + 4);
}

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
    fft->bytes = (uint64_t)size.high * size.wide * 2 * clump_type_size(type);
    fft->next = opencl->ffts;
    opencl->ffts = fft;
    int error;
    double start = clump_now_ms();
    fft->transform = clump_transform_create(opencl->device, opencl->context, size.high, size.wide,
                                            type == CLUMP_F64, &error);
    context->profile.compile_ms += clump_now_ms() - start;
    if (!fft->transform && error == TRANSFORM_MISSING)
        clump_say(&context->log, CLUMP_LOG_WARNING,
                  "convolve: this clump was built without VkFFT: other methods are used");
    else if (!fft->transform)
        clump_say(&context->log, CLUMP_LOG_WARNING,
                  "convolve: VkFFT makes no transform of %u x %u %s points for %s (its error %d): "
                  "other methods are used",
                  size.high, size.wide, clump_type_text(type), context->device.name, error);
    return fft;
}

/* All that the steps of one convolution share. */
struct job {
    clump_context *context;
    const struct sum *sum;
    const struct weights *weights;
    struct fft *fft;
    char options[64];
    cl_mem z, spectrum, counts, flags, taps;
    cl_long rows, cols;
    cl_int boundary, kh, kw, high, wide;
    union real fill;
};

static enum clump_status step(struct job *job, const char *name, uint64_t rows, uint64_t cols,
                              const struct clump_arg *args, unsigned count)
{
    cl_kernel kernel;
    enum clump_status status =
        clump_kernel(job->context, "convolve/fft", job->options, name, &kernel);
    return status ? status : clump_launch_rows(job->context, kernel, rows, cols, args, count);
}

static enum clump_status transform(struct job *job, cl_mem buffer, bool back)
{
    int error = clump_transform_run(job->fft->transform, job->context->opencl->queue, buffer, back);
    if (error)
        return clump_fail(&job->context->log, CLUMP_ERROR_OPENCL,
                          "convolve: VkFFT failed on %s, its error %d", job->context->device.name,
                          error);
    return CLUMP_OK;
}

static enum clump_status transform_weights(struct job *job)
{
    const struct weights *weights = job->weights;
    enum clump_type type = job->sum->type;
    size_t count = (size_t)weights->rows * weights->cols;
    void *memory = malloc(count * clump_type_size(type));
    if (!memory)
        return clump_fail(&job->context->log, CLUMP_ERROR_MEMORY, "convolve: out of memory");
    clump_reals_put(type, weights->values, count, memory, 0);
    enum clump_status status =
        clump_buffer_constant(job->context, memory, count * clump_type_size(type), &job->taps);
    free(memory);
    if (!status)
        status = step(job, "fft_weights", job->fft->high, job->fft->wide,
                      CLUMP_ARGS(CLUMP_ARG(job->taps), CLUMP_ARG(job->kh), CLUMP_ARG(job->kw),
                                 CLUMP_ARG(job->wide), CLUMP_ARG(job->spectrum)));
    return status ? status : transform(job, job->spectrum, false);
}

static enum clump_status gather(struct job *job, const cl_long4 *corners)
{
    enum clump_type type = job->sum->type;
    struct clump_arg fill = {clump_type_size(type), &job->fill};
    enum clump_status status = clump_buffer_fill(job->context, job->flags, 0, 8);
    if (!status)
        status = step(job, "fft_gather", job->fft->high, job->fft->wide,
                      CLUMP_ARGS(CLUMP_ARG_IN(job->sum), CLUMP_ARG(job->rows), CLUMP_ARG(job->cols),
                                 CLUMP_ARG(job->boundary), fill, CLUMP_ARG(*corners),
                                 CLUMP_ARG(job->wide), CLUMP_ARG(job->z), CLUMP_ARG(job->flags)));
    if (!status)
        status = step(job, "fft_along", 2, job->fft->high,
                      CLUMP_ARGS(CLUMP_ARG_IN(job->sum), CLUMP_ARG(job->rows), CLUMP_ARG(job->cols),
                                 CLUMP_ARG(job->boundary), fill, CLUMP_ARG(*corners),
                                 CLUMP_ARG(job->high), CLUMP_ARG(job->wide), CLUMP_ARG(job->flags),
                                 CLUMP_ARG(job->counts)));
    if (!status)
        status = step(job, "fft_down", 2, job->fft->wide,
                      CLUMP_ARGS(CLUMP_ARG(job->high), CLUMP_ARG(job->wide), CLUMP_ARG(job->flags),
                                 CLUMP_ARG(job->counts)));
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

static enum clump_status scatter(struct job *job, const cl_long4 *places)
{
    const struct sum *sum = job->sum;
    union real scale, total;
    double all = 0;
    for (size_t i = 0; i < (size_t)job->kh * (size_t)job->kw; i++)
        all = clump_chain(sum->type, all, job->weights->values[i], 1);
    cl_long out_rows = (cl_long)sum->out_rows, out_cols = (cl_long)sum->out_cols;
    cl_long up = sum->up, left = sum->left;
    struct clump_arg fill = {clump_type_size(sum->type), &job->fill};
    return step(job, "fft_scatter", 2 * (uint64_t)(job->high - job->kh + 1),
                (uint64_t)(job->wide - job->kw + 1),
                CLUMP_ARGS(CLUMP_ARG(job->z), CLUMP_ARG(sum->in), CLUMP_ARG(job->taps),
                           CLUMP_ARG_OUT(sum), CLUMP_ARG(job->rows), CLUMP_ARG(job->cols),
                           CLUMP_ARG(out_rows), CLUMP_ARG(out_cols), CLUMP_ARG(job->kh),
                           CLUMP_ARG(job->kw), CLUMP_ARG(up), CLUMP_ARG(left),
                           CLUMP_ARG(job->boundary), fill, CLUMP_ARG(*places), CLUMP_ARG(job->high),
                           CLUMP_ARG(job->wide),
                           clump_real(sum->type, 1.0 / ((double)job->high * job->wide), &scale),
                           clump_real(sum->type, all, &total), CLUMP_ARG(job->flags),
                           CLUMP_ARG(job->counts)));
}

/* Two tiles, by number; the second may be one too many and lies outside then. */
static enum clump_status do_pair(struct job *job, uint64_t tile, uint64_t across)
{
    const struct sum *sum = job->sum;
    cl_long4 places, corners;
    for (unsigned i = 0; i < 2; i++) {
        places.s[2 * i] = (cl_long)((tile + i) / across) * (job->high - job->kh + 1);
        places.s[2 * i + 1] = (cl_long)((tile + i) % across) * (job->wide - job->kw + 1);
        corners.s[2 * i] = places.s[2 * i] + sum->up;
        corners.s[2 * i + 1] = places.s[2 * i + 1] + sum->left;
    }
    enum clump_status status = gather(job, &corners);
    if (!status)
        status = transform(job, job->z, false);
    if (!status)
        status = multiply(job);
    if (!status)
        status = transform(job, job->z, true);
    return status ? status : scatter(job, &places);
}

enum clump_status clump_fft_sum(clump_context *context, const struct sum *sum,
                                const struct weights *weights, bool *done)
{
    struct job job = {.context = context, .sum = sum, .weights = weights};
    *done = false;
    job.fft = find(context, sum->type, clump_fft_size(sum, weights));
    if (!job.fft)
        return clump_fail(&context->log, CLUMP_ERROR_MEMORY, "convolve: out of memory");
    if (!job.fft->transform)
        return CLUMP_OK;
    job.rows = (cl_long)sum->rows;
    job.cols = (cl_long)sum->cols;
    job.boundary = (cl_int)sum->boundary;
    job.kh = (cl_int)weights->rows;
    job.kw = (cl_int)weights->cols;
    job.high = (cl_int)job.fft->high;
    job.wide = (cl_int)job.fft->wide;
    clump_real(sum->type, sum->fill, &job.fill);
    snprintf(job.options, sizeof job.options, "-DT=%s -DROWS=0 -DIGNORE=%d",
             clump_type_opencl(sum->type), sum->ignore);
    size_t points = (size_t)job.high * (size_t)job.wide;
    enum clump_status status = clump_buffer_borrow(context, job.fft->bytes, &job.z);
    if (!status)
        status = clump_buffer_borrow(context, job.fft->bytes, &job.spectrum);
    if (!status)
        status = clump_buffer_borrow(context, points * 2 * sizeof(cl_uint2), &job.counts);
    if (!status)
        status = clump_buffer_borrow(context, 8, &job.flags);
    if (!status)
        status = transform_weights(&job);
    uint64_t across =
        (sum->out_cols + (uint64_t)(job.wide - job.kw)) / (uint64_t)(job.wide - job.kw + 1);
    uint64_t tiles = across * ((sum->out_rows + (uint64_t)(job.high - job.kh)) /
                               (uint64_t)(job.high - job.kh + 1));
    for (uint64_t tile = 0; !status && tile < tiles; tile += 2)
        status = do_pair(&job, tile, across);
    clump_buffer_return(context, &job.flags);
    clump_buffer_return(context, &job.counts);
    clump_buffer_return(context, &job.spectrum);
    clump_buffer_return(context, &job.z);
    *done = true;
    return status;
}
