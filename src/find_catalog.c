/* SPDX-License-Identifier: MIT */
/* Sources as a catalogue, with the column names of SEP, SExtractor's C library. */
#include <clump/find.h>

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <clump/wcs.h>

#include "context.h"
#include "catalog_fields.h"
#include "units.h"

/* Where the determinant of the moments is below THIN, SExtractor considers a source too thin to
 * have a shape and adds the moment of one pixel, 1/12. */
#define THIN  0.00694
#define PIXEL (1.0 / 12)

struct source {
    uint64_t id, npix, xpeak, ypeak, xmin, xmax, ymin, ymax;
    double x, y, lon, lat, ra, dec, flux, flux_beam, peak, a, b, theta;
    uint32_t flag;
};

#define SOURCE(member) offsetof(struct source, member)

static const struct field place[] = {
    {"id", NULL, "label in the segmentation", "meta.id;meta.main", FIELD_U64, SOURCE(id)},
    {0},
};

static const struct field shape[] = {
    {"npix", "pix", "number of pixels", "phys.angArea;instr.pixel", FIELD_U64, SOURCE(npix)},
    {"xpeak", "pix", "column of the brightest pixel, first 1", NULL, FIELD_U64, SOURCE(xpeak)},
    {"ypeak", "pix", "row of the brightest pixel, first 1", NULL, FIELD_U64, SOURCE(ypeak)},
    {"xmin", "pix", "first column", NULL, FIELD_U64, SOURCE(xmin)},
    {"xmax", "pix", "last column", NULL, FIELD_U64, SOURCE(xmax)},
    {"ymin", "pix", "first row", NULL, FIELD_U64, SOURCE(ymin)},
    {"ymax", "pix", "last row", NULL, FIELD_U64, SOURCE(ymax)},
    {"a", "pix", "standard deviation along the long axis", "phys.angSize.smajAxis", FIELD_F64,
     SOURCE(a)},
    {"b", "pix", "standard deviation along the short axis", "phys.angSize.sminAxis", FIELD_F64,
     SOURCE(b)},
    {"theta", "rad", "long axis, from x towards y", "pos.posAng", FIELD_F64, SOURCE(theta)},
    {"flag", NULL,
     "2 at the border, 8 too thin for a shape, 32 at or around blank pixels, 128 no positive flux, "
     "256 infinite; SEP's bits",
     "meta.code", FIELD_U32, SOURCE(flag)},
    {0},
};

/* Computes the axes of the ellipse whose moments are those of the light. */
static void fill_shape(struct source *source, const struct clump_region *region)
{
    double xx = region->weighted_cc, yy = region->weighted_rr, xy = region->weighted_rc;
    if (xx * yy - xy * xy < THIN) {
        xx += PIXEL;
        yy += PIXEL;
        source->flag |= CLUMP_REGION_THIN;
    }
    double middle = (xx + yy) / 2, half = (xx - yy) / 2, root = sqrt(half * half + xy * xy);
    source->a = source->b = source->theta = NAN;
    if (!(middle - root >= 0)) /* NaN too: light of both signs, or infinite, has no shape */
        return;
    source->a = sqrt(middle + root);
    source->b = sqrt(middle - root);
    source->theta = atan2(2 * xy, xx - yy) / 2;
}

static void fill_source(struct source *source, const struct clump_region *region,
                        const clump_file *file)
{
    bool placed = isfinite(region->weighted_row) && isfinite(region->weighted_col);
    *source = (struct source){
        .id = region->label,
        .npix = region->area,
        .x = placed ? region->weighted_col + 1 : NAN,
        .y = placed ? region->weighted_row + 1 : NAN,
        .flux = region->sum,
        .peak = region->max,
        .xpeak = region->peak_col + 1,
        .ypeak = region->peak_row + 1,
        .xmin = region->col_min + 1,
        .xmax = region->col_max,
        .ymin = region->row_min + 1,
        .ymax = region->row_max,
        .flag = region->flags,
    };
    fill_shape(source, region);
    if (!file)
        return;
    const struct clump_file_info *info = clump_file_info(file);
    clump_wcs_native(file, region->weighted_row, region->weighted_col, &source->lon, &source->lat);
    clump_wcs_sky(file, region->weighted_row, region->weighted_col, &source->ra, &source->dec);
    if (info->beam_pixels > 0)
        source->flux_beam = region->sum / info->beam_pixels;
}

