/* SPDX-License-Identifier: MIT */
#include "catalog_fields.h"

#include <stdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Copies one field of one row to its place in a column. */
static void copy_field(const char *row, const struct field *field, int64_t *whole, double *real)
{
    const char *from = row + field->offset;
    uint32_t narrow;
    switch (field->type) {
    case FIELD_U32:
        memcpy(&narrow, from, sizeof narrow);
        *whole = narrow;
        break;
    case FIELD_U64:
    case FIELD_I64:
        memcpy(whole, from, sizeof *whole);
        break;
    case FIELD_F64:
        memcpy(real, from, sizeof *real);
        break;
    }
}

enum clump_status clump_catalog_fields_add(clump_catalog *catalog, const void *rows, size_t size,
                                           const struct field *fields)
{
    uint64_t count = clump_catalog_rows(catalog);
    union {
        int64_t whole;
        double real;
    } *values = calloc(count ? count : 1, sizeof *values);
    if (!values)
        return CLUMP_ERROR_MEMORY;
    enum clump_status status = CLUMP_OK;
    for (const struct field *field = fields; field->name && !status; field++) {
        for (uint64_t i = 0; i < count; i++)
            copy_field((const char *)rows + i * size, field, &values[i].whole, &values[i].real);
        const struct clump_column column = {
            .name = field->name,
            .unit = field->unit,
            .description = field->description,
            .ucd = field->ucd,
            .type = field->type == FIELD_F64 ? CLUMP_COLUMN_F64 : CLUMP_COLUMN_I64,
            .values = values,
            .frame = field->frame,
        };
        status = clump_catalog_add(catalog, &column);
    }
    free(values);
    return status;
}

const char *clump_catalog_frame_text(const struct clump_file_info *info, char *room)
{
    if (!*info->frame || isnan(info->equinox))
        snprintf(room, CATALOG_FRAME_ROOM, "%s", info->frame);
    else
        snprintf(room, CATALOG_FRAME_ROOM, "%s %c%.10g", info->frame,
                 !strncmp(info->frame, "FK4", 3) ? 'B' : 'J', info->equinox);
    return room;
}
