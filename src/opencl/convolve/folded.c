/* SPDX-License-Identifier: MIT */
/*
 * Folded rows: 27 partial sums, each of every 8th row of weights, make 8 rows of results, which
 * take 64 such sums directly (cl/convolve/folded.cl; docs/convolution.md, "Folded rows", derives
 * the bound).
 *
 * A result is made of 8 of the partial sums, W * X: the weights W are sums and differences of up to
 * 8 rows of weights, the pixels X sums of up to 8 rows of pixels. A partial sum is rounded once per
 * tap and ROUNDINGS times besides: once for W, 3 times for X, 6 times on its way into the result,
 * and once for all terms of second order. A rounding is half an eps, so
 *     |error| <= growth * (taps of a partial sum + ROUNDINGS) * eps / 2 * sum |w| * max |x|
 * where growth is the sum over the partial sums of a result of |W| times the number of rows in X,
 * over sum |w|, for the phase in which that is largest, and max |x| is that of the window and of
 * the 7 rows above and below it. Rows are folded only where this is within the bound of direct
 * sums, (weights + 4) * eps * sum |w| * max |x|.
 */
#include "opencl/convolve/convolve.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define ROWS       6 /* of each phase, summed at once */
#define ROUNDINGS  11
#define LEAST_ROWS 8 /* of weights: fewer are summed directly */

#define ROOM         (192 * 1024) /* bytes of planes that stay in the cache of most devices */
#define WIDEST_STRIP 96           /* columns per work-item: its planes stay in the nearest cache */
#define LINE_BYTES   64           /* of a cache */

static uint32_t taps_of(const struct convolve_weights *weights)
{
    return (weights->rows + FOLDED_PHASES - 1) / FOLDED_PHASES;
}

static uint64_t bands_of(const struct convolve_task *task)
{
    return (task->out_rows + FOLDED_PHASES * ROWS - 1) / (FOLDED_PHASES * ROWS);
}

double clump_folded_taps(const struct convolve_task *task, const struct convolve_weights *weights)
{
    double band = (double)FOLDED_PARTIALS * ROWS * taps_of(weights) * weights->cols;
    return band * (double)bands_of(task) / (double)task->out_rows;
}

/*
 * Partial sum 9 f + 3 g + h has the digits f, g and h for the rows 4, 2 and 1 apart, as in
 * cl/convolve/folded.cl: 0 takes the difference of two rows of weights, 1 the upper row, 2 the
 * lower.
 */
static unsigned digit(unsigned partial, unsigned level)
{
    static const unsigned scale[] = {9, 3, 1};
    return partial / scale[level] % 3;
}

static unsigned bit(unsigned phase, unsigned level) { return phase >> (2 - level) & 1; }

/* The factor, -1, 0 or 1, with which every 8th row of weights from row `phase` on enters. */
static int sign(unsigned partial, unsigned phase)
{
    int made = 1;
    for (unsigned level = 0; level < 3; level++)
        made *= digit(partial, level) == 0 ? (bit(phase, level) ? -1 : 1)
                                           : digit(partial, level) == bit(phase, level) + 1;
    return made;
}

/* The number of rows of pixels added up for a partial sum of the results of `phase`; 0: these
 * results do not use it. */
static unsigned rows_added(unsigned partial, unsigned phase)
{
    unsigned rows = 1;
    for (unsigned level = 0; level < 3; level++)
        if (digit(partial, level))
            rows *= digit(partial, level) == bit(phase, level) + 1 ? 2 : 0;
    return rows;
}

static double rounded(enum clump_type type, double value)
{
    return type == CLUMP_F32 ? (double)(float)value : value;
}

/* Weight k, t of a partial sum that the phases enter with these signs. */
static double partial_weight(enum clump_type type, const struct convolve_weights *weights,
                             const int *signs, uint32_t k, uint32_t t)
{
    double made = 0;
    for (unsigned phase = 0; phase < FOLDED_PHASES; phase++) {
        uint64_t s = (uint64_t)FOLDED_PHASES * k + phase;
        if (signs[phase] && s < weights->rows)
            made += signs[phase] * rounded(type, weights->values[s * weights->cols + t]);
    }
    return made;
}

