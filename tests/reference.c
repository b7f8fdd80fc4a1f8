/* SPDX-License-Identifier: MIT */
/* The reference against numbers worked out by hand. */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static clump_context *context;

static void open_reference(void) { context = open_context("reference", NULL); }

static void close_reference(void) { clump_context_destroy(&context); }

TestSuite(reference, .init = open_reference, .fini = close_reference, .timeout = 60);

/* A mask from rows of '#' and '.', of the same length, ended by NULL. */
static clump_image *draw(const char *const *rows)
{
    uint64_t height = 0, width = strlen(rows[0]);
    uint32_t words[64] = {0};
    for (; rows[height]; height++)
        for (uint64_t c = 0; c < width; c++)
            words[height] |= (uint32_t)(rows[height][c] == '#') << c;
    return upload(context, CLUMP_BITS, height, width, words);
}

static void expect_drawn(clump_image *mask, const char *const *rows)
{
    const uint32_t *words = see_pixels(mask);
    for (uint64_t r = 0; r < clump_image_rows(mask); r++) {
        char text[33] = {0};
        for (uint64_t c = 0; c < clump_image_cols(mask); c++)
            text[c] = words[r] >> c & 1 ? '#' : '.';
        cr_expect_str_eq(text, rows[r], "row %d", (int)r);
    }
    clump_image_destroy(&mask);
}

#define DRAW(...) ((const char *const[]){__VA_ARGS__, NULL})

Test(reference, convert_rounds_to_even_and_clamps)
{
    const double values[] = {0.5, 1.5, 2.5, -1, 300, NAN, INFINITY, -INFINITY, -2.5, 70000};
    const uint8_t bytes[] = {0, 2, 2, 0, 255, 0, 255, 0, 0, 255};
    const int16_t shorts[] = {0, 2, 2, -1, 300, 0, 32767, -32768, -2, 32767};
    clump_image *image = upload(context, CLUMP_F64, 2, 5, values), *u8 = NULL, *i16 = NULL,
                *bits = NULL;
    ok(clump_convert(context, image, CLUMP_U8, &u8));
    cr_expect_arr_eq(see_pixels(u8), bytes, sizeof bytes);
    ok(clump_convert(context, image, CLUMP_I16, &i16));
    cr_expect_arr_eq(see_pixels(i16), shorts, sizeof shorts);
    ok(clump_image_unmap(u8));
    ok(clump_convert(context, u8, CLUMP_BITS, &bits));
    expect_drawn(bits, DRAW(".##.#", ".#..#"));
    clump_image_destroy(&i16);
    clump_image_destroy(&u8);
    clump_image_destroy(&image);
}

Test(reference, convert_rounds_once)
{
    const int64_t values[] = {16777217, 16777219, INT64_MAX, -INT64_MAX, (INT64_C(1) << 53) + 1};
    const float singles[] = {16777216, 16777220, 0x1p63f, -0x1p63f, 0x1p53f};
    const double doubles[] = {16777217, 16777219, 0x1p63, -0x1p63, 0x1p53};
    clump_image *image = upload(context, CLUMP_I64, 1, 5, values), *f32 = NULL, *f64 = NULL;
    ok(clump_convert(context, image, CLUMP_F32, &f32));
    cr_expect_arr_eq(see_pixels(f32), singles, sizeof singles);
    ok(clump_convert(context, image, CLUMP_F64, &f64));
    cr_expect_arr_eq(see_pixels(f64), doubles, sizeof doubles);
    clump_image_destroy(&f64);
    clump_image_destroy(&f32);
    clump_image_destroy(&image);
}

Test(reference, convert_weighs_colours)
{
    const uint8_t rgb[] = {10, 20, 30, 255, 255, 255, 0, 0, 0, 0, 0, 7};
    const uint8_t grey[] = {19, 255, 0, 1}; /* 18.596, 255, 0, 0.5047 */
    const uint8_t again[] = {19, 19, 19, 255, 255, 255, 0, 0, 0, 1, 1, 1};
    clump_image *image = upload(context, CLUMP_RGB, 1, 4, rgb), *u8 = NULL, *f64 = NULL,
                *back = NULL;
    clump_image *bits = NULL;
    ok(clump_convert(context, image, CLUMP_U8, &u8));
    ok(clump_convert(context, u8, CLUMP_RGB, &back));
    cr_expect_arr_eq(see_pixels(u8), grey, sizeof grey);
    cr_expect_arr_eq(see_pixels(back), again, sizeof again);
    ok(clump_convert(context, image, CLUMP_F64, &f64));
    cr_expect_eq(*(const double *)see_pixels(f64), 18.596);
    ok(clump_convert(context, image, CLUMP_BITS, &bits));
    expect_drawn(bits, DRAW("##.#"));
    clump_image_destroy(&f64);
    clump_image_destroy(&back);
    clump_image_destroy(&u8);
    clump_image_destroy(&image);
}

