/* SPDX-License-Identifier: MIT */
/* Measurements of the two walk-throughs: brief, of a label image that was made before. */
#include "measure.h"
#include "regions.h"

static enum clump_status prepare_sources(clump_context *context, const struct pair_case *test,
                                         struct pair_input *in)
{
    return pair_label_above(context, in, pair_level(test->type), 4);
}

static enum clump_status prepare_cells(clump_context *context, const struct pair_case *test,
                                       struct pair_input *in)
{
    (void)test;
    return pair_label_above(context, in, PAIR_CELLS_LEVEL, 8);
}

/* Peers are asked for no more than these figures, hence `brief`. */
static enum clump_status run_sources(clump_context *context, const struct pair_case *test,
                                     const struct pair_input *in, struct pair_output *out)
{
    struct clump_measure_params params = clump_measure_defaults;
    struct clump_region *regions;
    uint64_t count;
    (void)test;
    params.brief = true;
    enum clump_status status =
        clump_measure(context, in->image, in->extra[0], &params, &regions, &count);
    if (status)
        return status;
    pair_add_sources(out, regions, count);
    clump_measure_destroy(&regions);
    return CLUMP_OK;
}

static enum clump_status run_cells(clump_context *context, const struct pair_case *test,
                                   const struct pair_input *in, struct pair_output *out)
{
    struct clump_measure_params params = clump_measure_defaults;
    struct clump_region *regions;
    uint64_t count;
    (void)test;
    params.convex = params.brief = true;
    enum clump_status status =
        clump_measure(context, in->image, in->extra[0], &params, &regions, &count);
    if (status)
        return status;
    pair_add_cells(out, regions, count);
    clump_measure_destroy(&regions);
    return CLUMP_OK;
}

/* Every pixel and every label is read. */
static double bytes(const struct pair_case *test)
{
    return pair_image_bytes(test, test->type) + pair_image_bytes(test, CLUMP_I32);
}

const struct pair pair_measure_sources = {
    .name = "measure_sources",
    .operation = "measure",
    .types = 1u << CLUMP_F32 | 1u << CLUMP_F64,
    .picture = pair_picture_stars,
    .prepare = prepare_sources,
    .run = run_sources,
    .fallbacks = pair_label_fallbacks,
    .bytes = bytes,
};

const struct pair pair_measure_cells = {
    .name = "measure_cells",
    .operation = "measure",
    .types = 1u << CLUMP_F32 | 1u << CLUMP_F64,
    .picture = pair_picture_cells,
    .prepare = prepare_cells,
    .run = run_cells,
    .fallbacks = pair_label_fallbacks,
    .bytes = bytes,
};
