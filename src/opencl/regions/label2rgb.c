/* SPDX-License-Identifier: MIT */
#include "opencl/core/opencl.h"

#include <stddef.h>
#include <stdio.h>

#include "regions/label2rgb.h"

_Static_assert(sizeof(struct label2rgb_mix) == 40 && offsetof(struct label2rgb_mix, plain) == 36,
               "laid out as in the kernel");

static enum clump_status paint(clump_context *context, const clump_image *labels,
                               const clump_image *picture,
                               const struct clump_label2rgb_params *params, clump_image *rgb)
{
    char options[64];
    cl_kernel kernel;
    uint64_t n = labels->rows * labels->cols;
    double opacity = picture ? params->alpha : 1;
    const struct label2rgb_mix mix = {.n = n,
                                      .alpha = (float)opacity,
                                      .rest = (float)(1 - opacity),
                                      .image_alpha = (float)params->image_alpha,
                                      .image_rest = (float)(1 - params->image_alpha),
                                      .low = (float)params->low,
                                      .gain = (float)(1 / (params->high - params->low)),
                                      .overlay = params->overlay,
                                      .plain = params->plain};
    const clump_image *under = picture ? picture : labels;
    snprintf(options, sizeof options, "-DT=%s -DLABEL=%s -DPICTURE=%d",
             clump_type_opencl(under->type), clump_type_opencl(labels->type), picture != NULL);
    enum clump_status status =
        clump_kernel(context, "regions/label2rgb", options, "label2rgb_paint", &kernel);
    if (status)
        return status;
    struct clump_arg args[] = {CLUMP_ARG_IMAGE(labels), CLUMP_ARG_IMAGE(under), CLUMP_ARG(mix),
                               CLUMP_ARG_IMAGE(rgb)};
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
