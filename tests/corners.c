/* SPDX-License-Identifier: MIT */
/*
 * The reference where a small mistake in it would hide: cases that the golden values do not have,
 * worked out by hand. tests/mutate.py tells which are missing.
 */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SIDE 200 /* of images whose scratch memory comes fresh, as zeros, from the system */

static clump_context *context;

static void open_reference(void) { context = open_context("reference", NULL); }

static void close_reference(void) { clump_context_destroy(&context); }

TestSuite(corners, .init = open_reference, .fini = close_reference, .timeout = 60);

static uint8_t pixels[SIDE * SIDE];

Test(corners, threshold_starts_from_strong_pixels_only)
{
    struct clump_threshold_params params = {
        .above = 8, .hysteresis = true, .low = 4, .connectivity = 8, .output = CLUMP_U8};
    clump_image *mask = NULL;
    uint64_t count;
    pixels[0] = pixels[1] = pixels[SIDE] =
        5; /* around the first pixel, and far from a strong one */
    pixels[100 * SIDE + 100] = 9;
    pixels[100 * SIDE + 101] = 5;
    clump_image *image = upload(context, CLUMP_U8, SIDE, SIDE, pixels);
    ok(clump_threshold(context, image, &params, &mask, &count));
    cr_expect_eq(count, 2);
    cr_expect_eq(((const uint8_t *)see_pixels(mask))[1], 0);
    clump_image_destroy(&mask);
    clump_image_destroy(&image);
}

Test(corners, labels_of_pixels_around_the_first)
{
    clump_image *labels = NULL;
    uint64_t count;
    pixels[1] = pixels[SIDE] = 1;
    clump_image *mask = upload(context, CLUMP_U8, SIDE, SIDE, pixels);
    ok(clump_label(context, mask, NULL, &labels, &count));
    const int32_t *numbers = see_pixels(labels);
    cr_expect_eq(count, 2);
    cr_expect(numbers[0] == 0 && numbers[1] == 1 && numbers[SIDE] == 2);
    clump_image_destroy(&labels);
    clump_image_destroy(&mask);
}

static struct clump_region measured(enum clump_type type, uint64_t count, const void *values)
{
    struct clump_region *regions = NULL;
    uint64_t found;
    uint32_t all = (uint32_t)(((uint64_t)1 << count) - 1);
    clump_image *image = upload(context, type, 1, count, values),
                *mask = upload(context, CLUMP_BITS, 1, count, &all);
    ok(clump_measure(context, image, mask, NULL, &regions, &found));
    cr_assert_eq(found, 1);
    struct clump_region region = regions[0];
    clump_measure_destroy(&regions);
    clump_image_destroy(&mask);
    clump_image_destroy(&image);
    return region;
}

/* Sums are made of integers after scaling; from 2^39 on the scale of whole numbers is not 1. */
Test(corners, measure_scales_by_the_largest)
{
    const float ones[] = {0.25f, 1, 0.5f}, halves[] = {0.5f, 0.25f}, zeros[] = {0, 0};
    const int64_t below[] = {(INT64_C(1) << 39) - 1, 1}, at[] = {INT64_C(1) << 39, 1, 0};
    const int64_t above[] = {INT64_C(1) << 40, 1}, ties[] = {INT64_C(1) << 40, 3, 1};
    const double large[] = {0x1p300, 0x1p262, 0x1p260};
    cr_expect_eq(measured(CLUMP_F32, 3, ones).sum, 1.75);
    cr_expect_eq(measured(CLUMP_F32, 2, halves).sum, 0.75);
    cr_expect_eq(measured(CLUMP_F32, 2, zeros).sum, 0);
    cr_expect_eq(measured(CLUMP_I64, 2, below).sum, 0x1p39);
    cr_expect_eq(measured(CLUMP_I64, 3, at).sum, 0x1p39); /* half a unit, to even */
    cr_expect_eq(measured(CLUMP_I64, 2, above).sum, 0x1p40);
    cr_expect_eq(measured(CLUMP_I64, 3, ties).sum, 0x1p40 + 4);
    cr_expect_eq(measured(CLUMP_F64, 3, large).sum, 0x1p300 + 0x1p262);
}

/* A cosmic ray, or a pixel that overflowed, has nothing to do with the next region. */
Test(corners, measure_faint_regions_beside_bright_ones)
{
    const float bright[] = {1e14f, 1e30f, INFINITY};
    const uint32_t mask_bits = 0x6d; /* pixels 0, 2, 3, 5, 6 */
    for (int i = 0; i < 3; i++) {
        const float values[] = {bright[i], 0, 0.1f, 0.2f, 0, 3e-20f, 1e-20f};
        struct clump_region *regions = NULL;
        uint64_t found;
        clump_image *image = upload(context, CLUMP_F32, 1, 7, values),
                    *mask = upload(context, CLUMP_BITS, 1, 7, &mask_bits);
        ok(clump_measure(context, image, mask, NULL, &regions, &found));
        cr_assert_eq(found, 3);
        cr_expect_eq(regions[0].sum, (double)bright[i]);
        cr_expect_eq(regions[1].sum, (double)0.1f + (double)0.2f);
        cr_expect_eq(regions[2].sum, (double)3e-20f + (double)1e-20f);
        cr_expect_float_eq(regions[2].weighted_col, 5.25, 1e-6);
        cr_expect_eq(regions[1].flags, CLUMP_REGION_BORDER);
        clump_measure_destroy(&regions);
        clump_image_destroy(&mask);
        clump_image_destroy(&image);
    }
}

