/* SPDX-License-Identifier: MIT */
/* Columns of a catalogue from an array of structs: which member becomes which column. */
#ifndef CLUMP_SRC_CATALOG_FIELDS_H
#define CLUMP_SRC_CATALOG_FIELDS_H

#include <stddef.h>

#include <clump/catalog.h>
#include <clump/file.h>

enum field_type { FIELD_U32, FIELD_U64, FIELD_I64, FIELD_F64 };

struct field {
    const char *name, *unit, *description, *ucd; /* of the column, as in struct clump_column */
    enum field_type type;
    size_t offset;     /* of the member in its struct */
    const char *frame; /* as in struct clump_column */
};

/* Adds one column per entry of `fields`, which ends with an entry without a name. `rows` is an
 * array of structs of `size` bytes, one per row of the catalogue. */
enum clump_status clump_catalog_fields_add(clump_catalog *catalog, const void *rows, size_t size,
                                           const struct field *fields);

#define CATALOG_FRAME_ROOM 40
/* Writes the frame of a file with its equinox, "FK5 J2000", to `room`; returns that. */
const char *clump_catalog_frame_text(const struct clump_file_info *info, char *room);

#endif
