/* SPDX-License-Identifier: MIT */
/* What the background must be: the assertions of SEP's own tests, and inputs that are not usual. */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct memory memory;
static clump_context *context;

static void set_up(void) { context = open_context(NULL, &memory); }
static void tear_down(void) { clump_context_destroy(&context); }

TestSuite(background, .init = set_up, .fini = tear_down, .timeout = 120);

/* The maps of an image of floats. */
struct maps {
    float *back, *rms, *subtracted;
    struct clump_background_result result;
};

static float *fetch(clump_image *image, uint64_t n)
{
    float *pixels = malloc(n * sizeof *pixels);
    ok(clump_image_download(image, pixels));
    clump_image_destroy(&image);
    return pixels;
}

static struct maps measure(const float *pixels, uint64_t rows, uint64_t cols, const uint8_t *mask,
                           const struct clump_background_params *params)
{
    struct maps maps;
    clump_image *image = NULL, *masked = NULL, *back = NULL, *rms = NULL, *subtracted = NULL;
    ok(clump_image_upload(context, CLUMP_F32, rows, cols, pixels, &image));
    if (mask)
        ok(clump_image_upload(context, CLUMP_U8, rows, cols, mask, &masked));
    ok(clump_background(context, image, masked, params, &back, &rms, &subtracted, &maps.result));
    maps.back = fetch(back, rows * cols);
    maps.rms = fetch(rms, rows * cols);
    maps.subtracted = fetch(subtracted, rows * cols);
    clump_image_destroy(&masked);
    clump_image_destroy(&image);
    return maps;
}

static void release(struct maps *maps)
{
    free(maps->back);
    free(maps->rms);
    free(maps->subtracted);
}

static float *noise(uint64_t n, float level)
{
    uint64_t state = 7;
    float *pixels = malloc(n * sizeof *pixels);
    for (uint64_t i = 0; i < n; i++) {
        double sum = -6;
        for (int k = 0; k < 12; k++) {
            state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
            sum += (double)(state >> 11) * 0x1p-53;
        }
        pixels[i] = level + 5 * (float)sum;
    }
    return pixels;
}

/* Boxes of a side, without a filter. */
static struct clump_background_params boxes(uint64_t side)
{
    struct clump_background_params params = clump_background_defaults;
    params.mesh_width = params.mesh_height = side;
    params.filter_width = params.filter_height = 1;
    return params;
}

static void expect_all(const float *values, uint64_t n, float value)
{
    for (uint64_t i = 0; i < n; i++)
        cr_assert_eq(values[i], value, "pixel %zu is %g, not %g", (size_t)i, (double)values[i],
                     (double)value);
}

Test(background, masked_peaks) /* SEP: test_masked_background */
{
    float data[36];
    uint8_t mask[36] = {0};
    struct clump_background_params params = boxes(3);
    for (int i = 0; i < 36; i++)
        data[i] = 0.1f;
    data[1 * 6 + 1] = data[4 * 6 + 1] = 1;
    data[1 * 6 + 4] = data[4 * 6 + 4] = 1;
    struct maps plain = measure(data, 6, 6, NULL, &params);
    struct maps none = measure(data, 6, 6, mask, &params);
    cr_expect_arr_eq(plain.back, none.back, sizeof data);
    cr_expect_arr_eq(plain.rms, none.rms, sizeof data);
    for (int i = 0; i < 36; i++)
        mask[i] = data[i] > 0.5f;
    struct maps masked = measure(data, 6, 6, mask, &params);
    cr_expect_float_eq(masked.result.level, 0.1, 1e-7);
    expect_all(masked.back, 36, 0.1f);
    cr_expect_eq(masked.result.used, 32);
    release(&plain);
    release(&none);
    release(&masked);
}

Test(background, subtracts_its_own_level) /* SEP: test_background_special */
{
    float *data = noise(150 * 100, 1000);
    struct maps maps = measure(data, 150, 100, NULL, NULL);
    for (int i = 0; i < 150 * 100; i++)
        cr_assert_eq(maps.subtracted[i], data[i] - maps.back[i]);
    cr_expect_float_eq(maps.result.level, 1000, 0.5);
    cr_expect_float_eq(maps.result.rms, 5, 0.2);
    release(&maps);
    free(data);
}

Test(background, box_as_large_as_the_image) /* SEP: test_background_boxsize */
{
    float *data = noise(70 * 50, 3);
    const uint64_t sides[] = {70, 100, UINT64_C(1) << 40};
    for (int i = 0; i < 3; i++) {
        struct clump_background_params params = boxes(sides[i]);
        struct maps maps = measure(data, 70, 50, NULL, &params);
        cr_expect_eq(maps.result.mesh_rows * maps.result.mesh_cols, 1);
        expect_all(maps.back, 70 * 50, (float)maps.result.level);
        expect_all(maps.rms, 70 * 50, (float)maps.result.rms);
        release(&maps);
    }
    free(data);
}

