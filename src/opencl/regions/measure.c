/* SPDX-License-Identifier: MIT */
#include "opencl/regions/measure.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "opencl/regions/measure_figures.h"

#define SMALL_TABLE (1 << 18) /* rows that are not worth splitting a table for */
#define SLICE_WORDS 4
#define FEW_LABELS  1024 /* that are not worth a look at how many of them there are */

static bool has_labels(const struct measure *job) { return job->labels->type == CLUMP_I32; }

static bool has_slices(const struct measure *job)
{
    return has_labels(job) && job->context->opencl->layout.coarse;
}

unsigned clump_measure_where(const struct measure *job, struct clump_arg args[MEASURE_WHERE])
{
    unsigned n = 0;
    if (has_labels(job)) {
        if (!has_slices(job))
            args[n++] = CLUMP_ARG(job->mask);
        args[n++] = CLUMP_ARG(job->changes);
        args[n++] = has_slices(job) ? CLUMP_ARG(job->numbers) : CLUMP_ARG_IMAGE(job->labels);
        if (has_slices(job)) {
            args[n++] = CLUMP_ARG(job->room);
            args[n++] = CLUMP_ARG(job->slices);
        }
        return n;
    }
    args[n++] = CLUMP_ARG_IMAGE(job->labels);
    for (unsigned i = 0; i < 4; i++)
        args[n++] = CLUMP_ARG(job->runs.tables[i]);
    return n;
}

enum clump_status clump_measure_launch(const struct measure *job, cl_kernel kernel,
                                       const struct clump_arg *args, unsigned count)
{
    size_t bands = job->bands, one = 1;
    if (job->context->opencl->layout.coarse)
        return clump_launch(job->context, kernel, 1, &bands, &one, args, count);
    return clump_launch_rows(job->context, kernel, job->rows, clump_row_words(job->cols), args,
                             count);
}

/* Whether the device may take the image's denormals for 0. */
static bool flushes(const struct measure *job)
{
    cl_device_fp_config config = 0;
    return job->image && job->image->type == CLUMP_F32 &&
           (clump_cl.GetDeviceInfo(job->context->opencl->device, CL_DEVICE_SINGLE_FP_CONFIG,
                                   sizeof config, &config, NULL) != CL_SUCCESS ||
            !(config & CL_FP_DENORM));
}

static enum clump_status kernel_of(const struct measure *job, const char *name, cl_kernel *kernel)
{
    char type[32], options[112];
    clump_measure_range_type(job, type, sizeof type);
    snprintf(options, sizeof options, "%s -DLABELS=%d -DMOMENTS=%d -DLANES=%d%s", type,
             has_labels(job), !job->params->brief, job->context->opencl->layout.vector < 8 ? 4 : 8,
             flushes(job) ? " -DFLUSHES" : "");
    return clump_kernel(job->context, "regions/measure", options, name, kernel);
}

/* Rows of a table for labels first..first + number - 1; fills in the bands' slices if asked. */
static size_t lay_out(const struct measure *job, uint32_t first, uint32_t number, uint32_t *slices)
{
    size_t rows = 0;
    if (!has_slices(job))
        return (size_t)number + job->slots;
    for (uint32_t b = 0; b < job->bands; b++) {
        const int32_t *range = job->ranges + SLICE_WORDS * b;
        uint64_t from = (uint64_t)(uint32_t)range[0] + 1, to = (uint64_t)(uint32_t)range[1] + 1;
        from = from < first ? first : from;
        to = to > (uint64_t)first + number ? (uint64_t)first + number : to;
        uint32_t own = to > from ? (uint32_t)(to - from) : 0;
        if (slices) {
            slices[SLICE_WORDS * b] = (uint32_t)rows;
            slices[SLICE_WORDS * b + 1] = (uint32_t)from;
            slices[SLICE_WORDS * b + 2] = own;
            slices[SLICE_WORDS * b + 3] = (uint32_t)range[3];
        }
        rows += own;
    }
    return rows;
}

