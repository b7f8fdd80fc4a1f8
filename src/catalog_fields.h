/* SPDX-License-Identifier: MIT */
/* Tables from arrays of structs: which field becomes which column. */
#ifndef CLUMP_SRC_ROWS_H
#define CLUMP_SRC_ROWS_H

#include <stddef.h>

#include <clump/catalog.h>

enum field_type { FIELD_U32, FIELD_U64, FIELD_I64, FIELD_F64 };

struct field {
    const char *name, *unit, *description, *ucd; /* of the column, as in struct clump_column */
    enum field_type type;
    size_t offset;     /* in a row's struct */
    const char *frame; /* as in struct clump_column */
};

/* Adds a column for each of `fields`, up to one without a name, taken from `rows` structs of
 * `size` bytes. */
enum clump_status clump_catalog_fields_add(clump_catalog *catalog, const void *rows, size_t size,
                                           const struct field *fields);

#endif
