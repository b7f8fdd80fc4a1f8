/* SPDX-License-Identifier: MIT */
/* Extraction: what SEP's own tests ask of it, and inputs at the ends of what can be. */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <clump/extract.h>

static struct memory memory;
static const char *const devices[] = {"reference", NULL};

/* Noise of about 1 that is the same on every machine. */
static void add_noise(float *pixels, uint64_t n)
{
    uint64_t state = 12345;
    for (uint64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 0; k < 4; k++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            sum += (double)(state >> 40) * 0x1p-24 - 0.5;
        }
        pixels[i] += (float)(sum * 1.7320508);
    }
}

static void add_star(float *pixels, uint64_t rows, uint64_t cols, double x, double y, double height,
                     double sigma)
{
    for (uint64_t r = 0; r < rows; r++)
        for (uint64_t c = 0; c < cols; c++) {
            double dx = (double)c - x, dy = (double)r - y;
            pixels[r * cols + c] +=
                (float)(height * exp(-(dx * dx + dy * dy) / (2 * sigma * sigma)));
        }
}

Test(extract, defaults_of_a_field_are_those_of_its_parts)
{
    const struct clump_extract_field_params *field = &clump_extract_field_defaults;
    cr_expect_arr_eq(&field->extract, &clump_extract_defaults, sizeof clump_extract_defaults);
    cr_expect_arr_eq(&field->background, &clump_background_defaults,
                     sizeof clump_background_defaults);
}

/* A matched filter finds both sources through bad pixels, and one on the last rows. */
Test(extract, matched_filter_ignores_bad_pixels, .timeout = 240)
{
    float image[400] = {0}, noise[400];
    static const int kernel[3][3] = {{1, 2, 1}, {2, 4, 2}, {1, 2, 1}};
    for (int i = 0; i < 400; i++)
        noise[i] = 1;
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) {
            image[(5 + j) * 20 + 5 + i] += 3 * (float)kernel[j][i];
            image[(2 + j) * 20 + 13 + i] += 3 * (float)kernel[j][i];
        }
    image[12 * 20 + 12] = 1e6f; /* a bad pixel that tells so itself */
    noise[12 * 20 + 12] = 1e30f;
    for (int d = 0; d < 2; d++) {
        clump_context *c = open_context(devices[d], &memory);
        clump_image *pixels = upload(c, CLUMP_F32, 20, 20, image),
                    *map = upload(c, CLUMP_F32, 20, 20, noise);
        struct clump_extract_params params = clump_extract_defaults;
        struct clump_extract_result found;
        params.thresh = 2;
        params.noise_map = map;
        params.min_area = 1;
        ok(clump_extract(c, pixels, &params, NULL, NULL, &found));
        cr_assert_eq(found.count, 2);
        cr_expect_float_eq(found.objects[0].x, 14, 1e-7);
        cr_expect_float_eq(found.objects[0].y, 3, 1e-7);
        cr_expect_float_eq(found.objects[1].x, 6, 1e-7);
        cr_expect_float_eq(found.objects[1].y, 6, 1e-7);
        clump_extract_release(&found);
        clump_image_destroy(&map);
        clump_image_destroy(&pixels);
        clump_context_destroy(&c);
    }
}

/* No noise, a map of ones and a map of anything give the same objects, but for errors. */
Test(extract, noise_of_one_changes_errors_alone, .timeout = 240)
{
    static float image[64 * 64], ones[64 * 64];
    add_star(image, 64, 64, 20, 30, 50, 2);
    add_star(image, 64, 64, 45.5, 12.25, 20, 1.5);
    for (int i = 0; i < 64 * 64; i++)
        ones[i] = 1;
    for (int d = 0; d < 2; d++) {
        clump_context *c = open_context(devices[d], &memory);
        clump_image *pixels = upload(c, CLUMP_F32, 64, 64, image),
                    *map = upload(c, CLUMP_F32, 64, 64, ones);
        struct clump_extract_params params = clump_extract_defaults;
        struct clump_extract_result plain, mapped;
        params.filter = NULL;
        params.deblend_contrast = 1;
        ok(clump_extract(c, pixels, &params, NULL, NULL, &plain));
        params.noise_map = map;
        ok(clump_extract(c, pixels, &params, NULL, NULL, &mapped));
        cr_assert_eq(plain.count, 2);
        cr_assert_eq(mapped.count, 2);
        for (uint64_t i = 0; i < 2; i++) {
            struct clump_object *o = &mapped.objects[i];
            const struct clump_object *p = &plain.objects[i];
            cr_expect_gt(o->errx2, 0);
            cr_expect_gt(o->snr, 0);
            o->errx2 = p->errx2, o->erry2 = p->erry2, o->errxy = p->errxy;
            o->fluxerr = p->fluxerr, o->snr = p->snr;
            cr_expect_arr_eq(o, p, sizeof *o);
        }
        clump_extract_release(&mapped);
        clump_extract_release(&plain);
        clump_image_destroy(&map);
        clump_image_destroy(&pixels);
        clump_context_destroy(&c);
    }
}

