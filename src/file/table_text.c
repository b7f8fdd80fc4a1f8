/* SPDX-License-Identifier: MIT */
/* Catalogues as text: CSV and ECSV. */
#include "table.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <clump/clump.h>

#include "context.h"

static void print_csv_text(FILE *out, const char *text)
{
    if (!strpbrk(text, ",\"\r\n") && *text) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

/* Writes the header line and the rows; where `frame` is not NULL, it fills a last column `frame`.
 */
static void print_csv_rows(const struct table_output *output, const char *frame)
{
    const clump_catalog *catalog = output->catalog;
    FILE *out = output->out;
    for (size_t k = 0; k < catalog->column_count; k++)
        fprintf(out, "%s%s", k ? "," : "", catalog->columns[k].name);
    fputs(frame ? ",frame\n" : "\n", out);
    for (uint64_t row = 0; row < catalog->rows; row++) {
        for (size_t k = 0; k < catalog->column_count; k++) {
            const struct clump_column *column = &catalog->columns[k];
            if (k)
                fputc(',', out);
            if (column->type == CLUMP_COLUMN_I64)
                fprintf(out, "%" PRId64, ((const int64_t *)column->values)[row]);
            else if (column->type == CLUMP_COLUMN_F64)
                clump_print_double(out, clump_column_number(column, row), "nan", "inf");
            else
                print_csv_text(out, clump_column_text(column, row));
        }
        fprintf(out, "%s%s\n", frame ? "," : "", frame ? frame : "");
    }
}

enum clump_status clump_table_csv(const struct table_output *output)
{
    char frame[CATALOG_FRAME_ROOM];
    print_csv_rows(output, clump_catalog_frame(output->catalog, frame) ? frame : NULL);
    return CLUMP_OK;
}

/* Writes a double-quoted YAML scalar on one line. */
static void print_yaml(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < ' ')
            fprintf(out, "\\x%02x", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}

/* The notes, and the frame of the sky coordinates. */
static void print_meta(FILE *out, const clump_catalog *catalog)
{
    char frame[CATALOG_FRAME_ROOM];
    bool framed = clump_catalog_frame(catalog, frame);
    if (catalog->note_count || framed)
        fputs("# meta: !!omap\n", out);
    if (framed)
        fprintf(out, "# - {frame: \"%s\"}\n", frame);
    for (size_t i = 0; i < catalog->note_count; i++) {
        const struct note *note = &catalog->notes[i];
        fputs("# - {", out);
        print_yaml(out, note->key);
        fputs(": ", out);
        if (note->value)
            print_yaml(out, note->value);
        else
            clump_print_double(out, note->number, ".nan", ".inf");
        fputs("}\n", out);
    }
}

enum clump_status clump_table_ecsv(const struct table_output *output)
{
    static const char *const types[] = {"int64", "float64", "string"};
    const clump_catalog *catalog = output->catalog;
    FILE *out = output->out;
    fputs("# %ECSV 1.0\n# ---\n# delimiter: ','\n# datatype:\n", out);
    for (size_t k = 0; k < catalog->column_count; k++) {
        const struct clump_column *column = &catalog->columns[k];
        fprintf(out, "# - {name: %s, ", column->name);
        if (column->unit) {
            fputs("unit: ", out);
            print_yaml(out, column->unit);
            fputs(", ", out);
        }
        fprintf(out, "datatype: %s", types[column->type]);
        if (column->description) {
            fputs(", description: ", out);
            print_yaml(out, column->description);
        }
        fputs("}\n", out);
    }
    print_meta(out, catalog);
    fputs("# schema: astropy-2.0\n", out);
    print_csv_rows(output, NULL);
    return CLUMP_OK;
}
