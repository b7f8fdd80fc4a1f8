/* SPDX-License-Identifier: MIT */
/* Objects as a catalogue, with the columns of SEP, SExtractor's C library, and more. */
#include <clump/extract.h>

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <clump/wcs.h>

#include "catalog_fields.h"
#include "context.h"
#include "units.h"

#define MAG_NONE 99              /* where the flux is not positive, as SExtractor has it */
#define MAG_UNIT 1.0857362047581 /* 2.5 / ln 10 */

struct row {
    struct clump_object object; /* counted from 1 */
    uint64_t id;
    double mag_auto, magerr_auto, flux_isocor, flux_beam, fluxerr_beam, ra, dec;
};

#define ROW(member)    offsetof(struct row, member)
#define OBJECT(member) offsetof(struct row, object.member)

static const struct field isophotes[] = {
    {"id", NULL, "number in the segmentation", "meta.id;meta.main", FIELD_U64, ROW(id), NULL},
    {"thresh", NULL, "mean threshold of the pixels", NULL, FIELD_F64, OBJECT(thresh), NULL},
    {"npix", "pix", "number of pixels", "phys.angArea;instr.pixel", FIELD_U64, OBJECT(npix), NULL},
    {"tnpix", "pix", "pixels whose value is above thresh", NULL, FIELD_U64, OBJECT(tnpix), NULL},
    {"xmin", "pix", "first column", NULL, FIELD_U64, OBJECT(xmin), NULL},
    {"xmax", "pix", "last column", NULL, FIELD_U64, OBJECT(xmax), NULL},
    {"ymin", "pix", "first row", NULL, FIELD_U64, OBJECT(ymin), NULL},
    {"ymax", "pix", "last row", NULL, FIELD_U64, OBJECT(ymax), NULL},
    {"x", "pix", "centre of the filtered light, first pixel 1", "pos.cartesian.x;instr.det",
     FIELD_F64, OBJECT(x), NULL},
    {"y", "pix", "centre of the filtered light, first pixel 1", "pos.cartesian.y;instr.det",
     FIELD_F64, OBJECT(y), NULL},
    {"x2", "pix**2", "second moment along x", NULL, FIELD_F64, OBJECT(x2), NULL},
    {"y2", "pix**2", "second moment along y", NULL, FIELD_F64, OBJECT(y2), NULL},
    {"xy", "pix**2", "mixed second moment", NULL, FIELD_F64, OBJECT(xy), NULL},
    {"errx2", "pix**2", "variance of x", NULL, FIELD_F64, OBJECT(errx2), NULL},
    {"erry2", "pix**2", "variance of y", NULL, FIELD_F64, OBJECT(erry2), NULL},
    {"errxy", "pix**2", "covariance of x and y", NULL, FIELD_F64, OBJECT(errxy), NULL},
    {"a", "pix", "standard deviation along the long axis", "phys.angSize.smajAxis", FIELD_F64,
     OBJECT(a), NULL},
    {"b", "pix", "standard deviation along the short axis", "phys.angSize.sminAxis", FIELD_F64,
     OBJECT(b), NULL},
    {"theta", "rad", "long axis, from x towards y", "pos.posAng", FIELD_F64, OBJECT(theta), NULL},
    {"cxx", "pix**(-2)", "coefficient of the ellipse", NULL, FIELD_F64, OBJECT(cxx), NULL},
    {"cyy", "pix**(-2)", "coefficient of the ellipse", NULL, FIELD_F64, OBJECT(cyy), NULL},
    {"cxy", "pix**(-2)", "coefficient of the ellipse", NULL, FIELD_F64, OBJECT(cxy), NULL},
    {0},
};

static const struct field places[] = {
    {"xcpeak", "pix", "column of cpeak, first 1", NULL, FIELD_U64, OBJECT(xcpeak), NULL},
    {"ycpeak", "pix", "row of cpeak, first 1", NULL, FIELD_U64, OBJECT(ycpeak), NULL},
    {"xpeak", "pix", "column of peak, first 1", NULL, FIELD_U64, OBJECT(xpeak), NULL},
    {"ypeak", "pix", "row of peak, first 1", NULL, FIELD_U64, OBJECT(ypeak), NULL},
    {"flag", NULL,
     "1 of a blend, 2 at the border, 8 thin, 16 aperture at the border, 32 masked pixels, 64 all "
     "masked, 128 no positive flux_auto, 1024 saturated; SEP's bits",
     "meta.code", FIELD_U32, OBJECT(flag), NULL},
    {0},
};

