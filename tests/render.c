/* SPDX-License-Identifier: MIT */
/* Pictures: colours worked out by hand, and what is drawn around and over them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>
#include <fitsio.h>

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
    params.colormap = CLUMP_COLORMAP_GREY;
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
        enum clump_stretch stretch;
        double quarter;
    } cases[] = {{CLUMP_STRETCH_LINEAR, 0.25},
                 {CLUMP_STRETCH_SQRT, 0.5},
                 {CLUMP_STRETCH_LOG, 0.79987},
                 {CLUMP_STRETCH_ASINH, 0.54934}};
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
    params.stretch = CLUMP_STRETCH_LOG;
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
    params.origin = CLUMP_ORIGIN_BOTTOM;
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
        enum clump_colormap map;
        uint32_t colours[3];
    } cases[] = {
        {CLUMP_COLORMAP_VIRIDIS, {0x440154, 0x21918c, 0xfde725}},
        {CLUMP_COLORMAP_MAGMA, {0x000004, 0xb73779, 0xfcfdbf}},
        {CLUMP_COLORMAP_INFERNO, {0x000004, 0xbc3754, 0xfcffa4}},
        {CLUMP_COLORMAP_CIVIDIS, {0x00224e, 0x7d7c78, 0xfee838}},
        {CLUMP_COLORMAP_GREY_REVERSED, {0xffffff, 0x808080, 0x000000}},
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

static clump_file *sky_file(void)
{
    static const char *const cards[] = {"CTYPE1  = 'RA---TAN'", "CTYPE2  = 'DEC--TAN'",
                                        "CRPIX1  = 100.0",      "CRPIX2  = 100.0",
                                        "CRVAL1  = 0.0",        "CRVAL2  = 89.9",
                                        "CDELT1  = -0.01",      "CDELT2  = 0.01",
                                        "BUNIT   = 'Jy/beam '"};
    long axes[2] = {200, 200};
    fitsfile *out = NULL;
    clump_file *file = NULL;
    int status = 0;
    fits_create_diskfile(&out, scratch_path(&scratch, "sky.fits"), &status);
    fits_create_img(out, FLOAT_IMG, 2, axes, &status);
    for (size_t i = 0; i < sizeof cards / sizeof *cards; i++)
        fits_write_record(out, cards[i], &status);
    fits_close_file(out, &status);
    cr_assert_eq(status, 0);
    cr_assert_eq(clump_file_open(&scratch.log, scratch.path, NULL, &file), CLUMP_OK);
    return file;
}

static uint64_t different(const uint8_t *a, const uint8_t *b, uint64_t count)
{
    uint64_t found = 0;
    for (uint64_t i = 0; i < count; i++)
        found += a[i] != b[i];
    return found;
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
    params.origin = CLUMP_ORIGIN_BOTTOM;
    params.flip = true;
    draw_floats(values, 100, 100, &params);
    cr_expect(red(99 - (uint64_t)lround(a_row), 99 - (uint64_t)lround(a_col)) > 150);
}

Test(render, what_is_refused)
{
    static const float value[4] = {0};
    clump_image *image = NULL, *picture = NULL;
    cr_assert_eq(clump_image_upload(scratch.context, CLUMP_F32, 2, 2, value, &image), CLUMP_OK);
    struct clump_render_params wrong[6];
    for (int i = 0; i < 6; i++)
        wrong[i] = plain();
    wrong[0].low = 2;
    wrong[1].rows = 3;
    wrong[2].col = 2;
    wrong[3].low_percentile = 99.9;
    wrong[4].zoom = 1000;
    wrong[5].high = INFINITY;
    for (int i = 0; i < 6; i++) {
        scratch.errors = 0;
        cr_expect_eq(clump_render(scratch.context, image, &wrong[i], &picture),
                     CLUMP_ERROR_ARGUMENT, "case %d", i);
        cr_expect_eq(scratch.errors, 1);
    }
    clump_image_destroy(&image);
}