/* Slices are the same at the next call for the same labels. Only the coarse kernels read them. */
static enum clump_status make_slices(struct measure *job)
{
    size_t bytes = job->bands * SLICE_WORDS * sizeof(uint32_t);
    job->table_rows = lay_out(job, job->first, job->number, NULL);
    if (!has_slices(job))
        return CLUMP_OK;
    uint32_t *slices = malloc(bytes);
    if (!slices)
        return clump_fail(&job->context->log, CLUMP_ERROR_MEMORY, "measure: out of memory");
    lay_out(job, job->first, job->number, slices);
    enum clump_status status = clump_buffer_constant(job->context, slices, bytes, &job->slices);
    free(slices);
    return status;
}

/* The rows, and a largest magnitude for each band. */
static size_t table_bytes(const struct measure *job)
{
    return (job->table_rows * job->words + job->bands) * sizeof(uint64_t);
}

/* Takes as many labels as a table no larger than the pixels themselves holds, or a small one. */
static enum clump_status make_table(struct measure *job)
{
    clump_context *context = job->context;
    size_t room = (size_t)job->rows * job->cols * 4, largest = context->device.max_buffer;
    size_t most = (room > largest ? largest : room) / (job->words * sizeof(uint64_t));
    most = most < SMALL_TABLE ? SMALL_TABLE : most;
    job->number = job->count - job->first + 1;
    while (lay_out(job, job->first, job->number, NULL) > most && job->number > 1024)
        job->number = (job->number + 1) / 2;
    enum clump_status status = make_slices(job);
    size_t bytes = table_bytes(job);
    if (!status)
        status = clump_buffer_borrow(context, bytes, &job->table);
    if (!status)
        status = clump_buffer_fill(context, job->table, 0, bytes);
    return status;
}

static enum clump_status sweep(const struct measure *job)
{
    const cl_mem pixels = job->image ? job->image->buffer : job->table;
    uint32_t values = job->image != NULL;
    uint64_t end = job->table_rows * job->words;
    struct clump_arg args[MEASURE_WHERE + 11];
    unsigned n = clump_measure_where(job, args);
    union factor factor;
    size_t size = clump_measure_range_factor(job, &factor);
    cl_kernel kernel;
    enum clump_status status = kernel_of(job, "measure_sweep", &kernel);
    if (status)
        return status;
    args[n++] = job->image ? CLUMP_ARG_IMAGE(job->image) : CLUMP_ARG(pixels);
    args[n++] = CLUMP_ARG(job->cols);
    args[n++] = CLUMP_ARG(job->rows);
    args[n++] = CLUMP_ARG(job->band_rows);
    args[n++] = CLUMP_ARG(job->first);
    args[n++] = CLUMP_ARG(job->number);
    args[n++] = CLUMP_ARG(values);
    args[n++] = (struct clump_arg){size, &factor, 0};
    args[n++] = (struct clump_arg){size, (const char *)&factor + size, 0};
    args[n++] = CLUMP_ARG(job->table);
    args[n++] = CLUMP_ARG(end);
    return clump_measure_launch(job, kernel, args, n);
}

/* Fine: the low words of extreme keys, where there are such; then the peaks' places. */
static enum clump_status look_again(const struct measure *job)
{
    uint32_t peak = job->image->type != CLUMP_F64 && job->image->type != CLUMP_I64;
    struct clump_arg args[MEASURE_WHERE + 6];
    unsigned n = clump_measure_where(job, args);
    cl_kernel kernel;
    enum clump_status status = kernel_of(job, "measure_again", &kernel);
    args[n++] = CLUMP_ARG_IMAGE(job->image);
    args[n++] = CLUMP_ARG(job->cols);
    args[n++] = CLUMP_ARG(job->first);
    args[n++] = CLUMP_ARG(job->number);
    args[n++] = CLUMP_ARG(peak);
    args[n++] = CLUMP_ARG(job->table);
    for (; !status && peak < 2; peak++)
        status = clump_measure_launch(job, kernel, args, n);
    return status;
}