Test(reference, primes_are_marked)
{
    const uint64_t wanted[][2] = {{0, 0},   {1, 0},   {2, 0},       {3, 1},
                                  {30, 10}, {32, 11}, {10000, 1229}};
    clump_image *mask = NULL;
    uint64_t count;
    for (size_t i = 0; i < COUNT(wanted); i++) {
        ok(clump_primes(context, (uint32_t)wanted[i][0], NULL, &count));
        cr_expect_eq(count, wanted[i][1]);
    }
    ok(clump_primes(context, 30, &mask, &count));
    cr_expect_eq(clump_image_cols(mask), 30);
    expect_drawn(mask, DRAW("..##.#.#...#.#...#.#...#.....#"));
    ok(clump_primes(context, 0, &mask, &count));
    expect_drawn(mask, DRAW("."));
}

Test(reference, threshold_compares_exactly)
{
    const float singles[] = {0.1f, 0.3f, NAN, INFINITY, -1}; /* 0.1f > 0.1, 0.3f > 0.3 */
    const int64_t longs[] = {(INT64_C(1) << 53) + 1, INT64_C(1) << 53, INT64_MIN};
    struct clump_threshold_params params = clump_threshold_defaults;
    clump_image *image = upload(context, CLUMP_F32, 1, 5, singles), *mask = NULL;
    uint64_t count;
    params.above = 0.1;
    ok(clump_threshold(context, image, &params, &mask, &count));
    cr_expect_eq(count, 3);
    expect_drawn(mask, DRAW("##.#."));
    params.above = (double)0.1f;
    ok(clump_threshold(context, image, &params, &mask, NULL));
    expect_drawn(mask, DRAW(".#.#."));
    clump_image_destroy(&image);
    image = upload(context, CLUMP_I64, 1, 3, longs);
    params.above = 0x1p53;
    ok(clump_threshold(context, image, &params, &mask, &count));
    expect_drawn(mask, DRAW("#.."));
    clump_image_destroy(&image);
}

Test(reference, threshold_follows_connections)
{
    const uint8_t pixels[] = {9, 5, 0, 0, 5, /* */ 0, 0, 5, 0, 5, /* */ 5, 0, 0, 0, 0};
    struct clump_threshold_params params = {
        .above = 8, .hysteresis = true, .low = 4, .connectivity = 4, .output = CLUMP_BITS};
    clump_image *image = upload(context, CLUMP_U8, 3, 5, pixels), *mask = NULL;
    uint64_t count;
    ok(clump_threshold(context, image, &params, &mask, &count));
    cr_expect_eq(count, 2);
    expect_drawn(mask, DRAW("##...", ".....", "....."));
    params.connectivity = 8;
    ok(clump_threshold(context, image, &params, &mask, &count));
    expect_drawn(mask, DRAW("##...", "..#..", "....."));
    clump_image_destroy(&image);
}

static struct clump_stats_result stats_of(enum clump_type type, uint64_t count, const void *pixels,
                                          uint32_t ddof)
{
    struct clump_stats_params params = {.ddof = ddof, .mad = true};
    struct clump_stats_result result;
    clump_image *image = upload(context, type, 1, count, pixels);
    ok(clump_stats(context, image, &params, NULL, &result));
    clump_image_destroy(&image);
    return result;
}

Test(reference, stats_of_four)
{
    const uint16_t values[] = {3, 1, 4, 2};
    struct clump_stats_result r = stats_of(CLUMP_U16, 4, values, 0);
    cr_expect(r.count == 4 && r.blank == 0 && r.infinite == 0);
    cr_expect(r.min == 1 && r.min_col == 1 && r.max == 4 && r.max_col == 2);
    cr_expect(r.sum == 10 && r.mean == 2.5 && r.variance == 1.25 && r.std == sqrt(1.25));
    cr_expect(r.median == 2.5 && r.mad == 1);
    r = stats_of(CLUMP_U16, 4, values, 1);
    cr_expect_eq(r.variance, 5.0 / 3);
    r = stats_of(CLUMP_U16, 4, values, 4);
    cr_expect(isnan(r.variance) && isnan(r.std) && r.mean == 2.5);
}

