/* SPDX-License-Identifier: MIT */
/* FITS in: types, scaling, blanks, compression, extensions, axes. FITS out: header, types. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <criterion/criterion.h>
#include <fitsio.h>

#include "scratch.h"

static struct scratch scratch;

static void begin(void) { scratch_begin(&scratch); }
static void end(void) { scratch_end(&scratch); }

TestSuite(fits, .init = begin, .fini = end);

/* A new FITS file, its primary image `bitpix` of the given axes, without pixels yet. */
static fitsfile *create(const char *name, int bitpix, int naxis, long *axes)
{
    fitsfile *out = NULL;
    int status = 0;
    fits_create_diskfile(&out, scratch_path(&scratch, name), &status);
    fits_create_img(out, bitpix, naxis, axes, &status);
    cr_assert_eq(status, 0);
    return out;
}

static void finish(fitsfile *out)
{
    int status = 0;
    fits_close_file(out, &status);
    cr_assert_eq(status, 0);
}

/* Writes 0, 1, 2, ... times `step` from `start` as physical values of the image. */
static void ramp(fitsfile *out, long count, double start, double step)
{
    int status = 0;
    double *values = malloc((size_t)count * sizeof *values);
    for (long i = 0; i < count; i++)
        values[i] = start + step * (double)i;
    fits_write_img(out, TDOUBLE, 1, count, values, &status);
    cr_assert_eq(status, 0, "CFITSIO status %d", status);
    free(values);
}

struct kind {
    int bitpix;
    enum clump_type type;
    double start, step;
};

Test(fits, every_type_is_read_as_it_is)
{
    static const struct kind kinds[] = {
        {BYTE_IMG, CLUMP_U8, 0, 17},
        {SBYTE_IMG, CLUMP_I16, -128, 17},
        {SHORT_IMG, CLUMP_I16, -32768, 4369},
        {USHORT_IMG, CLUMP_U16, 0, 4369},
        {LONG_IMG, CLUMP_I32, -2147483648.0, 286331153.0},
        {ULONG_IMG, CLUMP_U32, 0, 286331153.0},
        {LONGLONG_IMG, CLUMP_I64, -4503599627370496.0, 1099511627776.0},
        {FLOAT_IMG, CLUMP_F32, -1.5, 0.25},
        {DOUBLE_IMG, CLUMP_F64, 1e300, 1e299},
    };
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        long axes[2] = {5, 3};
        char name[16];
        snprintf(name, sizeof name, "%zu.fits", k);
        fitsfile *out = create(name, kinds[k].bitpix, 2, axes);
        ramp(out, 15, kinds[k].start, kinds[k].step);
        finish(out);
        clump_image *image = scratch_read(&scratch, scratch.path, NULL, NULL);
        cr_expect_eq(clump_image_type(image), kinds[k].type, "kind %zu", k);
        cr_expect_eq(clump_image_rows(image), 3);
        cr_expect_eq(clump_image_cols(image), 5);
        for (uint64_t i = 0; i < 15; i++)
            cr_expect_eq(scratch_pixel(image, i / 5, i % 5),
                         kinds[k].start + kinds[k].step * (double)i, "kind %zu pixel %d", k,
                         (int)i);
        clump_image_destroy(&image);
    }
}

Test(fits, scaled_and_blank_integers_become_floats)
{
    long axes[2] = {4, 2};
    short values[8] = {-32768, 1, 2, 3, 4, 5, 6, 7}, blank = -32768;
    double scale = 0.5, zero = 10;
    int status = 0;
    fitsfile *out = create("scaled.fits", SHORT_IMG, 2, axes);
    fits_write_img(out, TSHORT, 1, 8, values, &status);
    fits_update_key(out, TSHORT, "BLANK", &blank, NULL, &status);
    fits_update_key(out, TDOUBLE, "BSCALE", &scale, NULL, &status);
    fits_update_key(out, TDOUBLE, "BZERO", &zero, NULL, &status);
    cr_assert_eq(status, 0);
    finish(out);
    clump_image *image = scratch_read(&scratch, scratch.path, NULL, NULL);
    cr_expect_eq(clump_image_type(image), CLUMP_F32);
    cr_expect(isnan(scratch_pixel(image, 0, 0)));
    cr_expect_eq(scratch_pixel(image, 1, 3), 13.5);
    clump_image_destroy(&image);
}

