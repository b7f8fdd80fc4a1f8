/* SPDX-License-Identifier: MIT */
#include "opencl/region.h"
#include "opencl/runs.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define VALUE_BITS  39        /* of a pixel's fixed-point value */
#define SMALL_TABLE (1 << 18) /* rows that are not worth splitting a table for */
#define RANGE_ITEMS 16384     /* thin: work-items that look for the largest magnitude */
#define SLICE_WORDS 4

enum pass { SUM, LOW, TOP, EDGES }; /* of measure_sweep, as in cl/measure.cl */

/* What a call works with. */
struct job {
    clump_context *context;
    const clump_image *image, *labels; /* image may be NULL; labels I32, or a mask */
    const struct clump_measure_params *params;
    char options[64];
    struct runs runs; /* of a mask */
    uint32_t cols, rows, bands, band_rows;
    uint32_t slots;  /* table rows beyond one a label (fat, mask) */
    int32_t *ranges; /* of label images: least, greatest, lowest, 0 of each band */
    cl_mem most;     /* largest magnitudes */
    size_t most_count;
    int scale;
    struct clump_region *regions;
    uint32_t count;
    uint32_t first, number; /* labels now in the table: from `first` on */
    size_t table_rows;
    cl_mem table, slices, edges, places;
};

static bool is_real(const clump_image *image)
{
    return image && (image->type == CLUMP_F32 || image->type == CLUMP_F64);
}

static enum clump_status kernel_of(const struct job *job, const char *name, cl_kernel *kernel)
{
    return clump_kernel(job->context, "measure", job->options, name, kernel);
}

static void name_options(struct job *job)
{
    enum clump_type type = job->image ? job->image->type : CLUMP_U8;
    const char *kind = type == CLUMP_F32   ? " -DF32"
                       : type == CLUMP_F64 ? " -DF64"
                       : type == CLUMP_I64 ? " -DI64"
                                           : "";
    snprintf(job->options, sizeof job->options, "-DT=%s%s -DLABELS=%d", clump_type_opencl(type),
             kind, job->labels->type == CLUMP_I32);
}

/* Enqueues the search for the largest finite magnitude. */
static enum clump_status start_range(struct job *job)
{
    const struct shape *shape = &job->context->opencl->shape;
    uint64_t pixels = (uint64_t)job->rows * job->cols;
    size_t local = shape->fat ? 1 : shape->group;
    size_t items = shape->fat ? shape->workers : RANGE_ITEMS;
    cl_kernel kernel;
    if (!is_real(job->image) && (!job->image || job->image->type != CLUMP_I64))
        return CLUMP_OK;
    job->most_count = items;
    enum clump_status status = kernel_of(job, "measure_range", &kernel);
    if (!status)
        status = clump_buffer_borrow(job->context, items * sizeof(uint64_t), &job->most);
    if (!status)
        status = clump_launch(job->context, kernel, 1, &items, &local,
                              CLUMP_ARGS(CLUMP_ARG_IMAGE(job->image), CLUMP_ARG(pixels),
                                         CLUMP_ARG(job->most)));
    return status;
}

/* The exponent E of 2^(E-1) <= m < 2^E, m being the magnitude with these bits; not 0. */
static int exponent_of(uint64_t bits, enum clump_type type)
{
    int length = 64 - __builtin_clzll(bits);
    if (type == CLUMP_I64)
        return length;
    int stored = (int)(type == CLUMP_F32 ? bits >> 23 : bits >> 52);
    int bias = type == CLUMP_F32 ? 126 : 1022, least = type == CLUMP_F32 ? -149 : -1074;
    return stored ? stored - bias : least + length;
}

static enum clump_status end_range(struct job *job)
{
    uint64_t most = 0;
    void *mapped;
    if (!job->most)
        return CLUMP_OK;
    enum clump_status status = clump_buffer_map(job->context, job->most, CLUMP_READ,
                                                job->most_count * sizeof most, &mapped);
    if (status)
        return status;
    for (size_t i = 0; i < job->most_count; i++)
        if (((const uint64_t *)mapped)[i] > most)
            most = ((const uint64_t *)mapped)[i];
    int exponent = most ? exponent_of(most, job->image->type) : VALUE_BITS;
    if (is_real(job->image) || exponent > VALUE_BITS)
        job->scale = VALUE_BITS - exponent;
    return clump_buffer_unmap(job->context, job->most, mapped);
}