Test(reference, stats_lose_nothing)
{
    const float far[] = {1e30f, 1e-30f, -1e30f};
    struct clump_stats_result r = stats_of(CLUMP_F32, 3, far, 0);
    cr_expect_eq(r.sum, (double)1e-30f);
    cr_expect_eq(r.mean, (double)1e-30f / 3);
    const double large[] = {1.5e308, 1.5e308}, small[] = {0x1p-1074, 0, 0, 0};
    r = stats_of(CLUMP_F64, 2, large, 0);
    cr_expect(isinf(r.sum) && r.mean == 1.5e308 && r.median == 1.5e308 && r.variance == 0);
    r = stats_of(CLUMP_F64, 4, small, 0); /* variance 3 * 2^-2152, its root sqrt(3) * 2^-1076 */
    cr_expect(r.sum == 0x1p-1074 && r.mean == 0 && r.variance == 0 && r.std == 0);
    const double less_small[] = {0x1p-1072, 0, 0, 0};
    r = stats_of(CLUMP_F64, 4, less_small, 0); /* sqrt(3) * 2^-1074 */
    cr_expect(r.mean == 0x1p-1074 && r.variance == 0 && r.std == 0x2p-1074);
    const int64_t longs[] = {INT64_MAX, INT64_MAX, -INT64_MAX, 4};
    r = stats_of(CLUMP_I64, 4, longs, 0);
    cr_expect_eq(r.sum, 0x1p63);
    const int64_t ties[] = {(INT64_C(1) << 53) + 1, (INT64_C(1) << 53) + 3};
    cr_expect_eq(stats_of(CLUMP_I64, 1, ties, 0).sum, 0x1p53);
    cr_expect_eq(stats_of(CLUMP_I64, 1, ties + 1, 0).sum, 0x1p53 + 4);
}

Test(reference, stats_of_blanks_and_infinities)
{
    const float blank[] = {NAN, NAN}, mixed[] = {NAN, INFINITY, 1, 2, NAN}, zeros[] = {-0.0f, 0.0f};
    const float both[] = {-INFINITY, INFINITY, 3};
    struct clump_stats_result r = stats_of(CLUMP_F32, 2, blank, 0);
    cr_expect(r.count == 0 && r.blank == 2 && r.sum == 0);
    cr_expect(isnan(r.mean) && isnan(r.min) && isnan(r.median) && isnan(r.mad) && isnan(r.std));
    r = stats_of(CLUMP_F32, 5, mixed, 0);
    cr_expect(r.count == 3 && r.blank == 2 && r.infinite == 1 && r.max_col == 1 && r.min_col == 2);
    cr_expect(isinf(r.sum) && isinf(r.mean) && isnan(r.variance) && r.median == 2 && r.mad == 1);
    r = stats_of(CLUMP_F32, 3, both, 0);
    cr_expect(isnan(r.sum) && r.median == 3 && isinf(r.mad) && r.infinite == 2);
    r = stats_of(CLUMP_F32, 2, zeros, 0);
    cr_expect(r.min == 0 && !signbit(r.min) && r.min_col == 0 && !signbit(r.median));
}

Test(reference, quantiles_lie_between)
{
    const int32_t values[] = {40, 10, 30, 20};
    const double wanted[] = {0, 0.25, 0.5, 0.9, 1};
    struct clump_stats_params params = {.quantiles = wanted, .quantile_count = 5};
    struct clump_stats_result result;
    double found[5];
    clump_image *image = upload(context, CLUMP_I32, 2, 2, values);
    ok(clump_stats(context, image, &params, found, &result));
    cr_expect(found[0] == 10 && found[1] == 17.5 && found[2] == 25 && found[4] == 40);
    cr_expect_float_eq(found[3], 37, 1e-14);
    cr_expect(isnan(result.mad) && result.min_col == 1 && result.min_row == 0);
    clump_image_destroy(&image);
}

