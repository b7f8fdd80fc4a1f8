/* SPDX-License-Identifier: MIT */
#include "context.h"

#include <inttypes.h>
#include <stdlib.h>

const struct clump_measure_params clump_measure_defaults = {
    .connectivity = 4,
    .perimeter = false,
    .convex = false,
    .euler = false,
    .brief = false,
};

static enum clump_status check_image(clump_context *context, const clump_image *image,
                                     const clump_image *labels)
{
    enum clump_status status =
        clump_check_image(context, "measure", "image", image, CLUMP_TYPES_NUMBER);
    if (status)
        return status;
    if (image->rows != labels->rows || image->cols != labels->cols)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "measure: the image is %" PRIu64 " x %" PRIu64 ", but the labels are "
                          "%" PRIu64 " x %" PRIu64,
                          image->rows, image->cols, labels->rows, labels->cols);
    return CLUMP_OK;
}

enum clump_status clump_measure(clump_context *context, const clump_image *image,
                                const clump_image *labels,
                                const struct clump_measure_params *params,
                                struct clump_region **regions, uint64_t *count)
{
    if (!params)
        params = &clump_measure_defaults;
    enum clump_status status = clump_check_image(context, "measure", "label image", labels,
                                                 1u << CLUMP_BITS | 1u << CLUMP_I32);
    if (!status && image)
        status = check_image(context, image, labels);
    if (status)
        return status;
    if (labels->type == CLUMP_BITS && params->connectivity != 4 && params->connectivity != 8)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "measure: connectivity is 4 or 8, not %u", params->connectivity);
    if (!regions || !count)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "measure: no place for the %s was given", regions ? "count" : "regions");
    return context->backend->measure(context, image, labels, params, regions, count);
}

void clump_measure_destroy(struct clump_region **regions)
{
    if (!regions)
        return;
    free(*regions);
    *regions = NULL;
}
