/* SPDX-License-Identifier: MIT */
/* World coordinates: a header worked out by hand, and real ones as astropy sees them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>
#include <fitsio.h>

#include "scratch.h"

static struct scratch scratch;

static void begin(void) { scratch_begin(&scratch); }

static void end(void) { scratch_end(&scratch); }

TestSuite(wcs, .init = begin, .fini = end);

static clump_file *create(const char *const *cards, size_t count, int naxis)
{
    long axes[4] = {64, 32, 1, 1};
    fitsfile *out = NULL;
    clump_file *file = NULL;
    int status = 0;
    fits_create_diskfile(&out, scratch_path(&scratch, "w.fits"), &status);
    fits_create_img(out, FLOAT_IMG, naxis, axes, &status);
    for (size_t i = 0; i < count; i++)
        fits_write_record(out, cards[i], &status);
    fits_close_file(out, &status);
    cr_assert_eq(status, 0);
    cr_assert_eq(clump_file_open(&scratch.log, scratch.path, NULL, &file), CLUMP_OK);
    return file;
}

/* In the gnomonic projection a pixel d degrees up from the reference point is at atan(d). */
Test(wcs, gnomonic_by_hand)
{
    static const char *const cards[] = {"CTYPE1  = 'RA---TAN'", "CTYPE2  = 'DEC--TAN'",
                                        "CRPIX1  = 11.0",       "CRPIX2  = 6.0",
                                        "CRVAL1  = 30.0",       "CRVAL2  = 0.0",
                                        "CDELT1  = -0.5",       "CDELT2  = 0.5",
                                        "BMAJ    = 1.0",        "BMIN    = 0.5",
                                        "BPA     = 30.0"};
    clump_file *file = create(cards, sizeof cards / sizeof *cards, 2);
    double ra, dec, row, col, degree = acos(-1.0) / 180;
    const struct clump_file_info *info = clump_file_info(file);
    cr_expect(info->celestial && info->beam);
    cr_expect_eq(info->beam_angle, 30);
    cr_expect_float_eq(info->beam_pixels, acos(-1.0) * 0.5 / (4 * log(2)) / 0.25, 1e-12);
    cr_expect(clump_wcs_sky(file, 5, 10, &ra, &dec));
    cr_expect_float_eq(ra, 30, 1e-12);
    cr_expect_float_eq(dec, 0, 1e-12);
    cr_expect(clump_wcs_sky(file, 25, 10, &ra, &dec));
    cr_expect_float_eq(ra, 30, 1e-12);
    cr_expect_float_eq(dec, atan(10 * degree) / degree, 1e-12);
    cr_expect(clump_wcs_sky(file, 5, 0, &ra, &dec));
    cr_expect_float_eq(ra, 30 + atan(5 * degree) / degree, 1e-12);
    cr_expect(clump_wcs_pixel(file, ra, dec, &row, &col));
    cr_expect_float_eq(row, 5, 1e-9);
    cr_expect_float_eq(col, 0, 1e-9);
    cr_expect(!clump_wcs_pixel(file, 210, 0, &row, &col), "the far side is not in the picture");
    clump_file_close(&file);
}

