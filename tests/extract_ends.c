/* SPDX-License-Identifier: MIT */
/* Extraction of skies at the ends of what can be, each with a defined answer, on both sides. */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <clump/extract.h>

#define SIDE 128
#define AREA (SIDE * SIDE)

static struct memory memory;
static const char *const devices[] = {"reference", NULL};

/* Noise of about 1 on a level of 50, and stars of a width of 1.5 at every 32nd pixel. */
static void draw(float *pixels)
{
    uint64_t state = 12345;
    for (int i = 0; i < AREA; i++) {
        double sum = 50, dx = i % SIDE % 32 - 16, dy = i / SIDE % 32 - 16;
        for (int k = 0; k < 4; k++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            sum += ((double)(state >> 40) * 0x1p-24 - 0.5) * 1.7320508;
        }
        pixels[i] = (float)(sum + 60 * exp(-(dx * dx + dy * dy) / 4.5));
    }
}

/* Extracts a field and compares the device with the reference; returns the reference's objects. */
static struct clump_extract_result extract_both(const float *pixels, const uint8_t *mask,
                                                struct clump_extract_field_params params)
{
    struct clump_extract_result found[2];
    for (int d = 0; d < 2; d++) {
        clump_context *c = open_context(devices[d], &memory);
        clump_image *image = NULL, *bad = NULL;
        ok(clump_image_upload(c, CLUMP_F32, SIDE, SIDE, pixels, &image));
        if (mask)
            ok(clump_image_upload(c, CLUMP_U8, SIDE, SIDE, mask, &bad));
        params.extract.mask = bad;
        ok(clump_extract_field(c, image, &params, NULL, NULL, &found[d]));
        clump_image_destroy(&bad);
        clump_image_destroy(&image);
        clump_context_destroy(&c);
    }
    cr_assert_eq(found[0].count, found[1].count);
    if (found[0].count)
        cr_expect_arr_eq(found[0].objects, found[1].objects,
                         found[0].count * sizeof *found[0].objects);
    clump_extract_release(&found[1]);
    return found[0];
}

/* Counts the stars of draw() among objects. */
static int count_stars(const struct clump_extract_result *found)
{
    int stars = 0;
    for (uint64_t i = 0; i < found->count; i++) {
        double dx = fmod(found->objects[i].x, 32) - 16, dy = fmod(found->objects[i].y, 32) - 16;
        stars += fabs(dx) < 0.5 && fabs(dy) < 0.5;
    }
    return stars;
}

Test(extract_ends, all_masked_or_blank, .timeout = 240)
{
    static float pixels[AREA];
    static uint8_t mask[AREA];
    draw(pixels);
    memset(mask, 1, sizeof mask);
    struct clump_extract_result found = extract_both(pixels, mask, clump_extract_field_defaults);
    cr_expect_eq(found.count, 0);
    clump_extract_release(&found);
    for (int i = 0; i < AREA; i++)
        pixels[i] = NAN;
    found = extract_both(pixels, NULL, clump_extract_field_defaults);
    cr_expect_eq(found.count, 0);
    clump_extract_release(&found);
}

/* A box without a good pixel takes its neighbours' level: stars elsewhere are found as before. */
Test(extract_ends, a_box_without_pixels, .timeout = 240)
{
    static float pixels[AREA];
    static uint8_t mask[AREA];
    draw(pixels);
    struct clump_extract_result found = extract_both(pixels, NULL, clump_extract_field_defaults);
    cr_expect_eq(count_stars(&found), 16);
    clump_extract_release(&found);
    for (int i = 0; i < AREA; i++)
        mask[i] = i / SIDE < 64 && i % SIDE < 64;
    found = extract_both(pixels, mask, clump_extract_field_defaults);
    cr_expect_eq(count_stars(&found), 12);
    clump_extract_release(&found);
}

Test(extract_ends, a_blank_edge, .timeout = 240)
{
    static float pixels[AREA];
    draw(pixels);
    for (int i = 0; i < AREA; i++)
        if (i % SIDE < 20 || i / SIDE > 121)
            pixels[i] = i % 2 ? NAN : INFINITY;
    struct clump_extract_result found = extract_both(pixels, NULL, clump_extract_field_defaults);
    cr_expect_eq(count_stars(&found), 12);
    for (uint64_t i = 0; i < found.count; i++) {
        cr_expect(isfinite(found.objects[i].flux) && isfinite(found.objects[i].flux_auto));
        cr_expect_geq(found.objects[i].xmin, 20);
        cr_expect_leq(found.objects[i].ymax, 121);
    }
    clump_extract_release(&found);
}

