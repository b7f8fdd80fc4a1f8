/* SPDX-License-Identifier: MIT */
#include "extract_gauss.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define REACH     3               /* a and b of an object within which pixels are fitted */
#define FWHM      2.3548200450309 /* of a Gaussian of a standard deviation of 1 */
#define POINT     1               /* of gauss_flag: fitted with the beam's shape */
#define DEGREES   (180 / M_PI)
#define ARCSECOND 3600

/* Second moments of an ellipse, in any plane. */
struct spread {
    double xx, yy, xy;
};

/* Full widths and the angle of the longer one, in radians from the first axis to the second. */
struct widths {
    double major, minor, angle;
};

/* Steps on the sky, east and north in arcseconds, of a column and of a row. */
struct steps {
    double col_east, col_north, row_east, row_north;
    bool known;
};

enum column {
    HEIGHT,
    HEIGHT_ERROR,
    FLUX,
    FLUX_ERROR,
    CENTRE_X,
    CENTRE_Y,
    X_ERROR,
    Y_ERROR,
    MAJOR,
    MINOR,
    ANGLE,
    MAJOR_ERROR,
    MINOR_ERROR,
    ANGLE_ERROR,
    OWN_MAJOR,
    OWN_MINOR,
    OWN_ANGLE,
    FLAG,
    COLUMNS
};

static const char *const names[COLUMNS][2] = {
    {"gauss_peak", "height of the fitted Gaussian"},
    {"gauss_peakerr", "error of gauss_peak"},
    {"gauss_flux", "its integral: over the beam where one is known, else in pixels"},
    {"gauss_fluxerr", "error of gauss_flux"},
    {"gauss_x", "its column, first pixel 1"},
    {"gauss_y", "its row, first pixel 1"},
    {"gauss_xerr", "error of gauss_x"},
    {"gauss_yerr", "error of gauss_y"},
    {"gauss_major", "its full width at half height, the longer one; arcsec with coordinates"},
    {"gauss_minor", "the shorter one"},
    {"gauss_angle",
     "of the longer one: degrees from north to east; without coordinates from x to y"},
    {"gauss_majorerr", "error of gauss_major"},
    {"gauss_minorerr", "error of gauss_minor"},
    {"gauss_angleerr", "error of gauss_angle"},
    {"own_major", "gauss_major without the beam; 0: not larger"},
    {"own_minor", "gauss_minor without the beam; 0: not larger"},
    {"own_angle", "gauss_angle without the beam"},
    {"gauss_flag", "1 with the beam's shape; 16 32 64 128 as in flag"},
};

static struct widths widths_of(const struct spread *s)
{
    double half = 0.5 * (s->xx - s->yy), middle = 0.5 * (s->xx + s->yy);
    double root = sqrt(half * half + s->xy * s->xy);
    return (struct widths){FWHM * sqrt(fmax(middle + root, 0)), FWHM * sqrt(fmax(middle - root, 0)),
                           0.5 * atan2(2 * s->xy, s->xx - s->yy)};
}

static struct spread spread_of(double major, double minor, double angle)
{
    double a = major / FWHM, b = minor / FWHM, c = cos(angle), s = sin(angle);
    return (struct spread){a * a * c * c + b * b * s * s, a * a * s * s + b * b * c * c,
                           (a * a - b * b) * c * s};
}

static struct steps steps_at(const struct input *input, double x, double y)
{
    double ra[3], dec[3];
    struct steps steps = {.known = input->info->celestial};
    steps.known = steps.known && clump_wcs_sky(input->file, y, x, &ra[0], &dec[0]) &&
                  clump_wcs_sky(input->file, y, x + 1, &ra[1], &dec[1]) &&
                  clump_wcs_sky(input->file, y + 1, x, &ra[2], &dec[2]);
    if (!steps.known)
        return (struct steps){.col_east = 1, .row_north = 1};
    double scale = cos(dec[0] / DEGREES) * ARCSECOND;
    steps.col_east = remainder(ra[1] - ra[0], 360) * scale;
    steps.row_east = remainder(ra[2] - ra[0], 360) * scale;
    steps.col_north = (dec[1] - dec[0]) * ARCSECOND;
    steps.row_north = (dec[2] - dec[0]) * ARCSECOND;
    return steps;
}

/* Moments along (north, east), or as they are where the sky is not known. */
static struct spread on_sky(const struct steps *t, const struct spread *s)
{
    double en = t->known ? t->col_north : t->col_east, ee = t->known ? t->col_east : t->col_north;
    double rn = t->known ? t->row_north : t->row_east, re = t->known ? t->row_east : t->row_north;
    return (struct spread){en * en * s->xx + rn * rn * s->yy + 2 * en * rn * s->xy,
                           ee * ee * s->xx + re * re * s->yy + 2 * ee * re * s->xy,
                           en * ee * s->xx + rn * re * s->yy + (en * re + ee * rn) * s->xy};
}

