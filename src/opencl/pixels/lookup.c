/* SPDX-License-Identifier: MIT */
#include "opencl/core/opencl.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A copy of the table's values, and behind them those of the labels that it has not. */
static enum clump_status put_values(clump_context *context, const struct clump_lookup_table *table,
                                    cl_mem *buffer)
{
    size_t row = clump_type_row_bytes(table->type, 1) * table->columns;
    size_t bytes = row * (size_t)table->count;
    char *memory = calloc(bytes + row, 1);
    if (!memory)
        return clump_fail(&context->log, CLUMP_ERROR_MEMORY,
                          "lookup: cannot allocate %zu bytes of memory", bytes + row);
    if (bytes)
        memcpy(memory, table->values, bytes);
    if (table->otherwise)
        memcpy(memory + bytes, table->otherwise, row);
    enum clump_status status = clump_buffer_constant(context, memory, bytes + row, buffer);
    free(memory);
    return status;
}

static enum clump_status look_up(clump_context *context, const clump_image *labels,
                                 const struct clump_lookup_table *table, clump_image *made)
{
    static const char *const types[] = {[1] = "uchar", [2] = "ushort", [4] = "uint", [8] = "ulong"};
    static const int64_t none = 0;
    uint64_t count = table->count, n = labels->rows * labels->cols;
    /* without overflow: labels rise, so that the difference is at least count - 1 */
    cl_uint dense =
        count && (uint64_t)table->labels[count - 1] - (uint64_t)table->labels[0] == count - 1;
    cl_uint columns = table->columns;
    cl_mem keys, values;
    cl_kernel kernel;
    char options[64];
    snprintf(options, sizeof options, "-DT=%s -DLABEL=%s",
             types[clump_type_row_bytes(table->type, 1)], clump_type_opencl(labels->type));
    enum clump_status status =
        clump_buffer_constant(context, count ? table->labels : &none,
                              (size_t)(count ? count : 1) * sizeof none, &keys);
    if (!status)
        status = put_values(context, table, &values);
    if (!status)
        status = clump_kernel(context, "pixels/lookup", options, "lookup_pixels", &kernel);
    if (status)
        return status;
    return clump_launch_flat(context, kernel, n,
                             CLUMP_ARGS(CLUMP_ARG_IMAGE(labels), CLUMP_ARG(keys), CLUMP_ARG(count),
                                        CLUMP_ARG(dense), CLUMP_ARG(values), CLUMP_ARG(columns),
                                        CLUMP_ARG(n), CLUMP_ARG_IMAGE(made)));
}

enum clump_status clump_opencl_lookup(clump_context *context, const clump_image *labels,
                                      const struct clump_lookup_table *table, clump_image **result)
{
    clump_image *made = NULL;
    uint64_t n = labels->rows * labels->cols;
    bool several = table->columns > 1;
    enum clump_status status = clump_image_create(context, table->type, several ? n : labels->rows,
                                                  several ? table->columns : labels->cols, &made);
    if (!status)
        status = look_up(context, labels, table, made);
    if (status)
        clump_image_destroy(&made);
    else
        *result = made;
    return status;
}