Test(reference, clip_stops_at_a_constant)
{
    const uint16_t values[] = {10, 10, 10, 10, 10, 1000, 10, 10, 10, 10, 10, 10};
    clump_image *image = upload(context, CLUMP_U16, 3, 4, values), *mask = NULL, *kept = NULL;
    struct clump_clip_params params = clump_clip_defaults;
    struct clump_clip_result r;
    ok(clump_clip(context, image, NULL, &mask, &kept, &r));
    cr_expect(r.kept == 11 && r.iterations == 2 && r.converged && r.lower == 10 && r.upper == 10);
    cr_expect(r.after.mean == 10 && r.after.std == 0 && r.before.max == 1000);
    cr_expect_eq(clump_image_cols(kept), 11);
    expect_drawn(mask, DRAW("####", "#.##", "####"));
    clump_image_destroy(&kept);
    params.max_iterations = 1;
    ok(clump_clip(context, image, &params, NULL, NULL, &r));
    cr_expect(r.kept == 11 && r.iterations == 1 && !r.converged && r.upper > 800 && r.upper < 1000);
    params.max_iterations = 0;
    params.kappa_high = INFINITY;
    ok(clump_clip(context, image, &params, NULL, NULL, &r));
    cr_expect(r.kept == 12 && r.iterations == 1 && r.converged && isinf(r.upper));
    clump_image_destroy(&image);
}

Test(reference, clip_of_nothing)
{
    const float values[] = {NAN, INFINITY, -INFINITY};
    clump_image *image = upload(context, CLUMP_F32, 1, 3, values), *mask = NULL, *kept = image;
    struct clump_clip_result r;
    ok(clump_clip(context, image, NULL, &mask, &kept, &r));
    cr_expect(r.kept == 0 && r.iterations == 0 && r.converged && isnan(r.lower) && isnan(r.upper));
    cr_expect(r.before.count == 2 && r.after.count == 0 && r.after.blank == 1);
    cr_expect_null(kept);
    expect_drawn(mask, DRAW("..."));
    clump_image_destroy(&image);
}

Test(reference, otsu_between_two_values)
{
    const uint8_t bytes[] = {0, 10, 10, 0};
    const float singles[] = {0, 1, 1, 0}, constant[] = {2.5f, NAN};
    double threshold;
    clump_image *image = upload(context, CLUMP_U8, 2, 2, bytes);
    ok(clump_otsu(context, image, &threshold));
    cr_expect_eq(threshold, 0);
    clump_image_destroy(&image);
    image = upload(context, CLUMP_F32, 2, 2, singles);
    ok(clump_otsu(context, image, &threshold));
    cr_expect_eq(threshold, 1.0 / 512);
    clump_image_destroy(&image);
    image = upload(context, CLUMP_F32, 1, 2, constant);
    ok(clump_otsu(context, image, &threshold));
    cr_expect_eq(threshold, 2.5);
    clump_image_destroy(&image);
}

Test(reference, labels_rise_in_raster_order)
{
    const int32_t four[] = {0, 1, 0, 2, 3, 0, 2, 2, 3, 0, 0, 0, 0, 4, 0, 5};
    const int32_t eight[] = {0, 1, 0, 1, 1, 0, 1, 1, 1, 0, 0, 0, 0, 1, 0, 2};
    clump_image *mask = draw(DRAW(".#.#", "#.##", "#...", ".#.#")), *labels = NULL;
    uint64_t count;
    ok(clump_label(context, mask, NULL, &labels, &count));
    cr_expect_eq(count, 5);
    cr_expect_arr_eq(see_pixels(labels), four, sizeof four);
    clump_image_destroy(&labels);
    ok(clump_label(context, mask, &(struct clump_label_params){8}, &labels, &count));
    cr_expect_eq(count, 2);
    cr_expect_arr_eq(see_pixels(labels), eight, sizeof eight);
    clump_image_destroy(&labels);
    clump_image_destroy(&mask);
}

static struct clump_region *measure_drawn(const char *const *rows, const clump_image *image)
{
    struct clump_measure_params params = {8, true, true, true, false};
    struct clump_region *regions = NULL;
    uint64_t count;
    clump_image *mask = draw(rows);
    ok(clump_measure(context, image, mask, &params, &regions, &count));
    cr_assert_eq(count, 1);
    clump_image_destroy(&mask);
    return regions;
}

