/* SPDX-License-Identifier: MIT */
#include "opencl/regions/measure.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "opencl/regions/measure_figures.h"

#define SMALL_SUMS (1 << 18) /* rows of sums that are never split among several sweeps */
#define FEW_LABELS 1024      /* labels for which rows of sums that stay empty do not matter */

_Static_assert(sizeof(struct walk) == 32 && offsetof(struct walk, cols) == 8 &&
                   offsetof(struct walk, number) == 24,
               "laid out as in the kernels");
_Static_assert(sizeof(struct walk_slice) == 16 && offsetof(struct walk_slice, changes) == 12,
               "laid out as in the kernels");

static bool has_labels(const struct measure *job) { return job->labels->type == CLUMP_I32; }

/* Whether each band has rows of sums of its own: coarse, of a label image. */
static bool has_slices(const struct measure *job)
{
    return has_labels(job) && job->context->opencl->layout.coarse;
}

unsigned clump_measure_where(const struct measure *job, struct clump_arg args[MEASURE_WHERE])
{
    unsigned n = 0;
    if (has_slices(job)) { /* run_cursor_list.cl */
        args[n++] = CLUMP_ARG(job->changes);
        args[n++] = CLUMP_ARG(job->numbers);
        args[n++] = CLUMP_ARG(job->slices);
    } else if (has_labels(job)) { /* run_cursor_word.cl, LABELS */
        args[n++] = CLUMP_ARG(job->mask);
        args[n++] = CLUMP_ARG(job->changes);
        args[n++] = CLUMP_ARG_IMAGE(job->labels);
    } else { /* run_cursor_band.cl or run_cursor_word.cl */
        args[n++] = CLUMP_ARG_IMAGE(job->labels);
        for (unsigned i = 0; i < RUNS_ARRAYS; i++)
            args[n++] = CLUMP_ARG(job->runs.arrays[i]);
    }
    args[n++] = CLUMP_ARG(job->walk);
    return n;
}

enum clump_status clump_measure_launch(const struct measure *job, cl_kernel kernel,
                                       const struct clump_arg *args, unsigned count)
{
    size_t bands = job->bands, one = 1;
    if (job->context->opencl->layout.coarse)
        return clump_launch(job->context, kernel, 1, &bands, &one, args, count);
    return clump_launch_rows(job->context, kernel, job->walk.rows, clump_row_words(job->walk.cols),
                             args, count);
}

/* Whether the device may take denormal values of the image for 0. */
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

/* The number of rows of sums for the labels first..first + number - 1. Fills in the bands' slices
 * unless `slices` is NULL. */
static size_t lay_out(const struct measure *job, uint32_t first, uint32_t number,
                      struct walk_slice *slices)
{
    size_t rows = 0;
    if (!has_slices(job))
        return (size_t)number + job->slots;
    for (uint32_t b = 0; b < job->bands; b++) {
        const struct measure_range *range = &job->ranges[b];
        uint64_t from = (uint64_t)range->least + 1, to = (uint64_t)(uint32_t)range->greatest + 1;
        from = from < first ? first : from;
        to = to > (uint64_t)first + number ? (uint64_t)first + number : to;
        uint32_t own = to > from ? (uint32_t)(to - from) : 0;
        if (slices)
            slices[b] = (struct walk_slice){(uint32_t)rows, (uint32_t)from, own, range->changes};
        rows += own;
    }
    return rows;
}

/* Makes the slices, which the next call with the same labels finds in the pool of constants. */
static enum clump_status make_slices(struct measure *job)
{
    size_t bytes = job->bands * sizeof(struct walk_slice);
    job->sum_rows = lay_out(job, job->walk.first, job->walk.number, NULL);
    if (!has_slices(job))
        return CLUMP_OK;
    struct walk_slice *slices = malloc(bytes);
    if (!slices)
        return clump_fail(&job->context->log, CLUMP_ERROR_MEMORY,
                          "measure: out of memory for %" PRIu32 " bands", job->bands);
    lay_out(job, job->walk.first, job->walk.number, slices);
    enum clump_status status = clump_buffer_constant(job->context, slices, bytes, &job->slices);
    free(slices);
    return status;
}

/* Of the rows of sums and, behind them, the largest magnitude of each band. */
static size_t sums_bytes(const struct measure *job)
{
    return (job->sum_rows * job->words + job->bands) * sizeof(uint64_t);
}