/* Where each label's row is, after the rows of several bands were merged; and the regions' boxes.
 * Freed by the caller. */
static uint64_t **merge_rows(struct measure *job, uint64_t *table, uint64_t *strays)
{
    bool coarse = job->context->opencl->layout.coarse;
    uint64_t **home = calloc(job->number, sizeof *home);
    *strays = 0;
    for (size_t r = 0; home && r < job->table_rows; r++) {
        uint64_t *row = table + r * job->words;
        if (!row[REGION_AREA])
            continue;
        size_t label = coarse ? row[REGION_LABEL] - job->first : r;
        if (label >= job->number)
            ++*strays;
        else if (home[label])
            clump_measure_figures_merge(home[label], row, job->words);
        else
            home[label] = row;
    }
    for (uint32_t i = 0; home && i < job->number; i++)
        clump_measure_figures_start(home[i], job->first + i, job->labels,
                                    &job->regions[job->first - 1 + i]);
    return home;
}

/* Coarse: whether no value was too large for the scale, which was guessed. If one was, it is right
 * now, and all labels are to be summed again. */
static bool right_scale(struct measure *job, const uint64_t *largest)
{
    int scale = job->scale;
    uint64_t most = 0;
    for (uint32_t b = 0; b < job->bands; b++)
        most = largest[b] > most ? largest[b] : most;
    if (!has_slices(job) || most <= job->most)
        return true;
    clump_measure_range_scale(job, most);
    return job->scale == scale;
}

/* Turns the table's rows into regions, while the device is at their hulls. */
static enum clump_status read_rows(struct measure *job, uint64_t *table)
{
    uint64_t strays, **home = merge_rows(job, table, &strays);
    if (!home)
        return clump_fail(&job->context->log, CLUMP_ERROR_MEMORY, "measure: out of memory");
    enum clump_status status =
        clump_check_count(job->context, "measure", "sums of labels that are not there", strays, 0);
    if (!status && job->params->convex)
        status = clump_hull_start(job);
    for (uint32_t i = 0; !status && i < job->number; i++)
        clump_measure_figures_finish(home[i], job->words, job->image, job->scale,
                                     job->params->level, &job->regions[job->first - 1 + i]);
    free(home);
    return status;
}

static enum clump_status read_table(struct measure *job, bool *again)
{
    void *mapped;
    enum clump_status status = clump_buffer_map(job->context, job->table, CLUMP_IMAGE_READ_WRITE,
                                                table_bytes(job), &mapped);
    if (status)
        return status;
    *again = !right_scale(job, (const uint64_t *)mapped + job->table_rows * job->words);
    if (!*again)
        status = read_rows(job, mapped);
    enum clump_status unmapped = clump_buffer_unmap(job->context, job->table, mapped);
    return status ? status : unmapped;
}

/* One table: the sums, and what needs them. */
static enum clump_status measure_some(struct measure *job, bool *again)
{
    clump_context *context = job->context;
    enum clump_status status = make_table(job);
    if (!status)
        status = sweep(job);
    if (!status && job->image && !context->opencl->layout.coarse)
        status = look_again(job);
    if (!status)
        status = read_table(job, again);
    if (!status && !*again && job->params->convex)
        status = clump_hull_end(job);
    clump_buffer_return(context, &job->table);
    clump_hull_release(job);
    return status;
}

/* Every set pixel of a mask is in one region. */
static enum clump_status check_areas(const struct measure *job)
{
    uint64_t pixels = 0;
    for (uint32_t i = 0; i < job->count; i++)
        pixels += job->regions[i].area;
    return has_labels(job) ? CLUMP_OK
                           : clump_check_count(job->context, "measure", "pixels in all regions",
                                               pixels, job->set);
}

