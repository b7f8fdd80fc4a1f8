/* SPDX-License-Identifier: MIT */
#include "reference/reference.h"

#include <stdlib.h>

#include "reference/sorted.h"

enum clump_status clump_reference_stats(clump_context *context, const clump_image *image,
                                        const struct clump_stats_params *params, double *quantiles,
                                        struct clump_stats_result *result)
{
    struct clump_sorted sample;
    enum clump_status status = clump_sorted_create(context, "stats", image, &sample);
    if (status)
        return status;
    status = clump_sorted_stats(context, image, &sample, 0, sample.count, params->ddof, params->mad,
                                result);
    if (!status)
        for (size_t i = 0; i < params->quantile_count; i++)
            quantiles[i] = clump_sorted_quantile(sample.values, sample.count, params->quantiles[i]);
    free(sample.values);
    return status;
}
