/* SPDX-License-Identifier: MIT */
/* Seeds that 4 divides have a constant image, which has no cells on any device. */
#include "measure.h"
#include "regions.h"

#include <string.h>

#include <clump/cells.h>

#define TYPES  (1u << CLUMP_U8 | 1u << CLUMP_U16 | 1u << CLUMP_F32 | 1u << CLUMP_F64)
#define FIELDS 8

static void picture(const struct pair_case *test, void *pixels)
{
    size_t size = clump_type_row_bytes(test->type, 1);
    uint64_t count = test->rows * test->cols;
    pair_picture_sky(test, pixels);
    for (uint64_t i = 1; test->seed % 4 == 0 && i < count; i++)
        memcpy((char *)pixels + i * size, pixels, size);
}

static enum clump_status run(clump_context *context, const struct pair_case *test,
                             const struct pair_input *in, struct pair_output *out)
{
    struct clump_cells_params params = clump_cells_defaults;
    struct clump_cells_result found = {0};
    clump_image *labels = NULL;
    params.sigma = 0.5 + (double)(test->seed % 3);
    params.erosion = (uint32_t)(test->seed % 2);
    enum clump_status status = clump_cells(context, in->image, &params, &labels, NULL, &found);
    if (status)
        return status;
    double *values = pair_memory(found.count * FIELDS * sizeof *values);
    for (uint64_t i = 0; i < found.count; i++) {
        const struct clump_region *r = &found.regions[i];
        const double all[FIELDS] = {(double)r->label, (double)r->area, r->mean,
                                    r->centroid_row,  r->centroid_col, r->max,
                                    r->perimeter,     r->solidity};
        memcpy(values + i * FIELDS, all, sizeof all);
    }
    pair_add_number(out, "threshold", found.threshold);
    pair_add_number(out, "objects", (double)found.count);
    pair_add_list(out, "figures", values, found.count * FIELDS);
    pair_add_image(out, "labels", labels);
    clump_cells_release(&found);
    return CLUMP_OK;
}

/* The walk-through as it stands: what `clump bench` times. */
static enum clump_status run_defaults(clump_context *context, const struct pair_case *test,
                                      const struct pair_input *in, struct pair_output *out)
{
    struct clump_cells_result found = {0};
    (void)test;
    enum clump_status status = clump_cells(context, in->image, NULL, NULL, NULL, &found);
    if (status)
        return status;
    pair_add_number(out, "threshold", found.threshold);
    pair_add_cells(out, found.regions, found.count);
    clump_cells_release(&found);
    return CLUMP_OK;
}

/* Every pixel has to be read once. */
static double bytes(const struct pair_case *test) { return pair_image_bytes(test, test->type); }

const struct pair pair_cells = {
    .name = "cells",
    .operation = "cells",
    .types = TYPES,
    .picture = picture,
    .run = run,
    .fallbacks = pair_scale_fallbacks,
};

const struct pair pair_cells_defaults = {
    .name = "cells_defaults",
    .operation = "cells",
    .types = PAIR_FLOATS,
    .picture = pair_picture_cells,
    .run = run_defaults,
    .fallbacks = pair_scale_fallbacks,
    .bytes = bytes,
};
