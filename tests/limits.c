/* SPDX-License-Identifier: MIT */
/*
 * Counters, packed fields and bands at their largest value and one past it: docs/limits.md has
 * them all. Images are as small as the limit allows, of few values, with answers known beforehand.
 */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/core/opencl.h"

__extension__ typedef __int128 wide;

/* A context of either layout whose statistics are made by one worker, which is given the most that
 * a worker can be given. */
static clump_context *open_layout(enum clump_context_layout layout)
{
    static struct memory memory;
    struct clump_context_params params = clump_context_defaults;
    clump_context *context = NULL;
    params.device = getenv("CLUMP_TEST_DEVICE");
    params.log = remember(&memory);
    params.layout = layout;
    cr_assert_eq(clump_context_create(&params, &context), CLUMP_OK, "%s", memory.text);
    if (!context->opencl)
        cr_skip_test("SKIPPED: no OpenCL device");
    context->opencl->layout.stats_workers = 1;
    return context;
}

/* An image of one column whose pixels are all `value`, but for those that `stats` takes into its
 * sample first and last, which are `low` and `high`: so different that it makes no narrow bins. */
static clump_image *make_image(clump_context *context, enum clump_type type, uint64_t n,
                               int64_t value, int64_t low, int64_t high)
{
    enum { SAMPLES = 512, ENDS = 16 };
    clump_image *image;
    void *pixels;
    uint64_t stride = n / SAMPLES;
    ok(clump_image_create(context, type, n, 1, &image));
    ok(clump_image_map(image, CLUMP_IMAGE_WRITE, &pixels));
    for (uint64_t i = 0; i < n; i++)
        if (type == CLUMP_U8)
            ((uint8_t *)pixels)[i] = (uint8_t)value;
        else if (type == CLUMP_I32)
            ((int32_t *)pixels)[i] = (int32_t)value;
        else
            ((int64_t *)pixels)[i] = value;
    for (uint64_t i = 0; i < SAMPLES; i++) {
        uint64_t at = i * stride + (uint32_t)(i * 2654435761u >> 7) % stride;
        if (i >= ENDS && i < SAMPLES - ENDS)
            continue;
        int64_t end = i < ENDS ? low : high;
        if (type == CLUMP_U8)
            ((uint8_t *)pixels)[at] = (uint8_t)end;
        else if (type == CLUMP_I32)
            ((int32_t *)pixels)[at] = (int32_t)end;
        else
            ((int64_t *)pixels)[at] = end;
    }
    ok(clump_image_unmap(image));
    return image;
}

/* Statistics of make_image by the table of bins. */
static void check_table(clump_context *context, enum clump_type type, uint64_t n, int64_t value,
                        int64_t low, int64_t high)
{
    struct clump_stats_params params = {.mad = true};
    struct clump_stats_result result;
    clump_image *image = make_image(context, type, n, value, low, high);
    wide sum = (wide)value * (int64_t)(n - 32) + 16 * (wide)low + 16 * (wide)high;
    ok(clump_stats(context, image, &params, NULL, &result));
    cr_expect_eq(result.count, n, "count %lu of %lu pixels", (unsigned long)result.count,
                 (unsigned long)n);
    cr_expect_eq(result.sum, (double)sum, "n %lu: sum %.17g, not %.17g", (unsigned long)n,
                 result.sum, (double)sum);
    cr_expect_eq(result.min, (double)(low < value ? low : value));
    cr_expect_eq(result.max, (double)(high > value ? high : value));
    cr_expect_eq(result.median, (double)value);
    cr_expect_eq(result.mad, 0);
    clump_image_destroy(&image);
}

/* A bin of a worker's slice counts in 24 bits, and sums 16 bits of each pixel in 40. */
static void fill_a_bin(enum clump_context_layout layout)
{
    static const uint64_t most = UINT64_C(1) << 24, chunk = 16384;
    static const uint64_t sizes[] = {most - chunk, most - chunk + 1, most - 1, most, most + 1};
    clump_context *context = open_layout(layout);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        check_table(context, CLUMP_U8, sizes[i], 0, 0, 0);
        check_table(context, CLUMP_I32, sizes[i], 0xffff, -0x40000000, 0x40000000);
    }
    for (size_t i = 0; i < 2; i++)
        check_table(context, CLUMP_I64, sizes[i], 0xffffffffffff, INT64_MIN / 2, INT64_MAX / 2);
    check_table(context, CLUMP_I64, most, 0, 0, 0);
    clump_context_destroy(&context);
}

