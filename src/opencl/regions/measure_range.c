/* SPDX-License-Identifier: MIT */
/* The first look of measure (cl/regions/measure_range.cl): which labels there are, and coarse: how
 * large the values, about. */
#include "opencl/regions/measure.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROOM_SHARE 8    /* coarse: pixels per change of labels that are expected at least */
#define ROOM_LEAST 1024 /* coarse: entries that every list has, besides */

_Static_assert(sizeof(struct measure_range) == 16 && offsetof(struct measure_range, changes) == 12,
               "laid out as in the kernels");

/* Whether some pixels are looked at for a guess of the scale: coarse, of floats. */
static bool needs_values(const struct measure *job)
{
    return job->context->opencl->layout.coarse && job->image && job->image->type == CLUMP_F32;
}

/* Whether one kernel looks at both images: coarse, of a label image. */
static bool with_labels(const struct measure *job)
{
    return job->context->opencl->layout.coarse && job->labels->type == CLUMP_I32;
}

/* Work-items that look at pixels. */
static size_t value_items(const struct measure *job) { return needs_values(job) ? job->bands : 0; }

static enum clump_status kernel_of(const struct measure *job, const char *name, cl_kernel *kernel)
{
    char options[64];
    snprintf(options, sizeof options, "-DLANES=%d -DLABELS=%d",
             job->context->opencl->layout.vector < 8 ? 4 : 8, with_labels(job));
    return clump_kernel(job->context, "regions/measure_range", options, name, kernel);
}

/* Enqueues the look at pixels of a mask; found[first] and what follows get what the bands saw. */
static enum clump_status start_values(struct measure *job, cl_mem found, uint32_t first)
{
    size_t items = value_items(job), one = 1;
    cl_kernel kernel;
    if (!items || with_labels(job))
        return CLUMP_OK;
    enum clump_status status = kernel_of(job, "measure_range_values", &kernel);
    if (status)
        return status;
    return clump_launch(job->context, kernel, 1, &items, &one,
                        CLUMP_ARGS(CLUMP_ARG(
                                       job->image->buffer), /* not counted: few pixels are read */
                                   CLUMP_ARG(job->labels->buffer), CLUMP_ARG(job->walk),
                                   CLUMP_ARG(found), CLUMP_ARG(first)));
}

/* Guesses the scale from the magnitudes that the bands saw: for each, UINT32_MAX less the bits of
 * the least, then the bits of the greatest. */
static void end_values(struct measure *job, const uint32_t *found)
{
    uint32_t least = 0, greatest = 0;
    for (size_t i = 0; i < value_items(job); i++) {
        least = found[2 * i] > least ? found[2 * i] : least;
        greatest = found[2 * i + 1] > greatest ? found[2 * i + 1] : greatest;
    }
    if (value_items(job))
        clump_measure_scale_guess(job, UINT32_MAX - least, greatest);
}

/* Ranges of labels that are found. */
static uint32_t range_items(const struct measure *job)
{
    return job->context->opencl->layout.coarse ? job->bands : 1;
}

/* Enqueues the search for labels; `found` gets their range, coarse: one per band. */
static enum clump_status start_labels(struct measure *job, cl_mem found)
{
    clump_context *context = job->context;
    const struct layout *layout = &context->opencl->layout;
    size_t bands = job->bands, one = 1, words = clump_row_words(job->walk.cols) * job->walk.rows;
    size_t bytes =
        layout->coarse ? bands * job->walk.room * sizeof(uint32_t) : words * sizeof(uint32_t);
    uint32_t values = needs_values(job);
    cl_mem *own = layout->coarse ? &job->numbers : &job->mask;
    cl_kernel kernel;
    enum clump_status status = kernel_of(job, "measure_range_labels", &kernel);
    if (!status)
        status = clump_buffer_borrow(context, bytes, &job->changes);
    if (!status)
        status = clump_buffer_borrow(context, bytes, own);
    if (!status && !layout->coarse)
        status = clump_buffer_fill(context, found, 0, sizeof *job->ranges);
    if (status)
        return status;
    const cl_mem image =
        (values ? job->image : job->labels)->buffer; /* not counted: few pixels are read */
    const struct clump_arg args[] = {CLUMP_ARG_IMAGE(job->labels),
                                     CLUMP_ARG(job->walk),
                                     CLUMP_ARG(job->changes),
                                     CLUMP_ARG(*own),
                                     CLUMP_ARG(found),
                                     CLUMP_ARG(image),
                                     CLUMP_ARG(values)};
    unsigned count = layout->coarse ? sizeof args / sizeof *args : 5; /* without the image */
    return layout->coarse ? clump_launch(context, kernel, 1, &bands, &one, args, count)
                          : clump_launch_flat(context, kernel, words, args, count);
}