/* Chooses how many labels the next sweep takes: all, if their rows of sums are few or take no more
 * memory than the pixels; else so many that this is so. Clears their rows. */
static enum clump_status make_sums(struct measure *job)
{
    clump_context *context = job->context;
    size_t room = (size_t)job->walk.rows * job->walk.cols * 4, largest = context->device.max_buffer;
    size_t most = (room > largest ? largest : room) / (job->words * sizeof(uint64_t));
    most = most < SMALL_SUMS ? SMALL_SUMS : most;
    job->walk.number = job->count - job->walk.first + 1;
    while (lay_out(job, job->walk.first, job->walk.number, NULL) > most && job->walk.number > 1024)
        job->walk.number = (job->walk.number + 1) / 2;
    enum clump_status status = make_slices(job);
    size_t bytes = sums_bytes(job);
    if (!status)
        status = clump_buffer_borrow(context, bytes, &job->sums);
    if (!status)
        status = clump_buffer_fill(context, job->sums, 0, bytes);
    return status;
}

/* Enqueues the sweep that fills the rows of sums. */
static enum clump_status sweep(const struct measure *job)
{
    const cl_mem pixels = job->image ? job->image->buffer : job->sums;
    uint32_t values = job->image != NULL;
    uint64_t magnitudes = job->sum_rows * job->words;
    struct clump_arg args[MEASURE_WHERE + 6];
    unsigned n = clump_measure_where(job, args);
    union factor factor;
    size_t size = clump_measure_range_factor(job, &factor);
    cl_kernel kernel;
    enum clump_status status = kernel_of(job, "measure_sweep", &kernel);
    if (status)
        return status;
    args[n++] = job->image ? CLUMP_ARG_IMAGE(job->image) : CLUMP_ARG(pixels);
    args[n++] = CLUMP_ARG(values);
    args[n++] = (struct clump_arg){size, &factor, 0};
    args[n++] = (struct clump_arg){size, (const char *)&factor + size, 0};
    args[n++] = CLUMP_ARG(job->sums);
    args[n++] = CLUMP_ARG(magnitudes);
    return clump_measure_launch(job, kernel, args, n);
}

/* Fine: enqueues the search for the low words of extreme keys, if keys have 64 bits; then that for
 * the places of the peaks. */
static enum clump_status look_again(const struct measure *job)
{
    uint32_t peak = job->image->type != CLUMP_F64 && job->image->type != CLUMP_I64;
    struct clump_arg args[MEASURE_WHERE + 3];
    unsigned n = clump_measure_where(job, args);
    cl_kernel kernel;
    enum clump_status status = kernel_of(job, "measure_again", &kernel);
    args[n++] = CLUMP_ARG_IMAGE(job->image);
    args[n++] = CLUMP_ARG(peak);
    args[n++] = CLUMP_ARG(job->sums);
    for (; !status && peak < 2; peak++)
        status = clump_measure_launch(job, kernel, args, n);
    return status;
}

/* Merges the rows that several bands have for one label, and starts the regions. Returns the row of
 * each label, NULL for a label without pixels; free with free. `strays` counts rows of labels that
 * are not in this sweep, of which there must be none. */
static uint64_t **merge_rows(struct measure *job, uint64_t *sums, uint64_t *strays)
{
    bool coarse = job->context->opencl->layout.coarse;
    uint64_t **home = calloc(job->walk.number, sizeof *home);
    *strays = 0;
    for (size_t r = 0; home && r < job->sum_rows; r++) {
        uint64_t *row = sums + r * job->words;
        if (!row[MEASURE_AREA])
            continue;
        size_t label = coarse ? row[MEASURE_LABEL] - job->walk.first : r;
        if (label >= job->walk.number)
            ++*strays;
        else if (home[label])
            clump_measure_figures_merge(home[label], row, job->words);
        else
            home[label] = row;
    }
    for (uint32_t i = 0; home && i < job->walk.number; i++)
        clump_measure_figures_start(home[i], job->walk.first + i, job->labels,
                                    &job->regions[job->walk.first - 1 + i]);
    return home;
}

/* Coarse: whether the scale, which was guessed, suits the largest magnitude that the sweep has met.
 * If not, sets the right scale; the sums are worthless then. */
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

