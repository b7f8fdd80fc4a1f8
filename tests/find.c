/* SPDX-License-Identifier: MIT */
/* Find: hand-made fields whose sources are known, and what is refused. */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <clump/find.h>

#define ROWS 40
#define COLS 50

/* Runs a check on the reference and on the device under test. */
static void on_devices(void (*check)(clump_context *))
{
    static const char *const devices[] = {"reference", NULL};
    for (size_t d = 0; d < sizeof devices / sizeof *devices; d++) {
        clump_context *context = open_context(devices[d], NULL);
        check(context);
        clump_context_destroy(&context);
    }
}

/* A background of level - 1 and level + 1 in turn: median `level`, standard deviation 1. */
static void fill(float *pixels, float level)
{
    for (int i = 0; i < ROWS * COLS; i++)
        pixels[i] = level + (i % 2 ? 1.0f : -1.0f);
}

/* Three sources: 2 x 2 at (3,4), one pixel at (20,30), two pixels that touch at a corner. */
static void put_sources(float *pixels)
{
    pixels[3 * COLS + 4] = 100;
    pixels[3 * COLS + 5] = 200;
    pixels[4 * COLS + 4] = 300;
    pixels[4 * COLS + 5] = 400;
    pixels[20 * COLS + 30] = 5000;
    pixels[30 * COLS + 10] = 60;
    pixels[31 * COLS + 11] = 70;
}

static void check_known_field(clump_context *context)
{
    float pixels[ROWS * COLS];
    struct clump_find_result found;
    fill(pixels, 0);
    put_sources(pixels);
    clump_image *image = upload(context, CLUMP_F32, ROWS, COLS, pixels);
    ok(clump_find(context, image, NULL, NULL, &found));
    cr_assert_eq(found.count, 4);
    cr_assert_eq(found.clip.kept, ROWS * COLS - 7);
    cr_assert_eq(found.clip.before.count, ROWS * COLS);
    cr_assert_eq(found.clip.before.max, 5000);
    cr_assert_eq(found.clip.after.max, 1);
    cr_assert_float_eq(found.clip.after.std, 1, 1e-5); /* the sources took a few of each sign */
    cr_assert_float_eq(found.threshold, found.clip.after.median + 5 * found.clip.after.std, 0);

    const struct clump_region *r = &found.regions[0];
    const double level = found.clip.after.median; /* 1 or -1 */
    cr_assert_eq(found.level, level);
    cr_assert_eq(r->label, 1);
    cr_assert_eq(r->area, 4);
    cr_assert_eq(r->sum, 1000 - 4 * level);
    cr_assert_eq(r->max, 400 - level);
    cr_assert_eq(r->peak_row, 4);
    cr_assert_eq(r->peak_col, 5);
    cr_assert_float_eq(r->weighted_row, 3 + (700 - 2 * level) / (1000 - 4 * level), 1e-12);
    cr_assert_float_eq(r->weighted_col, 4 + (600 - 2 * level) / (1000 - 4 * level), 1e-12);
    cr_assert_eq(r->row_min, 3);
    cr_assert_eq(r->row_max, 5);
    cr_assert_eq(found.regions[1].sum, 5000 - level);
    cr_assert_eq(found.regions[1].weighted_row, 20);
    cr_assert_eq(found.regions[1].weighted_col, 30);
    clump_find_release(&found);
    cr_assert_null(found.regions);
    clump_find_release(&found);
    clump_image_destroy(&image);
}

Test(find, known_sources_are_found, .timeout = 60) { on_devices(check_known_field); }

/* theta turns from x towards y (rows), and does not jump where both moments are equal. */
Test(find, theta_of_diagonals)
{
    static const struct {
        double rr, rc, cc, theta;
    } cases[] = {{2, 2, 2, 0.78539816339744830962},
                 {2, -2, 2, -0.78539816339744830962},
                 {2, 1, 2, 0.78539816339744830962},
                 {1, 0, 3, 0},
                 {3, 0, 1, 1.57079632679489661923}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct clump_region region = {.label = 1,
                                      .area = 5,
                                      .sum = 5,
                                      .weighted_rr = cases[i].rr,
                                      .weighted_rc = cases[i].rc,
                                      .weighted_cc = cases[i].cc};
        struct clump_find_result result = {.regions = &region, .count = 1};
        clump_catalog *catalog = NULL;
        ok(clump_find_catalog(NULL, &result, NULL, &catalog));
        for (size_t c = 0; c < clump_catalog_columns(catalog); c++) {
            const struct clump_column *column = clump_catalog_column(catalog, c);
            if (!strcmp(column->name, "theta"))
                cr_expect_eq(*(const double *)column->values, cases[i].theta, "case %zu", i);
        }
        clump_catalog_destroy(&catalog);
    }
}

