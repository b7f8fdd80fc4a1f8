/* SPDX-License-Identifier: MIT */
/* arith, allclose, crop, channel, lookup, benchmark and the profile's transfers, as a program calls
 * them. */
#include "support.h"

#include <math.h>
#include <string.h>

#include "context.h"
#include "opencl/core/opencl.h"

Test(verbs, types_are_promoted_as_numpy_does)
{
    static const struct {
        enum clump_type a, b, both;
    } cases[] = {{CLUMP_U8, CLUMP_U8, CLUMP_U8},    {CLUMP_U8, CLUMP_I16, CLUMP_I16},
                 {CLUMP_U16, CLUMP_I16, CLUMP_I32}, {CLUMP_U16, CLUMP_U8, CLUMP_U16},
                 {CLUMP_U32, CLUMP_I16, CLUMP_I64}, {CLUMP_U32, CLUMP_I32, CLUMP_I64},
                 {CLUMP_U32, CLUMP_U16, CLUMP_U32}, {CLUMP_I64, CLUMP_U32, CLUMP_I64},
                 {CLUMP_U16, CLUMP_F32, CLUMP_F32}, {CLUMP_I32, CLUMP_F32, CLUMP_F64},
                 {CLUMP_I64, CLUMP_F32, CLUMP_F64}, {CLUMP_F32, CLUMP_F64, CLUMP_F64},
                 {CLUMP_I16, CLUMP_I32, CLUMP_I32}, {CLUMP_U8, CLUMP_F64, CLUMP_F64}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_assert_eq(clump_type_promote(cases[i].a, cases[i].b), cases[i].both, "case %zu", i);
        cr_assert_eq(clump_type_promote(cases[i].b, cases[i].a), cases[i].both, "case %zu", i);
    }
}

/* The integers that a number beside an image may be: the ends of the type and one beyond. */
Test(verbs, arith_takes_numbers_that_the_type_holds)
{
    struct memory memory;
    clump_context *context = open_context("reference", &memory);
    const uint16_t pixels[1] = {1};
    clump_image *image = upload(context, CLUMP_U16, 1, 1, pixels), *made = NULL;
    struct clump_operand a = {.image = image}, b = {.number = 65535, .whole = true};
    uint16_t value = 7;
    ok(clump_arith(context, &a, CLUMP_ARITH_ADD, &b, &made));
    ok(clump_image_download(made, &value));
    cr_assert_eq(value, 0); /* 65536 wraps around */
    clump_image_destroy(&made);
    b.number = 65536;
    cr_assert_eq(clump_arith(context, &a, CLUMP_ARITH_ADD, &b, &made), CLUMP_ERROR_ARGUMENT);
    cr_assert_contains(memory.text, "65536 does not fit");
    b.number = -1;
    cr_assert_eq(clump_arith(context, &a, CLUMP_ARITH_ADD, &b, &made), CLUMP_ERROR_ARGUMENT);
    cr_assert_eq(clump_arith(context, &b, CLUMP_ARITH_ADD, &b, &made), CLUMP_ERROR_ARGUMENT);
    cr_assert_eq(clump_arith(context, &a, CLUMP_ARITH_NOT, &b, &made), CLUMP_ERROR_ARGUMENT);
    cr_assert_eq(clump_arith(context, &a, CLUMP_ARITH_ADD, NULL, &made), CLUMP_ERROR_ARGUMENT);
    cr_assert_eq(clump_arith(context, &a, (enum clump_arith_op)8, &b, &made), CLUMP_ERROR_ARGUMENT);
    cr_assert_null(made);
    clump_image_destroy(&image);
    clump_context_destroy(&context);
}

/* A device without float64 compares integers on the host and finds the same. */
Test(verbs, allclose_without_float64)
{
    clump_context *context = open_context(NULL, NULL);
    const int32_t a[6] = {1, 2, 2147483647, -5, 100, 7}, b[6] = {1, 3, 2147483600, -5, 160, 7};
    clump_image *x = upload(context, CLUMP_I32, 2, 3, a), *y = upload(context, CLUMP_I32, 2, 3, b);
    struct clump_allclose_result with, without;
    ok(clump_allclose(context, x, y, NULL, &with));
    context->device.fp64 = false;
    ok(clump_allclose(context, x, y, NULL, &without));
    cr_assert_eq(with.differ, 2);
    cr_assert_eq(with.row, 1);
    cr_assert_eq(with.col, 1);
    cr_assert_eq(with.difference, 60);
    cr_assert_eq(without.differ, with.differ);
    cr_assert_eq(without.row, with.row);
    cr_assert_eq(without.col, with.col);
    cr_assert_eq(without.a, with.a);
    cr_assert_eq(without.difference, with.difference);
    clump_image_destroy(&x);
    clump_image_destroy(&y);
    clump_context_destroy(&context);
}

