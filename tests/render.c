/* SPDX-License-Identifier: MIT */
/* Pictures: colours worked out by hand, and what is drawn around and over them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>
#include <fitsio.h>

#include <clump/wcs.h>

#include "scratch.h"

static struct scratch scratch;
static uint8_t *colours;
static uint64_t rows, cols;

static void begin(void) { scratch_begin(&scratch); }

static void end(void)
{
    free(colours);
    scratch_end(&scratch);
}

TestSuite(render, .init = begin, .fini = end);

static struct clump_render_params plain(void)
{
    struct clump_render_params params = clump_render_defaults;
    params.colormap = CLUMP_RENDER_COLORMAP_GREY;
    params.zoom = 1;
    params.low = 0;
    params.high = 1;
    return params;
}

/* Draws and keeps the bytes in `colours`. */
static void draw(const clump_image *image, const struct clump_render_params *params)
{
    clump_image *picture = NULL;
    cr_assert_eq(clump_render(scratch.context, image, params, &picture), CLUMP_OK, "%s",
                 scratch.line);
    cr_assert_eq(clump_image_type(picture), CLUMP_RGB);
    rows = clump_image_rows(picture);
    cols = clump_image_cols(picture);
    free(colours);
    colours = malloc(rows * cols * 3);
    cr_assert(colours && clump_image_download(picture, colours) == CLUMP_OK);
    clump_image_destroy(&picture);
}

static void draw_floats(const float *values, uint64_t high, uint64_t wide,
                        const struct clump_render_params *params)
{
    clump_image *image = NULL;
    cr_assert_eq(clump_image_upload(scratch.context, CLUMP_F32, high, wide, values, &image),
                 CLUMP_OK);
    draw(image, params);
    clump_image_destroy(&image);
}

static int red(uint64_t row, uint64_t col) { return colours[(row * cols + col) * 3]; }

Test(render, stretches)
{
    static const float values[5] = {-1, 0, 0.25f, 1, 2};
    static const struct {
        enum clump_render_stretch stretch;
        double quarter;
    } cases[] = {{CLUMP_RENDER_STRETCH_LINEAR, 0.25},    {CLUMP_RENDER_STRETCH_SQRT, 0.5},
                 {CLUMP_RENDER_STRETCH_LOG, 0.79987},    {CLUMP_RENDER_STRETCH_ASINH, 0.54934},
                 {CLUMP_RENDER_STRETCH_SQUARED, 0.0625}, {CLUMP_RENDER_STRETCH_SINH, 0.08208}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct clump_render_params params = plain();
        params.stretch = cases[i].stretch;
        draw_floats(values, 1, 5, &params);
        cr_assert(rows == 1 && cols == 5);
        cr_expect_eq(red(0, 0), 0);
        cr_expect_eq(red(0, 1), 0);
        cr_expect_eq(red(0, 2), (int)lround(255 * cases[i].quarter), "stretch %zu: %d", i,
                     red(0, 2));
        cr_expect_eq(red(0, 3), 255);
        cr_expect_eq(red(0, 4), 255);
    }
    struct clump_render_params params = plain();
    params.stretch = CLUMP_RENDER_STRETCH_LOGNORM;
    params.low = 0.01;
    static const float tenth[1] = {0.1f};
    draw_floats(tenth, 1, 1, &params);
    cr_expect_eq(red(0, 0), 128, "half-way from 0.01 to 1, as LogNorm has it: %d", red(0, 0));
}

Test(render, percentiles_flip_origin_crop_and_zoom)
{
    static float values[101];
    struct clump_render_params params = plain();
    for (int i = 0; i < 101; i++)
        values[i] = (float)i;
    params.low = params.high = NAN;
    params.low_percentile = 10;
    params.high_percentile = 90;
    draw_floats(values, 1, 101, &params);
    cr_expect(red(0, 10) == 0 && red(0, 11) > 0 && red(0, 90) == 255 && red(0, 89) < 255);
    params.flip = true;
    draw_floats(values, 1, 101, &params);
    cr_expect(red(0, 90) == 0 && red(0, 89) > 0);
    params = plain();
    params.high = 100;
    params.row = 40;
    params.rows = 20;
    params.origin = CLUMP_RENDER_ORIGIN_BOTTOM;
    params.zoom = 3;
    draw_floats(values, 101, 1, &params);
    cr_assert(rows == 60 && cols == 3);
    cr_expect_eq(red(59, 0), (int)lround(255 * 0.40));
    cr_expect_eq(red(57, 2), (int)lround(255 * 0.40));
    cr_expect_eq(red(0, 1), (int)lround(255 * 0.59));
    params = plain();
    params.high = 100;
    params.zoom = 0.5;
    draw_floats(values, 1, 100, &params);
    cr_assert(rows == 1 && cols == 50);
    cr_expect_eq(red(0, 20), (int)lround(255 * 0.405), "the mean of 40 and 41: %d", red(0, 20));
}

