/* SPDX-License-Identifier: MIT */
/*
 * Sums of rows that were summed: 27 products of every 8th row of weights make 8 rows of results,
 * which take 64 directly (cl/convolve/folded.cl).
 *
 * A result is made of 8 of the products, W * X: the weights W are differences of up to 8 rows and
 * the pixels X sums of up to 8. Each is rounded once for every tap, and ROUNDINGS times besides:
 * once as a difference of weights, 3 times as a sum of pixels, 6 times on the way into the result,
 * and once for what is of second order. A rounding is half an eps, so
 *     |error| <= growth * (taps of a product + ROUNDINGS) * eps / 2 * sum |w| * max |x|
 * growth being the largest sum over the products of a result of |W| times the number of rows in X,
 * as a part of sum |w|, and max |x| that of the window and of 7 rows above and below it. That is
 * exact enough where it is within what direct sums may err by,
 *     (weights + 4) * eps * sum |w| * max |x|.
 */
#include "opencl/convolve/convolve.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define FOLD       8
#define STEPS      27
#define PLANES     9 /* of STEPS at once */
#define SLOTS      7
#define ROWS       6 /* of each of the FOLD, summed at once */
#define ROUNDINGS  11
#define LEAST_ROWS 8 /* of weights: fewer are summed directly */

#define ROOM         (192 * 1024) /* bytes of planes on most devices: they stay in the cache */
#define WIDEST_STRIP 96           /* columns of a work-item: its planes stay in the nearest cache */
#define LINE_BYTES   64           /* of a cache */

static uint32_t taps_of(const struct weights *weights) { return (weights->rows + FOLD - 1) / FOLD; }

static uint64_t bands_of(const struct sum *sum)
{
    return (sum->out_rows + FOLD * ROWS - 1) / (FOLD * ROWS);
}

double clump_folded_taps(const struct sum *sum, const struct weights *weights)
{
    double band = (double)STEPS * ROWS * taps_of(weights) * weights->cols;
    return band * (double)bands_of(sum) / (double)sum->out_rows;
}

/* What a product takes for the rows 4, 2 and 1 apart, as in cl/convolve/folded.cl: 0 the
 * difference, 1 the upper one, 2 the lower one. */
static unsigned digit(unsigned step, unsigned level)
{
    static const unsigned scale[] = {9, 3, 1};
    return step / scale[level] % 3;
}

static unsigned bit(unsigned phase, unsigned level) { return phase >> (2 - level) & 1; }

/* How every 8th row of weights from row `phase` on goes into a product. */
static int sign(unsigned step, unsigned phase)
{
    int made = 1;
    for (unsigned level = 0; level < 3; level++)
        made *= digit(step, level) == 0 ? (bit(phase, level) ? -1 : 1)
                                        : digit(step, level) == bit(phase, level) + 1;
    return made;
}

/* The number of rows summed for a product that goes into the results of `phase`; 0: it does not. */
static unsigned rows_summed(unsigned step, unsigned phase)
{
    unsigned rows = 1;
    for (unsigned level = 0; level < 3; level++)
        if (digit(step, level))
            rows *= digit(step, level) == bit(phase, level) + 1 ? 2 : 0;
    return rows;
}

static double rounded(enum clump_type type, double value)
{
    return type == CLUMP_F32 ? (double)(float)value : value;
}

/* Weight k, t of a product into which the phases go with these signs. */
static double product_weight(enum clump_type type, const struct weights *weights, const int *signs,
                             uint32_t k, uint32_t t)
{
    double made = 0;
    for (unsigned phase = 0; phase < FOLD; phase++) {
        uint64_t s = (uint64_t)FOLD * k + phase;
        if (signs[phase] && s < weights->rows)
            made += signs[phase] * rounded(type, weights->values[s * weights->cols + t]);
    }
    return made;
}