Test(limits, a_bin_of_a_slice_is_filled_coarse) { fill_a_bin(CLUMP_CONTEXT_LAYOUT_COARSE); }
Test(limits, a_bin_of_a_slice_is_filled_fine) { fill_a_bin(CLUMP_CONTEXT_LAYOUT_FINE); }

/* An image with different pixels in every wide bin: all keys there are lie in one interval. */
static void want_every_key(enum clump_context_layout layout, enum clump_type type)
{
    enum { SIDE = 512 };
    clump_context *contexts[] = {open_layout(layout), open_context("reference", NULL)};
    double threshold[2] = {1, 2};
    for (int k = 0; k < 2; k++) {
        clump_image *image;
        void *pixels;
        ok(clump_image_create(contexts[k], type, SIDE, SIDE, &image));
        ok(clump_image_map(image, CLUMP_IMAGE_WRITE, &pixels));
        for (uint64_t i = 0; i < SIDE * SIDE; i++) {
            uint64_t low = i * i % 1009;
            if (type == CLUMP_I64)
                ((uint64_t *)pixels)[i] = (i / 4) << 48 | low;
            else
                ((uint32_t *)pixels)[i] = (uint32_t)((i / 4) << 16 | low);
        }
        ok(clump_image_unmap(image));
        ok(clump_otsu(contexts[k], image, &threshold[k]));
        clump_image_destroy(&image);
    }
    cr_expect_eq(threshold[0], threshold[1], "%.17g, not %.17g", threshold[0], threshold[1]);
    for (int k = 0; k < 2; k++)
        clump_context_destroy(&contexts[k]);
}

Test(limits, every_key_is_gathered_coarse)
{
    want_every_key(CLUMP_CONTEXT_LAYOUT_COARSE, CLUMP_I32);
    want_every_key(CLUMP_CONTEXT_LAYOUT_COARSE, CLUMP_U32);
}
Test(limits, every_key_is_gathered_fine)
{
    want_every_key(CLUMP_CONTEXT_LAYOUT_FINE, CLUMP_I32);
    want_every_key(CLUMP_CONTEXT_LAYOUT_FINE, CLUMP_I64);
}

/* Two results of a context of lowered bounds and of one of the usual ones. */
static void same_stats(const struct clump_stats_result *a, const struct clump_stats_result *b)
{
    cr_expect_eq(a->count, b->count, "count %lu, not %lu", (unsigned long)b->count,
                 (unsigned long)a->count);
    cr_expect_eq(a->sum, b->sum);
    cr_expect_eq(a->variance, b->variance);
    cr_expect_eq(a->min_row, b->min_row);
    cr_expect_eq(a->max_row, b->max_row);
    cr_expect_eq(a->median, b->median);
    cr_expect_eq(a->mad, b->mad);
}

static clump_image *make_noise(clump_context *context, uint64_t n)
{
    clump_image *image;
    void *pixels;
    uint32_t state = 1;
    ok(clump_image_create(context, CLUMP_F32, n, 1, &image));
    ok(clump_image_map(image, CLUMP_IMAGE_WRITE, &pixels));
    for (uint64_t i = 0; i < n; i++) {
        state = state * 1664525 + 1013904223;
        ((float *)pixels)[i] = (float)(state >> 8) * 0x1p-20f + (float)(i == n - 1) * 99;
    }
    ok(clump_image_unmap(image));
    return image;
}

/* Tables, histograms and sweeps take so many pixels at once; more are taken in bands, or by a
 * table. The last pixel is the greatest, so that it is seen to be there. */