/* The way back: from (north, east) to (x, y). */
static struct spread on_image(const struct steps *t, const struct spread *s)
{
    double det = t->col_north * t->row_east - t->col_east * t->row_north;
    const struct steps back = {.col_north = t->row_east / det,
                               .row_north = -t->row_north / det,
                               .col_east = -t->col_east / det,
                               .row_east = t->col_north / det,
                               .known = true};
    return on_sky(&back, s);
}

/* Condon's errors of a Gaussian in noise that is the same within `same`, a product of widths. */
static void set_errors(double noise, double same, const struct widths *w, const double *row_angle,
                       double *row)
{
    double snr = row[HEIGHT] / noise, major2 = w->major * w->major, minor2 = w->minor * w->minor;
    double base = major2 * minor2 / (4 * same * w->major * w->minor) * snr * snr;
    double along = 1 + same / major2, across = 1 + same / minor2;
    double height = sqrt(2 / (base * pow(along, 1.5) * pow(across, 1.5)));
    double major = sqrt(2 / (base * pow(along, 2.5) * pow(across, 0.5)));
    double minor = sqrt(2 / (base * pow(along, 0.5) * pow(across, 2.5)));
    double c = cos(*row_angle), s = sin(*row_angle);
    row[HEIGHT_ERROR] = row[HEIGHT] * height;
    row[FLUX_ERROR] = row[FLUX] * sqrt(height * height + same / (w->major * w->minor) *
                                                             (major * major + minor * minor));
    row[MAJOR_ERROR] = row[MAJOR] * major;
    row[MINOR_ERROR] = row[MINOR] * minor;
    row[ANGLE_ERROR] = 2 * DEGREES * minor * w->major * w->minor / (major2 - minor2);
    row[ANGLE_ERROR] = fmin(row[ANGLE_ERROR], 90);
    double far = major * w->major / FWHM, wide = minor * w->minor / FWHM;
    row[X_ERROR] = sqrt(far * far * c * c + wide * wide * s * s);
    row[Y_ERROR] = sqrt(far * far * s * s + wide * wide * c * c);
}

/* The figures of an object; returns whether it is larger than the beam, by more than its
 * error. */
static bool set_row(const struct input *input, const struct clump_object *object,
                    const struct clump_gauss *fit, bool point, double *row)
{
    const struct clump_file_info *info = input->info;
    struct steps steps = steps_at(input, fit->x, fit->y);
    bool beam = info->beam && steps.known;
    struct spread own = spread_of(FWHM * fit->a, FWHM * fit->b, fit->theta);
    struct spread sky = on_sky(&steps, &own);
    struct widths pixels = widths_of(&own), seen = widths_of(&sky), rest = {NAN, NAN, NAN},
                  lobe = {0, 0, 0};
    double area = 2 * M_PI * fit->a * fit->b, same = 4 * M_LN2 / M_PI;
    if (beam) {
        struct spread around = spread_of(info->beam_major * ARCSECOND, info->beam_minor * ARCSECOND,
                                         info->beam_angle / DEGREES);
        struct spread less = {sky.xx - around.xx, sky.yy - around.yy, sky.xy - around.xy};
        struct spread shape = on_image(&steps, &around);
        struct widths w = widths_of(&shape);
        lobe = widths_of(&around);
        rest = point ? (struct widths){0, 0, 0} : widths_of(&less);
        same = w.major * w.minor;
        area /= M_PI / (4 * M_LN2) * same;
    }
    row[HEIGHT] = fit->height;
    row[FLUX] = fit->height * area;
    row[CENTRE_X] = fit->x + 1;
    row[CENTRE_Y] = fit->y + 1;
    row[MAJOR] = seen.major;
    row[MINOR] = seen.minor;
    row[ANGLE] = fmod(seen.angle * DEGREES + 180, 180);
    row[OWN_MAJOR] = rest.major;
    row[OWN_MINOR] = rest.minor;
    row[OWN_ANGLE] = fmod(rest.angle * DEGREES + 180, 180);
    row[FLAG] = (fit->flags & 0xf0) + (point ? POINT : 0);
    double noise = object->fluxerr / sqrt((double)object->npix);
    set_errors(noise, same, &pixels, &fit->theta, row);
    bool larger = !beam || seen.major - lobe.major > row[MAJOR_ERROR] ||
                  seen.minor - lobe.minor > row[MINOR_ERROR];
    if (point)
        row[MAJOR_ERROR] = row[MINOR_ERROR] = row[ANGLE_ERROR] = 0;
    if (point)
        row[FLUX_ERROR] = row[HEIGHT_ERROR] * area;
    return larger;
}