Test(fits, nan_stays_nan)
{
    long axes[2] = {2, 1};
    float values[2] = {NAN, 3};
    int status = 0;
    fitsfile *out = create("nan.fits", FLOAT_IMG, 2, axes);
    fits_write_img(out, TFLOAT, 1, 2, values, &status);
    finish(out);
    clump_image *image = scratch_read(&scratch, scratch.path, NULL, NULL);
    cr_expect(isnan(scratch_pixel(image, 0, 0)));
    cr_expect_eq(scratch_pixel(image, 0, 1), 3);
    clump_image_destroy(&image);
}

Test(fits, tile_compressed)
{
    static const int methods[] = {RICE_1, GZIP_1, GZIP_2, HCOMPRESS_1, PLIO_1};
    static short values[2400];
    for (int i = 0; i < 2400; i++)
        values[i] = (short)i;
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
        long axes[2] = {60, 40};
        char name[16];
        int status = 0;
        fitsfile *out = NULL;
        snprintf(name, sizeof name, "%zu.fz", m);
        fits_create_diskfile(&out, scratch_path(&scratch, name), &status);
        fits_set_compression_type(out, methods[m], &status);
        fits_create_img(out, SHORT_IMG, 2, axes, &status);
        fits_write_img(out, TSHORT, 1, 2400, values, &status);
        cr_assert_eq(status, 0);
        finish(out);
        clump_file *file;
        clump_image *image = scratch_read(&scratch, scratch.path, NULL, &file);
        cr_expect_eq(clump_file_info(file)->pages, 2);
        cr_expect_eq(scratch_pixel(image, 39, 59), 2399);
        cr_expect_eq(scratch_pixel(image, 1, 0), 60);
        clump_file_close(&file);
        clump_image_destroy(&image);
    }
}

Test(fits, compressed_floats_keep_their_blanks)
{
    long axes[2] = {64, 64};
    static float values[4096];
    int status = 0;
    fitsfile *out = NULL;
    for (int i = 0; i < 4096; i++)
        values[i] = i % 7 == 3 ? -9999 : (float)sin(i);
    fits_create_diskfile(&out, scratch_path(&scratch, "float.fz"), &status);
    fits_set_compression_type(out, RICE_1, &status);
    fits_create_img(out, FLOAT_IMG, 2, axes, &status);
    float blank = -9999; /* CFITSIO does not write NaN into compressed images as such */
    fits_write_imgnull(out, TFLOAT, 1, 4096, values, &blank, &status);
    cr_assert_eq(status, 0);
    finish(out);
    clump_image *image = scratch_read(&scratch, scratch.path, NULL, NULL);
    cr_expect(isnan(scratch_pixel(image, 0, 3)));
    cr_expect_float_eq(scratch_pixel(image, 0, 4), sin(4), 0.2);
    clump_image_destroy(&image);
}