static const struct field windows[] = {
    {"kron_radius", NULL, "of the ellipse of flux_auto, in a and b", NULL, FIELD_F64,
     OBJECT(kron_radius), NULL},
    {"flux_radius", "pix", "radius that holds half of flux_auto", "phys.angSize", FIELD_F64,
     OBJECT(flux_radius), NULL},
    {"xwin", "pix", "centre in a Gaussian window, first pixel 1", "pos.cartesian.x;instr.det",
     FIELD_F64, OBJECT(xwin), NULL},
    {"ywin", "pix", "centre in a Gaussian window, first pixel 1", "pos.cartesian.y;instr.det",
     FIELD_F64, OBJECT(ywin), NULL},
    {0},
};

static const struct field magnitudes[] = {
    {"mag_auto", "mag", "magnitude of flux_auto, 99: none", "phot.mag", FIELD_F64, ROW(mag_auto),
     NULL},
    {"magerr_auto", "mag", "error of mag_auto, 99: none", "stat.error;phot.mag", FIELD_F64,
     ROW(magerr_auto), NULL},
    {0},
};

/* The flux with what a Gaussian has below the threshold: SExtractor's FLUX_ISOCOR. */
static double corrected(const struct clump_object *object)
{
    double part = (double)object->npix * object->thresh / object->flux;
    part = part > 0 ? fmin(part, 1) : 1;
    return object->flux / (1 - 0.196099 * part - 0.751208 * part * part);
}

static void fill_row(const struct clump_object *object, uint64_t id,
                     const struct clump_extract_catalog_params *params, struct row *row)
{
    struct clump_object *own = &row->object;
    *row = (struct row){.object = *object, .id = id, .mag_auto = MAG_NONE, .magerr_auto = MAG_NONE};
    own->xmin++, own->xmax++, own->ymin++, own->ymax++;
    own->xcpeak++, own->ycpeak++, own->xpeak++, own->ypeak++;
    own->x++, own->y++, own->xwin++, own->ywin++;
    row->flux_isocor = corrected(object);
    if (object->flux_auto > 0) {
        row->mag_auto = params->zero_point - 2.5 * log10(object->flux_auto);
        row->magerr_auto = MAG_UNIT * object->fluxerr_auto / object->flux_auto;
    }
    if (!params->file)
        return;
    clump_wcs_sky(params->file, object->y, object->x, &row->ra, &row->dec);
    const struct clump_file_info *info = clump_file_info(params->file);
    if (!(info->beam_pixels > 0))
        return;
    double beams = (double)object->npix / info->beam_pixels;
    row->flux_beam = object->flux / info->beam_pixels;
    row->fluxerr_beam = object->fluxerr / sqrt((double)object->npix) * sqrt(fmax(beams, 1));
}

/* Adds what has the unit of the image. */
static enum clump_status add_fluxes(clump_catalog *catalog, const struct row *rows,
                                    const struct clump_extract_catalog_params *params)
{
    char spelled[UNIT_ROOM] = "", rest[UNIT_ROOM] = "";
    const struct clump_file_info *info = params->file ? clump_file_info(params->file) : NULL;
    bool beam = info && clump_unit_per_beam(info->unit, rest) && info->beam_pixels > 0;
    clump_unit_spell(info ? info->unit : "", spelled);
    const char *unit = *spelled ? spelled : NULL;
    const struct field sums[] = {
        {"cflux", unit, "sum of the filtered pixels", NULL, FIELD_F64, OBJECT(cflux), NULL},
        {"flux", unit, "sum of the pixels", "phot.flux", FIELD_F64, OBJECT(flux), NULL},
        {"cpeak", unit, "largest filtered pixel", NULL, FIELD_F64, OBJECT(cpeak), NULL},
        {"peak", unit, "largest pixel", "phot.flux;stat.max", FIELD_F64, OBJECT(peak), NULL},
        {0}};
    const struct field errors[] = {
        {"fluxerr", unit, "error of flux", "stat.error;phot.flux", FIELD_F64, OBJECT(fluxerr),
         NULL},
        {"flux_isocor", unit, "flux, corrected for what a Gaussian has below thresh", "phot.flux",
         FIELD_F64, ROW(flux_isocor), NULL},
        {"snr", NULL, "flux / fluxerr", "stat.snr", FIELD_F64, OBJECT(snr), NULL},
        {beam ? "flux_beam" : NULL, *rest ? rest : NULL,
         "flux: the sum over the number of pixels in a beam", "phot.flux.density", FIELD_F64,
         ROW(flux_beam), NULL},
        {beam ? "fluxerr_beam" : NULL, *rest ? rest : NULL,
         "error of flux_beam, where noise is the same within a beam",
         "stat.error;phot.flux.density", FIELD_F64, ROW(fluxerr_beam), NULL},
        {0}};
    const struct field ellipses[] = {{"flux_auto", unit, "flux in the Kron ellipse", "phot.flux",
                                      FIELD_F64, OBJECT(flux_auto), NULL},
                                     {"fluxerr_auto", unit, "error of flux_auto",
                                      "stat.error;phot.flux", FIELD_F64, OBJECT(fluxerr_auto),
                                      NULL},
                                     {0}};
    enum clump_status status = clump_catalog_fields_add(catalog, rows, sizeof *rows, sums);
    if (!status)
        status = clump_catalog_fields_add(catalog, rows, sizeof *rows, places);
    if (!status)
        status = clump_catalog_fields_add(catalog, rows, sizeof *rows, errors);
    if (!status && !params->isophotes_only)
        status = clump_catalog_fields_add(catalog, rows, sizeof *rows, ellipses);
    return status;
}

