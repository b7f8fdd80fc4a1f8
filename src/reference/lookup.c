/* SPDX-License-Identifier: MIT */
#include "reference/reference.h"

#include <stdlib.h>
#include <string.h>

#include "reference/pixel.h"

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The values of a label, or NULL for zeros. */
static const char *values_of(const struct clump_lookup_table *table, int64_t label, size_t bytes)
{
    const int64_t *found =
        !table->count ? NULL
                      : bsearch(&label, table->labels, (size_t)table->count, sizeof label, compare);
    if (!found)
        return table->otherwise;
    return (const char *)table->values + (size_t)(found - table->labels) * bytes;
}

enum clump_status clump_reference_lookup(clump_context *context, const clump_image *labels,
                                         const struct clump_lookup_table *table,
                                         clump_image **result)
{
    uint64_t n = pixel_count(labels);
    bool several = table->columns > 1;
    clump_image *out;
    enum clump_status status = clump_image_create(context, table->type, several ? n : labels->rows,
                                                  several ? table->columns : labels->cols, &out);
    if (status)
        return status;
    size_t bytes = clump_type_row_bytes(table->type, 1) * table->columns;
    for (uint64_t i = 0; i < n; i++) {
        const char *values = values_of(table, (int64_t)pixel_get(labels, i), bytes);
        char *to = (char *)out->pixels + i * bytes;
        if (values)
            memcpy(to, values, bytes);
        else
            memset(to, 0, bytes);
    }
    *result = out;
    return CLUMP_OK;
}