/* Masked pixels belong to no object; a segmentation has as many pixels as npix says. */
Test(extract, masks_and_segmentations_agree_with_objects, .timeout = 240)
{
    static float image[128 * 128];
    static uint8_t mask[128 * 128];
    static int32_t labels[128 * 128];
    add_noise(image, 128 * 128);
    for (int i = 0; i < 40; i++)
        add_star(image, 128, 128, 7 + 29 * (i % 5) + i % 3, 6 + 15 * (i / 5), 10 + 3 * i, 1.5);
    memset(mask, 1, 64 * 128);
    for (int d = 0; d < 2; d++) {
        clump_context *c = open_context(devices[d], &memory);
        clump_image *pixels = upload(c, CLUMP_F32, 128, 128, image), *bad = NULL, *segments = NULL;
        struct clump_extract_params params = clump_extract_defaults;
        struct clump_extract_result found;
        ok(clump_image_upload(c, CLUMP_U8, 128, 128, mask, &bad));
        params.noise = 1;
        params.mask = bad;
        ok(clump_extract(c, pixels, &params, &segments, NULL, &found));
        ok(clump_image_download(segments, labels));
        cr_assert_gt(found.count, 5);
        for (uint64_t i = 0; i < found.count; i++) {
            uint64_t counted = 0;
            for (int p = 0; p < 128 * 128; p++)
                counted += labels[p] == (int32_t)i + 1;
            cr_expect_eq(counted, found.objects[i].npix);
            cr_expect_geq(found.objects[i].ymin, 64);
        }
        clump_extract_release(&found);
        clump_image_destroy(&segments);
        clump_image_destroy(&bad);
        clump_image_destroy(&pixels);
        clump_context_destroy(&c);
    }
}

/* Two large Gaussians that touch: both survive, and their Kron fluxes are right. */
Test(extract, two_touching_gaussians_have_their_fluxes, .timeout = 240)
{
    static float image[200 * 300];
    add_noise(image, 200 * 300);
    for (int i = 0; i < 200 * 300; i++)
        image[i] *= 0.02f;
    add_star(image, 200, 300, 120, 100, 1, 10);
    add_star(image, 200, 300, 180, 100, 0.5, 10);
    clump_context *c = open_context("reference", &memory);
    clump_image *pixels = upload(c, CLUMP_F32, 200, 300, image), *segments = NULL;
    struct clump_extract_params params = clump_extract_defaults;
    struct clump_extract_result found;
    params.thresh = 1.2;
    params.noise = 0.02;
    ok(clump_extract(c, pixels, &params, &segments, NULL, &found));
    ok(clump_extract_photometry(c, pixels, segments, &params, found.objects, found.count));
    uint64_t large = 0;
    for (uint64_t i = 0; i < found.count; i++) {
        const struct clump_object *o = &found.objects[i];
        double truth = 2 * M_PI * 100 * (o->x < 150 ? 1 : 0.5);
        if (o->npix < 100)
            continue;
        large++;
        cr_expect_float_eq(o->flux_auto, truth, 0.06 * truth, "%g not %g", o->flux_auto, truth);
        cr_expect_float_eq(o->flux_radius, 11.77, 0.8);
    }
    cr_expect_eq(large, 2);
    clump_extract_release(&found);
    clump_image_destroy(&segments);
    clump_image_destroy(&pixels);
    clump_context_destroy(&c);
}