/* The labels' range in each band. */
static enum clump_status find_labels(struct job *job)
{
    clump_context *context = job->context;
    size_t bands = job->bands, one = 1, bytes = bands * SLICE_WORDS * sizeof *job->ranges;
    cl_kernel kernel;
    cl_mem found = NULL;
    int32_t lowest = 0, greatest = 0;
    job->ranges = malloc(bytes);
    if (!job->ranges)
        return clump_fail(&context->log, CLUMP_ERROR_MEMORY, "measure: out of memory");
    enum clump_status status = kernel_of(job, "measure_labels", &kernel);
    if (!status)
        status = clump_buffer_borrow(context, bytes, &found);
    if (!status)
        status = clump_launch(context, kernel, 1, &bands, &one,
                              CLUMP_ARGS(CLUMP_ARG_IMAGE(job->labels), CLUMP_ARG(job->cols),
                                         CLUMP_ARG(job->rows), CLUMP_ARG(job->band_rows),
                                         CLUMP_ARG(found)));
    if (!status)
        status = clump_buffer_read(context, found, job->ranges, bytes);
    clump_buffer_return(context, &found);
    if (status)
        return status;
    for (size_t b = 0; b < bands; b++) {
        const int32_t *range = job->ranges + SLICE_WORDS * b;
        greatest = range[1] > greatest ? range[1] : greatest;
        lowest = range[2] < lowest ? range[2] : lowest;
    }
    if (lowest < 0)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "measure: label %" PRId32 " is negative", lowest);
    job->count = (uint32_t)greatest;
    return CLUMP_OK;
}

static enum clump_status find_regions(struct job *job)
{
    uint32_t counts[2];
    if (job->labels->type == CLUMP_I32)
        return find_labels(job);
    enum clump_status status = clump_runs_make(job->context, "measure", job->labels, false,
                                               job->params->connectivity, &job->runs);
    if (!status)
        status = clump_runs_count(job->context, &job->runs, counts);
    if (status)
        return status;
    job->count = counts[0];
    job->slots = job->context->opencl->shape.fat ? counts[1] : 0;
    return CLUMP_OK;
}

/* Rows of a table for labels first..first + number - 1; fills in the bands' slices if asked. */
static size_t lay_out(const struct job *job, uint32_t first, uint32_t number, uint32_t *slices)
{
    size_t rows = 0;
    if (!job->ranges || !job->context->opencl->shape.fat)
        return (size_t)number + job->slots;
    for (uint32_t b = 0; b < job->bands; b++) {
        const int32_t *range = job->ranges + SLICE_WORDS * b;
        uint64_t from = (uint32_t)range[0], to = (uint64_t)(uint32_t)range[1] + 1;
        from = from < first ? first : from;
        to = to > (uint64_t)first + number ? (uint64_t)first + number : to;
        uint32_t own = range[1] && to > from ? (uint32_t)(to - from) : 0;
        if (slices) {
            slices[SLICE_WORDS * b] = (uint32_t)rows;
            slices[SLICE_WORDS * b + 1] = (uint32_t)from;
            slices[SLICE_WORDS * b + 2] = own;
            slices[SLICE_WORDS * b + 3] = 0;
        }
        rows += own;
    }
    return rows;
}

/* Takes as many labels as a table no larger than the pixels themselves holds, or a small one. */
static enum clump_status make_table(struct job *job)
{
    clump_context *context = job->context;
    size_t pixels = (size_t)job->rows * job->cols * 4;
    size_t room =
        pixels > job->context->device.max_buffer ? job->context->device.max_buffer : pixels;
    size_t most = room / (REGION_WORDS * sizeof(uint64_t));
    uint32_t *slices = NULL;
    most = most < SMALL_TABLE ? SMALL_TABLE : most;
    job->number = job->count - job->first + 1;
    while (lay_out(job, job->first, job->number, NULL) > most && job->number > 1024)
        job->number = (job->number + 1) / 2;
    if (job->ranges) {
        slices = malloc(job->bands * SLICE_WORDS * sizeof *slices);
        if (!slices)
            return clump_fail(&context->log, CLUMP_ERROR_MEMORY, "measure: out of memory");
    }
    job->table_rows = lay_out(job, job->first, job->number, slices);
    size_t bytes = job->table_rows * REGION_WORDS * sizeof(uint64_t);
    enum clump_status status = clump_buffer_borrow(context, bytes, &job->table);
    if (!status)
        status = clump_buffer_fill(context, job->table, 0, bytes);
    if (!status && slices)
        status = clump_buffer_borrow(context, job->bands * SLICE_WORDS * 4, &job->slices);
    if (!status && slices)
        status = clump_buffer_write(context, job->slices, slices, job->bands * SLICE_WORDS * 4);
    free(slices);
    return status;
}

