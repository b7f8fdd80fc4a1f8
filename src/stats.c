/* SPDX-License-Identifier: MIT */
#include "checks.h"
#include "context.h"

const struct clump_stats_params clump_stats_defaults = {
    .quantiles = NULL,
    .quantile_count = 0,
    .ddof = 0,
    .mad = false,
};

enum clump_status clump_stats_check(clump_context *context, const char *function,
                                    const struct clump_stats_params *params, bool quantiles)
{
    enum clump_status status = clump_check_reserved(&context->log, function, "params", params);
    if (status)
        return status;
    if (params->quantile_count && (!params->quantiles || !quantiles))
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "stats: %zu quantiles were asked for, but %s was given",
                          params->quantile_count,
                          params->quantiles ? "no place for them" : "no list of them");
    for (size_t i = 0; i < params->quantile_count; i++)
        if (!(params->quantiles[i] >= 0 && params->quantiles[i] <= 1))
            return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                              "stats: quantile %g is not between 0 and 1", params->quantiles[i]);
    return CLUMP_OK;
}

enum clump_status clump_stats(clump_context *context, const clump_image *image,
                              const struct clump_stats_params *params, double *quantiles,
                              struct clump_stats_result *result)
{
    CLUMP_ROUNDING();
    if (!params)
        params = &clump_stats_defaults;
    enum clump_status status =
        clump_check_image(context, "stats", "image", image, CLUMP_TYPES_NUMBER);
    if (!status)
        status = clump_stats_check(context, "clump_stats", params, quantiles != NULL);
    if (status)
        return status;
    if (!result)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "stats: no place for the result was given");
    return context->backend->stats(context, image, params, quantiles, result);
}