/* Nothing, everything, and one object as large as the image. */
Test(extract, images_at_the_ends, .timeout = 240)
{
    static float image[400 * 400];
    for (int d = 0; d < 2; d++) {
        clump_context *c = open_context(devices[d], &memory);
        struct clump_extract_params params = clump_extract_defaults;
        struct clump_extract_result found;
        params.noise = 1;
        for (int i = 0; i < 400 * 400; i++)
            image[i] = 100 + (float)(i % 7);
        clump_image *pixels = upload(c, CLUMP_F32, 400, 400, image);
        ok(clump_extract(c, pixels, &params, NULL, NULL, &found));
        cr_assert_eq(found.sources, 1);
        cr_expect_geq(found.objects[0].npix, 1);
        clump_extract_release(&found);
        params.deblend_contrast = 1;
        ok(clump_extract(c, pixels, &params, NULL, NULL, &found));
        cr_assert_eq(found.count, 1);
        cr_expect_eq(found.objects[0].npix, 400 * 400);
        cr_expect_float_eq(found.objects[0].x, 199.5, 0.1);
        cr_expect_eq(found.objects[0].flag, CLUMP_OBJECT_TRUNCATED);
        clump_extract_release(&found);
        params.mask = pixels; /* which is nowhere 0 */
        ok(clump_extract(c, pixels, &params, NULL, NULL, &found));
        cr_expect_eq(found.count, 0);
        clump_extract_release(&found);
        clump_image_destroy(&pixels);
        clump_context_destroy(&c);
    }
}

/* A blend of many peaks: every third pixel of every third row. */
Test(extract, a_blend_of_many_peaks, .timeout = 240)
{
    static float image[300 * 300];
    for (int i = 0; i < 300 * 300; i++)
        image[i] = i / 300 % 3 == 1 && i % 300 % 3 == 1 ? 100 : 2;
    uint64_t counts[2];
    for (int d = 0; d < 2; d++) {
        clump_context *c = open_context(devices[d], &memory);
        clump_image *pixels = upload(c, CLUMP_F32, 300, 300, image);
        struct clump_extract_params params = clump_extract_defaults;
        struct clump_extract_result found;
        params.noise = 1;
        params.filter = NULL;
        params.min_area = 1;
        params.deblend_contrast = 0;
        params.clean = false;
        ok(clump_extract(c, pixels, &params, NULL, NULL, &found));
        counts[d] = found.count;
        clump_extract_release(&found);
        clump_image_destroy(&pixels);
        clump_context_destroy(&c);
    }
    cr_expect_eq(counts[0], 10000);
    cr_expect_eq(counts[1], 10000);
}

#define refused_with(call, word)                                                                   \
    do {                                                                                           \
        memory = (struct memory){0};                                                               \
        cr_expect_eq((call), CLUMP_ERROR_ARGUMENT, "%s", #call);                                   \
        cr_expect_eq(memory.errors, 1);                                                            \
        cr_expect(strstr(memory.text, word), "%s", memory.text);                                   \
    } while (0)

Test(extract, what_is_refused)
{
    const float zeros[4] = {0};
    clump_context *c = open_context("reference", &memory);
    clump_image *image = upload(c, CLUMP_F32, 2, 2, zeros),
                *other = upload(c, CLUMP_F32, 1, 4, zeros);
    struct clump_extract_result found = {.count = 7};
    struct clump_extract_params p = clump_extract_defaults;
    const struct clump_weights nothing = {.rows = 2, .cols = 2, .weights = (double[4]){0}};
    const struct clump_weights huge = {.rows = 1024, .cols = 1, .weights = (double[1]){1}};
    p.thresh = 0;
    refused_with(clump_extract(c, image, &p, NULL, NULL, &found), "thresh");
    p.thresh = NAN;
    refused_with(clump_extract(c, image, &p, NULL, NULL, &found), "thresh");
    p = clump_extract_defaults;
    p.low = 2;
    refused_with(clump_extract(c, image, &p, NULL, NULL, &found), "low");
    p = clump_extract_defaults;
    p.deblend_levels = 256;
    refused_with(clump_extract(c, image, &p, NULL, NULL, &found), "levels");
    p = clump_extract_defaults;
    p.deblend_contrast = 1.5;
    refused_with(clump_extract(c, image, &p, NULL, NULL, &found), "contrast");
    p = clump_extract_defaults;
    p.min_area = 0;
    refused_with(clump_extract(c, image, &p, NULL, NULL, &found), "min_area");
    p = clump_extract_defaults;
    p.filter = &nothing;
    refused_with(clump_extract(c, image, &p, NULL, NULL, &found), "filter");
    p.filter = &huge;
    refused_with(clump_extract(c, image, &p, NULL, NULL, &found), "1023");
    p = clump_extract_defaults;
    p.noise_map = other;
    refused_with(clump_extract(c, image, &p, NULL, NULL, &found), "1 x 4");
    p.noise_map = image;
    p.noise = 1;
    refused_with(clump_extract(c, image, &p, NULL, NULL, &found), "noise");
    cr_expect_eq(found.count, 7);
    clump_image_destroy(&other);
    clump_image_destroy(&image);
    clump_context_destroy(&c);
}