/* Two factors whose product is 2^scale, in the type that the kernel multiplies by. */
union factor {
    float f32[2];
    double f64[2];
    uint32_t shift[2];
};

static size_t make_factor(const struct job *job, union factor *factor)
{
    int real = is_real(job->image), wide = real && job->image->type == CLUMP_F64;
    int most = wide ? 1023 : 127, first = job->scale < most ? job->scale : most;
    if (!real) {
        factor->shift[0] = (uint32_t)-job->scale;
        factor->shift[1] = 0;
        return sizeof factor->shift[0];
    }
    for (int i = 0; i < 2 && wide; i++)
        factor->f64[i] = ldexp(1, i ? job->scale - first : first);
    for (int i = 0; i < 2 && !wide; i++)
        factor->f32[i] = ldexpf(1, i ? job->scale - first : first);
    return wide ? sizeof factor->f64[0] : sizeof factor->f32[0];
}

static enum clump_status sweep(struct job *job, enum pass pass)
{
    clump_context *context = job->context;
    bool fat = context->opencl->shape.fat, mask = job->labels->type == CLUMP_BITS;
    uint32_t which = pass, values = job->image != NULL;
    const cl_mem pixels = job->image ? job->image->buffer : job->table;
    cl_mem places = job->places ? job->places : job->table;
    cl_mem edges = job->edges ? job->edges : job->table;
    size_t bands = job->bands, one = 1;
    union factor factor;
    size_t size = make_factor(job, &factor);
    struct clump_arg args[24];
    unsigned n = 0;
    cl_kernel kernel;
    enum clump_status status = kernel_of(job, "measure_sweep", &kernel);
    if (status)
        return status;
    args[n++] = CLUMP_ARG_IMAGE(job->labels);
    for (unsigned i = 0; i < 4 && mask; i++)
        args[n++] = CLUMP_ARG(job->runs.tables[i]);
    if (!mask)
        args[n++] = CLUMP_ARG(job->slices);
    const struct clump_arg rest[] = {CLUMP_ARG(pixels),     CLUMP_ARG(job->cols),
                                     CLUMP_ARG(job->rows),  CLUMP_ARG(job->band_rows),
                                     CLUMP_ARG(job->first), CLUMP_ARG(job->number),
                                     CLUMP_ARG(which),      CLUMP_ARG(values),
                                     {size, &factor},       {size, (const char *)&factor + size},
                                     CLUMP_ARG(job->table), CLUMP_ARG(places),
                                     CLUMP_ARG(edges)};
    for (unsigned i = 0; i < sizeof rest / sizeof *rest; i++)
        args[n++] = rest[i];
    if (fat)
        return clump_launch(context, kernel, 1, &bands, &one, args, n);
    return clump_launch_rows(context, kernel, job->rows, clump_row_words(job->cols), args, n);
}

/* Turns the table's rows into regions. A label may have several rows, of different bands. */
static enum clump_status read_table(struct job *job)
{
    bool fat = job->context->opencl->shape.fat;
    size_t bytes = job->table_rows * REGION_WORDS * sizeof(uint64_t);
    uint64_t **home = calloc(job->number, sizeof *home);
    void *mapped = NULL;
    if (!home)
        return clump_fail(&job->context->log, CLUMP_ERROR_MEMORY, "measure: out of memory");
    enum clump_status status =
        clump_buffer_map(job->context, job->table, CLUMP_READ_WRITE, bytes, &mapped);
    if (status)
        goto out;
    uint64_t *table = mapped;
    for (size_t r = 0; r < job->table_rows; r++) {
        uint64_t *row = table + r * REGION_WORDS;
        if (!row[REGION_AREA])
            continue;
        size_t label = fat ? row[REGION_LABEL] - job->first : r;
        if (home[label])
            clump_region_merge(home[label], row);
        else
            home[label] = row;
    }
    for (uint32_t i = 0; i < job->number; i++) {
        struct clump_region *region = &job->regions[job->first - 1 + i];
        *region = clump_region_empty(job->first + i, job->image != NULL);
        if (home[i])
            clump_region_finish(home[i], job->image, job->labels, job->scale, region);
    }
    status = clump_buffer_unmap(job->context, job->table, mapped);
out:
    free(home);
    return status;
}

