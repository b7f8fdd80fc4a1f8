/* SPDX-License-Identifier: MIT */
#include <clump/extract.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include <clump/arith.h>

#include "context.h"

static const double default_filter[] = {1, 2, 1, 2, 4, 2, 1, 2, 1};
const struct clump_weights clump_extract_default_filter = {.rows = 3,
                                                           .cols = 3,
                                                           .weights = default_filter};

const struct clump_extract_params clump_extract_defaults = {
    .thresh = 1.5,
    .filter = &clump_extract_default_filter,
    .filter_type = CLUMP_EXTRACT_FILTER_MATCHED,
    .min_area = 5,
    .deblend_levels = 32,
    .deblend_contrast = 0.005,
    .clean = true,
    .clean_param = 1,
};

#define MOST_PIXELS ((uint64_t)1 << 31)
#define MOST_LEVELS 255

static enum clump_status check_filter(const struct clump_log *log,
                                      const struct clump_weights *filter)
{
    double sum = 0;
    enum clump_status status = clump_check_reserved(log, "clump_extract", "params.filter", filter);
    if (status)
        return status;
    if (!filter->rows || !filter->cols || !filter->weights)
        return clump_fail(log, CLUMP_ERROR_ARGUMENT,
                          "extract: a filter of %" PRIu64 " x %" PRIu64
                          " weights has none; give 1 or more",
                          filter->rows, filter->cols);
    if (filter->rows > 1023 || filter->cols > 1023)
        return clump_fail(log, CLUMP_ERROR_ARGUMENT,
                          "extract: a filter of %" PRIu64 " x %" PRIu64
                          " weights is too large; at most 1023 x 1023",
                          filter->rows, filter->cols);
    for (uint64_t i = 0; i < filter->rows * filter->cols; i++)
        sum += fabs(filter->weights[i]);
    if (!(sum > 0) || !isfinite(sum))
        return clump_fail(log, CLUMP_ERROR_ARGUMENT,
                          "extract: the filter's weights add up to %g in magnitude; they must be "
                          "finite and not all 0",
                          sum);
    return CLUMP_OK;
}

/* A number that must be finite and, unless it may be 0, positive. */
static enum clump_status check_number(const struct clump_log *log, const char *name, double value,
                                      bool zero)
{
    if (isfinite(value) && (value > 0 || (zero && value == 0)))
        return CLUMP_OK;
    return clump_fail(log, CLUMP_ERROR_ARGUMENT, "extract: params.%s must be finite and %s, not %g",
                      name, zero ? "not negative" : "positive", value);
}

static enum clump_status check_numbers(const struct clump_log *log,
                                       const struct clump_extract_params *params)
{
    enum clump_status status = check_number(log, "thresh", params->thresh, false);
    if (!status)
        status = check_number(log, "low", params->low, true);
    if (!status)
        status = check_number(log, "noise", params->noise, true);
    if (!status)
        status = check_number(log, "gain", params->gain, true);
    if (!status)
        status = check_number(log, "clean_param", params->clean_param, false);
    if (status)
        return status;
    if (params->low > params->thresh)
        return clump_fail(log, CLUMP_ERROR_ARGUMENT,
                          "extract: params.low is %g, which is more than params.thresh, %g",
                          params->low, params->thresh);
    if (!params->min_area)
        return clump_fail(log, CLUMP_ERROR_ARGUMENT, "extract: params.min_area must be 1 or more");
    if (params->deblend_levels < 1 || params->deblend_levels > MOST_LEVELS)
        return clump_fail(log, CLUMP_ERROR_ARGUMENT,
                          "extract: params.deblend_levels is 1 to %d, not %" PRIu32, MOST_LEVELS,
                          params->deblend_levels);
    if (!(params->deblend_contrast >= 0 && params->deblend_contrast <= 1))
        return clump_fail(log, CLUMP_ERROR_ARGUMENT,
                          "extract: params.deblend_contrast is 0 to 1, not %g",
                          params->deblend_contrast);
    if ((unsigned)params->filter_type > CLUMP_EXTRACT_FILTER_CONV)
        return clump_fail(log, CLUMP_ERROR_ARGUMENT, "extract: %d is not a type of filter",
                          (int)params->filter_type);
    if ((unsigned)params->noise_kind > CLUMP_EXTRACT_NOISE_WEIGHT)
        return clump_fail(log, CLUMP_ERROR_ARGUMENT, "extract: %d is not a kind of noise",
                          (int)params->noise_kind);
    return CLUMP_OK;
}