static void check_area(clump_context *context)
{
    float pixels[ROWS * COLS];
    int32_t labels[ROWS * COLS];
    struct clump_find_result found;
    struct clump_find_params params = clump_find_defaults;
    clump_image *numbers = NULL;
    fill(pixels, 40);
    put_sources(pixels);
    clump_image *image = upload(context, CLUMP_F32, ROWS, COLS, pixels);
    params.connectivity = 8;
    params.min_area = 2;
    ok(clump_find(context, image, &params, &numbers, &found));
    cr_assert_eq(found.count, 2, "one pixel is less than an area of 2");
    cr_assert_eq(found.regions[1].label, 2);
    ok(clump_image_download(numbers, labels));
    cr_assert_eq(labels[20 * COLS + 30], 0);
    cr_assert_eq(labels[30 * COLS + 10], 2);
    clump_image_destroy(&numbers);
    clump_find_release(&found);
    clump_image_destroy(&image);
}

Test(find, small_sources_are_left_out, .timeout = 60) { on_devices(check_area); }

static void check_options(clump_context *context)
{
    float pixels[ROWS * COLS];
    int32_t labels[ROWS * COLS];
    struct clump_find_result found;
    struct clump_find_params params = clump_find_defaults;
    clump_image *numbers = NULL;
    fill(pixels, 40);
    put_sources(pixels);
    clump_image *image = upload(context, CLUMP_F32, ROWS, COLS, pixels);

    params.connectivity = 8;
    ok(clump_find(context, image, &params, &numbers, &found));
    cr_assert_eq(found.count, 3, "the corner joins two pixels when 8 neighbours count");
    ok(clump_image_download(numbers, labels));
    for (int i = 0; i < ROWS * COLS; i++)
        cr_assert_eq(labels[i], pixels[i] < 50 ? 0 : i < 10 * COLS ? 1 : i < 25 * COLS ? 2 : 3);
    clump_image_destroy(&numbers);
    clump_find_release(&found);

    params = clump_find_defaults;
    params.level = CLUMP_FIND_LEVEL_ZERO;
    ok(clump_find(context, image, &params, NULL, &found));
    cr_assert_float_eq(found.threshold, 5 * found.clip.after.std, 0);
    cr_assert_eq(found.count, 1, "everything stands above 5 sigma of zero");
    cr_assert_eq(found.regions[0].area, ROWS * COLS);
    clump_find_release(&found);
    clump_image_destroy(&image);
}

Test(find, options_mean_what_they_say, .timeout = 60) { on_devices(check_options); }

/* A sky of `level` with noise of 1 and a source of 10, 20, 30 and 40 above it, in any type. */
static clump_image *pedestal(clump_context *context, enum clump_type type, double level)
{
    static double room[ROWS * COLS];
    for (int i = 0; i < ROWS * COLS; i++) {
        int row = i / COLS, col = i % COLS;
        bool on = (row == 3 || row == 4) && (col == 4 || col == 5);
        double value = level + (on ? 10.0 * (2 * (row - 3) + col - 3) : i % 2 ? 1 : -1);
        if (type == CLUMP_U16)
            ((uint16_t *)room)[i] = (uint16_t)value;
        else if (type == CLUMP_F32)
            ((float *)room)[i] = (float)value;
        else
            room[i] = value;
    }
    clump_image *image = NULL;
    ok(clump_image_upload(context, type, ROWS, COLS, room, &image));
    return image;
}

/* What is measured does not know how high the sky was: sum 100, and the centre of 10, 20, 30, 40.
 */
