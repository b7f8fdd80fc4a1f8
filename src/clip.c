/* SPDX-License-Identifier: MIT */
#include "checks.h"
#include "context.h"

const struct clump_clip_params clump_clip_defaults = {
    .kappa_low = 3,
    .kappa_high = 3,
    .max_iterations = 0,
    .centre = CLUMP_CLIP_CENTRE_MEDIAN,
    .scale = CLUMP_CLIP_SCALE_STD,
    .inclusive = false,
    .mad = false,
};

enum clump_status clump_clip_check(clump_context *context, const char *function,
                                   const struct clump_clip_params *params)
{
    enum clump_status status = clump_check_reserved(&context->log, function, "params", params);
    if (status)
        return status;
    if (!(params->kappa_low > 0) || !(params->kappa_high > 0))
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "clip: kappa_low and kappa_high must be greater than 0, not %g and %g",
                          params->kappa_low, params->kappa_high);
    if (params->centre != CLUMP_CLIP_CENTRE_MEDIAN && params->centre != CLUMP_CLIP_CENTRE_MEAN)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT, "clip: %d is not a centre",
                          (int)params->centre);
    if (params->scale != CLUMP_CLIP_SCALE_STD && params->scale != CLUMP_CLIP_SCALE_MAD)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT, "clip: %d is not a scale",
                          (int)params->scale);
    return CLUMP_OK;
}

enum clump_status clump_clip(clump_context *context, const clump_image *image,
                             const struct clump_clip_params *params, clump_image **mask,
                             clump_image **kept, struct clump_clip_result *result)
{
    CLUMP_ROUNDING();
    if (!params)
        params = &clump_clip_defaults;
    enum clump_status status =
        clump_check_image(context, "clip", "image", image, CLUMP_TYPES_NUMBER);
    if (!status)
        status = clump_clip_check(context, "clump_clip", params);
    if (status)
        return status;
    if (!result)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "clip: no place for the result was given");
    return context->backend->clip(context, image, params, mask, kept, result);
}
