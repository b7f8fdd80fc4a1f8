/* SPDX-License-Identifier: MIT */
#include "context.h"

#define TYPES (CLUMP_TYPES_NUMBER | 1u << CLUMP_BITS)

const struct clump_allclose_params clump_allclose_defaults = {.rtol = 1e-5, .atol = 1e-8};

static enum clump_status check(clump_context *context, const clump_image *a, const clump_image *b,
                               const struct clump_allclose_params *params,
                               const struct clump_allclose_result *result)
{
    enum clump_status status = clump_check_image(context, "allclose", "first image", a, TYPES);
    if (!status)
        status = clump_check_image(context, "allclose", "second image", b, TYPES);
    if (!status)
        status = clump_check_reserved(&context->log, "clump_allclose", "params", params);
    if (!status)
        status = clump_check_same_size(context, "allclose", a, b);
    if (status)
        return status;
    if (!(params->rtol >= 0) || !(params->atol >= 0))
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "allclose: rtol and atol must be 0 or more, not %g and %g", params->rtol,
                          params->atol);
    return clump_check_given(&context->log, "allclose", "place for the result", result);
}

/* Replaces a mask by a uint8 image, which `*made` gets too, for the caller to destroy. */
static enum clump_status prepare(clump_context *context, const clump_image **image,
                                 clump_image **made)
{
    if ((*image)->type != CLUMP_BITS)
        return CLUMP_OK;
    enum clump_status status = context->backend->convert(context, *image, CLUMP_U8, made);
    if (!status)
        *image = *made;
    return status;
}

enum clump_status clump_allclose(clump_context *context, const clump_image *a, const clump_image *b,
                                 const struct clump_allclose_params *params,
                                 struct clump_allclose_result *result)
{
    CLUMP_ROUNDING();
    clump_image *made_a = NULL, *made_b = NULL;
    if (!params)
        params = &clump_allclose_defaults;
    enum clump_status status = check(context, a, b, params, result);
    if (!status)
        status = prepare(context, &a, &made_a);
    if (!status)
        status = prepare(context, &b, &made_b);
    if (!status)
        status = context->backend->allclose(context, a, b, params, result);
    clump_image_destroy(&made_b);
    clump_image_destroy(&made_a);
    return status;
}