Test(reference, measure_a_ring)
{
    struct clump_region *r = measure_drawn(DRAW(".....", ".###.", ".#.#.", ".###.", "....."), NULL);
    cr_expect(r->area == 8 && r->area_convex == 9 && r->euler == 0 && r->solidity == 8.0 / 9);
    cr_expect_eq(r->perimeter, 8); /* corners have pattern 5, sides 25: each weighs 1 */
    cr_expect(r->centroid_row == 2 && r->centroid_col == 2 && r->moment_rr == 0.75);
    cr_expect(r->moment_rc == 0 && r->eccentricity == 0 && r->flags == 0);
    cr_expect(r->row_min == 1 && r->row_max == 4 && r->col_min == 1 && r->col_max == 4);
    cr_expect(isnan(r->sum) && isnan(r->mean) && isnan(r->weighted_row));
    clump_measure_destroy(&r);
    cr_expect_null(r);
}

Test(reference, measure_a_square_and_lines)
{
    struct clump_region *r = measure_drawn(DRAW("###", "###", "###"), NULL);
    cr_expect(r->perimeter == 8 && r->area_convex == 9 && r->euler == 1);
    cr_expect_eq(r->flags, CLUMP_REGION_BORDER);
    clump_measure_destroy(&r);
    r = measure_drawn(DRAW(".....", ".###.", "....."), NULL);
    cr_expect(r->moment_cc == 2.0 / 3 && r->moment_rr == 0 && r->eccentricity == 1);
    cr_expect_eq(r->axis_major, 4 * sqrt(2.0 / 3));
    cr_expect_float_eq(fabs(r->orientation), 3.14159265358979323846 / 2, 1e-15);
    clump_measure_destroy(&r);
}

