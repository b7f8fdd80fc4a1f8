/* SPDX-License-Identifier: MIT */
#include "opencl/regions/measure.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/regions/measure_figures.h"

#define SMALL_SUMS (1 << 18) /* rows of sums that are never split among several sweeps */
#define OPTIONS    112       /* bytes of a program's options */
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
    return clump_launch_flat(job->context, kernel, job->walk.rows * clump_row_words(job->walk.cols),
                             args, count);
}

/* Whether the device may take denormal values of the image for 0. */
static bool flushes(const struct measure *job)
{
    cl_device_fp_config config = 0;
    return job->image && job->image->type == CLUMP_F32 &&
           (job->context->opencl->flushes ||
            clump_cl.GetDeviceInfo(job->context->opencl->device, CL_DEVICE_SINGLE_FP_CONFIG,
                                   sizeof config, &config, NULL) != CL_SUCCESS ||
            !(config & CL_FP_DENORM));
}

static void options_of(const struct measure *job, char *options, size_t room)
{
    enum clump_type type = job->image ? job->image->type : CLUMP_U8;
    const char *kind = type == CLUMP_F32   ? " -DF32"
                       : type == CLUMP_F64 ? " -DF64"
                       : type == CLUMP_I64 ? " -DI64"
                                           : "";
    snprintf(options, room, "-DT=%s%s -DLABELS=%d -DMOMENTS=%d -DLANES=%d%s",
             clump_type_opencl(type), kind, has_labels(job), !job->params->brief,
             job->context->opencl->layout.vector < 8 ? 4 : 8, flushes(job) ? " -DFLUSHES" : "");
}

static enum clump_status kernel_of(const struct measure *job, const char *name, cl_kernel *kernel)
{
    char options[OPTIONS];
    options_of(job, options, sizeof options);
    return clump_kernel(job->context, "regions/measure", options, name, kernel);
}

/* The program of the sums takes longest to build: a process that builds ahead of another begins
 * with it (src/cli/ahead.h). */