Test(fits, extensions_by_number_and_name)
{
    long axes[2] = {2, 2};
    int status = 0, version = 2;
    char path[300];
    char *column[] = {"x"}, *form[] = {"1D"};
    fitsfile *out = create("many.fits", BYTE_IMG, 0, NULL);
    fits_create_tbl(out, BINARY_TBL, 0, 1, column, form, NULL, "CATALOG", &status);
    for (int i = 0; i < 2; i++) {
        fits_create_img(out, SHORT_IMG, 2, axes, &status);
        fits_update_key(out, TSTRING, "EXTNAME", i ? "SCI" : "ERR", NULL, &status);
        fits_update_key(out, TINT, "EXTVER", &version, NULL, &status);
        ramp(out, 4, 100 * i, 1);
    }
    cr_assert_eq(status, 0);
    finish(out);
    static const struct {
        const char *extension;
        double first;
    } cases[] = {{"", 0}, {"[2]", 0}, {"[3]", 100}, {"[SCI]", 100}, {"[sci,2]", 100}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(path, sizeof path, "%s%s", scratch.path, cases[i].extension);
        clump_image *image = scratch_read(&scratch, path, NULL, NULL);
        cr_expect_eq(scratch_pixel(image, 0, 0), cases[i].first, "%s", path);
        clump_image_destroy(&image);
    }
    clump_file *parts = NULL;
    struct clump_file_page page;
    cr_assert_eq(clump_file_open(&scratch.log, scratch.path, NULL, &parts), CLUMP_OK);
    cr_expect_eq(clump_file_info(parts)->pages, 4);
    cr_expect(clump_file_page(parts, 0, &page) == CLUMP_OK && !page.image && !page.dimensions);
    cr_expect(clump_file_page(parts, 1, &page) == CLUMP_OK && !page.image && page.dimensions == 2 &&
              page.axes[1] == 1 && !strcmp(page.name, "CATALOG"));
    cr_expect(clump_file_page(parts, 3, &page) == CLUMP_OK && page.image &&
              page.type == CLUMP_I16 && page.axes[0] == 2 && !strcmp(page.name, "SCI"));
    cr_expect_eq(clump_file_page(parts, 4, &page), CLUMP_ERROR_ARGUMENT);
    clump_image *still = NULL;
    cr_expect_eq(clump_file_read(scratch.context, parts, &still), CLUMP_OK);
    cr_expect_eq(scratch_pixel(still, 0, 0), 0, "reads the first image, whatever was described");
    clump_image_destroy(&still);
    clump_file_close(&parts);
    static const char *const wrong[] = {"[4]", "[-1]", "[0]", "[1]", "[CATALOG]", "[DQ]", "[]"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        clump_file *file = NULL;
        scratch.errors = 0;
        snprintf(path, sizeof path, "%s%s", scratch.path, wrong[i]);
        cr_expect_eq(clump_file_open(&scratch.log, path, NULL, &file), CLUMP_ERROR_FORMAT);
        cr_expect_eq(scratch.errors, 1, "%s", wrong[i]);
        cr_expect(strstr(scratch.line, wrong[i]), "%s", scratch.line);
    }
}

Test(fits, degenerate_axes_are_dropped_and_planes_chosen)
{
    static const struct {
        int naxis;
        long axes[4];
        uint64_t rows, cols, planes, plane;
        double first;
    } cases[] = {
        {4, {5, 4, 1, 1}, 4, 5, 1, 0, 0},  {3, {1, 5, 4}, 4, 5, 1, 0, 0},
        {3, {5, 4, 3}, 4, 5, 3, 2, 40},    {4, {5, 4, 3, 2}, 4, 5, 6, 4, 80},
        {1, {7}, 1, 7, 1, 0, 0},           {2, {1, 7}, 7, 1, 1, 0, 0},
        {3, {7, 1, 1}, 1, 7, 1, 0, 0},     {3, {1, 1, 7}, 7, 1, 1, 0, 0},
        {4, {5, 1, 4, 3}, 4, 5, 3, 1, 20},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char name[16];
        long axes[4], count = 1;
        snprintf(name, sizeof name, "%zu.fits", i);
        for (int k = 0; k < cases[i].naxis; k++)
            count *= axes[k] = cases[i].axes[k];
        fitsfile *out = create(name, FLOAT_IMG, cases[i].naxis, axes);
        ramp(out, count, 0, 1);
        finish(out);
        struct clump_file_params params = clump_file_defaults;
        params.plane = cases[i].plane;
        clump_file *file;
        clump_image *image = scratch_read(&scratch, scratch.path, &params, &file);
        cr_expect_eq(clump_image_rows(image), cases[i].rows, "case %zu", i);
        cr_expect_eq(clump_image_cols(image), cases[i].cols, "case %zu", i);
        cr_expect_eq(clump_file_info(file)->planes, cases[i].planes, "case %zu", i);
        cr_expect_eq(scratch_pixel(image, 0, 0), cases[i].first, "case %zu", i);
        clump_image_destroy(&image);
        clump_file_close(&file);
        params.plane = cases[i].planes;
        cr_expect_eq(clump_file_open(&scratch.log, scratch.path, &params, &file),
                     CLUMP_ERROR_ARGUMENT);
        cr_expect(strstr(scratch.line, "plane"), "%s", scratch.line);
    }
}

