/* SPDX-License-Identifier: MIT */
#include "context.h"

#include <inttypes.h>

static enum clump_status check_table(clump_context *context, const struct clump_lookup_table *table)
{
    enum clump_status status = clump_check_given(&context->log, "lookup", "table", table);
    if (!status)
        status = clump_check_reserved(&context->log, "clump_lookup", "table", table);
    if (status)
        return status;
    if ((unsigned)table->type >= CLUMP_TYPE_COUNT || !(CLUMP_TYPES_NUMBER & 1u << table->type))
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "lookup: table.type must be a number type, not %d", (int)table->type);
    if (table->columns < 1 || table->columns > CLUMP_LOOKUP_COLUMNS)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "lookup: table.columns must be 1 to %d, not %" PRIu32,
                          CLUMP_LOOKUP_COLUMNS, table->columns);
    if (table->count && (!table->labels || !table->values))
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "lookup: table.labels and table.values are NULL, and table.count is "
                          "%" PRIu64,
                          table->count);
    for (uint64_t i = 1; i < table->count; i++)
        if (table->labels[i] <= table->labels[i - 1])
            return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                              "lookup: table.labels must rise, but number %" PRIu64 " is %" PRId64
                              " after %" PRId64,
                              i, table->labels[i], table->labels[i - 1]);
    return CLUMP_OK;
}

enum clump_status clump_lookup(clump_context *context, const clump_image *labels,
                               const struct clump_lookup_table *table, clump_image **result)
{
    CLUMP_ROUNDING();
    enum clump_status status =
        clump_check_image(context, "lookup", "label image", labels, CLUMP_TYPES_MASK);
    if (!status)
        status = check_table(context, table);
    if (!status)
        status = clump_check_given(&context->log, "lookup", "result", result);
    if (status)
        return status;
    clump_image *whole = NULL, *numbers = NULL;
    status = clump_labels_whole(context, "lookup", &labels, &whole);
    if (!status)
        status = clump_convert_to(context, CLUMP_TYPES_NUMBER, CLUMP_U8, &labels, &numbers);
    if (!status)
        status = context->backend->lookup(context, labels, table, result);
    clump_image_destroy(&numbers);
    clump_image_destroy(&whole);
    return status;
}
