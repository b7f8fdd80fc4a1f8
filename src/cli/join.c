/* SPDX-License-Identifier: MIT */
/* One table for many inputs: their rows one after the other, the input's name in a column. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run.h"

/* The table of one input. */
struct part {
    char *file;
    clump_catalog *catalog;
};

struct joined {
    struct part *parts;
    size_t count;
};

bool run_joins(const struct run *run)
{
    return run->command->groups & COMMAND_TABLE && run->count > 1 && common.output &&
           !strstr(common.output, "{}");
}

/* A copy of a table, without its notes. */
static enum clump_status copy(struct run *run, const clump_catalog *from, clump_catalog **to)
{
    enum clump_status status =
        clump_catalog_create(&run->log, run->command->name, clump_catalog_rows(from), to);
    for (size_t i = 0; !status && i < clump_catalog_columns(from); i++)
        status = clump_catalog_add(*to, clump_catalog_column(from, i));
    return status;
}

static enum clump_status no_memory(struct run *run)
{
    return run_fail(run, CLUMP_ERROR_MEMORY, "out of memory for the table of all files");
}

enum clump_status run_join(struct run *run, const clump_catalog *catalog, const char *path,
                           json_t *json)
{
    struct joined *joined = run->joined ? run->joined : calloc(1, sizeof *joined);
    if (!joined)
        return no_memory(run);
    run->joined = joined;
    struct part part = {strdup(path), NULL};
    struct part *parts = realloc(joined->parts, (joined->count + 1) * sizeof *parts);
    if (parts)
        joined->parts = parts;
    enum clump_status status =
        parts && part.file ? copy(run, catalog, &part.catalog) : no_memory(run);
    if (status) {
        clump_catalog_destroy(&part.catalog);
        free(part.file);
        return status;
    }
    parts[joined->count++] = part;
    json_t *files = json_object_get(json, "files");
    if (!files) {
        files = json_array();
        json_object_set_new(json, "files", files);
    }
    if (!run_to_stdout(common.output))
        json_array_append_new(files, run_json_text(common.output));
    return CLUMP_OK;
}

/* Adds the column of that name and type, its values those of all parts: NaN, 0 or "" where a part
 * has none; with the unit that all share. */
static enum clump_status add_column(struct run *run, const struct joined *joined, uint64_t rows,
                                    struct clump_column column, clump_catalog *all)
{
    bool text = column.type == CLUMP_COLUMN_TEXT;
    char *values = malloc((rows + 1) * 8);
    uint64_t at = 0;
    if (!values)
        return no_memory(run);
    for (size_t p = 0; p < joined->count; p++) {
        uint64_t count = clump_catalog_rows(joined->parts[p].catalog);
        const struct clump_column *found =
            clump_catalog_find(joined->parts[p].catalog, column.name);
        if (found && found->type == column.type && count)
            memcpy(values + at * 8, found->values, count * (text ? sizeof(char *) : 8));
        for (uint64_t i = at; i < at + count && !(found && found->type == column.type); i++) {
            if (column.type == CLUMP_COLUMN_F64)
                ((double *)(void *)values)[i] = (double)NAN;
            else
                memset(values + i * 8, 0, 8); /* no text is an empty one */
        }
        if (found && column.unit && (!found->unit || strcmp(found->unit, column.unit)))
            column.unit = NULL;
        at += count;
    }
    column.values = values;
    enum clump_status status = clump_catalog_add(all, &column);
    free(values);
    return status;
}

static enum clump_status add_files(struct run *run, const struct joined *joined, uint64_t rows,
                                   clump_catalog *all)
{
    const char **values = malloc((rows + 1) * sizeof *values);
    uint64_t at = 0;
    if (!values)
        return no_memory(run);
    for (size_t p = 0; p < joined->count; p++)
        for (uint64_t i = 0; i < clump_catalog_rows(joined->parts[p].catalog); i++)
            values[at++] = joined->parts[p].file;
    enum clump_status status =
        clump_catalog_add(all,
                          &(struct clump_column){.name = "file",
                                                 .description = "input that the row was found in",
                                                 .type = CLUMP_COLUMN_TEXT,
                                                 .values = values});
    free(values);
    return status;
}

enum clump_status run_joined(struct run *run, clump_catalog **all)
{
    struct joined *joined = run->joined;
    uint64_t rows = 0;
    for (size_t p = 0; p < joined->count; p++)
        rows += clump_catalog_rows(joined->parts[p].catalog);
    enum clump_status status = clump_catalog_create(&run->log, run->command->name, rows, all);
    if (!status)
        status = add_files(run, joined, rows, *all);
    for (size_t p = 0; p < joined->count; p++)
        for (size_t i = 0; !status && i < clump_catalog_columns(joined->parts[p].catalog); i++) {
            const struct clump_column *column = clump_catalog_column(joined->parts[p].catalog, i);
            if (!clump_catalog_find(*all, column->name))
                status = add_column(run, joined, rows, *column, *all);
        }
    for (size_t p = 0; p < joined->count; p++) {
        clump_catalog_destroy(&joined->parts[p].catalog);
        free(joined->parts[p].file);
    }
    free(joined->parts);
    free(joined);
    run->joined = NULL;
    return status;
}