/* Adds the two coordinates of a frame; their descriptions get the name of the frame. */
static enum clump_status add_pair(clump_catalog *catalog, const struct source *sources,
                                  const char *frame, const struct field pair[2])
{
    char about[2][120];
    struct field fields[3] = {pair[0], pair[1], {0}};
    for (int i = 0; i < 2; i++) {
        snprintf(about[i], sizeof about[i], "%s, %s", pair[i].description, frame);
        fields[i].description = about[i];
        fields[i].frame = frame;
    }
    return clump_catalog_fields_add(catalog, sources, sizeof *sources, fields);
}

/* Adds sky coordinates in the header's own frame and, where that is galactic, in ICRS. */
static enum clump_status add_sky(clump_catalog *catalog, const struct source *sources,
                                 const struct clump_file_info *info)
{
    static const char *const kinds[][3] = {{"GALACTIC", "pos.galactic.lon", "pos.galactic.lat"},
                                           {"ECLIPTIC", "pos.ecliptic.lon", "pos.ecliptic.lat"},
                                           {"SUPERGALACTIC", "pos.supergalactic.lon",
                                            "pos.supergalactic.lat"}};
    char room[CATALOG_FRAME_ROOM];
    const char *frame = info ? clump_catalog_frame_text(info, room) : "";
    bool equatorial = info && !strcmp(info->lon_name, "ra");
    const char *ucd[2] = {NULL, NULL};
    for (size_t i = 0; *frame && i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(info->frame, kinds[i][0]))
            ucd[0] = kinds[i][1], ucd[1] = kinds[i][2];
    const struct field own[2] = {{.name = *frame ? info->lon_name : "",
                                  .unit = "deg",
                                  .description = "longitude",
                                  .ucd = ucd[0],
                                  .type = FIELD_F64,
                                  .offset = SOURCE(lon)},
                                 {.name = *frame ? info->lat_name : "",
                                  .unit = "deg",
                                  .description = "latitude",
                                  .ucd = ucd[1],
                                  .type = FIELD_F64,
                                  .offset = SOURCE(lat)}};
    const struct field turned[2] = {{.name = "ra",
                                     .unit = "deg",
                                     .description = "right ascension",
                                     .ucd = "pos.eq.ra;meta.main",
                                     .type = FIELD_F64,
                                     .offset = SOURCE(ra)},
                                    {.name = "dec",
                                     .unit = "deg",
                                     .description = "declination",
                                     .ucd = "pos.eq.dec;meta.main",
                                     .type = FIELD_F64,
                                     .offset = SOURCE(dec)}};
    enum clump_status status = CLUMP_OK;
    if (*frame && !equatorial)
        status = add_pair(catalog, sources, frame, own);
    if (!status && info && info->celestial)
        status = add_pair(catalog, sources, equatorial ? frame : "ICRS", turned);
    return status;
}

/* Adds the sum of the pixels, which is no flux where their unit is per beam or per solid angle; the
 * flux by the beam, where it is known; and the peak. */