static void check_above(clump_context *context, enum clump_type type, double level)
{
    struct clump_find_result found;
    struct clump_find_params params = clump_find_defaults;
    clump_image *image = pedestal(context, type, level);
    ok(clump_find(context, image, NULL, NULL, &found));
    cr_assert_eq(found.count, 1);
    cr_assert(found.subtracted && fabs(found.level - level) <= 1, "%g", found.level);
    /* the median is one of two values: the source took as many of each sign */
    double off = found.level - level;
    const struct clump_region *r = &found.regions[0];
    double sum = 100 - 4 * off;
    cr_expect_float_eq(r->sum, sum, 1e-9 * fabs(level), "level %g: %.17g", level, r->sum);
    cr_expect_float_eq(r->mean, sum / 4, 1e-9 * fabs(level));
    cr_expect_float_eq(r->max, 40 - off, 1e-9 * fabs(level));
    cr_expect_float_eq(r->min, 10 - off, 1e-9 * fabs(level));
    cr_expect_float_eq(r->weighted_row, 3 + (70 - 2 * off) / sum, 1e-10 * fabs(level));
    cr_expect_float_eq(r->weighted_col, 4 + (60 - 2 * off) / sum, 1e-10 * fabs(level));
    cr_expect_float_eq(r->std, sqrt(125), 1e-9 * fabs(level));
    cr_expect(!(r->flags & CLUMP_REGION_NEGATIVE), "a sky below zero is no reason");
    clump_find_release(&found);

    params.subtract = false;
    ok(clump_find(context, image, &params, NULL, &found));
    cr_assert(!found.subtracted);
    cr_expect_float_eq(found.regions[0].sum, 100 + 4 * level, 1e-9 * fabs(level));
    cr_expect_float_eq(found.regions[0].max, 40 + level, 1e-9 * fabs(level));
    clump_find_release(&found);
    clump_image_destroy(&image);
}

static void check_pedestals(clump_context *context)
{
    check_above(context, CLUMP_F32, 1000);
    check_above(context, CLUMP_F32, -1000);
    check_above(context, CLUMP_F32, 0x1p20);
    check_above(context, CLUMP_U16, 1000);
    check_above(context, CLUMP_U16, 65000);
    if (!clump_context_device(context)->fp64)
        return;
    check_above(context, CLUMP_F64, 1000.001);
    check_above(context, CLUMP_F64, -1e6);
}

Test(find, the_level_is_taken_off, .timeout = 60) { on_devices(check_pedestals); }

/* The catalogue of the mirrored image is the mirrored catalogue. */
static void check_flip(clump_context *context)
{
    float pixels[ROWS * COLS], flipped[ROWS * COLS];
    struct clump_find_result there, back;
    fill(pixels, 0);
    put_sources(pixels);
    for (int i = 0; i < ROWS * COLS; i++)
        flipped[i] = pixels[ROWS * COLS - 1 - i];
    clump_image *image = upload(context, CLUMP_F32, ROWS, COLS, pixels),
                *mirror = upload(context, CLUMP_F32, ROWS, COLS, flipped);
    ok(clump_find(context, image, NULL, NULL, &there));
    ok(clump_find(context, mirror, NULL, NULL, &back));
    cr_assert_eq(there.count, back.count);
    cr_assert_eq(there.threshold, back.threshold);
    for (uint64_t i = 0; i < there.count; i++) {
        const struct clump_region *a = &there.regions[i];
        const struct clump_region *b = &back.regions[there.count - 1 - i];
        cr_assert_eq(a->sum, b->sum);
        cr_assert_eq(a->area, b->area);
        cr_assert_float_eq(a->weighted_row, ROWS - 1 - b->weighted_row, 1e-9);
        cr_assert_float_eq(a->weighted_col, COLS - 1 - b->weighted_col, 1e-9);
    }
    clump_find_release(&there);
    clump_find_release(&back);
    clump_image_destroy(&mirror);
    clump_image_destroy(&image);
}

Test(find, a_mirrored_image_gives_a_mirrored_catalogue, .timeout = 60) { on_devices(check_flip); }

