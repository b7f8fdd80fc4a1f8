/* SPDX-License-Identifier: MIT */
#include "context.h"

#include <inttypes.h>
#include <math.h>

const struct clump_background_params clump_background_defaults = {
    .mesh_width = 64,
    .mesh_height = 64,
    .filter_width = 3,
    .filter_height = 3,
    .filter_threshold = 0,
    .mask_threshold = 0,
};

static enum clump_status check_params(clump_context *context, const clump_image *image,
                                      const struct clump_background_params *params)
{
    uint64_t width = params->mesh_width < image->cols ? params->mesh_width : image->cols;
    uint64_t height = params->mesh_height < image->rows ? params->mesh_height : image->rows;
    if (!width || !height || height > UINT32_MAX / width)
        return clump_fail(
            &context->log, CLUMP_ERROR_ARGUMENT,
            "background: mesh_width and mesh_height must be 1 or more, and a box have "
            "at most %" PRIu32 " pixels, but they are %" PRIu64 " and %" PRIu64,
            UINT32_MAX, params->mesh_width, params->mesh_height);
    if (!(params->filter_threshold >= 0))
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "background: filter_threshold must be 0 or more, not %g",
                          params->filter_threshold);
    if (isnan(params->mask_threshold))
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "background: mask_threshold must be a number, not NaN");
    return CLUMP_OK;
}

static enum clump_status check_fp64(clump_context *context)
{
    if (context->device.fp64)
        return CLUMP_OK;
    return clump_fail(&context->log, CLUMP_ERROR_UNSUPPORTED,
                      "background: %s does not compute in double, which the statistics of a box "
                      "need; choose another device (clump devices)",
                      context->device.name);
}

enum clump_status clump_background(clump_context *context, const clump_image *image,
                                   const clump_image *mask,
                                   const struct clump_background_params *params, clump_image **back,
                                   clump_image **rms, clump_image **subtracted,
                                   struct clump_background_result *result)
{
    CLUMP_ROUNDING();
    clump_image *made = NULL;
    if (!params)
        params = &clump_background_defaults;
    enum clump_status status =
        clump_check_image(context, "background", "image", image, CLUMP_TYPES_NUMBER);
    if (!status)
        status = clump_check_reserved(&context->log, "clump_background", "params", params);
    if (!status)
        status = check_params(context, image, params);
    if (!status)
        status = clump_check_given(&context->log, "background", "place for the result", result);
    if (!status)
        status = check_fp64(context);
    if (!status && mask)
        status = clump_masked(context, "background", image, params->mask_threshold, &mask, &made);
    if (!status)
        status = context->backend->background(context, image, mask, params, back, rms, subtracted,
                                              result);
    clump_image_destroy(&made);
    return status;
}
