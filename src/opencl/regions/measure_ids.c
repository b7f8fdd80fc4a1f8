/* SPDX-License-Identifier: MIT */
/* Replaces the ids of a label image, which may be any numbers, by their ranks
 * (cl/regions/measure_ids.cl). */
#include "opencl/regions/measure.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* What the steps share. */
struct ids {
    clump_context *context;
    const clump_image *labels;
    uint64_t n;     /* pixels */
    uint64_t slots; /* of the hash table: 2^bits */
    uint32_t bits;
    uint32_t count; /* of runs, then of ids */
    cl_mem counter, hash, list, places, ranks;
};

/* An id and its slot, while they are sorted. */
struct entry {
    uint64_t id;
    uint32_t slot;
};

static enum clump_status kernel_of(const struct ids *job, const char *name, cl_kernel *kernel)
{
    char options[32];
    snprintf(options, sizeof options, "-DT=%s", clump_type_opencl(job->labels->type));
    return clump_kernel(job->context, "regions/measure_ids", options, name, kernel);
}

/* Launches a kernel over n pixels or slots, coarse: shared out among the workers. */
static enum clump_status launch(const struct ids *job, const char *name, uint64_t n,
                                const struct clump_arg *args, unsigned count)
{
    const struct layout *layout = &job->context->opencl->layout;
    size_t workers = layout->workers, one = 1;
    cl_kernel kernel;
    enum clump_status status = kernel_of(job, name, &kernel);
    if (status)
        return status;
    return layout->coarse ? clump_launch(job->context, kernel, 1, &workers, &one, args, count)
                          : clump_launch_flat(job->context, kernel, n, args, count);
}

/* Reads the counter. */
static enum clump_status read_count(struct ids *job)
{
    void *mapped;
    enum clump_status status =
        clump_buffer_map(job->context, job->counter, CLUMP_IMAGE_READ, sizeof job->count, &mapped);
    if (status)
        return status;
    job->count = *(const uint32_t *)mapped;
    return clump_buffer_unmap(job->context, job->counter, mapped);
}

/* Counts the runs of equal ids: at most so many ids there are. */
static enum clump_status count_runs(struct ids *job)
{
    enum clump_status status = clump_buffer_borrow(job->context, sizeof job->count, &job->counter);
    if (!status)
        status = clump_buffer_fill(job->context, job->counter, 0, sizeof job->count);
    if (!status)
        status = launch(job, "measure_ids_count", job->n,
                        CLUMP_ARGS(CLUMP_ARG_IMAGE(job->labels), CLUMP_ARG(job->n),
                                   CLUMP_ARG(job->counter)));
    return status ? status : read_count(job);
}

/* Enters all ids into a hash table, at least half of which stays empty, and lists them. */
static enum clump_status enter(struct ids *job)
{
    clump_context *context = job->context;
    for (job->bits = 4; job->bits < 32 && UINT64_C(1) << job->bits < 2 * (uint64_t)job->count;)
        job->bits++;
    job->slots = UINT64_C(1) << job->bits;
    size_t bytes = (size_t)job->slots * sizeof(uint32_t), room = job->count ? job->count : 1;
    enum clump_status status = clump_buffer_borrow(context, bytes, &job->hash);
    if (!status)
        status = clump_buffer_borrow(context, room * sizeof(uint64_t), &job->list);
    if (!status)
        status = clump_buffer_borrow(context, room * sizeof(uint32_t), &job->places);
    if (!status)
        status = clump_buffer_fill(context, job->hash, 0, bytes);
    if (!status)
        status = clump_buffer_fill(context, job->counter, 0, sizeof job->count);
    if (!status)
        status = launch(job, "measure_ids_enter", job->n,
                        CLUMP_ARGS(CLUMP_ARG_IMAGE(job->labels), CLUMP_ARG(job->n),
                                   CLUMP_ARG(job->hash), CLUMP_ARG(job->bits)));
    if (!status)
        status = launch(job, "measure_ids_list", job->slots,
                        CLUMP_ARGS(CLUMP_ARG_IMAGE(job->labels), CLUMP_ARG(job->hash),
                                   CLUMP_ARG(job->slots), CLUMP_ARG(job->counter),
                                   CLUMP_ARG(job->list), CLUMP_ARG(job->places)));
    return status ? status : read_count(job);
}

