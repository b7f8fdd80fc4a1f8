/* SPDX-License-Identifier: MIT */
#include "opencl/regions/runs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIDE   63 /* of the largest footprint */
#define CELLS  (SIDE * SIDE)
#define LEVELS 16 /* different runs that one round dilates by */
#define SMALL  9  /* runs, at most, of a footprint that becomes part of the program */
#define SHORT  9  /* cells, at most, of such a run */

/* A run of cells in one row of a footprint, counted from the centre. */
struct cells {
    int32_t row, from, to;
};

struct plan {
    unsigned count;
    struct cells cells[SIDE * (SIDE + 1) / 2];
};

static bool is_set(const struct clump_footprint *footprint, int row, int col)
{
    int size = (int)footprint->size, y = row - size, x = col - size;
    switch (footprint->kind) {
    case CLUMP_FOOTPRINT_DISK:
        return x * x + y * y <= size * size;
    case CLUMP_FOOTPRINT_DIAMOND:
        return abs(x) + abs(y) <= size;
    case CLUMP_FOOTPRINT_SQUARE:
        return true;
    default:
        return footprint->cells[row * (int)footprint->cols + col];
    }
}

static int compare(const void *a, const void *b)
{
    const struct cells *x = a, *y = b;
    return x->from != y->from ? (x->from < y->from ? -1 : 1)
           : x->to != y->to   ? (x->to < y->to ? -1 : 1)
                              : (x->row > y->row) - (x->row < y->row);
}

/* The runs of a footprint as offsets of the pixels that are looked at; equal runs of different rows
 * come one after another. */
static void make_plan(const struct clump_footprint *footprint, bool reflect, struct plan *plan)
{
    bool custom = footprint->kind == CLUMP_FOOTPRINT_CUSTOM,
         square = footprint->kind == CLUMP_FOOTPRINT_SQUARE;
    int side = square ? (int)footprint->size : 2 * (int)footprint->size + 1;
    int rows = custom ? (int)footprint->rows : side, cols = custom ? (int)footprint->cols : side;
    plan->count = 0;
    for (int r = 0; r < rows; r++)
        for (int c = 0, end; c < cols; c = end + 1) {
            for (end = c; end < cols && is_set(footprint, r, end); end++)
                ;
            if (end == c)
                continue;
            struct cells cells = {r - rows / 2, c - cols / 2, end - 1 - cols / 2};
            if (reflect)
                cells = (struct cells){-cells.row, -cells.to, -cells.from};
            plan->cells[plan->count++] = cells;
        }
    qsort(plan->cells, plan->count, sizeof *plan->cells, compare);
}

/* The doublings that the longest run of a plan takes; the sides of the centre are done apart. */
static unsigned steps_of(const struct plan *plan)
{
    int longest = 1;
    unsigned steps = 0;
    for (unsigned i = 0; i < plan->count; i++) {
        const struct cells *cells = &plan->cells[i];
        int left = (cells->to < 0 ? cells->to : -1) - cells->from + 1;
        int right = cells->to - (cells->from > 0 ? cells->from : 0) + 1;
        longest = left > longest ? left : longest;
        longest = right > longest ? right : longest;
    }
    while (1 << steps < longest)
        steps++;
    return steps;
}

/* One round: up to LEVELS different runs, and entries, (row, level), that use them. */
struct round {
    int32_t levels[LEVELS][2];
    int32_t entries[CELLS][2];
    uint32_t level_count, entry_count;
};

/* Takes runs of the plan from `next` on; returns the first that did not fit. */
static unsigned fill_round(const struct plan *plan, unsigned next, struct round *round)
{
    round->level_count = round->entry_count = 0;
    for (; next < plan->count; next++) {
        const struct cells *cells = &plan->cells[next];
        int32_t *last = round->levels[round->level_count ? round->level_count - 1 : 0];
        if (!round->level_count || last[0] != cells->from || last[1] != cells->to) {
            if (round->level_count == LEVELS)
                break;
            last = round->levels[round->level_count++];
            last[0] = cells->from;
            last[1] = cells->to;
        }
        round->entries[round->entry_count][0] = cells->row;
        round->entries[round->entry_count++][1] = (int32_t)round->level_count - 1;
    }
    return next;
}

