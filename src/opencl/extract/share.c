/* SPDX-License-Identifier: MIT */
/* The pixels of blends: cores are measured, then every other pixel goes to one of them. */
#include "opencl/extract/extract.h"

#include <math.h>
#include <stdlib.h>

/* Lists the pixels of the children, which items tells about afterwards. */
static enum clump_status bucket(struct extract_job *job, cl_mem blends, bool objects, cl_mem items,
                                cl_mem to)
{
    cl_kernel kernel;
    uint32_t whole = objects;
    enum clump_status status =
        clump_kernel(job->context, "extract/share", job->options, "extract_bucket", &kernel);
    if (!status)
        status = clump_extract_launch(job, kernel, job->blend_count,
                                      CLUMP_ARGS(CLUMP_ARG(blends), CLUMP_ARG(job->blend_count),
                                                 CLUMP_ARG(job->list), CLUMP_ARG_IMAGE(job->labels),
                                                 CLUMP_ARG(job->places), CLUMP_ARG(whole),
                                                 CLUMP_ARG(items), CLUMP_ARG(to)));
    if (!status)
        status = clump_buffer_read(job->context, items, job->children,
                                   job->child_count * sizeof *job->children);
    return status;
}

/* The profile of an object, by the figures of its core. */
static struct extract_profile profile_of(const struct extract_figure *core, float thresh)
{
    const struct clump_object *object = &core->object;
    double abcor = core->abcor, highest = log(4 * object->cpeak);
    double area = (double)object->npix / (2 * M_PI * abcor * object->a * object->b);
    double height = area < EXTRACT_FAR ? log(thresh) + area : highest;
    return (struct extract_profile){.x = object->x,
                                    .y = object->y,
                                    .cxx = (float)(0.5 * object->cxx / abcor),
                                    .cyy = (float)(0.5 * object->cyy / abcor),
                                    .cxy = (float)(0.5 * object->cxy / abcor),
                                    .height = (float)(height < highest ? height : highest)};
}

/* Gives the pixels that are in no core to the objects. */
static enum clump_status gather(struct extract_job *job)
{
    struct extract_profile *profiles = NULL;
    struct extract_task *tasks = NULL;
    uint32_t task_count = 0, t = 0;
    cl_kernel kernel;
    cl_mem profile_buffer = NULL, task_buffer = NULL;
    for (uint32_t b = 0; b < job->blend_count; b++)
        task_count += (job->blends[b].count + EXTRACT_PIECE - 1) / EXTRACT_PIECE;
    enum clump_status status =
        clump_kernel(job->context, "extract/share", job->options, "extract_gather", &kernel);
    if (!status)
        status = clump_extract_memory(job, job->child_count, sizeof *profiles, &profiles);
    if (!status)
        status = clump_extract_memory(job, task_count, sizeof *tasks, &tasks);
    for (uint32_t b = 0; !status && b < job->blend_count; b++) {
        const struct extract_blend *blend = &job->blends[b];
        for (uint32_t i = blend->child; i < blend->child + blend->children; i++)
            profiles[i] = profile_of(&job->core_figures[i], blend->thresh);
        for (uint32_t p = 0; p < blend->count; p += EXTRACT_PIECE) {
            uint32_t rest = blend->count - p;
            tasks[t++] = (struct extract_task){.first = blend->first + p,
                                               .count = rest < EXTRACT_PIECE ? rest : EXTRACT_PIECE,
                                               .child = blend->child,
                                               .children = blend->children};
        }
    }
    if (!status)
        status = clump_extract_upload(job, profiles, job->child_count * sizeof *profiles,
                                      &profile_buffer);
    if (!status)
        status = clump_extract_upload(job, tasks, task_count * sizeof *tasks, &task_buffer);
    if (!status)
        status = clump_extract_launch(job, kernel, task_count,
                                      CLUMP_ARGS(CLUMP_ARG(task_buffer), CLUMP_ARG(task_count),
                                                 CLUMP_ARG(job->list), CLUMP_ARG(job->view.cols),
                                                 CLUMP_ARG(profile_buffer),
                                                 CLUMP_ARG_IMAGE(job->labels)));
    clump_buffer_return(job->context, &task_buffer);
    clump_buffer_return(job->context, &profile_buffer);
    free(tasks);
    free(profiles);
    return status;
}

/* Measures the cores, whose pixels are in job->next, above their own levels. */
static enum clump_status measure_cores(struct extract_job *job)
{
    for (uint32_t b = 0; b < job->blend_count; b++)
        for (uint32_t i = 0; i < job->blends[b].children; i++) {
            const struct extract_core *core = &job->cores[job->blends[b].nodes + i];
            struct extract_item *item = &job->children[job->blends[b].child + i];
            enum clump_status status =
                clump_check_count(job->context, "extract", "pixels of a core", item->count,
                                  core->count);
            if (status)
                return status;
            item->thresh = core->thresh;
        }
    return clump_extract_figures(job, job->children, job->child_count, job->next, NULL,
                                 job->core_figures);
}

/* Lists the objects of all sources in their order. */
static enum clump_status list_items(struct extract_job *job)
{
    uint32_t most = job->source_count + job->child_count, b = 0;
    enum clump_status status = clump_extract_memory(job, most, sizeof *job->items, &job->items);
    if (!status)
        status = clump_extract_memory(job, most, sizeof *job->centres, &job->centres);
    for (uint32_t s = 0; !status && s < job->source_count; s++) {
        const struct extract_source *source = &job->sources[s];
        const struct extract_blend *blend = &job->blends[b];
        if (b == job->blend_count || job->blend_sources[b] != s) {
            job->items[job->count++] = (struct extract_item){.first = source->first,
                                                             .count = source->count,
                                                             .thresh = job->thresholds[s]};
            continue;
        }
        uint64_t sum = 0;
        for (uint32_t i = blend->child; i < blend->child + blend->children; i++) {
            job->centres[job->count] = &job->core_figures[i].object.x;
            job->items[job->count] = job->children[i];
            job->items[job->count++].thresh = job->thresholds[s];
            sum += job->children[i].count;
        }
        status =
            clump_check_count(job->context, "extract", "pixels of a blend", sum, source->count);
        b++;
    }
    return status;
}

enum clump_status clump_extract_share(struct extract_job *job)
{
    cl_mem blends = NULL, items = NULL;
    enum clump_status status = CLUMP_OK;
    if (!job->source_count)
        return CLUMP_OK;
    if (job->blend_count) {
        size_t bytes = job->child_count * sizeof *job->children;
        status = clump_extract_memory(job, job->child_count, sizeof *job->children, &job->children);
        if (!status)
            status = clump_extract_memory(job, job->child_count, sizeof *job->core_figures,
                                          &job->core_figures);
        if (!status)
            status = clump_extract_upload(job, job->blends, job->blend_count * sizeof *job->blends,
                                          &blends);
        if (!status)
            status = clump_extract_upload(job, job->children, bytes, &items);
        if (!status)
            status = bucket(job, blends, false, items, job->next);
        if (!status)
            status = measure_cores(job);
        if (!status)
            status = gather(job);
        if (!status)
            status = bucket(job, blends, true, items, job->list);
        clump_buffer_return(job->context, &items);
        clump_buffer_return(job->context, &blends);
    }
    return status ? status : list_items(job);
}