/* Coarse: whether every band's list has room for its changes and the end. */
static bool is_whole(const struct measure *job, const struct measure_range *found)
{
    for (size_t b = 0; with_labels(job) && b < job->bands; b++)
        if (found[b].changes >= job->walk.room)
            return false;
    return true;
}

static enum clump_status end_labels(struct measure *job, const void *found)
{
    size_t items = range_items(job), bytes = items * sizeof *job->ranges;
    int32_t lowest = 0, greatest = 0;
    job->changes_seen = 0;
    job->ranges = malloc(bytes);
    if (!job->ranges)
        return clump_fail(&job->context->log, CLUMP_ERROR_MEMORY,
                          "measure: out of memory for %zu bands", items);
    memcpy(job->ranges, found, bytes);
    for (size_t b = 0; b < items; b++) {
        const struct measure_range *range = &job->ranges[b];
        greatest = range->greatest > greatest ? range->greatest : greatest;
        lowest = range->lowest < lowest ? range->lowest : lowest;
        job->changes_seen += range->changes;
    }
    if (lowest < 0)
        return clump_fail_negative(job->given);
    job->count = (uint32_t)greatest;
    return CLUMP_OK;
}

static enum clump_status end_components(struct measure *job)
{
    uint32_t counts[RUNS_COUNTS];
    enum clump_status status = clump_runs_count(job->context, &job->runs, counts);
    if (status)
        return status;
    job->count = counts[RUNS_COMPONENTS];
    job->set = counts[RUNS_PIXELS];
    job->slots = job->context->opencl->layout.coarse ? counts[RUNS_SLOTS] : 0;
    return CLUMP_OK;
}

static enum clump_status start(struct measure *job, cl_mem found, uint32_t ranges)
{
    enum clump_status status = ranges ? start_labels(job, found)
                                      : clump_runs_make(job->context, "measure", job->labels, false,
                                                        job->params->connectivity, &job->runs);
    return status ? status
                  : start_values(job, found,
                                 (uint32_t)(ranges * sizeof *job->ranges / sizeof(uint64_t)));
}

/* Looks at both images. One buffer takes what is found: ranges, then magnitudes. `whole`: every
 * list had room enough. */
static enum clump_status look(struct measure *job, bool *whole)
{
    uint32_t ranges = job->labels->type == CLUMP_I32 ? range_items(job) : 0;
    size_t range_bytes = ranges * sizeof *job->ranges;
    size_t bytes = range_bytes + value_items(job) * sizeof(uint64_t);
    cl_mem found = NULL;
    void *mapped;
    enum clump_status status = clump_buffer_borrow(job->context, bytes, &found);
    if (!status)
        status = start(job, found, ranges);
    if (!status && !ranges)
        status = end_components(job);
    if (!status && bytes)
        status = clump_buffer_map(job->context, found, CLUMP_IMAGE_READ, bytes, &mapped);
    if (!status && bytes) {
        *whole = !ranges || is_whole(job, mapped);
        if (ranges && *whole)
            status = end_labels(job, mapped);
        end_values(job, (const uint32_t *)((const char *)mapped + range_bytes));
        enum clump_status unmapped = clump_buffer_unmap(job->context, found, mapped);
        status = status ? status : unmapped;
    }
    clump_buffer_return(job->context, &found);
    return status;
}

enum clump_status clump_measure_range(struct measure *job)
{
    uint64_t most = (uint64_t)job->walk.band_rows * job->walk.cols + 1,
             few = most / ROOM_SHARE + ROOM_LEAST;
    bool whole = true;
    job->walk.room = few < most ? few : most;
    enum clump_status status = look(job, &whole);
    if (status || whole)
        return status;
    clump_fall_back(job->context, "measure: labels change more often than expected: longer lists");
    clump_buffer_return(job->context, &job->numbers);
    clump_buffer_return(job->context, &job->changes);
    job->walk.room = most;
    return look(job, &whole);
}

void clump_measure_range_release(struct measure *job)
{
    clump_buffer_return(job->context, &job->numbers);
    clump_buffer_return(job->context, &job->changes);
    clump_buffer_return(job->context, &job->mask);
    clump_runs_release(job->context, &job->runs);
    free(job->ranges);
    job->ranges = NULL;
}
