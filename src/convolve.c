/* SPDX-License-Identifier: MIT */
#include "context.h"

#include <inttypes.h>
#include <math.h>

#define LONGEST (UINT64_C(1) << 31) /* side of a kernel */

const struct clump_convolve_params clump_convolve_defaults = {
    .mode = CLUMP_CONVOLVE_MODE_FULL,
    .boundary = CLUMP_BOUNDARY_FILL,
    .fill_value = 0,
    .method = CLUMP_CONVOLVE_METHOD_AUTO,
    .blank = CLUMP_BLANK_SPREAD,
};

static enum clump_status check_kernel(clump_context *context, const clump_image *image,
                                      const struct clump_weights *kernel)
{
    const struct clump_log *log = &context->log;
    if (!kernel || !kernel->weights)
        return clump_fail(log, CLUMP_ERROR_ARGUMENT, "convolve: no kernel was given");
    enum clump_status status = clump_check_reserved(log, "clump_convolve", "kernel", kernel);
    if (status)
        return status;
    if (!kernel->rows || !kernel->cols || kernel->rows > LONGEST || kernel->cols > LONGEST)
        return clump_fail(log, CLUMP_ERROR_ARGUMENT,
                          "convolve: %" PRIu64 " x %" PRIu64 " is not a kernel's size",
                          kernel->rows, kernel->cols);
    enum clump_type type = image->type == CLUMP_F64 ? CLUMP_F64 : CLUMP_F32;
    for (uint64_t i = 0; i < kernel->rows * kernel->cols; i++) {
        double weight = kernel->weights[i];
        if (!isfinite(type == CLUMP_F32 ? (double)(float)weight : weight))
            return clump_fail(log, CLUMP_ERROR_ARGUMENT,
                              "convolve: weight %g at row %" PRIu64 ", column %" PRIu64
                              " of the kernel is not finite in %s",
                              weight, i / kernel->cols, i % kernel->cols, clump_type_text(type));
    }
    return CLUMP_OK;
}

static enum clump_status check_params(clump_context *context,
                                      const struct clump_convolve_params *params)
{
    const struct clump_log *log = &context->log;
    if ((unsigned)params->mode > CLUMP_CONVOLVE_MODE_VALID)
        return clump_fail(log, CLUMP_ERROR_ARGUMENT, "convolve: %d is not a mode",
                          (int)params->mode);
    if ((unsigned)params->boundary > CLUMP_BOUNDARY_MIRROR)
        return clump_fail(log, CLUMP_ERROR_ARGUMENT, "convolve: %d is not a boundary",
                          (int)params->boundary);
    if ((unsigned)params->method > CLUMP_CONVOLVE_METHOD_FAST)
        return clump_fail(log, CLUMP_ERROR_ARGUMENT, "convolve: %d is not a method",
                          (int)params->method);
    if ((unsigned)params->blank > CLUMP_BLANK_IGNORE)
        return clump_fail(log, CLUMP_ERROR_ARGUMENT, "convolve: %d is not a rule for blank pixels",
                          (int)params->blank);
    return CLUMP_OK;
}

static enum clump_status check(clump_context *context, const clump_image *image,
                               const struct clump_weights *kernel,
                               const struct clump_convolve_params *params, clump_image **convolved)
{
    enum clump_status status =
        clump_check_image(context, "convolve", "image", image, CLUMP_TYPES_MASK);
    if (!status)
        status = clump_check_reserved(&context->log, "clump_convolve", "params", params);
    if (!status)
        status = check_params(context, params);
    if (!status)
        status = check_kernel(context, image, kernel);
    if (!status && !convolved)
        status = clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                            "convolve: no place for the convolved image was given");
    return status;
}

enum clump_status clump_convolve(clump_context *context, const clump_image *image,
                                 const struct clump_weights *kernel,
                                 const struct clump_convolve_params *params,
                                 clump_image **convolved)
{
    CLUMP_ROUNDING();
    if (!params)
        params = &clump_convolve_defaults;
    enum clump_status status = check(context, image, kernel, params, convolved);
    if (status)
        return status;
    bool larger = image->rows >= kernel->rows && image->cols >= kernel->cols;
    bool smaller = image->rows <= kernel->rows && image->cols <= kernel->cols;
    if (params->mode == CLUMP_CONVOLVE_MODE_VALID && !larger && !smaller)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "convolve: mode valid needs the image (%" PRIu64 " x %" PRIu64
                          ") or the kernel (%" PRIu64 " x %" PRIu64 ") to be the larger both ways",
                          image->rows, image->cols, kernel->rows, kernel->cols);
    clump_image *made = NULL;
    status = clump_convert_to(context, CLUMP_TYPES_FLOAT, CLUMP_F32, &image, &made);
    if (!status)
        status = context->backend->convolve(context, image, kernel, params, convolved);
    clump_image_destroy(&made);
    return status;
}

enum clump_status clump_convolve_1d(clump_context *context, const clump_image *image,
                                    const struct clump_weights *kernel,
                                    const struct clump_convolve_params *params,
                                    clump_image **convolved)
{
    CLUMP_ROUNDING();
    if (!params)
        params = &clump_convolve_defaults;
    enum clump_status status = check(context, image, kernel, params, convolved);
    if (status)
        return status;
    if (image->rows != 1 || kernel->rows != 1)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "convolve: in one dimension image and kernel have one row, not %" PRIu64
                          " and %" PRIu64,
                          image->rows, kernel->rows);
    clump_image *made = NULL;
    status = clump_convert_to(context, CLUMP_TYPES_FLOAT, CLUMP_F32, &image, &made);
    if (!status)
        status = context->backend->convolve_1d(context, image, kernel, params, convolved);
    clump_image_destroy(&made);
    return status;
}