struct step {
    const clump_image *mask;
    clump_image *result;
    uint32_t cols, rows, bands, band_rows;
    cl_kernel over_rows, over_columns;
    cl_mem dilated;
};

static enum clump_status launch(clump_context *context, const struct step *step, cl_kernel kernel,
                                const struct clump_arg *args, unsigned count)
{
    size_t bands = step->bands, one = 1;
    if (context->opencl->layout.coarse)
        return clump_launch(context, kernel, 1, &bands, &one, args, count);
    return clump_launch_flat(context, kernel, step->rows * clump_row_words(step->cols), args,
                             count);
}

static enum clump_status run_round(clump_context *context, const struct step *step,
                                   const struct round *round, bool first, bool last)
{
    uint32_t more = !first, end = last;
    cl_mem levels, entries; /* which the next call with this footprint finds again */
    enum clump_status status =
        clump_buffer_constant(context, round->levels, round->level_count * 8, &levels);
    if (!status)
        status = clump_buffer_constant(context, round->entries, round->entry_count * 8, &entries);
    if (!status)
        status =
            launch(context, step, step->over_rows,
                   CLUMP_ARGS(CLUMP_ARG_IMAGE(step->mask), CLUMP_ARG(step->cols),
                              CLUMP_ARG(step->rows), CLUMP_ARG(step->band_rows), CLUMP_ARG(levels),
                              CLUMP_ARG(round->level_count), CLUMP_ARG(step->dilated)));
    if (!status)
        status = launch(context, step, step->over_columns,
                        CLUMP_ARGS(CLUMP_ARG(step->dilated), CLUMP_ARG(step->cols),
                                   CLUMP_ARG(step->rows), CLUMP_ARG(step->band_rows),
                                   CLUMP_ARG(entries), CLUMP_ARG(round->entry_count),
                                   CLUMP_ARG(more), CLUMP_ARG(end), CLUMP_ARG_IMAGE(step->result)));
    return status;
}

/* The options of morphology_small for this footprint; false when it is not small. */
static bool small_options(const struct plan *plan, bool erosion, uint32_t vector, char *options,
                          size_t room)
{
    size_t used = (size_t)snprintf(options, room, "-DINVERT=%d -DRUNS=%u -DLANES=%u", erosion,
                                   plan->count, vector < 8 ? 4 : 8);
    if (plan->count > SMALL)
        return false;
    for (unsigned i = 0; i < plan->count; i++) {
        const struct cells *run = &plan->cells[i];
        if (run->to - run->from >= SHORT || used >= room)
            return false;
        used += (size_t)snprintf(options + used, room - used, " -DY%u=%d -DA%u=%d -DB%u=%d", i,
                                 run->row, i, run->from, i, run->to);
    }
    return used < room;
}

static enum clump_status run_small(clump_context *context, struct step *step, const char *options)
{
    cl_kernel kernel;
    enum clump_status status =
        clump_kernel(context, "regions/morphology_small", options, "morphology_small", &kernel);
    if (!status)
        status = clump_image_create(context, CLUMP_BITS, step->rows, step->cols, &step->result);
    if (!status)
        status = launch(context, step, kernel,
                        CLUMP_ARGS(CLUMP_ARG_IMAGE(step->mask), CLUMP_ARG(step->cols),
                                   CLUMP_ARG(step->rows), CLUMP_ARG(step->band_rows),
                                   CLUMP_ARG_IMAGE(step->result)));
    return status;
}