static enum clump_status build_ahead(const struct measure *job)
{
    char options[OPTIONS];
    options_of(job, options, sizeof options);
    return clump_kernel_ahead(job->context, "regions/measure", options);
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

static size_t sums_bytes(const struct measure *job)
{
    return job->sum_rows * job->words * sizeof(uint64_t);
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
    int32_t scale = job->scale;
    struct clump_arg args[MEASURE_WHERE + 4];
    unsigned n = clump_measure_where(job, args);
    cl_kernel kernel;
    enum clump_status status = kernel_of(job, "measure_sweep", &kernel);
    if (status)
        return status;
    args[n++] = job->image ? CLUMP_ARG_IMAGE(job->image) : CLUMP_ARG(pixels);
    args[n++] = CLUMP_ARG(values);
    args[n++] = CLUMP_ARG(scale);
    args[n++] = CLUMP_ARG(job->sums);
    return clump_measure_launch(job, kernel, args, n);
}

/* Whether a pass over the image comes before the sweep, to find the extreme values. Coarse: only of
 * doubles, for which a common scale hardly ever serves. */
static bool needs_extremes(const struct measure *job)
{
    return job->image && (!job->context->opencl->layout.coarse || job->image->type == CLUMP_F64);
}

/* Enqueues a kernel that looks at the pixels of all regions and writes to their rows of sums. */
static enum clump_status start_look(const struct measure *job, const char *name)
{
    struct clump_arg args[MEASURE_WHERE + 2];
    unsigned n = clump_measure_where(job, args);
    cl_kernel kernel;
    enum clump_status status = kernel_of(job, name, &kernel);
    args[n++] = CLUMP_ARG_IMAGE(job->image);
    args[n++] = CLUMP_ARG(job->sums);
    return status ? status : clump_measure_launch(job, kernel, args, n);
}

/* Enqueues the search for extreme values and, fine, sets the scales by them. */
static enum clump_status find_extremes(const struct measure *job)
{
    bool coarse = job->context->opencl->layout.coarse;
    uint32_t rows = (uint32_t)job->sum_rows;
    int32_t level = clump_measure_scale_level(job);
    cl_kernel kernel;
    enum clump_status status = start_look(job, "measure_extremes");
    if (!status && !coarse && (job->image->type == CLUMP_F64 || job->image->type == CLUMP_I64))
        status = start_look(job, "measure_lows");
    if (status || coarse || !clump_measure_scale_needed(job))
        return status;
    status = kernel_of(job, "measure_scales", &kernel);
    return status ? status
                  : clump_launch_flat(job->context, kernel, rows,
                                      CLUMP_ARGS(CLUMP_ARG(job->sums), CLUMP_ARG(rows),
                                                 CLUMP_ARG(level)));
}

/* The label of a row of sums, from 0 for the first of this sweep. */
static size_t label_of(const struct measure *job, const uint64_t *sums, size_t row)
{
    bool coarse = job->context->opencl->layout.coarse;
    return coarse ? sums[row * job->words + MEASURE_LABEL] - job->walk.first : row;
}

/* Merges the rows that several bands have for one label. Returns the row of each label, NULL for a
 * label without pixels; free with free. `strays` counts rows of labels that are not in this sweep,
 * of which there must be none. */
static uint64_t **merge_rows(const struct measure *job, uint64_t *sums, uint64_t *strays)
{
    uint64_t **home = calloc(job->walk.number, sizeof *home);
    *strays = 0;
    for (size_t r = 0; home && r < job->sum_rows; r++) {
        uint64_t *row = sums + r * job->words;
        if (!row[MEASURE_AREA])
            continue;
        size_t label = label_of(job, sums, r);
        if (label >= job->walk.number)
            ++*strays;
        else if (home[label])
            clump_measure_figures_merge(home[label], row, job->words);
        else
            home[label] = row;
    }
    return home;
}

/* Prepares another sweep: clears the rows of labels that are wanted, and tells the sweep to leave
 * the others out. wanted[] has a label's scale + MEASURE_SCALE_0, or MEASURE_DONE. */
static void clear_rows(const struct measure *job, uint64_t *sums, const uint32_t *wanted)
{
    for (size_t r = 0; r < job->sum_rows; r++) {
        uint64_t *row = sums + r * job->words;
        uint64_t scale = row[MEASURE_AREA] ? wanted[label_of(job, sums, r)] : MEASURE_DONE;
        memset(row, 0, job->words * sizeof *row);
        row[MEASURE_SCALE] = scale;
    }
}

/* Finishes the wanted regions whose sums have the right scale; wanted[], as of clear_rows, has 0
 * for all at first, and gets the scales of those that need another sweep. `looked`: only extreme
 * values are known yet, and no sums. */
static void finish_regions(struct measure *job, uint64_t **home, bool looked, uint32_t *wanted,
                           bool *again)
{
    struct clump_region *regions = &job->regions[job->walk.first - 1];
    *again = false;
    for (uint32_t i = 0; i < job->walk.number; i++) {
        if (wanted[i] == MEASURE_DONE)
            continue;
        int own = clump_measure_scale_of(job, home[i]);
        bool done = !home[i] || (!looked && clump_measure_scale_settle(job, home[i], own));
        wanted[i] = done ? MEASURE_DONE : (uint32_t)(own + MEASURE_SCALE_0);
        *again |= !done;
        if (done)
            clump_measure_figures_finish(home[i], job->words, job->image, own, job->params->level,
                                         &regions[i]);
    }
}

/* Turns the rows of sums into regions, while the device makes their hulls. */
static enum clump_status read_rows(struct measure *job, uint64_t *sums, bool looked,
                                   uint32_t *wanted, bool *again)
{
    uint64_t strays, **home = merge_rows(job, sums, &strays);
    if (!home)
        return clump_fail(&job->context->log, CLUMP_ERROR_MEMORY,
                          "measure: out of memory for %" PRIu32 " regions", job->walk.number);
    enum clump_status status =
        clump_check_count(job->context, "measure", "rows of sums of labels that are not there",
                          strays, 0);
    for (uint32_t i = 0; !status && i < job->walk.number; i++)
        if (wanted[i] != MEASURE_DONE)
            clump_measure_figures_start(home[i], job->walk.first + i, job->labels,
                                        &job->regions[job->walk.first - 1 + i]);
    if (!status && job->params->convex && !looked && !job->places)
        status = clump_hull_start(job);
    if (!status)
        finish_regions(job, home, looked, wanted, again);
    if (!status && *again)
        clear_rows(job, sums, wanted);
    free(home);
    return status;
}

/* Reads the rows of sums, as read_rows does. Blocks. */
static enum clump_status read_sums(struct measure *job, bool looked, uint32_t *wanted, bool *again)
{
    void *mapped;
    enum clump_status status =
        clump_buffer_map(job->context, job->sums, CLUMP_IMAGE_READ_WRITE, sums_bytes(job), &mapped);
    if (status)
        return status;
    status = read_rows(job, mapped, looked, wanted, again);
    enum clump_status unmapped = clump_buffer_unmap(job->context, job->sums, mapped);
    return status ? status : unmapped;
}

/* Sums the labels of this sweep, and once more those that needed another scale. */
static enum clump_status sum_up(struct measure *job, uint32_t *wanted)
{
    bool again = false;
    enum clump_status status = needs_extremes(job) ? find_extremes(job) : CLUMP_OK;
    if (!status && needs_extremes(job) && job->context->opencl->layout.coarse)
        status = read_sums(job, true, wanted, &again);
    if (!status)
        status = sweep(job);
    if (!status)
        status = read_sums(job, false, wanted, &again);
    if (status || !again)
        return status;
    clump_fall_back(job->context, "measure: regions differ much in brightness: some sums again");
    status = sweep(job);
    return status ? status : read_sums(job, false, wanted, &again);
}

/* Measures the labels from walk.first on that one sweep takes. */
static enum clump_status measure_some(struct measure *job)
{
    enum clump_status status = make_sums(job);
    uint32_t *wanted = status ? NULL : calloc(job->walk.number, sizeof *wanted);
    if (!status && !wanted)
        status = clump_fail(&job->context->log, CLUMP_ERROR_MEMORY,
                            "measure: out of memory for %" PRIu32 " regions", job->walk.number);
    if (!status)
        status = sum_up(job, wanted);
    if (!status && job->params->convex)
        status = clump_hull_end(job);
    free(wanted);
    clump_buffer_return(job->context, &job->sums);
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
        status = build_ahead(job);
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
    for (; !status && job->walk.first <= job->count; job->walk.first += job->walk.number)
        status = measure_some(job);
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
