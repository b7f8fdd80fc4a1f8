/* SPDX-License-Identifier: MIT */
/* Catalogues as text: CSV, ECSV, VOTable, DS9 regions. */
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

static void print_csv_rows(const struct table_output *output)
{
    const clump_catalog *catalog = output->catalog;
    FILE *out = output->out;
    for (size_t k = 0; k < catalog->column_count; k++)
        fprintf(out, "%s%s", k ? "," : "", catalog->columns[k].name);
    fputc('\n', out);
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
        fputc('\n', out);
    }
}

enum clump_status clump_table_csv(const struct table_output *output)
{
    print_csv_rows(output);
    return CLUMP_OK;
}

/* A double-quoted YAML scalar, on one line. */
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
    if (catalog->note_count)
        fputs("# meta: !!omap\n", out);
    for (size_t i = 0; i < catalog->note_count; i++) {
        fputs("# - {", out);
        print_yaml(out, catalog->notes[i].key);
        fputs(": ", out);
        print_yaml(out, catalog->notes[i].value);
        fputs("}\n", out);
    }
    fputs("# schema: astropy-2.0\n", out);
    print_csv_rows(output);
    return CLUMP_OK;
}

static void print_xml(FILE *out, const char *text)
{
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '&')
            fputs("&amp;", out);
        else if (c == '<')
            fputs("&lt;", out);
        else if (c == '>')
            fputs("&gt;", out);
        else if (c == '"')
            fputs("&quot;", out);
        else if (c >= ' ' || c == '\n' || c == '\t')
            fputc(c, out);
    }
}

static void print_attribute(FILE *out, const char *name, const char *value)
{
    if (!value)
        return;
    fprintf(out, " %s=\"", name);
    print_xml(out, value);
    fputc('"', out);
}

static void print_field(FILE *out, const struct clump_column *column)
{
    static const char *const types[] = {"long", "double", "char"};
    fputs("<FIELD", out);
    print_attribute(out, "name", column->name);
    print_attribute(out, "datatype", types[column->type]);
    print_attribute(out, "arraysize", column->type == CLUMP_COLUMN_TEXT ? "*" : NULL);
    bool pixels = column->unit && !strcmp(column->unit, "pix"); /* FITS' word; here deprecated */
    print_attribute(out, "unit", pixels ? "pixel" : column->unit);
    print_attribute(out, "ucd", column->ucd);
    if (!column->description) {
        fputs("/>\n", out);
        return;
    }
    fputs("><DESCRIPTION>", out);
    print_xml(out, column->description);
    fputs("</DESCRIPTION></FIELD>\n", out);
}

static void print_cell(FILE *out, const struct clump_column *column, uint64_t row)
{
    fputs("<TD>", out);
    if (column->type == CLUMP_COLUMN_I64)
        fprintf(out, "%" PRId64, ((const int64_t *)column->values)[row]);
    else if (column->type == CLUMP_COLUMN_F64)
        clump_print_double(out, clump_column_number(column, row), "NaN", "Inf");
    else
        print_xml(out, clump_column_text(column, row));
    fputs("</TD>", out);
}

enum clump_status clump_table_votable(const struct table_output *output)
{
    const clump_catalog *catalog = output->catalog;
    FILE *out = output->out;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
          "<VOTABLE version=\"1.4\" xmlns=\"http://www.ivoa.net/xml/VOTable/v1.3\">\n"
          "<RESOURCE type=\"results\">\n<TABLE",
          out);
    print_attribute(out, "name", catalog->name);
    fprintf(out, " nrows=\"%" PRIu64 "\">\n", catalog->rows);
    for (size_t i = 0; i < catalog->note_count; i++) {
        fputs("<PARAM datatype=\"char\" arraysize=\"*\"", out);
        print_attribute(out, "name", catalog->notes[i].key);
        print_attribute(out, "value", catalog->notes[i].value);
        fputs("/>\n", out);
    }
    for (size_t k = 0; k < catalog->column_count; k++)
        print_field(out, &catalog->columns[k]);
    fputs("<DATA><TABLEDATA>\n", out);
    for (uint64_t row = 0; row < catalog->rows; row++) {
        fputs("<TR>", out);
        for (size_t k = 0; k < catalog->column_count; k++)
            print_cell(out, &catalog->columns[k], row);
        fputs("</TR>\n", out);
    }
    fputs("</TABLEDATA></DATA>\n</TABLE>\n</RESOURCE>\n</VOTABLE>\n", out);
    return CLUMP_OK;
}

/* The number of the row in the column of that name, NaN where there is none. */
static double number(const clump_catalog *catalog, const char *name, uint64_t row)
{
    const struct clump_column *column = clump_catalog_find(catalog, name);
    return column ? clump_column_number(column, row) : NAN;
}

static void print_region(const struct table_output *output, uint64_t row, double degrees)
{
    const clump_catalog *catalog = output->catalog;
    FILE *out = output->out;
    const struct clump_column *id = clump_catalog_find(catalog, "id");
    double x = number(catalog, "x", row), y = number(catalog, "y", row);
    double a = number(catalog, "a", row) * output->params->ellipse;
    double b = number(catalog, "b", row) * output->params->ellipse;
    double theta = number(catalog, "theta", row) * degrees;
    if (!isfinite(x) || !isfinite(y))
        return;
    if (isfinite(a) && isfinite(b) && isfinite(theta))
        fprintf(out, "ellipse(%.4f,%.4f,%.4f,%.4f,%.3f)", x, y, fmax(a, 0.5), fmax(b, 0.5), theta);
    else
        fprintf(out, "circle(%.4f,%.4f,5)", x, y);
    if (id && id->type == CLUMP_COLUMN_I64)
        fprintf(out, " # text={%" PRId64 "}", ((const int64_t *)id->values)[row]);
    fputc('\n', out);
}

enum clump_status clump_table_ds9(const struct table_output *output)
{
    const clump_catalog *catalog = output->catalog;
    const struct clump_column *theta = clump_catalog_find(catalog, "theta");
    bool radians = theta && theta->unit && !strcmp(theta->unit, "rad");
    if (!clump_catalog_find(catalog, "x") || !clump_catalog_find(catalog, "y"))
        return clump_fail(&catalog->log, CLUMP_ERROR_ARGUMENT,
                          "%s: regions need the columns x and y, which this table does not have",
                          output->path);
    fputs("# Region file format: DS9 version 4.1\n", output->out);
    fprintf(output->out, "# written by clump %s\n", CLUMP_VERSION);
    fputs("global color=green width=1 font=\"helvetica 10 normal roman\"\nimage\n", output->out);
    for (uint64_t row = 0; row < catalog->rows; row++)
        print_region(output, row, radians ? 180 / acos(-1.0) : 1);
    return CLUMP_OK;
}