static void cross_a_band(enum clump_context_layout layout)
{
    enum { BAND = 3 * 16384 };
    clump_context *plain = open_layout(layout), *lowered = open_layout(layout);
    lowered->opencl->bounds.table_pixels = BAND;
    lowered->opencl->bounds.otsu_pixels = BAND;
    lowered->opencl->bounds.sweep_pixels = BAND;
    for (uint64_t n = BAND - 1; n <= BAND + 1; n++)
        for (unsigned mad = 0; mad < 2; mad++) {
            struct clump_stats_params params = {.mad = mad};
            struct clump_stats_result a, b;
            double level_a, level_b;
            clump_image *image_a = make_noise(plain, n), *image_b = make_noise(lowered, n);
            params.mad = mad;
            ok(clump_stats(plain, image_a, &params, NULL, &a));
            ok(clump_stats(lowered, image_b, &params, NULL, &b));
            a.mad = mad ? a.mad : 0;
            b.mad = mad ? b.mad : 0;
            same_stats(&a, &b);
            cr_expect_eq(b.max_row, n - 1);
            ok(clump_otsu(plain, image_a, &level_a));
            ok(clump_otsu(lowered, image_b, &level_b));
            cr_expect_eq(level_a, level_b);
            clump_image_destroy(&image_a);
            clump_image_destroy(&image_b);
        }
    clump_context_destroy(&plain);
    clump_context_destroy(&lowered);
}

Test(limits, bands_of_pixels_are_added_up_coarse) { cross_a_band(CLUMP_CONTEXT_LAYOUT_COARSE); }
Test(limits, bands_of_pixels_are_added_up_fine) { cross_a_band(CLUMP_CONTEXT_LAYOUT_FINE); }

/*
 * The most contacts across borders of bands that join components: one per column, with 8
 * neighbours. Above each border every other pixel begins a component, below it the ones between
 * them do; a first column through the whole image has them join what began in an earlier band.
 */
static clump_image *make_borders(clump_context *context, uint64_t bands, uint64_t cols)
{
    enum { ROWS = 16 }; /* of a band */
    clump_image *mask;
    void *mapped;
    uint64_t words = (cols + 31) / 32;
    ok(clump_image_create(context, CLUMP_BITS, bands * ROWS, cols, &mask));
    ok(clump_image_map(mask, CLUMP_IMAGE_WRITE, &mapped));
    for (uint64_t y = 0; y < bands * ROWS; y++) {
        uint32_t *row = (uint32_t *)mapped + y * words, odd = y % ROWS == 0 && y > 0;
        for (uint64_t j = 0; j < words; j++)
            row[j] = odd ? 0xaaaaaaaa : y % ROWS == ROWS - 1 ? 0x55555555 : 0;
        row[0] |= 1;
    }
    ok(clump_image_unmap(mask));
    return mask;
}

static void touch_at_every_column(enum clump_context_layout layout)
{
    enum { BANDS = 8, COLS = 4096 };
    static const struct clump_label_params eight = {.connectivity = 8};
    clump_context *context = open_layout(layout), *reference = open_context("reference", NULL);
    clump_image *mask = make_borders(context, BANDS, COLS), *labels = NULL;
    clump_image *same = make_borders(reference, BANDS, COLS), *expected = NULL;
    void *a, *b;
    uint64_t count, number;
    context->opencl->layout.label_workers = BANDS;
    ok(clump_label(context, mask, &eight, &labels, &count));
    ok(clump_label(reference, same, &eight, &expected, &number));
    cr_expect_eq(count, number, "%lu components, not %lu", (unsigned long)count,
                 (unsigned long)number);
    ok(clump_image_map(labels, CLUMP_IMAGE_READ, &a));
    ok(clump_image_map(expected, CLUMP_IMAGE_READ, &b));
    cr_expect_arr_eq(a, b, (size_t)BANDS * 16 * COLS * sizeof(int32_t));
    clump_image_destroy(&labels);
    clump_image_destroy(&expected);
    clump_image_destroy(&mask);
    clump_image_destroy(&same);
    clump_context_destroy(&context);
    clump_context_destroy(&reference);
}

Test(limits, borders_of_bands_touch_at_every_column_coarse)
{
    touch_at_every_column(CLUMP_CONTEXT_LAYOUT_COARSE);
}
Test(limits, borders_of_bands_touch_at_every_column_fine)
{
    touch_at_every_column(CLUMP_CONTEXT_LAYOUT_FINE);
}