Test(verbs, crop_and_channel_refuse_what_is_not_there)
{
    struct memory memory;
    clump_context *context = open_context(NULL, &memory);
    const uint8_t rgb[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    uint8_t green[4];
    clump_image *image = upload(context, CLUMP_RGB, 2, 2, rgb), *made = NULL;
    cr_assert_eq(clump_crop(context, image, 0, 0, 0, 1, &made), CLUMP_ERROR_ARGUMENT);
    cr_assert_eq(clump_crop(context, image, 1, 0, 2, 1, &made), CLUMP_ERROR_ARGUMENT);
    cr_assert_eq(clump_crop(context, image, 0, 1, 1, UINT64_MAX, &made), CLUMP_ERROR_ARGUMENT);
    cr_assert_contains(memory.text, "no part of an image of 2 x 2");
    cr_assert_eq(clump_channel(context, image, 3, &made), CLUMP_ERROR_ARGUMENT);
    ok(clump_channel(context, image, 1, &made));
    cr_assert_eq(clump_image_type(made), CLUMP_U8);
    ok(clump_image_download(made, green));
    cr_assert(green[0] == 2 && green[3] == 11);
    cr_assert_eq(clump_channel(context, made, 1, &made), CLUMP_ERROR_ARGUMENT);
    clump_image_destroy(&made);
    clump_image_destroy(&image);
    clump_context_destroy(&context);
}

static void look_up(const char *device)
{
    struct memory memory;
    clump_context *context = open_context(device, &memory);
    const int16_t pixels[6] = {5, -3, 0, 5, 900, 7};
    const int64_t numbers[3] = {-3, 5, 7};
    const float colours[6] = {1, 2, 3, 4, 5, 6}, other[2] = {-1, -2};
    const float right[12] = {3, 4, 1, 2, -1, -2, 3, 4, -1, -2, 5, 6};
    float values[12];
    int32_t ranks[6];
    uint64_t count = 0;
    struct clump_lookup_table table = {.count = 3,
                                       .labels = numbers,
                                       .type = CLUMP_F32,
                                       .columns = 2,
                                       .values = colours,
                                       .otherwise = other};
    clump_image *image = upload(context, CLUMP_I16, 2, 3, pixels), *made = NULL;
    ok(clump_lookup(context, image, &table, &made));
    cr_assert(clump_image_rows(made) == 6 && clump_image_cols(made) == 2);
    ok(clump_image_download(made, values));
    cr_assert_arr_eq(values, right, sizeof right);
    clump_image_destroy(&made);
    const int64_t falling[3] = {-3, 7, 5};
    table.labels = falling;
    cr_assert_eq(clump_lookup(context, image, &table, &made), CLUMP_ERROR_ARGUMENT);
    cr_assert_contains(memory.text, "table.labels must rise, but number 2 is 5 after 7");
    table.labels = numbers;
    table.columns = CLUMP_LOOKUP_COLUMNS + 1;
    cr_assert_eq(clump_lookup(context, image, &table, &made), CLUMP_ERROR_ARGUMENT);
    cr_assert_contains(memory.text, "table.columns must be 1 to 16, not 17");
    cr_assert_eq(clump_relabel(context, image, &made, &count), CLUMP_ERROR_ARGUMENT);
    cr_assert(!made && !count);
    clump_image_destroy(&image);
    const uint16_t labels[6] = {50, 3, 0, 50, 900, 7};
    const int32_t renumbered[6] = {3, 1, 0, 3, 4, 2};
    image = upload(context, CLUMP_U16, 2, 3, labels);
    ok(clump_relabel(context, image, &made, &count));
    ok(clump_image_download(made, ranks));
    cr_assert_eq(count, 4);
    cr_assert_arr_eq(ranks, renumbered, sizeof ranks);
    clump_image_destroy(&made);
    clump_image_destroy(&image);
    clump_context_destroy(&context);
}

Test(verbs, lookup_and_relabel)
{
    look_up("reference");
    look_up(NULL);
}

/* 1, 2 and 4 have the variance 14/9, and its root squared is one step off. */
Test(verbs, the_variance_of_a_region_is_rounded_once)
{
    static const char *const devices[] = {"reference", NULL};
    for (int i = 0; i < 2; i++) {
        clump_context *context = open_context(devices[i], NULL);
        const uint8_t pixels[3] = {1, 2, 4}, labels[3] = {1, 1, 1};
        clump_image *image = upload(context, CLUMP_U8, 1, 3, pixels);
        clump_image *ones = upload(context, CLUMP_U8, 1, 3, labels);
        struct clump_region *regions = NULL;
        uint64_t count;
        ok(clump_measure(context, image, ones, NULL, &regions, &count));
        cr_assert_eq(regions->variance, 14.0 / 9);
        cr_assert_neq(regions->std * regions->std, regions->variance);
        clump_measure_destroy(&regions);
        clump_image_destroy(&ones);
        clump_image_destroy(&image);
        clump_context_destroy(&context);
    }
}

static enum clump_status some_call(clump_context *context, void *user)
{
    ++*(int *)user;
    uint64_t count;
    return *(int *)user > 1000 ? CLUMP_ERROR_FORMAT : clump_primes(context, 100, NULL, &count);
}

Test(verbs, benchmark_counts_its_calls)
{
    clump_context *context = open_context(NULL, NULL), *reference = open_context("reference", NULL);
    struct clump_benchmark_params params = {.warmup = 3, .repeats = 7, .most_ms = 1e9};
    struct clump_benchmark_result result;
    int calls = 0;
    ok(clump_benchmark(context, some_call, &calls, &params, &result));
    cr_assert_eq(calls, 10);
    cr_assert_eq(result.repeats, 7);
    cr_assert(result.host.min > 0 && result.host.min <= result.host.median);
    cr_assert(result.wall.mean >= result.host.mean && result.wall.std >= 0);
    cr_assert(context->opencl->has_events ? result.device.min > 0 : isnan(result.device.min));
    ok(clump_benchmark(reference, some_call, &calls, &params, &result));
    cr_assert(isnan(result.device.min) && result.host.min >= 0);
    params.most_ms = 1e-9;
    ok(clump_benchmark(reference, some_call, &calls, &params, &result));
    cr_assert_eq(result.repeats, 1);
    calls = 1000;
    cr_assert_eq(clump_benchmark(reference, some_call, &calls, &params, &result),
                 CLUMP_ERROR_FORMAT);
    params.repeats = 0;
    cr_assert_eq(clump_benchmark(reference, some_call, &calls, &params, &result),
                 CLUMP_ERROR_ARGUMENT);
    clump_context_destroy(&reference);
    clump_context_destroy(&context);
}

Test(verbs, profile_counts_transfers)
{
    enum { SIDE = 512 };
    static float pixels[SIDE * SIDE];
    clump_context *context = open_context(NULL, NULL), *reference = open_context("reference", NULL);
    struct clump_profile profile;
    ok(clump_profile_start(context, true));
    clump_image *image = upload(context, CLUMP_F32, SIDE, SIDE, pixels);
    ok(clump_profile_read(context, &profile));
    cr_assert_eq(profile.upload_bytes, sizeof pixels);
    cr_assert_eq(profile.download_bytes, 0);
    cr_assert_gt(profile.upload_ms, 0);
    ok(clump_image_download(image, pixels));
    ok(clump_profile_read(context, &profile));
    cr_assert_eq(profile.download_bytes, sizeof pixels);
    cr_assert_gt(profile.download_ms, 0);
    ok(clump_profile_start(reference, true));
    ok(clump_profile_read(reference, &profile));
    cr_assert(isnan(profile.device_ms) && isnan(profile.upload_ms) && isnan(profile.download_ms));
    clump_image_destroy(&image);
    clump_context_destroy(&reference);
    clump_context_destroy(&context);
}

/* NumPy's where, compress and reshape on a few pixels. */
Test(verbs, select_compress_and_reshape)
{
    clump_context *context = open_context(NULL, NULL);
    const uint8_t bits[6] = {1, 0, 0, 7, 1, 0};
    const int16_t pixels[6] = {-1, 2, -3, 4, -5, 6};
    clump_image *mask = upload(context, CLUMP_U8, 2, 3, bits);
    clump_image *image = upload(context, CLUMP_I16, 2, 3, pixels), *made = NULL;
    struct clump_operand a = {.image = image}, zero = {.whole = true}, real = {.number = 0.5};
    int16_t chosen[6], kept[3];
    double reals[6];
    uint64_t count = 0;
    ok(clump_select(context, mask, &a, &zero, &made));
    ok(clump_image_download(made, chosen));
    cr_assert_arr_eq(chosen, ((int16_t[]){-1, 0, 0, 4, -5, 0}), sizeof chosen);
    clump_image_destroy(&made);
    ok(clump_select(context, mask, &real, &a, &made));
    ok(clump_image_download(made, reals));
    cr_assert_eq(clump_image_type(made), CLUMP_F64);
    cr_assert_arr_eq(reals, ((double[]){0.5, 2, -3, 0.5, 0.5, 6}), sizeof reals);
    clump_image_destroy(&made);
    ok(clump_compress(context, image, mask, &made, &count));
    ok(clump_image_download(made, kept));
    cr_assert_eq(count, 3);
    cr_assert_arr_eq(kept, ((int16_t[]){-1, 4, -5}), sizeof kept);
    clump_image_destroy(&made);
    ok(clump_reshape(context, image, 3, 2, &made));
    ok(clump_image_download(made, chosen));
    cr_assert(clump_image_rows(made) == 3 && clump_image_cols(made) == 2);
    cr_assert_arr_eq(chosen, pixels, sizeof pixels);
    clump_image_destroy(&made);
    cr_assert_eq(clump_reshape(context, image, 4, 2, &made), CLUMP_ERROR_ARGUMENT);
    clump_image_destroy(&mask);
    clump_image_destroy(&image);
    clump_context_destroy(&context);
}

/* Where nothing is set there is no row: an image of no pixels cannot be. */
Test(verbs, compress_of_nothing_makes_no_image)
{
    clump_context *context = open_context(NULL, NULL);
    const uint8_t pixels[3] = {0};
    clump_image *image = upload(context, CLUMP_U8, 1, 3, pixels), *made = NULL;
    uint64_t count = 7;
    ok(clump_compress(context, image, image, &made, &count));
    cr_assert_eq(count, 0);
    cr_assert_null(made);
    clump_image_destroy(&image);
    clump_context_destroy(&context);
}

/* scipy.ndimage.binary_erosion([[1,1,1]], [[1,1,1]], border_value=0) is [[0,1,0]], and so on. */
Test(verbs, morphology_borders)
{
    clump_context *context = open_context(NULL, NULL);
    static const struct {
        enum clump_morphology_operation operation;
        enum clump_morphology_border border;
        uint8_t from, to[3];
    } cases[] = {
        {CLUMP_MORPHOLOGY_EROSION, CLUMP_MORPHOLOGY_BORDER_NEUTRAL, 1, {1, 1, 1}},
        {CLUMP_MORPHOLOGY_EROSION, CLUMP_MORPHOLOGY_BORDER_CLEAR, 1, {0, 1, 0}},
        {CLUMP_MORPHOLOGY_EROSION, CLUMP_MORPHOLOGY_BORDER_SET, 1, {1, 1, 1}},
        {CLUMP_MORPHOLOGY_DILATION, CLUMP_MORPHOLOGY_BORDER_CLEAR, 0, {0, 0, 0}},
        {CLUMP_MORPHOLOGY_DILATION, CLUMP_MORPHOLOGY_BORDER_SET, 0, {1, 0, 1}},
    };
    const uint8_t cells[3] = {1, 1, 1};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct clump_morphology_params params = clump_morphology_defaults;
        const uint8_t pixels[3] = {cases[i].from, cases[i].from, cases[i].from};
        clump_image *image = upload(context, CLUMP_U8, 1, 3, pixels), *made = NULL, *bytes = NULL;
        uint8_t got[3];
        params.operation = cases[i].operation;
        params.border = cases[i].border;
        params.footprint = (struct clump_footprint){.kind = CLUMP_FOOTPRINT_CUSTOM,
                                                    .rows = 1,
                                                    .cols = 3,
                                                    .cells = cells};
        ok(clump_morphology(context, image, &params, &made));
        ok(clump_convert(context, made, CLUMP_U8, &bytes));
        ok(clump_image_download(bytes, got));
        cr_assert_arr_eq(got, cases[i].to, 3, "case %zu", i);
        clump_image_destroy(&bytes);
        clump_image_destroy(&made);
        clump_image_destroy(&image);
    }
    clump_context_destroy(&context);
}
