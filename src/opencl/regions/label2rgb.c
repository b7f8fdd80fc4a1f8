/* SPDX-License-Identifier: MIT */
#include "opencl/core/opencl.h"

#include <stdio.h>

static enum clump_status paint(clump_context *context, const clump_image *labels,
                               const clump_image *picture,
                               const struct clump_label2rgb_params *params, clump_image *rgb)
{
    char options[64];
    cl_kernel kernel;
    uint64_t n = labels->rows * labels->cols;
    uint32_t overlay = params->overlay, plain = params->plain;
    double opacity = picture ? params->alpha : 1;
    float alpha = (float)opacity, rest = (float)(1 - opacity);
    float image_alpha = (float)params->image_alpha, image_rest = (float)(1 - params->image_alpha);
    float low = (float)params->low, gain = (float)(1 / (params->high - params->low));
    const clump_image *under = picture ? picture : labels;
    snprintf(options, sizeof options, "-DT=%s -DLABEL=%s -DPICTURE=%d",
             clump_type_opencl(under->type), clump_type_opencl(labels->type), picture != NULL);
    enum clump_status status =
        clump_kernel(context, "regions/label2rgb", options, "label2rgb_paint", &kernel);
    if (status)
        return status;
    struct clump_arg args[] = {
        CLUMP_ARG_IMAGE(labels), CLUMP_ARG_IMAGE(under), CLUMP_ARG(n),
        CLUMP_ARG(alpha),        CLUMP_ARG(rest),        CLUMP_ARG(image_alpha),
        CLUMP_ARG(image_rest),   CLUMP_ARG(low),         CLUMP_ARG(gain),
        CLUMP_ARG(overlay),      CLUMP_ARG(plain),       CLUMP_ARG_IMAGE(rgb)};
    unsigned count = sizeof args / sizeof *args;
    size_t workers = context->opencl->layout.workers, one = 1;
    if (context->opencl->layout.coarse)
        return clump_launch(context, kernel, 1, &workers, &one, args, count);
    return clump_launch_flat(context, kernel, n, args, count);
}

enum clump_status clump_opencl_label2rgb(clump_context *context, const clump_image *labels,
                                         const clump_image *picture,
                                         const struct clump_label2rgb_params *params,
                                         clump_image **rgb)
{
    clump_image *made = NULL;
    enum clump_status status =
        clump_image_create(context, CLUMP_RGB, labels->rows, labels->cols, &made);
    if (!status)
        status = paint(context, labels, picture, params, made);
    if (status)
        clump_image_destroy(&made);
    else
        *rgb = made;
    return status;
}