/* Right ascension is from 0 to 360, wherever the reference point's lies. */
Test(wcs, right_ascension_is_never_negative)
{
    static const char *const values[] = {"CRVAL1  = -10.0",  "CRVAL1  = -360.0", "CRVAL1  = 360.0",
                                         "CRVAL1  = 0.0",    "CRVAL1  = 725.0",  "CRVAL1  = -0.0",
                                         "CRVAL1  = -1E-300"};
    static const double wanted[] = {350, 0, 0, 0, 5, 0, 0};
    static const char *const types[] = {"CTYPE1  = 'RA---TAN'", "CTYPE1  = 'RA---CAR'"};
    for (size_t i = 0; i < 2 * sizeof wanted / sizeof *wanted; i++) {
        const char *const cards[] = {
            types[i % 2],     i % 2 ? "CTYPE2  = 'DEC--CAR'" : "CTYPE2  = 'DEC--TAN'",
            "CRPIX1  = 11.0", "CRPIX2  = 6.0",
            values[i / 2],    "CRVAL2  = 0.0",
            "CDELT1  = -0.5", "CDELT2  = 0.5"};
        clump_file *file = create(cards, sizeof cards / sizeof *cards, 2);
        double ra, dec, row, col;
        for (int x = 0; x < 21; x++) {
            cr_expect(clump_wcs_sky(file, 5, x, &ra, &dec));
            cr_expect(ra >= 0 && ra < 360 && !signbit(ra), "%s, column %d: %.17g", values[i / 2], x,
                      ra);
            double off = fmod(ra - wanted[i / 2] + 540, 360) - 180;
            cr_expect(x == 10 ? fabs(off) < 1e-12 : (x < 10) == (off > 0), "%s, column %d: %.17g",
                      values[i / 2], x, ra);
            cr_expect(clump_wcs_pixel(file, ra, dec, &row, &col));
            cr_expect_float_eq(col, x, 1e-9);
        }
        clump_file_close(&file);
        remove(scratch.path);
    }
}

/* The galactic pole and centre, as the Hipparcos catalogue gives them in ICRS. */
Test(wcs, galactic_becomes_equatorial)
{
    static const char *const cards[] = {"CTYPE1  = 'GLON-CAR'", "CTYPE2  = 'GLAT-CAR'",
                                        "CRPIX1  = 1.0",        "CRPIX2  = 1.0",
                                        "CRVAL1  = 0.0",        "CRVAL2  = 0.0",
                                        "CDELT1  = -1.0",       "CDELT2  = 1.0"};
    clump_file *file = create(cards, sizeof cards / sizeof *cards, 2);
    double ra, dec, row, col;
    cr_expect(clump_wcs_sky(file, 0, 0, &ra, &dec));
    cr_expect_float_eq(ra, 266.40500, 2e-5);
    cr_expect_float_eq(dec, -28.93617, 2e-5);
    cr_expect(clump_wcs_sky(file, 90, 0, &ra, &dec));
    cr_expect_float_eq(ra, 192.85948, 1e-9);
    cr_expect_float_eq(dec, 27.12825, 1e-9);
    cr_expect(clump_wcs_pixel(file, 266.40499, -28.93617, &row, &col));
    cr_expect_float_eq(row, 0, 2e-5);
    cr_expect_float_eq(fmod(col + 180, 360) - 180, 0, 2e-5);
    clump_file_close(&file);
}

Test(wcs, none_where_there_is_none)
{
    static const char *const velocity[] = {"CTYPE1  = 'RA---TAN'", "CTYPE2  = 'VELO    '",
                                           "CTYPE3  = 'DEC--TAN'", "CRVAL3  = 10.0"};
    clump_file *file = create(NULL, 0, 2);
    double ra, dec;
    cr_expect(!clump_file_info(file)->celestial);
    cr_expect(!clump_wcs_sky(file, 1, 1, &ra, &dec));
    cr_expect(isnan(ra) && isnan(dec));
    clump_file_close(&file);
    remove(scratch.path);
    file = create(velocity, 4, 4);
    cr_expect(!clump_file_info(file)->celestial, "a position-velocity plane has no sky");
    clump_file_close(&file);
}