static void check_dull_images(clump_context *context)
{
    float pixels[ROWS * COLS];
    struct clump_find_result found;
    for (int i = 0; i < ROWS * COLS; i++)
        pixels[i] = 7;
    clump_image *image = upload(context, CLUMP_F32, ROWS, COLS, pixels);
    ok(clump_find(context, image, NULL, NULL, &found));
    cr_assert_eq(found.count, 0);
    cr_assert_eq(found.threshold, 7);
    clump_find_release(&found);

    pixels[17] = NAN; /* one blank pixel changes nothing */
    ok(clump_image_write(image, pixels));
    ok(clump_find(context, image, NULL, NULL, &found));
    cr_assert_eq(found.count, 0);
    cr_assert_eq(found.clip.before.blank, 1);
    clump_find_release(&found);
    clump_image_destroy(&image);
}

Test(find, a_constant_image_has_no_sources, .timeout = 60) { on_devices(check_dull_images); }

Test(find, nonsense_is_refused, .timeout = 60)
{
    struct memory memory = {0};
    clump_context *context = open_context("reference", &memory);
    float pixels[ROWS * COLS];
    struct clump_find_result found, before;
    struct clump_find_params params = clump_find_defaults;
    memset(&found, 0x55, sizeof found);
    before = found;
    for (int i = 0; i < ROWS * COLS; i++)
        pixels[i] = NAN;
    clump_image *image = upload(context, CLUMP_F32, ROWS, COLS, pixels);
    cr_assert_eq(clump_find(context, image, NULL, NULL, &found), CLUMP_ERROR_ARGUMENT);
    cr_assert_contains(memory.text, "finite");
    params.sigmas = NAN;
    cr_assert_eq(clump_find(context, image, &params, NULL, &found), CLUMP_ERROR_ARGUMENT);
    params = clump_find_defaults;
    params.connectivity = 6;
    cr_assert_eq(clump_find(context, image, &params, NULL, &found), CLUMP_ERROR_ARGUMENT);
    cr_assert_contains(memory.text, "4 or 8");
    params = clump_find_defaults;
    params.clip.kappa_low = 0;
    cr_assert_eq(clump_find(context, image, &params, NULL, &found), CLUMP_ERROR_ARGUMENT);
    cr_assert_eq(clump_find(context, NULL, NULL, NULL, &found), CLUMP_ERROR_ARGUMENT);
    cr_assert_eq(clump_find(context, image, NULL, NULL, NULL), CLUMP_ERROR_ARGUMENT);
    cr_assert_eq(memory.errors, 6, "each refusal has one line: %s", memory.text);
    cr_assert_arr_eq(&found, &before, sizeof found);
    clump_image_destroy(&image);
    clump_context_destroy(&context);
}

/* A usual image is clipped by one sweep, and the host waits seldom: for a sample, for the sweep,
 * and for what measuring asks. A repeated call allocates and builds nothing. */
Test(find, waits_seldom)
{
    enum { SIZE = 512 };
    clump_context *context = open_context(NULL, NULL);
    struct clump_find_result result = {0};
    struct clump_profile profile;
    float *pixels = malloc(SIZE * SIZE * sizeof *pixels);
    clump_image *image = NULL;
    uint32_t state = 1;
    for (size_t i = 0; i < SIZE * SIZE; i++) {
        pixels[i] = i % 4099 ? 0 : 1000;
        for (int j = 0; j < 8; j++) {
            state = state * 1664525 + 1013904223;
            pixels[i] += (float)(state >> 16) * 0x1p-16f - 0.5f;
        }
    }
    ok(clump_image_upload(context, CLUMP_F32, SIZE, SIZE, pixels, &image));
    for (int round = 0; round < 2; round++) {
        clump_find_release(&result);
        ok(clump_profile_start(context, true));
        ok(clump_find(context, image, NULL, NULL, &result));
    }
    ok(clump_profile_read(context, &profile));
    cr_expect_eq(result.count, 64);
    cr_expect_eq(profile.fallbacks, 0);
    cr_expect_eq(profile.allocations, 0);
    cr_expect_eq(profile.builds, 0);
    cr_expect_leq(profile.waits, 5, "%lu waits", (unsigned long)profile.waits);
    clump_find_release(&result);
    clump_image_destroy(&image);
    clump_context_destroy(&context);
    free(pixels);
}
