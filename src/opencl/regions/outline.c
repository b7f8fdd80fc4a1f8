/* SPDX-License-Identifier: MIT */
/* Perimeters and Euler's numbers, from a label image (cl/regions/outline.cl, docs/hull.md). */
#include "opencl/regions/measure.h"

#include "regions/outline.h"

#define PROGRAM "regions/outline"

/* From counts to figures. */
static void finish(struct measure *job, const uint32_t *counts)
{
    const double root = 1.41421356237309504880;
    for (uint32_t i = 0; i < job->count; i++, counts += OUTLINE_COUNTS) {
        struct clump_region *region = &job->regions[i];
        if (job->params->perimeter && region->area)
            region->perimeter = counts[OUTLINE_STRAIGHT] + counts[OUTLINE_DIAGONAL] * root +
                                counts[OUTLINE_CORNER] * ((1 + root) / 2);
        if (job->params->euler)
            region->euler = (int32_t)counts[OUTLINE_EULER];
    }
}

static enum clump_status count(struct measure *job, const clump_image *labels)
{
    clump_context *context = job->context;
    size_t bytes = (size_t)job->count * OUTLINE_COUNTS * sizeof(uint32_t);
    size_t windows = (size_t)job->walk.rows + 1, one = 1; /* rows of them */
    cl_mem counts = NULL;
    cl_kernel kernel;
    void *mapped;
    enum clump_status status =
        clump_kernel(context, PROGRAM, job->runs.options, "outline_count", &kernel);
    if (!status)
        status = clump_buffer_borrow(context, bytes, &counts);
    if (!status)
        status = clump_buffer_fill(context, counts, 0, bytes);
    const struct clump_arg args[] = {CLUMP_ARG_IMAGE(labels), CLUMP_ARG(job->walk.cols),
                                     CLUMP_ARG(job->walk.rows), CLUMP_ARG(counts)};
    unsigned n = sizeof args / sizeof *args;
    if (!status && context->opencl->layout.coarse)
        status = clump_launch(context, kernel, 1, &windows, &one, args, n);
    else if (!status)
        status = clump_launch_rows(context, kernel, windows, (uint64_t)job->walk.cols + 1, args, n);
    if (!status)
        status = clump_buffer_map(context, counts, CLUMP_IMAGE_READ, bytes, &mapped);
    if (!status) {
        finish(job, mapped);
        status = clump_buffer_unmap(context, counts, mapped);
    }
    clump_buffer_return(context, &counts);
    return status;
}

enum clump_status clump_outline(struct measure *job)
{
    const clump_image *labels = job->labels;
    clump_image *made = NULL;
    enum clump_status status = CLUMP_OK;
    if (labels->type == CLUMP_BITS) {
        status = clump_image_create(job->context, CLUMP_I32, labels->rows, labels->cols, &made);
        labels = made;
        if (!status)
            status = clump_runs_write(job->context, &job->runs, PROGRAM, made);
    }
    if (!status)
        status = count(job, labels);
    clump_image_destroy(&made);
    return status;
}