/* Turns the rows of sums into regions, while the device makes their hulls. */
static enum clump_status read_rows(struct measure *job, uint64_t *sums)
{
    uint64_t strays, **home = merge_rows(job, sums, &strays);
    if (!home)
        return clump_fail(&job->context->log, CLUMP_ERROR_MEMORY,
                          "measure: out of memory for %" PRIu32 " regions", job->walk.number);
    enum clump_status status =
        clump_check_count(job->context, "measure", "rows of sums of labels that are not there",
                          strays, 0);
    if (!status && job->params->convex)
        status = clump_hull_start(job);
    for (uint32_t i = 0; !status && i < job->walk.number; i++)
        clump_measure_figures_finish(home[i], job->words, job->image, job->scale,
                                     job->params->level, &job->regions[job->walk.first - 1 + i]);
    free(home);
    return status;
}

/* Reads the rows of sums, unless the scale was wrong. */
static enum clump_status read_sums(struct measure *job, bool *again)
{
    void *mapped;
    enum clump_status status =
        clump_buffer_map(job->context, job->sums, CLUMP_IMAGE_READ_WRITE, sums_bytes(job), &mapped);
    if (status)
        return status;
    *again = !right_scale(job, (const uint64_t *)mapped + job->sum_rows * job->words);
    if (!*again)
        status = read_rows(job, mapped);
    enum clump_status unmapped = clump_buffer_unmap(job->context, job->sums, mapped);
    return status ? status : unmapped;
}

/* Measures the labels from walk.first on that one sweep takes; `again`: the scale was wrong. */
static enum clump_status measure_some(struct measure *job, bool *again)
{
    clump_context *context = job->context;
    enum clump_status status = make_sums(job);
    if (!status)
        status = sweep(job);
    if (!status && job->image && !context->opencl->layout.coarse)
        status = look_again(job);
    if (!status)
        status = read_sums(job, again);
    if (!status && !*again && job->params->convex)
        status = clump_hull_end(job);
    clump_buffer_return(context, &job->sums);
    clump_hull_release(job);
    return status;
}

/* Of a mask, every set pixel is in one region, so the areas make up all set pixels. */
static enum clump_status check_areas(const struct measure *job)
{
    uint64_t pixels = 0;
    for (uint32_t i = 0; i < job->count; i++)
        pixels += job->regions[i].area;
    return has_labels(job) ? CLUMP_OK
                           : clump_check_count(job->context, "measure", "pixels in all regions",
                                               pixels, job->set);
}

/* Whether most labels up to the greatest have no pixel, so that a row of sums per label would waste
 * memory. Labels that int32 does not hold were converted to its greatest number. */
static bool is_sparse(const struct measure *job)
{
    return has_labels(job) && (job->count > 2 * job->changes_seen + FEW_LABELS ||
                               (job->made && job->count == INT32_MAX));
}

/* Finds the labels; replaces them by their ranks if they are sparse. */
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

/* Gives the regions the labels of the image that was given, and drops labels without pixels. */
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
    job->walk.first = 1;
    while (!status && job->walk.first <= job->count) {
        bool again = false;
        status = measure_some(job, &again);
        if (again)
            clump_fall_back(job->context, "measure: values are larger than guessed: sums again");
        job->walk.first = again ? 1 : job->walk.first + job->walk.number;
    }
    if (!status)
        status = check_areas(job);
    if (!status && job->count && (job->params->perimeter || job->params->euler))
        status = clump_outline(job);
    if (!status)
        name_regions(job);
    return status;
}

/* The longest side: sums of values of 39 bits times squared rows must fit into 128 bits, columns of
 * hulls into 31 (docs/limits.md). */
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
                          "measure: an image of %" PRIu64 " x %" PRIu64 " pixels is too large: "
                          "measure takes up to %" PRIu32 " pixels, with sides of up to %" PRIu32
                          "; take the image in parts",
                          labels->rows, labels->cols, UINT32_MAX - 1, SIDE);
    struct measure job = {.context = context,
                          .image = image,
                          .given = labels,
                          .params = params,
                          .words = params->brief ? MEASURE_BRIEF_WORDS : MEASURE_WORDS,
                          .walk.cols = (uint32_t)labels->cols,
                          .walk.rows = (uint32_t)labels->rows};
    clump_runs_bands(context, job.walk.rows, &job.bands, &job.walk.band_rows);
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
