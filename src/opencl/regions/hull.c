/* SPDX-License-Identifier: MIT */
/* Convex areas: the edges of regions, row by row, and the pixels in their hulls
 * (cl/regions/hull.cl, docs/hull.md). */
#include "opencl/regions/measure.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define ITEMS_PER_WORKER 4 /* coarse: more than one, since regions differ in size */

/* Sends to the device where each region's rows are among the edges, and its first row in the image;
 * one more entry is the end. `edges` gets the number of rows of all regions. */
static enum clump_status place_edges(struct measure *job, size_t *edges)
{
    size_t bytes = (job->walk.number + (size_t)1) * 2 * sizeof(uint32_t);
    uint64_t place = 0;
    uint32_t *places = malloc(bytes);
    job->sent = places;
    if (!places)
        return clump_fail(&job->context->log, CLUMP_ERROR_MEMORY,
                          "measure: out of memory for %" PRIu32 " regions", job->walk.number);
    for (uint32_t i = 0; i <= job->walk.number; i++) {
        const struct clump_region *region = &job->regions[job->walk.first - 1 + i];
        *places++ = (uint32_t)place;
        *places++ = i < job->walk.number ? (uint32_t)region->row_min : 0;
        place += i < job->walk.number ? region->row_max - region->row_min : 0;
    }
    if (place > job->context->opencl->bounds.edges)
        return clump_fail(&job->context->log, CLUMP_ERROR_UNSUPPORTED,
                          "measure: %" PRIu32 " regions have %" PRIu64 " rows in all; convex hulls "
                          "are made of up to %" PRIu64
                          ": leave the hulls out, or take the image in "
                          "parts",
                          job->walk.number, place, job->context->opencl->bounds.edges);
    *edges = (size_t)place;
    enum clump_status status = clump_buffer_borrow(job->context, bytes, &job->places);
    if (status)
        return status;
    return clump_buffer_send(job->context, job->places, job->sent, bytes);
}

static enum clump_status find_edges(struct measure *job, const char *options, size_t edges)
{
    struct clump_arg args[MEASURE_WHERE + 2];
    unsigned n = clump_measure_where(job, args);
    size_t bytes = edges * 2 * sizeof(uint32_t);
    cl_kernel kernel;
    enum clump_status status =
        clump_kernel(job->context, "regions/hull", options, "hull_edges", &kernel);
    if (!status)
        status = clump_buffer_borrow(job->context, bytes, &job->edges);
    if (!status)
        status = clump_buffer_fill(job->context, job->edges, 0, bytes);
    if (status)
        return status;
    args[n++] = CLUMP_ARG(job->places);
    args[n++] = CLUMP_ARG(job->edges);
    return clump_measure_launch(job, kernel, args, n);
}

static enum clump_status count_areas(struct measure *job, const char *options, size_t edges)
{
    const struct layout *layout = &job->context->opencl->layout;
    size_t items = (size_t)layout->workers * ITEMS_PER_WORKER, one = 1;
    cl_kernel kernel;
    enum clump_status status =
        clump_kernel(job->context, "regions/hull", options, "hull_areas", &kernel);
    if (!status)
        status = clump_buffer_borrow(job->context, edges * 2 * sizeof(int32_t), &job->chains);
    if (!status)
        status =
            clump_buffer_borrow(job->context, job->walk.number * sizeof(uint32_t), &job->areas);
    if (status)
        return status;
    const struct clump_arg args[] = {CLUMP_ARG(job->places), CLUMP_ARG(job->walk.number),
                                     CLUMP_ARG(job->edges), CLUMP_ARG(job->chains),
                                     CLUMP_ARG(job->areas)};
    unsigned count = sizeof args / sizeof *args;
    return layout->coarse ? clump_launch(job->context, kernel, 1, &items, &one, args, count)
                          : clump_launch_flat(job->context, kernel, job->walk.number, args, count);
}

enum clump_status clump_hull_start(struct measure *job)
{
    char options[16];
    size_t edges;
    snprintf(options, sizeof options, "-DLABELS=%d", job->labels->type == CLUMP_I32);
    enum clump_status status = place_edges(job, &edges);
    if (!status)
        status = find_edges(job, options, edges);
    if (!status)
        status = count_areas(job, options, edges);
    clump_cl.Flush(job->context->opencl->queue); /* some drivers would not begin until the map */
    return status;
}

enum clump_status clump_hull_end(struct measure *job)
{
    size_t bytes = job->walk.number * sizeof(uint32_t);
    void *mapped;
    enum clump_status status =
        clump_buffer_map(job->context, job->areas, CLUMP_IMAGE_READ, bytes, &mapped);
    if (status)
        return status;
    free(job->sent);
    job->sent = NULL;
    for (uint32_t i = 0; i < job->walk.number; i++) {
        struct clump_region *region = &job->regions[job->walk.first - 1 + i];
        region->area_convex = ((const uint32_t *)mapped)[i];
        if (region->area)
            region->solidity = (double)region->area / (double)region->area_convex;
    }
    return clump_buffer_unmap(job->context, job->areas, mapped);
}

void clump_hull_release(struct measure *job)
{
    if (job->sent)
        clump_opencl_finish(job->context);
    free(job->sent);
    job->sent = NULL;
    cl_mem *const own[] = {&job->areas, &job->chains, &job->edges, &job->places};
    for (unsigned i = 0; i < sizeof own / sizeof *own; i++)
        clump_buffer_return(job->context, own[i]);
}