/* The weights of all partial sums, each column after column; then those of the direct sum. */
static void fill_in(enum clump_type type, const struct convolve_weights *weights, double *values)
{
    uint32_t taps = taps_of(weights), kh = weights->rows, kw = weights->cols;
    size_t at = 0;
    for (unsigned partial = 0; partial < FOLDED_PARTIALS; partial++) {
        int signs[FOLDED_PHASES];
        for (unsigned phase = 0; phase < FOLDED_PHASES; phase++)
            signs[phase] = sign(partial, phase);
        for (uint32_t t = 0; t < kw; t++)
            for (uint32_t k = 0; k < taps; k++)
                values[at++] = partial_weight(type, weights, signs, k, t);
    }
    for (uint32_t t = 0; t < kw; t++)
        for (uint32_t s = 0; s < kh; s++)
            values[at++] = weights->values[(size_t)s * kw + t];
}

static double absolute_sum(enum clump_type type, const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += fabs(rounded(type, values[i]));
    return sum;
}

/* The bound at the head of this file over that of direct sums. */
static double error_of(enum clump_type type, const struct convolve_weights *weights,
                       const double *values)
{
    size_t each = (size_t)taps_of(weights) * weights->cols;
    size_t direct = (size_t)weights->rows * weights->cols;
    double magnitude[FOLDED_PARTIALS], most = 0;
    for (unsigned partial = 0; partial < FOLDED_PARTIALS; partial++)
        magnitude[partial] = absolute_sum(type, values + partial * each, each);
    double whole = absolute_sum(type, values + FOLDED_PARTIALS * each, direct);
    for (unsigned phase = 0; phase < FOLDED_PHASES; phase++) {
        double all = 0;
        for (unsigned partial = 0; partial < FOLDED_PARTIALS; partial++)
            all += rows_added(partial, phase) * magnitude[partial];
        most = fmax(most, all);
    }
    double error =
        whole > 0 ? most / whole * ((double)each + ROUNDINGS) / (2 * ((double)direct + 4)) : 0;
    return isfinite(error) ? error : INFINITY; /* a difference of weights may overflow the type */
}

enum clump_status clump_folded_plan_make(clump_context *context, const struct convolve_task *task,
                                         const struct convolve_weights *weights,
                                         struct folded_plan *plan)
{
    size_t each = (size_t)taps_of(weights) * weights->cols;
    size_t count = FOLDED_PARTIALS * each + (size_t)weights->rows * weights->cols;
    void *memory = NULL;
    enum clump_status status =
        clump_convolve_allocate(context, count, sizeof *plan->values, &memory);
    if (status)
        return status;
    fill_in(task->type, weights, memory);
    *plan = (struct folded_plan){memory, count, error_of(task->type, weights, memory)};
    return CLUMP_OK;
}

void clump_folded_plan_free(struct folded_plan *plan)
{
    free(plan->values);
    plan->values = NULL;
}

/* How one launch is cut up. */
struct cut {
    uint32_t n, half, span; /* elements of vectors; columns that are summed at once */
    struct folded_strip strip;
    size_t bytes; /* of local memory */
};

/* Rounds up to an odd number of cache lines: neighbouring lines of local memory then begin in
 * different sets of the cache. */
static size_t odd_lines(size_t elements, size_t size)
{
    size_t line = LINE_BYTES / size;
    return ((elements + line - 1) / line | 1) * line;
}

static void lay_out(const struct convolve_weights *weights, size_t size, size_t width,
                    struct cut *cut)
{
    size_t lines = (size_t)ROWS + taps_of(weights) - 1;
    size_t pitch = odd_lines(width + weights->cols - 1, size);
    size_t plane = odd_lines(lines * pitch, size);
    cut->strip = (struct folded_strip){(int32_t)taps_of(weights), (int32_t)width, (int32_t)pitch,
                                       (int32_t)plane};
    cut->bytes = size * (FOLDED_PHASES * (lines + 1) * pitch + FOLDED_PLANES * plane +
                         (FOLDED_SLOTS * ROWS + 1) * width);
}