/* The lesson's first image: nearly all pixels are 0, so that both percentiles are. */
Test(render, percentiles_that_collapse_give_way_to_the_extremes)
{
    static float deltas[64 * 64];
    struct clump_render_params params = plain();
    for (int i = 0; i < 64 * 64; i++)
        deltas[i] = i / 64 % 16 == 8 && i % 16 == 8;
    params.low = params.high = NAN;
    draw_floats(deltas, 64, 64, &params);
    cr_expect(red(0, 0) == 0 && red(8, 8) == 255, "%d and %d", red(0, 0), red(8, 8));
    params.limits = CLUMP_RENDER_LIMITS_MINMAX;
    deltas[5] = -1;
    draw_floats(deltas, 64, 64, &params);
    cr_expect(red(0, 5) == 0 && red(0, 0) == 128 && red(8, 8) == 255);
}

/*
 * Limits by astropy 5.2.1's ZScaleInterval().get_limits of the same pixels:
 * i = arange(4096); v = (i * 7919 % 10007 / 10007)**3 * 40 + where(i % 97 == 0, 5000, 0)
 * as float32, 64 x 64; and of the first 700 of them, the others NaN.
 */
Test(render, zscale_is_astropys)
{
    static const double limits[2][2] = {{1.711403569970571e-06, 74.92088380450944},
                                        {2.9098849552156025e-08, 72.8538331142763}};
    static float values[64 * 64];
    for (int part = 0; part < 2; part++) {
        struct clump_render_params params = plain();
        for (int i = 0; i < 64 * 64; i++) {
            double t = i * 7919 % 10007 / 10007.0;
            values[i] = part && i >= 700 ? NAN : (float)(t * t * t * 40 + (i % 97 ? 0 : 5000));
        }
        params.low = limits[part][0];
        params.high = limits[part][1];
        draw_floats(values, 64, 64, &params);
        static uint8_t expected[64 * 64 * 3];
        memcpy(expected, colours, sizeof expected);
        params.low = params.high = NAN;
        params.limits = CLUMP_RENDER_LIMITS_ZSCALE;
        draw_floats(values, 64, 64, &params);
        cr_expect_arr_eq(colours, expected, sizeof expected, "part %d", part);
    }
}

Test(render, labels_have_the_colours_of_label2rgb)
{
    static const int32_t labels[3][4] = {{0, 0, 1, 1}, {0, 0, 1, 1}, {2, 2, 2, 2}};
    static const int32_t numbers[3][4] = {{0, 9, 1, 3}, {5, 0, 1, 8}, {2, 7, 2, 4}};
    struct clump_render_params params = plain();
    clump_image *image = NULL, *other = NULL;
    cr_assert_eq(clump_image_upload(scratch.context, CLUMP_I32, 3, 4, labels, &image), CLUMP_OK);
    cr_assert_eq(clump_image_upload(scratch.context, CLUMP_I32, 3, 4, numbers, &other), CLUMP_OK);
    params.colormap = CLUMP_RENDER_COLORMAP_AUTO;
    draw(image, &params);
    static const uint8_t expected[] = {0, 0, 0, 255, 0, 0, 0, 0, 255};
    cr_expect_arr_eq(colours, expected, 3);
    cr_expect_arr_eq(colours + 6, expected + 3, 3);
    cr_expect_arr_eq(colours + 24, expected + 6, 3);
    draw(other, &params);
    for (int i = 0; i < 12; i++)
        cr_expect(colours[3 * i] == colours[3 * i + 1], "neighbours differ, so it is grey");
    params.colormap = CLUMP_RENDER_COLORMAP_LABELS;
    draw(other, &params);
    cr_expect_arr_eq(colours + 6, expected + 3, 3);
    clump_image_destroy(&image);
    clump_image_destroy(&other);
}

