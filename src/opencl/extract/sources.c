/* SPDX-License-Identifier: MIT */
/* Sources: components that are large enough, in the order of their last pixels, and their lists. */
#include "opencl/extract/extract.h"

#include <math.h>
#include <stdlib.h>

#define DIGIT 11 /* bits that one pass of the sort looks at; three passes see 2^31 pixels */

/* Sorts sources by the raster index of their last pixels, which `lasts` has in the same order. */
static enum clump_status sort_sources(struct extract_job *job, uint32_t *lasts)
{
    uint32_t n = job->source_count, *order = NULL, *other = NULL;
    struct extract_source *sorted = NULL;
    enum clump_status status = clump_extract_memory(job, n, sizeof *order, &order);
    if (!status)
        status = clump_extract_memory(job, n, sizeof *other, &other);
    if (!status)
        status = clump_extract_memory(job, n, sizeof *sorted, &sorted);
    for (uint32_t i = 0; !status && i < n; i++)
        order[i] = i;
    for (unsigned shift = 0; !status && shift < 32; shift += DIGIT) {
        uint32_t starts[(1 << DIGIT) + 1] = {0}, *swap = order;
        for (uint32_t i = 0; i < n; i++)
            starts[(lasts[order[i]] >> shift & ((1 << DIGIT) - 1)) + 1]++;
        for (unsigned d = 0; d < 1 << DIGIT; d++)
            starts[d + 1] += starts[d];
        for (uint32_t i = 0; i < n; i++)
            other[starts[lasts[order[i]] >> shift & ((1 << DIGIT) - 1)]++] = order[i];
        order = other;
        other = swap;
    }
    uint32_t first = 0;
    for (uint32_t i = 0; !status && i < n; i++) {
        sorted[i] = job->sources[order[i]];
        sorted[i].first = first;
        first += sorted[i].count;
    }
    free(other);
    free(order);
    if (status) {
        free(sorted);
        return status;
    }
    free(job->sources);
    job->sources = sorted;
    job->pixels = first;
    return CLUMP_OK;
}

static bool is_source(const struct extract_job *job, const uint32_t *box)
{
    if (job->params->segmentation)
        return true;
    return box[BOX_COUNT] >= job->params->min_area &&
           (box[BOX_SEED] || !(job->view.low < job->view.thresh));
}

/* Takes the components that are sources. */
static enum clump_status take(struct extract_job *job, const uint32_t *boxes)
{
    uint32_t *lasts = NULL, n = 0;
    for (uint64_t i = 0; i < job->components; i++)
        job->source_count += is_source(job, boxes + i * BOX_WORDS);
    if (!job->source_count)
        return CLUMP_OK;
    enum clump_status status =
        clump_extract_memory(job, job->source_count, sizeof *job->sources, &job->sources);
    if (!status)
        status = clump_extract_memory(job, job->source_count, sizeof *lasts, &lasts);
    for (uint64_t i = 0; !status && i < job->components; i++) {
        const uint32_t *box = boxes + i * BOX_WORDS;
        if (!is_source(job, box))
            continue;
        lasts[n] = job->params->segmentation ? n : box[BOX_LAST];
        job->sources[n++] = (struct extract_source){.label = (uint32_t)i + 1,
                                                    .count = box[BOX_COUNT],
                                                    .left = ~box[BOX_LEFT],
                                                    .right = box[BOX_RIGHT],
                                                    .top = ~box[BOX_TOP],
                                                    .bottom = box[BOX_LAST] / job->view.cols};
    }
    if (!status)
        status = sort_sources(job, lasts);
    free(lasts);
    return status;
}

/* Lists the pixels of the sources and sums them. */
static enum clump_status list_pixels(struct extract_job *job)
{
    clump_context *context = job->context;
    uint32_t n = job->source_count, listed = job->list != NULL;
    cl_kernel kernel;
    cl_mem sources = NULL, totals = NULL;
    enum clump_status status =
        clump_kernel(context, "extract/list", job->options, "extract_list", &kernel);
    if (!status)
        status = clump_extract_upload(job, job->sources, n * sizeof *job->sources, &sources);
    if (!status)
        status = clump_buffer_borrow(context, n * sizeof *job->totals, &totals);
    if (!status && !listed)
        status = clump_buffer_borrow(context, job->pixels * sizeof(uint32_t), &job->list);
    if (!status)
        status =
            clump_extract_launch(job, kernel, n,
                                 CLUMP_ARGS(CLUMP_ARG_IMAGE(job->labels), CLUMP_ARG_IMAGE(job->c),
                                            CLUMP_ARG_IMAGE(clump_extract_noise(job)),
                                            CLUMP_ARG(job->view), CLUMP_ARG(sources), CLUMP_ARG(n),
                                            CLUMP_ARG(job->list), CLUMP_ARG(listed),
                                            CLUMP_ARG(totals)));
    if (!status)
        status = clump_extract_memory(job, n, sizeof *job->totals, &job->totals);
    if (!status)
        status = clump_buffer_read(context, totals, job->totals, n * sizeof *job->totals);
    clump_buffer_return(context, &totals);
    clump_buffer_return(context, &sources);
    return status;
}

/* The mean threshold of every source. */
static enum clump_status find_thresholds(struct extract_job *job)
{
    enum clump_status status =
        clump_extract_memory(job, job->source_count, sizeof *job->thresholds, &job->thresholds);
    for (uint32_t i = 0; !status && i < job->source_count; i++) {
        const struct extract_total *total = &job->totals[i];
        uint32_t count = job->sources[i].count;
        status =
            clump_check_count(job->context, "extract", "pixels of a source", total->listed, count);
        double sum = (double)(int64_t)total->thresholds;
        float same = job->params->noise > 0 ? job->view.low * job->view.noise : job->view.low;
        job->thresholds[i] =
            job->params->noise_map
                ? (float)(ldexp(sum, total->threshold_exponent - EXTRACT_BITS) / (double)count)
                : same;
    }
    return status;
}

enum clump_status clump_extract_sources(struct extract_job *job)
{
    size_t bytes = (size_t)job->components * BOX_WORDS * sizeof(uint32_t);
    void *boxes;
    if (!job->components)
        return CLUMP_OK;
    enum clump_status status =
        clump_buffer_map(job->context, job->boxes, CLUMP_IMAGE_READ, bytes, &boxes);
    if (status)
        return status;
    status = take(job, boxes);
    enum clump_status unmapped = clump_buffer_unmap(job->context, job->boxes, boxes);
    status = status ? status : unmapped;
    clump_buffer_return(job->context, &job->boxes);
    if (status || !job->source_count)
        return status;
    status = list_pixels(job);
    return status ? status : find_thresholds(job);
}