static int by_id(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* Sorts the list of slots by their ids; `sorted` gets the ids in order. */
static enum clump_status sort(struct ids *job, struct entry *entries, uint64_t *sorted)
{
    clump_context *context = job->context;
    void *ids, *places;
    enum clump_status status =
        clump_buffer_map(context, job->list, CLUMP_IMAGE_READ, job->count * sizeof *sorted, &ids);
    if (status)
        return status;
    status = clump_buffer_map(context, job->places, CLUMP_IMAGE_READ_WRITE,
                              job->count * sizeof(uint32_t), &places);
    if (!status) {
        for (uint32_t i = 0; i < job->count; i++)
            entries[i] = (struct entry){((const uint64_t *)ids)[i], ((const uint32_t *)places)[i]};
        qsort(entries, job->count, sizeof *entries, by_id);
        for (uint32_t i = 0; i < job->count; i++) {
            sorted[i] = entries[i].id;
            ((uint32_t *)places)[i] = entries[i].slot;
        }
        status = clump_buffer_unmap(context, job->places, places);
    }
    enum clump_status unmapped = clump_buffer_unmap(context, job->list, ids);
    return status ? status : unmapped;
}

/* Writes the image of ranks. */
static enum clump_status write(struct ids *job, clump_image *ranked)
{
    clump_context *context = job->context;
    uint64_t count = job->count;
    cl_kernel kernel;
    enum clump_status status =
        clump_buffer_borrow(context, (size_t)job->slots * sizeof(int32_t), &job->ranks);
    if (!status)
        status = kernel_of(job, "measure_ids_order", &kernel);
    if (!status && count)
        status = clump_launch_flat(context, kernel, count,
                                   CLUMP_ARGS(CLUMP_ARG(job->places), CLUMP_ARG(count),
                                              CLUMP_ARG(job->ranks)));
    if (!status)
        status = launch(job, "measure_ids_write", job->n,
                        CLUMP_ARGS(CLUMP_ARG_IMAGE(job->labels), CLUMP_ARG(job->n),
                                   CLUMP_ARG(job->hash), CLUMP_ARG(job->bits),
                                   CLUMP_ARG(job->ranks), CLUMP_ARG_IMAGE(ranked)));
    return status;
}

static enum clump_status rank(struct ids *job, clump_image **ranked, uint64_t **sorted)
{
    clump_context *context = job->context;
    struct entry *entries = NULL;
    enum clump_status status = count_runs(job);
    if (!status)
        status = enter(job);
    if (status)
        return status;
    entries = malloc((job->count + (size_t)1) * sizeof *entries);
    *sorted = malloc((job->count + (size_t)1) * sizeof **sorted);
    if (!entries || !*sorted)
        status = clump_fail(&context->log, CLUMP_ERROR_MEMORY,
                            "measure: out of memory for %" PRIu32 " regions", job->count);
    if (!status && job->count)
        status = sort(job, entries, *sorted);
    if (!status)
        status =
            clump_image_create(context, CLUMP_I32, job->labels->rows, job->labels->cols, ranked);
    if (!status)
        status = write(job, *ranked);
    free(entries);
    return status;
}

enum clump_status clump_measure_ids_rank(clump_context *context, const clump_image *labels,
                                         clump_image **ranked, uint64_t **sorted)
{
    struct ids job = {.context = context, .labels = labels, .n = labels->rows * labels->cols};
    enum clump_status status = rank(&job, ranked, sorted);
    cl_mem *const own[] = {&job.ranks, &job.places, &job.list, &job.hash, &job.counter};
    for (unsigned i = 0; i < sizeof own / sizeof *own; i++)
        clump_buffer_return(context, own[i]);
    if (status) {
        clump_image_destroy(ranked);
        free(*sorted);
        *sorted = NULL;
    }
    return status;
}