static enum clump_status run_large(clump_context *context, struct step *step,
                                   const struct plan *plan, bool erosion)
{
    char options[48];
    enum clump_status status;
    struct round *round = malloc(sizeof *round);
    if (!round)
        return clump_fail(&context->log, CLUMP_ERROR_MEMORY, "morphology: out of memory");
    fill_round(plan, 0, round);
    snprintf(options, sizeof options, "-DINVERT=%d -DSTEPS=%u", erosion, steps_of(plan));
    if ((status = clump_kernel(context, "regions/morphology", options, "morphology_rows",
                               &step->over_rows)) ||
        (status = clump_kernel(context, "regions/morphology", options, "morphology_columns",
                               &step->over_columns)) ||
        (status = clump_buffer_borrow(context, step->mask->bytes * round->level_count,
                                      &step->dilated)) ||
        (status = clump_image_create(context, CLUMP_BITS, step->rows, step->cols, &step->result)))
        goto out;
    for (unsigned next = 0, start = 0; next < plan->count && !status; start = next) {
        next = fill_round(plan, start, round);
        status = run_round(context, step, round, start == 0, next == plan->count);
    }
out:
    clump_buffer_return(context, &step->dilated);
    free(round);
    return status;
}

/* Lets the outside decide the pixels whose footprint reaches it. */
static enum clump_status run_frame(clump_context *context, const struct step *step,
                                   const struct plan *plan, bool erosion)
{
    cl_kernel kernel;
    struct cells most = plan->cells[0];
    int32_t last_row = most.row;
    for (unsigned i = 1; i < plan->count; i++) {
        const struct cells *cells = &plan->cells[i];
        most.row = cells->row < most.row ? cells->row : most.row;
        last_row = cells->row > last_row ? cells->row : last_row;
        most.from = cells->from < most.from ? cells->from : most.from;
        most.to = cells->to > most.to ? cells->to : most.to;
    }
    cl_int first_row = -most.row, end_row = (cl_int)step->rows - last_row;
    cl_int first_col = most.from < 0 ? -most.from : 0;
    cl_int end_col = (cl_int)step->cols - (most.to > 0 ? most.to : 0);
    cl_uint set = !erosion;
    enum clump_status status =
        clump_kernel(context, "regions/morphology_frame", "", "morphology_frame", &kernel);
    if (status)
        return status;
    return clump_launch_rows(context, kernel, step->rows, clump_row_words(step->cols),
                             CLUMP_ARGS(CLUMP_ARG_IMAGE(step->result), CLUMP_ARG(step->cols),
                                        CLUMP_ARG(first_row), CLUMP_ARG(end_row),
                                        CLUMP_ARG(first_col), CLUMP_ARG(end_col), CLUMP_ARG(set)));
}

/* Erodes or dilates. */
static enum clump_status run_step(clump_context *context, const clump_image *mask,
                                  const struct clump_morphology_params *params, bool erosion,
                                  clump_image **result)
{
    bool decides =
        params->border == (erosion ? CLUMP_MORPHOLOGY_BORDER_CLEAR : CLUMP_MORPHOLOGY_BORDER_SET);
    struct plan *plan = malloc(sizeof *plan);
    struct step step = {.mask = mask, .cols = (uint32_t)mask->cols, .rows = (uint32_t)mask->rows};
    char options[320];
    if (!plan)
        return clump_fail(&context->log, CLUMP_ERROR_MEMORY, "morphology: out of memory");
    make_plan(&params->footprint, !erosion, plan);
    clump_runs_bands(context, step.rows, &step.bands, &step.band_rows);
    bool small =
        small_options(plan, erosion, context->opencl->layout.vector, options, sizeof options);
    enum clump_status status =
        small ? run_small(context, &step, options) : run_large(context, &step, plan, erosion);
    if (!status && decides)
        status = run_frame(context, &step, plan, erosion);
    free(plan);
    if (status)
        clump_image_destroy(&step.result);
    else
        *result = step.result;
    return status;
}