/* The weights of all products, each column after column; then those of the direct sum. */
static double *products(enum clump_type type, const struct weights *weights, size_t *count)
{
    uint32_t taps = taps_of(weights), kh = weights->rows, kw = weights->cols;
    size_t each = (size_t)taps * kw, at = 0;
    *count = STEPS * each + (size_t)kh * kw;
    double *made = malloc(*count * sizeof *made);
    if (!made)
        return NULL;
    for (unsigned step = 0; step < STEPS; step++) {
        int signs[FOLD];
        for (unsigned phase = 0; phase < FOLD; phase++)
            signs[phase] = sign(step, phase);
        for (uint32_t t = 0; t < kw; t++)
            for (uint32_t k = 0; k < taps; k++)
                made[at++] = product_weight(type, weights, signs, k, t);
    }
    for (uint32_t t = 0; t < kw; t++)
        for (uint32_t s = 0; s < kh; s++)
            made[at++] = weights->values[(size_t)s * kw + t];
    return made;
}

static double absolute_sum(enum clump_type type, const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += fabs(rounded(type, values[i]));
    return sum;
}

enum clump_status clump_folded_error(clump_context *context, const struct sum *sum,
                                     const struct weights *weights, double *error)
{
    size_t count, each = (size_t)taps_of(weights) * weights->cols;
    size_t direct = (size_t)weights->rows * weights->cols;
    double *values = products(sum->type, weights, &count), of[STEPS], most = 0;
    if (!values)
        return clump_fail(&context->log, CLUMP_ERROR_MEMORY, "convolve: out of memory");
    for (unsigned step = 0; step < STEPS; step++)
        of[step] = absolute_sum(sum->type, values + step * each, each);
    double whole = absolute_sum(sum->type, values + STEPS * each, direct);
    free(values);
    for (unsigned phase = 0; phase < FOLD; phase++) {
        double all = 0;
        for (unsigned step = 0; step < STEPS; step++)
            all += rows_summed(step, phase) * of[step];
        most = fmax(most, all);
    }
    *error = whole > 0 ? most / whole * ((double)each + ROUNDINGS) / (2 * ((double)direct + 4)) : 0;
    if (!isfinite(*error))
        *error = INFINITY; /* a difference of weights is too large for the type */
    return CLUMP_OK;
}

/* How one launch is cut up. */
struct cut {
    uint32_t n, half, span;     /* elements of vectors; columns that are summed at once */
    cl_int strip, pitch, plane; /* columns of a work-item; elements of a line and of a plane */
    size_t bytes;               /* of local memory */
};

/* Elements that take an odd number of cache lines: then no two of a few follow in the same set. */
static size_t odd_lines(size_t elements, size_t size)
{
    size_t line = LINE_BYTES / size;
    return ((elements + line - 1) / line | 1) * line;
}

static void lay_out(const struct weights *weights, size_t size, size_t strip, struct cut *cut)
{
    size_t lines = (size_t)ROWS + taps_of(weights) - 1;
    size_t pitch = odd_lines(strip + weights->cols - 1, size);
    size_t plane = odd_lines(lines * pitch, size);
    cut->strip = (cl_int)strip;
    cut->pitch = (cl_int)pitch;
    cut->plane = (cl_int)plane;
    cut->bytes = size * (FOLD * (lines + 1) * pitch + PLANES * plane + (SLOTS * ROWS + 1) * strip);
}

/* The widest strip that fits and leaves work for all; false when not even the narrowest fits. */
static bool cut_up(const clump_context *context, const struct sum *sum,
                   const struct weights *weights, struct cut *cut)
{
    const struct layout *layout = &context->opencl->layout;
    size_t size = clump_type_size(sum->type), room = context->device.local_memory;
    cut->n = clump_vector_elements(context, sum->type);
    cut->half = layout->vector >= 16 ? cut->n : cut->n / 2;
    cut->span = layout->vector >= 16 ? 2 * cut->n : cut->n;
    if (room / size < (size_t)weights->cols + weights->rows) /* which keeps what follows small */
        return false;
    lay_out(weights, size, cut->span, cut);
    if (cut->bytes > room)
        return false;
    for (size_t strip = WIDEST_STRIP / cut->span * cut->span; strip > cut->span;
         strip -= cut->span) {
        if (bands_of(sum) * ((sum->out_cols + strip - 1) / strip) < layout->workers)
            continue;
        lay_out(weights, size, strip, cut);
        if (cut->bytes <= (room < ROOM ? room : ROOM))
            return true;
    }
    lay_out(weights, size, cut->span, cut);
    return true;
}