/* Chooses the widest strip that fits into local memory and leaves work for all workers; false where
 * not even the narrowest fits. */
static bool cut_up(const clump_context *context, const struct convolve_task *task,
                   const struct convolve_weights *weights, struct cut *cut)
{
    const struct layout *layout = &context->opencl->layout;
    size_t size = clump_convolve_bytes(task->type), room = context->device.local_memory;
    cut->n = clump_convolve_vector(context, task->type);
    cut->half = layout->vector >= 16 ? cut->n : cut->n / 2;
    cut->span = layout->vector >= 16 ? 2 * cut->n : cut->n;
    if (room / size <
        (size_t)weights->cols + weights->rows) /* then the sizes below cannot overflow */
        return false;
    lay_out(weights, size, cut->span, cut);
    if (cut->bytes > room)
        return false;
    for (size_t width = WIDEST_STRIP / cut->span * cut->span; width > cut->span;
         width -= cut->span) {
        if (bands_of(task) * ((task->out_cols + width - 1) / width) < layout->workers)
            continue;
        lay_out(weights, size, width, cut);
        if (cut->bytes <= (room < ROOM ? room : ROOM))
            return true;
    }
    lay_out(weights, size, cut->span, cut);
    return true;
}

bool clump_folded_fits(const clump_context *context, const struct convolve_task *task,
                       const struct convolve_weights *weights)
{
    struct cut cut;
    return context->opencl->layout.coarse && !task->ignore && weights->rows >= LEAST_ROWS &&
           cut_up(context, task, weights, &cut);
}

static enum clump_status upload(clump_context *context, enum clump_type type,
                                const struct folded_plan *plan, cl_mem *buffer)
{
    size_t size = clump_convolve_bytes(type);
    void *memory = NULL;
    enum clump_status status = clump_convolve_allocate(context, plan->count, size, &memory);
    if (status)
        return status;
    clump_convolve_put(type, plan->values, plan->count, memory, 0);
    status = clump_buffer_constant(context, memory, plan->count * size, buffer);
    free(memory);
    return status;
}

enum clump_status clump_folded_sum(clump_context *context, const struct convolve_task *task,
                                   const struct convolve_weights *weights,
                                   const struct folded_plan *plan)
{
    struct cut cut;
    cl_mem taps;
    cl_kernel kernel;
    union convolve_real fill;
    char options[128];
    if (!cut_up(context, task, weights, &cut))
        return clump_fail(&context->log, CLUMP_ERROR_UNSUPPORTED,
                          "convolve: the %" PRIu64 " bytes of local memory of %s are too few to "
                          "fold rows of %u x %u weights: use the method auto or direct",
                          context->device.local_memory, context->device.name, weights->rows,
                          weights->cols);
    snprintf(options, sizeof options, "-DT=%s -DN=%u -DHALF=%u -DROWS=%d -DWIDE=%d",
             clump_type_opencl(task->type), cut.n, cut.half, ROWS, cut.span > cut.n);
    enum clump_status status = upload(context, task->type, plan, &taps);
    if (!status)
        status = clump_kernel(context, "convolve/folded", options, "folded_bands", &kernel);
    if (status)
        return status;
    struct convolve_frame frame = clump_convolve_frame(task, weights->rows, weights->cols);
    size_t width = (size_t)cut.strip.width, local[2] = {1, 1};
    size_t global[2] = {((size_t)task->out_cols + width - 1) / width, (size_t)bands_of(task)};
    return clump_launch_parts(context, kernel, 2, global, local, 1,
                              CLUMP_ARGS(CLUMP_ARG_IN(task), CLUMP_ARG(taps), CLUMP_ARG_OUT(task),
                                         CLUMP_ARG_LOCAL(cut.bytes), CLUMP_ARG(frame),
                                         CLUMP_ARG(cut.strip),
                                         clump_convolve_real(task->type, task->fill, &fill)));
}