Test(render, blank_pixels_and_constant_images)
{
    static const float blanks[2] = {NAN, 0}, same[2] = {7, 7}, none[2] = {NAN, NAN};
    struct clump_render_params params = plain();
    draw_floats(blanks, 1, 2, &params);
    cr_expect(red(0, 0) != red(0, 1), "blank looks like nought");
    params = clump_render_defaults;
    params.zoom = 1;
    draw_floats(same, 1, 2, &params);
    cr_expect(red(0, 0) > 100 && red(0, 0) < 155, "a constant image is neither black nor white");
    draw_floats(none, 1, 2, &params);
    cr_expect_eq(red(0, 0), red(0, 1));
}

/* The ends and the middle of the maps, from Matplotlib:
 * python3 -c "import matplotlib as m; print([m.colors.to_hex(m.colormaps['viridis'](x)) ...])" */
Test(render, colour_maps)
{
    static const float values[3] = {0, 0.5f, 1};
    static const struct {
        enum clump_render_colormap map;
        uint32_t colours[3];
    } cases[] = {
        {CLUMP_RENDER_COLORMAP_VIRIDIS, {0x440154, 0x21918c, 0xfde725}},
        {CLUMP_RENDER_COLORMAP_MAGMA, {0x000004, 0xb73779, 0xfcfdbf}},
        {CLUMP_RENDER_COLORMAP_INFERNO, {0x000004, 0xbc3754, 0xfcffa4}},
        {CLUMP_RENDER_COLORMAP_CIVIDIS, {0x00224e, 0x7d7c78, 0xfee838}},
        {CLUMP_RENDER_COLORMAP_GREY_REVERSED, {0xffffff, 0x808080, 0x000000}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct clump_render_params params = plain();
        params.colormap = cases[i].map;
        draw_floats(values, 1, 3, &params);
        for (int k = 0; k < 9; k++)
            cr_expect(abs(colours[k] -
                          (int)(cases[i].colours[k / 3] >> (16 - 8 * (k % 3)) & 255)) <= 2,
                      "map %zu, byte %d: %d", i, k, colours[k]);
    }
}

Test(render, every_type)
{
    static const uint8_t bytes[16 * 3] = {1, 1, 1, 1};
    for (int type = 0; type < CLUMP_TYPE_COUNT; type++) {
        clump_image *image = NULL;
        cr_assert_eq(clump_image_upload(scratch.context, (enum clump_type)type, 1, 2, bytes,
                                        &image),
                     CLUMP_OK);
        draw(image, NULL);
        cr_expect(cols == 32 && rows == 16, "small images are magnified");
        clump_image_destroy(&image);
    }
}

static clump_file *header_file(const char *const *cards, size_t count, long wide, long high)
{
    long axes[2] = {wide, high};
    fitsfile *out = NULL;
    clump_file *file = NULL;
    int status = 0;
    remove(scratch_path(&scratch, "sky.fits"));
    fits_create_diskfile(&out, scratch.path, &status);
    fits_create_img(out, FLOAT_IMG, 2, axes, &status);
    for (size_t i = 0; i < count; i++)
        fits_write_record(out, cards[i], &status);
    fits_close_file(out, &status);
    cr_assert_eq(status, 0);
    cr_assert_eq(clump_file_open(&scratch.log, scratch.path, NULL, &file), CLUMP_OK);
    return file;
}

static clump_file *sky_file(void)
{
    static const char *const cards[] = {"CTYPE1  = 'RA---TAN'", "CTYPE2  = 'DEC--TAN'",
                                        "CRPIX1  = 100.0",      "CRPIX2  = 100.0",
                                        "CRVAL1  = 0.0",        "CRVAL2  = 89.9",
                                        "CDELT1  = -0.01",      "CDELT2  = 0.01",
                                        "BUNIT   = 'Jy/beam '"};
    return header_file(cards, sizeof cards / sizeof *cards, 200, 200);
}

static uint64_t different(const uint8_t *a, const uint8_t *b, uint64_t count)
{
    uint64_t found = 0;
    for (uint64_t i = 0; i < count; i++)
        found += a[i] != b[i];
    return found;
}

/* How many of the pixels around a place of the picture belong to a line of the grid. */
static int lines_near(double x, double y)
{
    int found = 0;
    for (int i = -2; i <= 2; i++)
        for (int k = -2; k <= 2; k++) {
            uint64_t at = ((uint64_t)(y + i) * cols + (uint64_t)(x + k)) * 3;
            found += colours[at + 2] > colours[at] + 60;
        }
    return found;
}

/*
 * A parallel of an all-sky map ends at the seam. A stroke from one end to the other would run
 * through the middle of the picture at the height of the ends, where no line belongs.
 */
Test(render, an_all_sky_grid_has_no_chords)
{
    static const char *const cards[] = {"CTYPE1  = 'RA---AIT'", "CTYPE2  = 'DEC--AIT'",
                                        "CRPIX1  = 100.5",      "CRPIX2  = 50.5",
                                        "CRVAL1  = 40.0",       "CRVAL2  = 0.0",
                                        "CDELT1  = -1.8",       "CDELT2  = 1.8"};
    clump_file *file = header_file(cards, sizeof cards / sizeof *cards, 200, 100);
    struct clump_render_params params = clump_render_defaults;
    clump_image *image = NULL;
    cr_assert_eq(clump_file_read(scratch.context, file, &image), CLUMP_OK);
    params.file = file;
    params.grid = true;
    params.zoom = 4;
    draw(image, &params);
    double left = (double)cols - 800 - 34, row, col, end_row, end_col;
    for (int dec = -30; dec <= 30; dec += 60) {
        cr_assert(clump_wcs_pixel(file, 40, dec, &row, &col));
        cr_assert(clump_wcs_pixel(file, 40 + 179.9, dec, &end_row, &end_col));
        cr_assert(fabs(end_row - row) > 4, "the parallel is bent");
        double x = left + (col + 0.5) * 4 - 30; /* beside the names, which stand on the right */
        cr_expect(lines_near(x, 14 + 400 - (row + 0.5) * 4) > 0, "the parallel %d", dec);
        cr_expect_eq(lines_near(x, 14 + 400 - (end_row + 0.5) * 4), 0, "a chord at %d", dec);
    }
    clump_image_destroy(&image);
    clump_file_close(&file);
}

/* Cards of a map of the whole sky. */
static clump_file *all_sky(const char *projection, double ra, double dec, double step, long wide,
                           long high)
{
    char texts[8][81];
    const char *cards[8];
    snprintf(texts[0], 81, "CTYPE1  = 'RA---%s'", projection);
    snprintf(texts[1], 81, "CTYPE2  = 'DEC--%s'", projection);
    snprintf(texts[2], 81, "CRPIX1  = %.1f", (double)wide / 2 + 0.5);
    snprintf(texts[3], 81, "CRPIX2  = %.1f", (double)high / 2 + 0.5);
    snprintf(texts[4], 81, "CRVAL1  = %.1f", ra);
    snprintf(texts[5], 81, "CRVAL2  = %.1f", dec);
    snprintf(texts[6], 81, "CDELT1  = %.3f", -step);
    snprintf(texts[7], 81, "CDELT2  = %.3f", step);
    for (int i = 0; i < 8; i++)
        cards[i] = texts[i];
    return header_file(cards, 8, wide, high);
}

#define ZOOM 4

/* Draws the grid of a map of ZOOM times its size. */
static void draw_grid(clump_file *file)
{
    struct clump_render_params params = clump_render_defaults;
    clump_image *image = NULL;
    cr_assert_eq(clump_file_read(scratch.context, file, &image), CLUMP_OK);
    params.file = file;
    params.grid = true;
    params.zoom = ZOOM;
    draw(image, &params);
    cr_expect_eq(clump_render_write(scratch.context, image, &params,
                                    scratch_path(&scratch, "grid.svg"), true),
                 CLUMP_OK);
    clump_image_destroy(&image);
}

/* Whether a line of the grid goes through a place of the sky. */
static bool has_line(const clump_file *file, double ra, double dec)
{
    const struct clump_file_info *info = clump_file_info(file);
    double row, col, left = (double)cols - (double)info->cols * ZOOM - 34;
    cr_assert(clump_wcs_pixel(file, ra, dec, &row, &col));
    return lines_near(left + (col + 0.5) * ZOOM,
                      14 + (double)info->rows * ZOOM - (row + 0.5) * ZOOM) > 0;
}

/* No letter of the drawing stands where another one does. */
static void expect_no_overprint(void)
{
    static struct {
        double x, y;
    } letters[512];
    int count = 0;
    char line[4096];
    FILE *in = fopen(scratch.path, "r");
    cr_assert(in);
    while (fgets(line, sizeof line, in)) {
        const char *use = strstr(line, "<use "), *x = use ? strstr(use, " x=\"") : NULL;
        const char *y = x ? strstr(x, " y=\"") : NULL;
        if (!y || count == 512)
            continue;
        letters[count].x = atof(x + 4);
        letters[count++].y = atof(y + 4);
    }
    fclose(in);
    cr_expect(count >= 10, "%d letters", count);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < i; k++)
            cr_expect(hypot(letters[i].x - letters[k].x, letters[i].y - letters[k].y) > 2.5,
                      "two letters at %g, %g", letters[i].x, letters[i].y);
}

