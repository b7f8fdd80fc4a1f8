/* SPDX-License-Identifier: MIT */
/* The four steps of the lesson's second half, alone and as a whole. */
#include "bench.h"

#include <stdlib.h>

#include "regions.h"

static void add_stats(struct pair_output *out, const struct clump_stats_result *s)
{
    pair_add_number(out, "count", (double)s->count);
    pair_add_number(out, "min", s->min);
    pair_add_number(out, "max", s->max);
    pair_add_number(out, "sum", s->sum);
    pair_add_number(out, "mean", s->mean);
    pair_add_number(out, "std", s->std);
    pair_add_number(out, "median", s->median);
}

static enum clump_status run_stats(clump_context *context, const struct pair_case *test,
                                   const struct pair_input *in, struct pair_output *out)
{
    struct clump_stats_result result;
    (void)test;
    enum clump_status status = clump_stats(context, in->image, NULL, NULL, &result);
    if (!status)
        add_stats(out, &result);
    return status;
}

static void add_clip(struct pair_output *out, const struct clump_clip_result *c)
{
    pair_add_number(out, "lower", c->lower);
    pair_add_number(out, "upper", c->upper);
    pair_add_number(out, "kept", (double)c->kept);
    pair_add_number(out, "iterations", c->iterations);
    add_stats(out, &c->after);
}

static enum clump_status run_clip(clump_context *context, const struct pair_case *test,
                                  const struct pair_input *in, struct pair_output *out)
{
    struct clump_clip_result result;
    (void)test;
    enum clump_status status = clump_clip(context, in->image, NULL, NULL, NULL, &result);
    if (!status)
        add_clip(out, &result);
    return status;
}

static enum clump_status run_threshold(clump_context *context, const struct pair_case *test,
                                       const struct pair_input *in, struct pair_output *out)
{
    struct clump_threshold_params params = clump_threshold_defaults;
    clump_image *mask;
    (void)test;
    params.above = BENCH_SKY_LEVEL;
    enum clump_status status = clump_threshold(context, in->image, &params, &mask, NULL);
    if (!status)
        pair_add_image(out, "mask", mask);
    return status;
}

static enum clump_status run_label(clump_context *context, const struct pair_case *test,
                                   const struct pair_input *in, struct pair_output *out)
{
    clump_image *labels;
    uint64_t count;
    (void)test;
    enum clump_status status = clump_label(context, in->image, NULL, &labels, &count);
    if (status)
        return status;
    pair_add_image(out, "labels", labels);
    pair_add_number(out, "count", (double)count);
    return CLUMP_OK;
}

/* The labels of the sources, as the lesson has them before it measures. */
static enum clump_status prepare_labels(clump_context *context, const struct pair_case *test,
                                        struct pair_input *in)
{
    return bench_prepare_labels(context, test, in, BENCH_SKY_LEVEL, 4);
}

static enum clump_status run_measure(clump_context *context, const struct pair_case *test,
                                     const struct pair_input *in, struct pair_output *out)
{
    struct clump_measure_params params = clump_measure_defaults;
    struct clump_region *regions;
    uint64_t count;
    (void)test;
    params.brief = true; /* SciPy is asked for no more */
    enum clump_status status =
        clump_measure(context, in->image, in->extra[0], &params, &regions, &count);
    if (status)
        return status;
    bench_add_regions(out, regions, count, false);
    clump_measure_destroy(&regions);
    return CLUMP_OK;
}

static enum clump_status run_find(clump_context *context, const struct pair_case *test,
                                  const struct pair_input *in, struct pair_output *out)
{
    struct clump_find_params params = clump_find_defaults;
    struct clump_find_result found = {0};
    (void)test;
    params.subtract = false; /* the lesson's sums are of the pixels as they are */
    enum clump_status status = clump_find(context, in->image, &params, NULL, &found);
    if (status)
        return status;
    add_clip(out, &found.clip);
    pair_add_number(out, "threshold", found.threshold);
    bench_add_regions(out, found.regions, found.count, false);
    clump_find_release(&found);
    return CLUMP_OK;
}

static double image_bytes(const struct pair_case *test, enum clump_type type)
{
    return (double)clump_type_row_bytes(type, test->cols) * (double)test->rows;
}

static double bytes_read(const struct pair_case *test) { return image_bytes(test, test->type); }

static double bytes_threshold(const struct pair_case *test)
{
    return bytes_read(test) + image_bytes(test, CLUMP_BITS);
}

static double bytes_label(const struct pair_case *test)
{
    return image_bytes(test, CLUMP_BITS) + image_bytes(test, CLUMP_I32);
}

static double bytes_measure(const struct pair_case *test)
{
    return bytes_read(test) + image_bytes(test, CLUMP_I32);
}

#define SKY(word) .name = word, .operation = word, .picture = bench_sky

const struct pair bench_stats = {SKY("stats"), .run = run_stats, .bytes = bytes_read};
const struct pair bench_clip = {SKY("clip"), .run = run_clip, .bytes = bytes_read};
const struct pair bench_threshold = {SKY("threshold"), .run = run_threshold,
                                     .bytes = bytes_threshold};
const struct pair bench_label = {.name = "label",
                                 .operation = "label",
                                 .picture = bench_sky_mask,
                                 .run = run_label,
                                 .bytes = bytes_label};
const struct pair bench_measure = {SKY("measure"), .prepare = prepare_labels, .run = run_measure,
                                   .bytes = bytes_measure};
const struct pair bench_find = {SKY("find"), .run = run_find, .bytes = bytes_read};
