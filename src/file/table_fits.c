/* SPDX-License-Identifier: MIT */
/* Catalogues as FITS binary tables. */
#include "table.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <clump/clump.h>

#include "context.h"
#include "fits.h"
#include "output.h"

/* Copies a text; FITS headers and text columns are ASCII, so that other bytes become '?'. */
static char *ascii(const char *text)
{
    char *copy = strdup(text);
    for (char *at = copy; at && *at; at++)
        if (*at < ' ' || *at > '~')
            *at = *at == '\n' || *at == '\t' ? ' ' : '?';
    return copy;
}

static int text_width(const struct clump_column *column, uint64_t rows)
{
    size_t width = 1;
    for (uint64_t i = 0; i < rows; i++) {
        size_t length = strlen(clump_column_text(column, i));
        width = length > width ? length : width;
    }
    return (int)width;
}

/* Writes a text of more than one card, with the keyword that announces this convention. */
static void write_text(fitsfile *out, const char *key, const char *text, int *status)
{
    if (strlen(text) > 60)
        fits_write_key_longwarn(out, status);
    fits_update_key_longstr(out, key, text, NULL, status);
}

static void add_column(fitsfile *out, const clump_catalog *catalog, int number, int *status)
{
    const struct clump_column *column = &catalog->columns[number - 1];
    char form[24] = "1K", key[16];
    char *name = ascii(column->name), *unit = column->unit ? ascii(column->unit) : NULL;
    char *about = column->description ? ascii(column->description) : NULL;
    if (column->type == CLUMP_COLUMN_F64)
        strcpy(form, "1D");
    else if (column->type == CLUMP_COLUMN_TEXT)
        snprintf(form, sizeof form, "%dA", text_width(column, catalog->rows));
    fits_insert_col(out, number, name, form, status);
    snprintf(key, sizeof key, "TUNIT%d", number);
    if (unit && *unit)
        fits_update_key(out, TSTRING, key, unit, "unit of the field", status);
    snprintf(key, sizeof key, "TCOMM%d", number);
    if (about && *about)
        write_text(out, key, about, status);
    snprintf(key, sizeof key, "TUCD%d", number);
    if (column->ucd && *column->ucd)
        fits_update_key(out, TSTRING, key, (void *)column->ucd, NULL, status);
    free(about);
    free(unit);
    free(name);
}

static void write_texts(fitsfile *out, const struct clump_column *column, int number,
                        LONGLONG first, LONGLONG rows, int *status)
{
    for (LONGLONG i = first; i < first + rows; i++) {
        char *text = ascii(clump_column_text(column, (uint64_t)i));
        fits_write_col(out, TSTRING, number, i + 1, 1, 1, &text, status);
        free(text);
    }
}

/* Writes rows from `first` on of one column; values have 8 bytes. */
static void write_column(fitsfile *out, const clump_catalog *catalog, int number, LONGLONG first,
                         LONGLONG rows, int *status)
{
    const struct clump_column *column = &catalog->columns[number - 1];
    if (column->type == CLUMP_COLUMN_TEXT)
        write_texts(out, column, number, first, rows, status);
    else
        fits_write_col(out, column->type == CLUMP_COLUMN_I64 ? TLONGLONG : TDOUBLE, number,
                       first + 1, 1, rows, (char *)column->values + 8 * first, status);
}

/* Writes all columns of a few rows, then of the next ones: rows lie one after another in the file,
 * and a column of a large table at a time would go through the whole file for each. */
static void write_rows(fitsfile *out, const clump_catalog *catalog, int count, int *status)
{
    LONGLONG all = (LONGLONG)catalog->rows;
    long block = 1;
    fits_get_rowsize(out, &block, status);
    block = block > 0 ? block : 1;
    for (LONGLONG first = 0; first < all && !*status; first += block)
        for (int number = 1; number <= count; number++)
            write_column(out, catalog, number, first, all - first < block ? all - first : block,
                         status);
}

static bool is_keyword(const char *key)
{
    size_t length = strlen(key);
    for (const char *at = key; *at; at++)
        if (!isupper((unsigned char)*at) && !isdigit((unsigned char)*at) && *at != '-' &&
            *at != '_')
            return false;
    return length > 0 && length <= 8;
}

static void write_notes(fitsfile *out, const clump_catalog *catalog, int *status)
{
    for (size_t i = 0; i < catalog->note_count; i++) {
        const struct note *note = &catalog->notes[i];
        char number[32], *line = NULL;
        snprintf(number, sizeof number, "%.17g", note->number);
        char *key = ascii(note->key), *value = ascii(note->value ? note->value : number);
        if (key && value && is_keyword(key) && (note->value || !isfinite(note->number)))
            write_text(out, key, value, status);
        else if (key && value && is_keyword(key))
            fits_update_key_dbl(out, key, note->number, -17, note->unit, status);
        else if (key && value && asprintf(&line, "%s: %s", key, value) >= 0)
            fits_write_history(out, line, status);
        else if (!*status)
            *status = MEMORY_ALLOCATION;
        free(line);
        free(value);
        free(key);
    }
}

/* Writes RADESYS and EQUINOX of the last frame that is equatorial or, without one, ecliptic. */
static void write_frame(fitsfile *out, const clump_catalog *catalog, int *status)
{
    const char *frame = NULL;
    for (size_t i = 0; i < catalog->column_count; i++)
        if (catalog->columns[i].frame && strcmp(catalog->columns[i].frame, "GALACTIC"))
            frame = catalog->columns[i].frame;
    if (!frame)
        return;
    char name[24];
    const char *space = strchr(frame, ' ');
    snprintf(name, sizeof name, "%.*s", (int)(space ? space - frame : (long)strlen(frame)), frame);
    fits_update_key(out, TSTRING, "RADESYS", name, "frame of the sky coordinates", status);
    if (space)
        fits_update_key_dbl(out, "EQUINOX", strtod(space + 2, NULL), -17, "years", status);
}

enum clump_status clump_table_fits(const struct table_output *output)
{
    const clump_catalog *catalog = output->catalog;
    char text[FLEN_ERRMSG], name[FLEN_FILENAME];
    fitsfile *out = NULL;
    int folder, status = 0, count = (int)catalog->column_count;
    fits_clear_errmsg();
    unlink(output->temporary); /* CFITSIO wants to create it itself */
    fits_create_diskfile(&out, clump_fits_name(output->temporary, name, &folder), &status);
    fits_create_tbl(out, BINARY_TBL, 0, 0, NULL, NULL, NULL, catalog->name, &status);
    for (int number = 1; number <= count; number++)
        add_column(out, catalog, number, &status);
    fits_update_key(out, TSTRING, "CREATOR", "clump " CLUMP_VERSION, "program that wrote this file",
                    &status);
    fits_write_date(out, &status);
    write_frame(out, catalog, &status);
    write_notes(out, catalog, &status);
    write_rows(out, catalog, count, &status);
    status = clump_fits_close(out, output->temporary, status);
    if (folder >= 0)
        close(folder);
    if (status)
        return clump_fail(&catalog->log, CLUMP_ERROR_FILE, "%s: cannot be written: %s",
                          output->path, clump_fits_reason(status, text));
    int problem = clump_path_ends(output->path, ".gz") ? clump_fits_gzip(output->temporary) : 0;
    if (problem)
        return clump_fail(&catalog->log, CLUMP_ERROR_FILE, "%s: cannot be written: %s",
                          output->path, strerror(problem));
    return CLUMP_OK;
}
