/* SPDX-License-Identifier: MIT */
/* Catalogues as regions for DS9, in pixels or on the sky. */
#include "table.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include <clump/clump.h>
#include <clump/wcs.h>

#include "context.h"

#define CIRCLE 5 /* radius in pixels of a source without a shape */

/* The number in this row of the column with this name; NaN where there is no such column. */
static double number(const clump_catalog *catalog, const char *name, uint64_t row)
{
    const struct clump_column *column = clump_catalog_find(catalog, name);
    return column ? clump_column_number(column, row) : NAN;
}

/* An ellipse in pixels: first pixel 1, angle in degrees from x towards y. */
struct ellipse {
    double x, y, a, b, angle;
};

/* Finds the ellipse of a source: around its peak where it has no centre, a circle where it has no
 * shape. */
static struct ellipse ellipse_of(const struct table_output *output, uint64_t row, double degrees)
{
    const clump_catalog *catalog = output->catalog;
    struct ellipse e = {number(catalog, "x", row), number(catalog, "y", row),
                        number(catalog, "a", row) * output->params->ellipse,
                        number(catalog, "b", row) * output->params->ellipse,
                        number(catalog, "theta", row) * degrees};
    if (!isfinite(e.x) || !isfinite(e.y)) {
        e.x = number(catalog, "xpeak", row);
        e.y = number(catalog, "ypeak", row);
    }
    if (!isfinite(e.a) || !isfinite(e.b) || !isfinite(e.angle))
        e.a = e.b = CIRCLE, e.angle = NAN;
    e.a = fmax(e.a, 0.5);
    e.b = fmax(e.b, 0.5);
    return e;
}

/* Degrees to the east and to the north per pixel along each axis, at one place. */
static bool steps(const clump_file *file, const struct ellipse *e, double east[2], double north[2])
{
    const double radian = acos(-1.0) / 180;
    for (int axis = 0; axis < 2; axis++) {
        double lon[2], lat[2];
        for (int end = 0; end < 2; end++) {
            double half = end ? 0.5 : -0.5;
            if (!clump_wcs_native(file, e->y - 1 + (axis ? half : 0), e->x - 1 + (axis ? 0 : half),
                                  &lon[end], &lat[end]))
                return false;
        }
        east[axis] = remainder(lon[1] - lon[0], 360) * cos((lat[0] + lat[1]) / 2 * radian);
        north[axis] = lat[1] - lat[0];
    }
    return true;
}

/*
 * The same ellipse on the sky, in degrees; DS9 counts its angle from west through north, 90 more
 * than a position angle. The moments of the ellipse are carried over by the steps of a pixel.
 */
static bool turn_to_sky(const clump_file *file, struct ellipse *e)
{
    const double radian = acos(-1.0) / 180;
    double east[2], north[2], lon, lat;
    if (!clump_wcs_native(file, e->y - 1, e->x - 1, &lon, &lat) || !steps(file, e, east, north))
        return false;
    double angle = isfinite(e->angle) ? e->angle * radian : 0, c = cos(angle), s = sin(angle);
    double xx = e->a * e->a * c * c + e->b * e->b * s * s;
    double yy = e->a * e->a * s * s + e->b * e->b * c * c;
    double xy = (e->a * e->a - e->b * e->b) * c * s;
    double ee = east[0] * east[0] * xx + 2 * east[0] * east[1] * xy + east[1] * east[1] * yy;
    double nn = north[0] * north[0] * xx + 2 * north[0] * north[1] * xy + north[1] * north[1] * yy;
    double en = east[0] * north[0] * xx + (east[0] * north[1] + east[1] * north[0]) * xy +
                east[1] * north[1] * yy;
    double middle = (ee + nn) / 2, root = hypot((nn - ee) / 2, en);
    double position = atan2(2 * en, nn - ee) / 2; /* from north through east */
    *e = (struct ellipse){lon, lat, sqrt(middle + root), sqrt(fmax(middle - root, 0)),
                          isfinite(e->angle) ? fmod(position / radian + 270, 180) : NAN};
    return true;
}

static void print_region(const struct table_output *output, uint64_t row, double degrees)
{
    FILE *out = output->out;
    const clump_file *sky = output->params->sky;
    const struct clump_column *id = clump_catalog_find(output->catalog, "id");
    struct ellipse e = ellipse_of(output, row, degrees);
    if (!isfinite(e.x) || !isfinite(e.y) || (sky && !turn_to_sky(sky, &e)))
        return;
    if (sky && isfinite(e.angle))
        fprintf(out, "ellipse(%.8f,%+.8f,%.4f\",%.4f\",%.3f)", e.x, e.y, e.a * 3600, e.b * 3600,
                e.angle);
    else if (sky)
        fprintf(out, "circle(%.8f,%+.8f,%.4f\")", e.x, e.y, e.a * 3600);
    else if (isfinite(e.angle))
        fprintf(out, "ellipse(%.4f,%.4f,%.4f,%.4f,%.3f)", e.x, e.y, e.a, e.b, e.angle);
    else
        fprintf(out, "circle(%.4f,%.4f,%d)", e.x, e.y, CIRCLE);
    if (id && id->type == CLUMP_COLUMN_I64)
        fprintf(out, " # text={%" PRId64 "}", ((const int64_t *)id->values)[row]);
    fputc('\n', out);
}

/* DS9's word for the file's own frame; NULL where DS9 has none. */
static const char *system_of(const struct clump_file_info *info)
{
    static const struct {
        const char *frame, *word;
        double equinox; /* 0: any */
    } systems[] = {{"ICRS", "icrs", 0},         {"FK5", "fk5", 2000},
                   {"FK4", "fk4", 1950},        {"FK4-NO-E", "fk4", 1950},
                   {"GALACTIC", "galactic", 0}, {"ECLIPTIC", "ecliptic", 2000}};
    for (size_t i = 0; i < sizeof systems / sizeof *systems; i++)
        if (!strcmp(info->frame, systems[i].frame) &&
            (systems[i].equinox == 0 || systems[i].equinox == info->equinox))
            return systems[i].word;
    return NULL;
}

enum clump_status clump_table_ds9(const struct table_output *output)
{
    const clump_catalog *catalog = output->catalog;
    const clump_file *sky = output->params->sky;
    const struct clump_column *theta = clump_catalog_find(catalog, "theta");
    const char *system = sky ? system_of(clump_file_info(sky)) : "image";
    bool radians = theta && theta->unit && !strcmp(theta->unit, "rad");
    if (!clump_catalog_find(catalog, "x") || !clump_catalog_find(catalog, "y"))
        return clump_fail(&catalog->log, CLUMP_ERROR_ARGUMENT,
                          "%s: regions need the columns x and y, which this table does not have",
                          output->path);
    if (!system)
        return clump_fail(&catalog->log, CLUMP_ERROR_ARGUMENT,
                          "%s: regions on the sky need a WCS that DS9 has a word for (ICRS, FK5 "
                          "J2000, FK4 B1950, galactic, ecliptic), but the image has %s; regions in "
                          "pixels need none",
                          output->path,
                          *clump_file_info(sky)->frame ? clump_file_info(sky)->frame : "none");
    fputs("# Region file format: DS9 version 4.1\n", output->out);
    fprintf(output->out, "# written by clump %s\n", CLUMP_VERSION);
    fprintf(output->out, "global color=green width=1 font=\"helvetica 10 normal roman\"\n%s\n",
            system);
    for (uint64_t row = 0; row < catalog->rows; row++)
        print_region(output, row, radians ? 180 / acos(-1.0) : 1);
    return CLUMP_OK;
}
