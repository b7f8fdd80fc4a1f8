/* SPDX-License-Identifier: MIT */
#include "context.h"

#include <inttypes.h>
#include <math.h>

const struct clump_threshold_params clump_threshold_defaults = {
    .above = 0,
    .map = NULL,
    .hysteresis = false,
    .low = 0,
    .connectivity = 4,
    .output = CLUMP_BITS,
};

static enum clump_status check_map(clump_context *context, const clump_image *image,
                                   const struct clump_threshold_params *params)
{
    const clump_image *map = params->map;
    enum clump_status status =
        clump_check_image(context, "threshold", "map", map, CLUMP_TYPES_NUMBER);
    if (status)
        return status;
    if (map->type != image->type || map->rows != image->rows || map->cols != image->cols)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "threshold: the map is %" PRIu64 " x %" PRIu64 " %s, but the image is "
                          "%" PRIu64 " x %" PRIu64 " %s, and size and type must be the same",
                          map->rows, map->cols, clump_type_text(map->type), image->rows,
                          image->cols, clump_type_text(image->type));
    if (params->hysteresis)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "threshold: hysteresis takes two levels, not a map");
    return CLUMP_OK;
}

static enum clump_status check_levels(clump_context *context,
                                      const struct clump_threshold_params *params)
{
    if (isnan(params->above) || (params->hysteresis && isnan(params->low)))
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "threshold: above and low must be numbers, not NaN");
    if (params->hysteresis &&
        (params->below ? params->low < params->above : params->low > params->above))
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "threshold: low must not be %s than above with hysteresis, but is %g and "
                          "above %g",
                          params->below ? "less" : "greater", params->low, params->above);
    if (params->hysteresis && params->connectivity != 4 && params->connectivity != 8)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "threshold: connectivity is 4 or 8, not %u", params->connectivity);
    return CLUMP_OK;
}

enum clump_status clump_threshold(clump_context *context, const clump_image *image,
                                  const struct clump_threshold_params *params, clump_image **mask,
                                  uint64_t *count)
{
    CLUMP_ROUNDING();
    if (!params)
        params = &clump_threshold_defaults;
    enum clump_status status =
        clump_check_image(context, "threshold", "image", image, CLUMP_TYPES_NUMBER);
    if (!status)
        status = clump_check_reserved(&context->log, "clump_threshold", "params", params);
    if (!status)
        status = params->map ? check_map(context, image, params) : check_levels(context, params);
    if (status)
        return status;
    if (params->output != CLUMP_BITS && params->output != CLUMP_U8)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "threshold: the output is bits or uint8, not %s",
                          clump_type_text(params->output));
    if (!mask)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "threshold: no place for the mask was given");
    return context->backend->threshold(context, image, params, mask, count);
}
