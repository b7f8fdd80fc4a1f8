/* SPDX-License-Identifier: MIT */
#include "opencl/core/opencl.h"

#include <math.h>
#include <stdio.h>

#define NOT_CLOSE   (UINT64_C(1) << 63) /* as in cl/pixels/allclose.cl */
#define MOST_GROUPS 1024                /* per fine launch */

struct finding {
    uint64_t worst, index, count;
};

static double value(enum clump_type type, const void *pixels, uint64_t i)
{
    switch (type) {
    case CLUMP_U8:
        return ((const uint8_t *)pixels)[i];
    case CLUMP_U16:
        return ((const uint16_t *)pixels)[i];
    case CLUMP_I16:
        return ((const int16_t *)pixels)[i];
    case CLUMP_I32:
        return ((const int32_t *)pixels)[i];
    case CLUMP_U32:
        return ((const uint32_t *)pixels)[i];
    case CLUMP_I64:
        return (double)((const int64_t *)pixels)[i];
    case CLUMP_F32:
        return (double)((const float *)pixels)[i];
    default:
        return ((const double *)pixels)[i];
    }
}

static enum clump_status read_pixel(clump_context *context, const clump_image *image, uint64_t i,
                                    double *number)
{
    uint64_t pixel = 0;
    size_t size = clump_type_row_bytes(image->type, 1);
    cl_int error = clump_cl.EnqueueReadBuffer(context->opencl->queue, image->buffer, CL_TRUE,
                                              (size_t)i * size, size, &pixel, 0, NULL, NULL);
    if (error != CL_SUCCESS)
        return clump_cl_fail(context, error, "allclose: reading a pixel (clEnqueueReadBuffer)");
    *number = value(image->type, &pixel, 0);
    return CLUMP_OK;
}

/* Whether the device computes in float32 (`single`) or float64 as IEEE 754 defines it, with
 * subnormal numbers. */
static bool computes(const clump_context *context, bool single)
{
    cl_device_fp_config config = 0;
    if (!single)
        return context->device.fp64;
    return clump_cl.GetDeviceInfo(context->opencl->device, CL_DEVICE_SINGLE_FP_CONFIG,
                                  sizeof config, &config, NULL) == CL_SUCCESS &&
           config & CL_FP_DENORM;
}

/* As in cl/pixels/allclose.cl: the bits of the difference, and NOT_CLOSE. */
static uint64_t badness(double x, double y, bool single, const struct clump_allclose_params *params)
{
    if (x == y || (params->equal_nan && isnan(x) && isnan(y)))
        return 0;
    union {
        double number;
        uint64_t bits;
    } difference = {fabs(single ? (double)((float)x - (float)y) : x - y)};
    float bound = (float)params->rtol * fabsf((float)y);
    bound += (float)params->atol;
    double tolerance = single ? (double)bound : params->rtol * fabs(y) + params->atol;
    if (isnan(difference.number))
        return NOT_CLOSE | INT64_MAX;
    return difference.bits | (difference.number <= tolerance && isfinite(y) ? 0 : NOT_CLOSE);
}

/* Compares on the host, for a device that does not compute exactly enough. */
static enum clump_status by_host(clump_context *context, const clump_image *a, const clump_image *b,
                                 bool single, const struct clump_allclose_params *params,
                                 struct finding *found)
{
    void *x = NULL, *y = NULL;
    enum clump_status status = clump_buffer_map(context, a->buffer, CLUMP_IMAGE_READ, a->bytes, &x);
    if (!status)
        status = clump_buffer_map(context, b->buffer, CLUMP_IMAGE_READ, b->bytes, &y);
    for (uint64_t i = 0; !status && i < a->rows * a->cols; i++) {
        uint64_t bad = badness(value(a->type, x, i), value(b->type, y, i), single, params);
        found->count += bad >> 63;
        if (bad > found->worst) {
            found->worst = bad;
            found->index = i;
        }
    }
    if (y && clump_buffer_unmap(context, b->buffer, y) && !status)
        status = CLUMP_ERROR_OPENCL;
    if (x && clump_buffer_unmap(context, a->buffer, x) && !status)
        status = CLUMP_ERROR_OPENCL;
    return status;
}

