/* SPDX-License-Identifier: MIT */
#include <clump/lookup.h>

#include <inttypes.h>
#include <stdlib.h>

#include "context.h"

/* Looks up the ranks of the regions' labels, which rise. */
static enum clump_status rank(clump_context *context, const clump_image *labels,
                              const struct clump_region *regions, uint64_t count,
                              clump_image **result)
{
    if (count > INT32_MAX)
        return clump_fail(&context->log, CLUMP_ERROR_UNSUPPORTED,
                          "relabel: %" PRIu64 " labels do not fit into int32; at most %" PRId32
                          " do",
                          count, INT32_MAX);
    int64_t *numbers = malloc((size_t)(count + 1) * sizeof *numbers);
    int32_t *ranks = malloc((size_t)(count + 1) * sizeof *ranks);
    enum clump_status status = CLUMP_OK;
    if (!numbers || !ranks)
        status = clump_fail(&context->log, CLUMP_ERROR_MEMORY,
                            "relabel: cannot allocate memory for %" PRIu64 " labels", count);
    for (uint64_t i = 0; !status && i < count; i++) {
        numbers[i] = (int64_t)regions[i].label;
        ranks[i] = (int32_t)(i + 1);
    }
    const struct clump_lookup_table table = {
        .count = count, .labels = numbers, .type = CLUMP_I32, .columns = 1, .values = ranks};
    if (!status)
        status = clump_lookup(context, labels, &table, result);
    free(ranks);
    free(numbers);
    return status;
}

enum clump_status clump_relabel(clump_context *context, const clump_image *labels,
                                clump_image **result, uint64_t *count)
{
    CLUMP_ROUNDING();
    enum clump_status status =
        clump_check_image(context, "relabel", "label image", labels, CLUMP_TYPES_MASK);
    if (!status)
        status = clump_check_given(&context->log, "relabel", "result", result);
    if (status)
        return status;
    struct clump_measure_params params = clump_measure_defaults;
    struct clump_region *regions = NULL;
    clump_image *numbers = NULL;
    uint64_t found = 0;
    params.brief = true;
    status = clump_convert_to(context, CLUMP_TYPES_NUMBER, CLUMP_U8, &labels, &numbers);
    if (!status)
        status = clump_measure(context, NULL, labels, &params, &regions, &found);
    if (!status)
        status = rank(context, labels, regions, found, result);
    if (!status && count)
        *count = found;
    clump_measure_destroy(&regions);
    clump_image_destroy(&numbers);
    return status;
}