Test(render, a_seam_is_drawn_on_both_sides)
{
    static const char *const projections[] = {"AIT", "MOL"};
    for (int i = 0; i < 2; i++) {
        clump_file *file = all_sky(projections[i], 0, 0, 1.8, 200, 100);
        draw_grid(file);
        for (double dec = -50; dec <= 50; dec += 20) {
            cr_expect(has_line(file, 180 - 1e-3, dec), "%s, east at %g", projections[i], dec);
            cr_expect(has_line(file, 180 + 1e-3, dec), "%s, west at %g", projections[i], dec);
        }
        for (double ra = -179.5; ra < 180; ra += 359)
            cr_expect(has_line(file, ra, 30), "%s: the parallel ends at %g", projections[i], ra);
        cr_expect(!has_line(file, 45, 15));
        expect_no_overprint();
        clump_file_close(&file);
    }
}

Test(render, a_grid_round_a_pole)
{
    static const char *const projections[] = {"ZEA", "ARC"};
    for (int i = 0; i < 2; i++) {
        clump_file *file = all_sky(projections[i], 0, 90, i ? 1.9 : 1.2, 200, 200);
        draw_grid(file);
        for (double ra = 2; ra < 360; ra += 10) {
            cr_expect(has_line(file, ra, 30), "%s: the ring has a gap at %g", projections[i], ra);
            cr_expect(has_line(file, ra, 0), "%s: the equator has a gap at %g", projections[i], ra);
        }
        for (double ra = 0; ra < 360; ra += 90)
            cr_expect(has_line(file, ra, 45), "%s: no meridian %g", projections[i], ra);
        for (double ra = 30; ra < 360; ra += 90)
            cr_expect(!has_line(file, ra, 15), "%s: a line at %g", projections[i], ra);
        expect_no_overprint();
        clump_file_close(&file);
    }
}

