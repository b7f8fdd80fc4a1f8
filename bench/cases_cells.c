/* SPDX-License-Identifier: MIT */
/* The microscopy walk-through, step by step and as a whole; and the primes. */
#include "bench.h"

#include "regions.h"

static enum clump_status run_otsu(clump_context *context, const struct pair_case *test,
                                  const struct pair_input *in, struct pair_output *out)
{
    double threshold;
    (void)test;
    enum clump_status status = clump_otsu(context, in->image, &threshold);
    if (!status)
        pair_add_number(out, "threshold", threshold);
    return status;
}

static enum clump_status run_erosion(clump_context *context, const struct pair_case *test,
                                     const struct pair_input *in, struct pair_output *out)
{
    struct clump_morphology_params params = clump_morphology_defaults;
    clump_image *eroded;
    (void)test;
    params.footprint = (struct clump_footprint){.kind = CLUMP_FOOTPRINT_DISK, .size = 2};
    enum clump_status status = clump_morphology(context, in->image, &params, &eroded);
    if (!status)
        pair_add_image(out, "eroded", eroded);
    return status;
}

static enum clump_status prepare_labels(clump_context *context, const struct pair_case *test,
                                        struct pair_input *in)
{
    return bench_prepare_labels(context, test, in, BENCH_CELLS_LEVEL, 8);
}

static enum clump_status run_regions(clump_context *context, const struct pair_case *test,
                                     const struct pair_input *in, struct pair_output *out)
{
    struct clump_measure_params params = clump_measure_defaults;
    struct clump_region *regions;
    uint64_t count;
    (void)test;
    params.convex = params.brief = true; /* scikit-image is asked for no more */
    enum clump_status status =
        clump_measure(context, in->image, in->extra[0], &params, &regions, &count);
    if (status)
        return status;
    bench_add_regions(out, regions, count, true);
    clump_measure_destroy(&regions);
    return CLUMP_OK;
}

static enum clump_status run_label2rgb(clump_context *context, const struct pair_case *test,
                                       const struct pair_input *in, struct pair_output *out)
{
    clump_image *rgb;
    (void)test;
    enum clump_status status = clump_label2rgb(context, in->extra[0], in->image, NULL, &rgb);
    if (!status)
        pair_add_image(out, "rgb", rgb);
    return status;
}

/* Threshold and areas come from a blurred image, which other libraries round differently: one pixel
 * at an object's edge may go either way, and no figure here may move by more than that. */
static enum clump_status run_cells(clump_context *context, const struct pair_case *test,
                                   const struct pair_input *in, struct pair_output *out)
{
    struct clump_cells_result found = {0};
    (void)test;
    enum clump_status status = clump_cells(context, in->image, NULL, NULL, NULL, &found);
    if (status)
        return status;
    pair_add_number(out, "threshold", found.threshold);
    bench_add_regions(out, found.regions, found.count, true);
    for (uint64_t i = 0; i < out->lists[1].count; i++) {
        out->lists[1].values[i] *= 100; /* mean and solidity, in hundredths: see the tolerance */
        out->lists[2].values[i] *= 100;
    }
    clump_cells_release(&found);
    return CLUMP_OK;
}

static double tolerance_cells(const struct pair_case *test, const struct pair_input *reference)
{
    (void)test;
    (void)reference;
    return 1;
}

static enum clump_status run_primes(clump_context *context, const struct pair_case *test,
                                    const struct pair_input *in, struct pair_output *out)
{
    clump_image *mask;
    uint64_t count;
    (void)in;
    enum clump_status status = clump_primes(context, (uint32_t)test->cols, &mask, &count);
    if (status)
        return status;
    pair_add_image(out, "mask", mask);
    pair_add_number(out, "count", (double)count);
    return CLUMP_OK;
}

static void nothing(const struct pair_case *test, void *pixels)
{
    for (uint64_t i = 0; i < test->rows * test->cols; i++)
        ((uint8_t *)pixels)[i] = 0;
}

static double image_bytes(const struct pair_case *test, enum clump_type type)
{
    return (double)clump_type_row_bytes(type, test->cols) * (double)test->rows;
}

static double bytes_read(const struct pair_case *test) { return image_bytes(test, test->type); }
static double bytes_erosion(const struct pair_case *test) { return 2 * bytes_read(test); }

static double bytes_regions(const struct pair_case *test)
{
    return bytes_read(test) + image_bytes(test, CLUMP_I32);
}

static double bytes_label2rgb(const struct pair_case *test)
{
    return bytes_regions(test) + image_bytes(test, CLUMP_RGB);
}

#define CELLS(word, of) .name = word, .operation = of, .picture = bench_cells

const struct pair bench_otsu = {CELLS("otsu", "otsu"), .run = run_otsu, .bytes = bytes_read};
const struct pair bench_erosion = {.name = "erosion",
                                   .operation = "morphology",
                                   .picture = bench_cells_mask,
                                   .run = run_erosion,
                                   .bytes = bytes_erosion};
const struct pair bench_regions = {CELLS("regions", "measure"), .prepare = prepare_labels,
                                   .run = run_regions, .bytes = bytes_regions};
const struct pair bench_label2rgb = {CELLS("label2rgb", "label2rgb"), .prepare = prepare_labels,
                                     .run = run_label2rgb, .bytes = bytes_label2rgb};
const struct pair bench_cells_all = {CELLS("cells", "cells"), .run = run_cells,
                                     .tolerance = tolerance_cells, .bytes = bytes_read};
const struct pair bench_primes = {.name = "primes",
                                  .operation = "primes",
                                  .picture = nothing,
                                  .run = run_primes};