/* Adds right ascension and declination, in the header's frame where that is equatorial. */
static enum clump_status add_sky(clump_catalog *catalog, const struct row *rows,
                                 const struct clump_file_info *info)
{
    char room[CATALOG_FRAME_ROOM];
    const char *frame =
        !strcmp(info->lon_name, "ra") ? clump_catalog_frame_text(info, room) : "ICRS";
    const struct field sky[] = {{"ra", "deg", "right ascension", "pos.eq.ra;meta.main", FIELD_F64,
                                 ROW(ra), frame},
                                {"dec", "deg", "declination", "pos.eq.dec;meta.main", FIELD_F64,
                                 ROW(dec), frame},
                                {0}};
    return clump_catalog_fields_add(catalog, rows, sizeof *rows, sky);
}

static enum clump_status add_columns(clump_catalog *catalog, const struct row *rows,
                                     const struct clump_extract_catalog_params *params)
{
    const struct clump_file_info *info = params->file ? clump_file_info(params->file) : NULL;
    enum clump_status status = clump_catalog_fields_add(catalog, rows, sizeof *rows, isophotes);
    if (!status)
        status = add_fluxes(catalog, rows, params);
    if (!status && !params->isophotes_only)
        status = clump_catalog_fields_add(catalog, rows, sizeof *rows, windows);
    if (!status && params->magnitudes && !params->isophotes_only)
        status = clump_catalog_fields_add(catalog, rows, sizeof *rows, magnitudes);
    return !status && info && info->celestial ? add_sky(catalog, rows, info) : status;
}

enum clump_status clump_extract_catalog(const struct clump_log *log,
                                        const struct clump_extract_result *result,
                                        const struct clump_extract_catalog_params *params,
                                        clump_catalog **catalog)
{
    CLUMP_ROUNDING();
    static const struct clump_extract_catalog_params none;
    clump_catalog *made = NULL;
    if (!params)
        params = &none;
    enum clump_status status = clump_check_log("clump_extract_catalog", log);
    if (!status)
        status = clump_check_reserved(log, "clump_extract_catalog", "params", params);
    if (!status)
        status = clump_check_given(log, "extract", "result", result);
    if (!status && result->count)
        status =
            clump_check_given(log, "extract", "list of objects in the result", result->objects);
    if (!status)
        status = clump_check_given(log, "extract", "place for the catalogue", catalog);
    if (status)
        return status;
    struct row *rows = calloc(result->count ? result->count : 1, sizeof *rows);
    if (!rows)
        return clump_fail(log, CLUMP_ERROR_MEMORY,
                          "extract: cannot allocate memory for a catalogue of %" PRIu64 " objects",
                          result->count);
    for (uint64_t i = 0; i < result->count; i++)
        fill_row(&result->objects[i], i + 1, params, &rows[i]);
    status = clump_catalog_create(log, "OBJECTS", result->count, &made);
    if (!status)
        status = add_columns(made, rows, params);
    free(rows);
    if (status)
        clump_catalog_destroy(&made);
    else
        *catalog = made;
    return status;
}