/* An aperture with the beam's shape where the object is, in pixels. */
static struct clump_aperture beam_at(const struct input *input, const struct clump_gauss *fit,
                                     struct clump_aperture from)
{
    const struct clump_file_info *info = input->info;
    struct steps steps = steps_at(input, fit->x, fit->y);
    struct spread around = spread_of(info->beam_major * ARCSECOND, info->beam_minor * ARCSECOND,
                                     info->beam_angle / DEGREES);
    struct spread shape = on_image(&steps, &around);
    struct widths w = widths_of(&shape);
    from.a = w.major / FWHM;
    from.b = w.minor / FWHM;
    from.theta = w.angle;
    return from;
}

static enum clump_status add_columns(clump_catalog *catalog, uint64_t count, const double *rows,
                                     double *values)
{
    enum clump_status status = CLUMP_OK;
    for (unsigned c = 0; c < COLUMNS && !status; c++) {
        for (uint64_t i = 0; i < count; i++)
            values[i] = rows[i * COLUMNS + c];
        status = clump_catalog_add(catalog, &(struct clump_column){.name = names[c][0],
                                                                   .description = names[c][1],
                                                                   .type = CLUMP_COLUMN_F64,
                                                                   .values = values});
    }
    return status;
}

/* Scratch of `count` objects. */
struct fits {
    struct clump_aperture *apertures, *points;
    struct clump_gauss *free, *fixed;
    uint64_t *which; /* the objects that are fitted again */
    double *rows, *values;
};

static enum clump_status fit_all(struct run *run, const struct input *input,
                                 const clump_image *image,
                                 const struct clump_photometry_params *params,
                                 const struct clump_extract_result *found, struct fits *fits)
{
    uint64_t again = 0;
    enum clump_status status = clump_photometry_gauss(run->context, image, found->count,
                                                      fits->apertures, false, params, fits->free);
    for (uint64_t i = 0; i < found->count && !status; i++)
        if (!set_row(input, &found->objects[i], &fits->free[i], false, fits->rows + i * COLUMNS)) {
            fits->points[again] = beam_at(input, &fits->free[i], fits->apertures[i]);
            fits->which[again++] = i;
        }
    if (!status)
        status = clump_photometry_gauss(run->context, image, again, fits->points, true, params,
                                        fits->fixed);
    for (uint64_t k = 0; k < again && !status; k++)
        set_row(input, &found->objects[fits->which[k]], &fits->fixed[k], true,
                fits->rows + fits->which[k] * COLUMNS);
    return status;
}

enum clump_status extract_gauss(struct run *run, const struct input *input,
                                const clump_image *subtracted, const clump_image *segmentation,
                                const clump_image *mask, const struct clump_extract_result *found,
                                clump_catalog *catalog)
{
    struct clump_photometry_params params = clump_photometry_defaults;
    size_t n = found->count + 1;
    struct fits fits = {calloc(n, sizeof *fits.apertures), calloc(n, sizeof *fits.points),
                        calloc(n, sizeof *fits.free),      calloc(n, sizeof *fits.fixed),
                        calloc(n, sizeof *fits.which),     calloc(n * COLUMNS, sizeof(double)),
                        calloc(n, sizeof *fits.values)};
    enum clump_status status = CLUMP_OK;
    if (!fits.apertures || !fits.points || !fits.free || !fits.fixed || !fits.which || !fits.rows ||
        !fits.values)
        status =
            run_fail(run, CLUMP_ERROR_MEMORY, "no memory for %" PRIu64 " Gaussians", found->count);
    params.segmentation = segmentation;
    params.mask = mask;
    for (uint64_t i = 0; i < found->count && !status; i++) {
        const struct clump_object *o = &found->objects[i];
        fits.apertures[i] = (struct clump_aperture){.x = o->x,
                                                    .y = o->y,
                                                    .a = o->a,
                                                    .b = o->b,
                                                    .theta = o->theta,
                                                    .outer = REACH,
                                                    .id = (int64_t)i + 1};
    }
    if (!status)
        status = fit_all(run, input, subtracted, &params, found, &fits);
    if (!status)
        status = add_columns(catalog, found->count, fits.rows, fits.values);
    free(fits.apertures);
    free(fits.points);
    free(fits.free);
    free(fits.fixed);
    free(fits.which);
    free(fits.rows);
    free(fits.values);
    return status;
}
