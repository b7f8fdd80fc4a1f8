/* SPDX-License-Identifier: MIT */
#include "checks.h"
#include "context.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

const struct clump_measure_params clump_measure_defaults = {
    .connectivity = 4,
    .perimeter = false,
    .convex = false,
    .euler = false,
    .brief = false,
    .level = 0,
};

static enum clump_status check_image(clump_context *context, const clump_image *image,
                                     const clump_image *labels)
{
    enum clump_status status =
        clump_check_image(context, "measure", "image", image, CLUMP_TYPES_NUMBER);
    if (status)
        return status;
    if (image->rows != labels->rows || image->cols != labels->cols)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "measure: the image is %" PRIu64 " x %" PRIu64 ", but the labels are "
                          "%" PRIu64 " x %" PRIu64,
                          image->rows, image->cols, labels->rows, labels->cols);
    return CLUMP_OK;
}

/* Checks that fixed-point values can be counted from the level: see v and k in measure.h. */
static enum clump_status check_level(clump_context *context, const clump_image *image, double level)
{
    bool narrow =
        image && image->type != CLUMP_F32 && image->type != CLUMP_F64 && image->type != CLUMP_I64;
    if (isfinite(level) && !(narrow && fabs(level) >= 0x1p39))
        return CLUMP_OK;
    return clump_fail(
        &context->log, CLUMP_ERROR_ARGUMENT,
        "measure: the level must be finite, and below 2^39 for an integer image other than "
        "int64, not %g",
        level);
}

/* The greatest sum of a region is that of v * side^2 over its area. It must fit into 127 bits and a
 * sign; v has `value_bits` bits. */
static bool fits(const struct clump_region *region, unsigned value_bits)
{
    uint64_t side = region->row_max > region->col_max ? region->row_max : region->col_max;
    return (double)region->area * (double)side * (double)side < ldexp(1, 127 - (int)value_bits);
}

enum clump_status clump_measure_check(clump_context *context,
                                      const struct clump_measure_params *params,
                                      const struct clump_region *regions, uint64_t count)
{
    bool level = params->level != 0;
    for (uint64_t i = 0; i < count; i++) {
        if (level && regions[i].flags & CLUMP_REGION_BLANK)
            return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                              "measure: region %" PRIu64 " has blank pixels, from which no level "
                              "can be subtracted; measure with level 0",
                              regions[i].label);
        if (!params->brief && !fits(&regions[i], level ? 41 : 39))
            return clump_fail(&context->log, CLUMP_ERROR_UNSUPPORTED,
                              "measure: region %" PRIu64
                              " is too large for second moments: %" PRIu64
                              " pixels up to row %" PRIu64 " and column %" PRIu64
                              "; leave the second moments out (params.brief)",
                              regions[i].label, regions[i].area, regions[i].row_max,
                              regions[i].col_max);
    }
    return CLUMP_OK;
}

enum clump_status clump_measure(clump_context *context, const clump_image *image,
                                const clump_image *labels,
                                const struct clump_measure_params *params,
                                struct clump_region **regions, uint64_t *count)
{
    CLUMP_ROUNDING();
    if (!params)
        params = &clump_measure_defaults;
    enum clump_status status =
        clump_check_image(context, "measure", "label image", labels, CLUMP_TYPES_MASK);
    if (!status && image)
        status = check_image(context, image, labels);
    if (!status)
        status = clump_check_reserved(&context->log, "clump_measure", "params", params);
    if (status)
        return status;
    if (labels->type == CLUMP_BITS && params->connectivity != 4 && params->connectivity != 8)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "measure: connectivity is 4 or 8, not %u", params->connectivity);
    if (!regions || !count)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "measure: no place for the %s was given", regions ? "count" : "regions");
    clump_image *made = NULL;
    struct clump_region *found = NULL;
    uint64_t number = 0;
    status = check_level(context, image, params->level);
    if (!status)
        status = clump_labels_whole(context, "measure", &labels, &made);
    if (!status)
        status = context->backend->measure(context, image, labels, params, &found, &number);
    if (!status)
        status = clump_measure_check(context, params, found, number);
    clump_image_destroy(&made);
    if (status) {
        free(found);
        return status;
    }
    *regions = found;
    *count = number;
    return CLUMP_OK;
}

void clump_measure_destroy(struct clump_region **regions)
{
    if (!regions)
        return;
    free(*regions);
    *regions = NULL;
}