/* Hulls are made of the rows of all regions: here of 2, 3 and 5 rows. */
static void count_edges(enum clump_context_layout layout)
{
    static const int32_t labels[5][3] = {{1, 2, 3}, {1, 2, 3}, {0, 2, 3}, {0, 0, 3}, {0, 0, 3}};
    struct clump_measure_params params = clump_measure_defaults;
    clump_context *context = open_layout(layout);
    struct clump_region *regions = NULL;
    clump_image *image;
    uint64_t count;
    params.convex = true;
    ok(clump_image_upload(context, CLUMP_I32, 5, 3, labels, &image));
    context->opencl->bounds.edges = 10;
    ok(clump_measure(context, NULL, image, &params, &regions, &count));
    cr_expect_eq(regions[2].area_convex, 5);
    clump_measure_destroy(&regions);
    context->opencl->bounds.edges = 9;
    cr_expect_eq(clump_measure(context, NULL, image, &params, &regions, &count),
                 CLUMP_ERROR_UNSUPPORTED);
    clump_image_destroy(&image);
    clump_context_destroy(&context);
}

Test(limits, rows_of_hulls_coarse) { count_edges(CLUMP_CONTEXT_LAYOUT_COARSE); }
Test(limits, rows_of_hulls_fine) { count_edges(CLUMP_CONTEXT_LAYOUT_FINE); }

/* An image of a side that sums of squared rows do not hold is refused: nothing is read of it. */
Test(limits, a_side_that_is_too_long_to_measure)
{
    clump_context *context = open_layout(CLUMP_CONTEXT_LAYOUT_AUTO);
    struct clump_region *regions = NULL;
    clump_image *mask;
    uint64_t count;
    ok(clump_image_create(context, CLUMP_BITS, 1, (1u << 28) + 1, &mask));
    cr_expect_eq(clump_measure(context, NULL, mask, NULL, &regions, &count),
                 CLUMP_ERROR_UNSUPPORTED);
    clump_image_destroy(&mask);
    clump_context_destroy(&context);
}

/* Refused by their sizes too: masks of more pixels than 32 bits can number, and of sides that 31
 * bits do not hold. The masks only say that they are so large, since what is refused is not read.
 */
Test(limits, sizes_that_are_refused)
{
    clump_context *context = open_layout(CLUMP_CONTEXT_LAYOUT_AUTO);
    struct clump_region *regions = NULL;
    clump_image *mask, *result = NULL;
    uint64_t count;
    ok(clump_image_create(context, CLUMP_BITS, 1, 1, &mask));
    mask->rows = 65536;
    mask->cols = 65536; /* 2^32, of which the last has the place 2^32 - 1 */
    cr_expect_eq(clump_measure(context, NULL, mask, NULL, &regions, &count),
                 CLUMP_ERROR_UNSUPPORTED);
    mask->rows = 65535;
    mask->cols = 65537; /* 2^32 - 1 */
    cr_expect_eq(clump_measure(context, NULL, mask, NULL, &regions, &count),
                 CLUMP_ERROR_UNSUPPORTED);
    mask->rows = 1;
    mask->cols = (uint64_t)1 << 31;
    cr_expect_eq(clump_morphology(context, mask, NULL, &result), CLUMP_ERROR_UNSUPPORTED);
    mask->cols = 1;
    ok(clump_morphology(context, mask, NULL, &result));
    clump_image_destroy(&result);
    clump_image_destroy(&mask);
    clump_context_destroy(&context);
}

/* Numbers of runs have 31 bits: a mask of so many columns, every other one of which may begin a
 * run, and one more place per row, is taken or refused by its size. */
static void count_runs(enum clump_context_layout layout)
{
    enum { ROWS = 16, COLS = 99 };
    clump_context *context = open_layout(layout);
    clump_image *mask = make_borders(context, 1, COLS);
    uint64_t count;
    context->opencl->bounds.runs = ROWS * ((COLS + 1) / 2 + 1);
    ok(clump_label(context, mask, NULL, NULL, &count));
    context->opencl->bounds.runs--;
    cr_expect_eq(clump_label(context, mask, NULL, NULL, &count), CLUMP_ERROR_UNSUPPORTED);
    clump_image_destroy(&mask);
    clump_context_destroy(&context);
}

Test(limits, numbers_of_runs_coarse) { count_runs(CLUMP_CONTEXT_LAYOUT_COARSE); }
Test(limits, numbers_of_runs_fine) { count_runs(CLUMP_CONTEXT_LAYOUT_FINE); }