Test(fits, float32_on_request)
{
    long axes[2] = {3, 1};
    double values[3] = {1.1, 2, 1e300};
    int status = 0;
    struct clump_file_params params = clump_file_defaults;
    params.float32 = true;
    fitsfile *out = create("double.fits", DOUBLE_IMG, 2, axes);
    fits_write_img(out, TDOUBLE, 1, 2, values, &status);
    finish(out);
    clump_image *image = scratch_read(&scratch, scratch.path, &params, NULL);
    cr_expect_eq(clump_image_type(image), CLUMP_F32);
    cr_expect_eq(scratch_pixel(image, 0, 0), (double)1.1f);
    clump_image_destroy(&image);
}

/* Writes an image of every type, plain and gzipped, and reads the same bytes back. */
Test(fits, every_type_is_written_and_read_back)
{
    uint8_t bytes[6 * 8];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 37 + 1) & 0x3f; /* no NaN among the floats */
    for (int type = CLUMP_U8; type < CLUMP_RGB; type++)
        for (int gz = 0; gz < 2; gz++) {
            clump_image *image = NULL, *back = NULL;
            uint8_t again[6 * 8];
            char name[32];
            snprintf(name, sizeof name, "%d.fits%s", type, gz ? ".gz" : "");
            cr_assert_eq(clump_image_upload(scratch.context, (enum clump_type)type, 2, 3, bytes,
                                            &image),
                         CLUMP_OK);
            cr_assert_eq(clump_file_write(scratch.context, image, scratch_path(&scratch, name),
                                          NULL),
                         CLUMP_OK, "%s", scratch.line);
            back = scratch_read(&scratch, scratch.path, NULL, NULL);
            cr_expect_eq(clump_image_type(back), (enum clump_type)type);
            clump_image_download(back, again);
            cr_expect_arr_eq(again, bytes, 2 * clump_type_row_bytes((enum clump_type)type, 3));
            clump_image_destroy(&image);
            clump_image_destroy(&back);
        }
}

