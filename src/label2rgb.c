/* SPDX-License-Identifier: MIT */
#include "context.h"

#include <inttypes.h>
#include <math.h>

const struct clump_label2rgb_params clump_label2rgb_defaults = {
    .alpha = 0.3,
    .image_alpha = 1,
    .overlay = false,
    .plain = false,
    .low = 0,
    .high = 1,
};

static enum clump_status check_params(clump_context *context,
                                      const struct clump_label2rgb_params *params)
{
    double alpha = params->alpha, image_alpha = params->image_alpha;
    if (!(alpha >= 0 && alpha <= 1 && image_alpha >= 0 && image_alpha <= 1))
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "label2rgb: alpha and image_alpha must be 0 to 1, not %g and %g", alpha,
                          image_alpha);
    if (!(params->low < params->high && isfinite(params->high - params->low)))
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "label2rgb: low must be less than high, both finite, not %g and %g",
                          params->low, params->high);
    return CLUMP_OK;
}

static enum clump_status check_picture(clump_context *context, const clump_image *labels,
                                       const clump_image *picture)
{
    enum clump_status status =
        clump_check_image(context, "label2rgb", "picture", picture, CLUMP_TYPES_NUMBER);
    if (status)
        return status;
    if (picture->rows != labels->rows || picture->cols != labels->cols)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "label2rgb: the picture is %" PRIu64 " x %" PRIu64
                          ", but the labels are %" PRIu64 " x %" PRIu64,
                          picture->rows, picture->cols, labels->rows, labels->cols);
    return CLUMP_OK;
}

enum clump_status clump_label2rgb(clump_context *context, const clump_image *labels,
                                  const clump_image *picture,
                                  const struct clump_label2rgb_params *params, clump_image **rgb)
{
    CLUMP_ROUNDING();
    if (!params)
        params = &clump_label2rgb_defaults;
    enum clump_status status =
        clump_check_image(context, "label2rgb", "label image", labels, CLUMP_TYPES_MASK);
    if (!status && picture)
        status = check_picture(context, labels, picture);
    if (!status)
        status = clump_check_reserved(&context->log, "clump_label2rgb", "params", params);
    if (!status)
        status = check_params(context, params);
    if (status)
        return status;
    if (!rgb)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "label2rgb: no place for the coloured image was given");
    clump_image *whole = NULL, *numbers = NULL;
    status = clump_labels_whole(context, "label2rgb", &labels, &whole);
    if (!status)
        status = clump_convert_to(context, CLUMP_TYPES_NUMBER, CLUMP_U8, &labels, &numbers);
    if (!status)
        status = context->backend->label2rgb(context, labels, picture, params, rgb);
    clump_image_destroy(&numbers);
    clump_image_destroy(&whole);
    return status;
}