/* A part of an image lies where it lay in the whole, in every frame. */
Test(wcs, a_part_keeps_its_place)
{
    static const char *const cards[] = {"CTYPE1  = 'GLON-TAN'", "CTYPE2  = 'GLAT-TAN'",
                                        "CRPIX1  = 11.0",       "CRPIX2  = 6.0",
                                        "CRVAL1  = 30.0",       "CRVAL2  = 40.0",
                                        "CDELT1  = -0.5",       "CDELT2  = 0.5"};
    clump_file *whole = create(cards, sizeof cards / sizeof *cards, 2), *part = NULL;
    struct clump_file_params params = clump_file_defaults;
    double a[2], b[2];
    params.crop = true;
    params.rows[0] = 7;
    params.cols[0] = 20;
    params.rows[1] = params.cols[1] = INT64_MAX;
    cr_assert_eq(clump_file_open(&scratch.log, scratch.path, &params, &part), CLUMP_OK);
    cr_expect(clump_wcs_native(whole, 8, 22, &a[0], &a[1]));
    cr_expect(clump_wcs_native(part, 1, 2, &b[0], &b[1]));
    cr_expect(a[0] == b[0] && a[1] == b[1], "galactic %g %g in the part", b[0], b[1]);
    cr_expect(clump_wcs_sky(whole, 8, 22, &a[0], &a[1]));
    cr_expect(clump_wcs_sky(part, 1, 2, &b[0], &b[1]));
    cr_expect(a[0] == b[0] && a[1] == b[1], "ICRS %g %g in the part", b[0], b[1]);
    clump_file_close(&part);
    clump_file_close(&whole);
}

/* Prints row, col, ra, dec of some places of an image; astropy must agree to 1e-9 degrees. */
static const char script[] =
    "import sys, numpy as n\n"
    "from astropy.io import fits\n"
    "from astropy.wcs import WCS\n"
    "w = WCS(fits.getheader(sys.argv[1])).celestial\n"
    "t = n.loadtxt(sys.argv[2], ndmin=2)\n"
    "ra, dec = w.all_pix2world(t[:, 1], t[:, 0], 0)\n"
    "d = n.abs((ra - t[:, 2] + 180) % 360 - 180) * n.cos(n.radians(dec))\n"
    "print(len(t), d.max(), n.abs(dec - t[:, 3]).max())\n"
    "assert len(t) > 20 and d.max() < 1e-9 and n.abs(dec - t[:, 3]).max() < 1e-9\n";

static void compare(const char *path, const char *check)
{
    clump_file *file = NULL;
    cr_assert_eq(clump_file_open(&scratch.log, path, NULL, &file), CLUMP_OK, "%s", scratch.line);
    const struct clump_file_info *info = clump_file_info(file);
    cr_expect(info->celestial && info->beam && info->beam_pixels > 1, "%s", path);
    FILE *out = fopen(scratch_path(&scratch, "places"), "w");
    for (uint64_t row = 0; row < info->rows; row += 37)
        for (uint64_t col = 0; col < info->cols; col += 41) {
            double ra, dec, back[2];
            if (!clump_wcs_sky(file, (double)row + 0.25, (double)col, &ra, &dec))
                continue;
            fprintf(out, "%.17g %.17g %.17g %.17g\n", (double)row + 0.25, (double)col, ra, dec);
            cr_expect(clump_wcs_pixel(file, ra, dec, &back[0], &back[1]));
            cr_expect_float_eq(back[0], (double)row + 0.25, 1e-6);
            cr_expect_float_eq(back[1], (double)col, 1e-6);
        }
    fclose(out);
    cr_expect_eq(scratch_run(&scratch, "/usr/bin/python3 %s %s %s", check, path, scratch.path), 0,
                 "astropy does not agree on %s", path);
    clump_file_close(&file);
}

Test(wcs, real_headers_agree_with_astropy)
{
    static const char *const names[] = {"SWIFT_554620-130504.fits", "1904-66_SIN.fits"};
    const char *data = getenv("CLUMP_TEST_DATA");
    char check[300], path[600];
    if (!data || scratch_run(&scratch, "/usr/bin/python3 -c 'import astropy'") != 0) {
        fprintf(stderr, "SKIPPED: CLUMP_TEST_DATA is not set, or python3 has no astropy\n");
        return;
    }
    strcpy(check, scratch_file(&scratch, "check.py", script, sizeof script - 1));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", data, names[i]);
        compare(path, check);
    }
}
