/* SPDX-License-Identifier: MIT */
/* Detection: the filtered image, the members of sources, their components and boxes. */
#include "opencl/extract/extract.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The weights, divided by the sum of their magnitudes, in a buffer. */
static enum clump_status make_weights(struct extract_job *job, cl_mem *buffer)
{
    const struct clump_weights *filter = job->params->filter;
    uint64_t count = filter->rows * filter->cols;
    float *weights = NULL;
    double sum = 0;
    enum clump_status status = clump_extract_memory(job, count, sizeof *weights, &weights);
    for (uint64_t i = 0; i < count; i++)
        sum += fabs(filter->weights[i]);
    for (uint64_t i = 0; !status && i < count; i++)
        weights[i] = (float)(filter->weights[i] / sum);
    if (!status)
        status = clump_buffer_constant(job->context, weights, count * sizeof *weights, buffer);
    free(weights);
    return status;
}

/* Makes the map of 1 / noise, 0 where a pixel is bad. */
static enum clump_status make_reciprocal(struct extract_job *job, clump_image **reciprocal)
{
    const clump_image *image = job->image, *mask = job->params->mask;
    char options[80];
    cl_kernel kernel;
    uint32_t masked = mask != NULL, cols = (uint32_t)image->cols;
    snprintf(options, sizeof options, "%s -DRECIPROCAL", job->options);
    enum clump_status status =
        clump_kernel(job->context, "extract/filter", options, "extract_reciprocal", &kernel);
    if (!status)
        status = clump_image_create(job->context, CLUMP_F32, image->rows, image->cols, reciprocal);
    if (!status)
        status =
            clump_launch_rows(job->context, kernel, image->rows, image->cols,
                              CLUMP_ARGS(CLUMP_ARG_IMAGE(image),
                                         CLUMP_ARG_IMAGE(clump_extract_noise(job)),
                                         CLUMP_ARG_IMAGE(mask ? mask : image), CLUMP_ARG(masked),
                                         CLUMP_ARG(cols), CLUMP_ARG_IMAGE(*reciprocal)));
    return status;
}

/* Filters the image and sets the members, and the seeds where there are two thresholds. */
static enum clump_status filter(struct extract_job *job, const clump_image *reciprocal,
                                clump_image *members, clump_image *seeds)
{
    const struct clump_extract_params *params = job->params;
    const clump_image *image = job->image, *map = reciprocal ? reciprocal : image;
    bool matched =
        params->filter && params->noise_map && params->filter_type == CLUMP_EXTRACT_FILTER_MATCHED;
    bool coarse = job->context->opencl->layout.coarse;
    char options[128];
    cl_kernel kernel;
    cl_mem weights = image->buffer;
    size_t global = image->rows, local = 1;
    snprintf(options, sizeof options, "%s%s%s%s%s", job->options, reciprocal ? " -DMAPPED" : "",
             params->filter ? " -DFILTERED" : "", matched ? " -DMATCHED" : "",
             seeds ? " -DSEEDS" : "");
    enum clump_status status =
        clump_kernel(job->context, "extract/filter", options, "extract_filter", &kernel);
    if (!status && params->filter)
        status = make_weights(job, &weights);
    if (status)
        return status;
    struct clump_arg args[] = {CLUMP_ARG_IMAGE(image),   CLUMP_ARG_IMAGE(clump_extract_noise(job)),
                               CLUMP_ARG_IMAGE(map),     CLUMP_ARG(weights),
                               CLUMP_ARG(job->view),     CLUMP_ARG_IMAGE(job->c),
                               CLUMP_ARG_IMAGE(members), CLUMP_ARG_IMAGE(seeds ? seeds : members)};
    unsigned count = sizeof args / sizeof *args;
    return coarse ? clump_launch(job->context, kernel, 1, &global, &local, args, count)
                  : clump_launch_rows(job->context, kernel, image->rows,
                                      clump_row_words(image->cols), args, count);
}

static enum clump_status find_boxes(struct extract_job *job, const clump_image *members,
                                    const clump_image *seeds)
{
    size_t bytes = (size_t)job->components * BOX_WORDS * sizeof(uint32_t);
    uint32_t seeded = seeds != NULL;
    cl_kernel kernel;
    if (!job->components)
        return CLUMP_OK;
    enum clump_status status =
        clump_kernel(job->context, "extract/list", job->options, "extract_boxes", &kernel);
    if (!status)
        status = clump_buffer_borrow(job->context, bytes, &job->boxes);
    if (!status)
        status = clump_buffer_fill(job->context, job->boxes, 0, bytes);
    if (!status)
        status =
            clump_launch_rows(job->context, kernel, members->rows, clump_row_words(members->cols),
                              CLUMP_ARGS(CLUMP_ARG_IMAGE(members),
                                         CLUMP_ARG_IMAGE(seeds ? seeds : members),
                                         CLUMP_ARG(seeded), CLUMP_ARG_IMAGE(job->labels),
                                         CLUMP_ARG(job->view.cols), CLUMP_ARG(job->boxes)));
    return status;
}

enum clump_status clump_extract_detect(struct extract_job *job)
{
    const struct clump_extract_params *params = job->params;
    const clump_image *image = job->image;
    const struct clump_label_params joined = {.connectivity = 8};
    clump_image *reciprocal = NULL, *members = NULL, *seeds = NULL;
    enum clump_status status = CLUMP_OK;
    if (params->noise_map || params->mask)
        status = make_reciprocal(job, &reciprocal);
    if (!status)
        status = clump_image_create(job->context, CLUMP_F32, image->rows, image->cols, &job->c);
    if (!status)
        status = clump_image_create(job->context, CLUMP_BITS, image->rows, image->cols, &members);
    if (!status && job->view.low < job->view.thresh)
        status = clump_image_create(job->context, CLUMP_BITS, image->rows, image->cols, &seeds);
    if (!status)
        status = filter(job, reciprocal, members, seeds);
    if (!status && params->segmentation)
        status = clump_extract_given(job, reciprocal);
    clump_image_destroy(&reciprocal);
    if (!status && !params->segmentation)
        status = clump_opencl_label(job->context, members, &joined, &job->labels, &job->components);
    if (!status && !params->segmentation)
        status = find_boxes(job, members, seeds);
    clump_image_destroy(&seeds);
    clump_image_destroy(&members);
    return status;
}
