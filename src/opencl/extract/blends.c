/* SPDX-License-Identifier: MIT */
/* Blends: sources with several peaks, their trees, and the cores of the objects in them. */
#include "opencl/extract/extract.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The options of cl/extract/deblend.cl, which has a table of all levels. */
static void deblend_options(const struct extract_job *job, char *options, size_t room)
{
    snprintf(options, room, "%s -DLEVELS=%u", job->options, job->params->deblend_levels);
}

/* Lists the sources that may be blends: high enough over their thresholds, and large enough. */
static enum clump_status list_candidates(struct extract_job *job)
{
    const struct clump_extract_params *params = job->params;
    enum clump_status status =
        clump_extract_memory(job, job->source_count, sizeof *job->blends, &job->blends);
    if (!status)
        status = clump_extract_memory(job, job->source_count, sizeof *job->blend_sources,
                                      &job->blend_sources);
    for (uint32_t i = 0; !status && i < job->source_count; i++) {
        const struct extract_source *source = &job->sources[i];
        const struct extract_total *total = &job->totals[i];
        float thresh = job->thresholds[i];
        if (!(total->peak > thresh) || source->count < 2 * job->view.least)
            continue;
        float flux = (float)ldexp((double)(int64_t)total->sum, total->exponent - EXTRACT_BITS);
        job->blend_sources[job->blend_count] = i;
        job->blends[job->blend_count++] = (struct extract_blend){
            .step = pow((double)total->peak / thresh, 1.0 / params->deblend_levels),
            .bound = flux * params->deblend_contrast,
            .first = source->first,
            .count = source->count,
            .thresh = thresh,
            .exponent = total->exponent,
        };
    }
    return status;
}

/* Makes the map of levels and drops the candidates with one peak. */
static enum clump_status find_levels(struct extract_job *job, cl_mem *levels)
{
    clump_context *context = job->context;
    uint32_t n = job->blend_count, *peaks = NULL;
    size_t pixels = (size_t)job->image->rows * job->image->cols;
    char options[80];
    cl_kernel kernel;
    cl_mem blends = NULL, counts = NULL;
    deblend_options(job, options, sizeof options);
    enum clump_status status =
        clump_kernel(context, "extract/deblend", options, "extract_levels", &kernel);
    if (!status)
        status = clump_extract_upload(job, job->blends, n * sizeof *job->blends, &blends);
    if (!status)
        status = clump_buffer_borrow(context, n * sizeof *peaks, &counts);
    if (!status)
        status = clump_buffer_borrow(context, pixels + 3, levels);
    if (!status)
        status = clump_buffer_fill(context, *levels, 0, pixels);
    if (!status)
        status = clump_extract_launch(job, kernel, n,
                                      CLUMP_ARGS(CLUMP_ARG_IMAGE(job->c), CLUMP_ARG(job->view.rows),
                                                 CLUMP_ARG(job->view.cols), CLUMP_ARG(blends),
                                                 CLUMP_ARG(n), CLUMP_ARG(job->list),
                                                 CLUMP_ARG(*levels), CLUMP_ARG(counts)));
    if (!status)
        status = clump_extract_memory(job, n, sizeof *peaks, &peaks);
    if (!status)
        status = clump_buffer_read(context, counts, peaks, n * sizeof *peaks);
    job->blend_count = 0;
    for (uint32_t i = 0; !status && i < n; i++) {
        if (peaks[i] < 2)
            continue;
        struct extract_blend *blend = &job->blends[job->blend_count];
        *blend = job->blends[i];
        job->blend_sources[job->blend_count++] = job->blend_sources[i];
        blend->places = job->place_count;
        blend->nodes = job->node_count;
        job->place_count += blend->count;
        job->node_count += peaks[i];
    }
    free(peaks);
    clump_buffer_return(context, &counts);
    clump_buffer_return(context, &blends);
    return status;
}

/* Makes the trees, drops the blends that stay whole, and notes the children of the others. */
static enum clump_status divide(struct extract_job *job, const uint32_t *children)
{
    uint32_t n = job->blend_count;
    job->blend_count = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!children[i])
            continue;
        struct extract_blend *blend = &job->blends[job->blend_count];
        *blend = job->blends[i];
        job->blend_sources[job->blend_count++] = job->blend_sources[i];
        blend->child = job->child_count;
        blend->children = children[i];
        job->child_count += children[i];
    }
    return CLUMP_OK;
}

static enum clump_status grow_trees(struct extract_job *job, cl_mem levels)
{
    clump_context *context = job->context;
    uint32_t n = job->blend_count, nodes = job->node_count, *children = NULL;
    char options[80];
    cl_kernel kernel;
    cl_mem blends = NULL, tree = NULL, outputs = NULL, cores = NULL, counts = NULL;
    deblend_options(job, options, sizeof options);
    enum clump_status status =
        clump_kernel(context, "extract/deblend", options, "extract_tree", &kernel);
    if (!status)
        status = clump_extract_upload(job, job->blends, n * sizeof *job->blends, &blends);
    if (!status)
        status = clump_buffer_borrow(context, nodes * sizeof(struct extract_node), &tree);
    if (!status)
        status = clump_buffer_borrow(context, nodes * sizeof(struct extract_output), &outputs);
    if (!status)
        status = clump_buffer_borrow(context, nodes * sizeof *job->cores, &cores);
    if (!status)
        status = clump_buffer_borrow(context, n * sizeof *children, &counts);
    if (!status)
        status = clump_buffer_borrow(context, job->place_count * sizeof(uint32_t), &job->places);
    if (!status)
        status = clump_buffer_borrow(context, job->place_count * sizeof(uint32_t), &job->next);
    if (!status)
        status = clump_extract_launch(
            job, kernel, n,
            CLUMP_ARGS(CLUMP_ARG_IMAGE(job->c), CLUMP_ARG(job->view), CLUMP_ARG(blends),
                       CLUMP_ARG(n), CLUMP_ARG(job->list), CLUMP_ARG(levels),
                       CLUMP_ARG_IMAGE(job->labels), CLUMP_ARG(job->places), CLUMP_ARG(job->next),
                       CLUMP_ARG(tree), CLUMP_ARG(outputs), CLUMP_ARG(cores), CLUMP_ARG(counts)));
    if (!status)
        status = clump_extract_memory(job, n, sizeof *children, &children);
    if (!status)
        status = clump_extract_memory(job, nodes, sizeof *job->cores, &job->cores);
    if (!status)
        status = clump_buffer_read(context, counts, children, n * sizeof *children);
    if (!status)
        status = clump_buffer_read(context, cores, job->cores, nodes * sizeof *job->cores);
    if (!status)
        status = divide(job, children);
    free(children);
    clump_buffer_return(context, &counts);
    clump_buffer_return(context, &cores);
    clump_buffer_return(context, &outputs);
    clump_buffer_return(context, &tree);
    clump_buffer_return(context, &blends);
    return status;
}

enum clump_status clump_extract_blends(struct extract_job *job)
{
    cl_mem levels = NULL;
    if (job->params->segmentation || !job->source_count || job->params->deblend_levels < 2 ||
        job->params->deblend_contrast >= 1)
        return CLUMP_OK;
    enum clump_status status = list_candidates(job);
    if (!status && job->blend_count)
        status = find_levels(job, &levels);
    if (!status && job->blend_count)
        status = grow_trees(job, levels);
    clump_buffer_return(job->context, &levels);
    return status;
}