Test(fits, masks_are_bytes_and_colours_planes)
{
    uint32_t words[2] = {5, 2};
    uint8_t colours[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    clump_image *mask = NULL, *rgb = NULL;
    clump_image_upload(scratch.context, CLUMP_BITS, 2, 3, words, &mask);
    clump_image_upload(scratch.context, CLUMP_RGB, 2, 2, colours, &rgb);
    cr_assert_eq(clump_file_write(scratch.context, mask, scratch_path(&scratch, "m.fits"), NULL),
                 CLUMP_OK);
    clump_image *back = scratch_read(&scratch, scratch.path, NULL, NULL);
    static const double wanted[6] = {1, 0, 1, 0, 1, 0};
    for (uint64_t i = 0; i < 6; i++)
        cr_expect_eq(scratch_pixel(back, i / 3, i % 3), wanted[i]);
    clump_image_destroy(&back);
    cr_assert_eq(clump_file_write(scratch.context, rgb, scratch_path(&scratch, "c.fits"), NULL),
                 CLUMP_OK);
    struct clump_file_params params = clump_file_defaults;
    params.plane = 2;
    back = scratch_read(&scratch, scratch.path, &params, NULL);
    cr_expect_eq(scratch_pixel(back, 1, 1), 12);
    clump_image_destroy(&back);
    clump_image_destroy(&mask);
    clump_image_destroy(&rgb);
}

static void add_key(fitsfile *out, const char *card)
{
    int status = 0;
    fits_write_record(out, card, &status);
    cr_assert_eq(status, 0, "%s", card);
}

static bool has(const char *path, const char *key, char value[FLEN_VALUE])
{
    fitsfile *in = NULL;
    int status = 0;
    fits_open_diskfile(&in, path, READONLY, &status);
    fits_read_keyword(in, key, value, NULL, &status);
    int closed = 0;
    fits_close_file(in, &closed);
    return !status;
}

Test(fits, header_of_another_file_is_kept)
{
    static const char *const cards[] = {
        "CTYPE1  = 'STOKES  '",           "CTYPE2  = 'RA---TAN'",
        "CTYPE3  = 'DEC--TAN'",           "CRPIX2  =                  3.0",
        "CRPIX3  =                  2.0", "CRVAL2  =                 10.0",
        "CRVAL3  =                 20.0", "CDELT2  =                -0.01",
        "CDELT3  =                 0.01", "PC001001=                  1.0",
        "PC002003=                  0.5", "BUNIT   = 'JY/BEAM '",
        "OBJECT  = 'M 31    '",           "WCSAXES =                    3",
        "DATAMAX =                  9.0"};
    long axes[3] = {1, 5, 4};
    char value[FLEN_VALUE], from[300];
    fitsfile *out = create("like.fits", FLOAT_IMG, 3, axes);
    for (size_t i = 0; i < sizeof cards / sizeof *cards; i++)
        add_key(out, cards[i]);
    ramp(out, 20, 0, 1);
    add_key(out, "LONGER  = 'a text that goes on to the next card, and so &'");
    add_key(out, "CONTINUE  'on, to its end'");
    finish(out);
    strcpy(from, scratch.path);
    clump_file *like;
    clump_image *image = scratch_read(&scratch, from, NULL, &like);
    cr_expect(clump_file_info(like)->celestial);
    cr_expect_str_eq(clump_file_info(like)->unit, "JY/BEAM");
    struct clump_file_write_params params = {.like = like, .history = "one line\nand another"};
    const char *path = scratch_path(&scratch, "out.fits");
    cr_assert_eq(clump_file_write(scratch.context, image, path, &params), CLUMP_OK);
    cr_expect(has(path, "CTYPE1", value) && !strcmp(value, "'RA---TAN'"), "%s", value);
    cr_expect(has(path, "CTYPE2", value) && !strcmp(value, "'DEC--TAN'"));
    cr_expect(!has(path, "CTYPE3", value));
    cr_expect(has(path, "PC1_2", value));
    cr_expect(!has(path, "PC001001", value) && !has(path, "PC3_3", value));
    cr_expect(has(path, "OBJECT", value) && has(path, "BUNIT", value));
    cr_expect(!has(path, "DATAMAX", value) && !has(path, "WCSAXES", value));
    cr_expect(has(path, "CREATOR", value) && has(path, "HISTORY", value));
    clump_file *again;
    clump_image *back = scratch_read(&scratch, path, NULL, &again);
    double here[2], there[2];
    cr_expect(clump_wcs_sky(like, 1.5, 2.5, &here[0], &here[1]));
    cr_expect(clump_wcs_sky(again, 1.5, 2.5, &there[0], &there[1]));
    cr_expect_float_eq(here[0], there[0], 1e-11);
    cr_expect_float_eq(here[1], there[1], 1e-11);
    int verified = scratch_run(&scratch, "fitsverify %s", path);
    if (verified < 0)
        fprintf(stderr, "SKIPPED: fitsverify is not installed\n");
    else
        cr_expect_eq(verified, 0, "fitsverify finds fault with %s", path);
    clump_image_destroy(&image);
    clump_image_destroy(&back);
    clump_file_close(&like);
    clump_file_close(&again);
}

/* Cuts a good file at every length: each is refused with one line or read whole. */
Test(fits, truncated_anywhere)
{
    static uint8_t bytes[20000];
    long axes[2] = {50, 40};
    fitsfile *out = create("whole.fits", FLOAT_IMG, 2, axes);
    ramp(out, 2000, 0, 1);
    finish(out);
    FILE *in = fopen(scratch.path, "rb");
    size_t length = fread(bytes, 1, sizeof bytes, in);
    fclose(in);
    cr_assert_eq(length, 2880 + 8640);
    for (size_t cut = 0; cut < length; cut += cut < 100 ? 1 : 77) {
        clump_file *file = NULL;
        clump_image *image = NULL;
        scratch.errors = 0;
        const char *path = scratch_file(&scratch, "cut.fits", bytes, cut);
        enum clump_status status = clump_file_open(&scratch.log, path, NULL, &file);
        if (!status)
            status = clump_file_read(scratch.context, file, &image);
        cr_expect_eq(scratch.errors, status ? 1 : 0, "cut at %zu: %s", cut, scratch.line);
        cr_expect(status || cut >= 2880 + 8000, "cut at %zu was read", cut);
        cr_expect(!status || strstr(scratch.line, path), "%s", scratch.line);
        clump_image_destroy(&image);
        clump_file_close(&file);
    }
}

/* CFITSIO divides by these, or writes beyond its memory: found by fuzzing. */
Test(fits, headers_that_would_harm_cfitsio)
{
    static const char *const wrong[] = {"ZTILE1  =                    0",
                                        "ZTILE1  =                  0.5",
                                        "ZTILE1  =                    F",
                                        "ZNAXIS1 =                    0",
                                        "ZVAL2   =            (       2",
                                        ("TTYPE1  =\xdf\xdf\xdf\xdf\xdf\xdf\xdf\xdf\xdf\xdf\xdf"
                                         "\xdf\xdf\xdf\xdf\xdf\xdf\xdf\xdf\xdf\xdf")};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        static uint8_t bytes[40000];
        long axes[2] = {60, 40};
        short values[2400] = {0};
        int status = 0;
        fitsfile *out = NULL;
        clump_file *file = NULL;
        remove(scratch_path(&scratch, "good.fz"));
        fits_create_diskfile(&out, scratch.path, &status);
        fits_set_compression_type(out, RICE_1, &status);
        fits_create_img(out, SHORT_IMG, 2, axes, &status);
        fits_write_img(out, TSHORT, 1, 2400, values, &status);
        cr_assert_eq(status, 0);
        finish(out);
        FILE *in = fopen(scratch.path, "rb");
        size_t length = fread(bytes, 1, sizeof bytes, in);
        fclose(in);
        for (size_t at = 0; at < length; at += 80)
            if (!memcmp(bytes + at, wrong[i], 8))
                memcpy(bytes + at, wrong[i], 30);
        scratch.errors = 0;
        const char *path = scratch_file(&scratch, "wrong.fz", bytes, length);
        cr_expect_eq(clump_file_open(&scratch.log, path, NULL, &file), CLUMP_ERROR_FORMAT);
        cr_expect_eq(scratch.errors, 1);
        cr_expect(strstr(scratch.line, "its header says"), "%s", scratch.line);
    }
}

