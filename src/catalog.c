/* SPDX-License-Identifier: MIT */
#include <clump/catalog.h>

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "file/output.h"
#include "file/table.h"

const struct clump_catalog_write_params clump_catalog_write_defaults = {.ellipse = 3};

static const struct table_format {
    const char *ending;
    enum clump_status (*write)(const struct table_output *output);
} formats[] = {
    {".csv", clump_table_csv},     {".ecsv", clump_table_ecsv},    {".fits", clump_table_fits},
    {".fit", clump_table_fits},    {".fits.gz", clump_table_fits}, {".vot", clump_table_votable},
    {".xml", clump_table_votable}, {".reg", clump_table_ds9},
};

static enum clump_status fail_memory(const clump_catalog *catalog)
{
    return clump_fail(&catalog->log, CLUMP_ERROR_MEMORY, "catalogue: out of memory");
}

static bool copy_text(const char *from, const char **to)
{
    *to = from ? strdup(from) : NULL;
    return !from || *to;
}

static void free_column(struct clump_column *column, uint64_t rows)
{
    if (column->type == CLUMP_COLUMN_TEXT && column->values)
        for (uint64_t i = 0; i < rows; i++)
            free(((char **)column->values)[i]);
    free((void *)column->values);
    free((char *)column->name);
    free((char *)column->unit);
    free((char *)column->description);
    free((char *)column->ucd);
    free((char *)column->frame);
}

static void *copy_values(const struct clump_column *column, uint64_t rows)
{
    size_t size = column->type == CLUMP_COLUMN_TEXT ? sizeof(char *) : 8;
    void *values = calloc(rows ? rows : 1, size);
    if (!values)
        return NULL;
    if (column->type != CLUMP_COLUMN_TEXT) {
        if (rows)
            memcpy(values, column->values, rows * size);
        return values;
    }
    for (uint64_t i = 0; i < rows; i++) {
        const char *text = ((const char *const *)column->values)[i];
        ((char **)values)[i] = strdup(text ? text : "");
    }
    return values;
}

static bool name_is_good(const char *name)
{
    for (const char *at = name; name && *at; at++)
        if (!isalnum((unsigned char)*at) && *at != '_' && *at != '-')
            return false;
    return name && *name;
}

double clump_column_number(const struct clump_column *column, uint64_t row)
{
    if (column->type == CLUMP_COLUMN_I64)
        return (double)((const int64_t *)column->values)[row];
    return column->type == CLUMP_COLUMN_F64 ? ((const double *)column->values)[row] : NAN;
}

const char *clump_column_text(const struct clump_column *column, uint64_t row)
{
    const char *text = ((const char *const *)column->values)[row];
    return text ? text : "";
}