/* Where each region's rows are among the edges: `bounds` for the hulls, one more than there are
 * regions, and the place of the image's row 0, for the sweep. */
static uint32_t *place_edges(const struct job *job, uint32_t **places)
{
    uint32_t *bounds = malloc((job->number + (size_t)1) * sizeof *bounds);
    *places = malloc(job->number * sizeof **places);
    if (!bounds || !*places) {
        free(*places);
        free(bounds);
        return NULL;
    }
    bounds[0] = 0;
    for (uint32_t i = 0; i < job->number; i++) {
        const struct clump_region *region = &job->regions[job->first - 1 + i];
        (*places)[i] = bounds[i] - (uint32_t)region->row_min;
        bounds[i + 1] = bounds[i] + (uint32_t)(region->row_max - region->row_min);
    }
    return bounds;
}

static enum clump_status count_hulls(struct job *job, const uint32_t *bounds, cl_mem areas)
{
    clump_context *context = job->context;
    size_t bytes = (job->number + (size_t)1) * sizeof *bounds;
    size_t points = 2 * (size_t)bounds[job->number] + job->number;
    cl_mem ends = NULL, chains = NULL;
    cl_kernel kernel;
    enum clump_status status = kernel_of(job, "measure_hull", &kernel);
    if (!status)
        status = clump_buffer_borrow(context, bytes, &ends);
    if (!status)
        status = clump_buffer_write(context, ends, bounds, bytes);
    if (!status)
        status = clump_buffer_borrow(context, points * 8, &chains);
    if (!status)
        status = clump_launch_flat(context, kernel, job->number,
                                   CLUMP_ARGS(CLUMP_ARG(ends), CLUMP_ARG(job->number),
                                              CLUMP_ARG(job->edges), CLUMP_ARG(chains),
                                              CLUMP_ARG(areas)));
    clump_buffer_return(context, &chains);
    clump_buffer_return(context, &ends);
    return status;
}

static enum clump_status measure_convex(struct job *job)
{
    clump_context *context = job->context;
    uint32_t *places, *bounds = place_edges(job, &places);
    size_t bytes = job->number * sizeof *places;
    cl_mem areas = NULL;
    void *mapped;
    if (!bounds)
        return clump_fail(&context->log, CLUMP_ERROR_MEMORY, "measure: out of memory");
    size_t edges = 8 * (size_t)bounds[job->number];
    enum clump_status status = clump_buffer_borrow(context, bytes, &job->places);
    if (!status)
        status = clump_buffer_write(context, job->places, places, bytes);
    if (!status)
        status = clump_buffer_borrow(context, edges, &job->edges);
    if (!status)
        status = clump_buffer_fill(context, job->edges, 0, edges);
    if (!status)
        status = sweep(job, EDGES);
    if (!status)
        status = clump_buffer_borrow(context, bytes, &areas);
    if (!status)
        status = count_hulls(job, bounds, areas);
    if (!status)
        status = clump_buffer_map(context, areas, CLUMP_READ, bytes, &mapped);
    for (uint32_t i = 0; !status && i < job->number; i++) {
        struct clump_region *region = &job->regions[job->first - 1 + i];
        region->area_convex = ((const uint32_t *)mapped)[i];
        if (region->area)
            region->solidity = (double)region->area / (double)region->area_convex;
    }
    if (!status)
        status = clump_buffer_unmap(context, areas, mapped);
    clump_buffer_return(context, &areas);
    clump_buffer_return(context, &job->edges);
    clump_buffer_return(context, &job->places);
    free(places);
    free(bounds);
    return status;
}

static void finish_outline(struct job *job, const uint32_t *counts)
{
    const double root = 1.41421356237309504880;
    for (uint32_t i = 0; i < job->count; i++, counts += 4) {
        struct clump_region *region = &job->regions[i];
        if (job->params->perimeter && region->area)
            region->perimeter = counts[0] + counts[1] * root + counts[2] * ((1 + root) / 2);
        if (job->params->euler)
            region->euler = (int32_t)counts[3];
    }
}