static enum clump_status add_fluxes(clump_catalog *catalog, const struct source *sources,
                                    bool above, const struct clump_file_info *info)
{
    char spelled[UNIT_ROOM] = "", rest[UNIT_ROOM] = "", about[200];
    const char *unit = info ? info->unit : "";
    bool per_beam = clump_unit_per_beam(unit, rest), per_angle = clump_unit_per_angle(unit);
    bool beam = per_beam && info->beam_pixels > 0;
    clump_unit_spell(unit, spelled);
    snprintf(about, sizeof about, "sum of %s%s%s%s",
             above ? "what stands above the median" : "the pixels",
             per_beam    ? "; not a flux, since the pixels are per beam"
             : per_angle ? "; not a flux, since the pixels are per solid angle"
                         : "",
             beam ? ": see flux_beam" : "", "");
    const struct field fields[] = {{"flux", *spelled ? spelled : NULL, about,
                                    per_beam || per_angle ? NULL : "phot.flux", FIELD_F64,
                                    SOURCE(flux), NULL},
                                   {beam ? "flux_beam" : NULL, *rest ? rest : NULL,
                                    "flux: the sum over the number of pixels in a beam",
                                    "phot.flux.density", FIELD_F64, SOURCE(flux_beam), NULL},
                                   {0}};
    const struct field peak[] = {{"peak", *spelled ? spelled : NULL,
                                  above ? "brightest pixel less the median" : "brightest pixel",
                                  per_beam ? "phot.flux.density;stat.max" : "phot.flux;stat.max",
                                  FIELD_F64, SOURCE(peak), NULL},
                                 {0}};
    enum clump_status status = clump_catalog_fields_add(catalog, sources, sizeof *sources, fields);
    return status ? status : clump_catalog_fields_add(catalog, sources, sizeof *sources, peak);
}

static enum clump_status add_columns(clump_catalog *catalog, const struct source *sources,
                                     bool above, const struct clump_file_info *info)
{
    const char *centre = above ? "centre of mass of what stands above the median, first pixel 1"
                               : "centre of mass of the pixels, first pixel 1";
    const struct field xy[] = {{"x", "pix", centre, "pos.cartesian.x;instr.det", FIELD_F64,
                                SOURCE(x), NULL},
                               {"y", "pix", centre, "pos.cartesian.y;instr.det", FIELD_F64,
                                SOURCE(y), NULL},
                               {0}};
    enum clump_status status = clump_catalog_fields_add(catalog, sources, sizeof *sources, place);
    if (!status)
        status = clump_catalog_fields_add(catalog, sources, sizeof *sources, xy);
    if (!status)
        status = add_sky(catalog, sources, info);
    if (!status)
        status = add_fluxes(catalog, sources, above, info);
    return status ? status : clump_catalog_fields_add(catalog, sources, sizeof *sources, shape);
}

enum clump_status clump_find_catalog(const struct clump_log *log,
                                     const struct clump_find_result *result, const clump_file *file,
                                     clump_catalog **catalog)
{
    CLUMP_ROUNDING();
    clump_catalog *made = NULL;
    enum clump_status status = clump_check_log("clump_find_catalog", log);
    if (!status)
        status = clump_check_given(log, "find", "result", result);
    if (!status && result->count)
        status = clump_check_given(log, "find", "list of regions in the result", result->regions);
    if (!status)
        status = clump_check_given(log, "find", "place for the catalogue", catalog);
    if (status)
        return status;
    const struct clump_file_info *info = file ? clump_file_info(file) : NULL;
    if (info && *info->wcs_problem)
        clump_say(log, CLUMP_LOG_WARNING,
                  "find: the header's WCS cannot be used, so there are no sky coordinates: %s",
                  info->wcs_problem);
    struct source *sources = calloc(result->count ? result->count : 1, sizeof *sources);
    if (!sources)
        return clump_fail(log, CLUMP_ERROR_MEMORY,
                          "find: cannot allocate memory for a catalogue of %" PRIu64 " sources",
                          result->count);
    for (uint64_t i = 0; i < result->count; i++)
        fill_source(&sources[i], &result->regions[i], file);
    status = clump_catalog_create(log, "SOURCES", result->count, &made);
    if (!status)
        status = add_columns(made, sources, result->subtracted, info);
    free(sources);
    if (status)
        clump_catalog_destroy(&made);
    else
        *catalog = made;
    return status;
}