Test(corners, clip_of_infinities_of_one_sign)
{
    const float up[] = {INFINITY, INFINITY}, down[] = {-INFINITY, -INFINITY};
    const float *const both[] = {up, down};
    for (int i = 0; i < 2; i++) {
        struct clump_clip_result r;
        clump_image *image = upload(context, CLUMP_F32, 1, 2, both[i]), *mask = NULL, *kept = NULL;
        ok(clump_clip(context, image, NULL, &mask, &kept, &r));
        cr_expect(r.kept == 0 && r.converged && r.before.infinite == 2);
        cr_expect_eq(*(const uint32_t *)see_pixels(mask), 0);
        cr_expect_null(kept);
        clump_image_destroy(&mask);
        clump_image_destroy(&image);
    }
}

static struct clump_stats_result stats_of(const double *values, double *quantile)
{
    const double half = 0.5;
    struct clump_stats_params params = {.quantiles = &half, .quantile_count = 1};
    struct clump_stats_result result;
    clump_image *image = upload(context, CLUMP_F64, 1, 2, values);
    ok(clump_stats(context, image, &params, quantile, &result));
    clump_image_destroy(&image);
    return result;
}

/* Between two numbers a median is half their sum; a quantile, as NumPy has it, what is left of the
 * greater one, which rounds differently. */
Test(corners, the_middle_of_two)
{
    const double tiny[] = {0x1p-1074, 0x2p-1074}, huge[] = {0x1.8p1023, 0x1.cp1023};
    const double tenths[] = {2.9, 9.8};
    double quantile;
    cr_expect_eq(stats_of(tiny, &quantile).median, 0x2p-1074);
    cr_expect_eq(stats_of(huge, &quantile).median, 0x1.ap1023);
    cr_expect_eq(stats_of(tenths, &quantile).median, 6.3500000000000005);
    cr_expect_eq(quantile, 6.3500000000000005);
}

/* The convolution of a single pixel of 1 is the kernel, whatever the method: here the outer product
 * of (1, 3) and (1, 2, 4). */
Test(corners, convolve_a_point_by_products)
{
    const double one = 1, weights[] = {1, 2, 4, 3, 6, 12};
    const struct clump_weights kernel = {2, 3, weights};
    struct clump_convolve_params params = clump_convolve_defaults;
    clump_image *image = upload(context, CLUMP_F64, 1, 1, &one), *out = NULL;
    for (int method = CLUMP_CONVOLVE_METHOD_AUTO; method <= CLUMP_CONVOLVE_METHOD_SEPARABLE;
         method++) {
        params.method = (enum clump_convolve_method)method;
        ok(clump_convolve(context, image, &kernel, &params, &out));
        const double *result = see_pixels(out);
        for (int i = 0; i < 6; i++)
            cr_expect_float_eq(result[i], weights[i], 1e-14, "method %d", method);
        clump_image_destroy(&out);
    }
    clump_image_destroy(&image);
}

/* Sums down the columns of the method separable overflow where those along the rows do not. */
Test(corners, separable_sums_that_overflow_are_made_directly)
{
    double ones[5 * 4];
    float values[5 * 9];
    for (int i = 0; i < 20; i++)
        ones[i] = 1;
    for (int i = 0; i < 45; i++)
        values[i] = i % 9 % 2 ? -3e38f : i == 22 ? 1e38f : 3e38f;
    const struct clump_weights kernel = {.rows = 5, .cols = 4, .weights = ones};
    struct clump_convolve_params params = clump_convolve_defaults;
    clump_image *image = upload(context, CLUMP_F32, 5, 9, values), *results[2] = {NULL, NULL};
    const float *seen[2];
    for (int i = 0; i < 2; i++) {
        params.method = i ? CLUMP_CONVOLVE_METHOD_DIRECT : CLUMP_CONVOLVE_METHOD_SEPARABLE;
        params.mode = CLUMP_CONVOLVE_MODE_SAME;
        ok(clump_convolve(context, image, &kernel, &params, &results[i]));
        seen[i] = see_pixels(results[i]);
    }
    for (int i = 0; i < 45; i++)
        cr_expect(seen[0][i] == seen[1][i] || (isnan(seen[0][i]) && isnan(seen[1][i])),
                  "%d: %g, %g", i, (double)seen[0][i], (double)seen[1][i]);
    cr_expect(isfinite(seen[0][4]));
    clump_image_destroy(&results[1]);
    clump_image_destroy(&results[0]);
    clump_image_destroy(&image);
}

Test(corners, the_blur_of_a_constant_is_that_constant)
{
    double values[15];
    struct clump_gaussian_params params = clump_gaussian_defaults;
    for (int i = 0; i < 15; i++)
        values[i] = 0.1;
    params.sigma_rows = params.sigma_cols = 1.7;
    params.boundary = CLUMP_BOUNDARY_NEAREST;
    clump_image *image = upload(context, CLUMP_F64, 3, 5, values), *out = NULL;
    ok(clump_gaussian(context, image, &params, &out));
    cr_expect_arr_eq(see_pixels(out), values, sizeof values);
    clump_image_destroy(&out);
    clump_image_destroy(&image);
}