Test(background, constant_image_has_a_constant_map)
{
    float data[129 * 129];
    for (int i = 0; i < 129 * 129; i++)
        data[i] = 117.3f;
    struct maps maps = measure(data, 129, 129, NULL, NULL); /* a corner box of one pixel */
    expect_all(maps.back, 129 * 129, 117.3f);
    expect_all(maps.rms, 129 * 129, 0);
    cr_expect_eq(maps.result.rms, 1, "no box has an rms above 0");
    cr_expect_eq(maps.result.mesh_rows, 3);
    release(&maps);
}

Test(background, half_of_a_box_is_enough)
{
    float data[16];
    struct clump_background_params params = boxes(4);
    for (int i = 0; i < 16; i++)
        data[i] = i < 8 ? 2 : NAN;
    struct maps half = measure(data, 4, 4, NULL, &params);
    cr_expect_eq(half.result.bad, 0);
    expect_all(half.back, 16, 2);
    cr_expect(isnan(half.subtracted[15]) && half.subtracted[0] == 0);
    data[0] = INFINITY;
    struct maps less = measure(data, 4, 4, NULL, &params);
    cr_expect_eq(less.result.bad, 1);
    expect_all(less.back, 16, 0);
    expect_all(less.rms, 16, 1);
    release(&half);
    release(&less);
}

Test(background, nothing_to_measure) /* all blank, and all masked */
{
    float *data = noise(130 * 70, 9);
    uint8_t *mask = malloc(130 * 70);
    memset(mask, 1, 130 * 70);
    struct maps maps = measure(data, 130, 70, mask, NULL);
    cr_expect_eq(maps.result.level, 0);
    cr_expect_eq(maps.result.rms, 1);
    cr_expect_eq(maps.result.bad, 6);
    cr_expect_eq(maps.result.used, 0);
    expect_all(maps.back, 130 * 70, 0);
    expect_all(maps.rms, 130 * 70, 1);
    release(&maps);
    free(mask);
    free(data);
}

Test(background, blank_edge_takes_the_neighbours)
{
    float *data = noise(192 * 192, 50);
    for (int i = 0; i < 192 * 192; i++)
        if (i % 192 < 64 || i / 192 >= 150)
            data[i] = i % 3 ? NAN : -INFINITY;
    struct maps maps = measure(data, 192, 192, NULL, NULL);
    cr_expect_eq(maps.result.bad, 5);
    for (int i = 0; i < 192 * 192; i++)
        cr_assert_float_eq(maps.back[i], 50, 1, "pixel %d is %g", i, (double)maps.back[i]);
    release(&maps);
    free(data);
}

Test(background, one_box_of_many_pixels) /* integers of 23 bits, where a box has 2^18 pixels */
{
    float *data = noise(512 * 512, 100);
    struct clump_background_params params = boxes(512);
    data[77] = 9e29f;
    struct maps maps = measure(data, 512, 512, NULL, &params);
    cr_expect_float_eq(maps.result.level, 100, 0.1);
    cr_expect_float_eq(maps.result.rms, 5, 0.1);
    release(&maps);
    free(data);
}

Test(background, boxes_that_cannot_be)
{
    const float data[4] = {0};
    clump_image *image = NULL, *mask = NULL;
    struct clump_background_result result;
    struct clump_background_params params = boxes(0);
    ok(clump_image_upload(context, CLUMP_F32, 2, 2, data, &image));
    ok(clump_image_upload(context, CLUMP_F32, 1, 4, data, &mask));
#define refused(call, words)                                                                       \
    do {                                                                                           \
        memory = (struct memory){0};                                                               \
        cr_expect_eq((call), CLUMP_ERROR_ARGUMENT);                                                \
        cr_expect_eq(memory.errors, 1);                                                            \
        cr_assert_contains(memory.text, (words));                                                  \
    } while (0)
    refused(clump_background(context, image, NULL, &params, NULL, NULL, NULL, &result),
            "mesh_width and mesh_height must be 1 or more");
    params = boxes(2);
    refused(clump_background(context, image, mask, &params, NULL, NULL, NULL, &result),
            "the mask is 1 x 4, but the image is 2 x 2");
    params.filter_threshold = -1;
    refused(clump_background(context, image, NULL, &params, NULL, NULL, NULL, &result),
            "filter_threshold must be 0 or more");
    params.filter_threshold = 0;
    params.mask_threshold = (double)NAN;
    refused(clump_background(context, image, NULL, &params, NULL, NULL, NULL, &result),
            "mask_threshold must be a number");
    clump_image_destroy(&mask);
    clump_image_destroy(&image);
}
