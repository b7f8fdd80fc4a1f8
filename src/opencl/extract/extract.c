/* SPDX-License-Identifier: MIT */
/* Extraction: the steps in their order, and what they share. */
#include "opencl/extract/extract.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

static_assert(sizeof(struct extract_view) == 48 && sizeof(struct extract_source) == 28 &&
                  sizeof(struct extract_total) == 32 && sizeof(struct extract_blend) == 48 &&
                  sizeof(struct extract_node) == 96 && sizeof(struct extract_output) == 20 &&
                  sizeof(struct extract_core) == 8 && sizeof(struct extract_item) == 16 &&
                  sizeof(struct extract_profile) == 32 && sizeof(struct extract_task) == 16 &&
                  sizeof(struct extract_sums) == 272,
              "a struct of cl/extract/extract.h is padded, perhaps otherwise than in the kernels");

enum clump_status clump_extract_launch(struct extract_job *job, cl_kernel kernel, uint32_t count,
                                       const struct clump_arg *args, unsigned arg_count)
{
    size_t local = 1, global = ((size_t)count + EXTRACT_SHARE - 1) / EXTRACT_SHARE;
    if (!job->context->opencl->layout.coarse)
        return clump_launch_flat(job->context, kernel, count, args, arg_count);
    return clump_launch(job->context, kernel, 1, &global, &local, args, arg_count);
}

enum clump_status clump_extract_memory(struct extract_job *job, size_t count, size_t size,
                                       void *place)
{
    void *memory = calloc(count ? count : 1, size);
    if (!memory)
        return clump_fail(&job->context->log, CLUMP_ERROR_MEMORY,
                          "extract: cannot allocate %zu bytes", count * size);
    *(void **)place = memory;
    return CLUMP_OK;
}

enum clump_status clump_extract_upload(struct extract_job *job, const void *memory, size_t bytes,
                                       cl_mem *buffer)
{
    enum clump_status status = clump_buffer_borrow(job->context, bytes, buffer);
    return status ? status : clump_buffer_write(job->context, *buffer, memory, bytes);
}

const clump_image *clump_extract_noise(const struct extract_job *job)
{
    return job->params->noise_map ? job->params->noise_map : job->image;
}

static void begin(struct extract_job *job)
{
    const struct clump_extract_params *params = job->params;
    int noise = params->noise_map ? 2 : params->noise > 0;
    uint64_t area = params->min_area < UINT32_MAX ? params->min_area : UINT32_MAX;
    job->view = (struct extract_view){
        .gain = params->gain,
        .rows = (uint32_t)job->image->rows,
        .cols = (uint32_t)job->image->cols,
        .min_area = (uint32_t)area,
        .least = area < 3 ? (uint32_t)area : 3,
        .thresh = (float)params->thresh,
        .low = (float)(params->low > 0 ? params->low : params->thresh),
        .noise = (float)params->noise,
        .weight_rows = params->filter ? (uint32_t)params->filter->rows : 0,
        .weight_cols = params->filter ? (uint32_t)params->filter->cols : 0,
    };
    snprintf(job->options, sizeof job->options, "-DNOISE=%d -DKIND=%d", noise,
             noise == 2 ? (int)params->noise_kind : 0);
}

/* Measures all objects. */
static enum clump_status measure(struct extract_job *job)
{
    enum clump_status status =
        clump_extract_memory(job, job->count, sizeof *job->figures, &job->figures);
    if (!status && job->count)
        status = clump_extract_figures(job, job->items, job->count, job->list, job->centres,
                                       job->figures);
    for (uint32_t i = 0, child = 0; !status && i < job->count; i++)
        if (job->centres[i]) {
            uint32_t *flag = &job->figures[i].object.flag,
                     core = job->core_figures[child++].object.flag;
            *flag &= ~(uint32_t)CLUMP_OBJECT_TRUNCATED;
            *flag |=
                CLUMP_OBJECT_MERGED | (core & (CLUMP_OBJECT_TRUNCATED | CLUMP_OBJECT_SINGULAR));
        }
    return status;
}

/* Writes the numbers of the objects into the image of labels. */
static enum clump_status paint(struct extract_job *job)
{
    clump_context *context = job->context;
    cl_kernel kernel;
    cl_mem items = NULL, numbers = NULL;
    enum clump_status status =
        clump_buffer_fill(context, job->labels->buffer, 0, job->labels->bytes);
    if (status || !job->count)
        return status;
    status = clump_kernel(context, "extract/list", job->options, "extract_paint", &kernel);
    if (!status)
        status = clump_extract_upload(job, job->items, job->count * sizeof *job->items, &items);
    if (!status)
        status =
            clump_extract_upload(job, job->numbers, job->count * sizeof *job->numbers, &numbers);
    if (!status)
        status = clump_extract_launch(job, kernel, job->count,
                                      CLUMP_ARGS(CLUMP_ARG(items), CLUMP_ARG(numbers),
                                                 CLUMP_ARG(job->count), CLUMP_ARG(job->list),
                                                 CLUMP_ARG_IMAGE(job->labels)));
    clump_buffer_return(context, &numbers);
    clump_buffer_return(context, &items);
    return status;
}

static enum clump_status deliver(struct extract_job *job, clump_image **segmentation,
                                 clump_image **filtered, struct clump_extract_result *result)
{
    struct clump_object *objects = NULL;
    enum clump_status status = clump_extract_memory(job, job->kept, sizeof *objects, &objects);
    if (!status && segmentation)
        status = paint(job);
    if (status) {
        free(objects);
        return status;
    }
    for (uint32_t i = 0; i < job->count; i++)
        if (job->numbers[i])
            objects[job->numbers[i] - 1] = job->figures[i].object;
    *result = (struct clump_extract_result){.objects = objects,
                                            .count = job->kept,
                                            .sources = job->source_count,
                                            .deblended = job->count};
    if (segmentation) {
        *segmentation = job->labels;
        job->labels = NULL;
    }
    if (filtered) {
        *filtered = job->c;
        job->c = NULL;
    }
    return CLUMP_OK;
}

static void release(struct extract_job *job)
{
    free(job->numbers);
    free(job->figures);
    free(job->centres);
    free(job->items);
    free(job->core_figures);
    free(job->cores);
    free(job->children);
    free(job->blend_sources);
    free(job->blends);
    free(job->totals);
    free(job->thresholds);
    free(job->sources);
    clump_buffer_return(job->context, &job->next);
    clump_buffer_return(job->context, &job->places);
    clump_buffer_return(job->context, &job->list);
    clump_buffer_return(job->context, &job->boxes);
    clump_image_destroy(&job->labels);
    clump_image_destroy(&job->c);
}

enum clump_status clump_opencl_extract(clump_context *context, const clump_image *image,
                                       const struct clump_extract_params *params,
                                       clump_image **segmentation, clump_image **filtered,
                                       struct clump_extract_result *result)
{
    struct extract_job job = {.context = context, .image = image, .params = params};
    begin(&job);
    enum clump_status status = clump_extract_detect(&job);
    if (!status)
        status = clump_extract_sources(&job);
    if (!status)
        status = clump_extract_blends(&job);
    if (!status)
        status = clump_extract_share(&job);
    if (!status)
        status = measure(&job);
    if (!status)
        status = clump_extract_clean(&job);
    if (!status)
        status = deliver(&job, segmentation, filtered, result);
    release(&job);
    return status;
}
