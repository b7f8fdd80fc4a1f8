/* SPDX-License-Identifier: MIT */
#include "pair.h"

static enum clump_status add(clump_context *context, const struct pair_input *in,
                             const struct clump_morphology_params *params, const char *name,
                             struct pair_output *out)
{
    clump_image *result;
    enum clump_status status = clump_morphology(context, in->image, params, &result);
    if (!status)
        pair_add_image(out, name, result);
    return status;
}

/* What `clump bench` times, and `clump cells` does. */
static enum clump_status run_erosion(clump_context *context, const struct pair_case *test,
                                     const struct pair_input *in, struct pair_output *out)
{
    const struct clump_morphology_params params = {.operation = CLUMP_MORPHOLOGY_EROSION,
                                                   .footprint = {.kind = CLUMP_FOOTPRINT_DISK,
                                                                 .size = 2}};
    (void)test;
    return add(context, in, &params, "eroded", out);
}

/* The four operations, with shapes and sizes by seed. */
static enum clump_status run_shapes(clump_context *context, const struct pair_case *test,
                                    const struct pair_input *in, struct pair_output *out)
{
    static const char *const names[] = {"erosion", "dilation", "opening", "closing"};
    static const uint32_t sizes[] = {1, 3, 2, 5, 8, 20, 31, 0, 4, 16};
    struct clump_morphology_params params = clump_morphology_defaults;
    params.footprint.kind = (enum clump_footprint_kind)(test->seed % 3);
    params.footprint.size = sizes[test->seed % 10];
    if (params.footprint.kind == CLUMP_FOOTPRINT_SQUARE)
        params.footprint.size = 2 * params.footprint.size + (test->seed < 8);
    if (!params.footprint.size)
        params.footprint.size = 6;
    params.border = (enum clump_morphology_border)((test->seed + test->rows) % 3);
    for (unsigned i = 0; i < 4; i++) {
        params.operation = (enum clump_morphology_operation)i;
        enum clump_status status = add(context, in, &params, names[i], out);
        if (status)
            return status;
    }
    return CLUMP_OK;
}

/* Cells at random: even sides, several runs per row, a centre that need not be set. Large
 * footprints are among the first seeds, which even the shortest tests have. */
static enum clump_status run_custom(clump_context *context, const struct pair_case *test,
                                    const struct pair_input *in, struct pair_output *out)
{
    static const uint32_t sides[] = {2, 12, 63, 1, 3, 33, 4, 62, 7};
    uint8_t cells[63 * 63];
    uint64_t state = test->seed;
    struct clump_morphology_params params = clump_morphology_defaults;
    params.footprint.kind = CLUMP_FOOTPRINT_CUSTOM;
    params.footprint.rows = sides[test->seed % 9];
    params.footprint.cols = sides[(test->seed + test->seed / 3) % 9];
    params.footprint.cells = cells;
    for (unsigned i = 0; i < sizeof cells; i++)
        cells[i] = pair_random(&state) % 4 == 0;
    cells[0] = 1;
    params.border = (enum clump_morphology_border)(test->seed % 3);
    params.operation = CLUMP_MORPHOLOGY_EROSION;
    enum clump_status status = add(context, in, &params, "erosion", out);
    params.operation = CLUMP_MORPHOLOGY_DILATION;
    if (!status)
        status = add(context, in, &params, "dilation", out);
    return status;
}

static enum clump_status run_choose(clump_context *context, const struct pair_case *test,
                                    const struct pair_input *in, struct pair_output *out)
{
    struct clump_morphology_params params = clump_morphology_defaults;
    params.operation = CLUMP_MORPHOLOGY_FILL;
    enum clump_status status = add(context, in, &params, "fill", out);
    params.operation = CLUMP_MORPHOLOGY_REMOVE;
    params.min_area = test->seed * test->seed;
    if (!status)
        status = add(context, in, &params, "remove", out);
    params.connectivity = 8;
    if (!status)
        status = add(context, in, &params, "remove 8", out);
    return status;
}

/* Reads a mask and writes one. */
static double bytes(const struct pair_case *test) { return 2 * pair_image_bytes(test, CLUMP_BITS); }

const struct pair pair_morphology = {
    .name = "morphology",
    .operation = "morphology",
    .types = 1u << CLUMP_BITS,
    .picture = pair_picture_mask,
    .run = run_erosion,
    .bytes = bytes,
};

const struct pair pair_morphology_shapes = {
    .name = "morphology_shapes",
    .operation = "morphology",
    .types = 1u << CLUMP_BITS,
    .picture = pair_picture_mask,
    .run = run_shapes,
};

const struct pair pair_morphology_custom = {
    .name = "morphology_custom",
    .operation = "morphology",
    .types = 1u << CLUMP_BITS,
    .picture = pair_picture_mask,
    .run = run_custom,
};

const struct pair pair_morphology_choose = {
    .name = "morphology_choose",
    .operation = "morphology",
    .types = 1u << CLUMP_BITS,
    .picture = pair_picture_mask,
    .run = run_choose,
};
