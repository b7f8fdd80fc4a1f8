/* SPDX-License-Identifier: MIT */
#include "opencl/regions/runs.h"

#include <assert.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

#define SHARE 16        /* rows that a band has at least */
#define STALE (1 << 20) /* words between parents and a copy of them, for a test */

_Static_assert(sizeof(struct runs_band) == 24 && offsetof(struct runs_band, pixels) == 20,
               "laid out as in the kernels");
_Static_assert(sizeof(struct runs_slot) == 8 && offsetof(struct runs_slot, before) == 4,
               "laid out as in the kernels");

/* Refuses a mask by its size: how many runs it has is not known yet. */
static enum clump_status check(clump_context *context, const char *operation,
                               const clump_image *mask)
{
    uint64_t most, bound = context->opencl->bounds.runs;
    if (mask->cols <= bound && mask->rows <= bound &&
        !__builtin_mul_overflow(mask->rows, (mask->cols + 1) / 2 + 1, &most) && most <= bound)
        return CLUMP_OK;
    return clump_fail(&context->log, CLUMP_ERROR_UNSUPPORTED,
                      "%s: a mask of %" PRIu64 " x %" PRIu64
                      " pixels can have more runs than the %" PRIu64
                      " that have numbers: take the image in parts",
                      operation, mask->rows, mask->cols, bound);
}

void clump_runs_bands(const clump_context *context, uint32_t rows, uint32_t *bands,
                      uint32_t *band_rows)
{
    uint32_t workers = context->opencl->layout.label_workers,
             share = (rows + workers - 1) / workers;
    *band_rows = share < SHARE ? SHARE : share;
    *bands = (rows + *band_rows - 1) / *band_rows;
}

/* Borrows the buffers, with room for as many runs as there can be: half of the pixels. */
static enum clump_status make_arrays(clump_context *context, struct runs *runs)
{
    const struct layout *layout = &context->opencl->layout;
    clump_runs_bands(context, runs->rows, &runs->bands, &runs->band_rows);
    size_t most = runs->most, parents = context->opencl->stale ? STALE + most : most;
    size_t words = (size_t)runs->words * runs->rows, groups = words / layout->group + 1;
    /* Across a border of two bands there is at most one contact per column, and a slot for each. */
    size_t coarse[] = {most * 4, most * 4, (size_t)runs->bands * sizeof(struct runs_band),
                       ((size_t)runs->cols + 1) * sizeof(struct runs_slot) * runs->bands};
    size_t fine[] = {parents * 4, words * 4, groups * 4, 4};
    enum clump_status status =
        clump_buffer_borrow(context, RUNS_COUNTS * sizeof(uint32_t), &runs->counts);
    for (unsigned i = 0; i < RUNS_ARRAYS && !status; i++)
        status =
            clump_buffer_borrow(context, (layout->coarse ? coarse : fine)[i], &runs->arrays[i]);
    return status;
}

/* Enqueues the kernels of label_coarse.cl. */
static enum clump_status coarse(clump_context *context, const struct runs *r)
{
    cl_kernel band, border, number;
    size_t bands = r->bands, one = 1;
    enum clump_status status;
    if ((status = clump_kernel(context, "regions/label", r->options, "label_band", &band)) ||
        (status = clump_kernel(context, "regions/label", r->options, "label_border", &border)) ||
        (status = clump_kernel(context, "regions/label", r->options, "label_number", &number)))
        return status;
    status =
        clump_launch(context, band, 1, &bands, &one,
                     CLUMP_ARGS(CLUMP_ARG_IMAGE(r->mask), CLUMP_ARG(r->cols), CLUMP_ARG(r->rows),
                                CLUMP_ARG(r->band_rows), CLUMP_ARG(r->arrays[0]),
                                CLUMP_ARG(r->arrays[1]), CLUMP_ARG(r->arrays[2])));
    if (!status)
        status = clump_launch(context, border, 1, &one, &one,
                              CLUMP_ARGS(CLUMP_ARG_IMAGE(r->mask), CLUMP_ARG(r->cols),
                                         CLUMP_ARG(r->band_rows), CLUMP_ARG(r->bands),
                                         CLUMP_ARG_COMPONENTS(r), CLUMP_ARG(r->counts)));
    if (!status)
        status = clump_launch(context, number, 1, &bands, &one,
                              CLUMP_ARGS(CLUMP_ARG(r->arrays[1]), CLUMP_ARG(r->arrays[2])));
    return status;
}

/* Fine, for a test: copies the parents, which kernels then read instead of newer ones. */
static enum clump_status keep_parents(clump_context *context, const struct runs *r)
{
    if (!context->opencl->stale)
        return CLUMP_OK;
    assert(r->most <= STALE);
    cl_int error = clump_cl.EnqueueCopyBuffer(context->opencl->queue, r->arrays[0], r->arrays[0], 0,
                                              STALE * sizeof(uint32_t), r->most * sizeof(uint32_t),
                                              0, NULL, NULL);
    return error == CL_SUCCESS ? CLUMP_OK : clump_cl_fail(context, error, "label: copying parents");
}

/* Enqueues one of the kernels of label_fine.cl that have their first arguments in common. */
static enum clump_status fine_stage(clump_context *context, const struct runs *r, const char *name,
                                    uint32_t words, cl_mem ranks, cl_mem rank_sums)
{
    cl_kernel kernel;
    enum clump_status status = clump_kernel(context, "regions/label", r->options, name, &kernel);
    if (!status)
        status = keep_parents(context, r);
    if (status)
        return status;
    const struct clump_arg args[] = {CLUMP_ARG_IMAGE(r->mask), CLUMP_ARG(r->cols),
                                     CLUMP_ARG(words),         CLUMP_ARG(r->arrays[0]),
                                     CLUMP_ARG(r->arrays[1]),  CLUMP_ARG(r->arrays[2]),
                                     CLUMP_ARG(ranks),         CLUMP_ARG(rank_sums)};
    return clump_launch_flat(context, kernel, words, args, ranks ? 8 : 6);
}