static enum clump_status two_steps(clump_context *context, const clump_image *mask,
                                   const struct clump_morphology_params *params, bool erosion_first,
                                   clump_image **result)
{
    clump_image *between = NULL;
    enum clump_status status = run_step(context, mask, params, erosion_first, &between);
    if (!status)
        status = run_step(context, between, params, !erosion_first, result);
    clump_image_destroy(&between);
    return status;
}

static enum clump_status launch_runs(clump_context *context, const struct runs *r, const char *name,
                                     cl_mem weights, uint64_t least, const clump_image *result)
{
    cl_kernel kernel;
    size_t bands = r->bands, one = 1;
    enum clump_status status =
        clump_kernel(context, "regions/morphology_components", r->options, name, &kernel);
    if (status)
        return status;
    struct clump_arg args[] = {CLUMP_ARG_IMAGE(r->mask), CLUMP_ARG(r->cols),
                               CLUMP_ARG(r->rows),       CLUMP_ARG(r->band_rows),
                               CLUMP_ARG_COMPONENTS(r),  CLUMP_ARG(weights),
                               CLUMP_ARG(least),         {0, NULL}};
    unsigned count = result ? 11 : 9;
    if (result)
        args[10] = CLUMP_ARG_IMAGE(result);
    if (context->opencl->layout.coarse)
        return clump_launch(context, kernel, 1, &bands, &one, args, count);
    return clump_launch_flat(context, kernel, (uint64_t)r->rows * r->words, args, count);
}

/* Keeps the components that have `least` pixels or more. `fill`: keeps all, and adds the components
 * of the clear pixels that do not touch the border. */
static enum clump_status choose(clump_context *context, const clump_image *mask, bool fill,
                                unsigned connectivity, uint64_t least, clump_image **result)
{
    struct runs runs = {0};
    clump_image *made = NULL;
    cl_mem weights = NULL;
    uint32_t counts[RUNS_COUNTS];
    enum clump_status status =
        clump_runs_make(context, "morphology", mask, fill, connectivity, &runs);
    if (!status)
        status = clump_runs_count(context, &runs, counts);
    if (status)
        goto out;
    size_t bytes = (counts[RUNS_COMPONENTS] + (size_t)1) * 4;
    if ((status = clump_buffer_borrow(context, bytes, &weights)) ||
        (status = clump_buffer_fill(context, weights, 0, bytes)) ||
        (status = clump_image_create(context, CLUMP_BITS, mask->rows, mask->cols, &made)) ||
        (status =
             launch_runs(context, &runs, "morphology_components_weigh", weights, least, NULL)) ||
        (status = launch_runs(context, &runs, "morphology_components_keep", weights, least, made)))
        goto out;
    *result = made;
    made = NULL;
out:
    clump_image_destroy(&made);
    clump_buffer_return(context, &weights);
    clump_runs_release(context, &runs);
    return status;
}

enum clump_status clump_opencl_morphology(clump_context *context, const clump_image *mask,
                                          const struct clump_morphology_params *params,
                                          clump_image **result)
{
    if (mask->rows > INT32_MAX || mask->cols > INT32_MAX)
        return clump_fail(&context->log, CLUMP_ERROR_UNSUPPORTED,
                          "morphology: an image of %" PRIu64 " x %" PRIu64
                          " pixels is too large: its "
                          "sides are at most %d",
                          mask->rows, mask->cols, INT32_MAX);
    switch (params->operation) {
    case CLUMP_MORPHOLOGY_EROSION:
    case CLUMP_MORPHOLOGY_DILATION:
        return run_step(context, mask, params, params->operation == CLUMP_MORPHOLOGY_EROSION,
                        result);
    case CLUMP_MORPHOLOGY_OPENING:
    case CLUMP_MORPHOLOGY_CLOSING:
        return two_steps(context, mask, params, params->operation == CLUMP_MORPHOLOGY_OPENING,
                         result);
    case CLUMP_MORPHOLOGY_FILL:
        return choose(context, mask, true, 4, 0, result);
    default:
        return choose(context, mask, false, params->connectivity, params->min_area, result);
    }
}