void clump_print_double(FILE *out, double value, const char *nan, const char *infinity)
{
    char text[32];
    if (isnan(value)) {
        fputs(nan, out);
        return;
    }
    if (isinf(value)) {
        fprintf(out, "%s%s", value < 0 ? "-" : "", infinity);
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    fputs(text, out);
}

enum clump_status clump_catalog_create(const struct clump_log *log, const char *name, uint64_t rows,
                                       clump_catalog **out)
{
    CLUMP_ROUNDING();
    enum clump_status status = clump_check_log("clump_catalog_create", log);
    if (!status)
        status = clump_check_given(log, "catalogue", "place for it", out);
    if (status)
        return status;
    clump_catalog *catalog = calloc(1, sizeof *catalog);
    if (catalog)
        catalog->name = strdup(name && *name ? name : "CATALOG");
    if (!catalog || !catalog->name) {
        free(catalog);
        return clump_fail(log, CLUMP_ERROR_MEMORY, "catalogue: out of memory");
    }
    catalog->log = log ? *log : clump_log_defaults;
    catalog->rows = rows;
    *out = catalog;
    return CLUMP_OK;
}

void clump_catalog_destroy(clump_catalog **out)
{
    if (!out || !*out)
        return;
    clump_catalog *catalog = *out;
    for (size_t i = 0; i < catalog->column_count; i++)
        free_column(&catalog->columns[i], catalog->rows);
    for (size_t i = 0; i < catalog->note_count; i++) {
        free(catalog->notes[i].key);
        free(catalog->notes[i].value);
        free(catalog->notes[i].unit);
    }
    free(catalog->columns);
    free(catalog->notes);
    free(catalog->name);
    free(catalog);
    *out = NULL;
}

/* Checks what is asked of a catalogue before its log may be used. */
static enum clump_status check_catalog(const clump_catalog *catalog, const char *what,
                                       const void *pointer)
{
    enum clump_status status = clump_check_given(NULL, "catalogue", "catalogue", catalog);
    return status ? status : clump_check_given(&catalog->log, "catalogue", what, pointer);
}

enum clump_status clump_catalog_add(clump_catalog *catalog, const struct clump_column *column)
{
    CLUMP_ROUNDING();
    enum clump_status status = check_catalog(catalog, "column", column);
    if (!status)
        status = clump_check_reserved(&catalog->log, "clump_catalog_add", "column", column);
    if (status)
        return status;
    if ((unsigned)column->type > CLUMP_COLUMN_TEXT)
        return clump_fail(&catalog->log, CLUMP_ERROR_ARGUMENT,
                          "catalogue: %d is not a column's type", (int)column->type);
    if (!name_is_good(column->name) || clump_catalog_find(catalog, column->name))
        return clump_fail(
            &catalog->log, CLUMP_ERROR_ARGUMENT,
            "catalogue: '%s' cannot name a column: a name has letters, digits, _ and - "
            "only, and no two columns have the same",
            column->name ? column->name : "");
    if (!column->values && catalog->rows)
        return clump_fail(&catalog->log, CLUMP_ERROR_ARGUMENT,
                          "catalogue: column '%s' has no values, but the catalogue has rows",
                          column->name);
    struct clump_column *columns =
        realloc(catalog->columns, (catalog->column_count + 1) * sizeof *columns);
    if (!columns)
        return fail_memory(catalog);
    catalog->columns = columns;
    struct clump_column copy = {.type = column->type};
    copy.values = copy_values(column, catalog->rows);
    if (!copy.values || !copy_text(column->name, &copy.name) ||
        !copy_text(column->unit, &copy.unit) ||
        !copy_text(column->description, &copy.description) || !copy_text(column->ucd, &copy.ucd) ||
        !copy_text(column->frame, &copy.frame)) {
        free_column(&copy, catalog->rows);
        return fail_memory(catalog);
    }
    columns[catalog->column_count++] = copy;
    return CLUMP_OK;
}

/* Adds a note; `value` or `unit` may be NULL. */
static enum clump_status add_note(clump_catalog *catalog, const char *key, const char *value,
                                  double number, const char *unit)
{
    struct note *notes = realloc(catalog->notes, (catalog->note_count + 1) * sizeof *notes);
    if (!notes)
        return fail_memory(catalog);
    catalog->notes = notes;
    struct note note = {strdup(key), value ? strdup(value) : NULL, number,
                        unit && *unit ? strdup(unit) : NULL};
    if (!note.key || (value && !note.value) || (unit && *unit && !note.unit)) {
        free(note.key);
        free(note.value);
        free(note.unit);
        return fail_memory(catalog);
    }
    notes[catalog->note_count++] = note;
    return CLUMP_OK;
}

enum clump_status clump_catalog_note(clump_catalog *catalog, const char *key, const char *value)
{
    CLUMP_ROUNDING();
    enum clump_status status = check_catalog(catalog, "key of the note", key);
    if (!status)
        status = check_catalog(catalog, "value of the note", value);
    return status ? status : add_note(catalog, key, value, 0, NULL);
}

enum clump_status clump_catalog_number(clump_catalog *catalog, const char *key, double value,
                                       const char *unit)
{
    CLUMP_ROUNDING();
    enum clump_status status = check_catalog(catalog, "key of the number", key);
    return status ? status : add_note(catalog, key, NULL, value, unit);
}

/* Whether sky coordinates are in more than one frame. */
static bool has_frames(const clump_catalog *catalog)
{
    const char *first = NULL;
    for (size_t i = 0; i < catalog->column_count; i++) {
        const char *frame = catalog->columns[i].frame;
        if (frame && first && strcmp(frame, first))
            return true;
        first = frame ? frame : first;
    }
    return false;
}

bool clump_catalog_frame(const clump_catalog *catalog, char text[CATALOG_FRAME_ROOM])
{
    bool several = has_frames(catalog);
    const char *last = "";
    size_t used = 0;
    *text = '\0';
    for (size_t i = 0; i < catalog->column_count; i++) {
        const struct clump_column *column = &catalog->columns[i];
        if (!column->frame || used >= CATALOG_FRAME_ROOM)
            continue;
        if (strcmp(column->frame, last))
            used += (size_t)snprintf(text + used, CATALOG_FRAME_ROOM - used, "%s%s",
                                     used ? "; " : "", column->frame);
        if (several && used < CATALOG_FRAME_ROOM)
            used += (size_t)snprintf(text + used, CATALOG_FRAME_ROOM - used, " %s", column->name);
        last = column->frame;
    }
    return used > 0;
}

uint64_t clump_catalog_rows(const clump_catalog *catalog) { return catalog ? catalog->rows : 0; }

size_t clump_catalog_columns(const clump_catalog *catalog)
{
    return catalog ? catalog->column_count : 0;
}

const struct clump_column *clump_catalog_column(const clump_catalog *catalog, size_t number)
{
    return number < clump_catalog_columns(catalog) ? &catalog->columns[number] : NULL;
}

const struct clump_column *clump_catalog_find(const clump_catalog *catalog, const char *name)
{
    for (size_t i = 0; name && i < clump_catalog_columns(catalog); i++)
        if (!strcmp(catalog->columns[i].name, name))
            return &catalog->columns[i];
    return NULL;
}

/* Lets a format write in the C locale, so that numbers have decimal points. */
static enum clump_status write_points(const struct table_output *output,
                                      enum clump_status (*write)(const struct table_output *))
{
    locale_t points = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    locale_t before = points ? uselocale(points) : (locale_t)0;
    enum clump_status status = write(output);
    if (points) {
        uselocale(before);
        freelocale(points);
    }
    return status;
}

/* Opens the temporary file and lets the format write. */
static enum clump_status write_table(struct table_output *output, const struct output *file,
                                     enum clump_status (*write)(const struct table_output *))
{
    const struct clump_log *log = &output->catalog->log;
    output->temporary = file->temporary;
    output->out = fopen(file->temporary, "w");
    if (!output->out)
        return clump_fail(log, CLUMP_ERROR_FILE, "%s: cannot be written: %s", output->path,
                          strerror(errno));
    enum clump_status status = write_points(output, write);
    bool bad = ferror(output->out) != 0;
    bad = fclose(output->out) != 0 || bad;
    if (!status && bad)
        status = clump_fail(log, CLUMP_ERROR_FILE, "%s: cannot be written: %s", output->path,
                            strerror(errno ? errno : EIO));
    return status;
}

/* The format of a table by its ending, or NULL. */
static const struct table_format *format_for(const char *path)
{
    for (size_t i = 0; path && i < sizeof formats / sizeof *formats; i++)
        if (clump_path_ends(path, formats[i].ending))
            return &formats[i];
    return NULL;
}

enum clump_status clump_output_check_table(const struct clump_log *log, const char *path)
{
    return format_for(path) ? CLUMP_OK
                            : clump_fail(log, CLUMP_ERROR_ARGUMENT,
                                         "%s: cannot tell the format of the table from the ending; "
                                         ".csv, .ecsv, .fits, .vot and .reg are known",
                                         path ? path : "");
}

enum clump_status clump_catalog_write(const clump_catalog *catalog, const char *path,
                                      const struct clump_catalog_write_params *params)
{
    CLUMP_ROUNDING();
    struct table_output output = {catalog, params ? params : &clump_catalog_write_defaults, path,
                                  NULL, NULL};
    struct output file;
    enum clump_status status = check_catalog(catalog, "path", path);
    if (!status)
        status =
            clump_check_reserved(&catalog->log, "clump_catalog_write", "params", output.params);
    if (!status)
        status = clump_output_check_table(&catalog->log, path);
    if (!status)
        status = clump_output_begin(&catalog->log, path, output.params->force, &file);
    if (status)
        return status;
    status = write_table(&output, &file, format_for(path)->write);
    return clump_output_end(&file, status);
}

void clump_catalog_print(const clump_catalog *catalog, FILE *out)
{
    CLUMP_ROUNDING();
    const struct table_output output = {catalog, &clump_catalog_write_defaults, "", NULL, out};
    if (catalog && out)
        write_points(&output, clump_table_csv);
}