/* Enqueues the scan over the sums of all groups; the total goes to the count of components, where
 * the last scan, of roots, leaves it. */
static enum clump_status scan(clump_context *context, const struct runs *r, uint32_t words,
                              cl_mem sums)
{
    cl_kernel kernel;
    size_t group = context->opencl->layout.group;
    uint32_t groups = (uint32_t)((words + group - 1) / group);
    enum clump_status status =
        clump_kernel(context, "regions/label", r->options, "label_scan", &kernel);
    if (status)
        return status;
    return clump_launch(context, kernel, 1, &group, &group,
                        CLUMP_ARGS(CLUMP_ARG(sums), CLUMP_ARG(groups), CLUMP_ARG(r->counts)));
}

/* Enqueues the kernels of label_fine.cl. */
static enum clump_status fine(clump_context *context, const struct runs *r)
{
    cl_kernel starts;
    cl_mem ranks = NULL, sums = NULL;
    uint32_t words = r->words * r->rows;
    size_t groups = words / context->opencl->layout.group + 1;
    enum clump_status status =
        clump_kernel(context, "regions/label", r->options, "label_starts", &starts);
    if (!status)
        status = clump_buffer_fill(context, r->counts, 0, RUNS_COUNTS * sizeof(uint32_t));
    if (!status)
        status = clump_launch_flat(context, starts, words,
                                   CLUMP_ARGS(CLUMP_ARG_IMAGE(r->mask), CLUMP_ARG(r->cols),
                                              CLUMP_ARG(words), CLUMP_ARG(r->arrays[1]),
                                              CLUMP_ARG(r->arrays[2]), CLUMP_ARG(r->counts)));
    if (!status)
        status = scan(context, r, words, r->arrays[2]);
    if (!status)
        status = fine_stage(context, r, "label_init", words, NULL, NULL);
    /* Each launch divides the length of a chain, at most the number of rows, by LABEL_HOPS + 1. */
    for (uint64_t reach = LABEL_HOPS + 1; reach < r->rows && !status; reach *= LABEL_HOPS + 1)
        status = fine_stage(context, r, "label_shorten", words, NULL, NULL);
    if (!status)
        status = fine_stage(context, r, "label_merge", words, NULL, NULL);
    if (!status)
        status = clump_buffer_borrow(context, (size_t)words * 4, &ranks);
    if (!status)
        status = clump_buffer_borrow(context, groups * 4, &sums);
    if (!status)
        status = fine_stage(context, r, "label_flatten", words, ranks, sums);
    if (!status)
        status = scan(context, r, words, sums);
    if (!status)
        status = fine_stage(context, r, "label_number", words, ranks, sums);
    clump_buffer_return(context, &sums);
    clump_buffer_return(context, &ranks);
    return status;
}

enum clump_status clump_runs_make(clump_context *context, const char *operation,
                                  const clump_image *mask, bool invert, unsigned connectivity,
                                  struct runs *runs)
{
    enum clump_status status = check(context, operation, mask);
    if (status)
        return status;
    *runs = (struct runs){.mask = mask,
                          .invert = invert,
                          .cols = (uint32_t)mask->cols,
                          .rows = (uint32_t)mask->rows,
                          .words = (uint32_t)clump_row_words(mask->cols),
                          .most = (uint32_t)((mask->cols + 1) / 2 * mask->rows)};
    int used = snprintf(runs->options, sizeof runs->options, "-DCONNECTIVITY=%u -DINVERT=%d",
                        connectivity, invert);
    if (context->opencl->stale)
        snprintf(runs->options + used, sizeof runs->options - (size_t)used, " -DSTALE=%d", STALE);
    status = make_arrays(context, runs);
    if (!status)
        status = context->opencl->layout.coarse ? coarse(context, runs) : fine(context, runs);
    if (status)
        clump_runs_release(context, runs);
    return status;
}

enum clump_status clump_runs_count(clump_context *context, const struct runs *runs,
                                   uint32_t counts[RUNS_COUNTS])
{
    return clump_buffer_read(context, runs->counts, counts, RUNS_COUNTS * sizeof *counts);
}

enum clump_status clump_runs_write(clump_context *context, const struct runs *r,
                                   const char *program, clump_image *labels)
{
    cl_kernel kernel;
    size_t bands = r->bands, one = 1;
    enum clump_status status = clump_kernel(context, program, r->options, "label_write", &kernel);
    if (status)
        return status;
    if (!context->opencl->layout.coarse)
        return clump_launch_rows(context, kernel, r->rows, r->cols,
                                 CLUMP_ARGS(CLUMP_ARG_IMAGE(r->mask), CLUMP_ARG(r->cols),
                                            CLUMP_ARG_COMPONENTS(r), CLUMP_ARG_IMAGE(labels)));
    return clump_launch(context, kernel, 1, &bands, &one,
                        CLUMP_ARGS(CLUMP_ARG_IMAGE(r->mask), CLUMP_ARG(r->cols), CLUMP_ARG(r->rows),
                                   CLUMP_ARG(r->band_rows), CLUMP_ARG_COMPONENTS(r),
                                   CLUMP_ARG_IMAGE(labels)));
}

void clump_runs_release(clump_context *context, struct runs *runs)
{
    for (unsigned i = 0; i < RUNS_ARRAYS; i++)
        clump_buffer_return(context, &runs->arrays[i]);
    clump_buffer_return(context, &runs->counts);
}
