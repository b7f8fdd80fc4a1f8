/* SPDX-License-Identifier: MIT */
/* The members of a catalogue, and the formats in which it is written. */
#ifndef CLUMP_SRC_FILE_TABLE_H
#define CLUMP_SRC_FILE_TABLE_H

#include <stdio.h>

#include <clump/catalog.h>

struct note {
    char *key, *value; /* value NULL: a number */
    double number;
    char *unit; /* of a number, or NULL */
};

struct clump_catalog {
    struct clump_log log;
    char *name;
    uint64_t rows;
    struct clump_column *columns; /* the catalogue owns everything in them */
    size_t column_count;
    struct note *notes;
    size_t note_count;
};

/* What a writer is given. FITS opens the temporary file by its name, the others use the stream. */
struct table_output {
    const clump_catalog *catalog;
    const struct clump_catalog_write_params *params;
    const char *path;      /* of the target, for messages */
    const char *temporary; /* for those that open it themselves */
    FILE *out;
};

enum clump_status clump_table_csv(const struct table_output *output);
enum clump_status clump_table_ecsv(const struct table_output *output);
enum clump_status clump_table_votable(const struct table_output *output);
enum clump_status clump_table_fits(const struct table_output *output);
enum clump_status clump_table_ds9(const struct table_output *output);

/* Prints a double with the fewest digits from which it can be read back; NaN and infinity as these
 * words. */
void clump_print_double(FILE *out, double value, const char *nan, const char *infinity);

/* Tells the frame of the sky coordinates, "ICRS"; if there are several, each with its columns,
 * "GALACTIC glon glat; ICRS ra dec". Returns false if there is none. */
#define CATALOG_FRAME_ROOM 200
bool clump_catalog_frame(const clump_catalog *catalog, char text[CATALOG_FRAME_ROOM]);

/* Value of a number column as a double. */
double clump_column_number(const struct clump_column *column, uint64_t row);

/* The text of a row of a text column, never NULL. */
const char *clump_column_text(const struct clump_column *column, uint64_t row);

#endif