/* Whether tables by label would be much larger than what there is to put into them. Numbers that
 * int32 does not hold have become its greatest. */
static bool is_sparse(const struct measure *job)
{
    return has_labels(job) && (job->count > 2 * job->changes_seen + FEW_LABELS ||
                               (job->made && job->count == INT32_MAX));
}

/* Finds the labels, and gives them ranks where tables by label are of no use. */
static enum clump_status find_labels(struct measure *job)
{
    const unsigned known = 1u << CLUMP_BITS | 1u << CLUMP_I32;
    job->labels = job->given;
    enum clump_status status =
        clump_convert_to(job->context, known, CLUMP_I32, &job->labels, &job->made);
    if (!status)
        status = clump_measure_range(job);
    if (status || !is_sparse(job))
        return status;
    clump_measure_range_release(job);
    clump_image_destroy(&job->made);
    status = clump_measure_ids_rank(job->context, job->given, &job->made, &job->ids);
    job->labels = job->made;
    return status ? status : clump_measure_range(job);
}

/* Gives regions the numbers that were given, and drops those without pixels. */
static void name_regions(struct measure *job)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < job->count; i++) {
        if (!job->regions[i].area)
            continue;
        if (kept < i)
            job->regions[kept] = job->regions[i];
        if (job->ids)
            job->regions[kept].label = job->ids[i];
        kept++;
    }
    job->count = kept;
}

static enum clump_status measure_all(struct measure *job)
{
    enum clump_status status = find_labels(job);
    if (status)
        return status;
    job->regions = malloc((job->count + (size_t)1) * sizeof *job->regions);
    if (!job->regions)
        return clump_fail(&job->context->log, CLUMP_ERROR_MEMORY,
                          "measure: out of memory for %" PRIu32 " regions", job->count);
    job->first = 1;
    while (!status && job->first <= job->count) {
        bool again = false;
        status = measure_some(job, &again);
        if (again)
            clump_fall_back(job->context, "measure: values are larger than was guessed: again");
        job->first = again ? 1 : job->first + job->number;
    }
    if (!status)
        status = check_areas(job);
    if (!status && job->count && (job->params->perimeter || job->params->euler))
        status = clump_outline(job);
    if (!status)
        name_regions(job);
    return status;
}

/* Sums of values of 39 bits times squared rows have 128 bits, and hulls have columns of 31. */
#define SIDE (UINT32_C(1) << 28)

enum clump_status clump_opencl_measure(clump_context *context, const clump_image *image,
                                       const clump_image *labels,
                                       const struct clump_measure_params *params,
                                       struct clump_region **regions, uint64_t *count)
{
    uint64_t pixels;
    if (__builtin_mul_overflow(labels->rows, labels->cols, &pixels) || pixels >= UINT32_MAX ||
        labels->rows > SIDE || labels->cols > SIDE)
        return clump_fail(&context->log, CLUMP_ERROR_UNSUPPORTED,
                          "measure: %" PRIu64 " x %" PRIu64 " pixels are more than the %" PRIu32
                          ", with sides of up to %" PRIu32 ", that can be measured at once: "
                          "take the image in parts",
                          labels->rows, labels->cols, UINT32_MAX - 1, SIDE);
    struct measure job = {.context = context,
                          .image = image,
                          .given = labels,
                          .params = params,
                          .words = params->brief ? REGION_BRIEF_WORDS : REGION_WORDS,
                          .cols = (uint32_t)labels->cols,
                          .rows = (uint32_t)labels->rows};
    clump_runs_bands(context, job.rows, &job.bands, &job.band_rows);
    enum clump_status status = measure_all(&job);
    clump_measure_range_release(&job);
    clump_image_destroy(&job.made);
    free(job.ids);
    if (status) {
        free(job.regions);
        return status;
    }
    *regions = job.regions;
    *count = job.count;
    return CLUMP_OK;
}