/* As many labels as one table of sums has rows, and one more: every pixel is a region. */
static void fill_a_table(enum clump_context_layout layout)
{
    enum { ROWS = 1 << 18 };
    struct clump_measure_params params = clump_measure_defaults;
    clump_context *context = open_layout(layout);
    params.brief = true;
    for (uint64_t n = ROWS; n <= ROWS + 1; n++) {
        struct clump_region *regions = NULL;
        clump_image *labels;
        uint64_t count, wrong = 0;
        void *mapped;
        ok(clump_image_create(context, CLUMP_I32, n, 1, &labels));
        ok(clump_image_map(labels, CLUMP_IMAGE_WRITE, &mapped));
        for (uint64_t i = 0; i < n; i++)
            ((int32_t *)mapped)[i] = (int32_t)(n - i);
        ok(clump_image_unmap(labels));
        ok(clump_measure(context, labels, labels, &params, &regions, &count));
        cr_expect_eq(count, n);
        for (uint64_t i = 0; i < count; i++)
            wrong += regions[i].area != 1 || regions[i].sum != (double)(i + 1) ||
                     regions[i].row_min != n - 1 - i;
        cr_expect_eq(wrong, 0, "%lu of %lu regions are wrong", (unsigned long)wrong,
                     (unsigned long)n);
        clump_measure_destroy(&regions);
        clump_image_destroy(&labels);
    }
    clump_context_destroy(&context);
}

Test(limits, a_table_of_sums_is_filled_coarse) { fill_a_table(CLUMP_CONTEXT_LAYOUT_COARSE); }
Test(limits, a_table_of_sums_is_filled_fine) { fill_a_table(CLUMP_CONTEXT_LAYOUT_FINE); }

/* A work-item counts 16384 pixels in halves of words; here all of them are above. */
static void set_all(enum clump_context_layout layout)
{
    enum { SHARE = 16384 };
    struct clump_threshold_params params = clump_threshold_defaults;
    clump_context *context = open_layout(layout);
    params.above = 0.5;
    for (unsigned output = CLUMP_BITS; output <= CLUMP_U8; output++)
        for (uint64_t n = SHARE - 1; n <= SHARE + 1; n++) {
            clump_image *image = make_image(context, CLUMP_U8, n, 1, 1, 1), *mask = NULL;
            uint64_t count;
            params.output = (enum clump_type)output;
            ok(clump_threshold(context, image, &params, &mask, &count));
            cr_expect_eq(count, n);
            clump_image_destroy(&mask);
            clump_image_destroy(&image);
        }
    clump_context_destroy(&context);
}

Test(limits, all_pixels_are_above_coarse) { set_all(CLUMP_CONTEXT_LAYOUT_COARSE); }
Test(limits, all_pixels_are_above_fine) { set_all(CLUMP_CONTEXT_LAYOUT_FINE); }

/* A chunk of a mask has COMPRESS_CHUNK words of bits; here all are set, at a chunk's end and past.
 */
static void keep_all(enum clump_context_layout layout)
{
    enum { CHUNK = 32 * 64 };
    clump_context *context = open_layout(layout);
    for (uint64_t n = 2 * CHUNK - 1; n <= 2 * CHUNK + 1; n++) {
        clump_image *image = make_image(context, CLUMP_U8, n, 3, 1, 2), *turned = NULL, *row = NULL;
        uint64_t count = 0;
        uint8_t *pixels = malloc(n), *kept = malloc(n);
        ok(clump_image_download(image, pixels));
        ok(clump_reshape(context, image, 1, n, &turned));
        ok(clump_compress(context, turned, turned, &row, &count));
        cr_assert_eq(count, n);
        ok(clump_image_download(row, kept));
        cr_expect_eq(memcmp(kept, pixels, n), 0);
        clump_image_destroy(&row);
        clump_image_destroy(&turned);
        clump_image_destroy(&image);
        free(kept);
        free(pixels);
    }
    clump_context_destroy(&context);
}

Test(limits, all_pixels_are_kept_coarse) { keep_all(CLUMP_CONTEXT_LAYOUT_COARSE); }
Test(limits, all_pixels_are_kept_fine) { keep_all(CLUMP_CONTEXT_LAYOUT_FINE); }
