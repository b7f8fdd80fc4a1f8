/* SPDX-License-Identifier: MIT */
#include "context.h"

#include <inttypes.h>

#define SIDE 63 /* of the largest footprint */

const struct clump_morphology_params clump_morphology_defaults = {
    .operation = CLUMP_MORPHOLOGY_EROSION,
    .footprint = {.kind = CLUMP_FOOTPRINT_DISK, .size = 1},
    .min_area = 64,
    .connectivity = 4,
};

static enum clump_status check_custom(clump_context *context, const struct clump_footprint *custom)
{
    if (custom->rows < 1 || custom->rows > SIDE || custom->cols < 1 || custom->cols > SIDE)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "morphology: a footprint of %" PRIu32 " x %" PRIu32
                          " cells was given; sides are 1 to %d",
                          custom->rows, custom->cols, SIDE);
    if (!custom->cells)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "morphology: no cells of the custom footprint were given");
    for (uint32_t i = 0; i < custom->rows * custom->cols; i++)
        if (custom->cells[i])
            return CLUMP_OK;
    return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                      "morphology: the footprint has no cell that is set");
}

static enum clump_status check_footprint(clump_context *context,
                                         const struct clump_footprint *footprint)
{
    uint32_t size = footprint->size;
    switch (footprint->kind) {
    case CLUMP_FOOTPRINT_SQUARE:
        if (size < 1 || size > SIDE)
            return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                              "morphology: a square's side is 1 to %d, not %" PRIu32, SIDE, size);
        return CLUMP_OK;
    case CLUMP_FOOTPRINT_DISK:
    case CLUMP_FOOTPRINT_DIAMOND:
        if (size > SIDE / 2)
            return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                              "morphology: a radius is 0 to %d, not %" PRIu32, SIDE / 2, size);
        return CLUMP_OK;
    case CLUMP_FOOTPRINT_CUSTOM:
        return check_custom(context, footprint);
    default:
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "morphology: %d is not a footprint's kind", (int)footprint->kind);
    }
}

static enum clump_status check_params(clump_context *context,
                                      const struct clump_morphology_params *params)
{
    if ((unsigned)params->border > CLUMP_MORPHOLOGY_BORDER_SET)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT, "morphology: %d is not a border",
                          (int)params->border);
    switch (params->operation) {
    case CLUMP_MORPHOLOGY_EROSION:
    case CLUMP_MORPHOLOGY_DILATION:
    case CLUMP_MORPHOLOGY_OPENING:
    case CLUMP_MORPHOLOGY_CLOSING:
        return check_footprint(context, &params->footprint);
    case CLUMP_MORPHOLOGY_FILL:
        return CLUMP_OK;
    case CLUMP_MORPHOLOGY_REMOVE:
        if (params->connectivity != 4 && params->connectivity != 8)
            return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                              "morphology: connectivity is 4 or 8, not %u", params->connectivity);
        return CLUMP_OK;
    default:
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT, "morphology: %d is not an operation",
                          (int)params->operation);
    }
}

enum clump_status clump_morphology(clump_context *context, const clump_image *mask,
                                   const struct clump_morphology_params *params,
                                   clump_image **result)
{
    CLUMP_ROUNDING();
    if (!params)
        params = &clump_morphology_defaults;
    enum clump_status status =
        clump_check_image(context, "morphology", "mask", mask, CLUMP_TYPES_MASK);
    if (!status)
        status = clump_check_reserved(&context->log, "clump_morphology", "params", params);
    if (!status)
        status = clump_check_reserved(&context->log, "clump_morphology", "params.footprint",
                                      &params->footprint);
    if (!status)
        status = check_params(context, params);
    if (status)
        return status;
    if (!result)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "morphology: no place for the result was given");
    clump_image *made = NULL;
    status = clump_convert_to(context, 1u << CLUMP_BITS, CLUMP_BITS, &mask, &made);
    if (!status)
        status = context->backend->morphology(context, mask, params, result);
    clump_image_destroy(&made);
    return status;
}