/* Merges the findings of all groups. */
static enum clump_status gather(clump_context *context, cl_mem buffer, size_t groups,
                                struct finding *found)
{
    void *mapped;
    enum clump_status status =
        clump_buffer_map(context, buffer, CLUMP_IMAGE_READ, groups * sizeof *found, &mapped);
    if (status)
        return status;
    for (size_t i = 0; i < groups; i++) {
        const struct finding *one = (const struct finding *)mapped + i;
        found->count += one->count;
        if (one->worst > found->worst ||
            (one->worst == found->worst && one->index < found->index)) {
            found->worst = one->worst;
            found->index = one->index;
        }
    }
    return clump_buffer_unmap(context, buffer, mapped);
}

static enum clump_status by_device(clump_context *context, const clump_image *a,
                                   const clump_image *b, bool single,
                                   const struct clump_allclose_params *params,
                                   struct finding *found)
{
    const struct layout *layout = &context->opencl->layout;
    char options[96];
    cl_kernel kernel;
    cl_mem buffer = NULL;
    uint64_t n = a->rows * a->cols;
    size_t local = layout->coarse ? 1 : layout->group;
    uint64_t most = layout->coarse ? layout->workers : MOST_GROUPS,
             groups = (n + local - 1) / local;
    groups = groups < most ? groups : most;
    size_t global = (size_t)groups * local;
    uint64_t share = layout->coarse ? (n + groups - 1) / groups : global; /* slice, or step */
    float rtol = (float)params->rtol, atol = (float)params->atol;
    cl_uint equal_nan = params->equal_nan;
    snprintf(options, sizeof options, "-DC=%s -DT=%s%s", single ? "float" : "double",
             clump_type_opencl(a->type), single ? " -DF32" : "");
    enum clump_status status =
        clump_kernel(context, "pixels/allclose", options, "allclose", &kernel);
    if (!status)
        status = clump_buffer_borrow(context, (size_t)groups * sizeof *found, &buffer);
    if (!status)
        status = clump_launch(context, kernel, 1, &global, &local,
                              CLUMP_ARGS(CLUMP_ARG_IMAGE(a), CLUMP_ARG_IMAGE(b), CLUMP_ARG(n),
                                         CLUMP_ARG(share),
                                         single ? CLUMP_ARG(rtol) : CLUMP_ARG(params->rtol),
                                         single ? CLUMP_ARG(atol) : CLUMP_ARG(params->atol),
                                         CLUMP_ARG(equal_nan), CLUMP_ARG(buffer)));
    if (!status)
        status = gather(context, buffer, (size_t)groups, found);
    clump_buffer_return(context, &buffer);
    return status;
}

/* Compares on the device if it computes in the type that is needed; where the types differ, both
 * images are converted to float64. */
static enum clump_status find(clump_context *context, const clump_image *a, const clump_image *b,
                              bool single, const struct clump_allclose_params *params,
                              struct finding *found)
{
    clump_image *wide_a = NULL, *wide_b = NULL;
    enum clump_status status = CLUMP_OK;
    if (!computes(context, single))
        return by_host(context, a, b, single, params, found);
    if (a->type == b->type)
        return by_device(context, a, b, single, params, found);
    status = clump_opencl_convert(context, a, CLUMP_F64, &wide_a);
    if (!status)
        status = clump_opencl_convert(context, b, CLUMP_F64, &wide_b);
    if (!status)
        status = by_device(context, wide_a, wide_b, single, params, found);
    clump_image_destroy(&wide_b);
    clump_image_destroy(&wide_a);
    return status;
}

enum clump_status clump_opencl_allclose(clump_context *context, const clump_image *a,
                                        const clump_image *b,
                                        const struct clump_allclose_params *params,
                                        struct clump_allclose_result *result)
{
    bool single = a->type == CLUMP_F32 && b->type == CLUMP_F32;
    struct finding found = {0, 0, 0};
    struct clump_allclose_result made = {0};
    enum clump_status status = find(context, a, b, single, params, &found);
    if (status)
        return status;
    made.close = !found.count;
    made.differ = found.count;
    made.row = found.index / a->cols;
    made.col = found.index % a->cols;
    status = read_pixel(context, a, found.index, &made.a);
    if (!status)
        status = read_pixel(context, b, found.index, &made.b);
    if (status)
        return status;
    made.difference = !found.worst ? 0
                      : single     ? (double)fabsf((float)made.a - (float)made.b)
                                   : fabs(made.a - made.b);
    *result = made;
    return CLUMP_OK;
}