/* A sphere from afar: lines reach its rim. */
Test(render, lines_end_at_the_horizon)
{
    clump_file *file = all_sky("SIN", 40, 50, 0.6, 200, 200);
    draw_grid(file);
    for (double ra = -178; ra <= 178; ra += 4) {
        double row, col;
        if (clump_wcs_pixel(file, 40 + ra, 30, &row, &col))
            cr_expect(has_line(file, 40 + ra, 30), "a gap at %g", 40 + ra);
    }
    clump_file_close(&file);
}

Test(render, drawings_as_pdf_and_svg)
{
    static const char *const names[] = {"a.pdf", "a.svg"}, *const heads[] = {"%PDF-", "<?xml"};
    static const float values[4] = {0, 1, 2, 3};
    clump_image *image = NULL;
    cr_assert_eq(clump_image_upload(scratch.context, CLUMP_F32, 2, 2, values, &image), CLUMP_OK);
    for (int i = 0; i < 2; i++) {
        char head[6] = "";
        const char *path = scratch_path(&scratch, names[i]);
        cr_assert_eq(clump_render_write(scratch.context, image, NULL, path, false), CLUMP_OK);
        FILE *in = fopen(path, "rb");
        cr_assert(in && fread(head, 1, 5, in) == 5);
        fclose(in);
        cr_expect_str_eq(head, heads[i]);
        cr_expect_eq(clump_render_write(scratch.context, image, NULL, path, false),
                     CLUMP_ERROR_FILE, "an existing file is kept");
        cr_expect_eq(clump_render_write(scratch.context, image, NULL, path, true), CLUMP_OK);
    }
    cr_expect_eq(clump_render_write(scratch.context, image, NULL, scratch_path(&scratch, "a.png"),
                                    false),
                 CLUMP_ERROR_ARGUMENT);
    clump_image_destroy(&image);
}

