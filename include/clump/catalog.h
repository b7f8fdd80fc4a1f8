/* SPDX-License-Identifier: MIT */
/*
 * A catalogue: a table of named, typed columns with units and descriptions, and notes on where it
 * came from.
 *
 * Sky coordinates state their frame in every format: CSV in a last column `frame`, ECSV in its
 * meta, FITS as RADESYS and EQUINOX, VOTable as COOSYS. A catalogue is written as CSV, ECSV, FITS
 * binary table, VOTable or DS9 regions, by the ending of the name, and as a whole or not at all, as
 * image files are. One thread at a time uses a catalogue. Host src/catalog.c, src/file/table*.c.
 */
#ifndef CLUMP_CATALOG_H
#define CLUMP_CATALOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <clump/log.h>
#include <clump/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct clump_catalog clump_catalog;
struct clump_file; /* clump/file.h */

enum clump_column_type {
    CLUMP_COLUMN_I64, /* int64_t */
    CLUMP_COLUMN_F64, /* double; NaN where there is no value */
    CLUMP_COLUMN_TEXT /* const char *, UTF-8; FITS files hold its ASCII part */
};

struct clump_column {
    const char *name;        /* of letters, digits, '_' and '-'; no two columns have the same */
    const char *unit;        /* as FITS spells it ("deg", "pix"); NULL: none */
    const char *description; /* NULL: none */
    const char *ucd; /* its meaning as a UCD of the IVOA ("pos.eq.ra;meta.main"); NULL: none */
    enum clump_column_type type;
    const void *values;   /* one value per row */
    const char *frame;    /* of a sky coordinate: "ICRS", "FK5 J2000", "FK4 B1950", "GALACTIC",
                             "ECLIPTIC J2000"; NULL: none */
    uint64_t reserved[2]; /* 0 (clump.h) */
};

/*
 * Makes a table of `rows` rows and no column. `name` becomes the name of the FITS extension and of
 * the VOTable's table; NULL: "CATALOG". `log` may be NULL.
 */
CLUMP_API enum clump_status clump_catalog_create(const struct clump_log *log, const char *name,
                                                 uint64_t rows, clump_catalog **catalog);

/* Destroys a catalogue and nulls the pointer; accepts the address of NULL. */
CLUMP_API void clump_catalog_destroy(clump_catalog **catalog);

/* Adds a column after the others; everything is copied. */
CLUMP_API enum clump_status clump_catalog_add(clump_catalog *catalog,
                                              const struct clump_column *column);

/*
 * Says something about the whole table: program, device, parameters. A key of up to eight capital
 * letters and digits becomes a FITS keyword, any other a HISTORY line. CSV and regions leave it
 * out.
 */
CLUMP_API enum clump_status clump_catalog_note(clump_catalog *catalog, const char *key,
                                               const char *value);

/* The same for a number, which FITS, ECSV and VOTable keep as a number. `unit` may be NULL. */
CLUMP_API enum clump_status clump_catalog_number(clump_catalog *catalog, const char *key,
                                                 double value, const char *unit);

/* Number of rows and of columns; 0 for NULL. */
CLUMP_API uint64_t clump_catalog_rows(const clump_catalog *catalog);
CLUMP_API size_t clump_catalog_columns(const clump_catalog *catalog);

/* The column with this number, in the order of adding, or with this name. Borrowed; NULL: there is
 * none. */
CLUMP_API const struct clump_column *clump_catalog_column(const clump_catalog *catalog,
                                                          size_t number);
CLUMP_API const struct clump_column *clump_catalog_find(const clump_catalog *catalog,
                                                        const char *name);

struct clump_catalog_write_params {
    bool force;     /* replace an existing file */
    double ellipse; /* regions: semi-axes in units of the columns a and b; > 0 */
    const struct clump_file
        *sky;             /* regions: coordinates on the sky by this file's WCS; NULL: pixels */
    uint64_t reserved[4]; /* 0 (clump.h) */
};

/* Nothing is replaced; ellipses of 3 a by 3 b, about where SExtractor draws them. */
CLUMP_API extern const struct clump_catalog_write_params clump_catalog_write_defaults;

/*
 * Writes the table by the ending of `path`: .csv, .ecsv, .fits .fit .fits.gz, .vot .xml, or .reg
 * for DS9 regions, which need the columns x and y (the first pixel is 1, 1). A region is an ellipse
 * where the columns a, b and theta exist (unit deg or rad, from the x axis towards y), else a
 * circle; it stands at xpeak and ypeak where x or y is NaN; its text is the column id. `params` may
 * be NULL. Returns CLUMP_ERROR_ARGUMENT for an ending that is not known, CLUMP_ERROR_FILE when the
 * file exists already or cannot be written.
 */
CLUMP_API enum clump_status clump_catalog_write(const clump_catalog *catalog, const char *path,
                                                const struct clump_catalog_write_params *params);

/* Prints the table as CSV, as clump_catalog_write does; ferror(out) tells whether that worked. */
CLUMP_API void clump_catalog_print(const clump_catalog *catalog, FILE *out);

#ifdef __cplusplus
}
#endif

#endif