/* A saturated half: one object there has the flag, and the level is that of the other half. */
Test(extract_ends, a_saturated_half, .timeout = 240)
{
    static float pixels[AREA];
    struct clump_extract_field_params params = clump_extract_field_defaults;
    draw(pixels);
    for (int i = 0; i < AREA / 2; i++)
        pixels[i] = 65535;
    params.saturation = 60000;
    params.extract.noise = 1;
    params.background.mesh_width = params.background.mesh_height = SIDE;
    struct clump_extract_result found = extract_both(pixels, NULL, params);
    uint64_t saturated = 0, largest = 0;
    for (uint64_t i = 0; i < found.count; i++) {
        saturated += (found.objects[i].flag & CLUMP_OBJECT_SATURATED) != 0;
        largest = found.objects[i].npix > largest ? found.objects[i].npix : largest;
    }
    cr_expect_eq(saturated, 1);
    cr_expect_geq(largest, AREA / 2);
    clump_extract_release(&found);
}

/* What stands below the background has positive fluxes of its own, by isophote and by ellipse. */
Test(extract_ends, a_negative, .timeout = 240)
{
    static float pixels[AREA], turned[AREA];
    struct clump_extract_field_params params = clump_extract_field_defaults;
    draw(pixels);
    for (int i = 0; i < AREA; i++)
        turned[i] = 100 - pixels[i];
    struct clump_extract_result plain = extract_both(pixels, NULL, params);
    params.extract.negative = true;
    struct clump_extract_result found = extract_both(turned, NULL, params);
    cr_expect_eq(count_stars(&found), 16);
    cr_assert_eq(found.count, plain.count);
    for (uint64_t i = 0; i < found.count; i++) {
        cr_expect_float_eq(found.objects[i].flux, plain.objects[i].flux, 1);
        cr_expect_float_eq(found.objects[i].flux_auto, plain.objects[i].flux_auto, 2);
    }
    clump_extract_release(&found);
    clump_extract_release(&plain);
}

/* Every second pixel an object of its own: a quarter of them all, in the order of the rows. */
Test(extract_ends, objects_side_by_side, .timeout = 240)
{
    enum { ROWS = 1024, COLS = 1024 };
    float *pixels = calloc(ROWS * COLS, sizeof *pixels);
    for (int i = 0; i < ROWS * COLS; i++)
        pixels[i] = i / COLS % 2 && i % COLS % 2 ? 10 : 0;
    clump_context *c = open_context(NULL, &memory);
    clump_image *image = NULL;
    struct clump_extract_params params = clump_extract_defaults;
    struct clump_extract_result found;
    ok(clump_image_upload(c, CLUMP_F32, ROWS, COLS, pixels, &image));
    params.min_area = 1;
    params.filter = NULL;
    params.noise = 1;
    ok(clump_extract(c, image, &params, NULL, NULL, &found));
    cr_assert_eq(found.count, ROWS * COLS / 4);
    for (uint64_t i = 0; i < found.count; i++) {
        cr_assert_eq(found.objects[i].xmin, 2 * (i % (COLS / 2)) + 1);
        cr_assert_eq(found.objects[i].ymin, 2 * (i / (COLS / 2)) + 1);
    }
    clump_extract_release(&found);
    clump_image_destroy(&image);
    clump_context_destroy(&c);
    free(pixels);
}

/* A given segmentation: the detected objects again, others by any number, none for bad pixels. */
Test(extract_ends, a_given_segmentation, .timeout = 240)
{
    static float pixels[AREA];
    static int32_t numbers[AREA];
    draw(pixels);
    for (int i = 0; i < AREA; i++)
        pixels[i] -= 50;
    for (int d = 0; d < 2; d++) {
        clump_context *c = open_context(devices[d], &memory);
        clump_image *image = NULL, *segments = NULL, *again = NULL, *given = NULL;
        struct clump_extract_params params = clump_extract_defaults;
        struct clump_extract_result found, same, other;
        ok(clump_image_upload(c, CLUMP_F32, SIDE, SIDE, pixels, &image));
        params.noise = 1;
        params.deblend_levels = 1;
        ok(clump_extract(c, image, &params, &segments, NULL, &found));
        ok(clump_image_download(segments, numbers));
        for (int i = 0; i < AREA; i++)
            numbers[i] = numbers[i] ? 1000000 * numbers[i] : -(i % 3);
        ok(clump_image_upload(c, CLUMP_I32, SIDE, SIDE, numbers, &given));
        params.segmentation = given;
        ok(clump_extract(c, image, &params, &again, NULL, &same));
        cr_assert_eq(same.count, found.count);
        cr_expect_arr_eq(same.objects, found.objects, found.count * sizeof *found.objects);
        ok(clump_image_download(again, numbers));
        cr_expect_eq(numbers[16 * SIDE + 16], 1);
        params.mask = image; /* nowhere 0 */
        ok(clump_extract(c, image, &params, NULL, NULL, &other));
        cr_expect_eq(other.count, 0);
        clump_extract_release(&other);
        clump_extract_release(&same);
        clump_extract_release(&found);
        clump_image_destroy(&given);
        clump_image_destroy(&again);
        clump_image_destroy(&segments);
        clump_image_destroy(&image);
        clump_context_destroy(&c);
    }
}
