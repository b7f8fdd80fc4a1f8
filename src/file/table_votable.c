/* SPDX-License-Identifier: MIT */
/* Catalogues as VOTables. */
#include "table.h"

#include <inttypes.h>
#include <string.h>

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

/* The number of the coordinate system of a column: that of the first column with the same frame. */
static size_t name_system(const clump_catalog *catalog, const struct clump_column *column,
                          char *name, size_t room)
{
    size_t first = 0;
    while (!catalog->columns[first].frame || strcmp(catalog->columns[first].frame, column->frame))
        first++;
    snprintf(name, room, "system%zu", first);
    return first;
}

/* VOTable's word for a frame, or NULL. */
static const char *system_of(const char *frame)
{
    static const char *const words[][2] = {
        {"ICRS", "ICRS"},        {"FK5", "eq_FK5"},        {"FK4-NO-E", "eq_FK4"},
        {"FK4", "eq_FK4"},       {"GALACTIC", "galactic"}, {"SUPERGALACTIC", "supergalactic"},
        {"ECLIPTIC", "ecl_FK5"}, {"GAPPT", "geo_app"}};
    size_t length = strcspn(frame, " ");
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strlen(words[k][0]) == length && !strncmp(words[k][0], frame, length))
            return words[k][1];
    return NULL;
}

/* One COOSYS for each frame. */
static void print_systems(FILE *out, const clump_catalog *catalog)
{
    for (size_t i = 0; i < catalog->column_count; i++) {
        char name[32];
        const char *frame = catalog->columns[i].frame, *space = frame ? strchr(frame, ' ') : NULL;
        if (!frame || !system_of(frame) ||
            name_system(catalog, &catalog->columns[i], name, sizeof name) != i)
            continue;
        fputs("<COOSYS", out);
        print_attribute(out, "ID", name);
        print_attribute(out, "system", system_of(frame));
        print_attribute(out, "equinox", space ? space + 1 : NULL);
        fputs("/>\n", out);
    }
}

static void print_field(FILE *out, const clump_catalog *catalog, const struct clump_column *column)
{
    static const char *const types[] = {"long", "double", "char"};
    char system[32];
    fputs("<FIELD", out);
    print_attribute(out, "name", column->name);
    print_attribute(out, "datatype", types[column->type]);
    print_attribute(out, "arraysize", column->type == CLUMP_COLUMN_TEXT ? "*" : NULL);
    bool pixels =
        column->unit && !strcmp(column->unit, "pix"); /* FITS' word, which VOTable deprecates */
    print_attribute(out, "unit", pixels ? "pixel" : column->unit);
    print_attribute(out, "ucd", column->ucd);
    if (column->frame && system_of(column->frame)) {
        name_system(catalog, column, system, sizeof system);
        print_attribute(out, "ref", system);
    }
    if (!column->description) {
        fputs("/>\n", out);
        return;
    }
    fputs("><DESCRIPTION>", out);
    print_xml(out, column->description);
    fputs("</DESCRIPTION></FIELD>\n", out);
}

static void print_note(FILE *out, const struct note *note)
{
    fputs("<PARAM", out);
    print_attribute(out, "name", note->key);
    if (note->value) {
        fputs(" datatype=\"char\" arraysize=\"*\"", out);
        print_attribute(out, "value", note->value);
    } else {
        fputs(" datatype=\"double\"", out);
        print_attribute(out, "unit", note->unit);
        fputs(" value=\"", out);
        clump_print_double(out, note->number, "NaN", "Inf");
        fputc('"', out);
    }
    fputs("/>\n", out);
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
          "<RESOURCE type=\"results\">\n",
          out);
    print_systems(out, catalog);
    fputs("<TABLE", out);
    print_attribute(out, "name", catalog->name);
    fprintf(out, " nrows=\"%" PRIu64 "\">\n", catalog->rows);
    for (size_t i = 0; i < catalog->note_count; i++)
        print_note(out, &catalog->notes[i]);
    for (size_t k = 0; k < catalog->column_count; k++)
        print_field(out, catalog, &catalog->columns[k]);
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