/* A field around the celestial pole: all right ascensions at once. */
Test(render, grid_bar_and_title_are_drawn)
{
    clump_file *file = sky_file();
    clump_image *image = NULL;
    struct clump_render_params params = clump_render_defaults;
    cr_assert_eq(clump_file_read(scratch.context, file, &image), CLUMP_OK);
    params.file = file;
    params.title = "the pole";
    params.zoom = 2;
    draw(image, &params);
    uint64_t without = cols, count = rows * cols * 3;
    uint8_t *before = malloc(count);
    memcpy(before, colours, count);
    draw(image, &params);
    cr_expect_eq(different(before, colours, count), 0, "the same picture twice");
    params.title = "The pole";
    draw(image, &params);
    cr_expect(different(before, colours, count) > 10, "another title");
    free(before);
    params.bar = true;
    draw(image, &params);
    cr_expect(cols > without);
    params.grid = true;
    draw(image, &params);
    uint64_t blue = 0;
    for (uint64_t i = 0; i < rows * cols; i++)
        blue += colours[3 * i + 2] > colours[3 * i] + 60;
    cr_expect(blue > 1500, "%d pixels of grid lines", (int)blue);
    clump_image_destroy(&image);
    clump_file_close(&file);
}

/* How many ticks a colour bar has: lines that begin at its frame, the last long dark column. */
static int count_ticks(void)
{
    uint64_t frame = 0;
    int ticks = 0;
    for (uint64_t col = 0; col < cols; col++) {
        uint64_t dark = 0;
        for (uint64_t row = 0; row < rows; row++)
            dark += red(row, col) < 160;
        frame = dark > rows / 2 ? col : frame;
    }
    for (uint64_t row = 1; row < rows; row++)
        ticks += red(row, frame + 3) < 200 && red(row - 1, frame + 3) >= 200;
    return ticks;
}

Test(render, a_bar_has_two_ticks_or_more)
{
    static const double ends[][2] = {{-0.98, 0.98}, {0.1, 0.9}, {2, 9.9}, {-1, 1}, {1e9, 1.3e9}};
    static float values[180 * 360];
    struct clump_render_params params = plain();
    params.bar = true;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        params.low = ends[i][0];
        params.high = ends[i][1];
        draw_floats(values, 180, 360, &params);
        cr_expect(count_ticks() >= 2, "%g to %g: %d", params.low, params.high, count_ticks());
    }
}

Test(render, marks_lie_where_they_should)
{
    static float values[100 * 100];
    static const struct clump_mark mark = {20, 70, 12, 6, 0.5, -1};
    struct clump_render_params params = plain();
    double a_row = 20 + 12 * sin(0.5), a_col = 70 + 12 * cos(0.5);
    params.marks = &mark;
    params.mark_count = 1;
    draw_floats(values, 100, 100, &params);
    cr_expect(red((uint64_t)lround(a_row), (uint64_t)lround(a_col)) > 150);
    cr_expect_eq(red(20, 70), 0);
    params.origin = CLUMP_RENDER_ORIGIN_BOTTOM;
    params.flip = true;
    draw_floats(values, 100, 100, &params);
    cr_expect(red(99 - (uint64_t)lround(a_row), 99 - (uint64_t)lround(a_col)) > 150);
}

Test(render, what_is_refused)
{
    static const float value[4] = {0};
    clump_image *image = NULL, *picture = NULL;
    cr_assert_eq(clump_image_upload(scratch.context, CLUMP_F32, 2, 2, value, &image), CLUMP_OK);
    struct clump_render_params wrong[7];
    for (int i = 0; i < 7; i++)
        wrong[i] = plain();
    wrong[0].low = 2;
    wrong[1].rows = 3;
    wrong[2].col = 2;
    wrong[3].low_percentile = 99.9;
    wrong[4].zoom = 1000;
    wrong[5].high = INFINITY;
    wrong[6].stretch = CLUMP_RENDER_STRETCH_LOGNORM; /* from 0 */
    for (int i = 0; i < 7; i++) {
        scratch.errors = 0;
        cr_expect_eq(clump_render(scratch.context, image, &wrong[i], &picture),
                     CLUMP_ERROR_ARGUMENT, "case %d", i);
        cr_expect_eq(scratch.errors, 1);
    }
    clump_image_destroy(&image);
}
