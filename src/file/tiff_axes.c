/* SPDX-License-Identifier: MIT */
/*
 * Axes and pixel size of stacks, from the description in a TIFF file's first directory. ImageJ
 * writes lines, "slices=3"; OME writes XML, of which the attributes of the first Pixels element are
 * read. What is missing or makes no sense stays unknown: a description never makes a file bad.
 */
#include "tiff.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MICROMETRE "\302\265m"
#define MOST       1000000000u /* channels, slices or frames */

/* Copies the value of "name=value" that has a line of its own; false: there is none. */
static bool find_line(const char *text, const char *name, char *value, size_t room)
{
    size_t length = strlen(name);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, name, length) || line[length] != '=')
            continue;
        const char *from = line + length + 1;
        size_t count = strcspn(from, "\r\n");
        count = count < room ? count : room - 1;
        memcpy(value, from, count);
        value[count] = '\0';
        return true;
    }
    return false;
}

/* Copies the value of an XML attribute of the tag that starts at `tag`. */
static bool find_attribute(const char *tag, const char *name, char *value, size_t room)
{
    size_t length = strlen(name);
    const char *end = strchr(tag, '>');
    for (const char *at = tag; end && (at = strstr(at, name)) && at < end; at += length) {
        const char *from = at + length;
        bool begins = isspace((unsigned char)at[-1]);
        from += strspn(from, " \t\r\n");
        if (!begins || *from != '=')
            continue;
        from += 1 + strspn(from + 1, " \t\r\n");
        const char *quote = *from == '"' || *from == '\'' ? strchr(from + 1, *from) : NULL;
        if (!quote)
            return false;
        size_t count = (size_t)(quote - from) - 1;
        count = count < room ? count : room - 1;
        memcpy(value, from + 1, count);
        value[count] = '\0';
        return true;
    }
    return false;
}

static uint64_t count_of(const char *text)
{
    char *end;
    unsigned long long value = strtoull(text, &end, 10);
    return end != text && isdigit((unsigned char)*text) && !*end && value <= MOST ? value : 0;
}

/* A size is more than 0 and finite; anything else is unknown. */
static double size_of(const char *text)
{
    char *end;
    double value = strtod(text, &end);
    return end != text && isfinite(value) && value > 0 ? value : NAN;
}

/* ImageJ has several words for one unit, and writes letters beyond ASCII as \\u00B5. */
static void name_unit(const char *text, char unit[16])
{
    static const char *const words[] = {"um",       "micron", "microns",   "\\u00B5m",
                                        "\\u00b5m", "\265m",  "\316\274m", "micrometer"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(text, words[i]))
            text = MICROMETRE;
    size_t count = strlen(text);
    count = count < 15 ? count : 15;
    memcpy(unit, text, count);
    unit[count] = '\0';
}

/* Pixels per unit, as the tags of any TIFF file have them; the unit is that of the description. */
static void read_resolution(TIFF *in, const char *text, struct clump_file_info *info)
{
    static const uint32_t tags[] = {TIFFTAG_XRESOLUTION, TIFFTAG_YRESOLUTION};
    char unit[64] = "", value[64];
    uint16_t kind = RESUNIT_NONE;
    TIFFGetFieldDefaulted(in, TIFFTAG_RESOLUTIONUNIT, &kind);
    if (!find_line(text, "unit", unit, sizeof unit) && kind != RESUNIT_NONE)
        strcpy(unit, kind == RESUNIT_INCH ? "inch" : "cm");
    if (!*unit || !strcmp(unit, "pixel") || !strcmp(unit, "pixels"))
        return;
    for (int k = 0; k < 2; k++) {
        float resolution = 0;
        if (TIFFGetField(in, tags[k], &resolution) && resolution > 0)
            info->pixel_size[k] = 1 / (double)resolution;
    }
    if (find_line(text, "spacing", value, sizeof value))
        info->pixel_size[2] = size_of(value);
    for (int k = 0; k < 3; k++)
        name_unit(unit, info->pixel_size_unit[k]);
}

static uint64_t line_count(const char *text, const char *name)
{
    char value[64];
    uint64_t count = find_line(text, name, value, sizeof value) ? count_of(value) : 1;
    return count ? count : 1;
}

static void read_imagej(TIFF *in, const char *text, struct clump_file_info *info)
{
    strcpy(info->stack_writer, "ImageJ");
    strcpy(info->stack_order, "XYCZT");
    info->stack_channels = line_count(text, "channels");
    info->stack_slices = line_count(text, "slices");
    info->stack_frames = line_count(text, "frames");
    /* A plain stack names its images only; ImageJ takes them for slices. */
    if (info->stack_channels * info->stack_slices * info->stack_frames == 1)
        info->stack_slices = line_count(text, "images");
    read_resolution(in, text, info);
}

/* The first element of this name, with or without a name space. */
static const char *find_element(const char *text, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = text; (at = strstr(at, name)); at += length)
        if (at > text && (at[-1] == '<' || at[-1] == ':') &&
            (isspace((unsigned char)at[length]) || at[length] == '>'))
            return at + length;
    return NULL;
}

static void read_ome(const char *text, struct clump_file_info *info)
{
    static const char *const sizes[] = {"PhysicalSizeX", "PhysicalSizeY", "PhysicalSizeZ"};
    static const char *const units[] = {"PhysicalSizeXUnit", "PhysicalSizeYUnit",
                                        "PhysicalSizeZUnit"};
    const char *pixels = find_element(text, "Pixels");
    char value[64];
    if (!pixels)
        return;
    strcpy(info->stack_writer, "OME");
    if (find_attribute(pixels, "DimensionOrder", value, sizeof info->stack_order))
        strcpy(info->stack_order, value);
    if (find_attribute(pixels, "SizeC", value, sizeof value))
        info->stack_channels = count_of(value);
    if (find_attribute(pixels, "SizeZ", value, sizeof value))
        info->stack_slices = count_of(value);
    if (find_attribute(pixels, "SizeT", value, sizeof value))
        info->stack_frames = count_of(value);
    for (int k = 0; k < 3; k++) {
        if (find_attribute(pixels, sizes[k], value, sizeof value))
            info->pixel_size[k] = size_of(value);
        bool given = find_attribute(pixels, units[k], value, sizeof value);
        name_unit(given ? value : MICROMETRE, info->pixel_size_unit[k]); /* the schema's default */
    }
}

void clump_tiff_axes(TIFF *in, struct clump_file_info *info)
{
    const char *text = NULL;
    for (int k = 0; k < 3; k++)
        info->pixel_size[k] = NAN;
    if (!TIFFGetField(in, TIFFTAG_IMAGEDESCRIPTION, &text) || !text)
        return;
    if (!strncmp(text, "ImageJ=", 7))
        read_imagej(in, text, info);
    else if (find_element(text, "OME"))
        read_ome(text, info);
}