/* Checks an image that goes with the main one; NULL is right. */
static enum clump_status check_companion(clump_context *context, const clump_image *image,
                                         const char *what, const clump_image *other, unsigned types)
{
    if (!other)
        return CLUMP_OK;
    enum clump_status status = clump_check_image(context, "extract", what, other, types);
    if (status)
        return status;
    if (other->rows != image->rows || other->cols != image->cols)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "extract: the %s has %" PRIu64 " x %" PRIu64 " pixels, the image %" PRIu64
                          " x %" PRIu64,
                          what, other->rows, other->cols, image->rows, image->cols);
    return CLUMP_OK;
}

static enum clump_status check(clump_context *context, const clump_image *image,
                               const struct clump_extract_params *params,
                               const struct clump_extract_result *result)
{
    enum clump_status status =
        clump_check_image(context, "extract", "image", image, CLUMP_TYPES_NUMBER);
    if (!status)
        status = clump_check_reserved(&context->log, "clump_extract", "params", params);
    if (!status)
        status = clump_check_given(&context->log, "extract", "place for the result", result);
    if (!status)
        status = check_numbers(&context->log, params);
    if (!status && params->filter)
        status = check_filter(&context->log, params->filter);
    if (!status)
        status =
            check_companion(context, image, "map of noise", params->noise_map, CLUMP_TYPES_NUMBER);
    if (!status)
        status = check_companion(context, image, "mask", params->mask, CLUMP_TYPES_MASK);
    if (!status)
        status = check_companion(context, image, "mask of saturated pixels", params->saturated,
                                 CLUMP_TYPES_MASK);
    if (!status)
        status = check_companion(context, image, "segmentation", params->segmentation,
                                 CLUMP_TYPES_NUMBER);
    if (status)
        return status;
    if (params->noise_map && params->noise > 0)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "extract: params.noise and params.noise_map are both given; give one");
    if (image->rows * image->cols >= MOST_PIXELS)
        return clump_fail(&context->log, CLUMP_ERROR_UNSUPPORTED,
                          "extract: the image has %" PRIu64 " x %" PRIu64
                          " pixels; fewer than 2^31 are possible",
                          image->rows, image->cols);
    if (context->opencl && !context->device.fp64)
        return clump_fail(&context->log, CLUMP_ERROR_UNSUPPORTED,
                          "extract: the device has no double precision");
    return CLUMP_OK;
}

/* Replaces `*image` by its negative, which `*made` gets too, for the caller to destroy. */
static enum clump_status negate(clump_context *context, const clump_image **image,
                                clump_image **made)
{
    const struct clump_operand a = {.image = *image}, b = {.number = -1, .whole = true};
    enum clump_status status = clump_arith(context, &a, CLUMP_ARITH_MULTIPLY, &b, made);
    if (!status)
        *image = *made;
    return status;
}

enum clump_status clump_extract(clump_context *context, const clump_image *image,
                                const struct clump_extract_params *params,
                                clump_image **segmentation, clump_image **filtered,
                                struct clump_extract_result *result)
{
    CLUMP_ROUNDING();
    if (!params)
        params = &clump_extract_defaults;
    enum clump_status status = check(context, image, params, result);
    if (status)
        return status;
    clump_image *pixels = NULL, *noise = NULL, *mask = NULL, *saturated = NULL, *turned = NULL,
                *segments = NULL;
    struct clump_extract_params converted = *params;
    status = clump_convert_to(context, 1u << CLUMP_F32, CLUMP_F32, &image, &pixels);
    if (!status && params->negative)
        status = negate(context, &image, &turned);
    if (!status && params->noise_map)
        status =
            clump_convert_to(context, 1u << CLUMP_F32, CLUMP_F32, &converted.noise_map, &noise);
    if (!status && params->mask)
        status = clump_convert_to(context, 1u << CLUMP_BITS, CLUMP_BITS, &converted.mask, &mask);
    if (!status && params->saturated)
        status = clump_convert_to(context, 1u << CLUMP_BITS, CLUMP_BITS, &converted.saturated,
                                  &saturated);
    if (!status && params->segmentation)
        status = clump_convert_to(context, 1u << CLUMP_I32, CLUMP_I32, &converted.segmentation,
                                  &segments);
    if (!status)
        status =
            context->backend->extract(context, image, &converted, segmentation, filtered, result);
    clump_image_destroy(&segments);
    clump_image_destroy(&saturated);
    clump_image_destroy(&mask);
    clump_image_destroy(&noise);
    clump_image_destroy(&turned);
    clump_image_destroy(&pixels);
    return status;
}

void clump_extract_release(struct clump_extract_result *result)
{
    if (!result)
        return;
    free(result->objects);
    *result = (struct clump_extract_result){0};
}
