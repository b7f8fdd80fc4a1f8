/* SPDX-License-Identifier: MIT */
/* Sources as a table, its columns named as SExtractor's C library names them. */
#include <clump/find.h>

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <clump/wcs.h>

#include "context.h"
#include "rows.h"

/* Below this determinant of the moments SExtractor takes a source for too thin to have a shape, and
 * adds the moment of one pixel, 1/12. */
#define THIN  0.00694
#define PIXEL (1.0 / 12)

struct source {
    uint64_t id, npix, xpeak, ypeak, xmin, xmax, ymin, ymax;
    double x, y, ra, dec, flux, flux_beam, peak, a, b, theta;
    uint32_t flag;
};

#define SOURCE(member) offsetof(struct source, member)

static const struct field place[] = {
    {"id", NULL, "label in the segmentation", "meta.id;meta.main", FIELD_U64, SOURCE(id)},
    {"x", "pix", "centre of mass, first pixel 1", "pos.cartesian.x;instr.det", FIELD_F64,
     SOURCE(x)},
    {"y", "pix", "centre of mass, first pixel 1", "pos.cartesian.y;instr.det", FIELD_F64,
     SOURCE(y)},
    {0},
};

static const struct field sky[] = {
    {"ra", "deg", "right ascension", "pos.eq.ra;meta.main", FIELD_F64, SOURCE(ra)},
    {"dec", "deg", "declination", "pos.eq.dec;meta.main", FIELD_F64, SOURCE(dec)},
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
    {"flag", NULL, "1 border, 2 blank, 4 no positive flux, 8 infinite, 16 thin", "meta.code",
     FIELD_U32, SOURCE(flag)},
    {0},
};

/* Axes of the ellipse that has the moments of the light. */
static void fill_shape(struct source *source, const struct clump_region *region)
{
    double xx = region->weighted_cc, yy = region->weighted_rr, xy = region->weighted_rc;
    if (xx * yy - xy * xy < THIN) {
        xx += PIXEL;
        yy += PIXEL;
        source->flag |= CLUMP_SOURCE_THIN;
    }
    double middle = (xx + yy) / 2, half = (xx - yy) / 2, root = sqrt(half * half + xy * xy);
    source->a = sqrt(middle + root);
    source->b = sqrt(fmax(middle - root, 0));
    source->theta = atan2(2 * xy, xx - yy) / 2;
}

static void fill_source(struct source *source, const struct clump_region *region,
                        const clump_file *file)
{
    *source = (struct source){
        .id = region->label,
        .npix = region->area,
        .x = region->weighted_col + 1,
        .y = region->weighted_row + 1,
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
    if (info->celestial)
        clump_wcs_sky(file, region->weighted_row, region->weighted_col, &source->ra, &source->dec);
    if (info->beam_pixels > 0)
        source->flux_beam = region->sum / info->beam_pixels;
}

/* Units as the standards spell them; radio images often have them in capitals. */
static void spell_units(const struct clump_file_info *info, const char **unit, const char **beam)
{
    bool jansky = info && !strcasecmp(info->unit, "Jy/beam");
    *unit = jansky ? "Jy/beam" : info && *info->unit ? info->unit : NULL;
    *beam = jansky ? "Jy" : NULL;
}

static enum clump_status add_columns(clump_catalog *catalog, const struct source *sources,
                                     const struct clump_file_info *info)
{
    const char *unit, *beam_unit;
    spell_units(info, &unit, &beam_unit);
    const struct field flux[] = {{"flux", unit, "sum of the pixels", "phot.flux", FIELD_F64,
                                  SOURCE(flux)},
                                 {0}};
    const struct field beam[] = {{"flux_beam", beam_unit, "sum of the pixels over the beam's area",
                                  "phot.flux.density", FIELD_F64, SOURCE(flux_beam)},
                                 {0}};
    const struct field peak[] = {{"peak", unit, "brightest pixel", "phot.flux;stat.max", FIELD_F64,
                                  SOURCE(peak)},
                                 {0}};
    const struct field *const groups[] = {place, info && info->celestial ? sky : NULL,
                                          flux,  info && info->beam_pixels > 0 ? beam : NULL,
                                          peak,  shape};
    enum clump_status status = CLUMP_OK;
    for (size_t i = 0; i < sizeof groups / sizeof *groups && !status; i++)
        if (groups[i])
            status = clump_rows_add(catalog, sources, sizeof *sources, groups[i]);
    return status;
}

enum clump_status clump_find_catalog(const struct clump_log *log,
                                     const struct clump_find_result *result, const clump_file *file,
                                     clump_catalog **catalog)
{
    clump_catalog *made = NULL;
    struct source *sources = calloc(result->count ? result->count : 1, sizeof *sources);
    if (!sources)
        return clump_fail(log, CLUMP_ERROR_MEMORY, "find: no memory for the catalogue");
    for (uint64_t i = 0; i < result->count; i++)
        fill_source(&sources[i], &result->regions[i], file);
    enum clump_status status = clump_catalog_create(log, "SOURCES", result->count, &made);
    if (!status)
        status = add_columns(made, sources, file ? clump_file_info(file) : NULL);
    free(sources);
    if (status)
        clump_catalog_destroy(&made);
    else
        *catalog = made;
    return status;
}
