/* SPDX-License-Identifier: MIT */
#include "context.h"

enum clump_status clump_otsu(clump_context *context, const clump_image *image, double *threshold)
{
    CLUMP_ROUNDING();
    enum clump_status status =
        clump_check_image(context, "otsu", "image", image, CLUMP_TYPES_NUMBER);
    if (status)
        return status;
    if (!threshold)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "otsu: no place for the threshold was given");
    return context->backend->otsu(context, image, threshold);
}