static void put_card(uint8_t *header, int index, const char *card)
{
    memset(header + 80 * index, ' ', 80);
    memcpy(header + 80 * index, card, strlen(card));
}

Test(fits, absurd_headers)
{
    static const char *const cases[][5] = {
        {"BITPIX  =                  -32", "NAXIS   =                    2",
         "NAXIS1  =           1000000000", "NAXIS2  =           1000000000"},
        {"BITPIX  =                  -64", "NAXIS   =                    2",
         "NAXIS1  =  4000000000000000000", "NAXIS2  =  4000000000000000000"},
        {"BITPIX  =                  -32", "NAXIS   =                    2",
         "NAXIS1  =                    0", "NAXIS2  =                   10"},
        {"BITPIX  =                  -32", "NAXIS   =                    2",
         "NAXIS1  =                   -5", "NAXIS2  =                   10"},
        {"BITPIX  =                   13", "NAXIS   =                    2",
         "NAXIS1  =                   10", "NAXIS2  =                   10"},
        {"BITPIX  =                    8", "NAXIS   =                 1000",
         "NAXIS1  =                   10", "NAXIS2  =                   10"},
        {"BITPIX  =                  -32", "NAXIS   =                    0"},
        {"BITPIX  = 'text    '", "NAXIS   =                    2"},
        {"BITPIX  =                    8", "NAXIS   =                    2",
         "NAXIS1  =                   10", "NAXIS2  =                   10",
         "BSCALE  =                  0.0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static uint8_t header[5760];
        clump_file *file = NULL;
        clump_image *image = NULL;
        int card = 0;
        memset(header, ' ', 2880);
        put_card(header, card++, "SIMPLE  =                    T");
        for (int k = 0; k < 5 && cases[i][k]; k++)
            put_card(header, card++, cases[i][k]);
        put_card(header, card, "END");
        scratch.errors = 0;
        const char *path = scratch_file(&scratch, "absurd.fits", header, sizeof header);
        enum clump_status status = clump_file_open(&scratch.log, path, NULL, &file);
        if (!status)
            status = clump_file_read(scratch.context, file, &image);
        cr_expect(status, "case %zu was read", i);
        cr_expect_eq(scratch.errors, 1, "case %zu", i);
        clump_file_close(&file);
    }
}