/* Perimeter and Euler's number, from a label image. */
static enum clump_status measure_outline(struct job *job)
{
    clump_context *context = job->context;
    const clump_image *labels = job->labels;
    clump_image *made = NULL;
    cl_mem counts = NULL;
    cl_kernel kernel;
    size_t bytes = job->count * (size_t)16;
    void *mapped;
    enum clump_status status = kernel_of(job, "measure_outline", &kernel);
    if (!status && labels->type == CLUMP_BITS) {
        status = clump_image_create(context, CLUMP_I32, labels->rows, labels->cols, &made);
        labels = made;
        if (!status)
            status = clump_runs_write(context, &job->runs, made);
    }
    if (!status)
        status = clump_buffer_borrow(context, bytes, &counts);
    if (!status)
        status = clump_buffer_fill(context, counts, 0, bytes);
    if (!status)
        status = clump_launch_rows(context, kernel, (uint64_t)job->rows + 1, job->cols / 32 + 1,
                                   CLUMP_ARGS(CLUMP_ARG_IMAGE(labels), CLUMP_ARG(job->cols),
                                              CLUMP_ARG(job->rows), CLUMP_ARG(counts)));
    if (!status)
        status = clump_buffer_map(context, counts, CLUMP_READ, bytes, &mapped);
    if (!status) {
        finish_outline(job, mapped);
        status = clump_buffer_unmap(context, counts, mapped);
    }
    clump_buffer_return(context, &counts);
    clump_image_destroy(&made);
    return status;
}

/* One table: the sums, and what needs them. */
static enum clump_status measure_some(struct job *job)
{
    bool fat = job->context->opencl->shape.fat;
    bool long_keys = job->image && (job->image->type == CLUMP_F64 || job->image->type == CLUMP_I64);
    enum clump_status status = make_table(job);
    if (!status)
        status = sweep(job, SUM);
    if (!status && !fat && long_keys)
        status = sweep(job, LOW);
    if (!status && !fat && job->image)
        status = sweep(job, TOP);
    if (!status)
        status = read_table(job);
    if (!status && job->params->convex)
        status = measure_convex(job);
    clump_buffer_return(job->context, &job->slices);
    clump_buffer_return(job->context, &job->table);
    return status;
}

static enum clump_status measure_all(struct job *job)
{
    enum clump_status status = start_range(job);
    if (!status)
        status = find_regions(job);
    if (!status)
        status = end_range(job);
    if (status)
        return status;
    job->regions = malloc((job->count + (size_t)1) * sizeof *job->regions);
    if (!job->regions)
        return clump_fail(&job->context->log, CLUMP_ERROR_MEMORY,
                          "measure: out of memory for %" PRIu32 " regions", job->count);
    for (job->first = 1; !status && job->first <= job->count; job->first += job->number)
        status = measure_some(job);
    if (!status && job->count && (job->params->perimeter || job->params->euler))
        status = measure_outline(job);
    return status;
}

enum clump_status clump_opencl_measure(clump_context *context, const clump_image *image,
                                       const clump_image *labels,
                                       const struct clump_measure_params *params,
                                       struct clump_region **regions, uint64_t *count)
{
    uint64_t pixels;
    if (__builtin_mul_overflow(labels->rows, labels->cols, &pixels) || pixels >= UINT32_MAX)
        return clump_fail(&context->log, CLUMP_ERROR_UNSUPPORTED,
                          "measure: %" PRIu64 " x %" PRIu64 " pixels are more than the %" PRIu32
                          " that can be measured at once: take the image in parts",
                          labels->rows, labels->cols, UINT32_MAX - 1);
    struct job job = {.context = context,
                      .image = image,
                      .labels = labels,
                      .params = params,
                      .cols = (uint32_t)labels->cols,
                      .rows = (uint32_t)labels->rows};
    clump_runs_bands(context, job.rows, &job.bands, &job.band_rows);
    name_options(&job);
    enum clump_status status = measure_all(&job);
    clump_buffer_return(context, &job.most);
    clump_runs_release(context, &job.runs);
    free(job.ranges);
    if (status) {
        free(job.regions);
        return status;
    }
    *regions = job.regions;
    *count = job.count;
    return CLUMP_OK;
}