/* What is symmetric about a diagonal has equal moments, and a long axis all the same. */
Test(reference, measure_orientation)
{
    static const struct {
        const char *rows[5];
        double turns; /* eighths of a whole one */
    } cases[] = {
        {{"#....", ".#...", "..#..", "...#.", "....#"}, 1},
        {{"....#", "...#.", "..#..", ".#...", "#...."}, -1},
        {{"##...", "##...", "..##.", "..##.", "....."}, 1},
        {{"###..", "#....", "#....", ".....", "....."}, -1}, /* the corner's arms lie across */
        {{"....#", "....#", "..###", ".....", "....."}, -1},
        {{"..###", "....#", "....#", ".....", "....."}, 1},
        {{"#####", ".....", ".....", ".....", "....."}, 2},
        {{"#....", "#....", "#....", ".....", "....."}, 0},
        {{"##...", "##...", ".....", ".....", "....."}, -1}, /* no long axis: as skimage */
        {{"..#..", ".....", ".....", ".....", "....."}, -1},
        {{"..#..", ".###.", "..#..", ".....", "....."}, -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *const *rows = cases[i].rows;
        struct clump_region *r =
            measure_drawn(DRAW(rows[0], rows[1], rows[2], rows[3], rows[4]), NULL);
        cr_expect_eq(r->orientation, cases[i].turns * 0.78539816339744830962, "case %zu: %g", i,
                     r->orientation);
        clump_measure_destroy(&r);
    }
}

Test(reference, measure_hull_of_a_corner)
{
    /* The long side runs from (-0.5, 0) to (1.5, 4) and passes through the centres of (0, 1) and
     * (1, 3), which are in: 2 + 4 + 5 pixels. */
    struct clump_region *r = measure_drawn(DRAW("#....", "#....", "#####"), NULL);
    cr_expect(r->area == 7 && r->area_convex == 11, "%d", (int)r->area_convex);
    clump_measure_destroy(&r);
}

Test(reference, measure_intensities)
{
    const float values[] = {1, 2, NAN, -4, 7, 7};
    clump_image *image = upload(context, CLUMP_F32, 2, 3, values);
    struct clump_region *r = measure_drawn(DRAW("###", ".##"), image);
    cr_expect(r->area == 5 && r->sum == 17 && r->mean == 4.25 && r->min == 1 && r->max == 7);
    cr_expect(r->peak_row == 1 && r->peak_col == 1);
    cr_expect_eq(r->std, sqrt(103 / 4.0 - 4.25 * 4.25));
    cr_expect_eq(r->weighted_row, 14.0 / 17);
    cr_expect_eq(r->weighted_col, 23.0 / 17);
    cr_expect_eq(r->weighted_rc, (17.0 * 21 - 14 * 23) / (17 * 17));
    cr_expect_eq(r->flags, CLUMP_REGION_BORDER | CLUMP_REGION_BLANK);
    clump_measure_destroy(&r);
    clump_image_destroy(&image);
}

Test(reference, measure_what_has_no_centre)
{
    const int16_t zero[] = {0, 5, -5}, negative[] = {-1, -2, -3};
    const double infinite[] = {1, INFINITY, 2};
    clump_image *image = upload(context, CLUMP_I16, 1, 3, zero);
    struct clump_region *r = measure_drawn(DRAW("###"), image);
    cr_expect(r->sum == 0 && isinf(r->weighted_col) && r->weighted_col < 0);
    cr_expect(isnan(r->weighted_row) && isnan(r->weighted_cc));
    cr_expect_eq(r->flags, CLUMP_REGION_BORDER | CLUMP_REGION_NEGATIVE);
    clump_measure_destroy(&r);
    clump_image_destroy(&image);
    image = upload(context, CLUMP_I16, 1, 3, negative);
    r = measure_drawn(DRAW("###"), image);
    cr_expect(r->sum == -6 && r->weighted_col == 8.0 / 6 && r->flags & CLUMP_REGION_NEGATIVE);
    clump_measure_destroy(&r);
    clump_image_destroy(&image);
    image = upload(context, CLUMP_F64, 1, 3, infinite);
    r = measure_drawn(DRAW("###"), image);
    cr_expect(isinf(r->sum) && isinf(r->mean) && isnan(r->std) && isnan(r->weighted_col));
    cr_expect(isinf(r->max) && r->peak_col == 1 && r->flags & CLUMP_REGION_INFINITE);
    clump_measure_destroy(&r);
    clump_image_destroy(&image);
}

/* A level between two integers is subtracted exactly; so is a large level from small values. */
Test(reference, measure_above_a_level)
{
    const uint16_t counts[] = {1002, 1003, 1005};
    const double wide[] = {-3, 1, 3};
    struct clump_measure_params params = clump_measure_defaults;
    struct clump_region *r = NULL;
    uint64_t count;
    clump_image *mask = draw(DRAW("###")), *image = upload(context, CLUMP_U16, 1, 3, counts);
    params.level = 1000.5; /* 1.5 + 2.5 + 4.5 */
    ok(clump_measure(context, image, mask, &params, &r, &count));
    cr_expect(r->sum == 8.5 && r->mean == 8.5 / 3 && r->min == 1.5 && r->max == 4.5);
    cr_expect_eq(r->weighted_col, 11.5 / 8.5);
    cr_expect_eq(r->weighted_cc, (8.5 * 20.5 - 11.5 * 11.5) / (8.5 * 8.5));
    cr_expect_eq(r->std, sqrt(14) / 3);
    clump_measure_destroy(&r);
    clump_image_destroy(&image);

    image = upload(context, CLUMP_F64, 1, 3, wide);
    params.level = -0x1p30; /* 2^k is 2^8, and w counts 2^-9 */
    ok(clump_measure(context, image, mask, &params, &r, &count));
    cr_expect(r->sum == 0x3p30 + 1 && r->max == 0x1p30 + 3 && !(r->flags & CLUMP_REGION_NEGATIVE));
    cr_expect_eq(r->weighted_col, (0x3p30 + 7) / (0x3p30 + 1));
    clump_measure_destroy(&r);

    params.level = NAN;
    cr_expect_eq(clump_measure(context, image, mask, &params, &r, &count), CLUMP_ERROR_ARGUMENT);
    clump_image_destroy(&image);
    image = upload(context, CLUMP_U16, 1, 3, counts);
    params.level = -0x1p39;
    cr_expect_eq(clump_measure(context, image, mask, &params, &r, &count), CLUMP_ERROR_ARGUMENT);
    params.level = -0x1p39 + 1;
    ok(clump_measure(context, image, mask, &params, &r, &count));
    cr_expect_eq(r->sum, 3 * (0x1p39 - 1) + 3010);
    clump_measure_destroy(&r);
    clump_image_destroy(&image);
    clump_image_destroy(&mask);
}

Test(reference, a_level_needs_every_pixel)
{
    const float values[] = {1, NAN, 3};
    struct clump_measure_params params = clump_measure_defaults;
    struct clump_region *r = NULL;
    uint64_t count;
    clump_image *mask = draw(DRAW("###")), *image = upload(context, CLUMP_F32, 1, 3, values);
    params.level = 1;
    cr_expect_eq(clump_measure(context, image, mask, &params, &r, &count), CLUMP_ERROR_ARGUMENT);
    cr_expect_null(r);
    clump_image_destroy(&image);
    clump_image_destroy(&mask);
}

Test(reference, measure_keeps_39_bits)
{
    /* With 2^20 the largest of a region, its 2^k is 2^18: a quarter of 2^-18 is lost, 2^-18 is not.
     * A region without 2^20 keeps both. */
    const double values[] = {0x1p20, 0x1p-18, 0x1p20, 0x1p-20, 0x1p-20};
    const int32_t numbers[] = {1, 1, 2, 2, 4};
    clump_image *image = upload(context, CLUMP_F64, 1, 5, values),
                *labels = upload(context, CLUMP_I32, 1, 5, numbers);
    struct clump_region *r = NULL;
    uint64_t count;
    ok(clump_measure(context, image, labels, NULL, &r, &count));
    cr_assert_eq(count, 3);
    cr_expect(r[0].sum == 0x1p20 + 0x1p-18 && r[1].sum == 0x1p20);
    cr_expect(r[2].sum == 0x1p-20 && r[2].max == 0x1p-20);
    cr_expect(r[2].label == 4 && r[2].area == 1);
    clump_measure_destroy(&r);
    clump_image_destroy(&labels);
    clump_image_destroy(&image);
}

static void expect_morphology(const char *const *before, struct clump_morphology_params params,
                              const char *const *after)
{
    clump_image *mask = draw(before), *result = NULL;
    ok(clump_morphology(context, mask, &params, &result));
    expect_drawn(result, after);
    clump_image_destroy(&mask);
}

Test(reference, morphology_at_the_border)
{
    struct clump_morphology_params p = clump_morphology_defaults;
    expect_morphology(DRAW("###..", "###..", "###..", "....."), p,
                      DRAW("##...", "##...", ".....", "....."));
    p.operation = CLUMP_MORPHOLOGY_DILATION;
    expect_morphology(DRAW("#....", ".....", "...#."), p, DRAW("##...", "#..#.", "..###"));
    p.operation = CLUMP_MORPHOLOGY_FILL;
    expect_morphology(DRAW(".###", ".#.#", ".###", "...."), p,
                      DRAW(".###", ".###", ".###", "...."));
    p.operation = CLUMP_MORPHOLOGY_REMOVE;
    p.min_area = 3;
    expect_morphology(DRAW("##..#", "#...#"), p, DRAW("##...", "#...."));
}

Test(reference, morphology_reflects_for_dilation)
{
    const uint8_t cells[] = {0, 1, 1}; /* a pixel and its right neighbour */
    struct clump_morphology_params p = {CLUMP_MORPHOLOGY_EROSION,
                                        {CLUMP_FOOTPRINT_CUSTOM, 0, 1, 3, cells},
                                        0,
                                        4};
    expect_morphology(DRAW(".##.#."), p, DRAW(".#...."));
    p.operation = CLUMP_MORPHOLOGY_DILATION;
    expect_morphology(DRAW(".#...#"), p, DRAW(".##..#"));
}

static void expect_row(clump_image *image, size_t count, const double *wanted)
{
    cr_assert_eq(clump_image_cols(image), count);
    const double *pixels = see_pixels(image);
    for (size_t i = 0; i < count; i++)
        cr_expect(pixels[i] == wanted[i] || (isnan(pixels[i]) && isnan(wanted[i])), "%d: %g",
                  (int)i, pixels[i]);
    clump_image_destroy(&image);
}

Test(reference, convolve_one_row)
{
    const double values[] = {1, 2, 3}, weights[] = {0, 1, 0.5};
    const struct clump_weights kernel = {1, 3, weights};
    struct clump_convolve_params p = clump_convolve_defaults;
    clump_image *image = upload(context, CLUMP_F64, 1, 3, values), *out = NULL;
    ok(clump_convolve_1d(context, image, &kernel, NULL, &out));
    expect_row(out, 5, (double[]){0, 1, 2.5, 4, 1.5});
    p.mode = CLUMP_CONVOLVE_MODE_SAME;
    ok(clump_convolve_1d(context, image, &kernel, &p, &out));
    expect_row(out, 3, (double[]){1, 2.5, 4});
    p.boundary = CLUMP_BOUNDARY_WRAP; /* 3 1 2 3 1 */
    ok(clump_convolve(context, image, &kernel, &p, &out));
    expect_row(out, 3, (double[]){2.5, 2.5, 4});
    p.boundary = CLUMP_BOUNDARY_FILL;
    p.fill_value = 10;
    ok(clump_convolve(context, image, &kernel, &p, &out));
    expect_row(out, 3, (double[]){6, 2.5, 4});
    p.mode = CLUMP_CONVOLVE_MODE_VALID;
    ok(clump_convolve(context, image, &kernel, &p, &out));
    expect_row(out, 1, (double[]){2.5});
    clump_image_destroy(&image);
}

Test(reference, convolve_without_blanks)
{
    const double values[] = {1, NAN, 3}, weights[] = {1, 1, 1}, all[] = {NAN, NAN, NAN};
    const struct clump_weights kernel = {1, 3, weights};
    struct clump_convolve_params p = clump_convolve_defaults;
    clump_image *image = upload(context, CLUMP_F64, 1, 3, values),
                *none = upload(context, CLUMP_F64, 1, 3, all);
    clump_image *out = NULL;
    p.mode = CLUMP_CONVOLVE_MODE_SAME;
    ok(clump_convolve(context, image, &kernel, &p, &out));
    expect_row(out, 3, (double[]){NAN, NAN, NAN});
    p.blank = CLUMP_BLANK_IGNORE;
    ok(clump_convolve(context, image, &kernel, &p, &out));
    expect_row(out, 3, (double[]){1.5, 6, 4.5});
    p.boundary = CLUMP_BOUNDARY_NEAREST;
    ok(clump_convolve(context, none, &kernel, &p, &out));
    expect_row(out, 3, (double[]){NAN, NAN, NAN});
    clump_image_destroy(&none);
    clump_image_destroy(&image);
}

Test(reference, gaussian_of_a_constant_and_of_a_point)
{
    const double constant[] = {3, 3, 3, 3, 3}, point[] = {0, 0, 1, 0, 0};
    struct clump_gaussian_params p = clump_gaussian_defaults;
    clump_image *image = upload(context, CLUMP_F64, 1, 5, constant), *out = NULL;
    for (int boundary = CLUMP_BOUNDARY_WRAP; boundary <= CLUMP_BOUNDARY_MIRROR; boundary++) {
        p.boundary = (enum clump_boundary)boundary;
        ok(clump_gaussian(context, image, &p, &out));
        const double *blurred = see_pixels(out);
        for (int i = 0; i < 5; i++)
            cr_expect_float_eq(blurred[i], 3, 1e-15, "boundary %d", boundary);
        clump_image_destroy(&out);
    }
    clump_image_destroy(&image);
    image = upload(context, CLUMP_F64, 5, 1, point);
    p = (struct clump_gaussian_params){1, 0, 1, CLUMP_BOUNDARY_FILL, 0, CLUMP_BLANK_SPREAD};
    ok(clump_gaussian(context, image, &p, &out));
    const double *pixels = see_pixels(out), side = exp(-0.5), whole = 1 + 2 * side;
    cr_expect(pixels[0] == 0 && pixels[4] == 0);
    cr_expect_float_eq(pixels[1], side / whole, 1e-16);
    cr_expect_float_eq(pixels[2], 1 / whole, 1e-16);
    clump_image_destroy(&out);
    clump_image_destroy(&image);
}

Test(reference, label2rgb_mixes)
{
    const int32_t numbers[] = {0, 1, 11, 6, -3};
    const float greys[] = {0.5f, 0.5f, 2, NAN, 0.5f};
    const uint8_t alone[] = {0, 0, 0, 255, 0, 0, 255, 0, 0, 75, 0, 130, 0, 0, 0};
    /* 255 * (0.3 c + 0.7 g): 89.25; 165.75; 255 and 178.5, a tie; 22.491, 39.015 */
    const uint8_t over[] = {89, 89, 89, 166, 89, 89, 255, 178, 178, 22, 0, 39, 89, 89, 89};
    clump_image *labels = upload(context, CLUMP_I32, 1, 5, numbers), *rgb = NULL;
    clump_image *picture = upload(context, CLUMP_F32, 1, 5, greys);
    ok(clump_label2rgb(context, labels, NULL, NULL, &rgb));
    cr_expect_arr_eq(see_pixels(rgb), alone, sizeof alone);
    clump_image_destroy(&rgb);
    ok(clump_label2rgb(context, labels, picture, NULL, &rgb));
    cr_expect_arr_eq(see_pixels(rgb), over, sizeof over);
    clump_image_destroy(&rgb);
    clump_image_destroy(&picture);
    clump_image_destroy(&labels);
}
