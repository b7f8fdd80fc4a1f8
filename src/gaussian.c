/* SPDX-License-Identifier: MIT */
#include "context.h"

#include <math.h>

#define LARGEST_RADIUS (1 << 24)

const struct clump_gaussian_params clump_gaussian_defaults = {
    .sigma_rows = 1,
    .sigma_cols = 1,
    .truncate = 4,
    .boundary = CLUMP_BOUNDARY_NEAREST,
    .fill_value = 0,
    .blank = CLUMP_BLANK_SPREAD,
};

static enum clump_status check_params(clump_context *context,
                                      const struct clump_gaussian_params *params)
{
    const struct clump_log *log = &context->log;
    double rows = params->sigma_rows, cols = params->sigma_cols, truncate = params->truncate;
    if (!(rows >= 0 && cols >= 0 && isfinite(rows) && isfinite(cols)))
        return clump_fail(
            log, CLUMP_ERROR_ARGUMENT,
            "gaussian: sigma_rows and sigma_cols must be finite and not negative, not %g and %g",
            rows, cols);
    if (!(truncate >= 0 && isfinite(truncate)))
        return clump_fail(log, CLUMP_ERROR_ARGUMENT,
                          "gaussian: truncate must be finite and not negative, not %g", truncate);
    if (!(truncate * fmax(rows, cols) + 0.5 < LARGEST_RADIUS + 1))
        return clump_fail(log, CLUMP_ERROR_ARGUMENT,
                          "gaussian: truncate * sigma is a radius of %g pixels; the most is %d",
                          truncate * fmax(rows, cols), LARGEST_RADIUS);
    if ((unsigned)params->boundary > CLUMP_BOUNDARY_MIRROR)
        return clump_fail(log, CLUMP_ERROR_ARGUMENT, "gaussian: %d is not a boundary",
                          (int)params->boundary);
    if ((unsigned)params->blank > CLUMP_BLANK_IGNORE)
        return clump_fail(log, CLUMP_ERROR_ARGUMENT, "gaussian: %d is not a rule for blank pixels",
                          (int)params->blank);
    return CLUMP_OK;
}

enum clump_status clump_gaussian(clump_context *context, const clump_image *image,
                                 const struct clump_gaussian_params *params, clump_image **blurred)
{
    CLUMP_ROUNDING();
    if (!params)
        params = &clump_gaussian_defaults;
    enum clump_status status =
        clump_check_image(context, "gaussian", "image", image, CLUMP_TYPES_MASK);
    if (!status)
        status = clump_check_reserved(&context->log, "clump_gaussian", "params", params);
    if (!status)
        status = check_params(context, params);
    if (status)
        return status;
    if (!blurred)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "gaussian: no place for the blurred image was given");
    clump_image *made = NULL;
    status = clump_convert_to(context, CLUMP_TYPES_FLOAT, CLUMP_F32, &image, &made);
    if (!status)
        status = context->backend->gaussian(context, image, params, blurred);
    clump_image_destroy(&made);
    return status;
}
