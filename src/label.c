/* SPDX-License-Identifier: MIT */
#include "context.h"

const struct clump_label_params clump_label_defaults = {.connectivity = 4};

enum clump_status clump_label(clump_context *context, const clump_image *mask,
                              const struct clump_label_params *params, clump_image **labels,
                              uint64_t *count)
{
    CLUMP_ROUNDING();
    if (!params)
        params = &clump_label_defaults;
    enum clump_status status = clump_check_image(context, "label", "mask", mask, CLUMP_TYPES_MASK);
    if (!status)
        status = clump_check_reserved(&context->log, "clump_label", "params", params);
    if (status)
        return status;
    if (params->connectivity != 4 && params->connectivity != 8)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "label: connectivity is 4 or 8, not %u", params->connectivity);
    if (!count)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "label: no place for the count was given");
    clump_image *made = NULL;
    status = clump_convert_to(context, 1u << CLUMP_BITS | 1u << CLUMP_U8, CLUMP_BITS, &mask, &made);
    if (!status)
        status = context->backend->label(context, mask, params, labels, count);
    clump_image_destroy(&made);
    return status;
}