bool clump_folded_fits(const clump_context *context, const struct sum *sum,
                       const struct weights *weights)
{
    struct cut cut;
    return context->opencl->layout.coarse && !sum->ignore && weights->rows >= LEAST_ROWS &&
           cut_up(context, sum, weights, &cut);
}

static enum clump_status upload(clump_context *context, const struct sum *sum,
                                const struct weights *weights, cl_mem *buffer)
{
    size_t count, size = clump_type_size(sum->type);
    double *values = products(sum->type, weights, &count);
    void *memory = values ? malloc(count * size) : NULL;
    enum clump_status status = CLUMP_OK;
    if (memory) {
        clump_reals_put(sum->type, values, count, memory, 0);
        status = clump_buffer_constant(context, memory, count * size, buffer);
    } else {
        status = clump_fail(&context->log, CLUMP_ERROR_MEMORY, "convolve: out of memory");
    }
    free(memory);
    free(values);
    return status;
}

enum clump_status clump_folded_sum(clump_context *context, const struct sum *sum,
                                   const struct weights *weights)
{
    struct cut cut;
    cl_mem taps_buffer;
    cl_kernel kernel;
    union real fill;
    char options[128];
    if (!cut_up(context, sum, weights, &cut))
        return clump_fail(&context->log, CLUMP_ERROR_UNSUPPORTED,
                          "convolve: no room to fold rows in local memory");
    snprintf(options, sizeof options, "-DT=%s -DN=%u -DHALF=%u -DROWS=%d -DWIDE=%d",
             clump_type_opencl(sum->type), cut.n, cut.half, ROWS, cut.span > cut.n);
    enum clump_status status = upload(context, sum, weights, &taps_buffer);
    if (!status)
        status = clump_kernel(context, "convolve/folded", options, "folded_bands", &kernel);
    if (status)
        return status;
    size_t strip = (size_t)cut.strip, local[2] = {1, 1};
    size_t global[2] = {((size_t)sum->out_cols + strip - 1) / strip, (size_t)bands_of(sum)};
    cl_long rows = (cl_long)sum->rows, cols = (cl_long)sum->cols;
    cl_long out_rows = (cl_long)sum->out_rows, out_cols = (cl_long)sum->out_cols;
    cl_long up = sum->up, left = sum->left;
    cl_int kh = (cl_int)weights->rows, kw = (cl_int)weights->cols, taps = (cl_int)taps_of(weights);
    cl_int boundary = (cl_int)sum->boundary;
    return clump_launch(context, kernel, 2, global, local,
                        CLUMP_ARGS(CLUMP_ARG_IN(sum), CLUMP_ARG(taps_buffer), CLUMP_ARG_OUT(sum),
                                   CLUMP_ARG_LOCAL(cut.bytes), CLUMP_ARG(rows), CLUMP_ARG(cols),
                                   CLUMP_ARG(out_rows), CLUMP_ARG(out_cols), CLUMP_ARG(kh),
                                   CLUMP_ARG(kw), CLUMP_ARG(taps), CLUMP_ARG(up), CLUMP_ARG(left),
                                   CLUMP_ARG(boundary), clump_real(sum->type, sum->fill, &fill),
                                   CLUMP_ARG(cut.strip), CLUMP_ARG(cut.pitch),
                                   CLUMP_ARG(cut.plane)));
}
