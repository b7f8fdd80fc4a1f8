/* SPDX-License-Identifier: MIT */
/* What is refused: with which status, in one line, and with nothing touched. */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct memory memory;
static clump_context *context, *other;
static clump_image *image, *f64, *u8, *bits, *labels, *rgb, *wide, *foreign, *mapped;

static clump_image *make(clump_context *where, enum clump_type type, uint64_t rows, uint64_t cols)
{
    clump_image *made = NULL;
    void *zeros = calloc(rows, clump_type_row_bytes(type, cols));
    ok(clump_image_upload(where, type, rows, cols, zeros, &made));
    free(zeros);
    return made;
}

static void set_up(void)
{
    void *pixels;
    context = open_context("reference", &memory);
    other = open_context("reference", NULL);
    image = make(context, CLUMP_F32, 3, 5);
    f64 = make(context, CLUMP_F64, 3, 5);
    u8 = make(context, CLUMP_U8, 3, 5);
    bits = make(context, CLUMP_BITS, 3, 5);
    labels = make(context, CLUMP_I32, 3, 5);
    rgb = make(context, CLUMP_RGB, 3, 5);
    wide = make(context, CLUMP_F32, 3, 6);
    foreign = make(other, CLUMP_F32, 3, 5);
    mapped = make(context, CLUMP_F32, 3, 5);
    ok(clump_image_map(mapped, CLUMP_IMAGE_READ, &pixels));
}

static void tear_down(void)
{
    clump_image **all[] = {&image, &f64, &u8, &bits, &labels, &rgb, &wide, &foreign, &mapped};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        clump_image_destroy(all[i]);
    clump_context_destroy(&context);
    clump_context_destroy(&other);
}

TestSuite(arguments, .init = set_up, .fini = tear_down, .timeout = 60);

/* The call must fail with ARGUMENT and one line that has `part` in it. */
#define refused(call, part)                                                                        \
    do {                                                                                           \
        memory = (struct memory){0};                                                               \
        cr_expect_eq((call), CLUMP_ERROR_ARGUMENT, "%s", #call);                                   \
        cr_expect_eq(memory.errors, 1, "%s logs: %s", #call, memory.text);                         \
        cr_expect(strstr(memory.text, (part)), "%s does not say \"%s\": %s", #call, (part),        \
                  memory.text);                                                                    \
    } while (0)

static clump_image *const untouched = (clump_image *)&memory;

/* What every operation refuses of its first image, in a call that uses the name `x` for it. */
#define refuses_images(call, wrong, what)                                                          \
    do {                                                                                           \
        const clump_image *x = NULL;                                                               \
        refused(call, "no " what);                                                                 \
        x = foreign;                                                                               \
        refused(call, "another context");                                                          \
        x = mapped;                                                                                \
        refused(call, "is mapped");                                                                \
        x = (const clump_image *)&memory;                                                          \
        refused(call, "is not an image");                                                          \
        x = wrong;                                                                                 \
        refused(call, "; clump_convert makes one");                                                \
    } while (0)

Test(arguments, convert)
{
    clump_image *out = untouched;
    const clump_image *x = NULL;
    refused(clump_convert(context, x, CLUMP_U8, &out), "no image");
    refused(clump_convert(context, foreign, CLUMP_U8, &out), "another context");
    refused(clump_convert(context, mapped, CLUMP_U8, &out), "is mapped");
    refused(clump_convert(context, image, CLUMP_TYPE_COUNT, &out), "not a pixel type");
    refused(clump_convert(context, image, (enum clump_type) - 1, &out), "not a pixel type");
    refused(clump_convert(context, image, CLUMP_U8, NULL), "no place");
    cr_expect_eq(clump_convert(NULL, image, CLUMP_U8, &out), CLUMP_ERROR_ARGUMENT);
    cr_expect_eq(out, untouched);
}

Test(arguments, convolve)
{
    clump_image *out = untouched;
    const double weights[] = {1, 2, 3, 4, 5, 6, 7, 8}, bad[] = {1, NAN}, large[] = {1, 1e300};
    const struct clump_weights row = {1, 2, weights}, tall = {4, 2, weights};
    struct clump_convolve_params p = clump_convolve_defaults;
    refuses_images(clump_convolve(context, x, &row, NULL, &out), rgb, "image");
    refused(clump_convolve(context, image, NULL, NULL, &out), "no kernel");
    refused(clump_convolve(context, image, &(struct clump_weights){1, 2, NULL}, NULL, &out),
            "no kernel");
    refused(clump_convolve(context, image, &(struct clump_weights){0, 2, weights}, NULL, &out),
            "0 x 2");
    refused(clump_convolve(context, image, &(struct clump_weights){1, 2, bad}, NULL, &out),
            "column 1");
    refused(clump_convolve(context, image, &(struct clump_weights){1, 2, large}, NULL, &out),
            "not finite in float32");
    refused(clump_convolve(context, image, &row, NULL, NULL), "no place");
    p.mode = CLUMP_CONVOLVE_MODE_VALID;
    refused(clump_convolve(context, image, &tall, &p, &out), "both ways");
    p.mode = (enum clump_convolve_mode)3;
    refused(clump_convolve(context, image, &row, &p, &out), "not a mode");
    p = clump_convolve_defaults;
    p.boundary = (enum clump_boundary)5;
    refused(clump_convolve(context, image, &row, &p, &out), "not a boundary");
    p = clump_convolve_defaults;
    p.method = (enum clump_convolve_method)6;
    refused(clump_convolve(context, image, &row, &p, &out), "not a method");
    p = clump_convolve_defaults;
    p.blank = (enum clump_blank_rule)2;
    refused(clump_convolve(context, image, &row, &p, &out), "not a rule");
    refused(clump_convolve_1d(context, image, &row, NULL, &out), "one row");
    refused(clump_convolve_1d(context, image, &tall, NULL, &out), "one row");
    cr_expect_eq(out, untouched);
    ok(clump_convolve(context, f64, &(struct clump_weights){1, 2, large}, NULL, &out));
    clump_image_destroy(&out);
}

Test(arguments, gaussian)
{
    clump_image *out = untouched;
    const double bad[] = {-1, INFINITY, NAN};
    struct clump_gaussian_params p = clump_gaussian_defaults;
    refuses_images(clump_gaussian(context, x, NULL, &out), rgb, "image");
    refused(clump_gaussian(context, rgb, NULL, &out),
            "gaussian: the image must have type bits, uint8, uint16, int16, int32, uint32, int64, "
            "float32 or float64, not rgb; clump_convert makes one");
    refused(clump_gaussian(context, image, NULL, NULL), "no place");
    for (int i = 0; i < 3; i++) {
        p = clump_gaussian_defaults;
        p.sigma_rows = bad[i];
        refused(clump_gaussian(context, image, &p, &out), "sigma");
        p = clump_gaussian_defaults;
        p.sigma_cols = bad[i];
        refused(clump_gaussian(context, image, &p, &out), "sigma");
        p = clump_gaussian_defaults;
        p.truncate = bad[i];
        refused(clump_gaussian(context, image, &p, &out), "truncate");
    }
    p = clump_gaussian_defaults;
    p.sigma_cols = 1e9;
    refused(clump_gaussian(context, image, &p, &out), "radius");
    p = clump_gaussian_defaults;
    p.boundary = (enum clump_boundary) - 1;
    refused(clump_gaussian(context, image, &p, &out), "not a boundary");
    p = clump_gaussian_defaults;
    p.blank = (enum clump_blank_rule)7;
    refused(clump_gaussian(context, image, &p, &out), "not a rule");
    cr_expect_eq(out, untouched);
}

Test(arguments, stats)
{
    const double wanted[] = {0.5, 1.5}, negative[] = {-0.1}, nan[] = {NAN};
    double found[2];
    struct clump_stats_result r = {.count = 77}, *result = &r;
    struct clump_stats_params p = {.quantiles = wanted, .quantile_count = 2};
    refuses_images(clump_stats(context, x, NULL, NULL, result), bits, "image");
    refused(clump_stats(context, rgb, NULL, NULL, result), "; clump_convert makes one");
    refused(clump_stats(context, image, NULL, NULL, NULL), "no place");
    refused(clump_stats(context, image, &p, found, result), "1.5");
    refused(clump_stats(context, image, &p, NULL, result), "no place for them");
    p.quantiles = NULL;
    refused(clump_stats(context, image, &p, found, result), "no list");
    p = (struct clump_stats_params){.quantiles = negative, .quantile_count = 1};
    refused(clump_stats(context, image, &p, found, result), "-0.1");
    p.quantiles = nan;
    refused(clump_stats(context, image, &p, found, result), "not between 0 and 1");
    cr_expect_eq(r.count, 77);
}

Test(arguments, clip)
{
    const double bad[] = {0, -3, NAN, -INFINITY};
    clump_image *mask = untouched, *kept = untouched;
    struct clump_clip_result r = {.kept = 77}, *result = &r;
    struct clump_clip_params p = clump_clip_defaults;
    refuses_images(clump_clip(context, x, NULL, &mask, &kept, result), bits, "image");
    refused(clump_clip(context, image, NULL, &mask, &kept, NULL), "no place");
    for (int i = 0; i < 4; i++) {
        p = clump_clip_defaults;
        p.kappa_low = bad[i];
        refused(clump_clip(context, image, &p, &mask, &kept, result), "kappa");
        p = clump_clip_defaults;
        p.kappa_high = bad[i];
        refused(clump_clip(context, image, &p, &mask, &kept, result), "kappa");
    }
    p = clump_clip_defaults;
    p.centre = (enum clump_clip_centre)2;
    refused(clump_clip(context, image, &p, &mask, &kept, result), "not a centre");
    p = clump_clip_defaults;
    p.scale = (enum clump_clip_scale)2;
    refused(clump_clip(context, image, &p, &mask, &kept, result), "not a scale");
    cr_expect(mask == untouched && kept == untouched && r.kept == 77);
}

Test(arguments, otsu)
{
    const float blank[] = {NAN, NAN}, infinite[] = {1, INFINITY};
    double threshold = 77;
    clump_image *bad = NULL;
    refuses_images(clump_otsu(context, x, &threshold), bits, "image");
    refused(clump_otsu(context, image, NULL), "no place");
    ok(clump_image_upload(context, CLUMP_F32, 1, 2, blank, &bad));
    refused(clump_otsu(context, bad, &threshold), "blank");
    clump_image_destroy(&bad);
    ok(clump_image_upload(context, CLUMP_F32, 1, 2, infinite, &bad));
    refused(clump_otsu(context, bad, &threshold), "infinite");
    clump_image_destroy(&bad);
    cr_expect_eq(threshold, 77);
}

Test(arguments, threshold)
{
    clump_image *mask = untouched;
    uint64_t count = 77;
    struct clump_threshold_params p = clump_threshold_defaults;
    refuses_images(clump_threshold(context, x, NULL, &mask, &count), bits, "image");
    refused(clump_threshold(context, image, NULL, NULL, &count), "no place");
    p.above = NAN;
    refused(clump_threshold(context, image, &p, &mask, &count), "not NaN");
    p = clump_threshold_defaults;
    p.output = CLUMP_U16;
    refused(clump_threshold(context, image, &p, &mask, &count), "uint16");
    p = clump_threshold_defaults;
    p.hysteresis = true;
    p.low = 1;
    refused(clump_threshold(context, image, &p, &mask, &count), "greater");
    p.low = NAN;
    refused(clump_threshold(context, image, &p, &mask, &count), "not NaN");
    p.low = -1;
    p.connectivity = 6;
    refused(clump_threshold(context, image, &p, &mask, &count), "not 6");
    p.connectivity = 8;
    p.map = image;
    refused(clump_threshold(context, image, &p, &mask, &count), "not a map");
    p.hysteresis = false;
    p.map = wide;
    refused(clump_threshold(context, image, &p, &mask, &count), "3 x 6 float32");
    p.map = f64;
    refused(clump_threshold(context, image, &p, &mask, &count), "float64");
    p.map = foreign;
    refused(clump_threshold(context, image, &p, &mask, &count), "another context");
    cr_expect(mask == untouched && count == 77);
}

static enum clump_status morphology(struct clump_footprint footprint, clump_image **out)
{
    struct clump_morphology_params p = clump_morphology_defaults;
    p.footprint = footprint;
    return clump_morphology(context, bits, &p, out);
}

Test(arguments, morphology)
{
    const uint8_t cells[4] = {0};
    clump_image *out = untouched;
    struct clump_morphology_params p = clump_morphology_defaults;
    refuses_images(clump_morphology(context, x, NULL, &out), rgb, "mask");
    refused(clump_morphology(context, bits, NULL, NULL), "no place");
    refused(morphology((struct clump_footprint){CLUMP_FOOTPRINT_DISK, 32, 0, 0, NULL}, &out),
            "not 32");
    refused(morphology((struct clump_footprint){CLUMP_FOOTPRINT_DIAMOND, 32, 0, 0, NULL}, &out),
            "not 32");
    refused(morphology((struct clump_footprint){CLUMP_FOOTPRINT_SQUARE, 64, 0, 0, NULL}, &out),
            "not 64");
    refused(morphology((struct clump_footprint){CLUMP_FOOTPRINT_SQUARE, 0, 0, 0, NULL}, &out),
            "not 0");
    refused(morphology((struct clump_footprint){CLUMP_FOOTPRINT_CUSTOM, 0, 2, 2, cells}, &out),
            "no cell");
    refused(morphology((struct clump_footprint){CLUMP_FOOTPRINT_CUSTOM, 0, 2, 2, NULL}, &out),
            "no cells");
    refused(morphology((struct clump_footprint){CLUMP_FOOTPRINT_CUSTOM, 0, 64, 2, cells}, &out),
            "64 x 2");
    refused(morphology((struct clump_footprint){CLUMP_FOOTPRINT_CUSTOM, 0, 2, 0, cells}, &out),
            "2 x 0");
    refused(morphology((struct clump_footprint){(enum clump_footprint_kind)9, 1, 0, 0, NULL}, &out),
            "kind");
    p.operation = (enum clump_morphology_operation)6;
    refused(clump_morphology(context, bits, &p, &out), "not an operation");
    p.operation = CLUMP_MORPHOLOGY_REMOVE;
    p.connectivity = 5;
    refused(clump_morphology(context, bits, &p, &out), "not 5");
    cr_expect_eq(out, untouched);
}

Test(arguments, label)
{
    clump_image *out = untouched;
    uint64_t count = 77;
    refuses_images(clump_label(context, x, NULL, &out, &count), rgb, "mask");
    refused(clump_label(context, bits, &(struct clump_label_params){0}, &out, &count), "not 0");
    refused(clump_label(context, bits, NULL, &out, NULL), "no place");
    cr_expect(out == untouched && count == 77);
}

Test(arguments, measure)
{
    const int32_t negative[] = {1, -1};
    struct clump_region *regions = (struct clump_region *)&memory;
    uint64_t count = 77;
    clump_image *bad = NULL;
    refuses_images(clump_measure(context, image, x, NULL, &regions, &count), rgb, "label image");
    refused(clump_measure(context, wide, labels, NULL, &regions, &count), "3 x 6");
    refused(clump_measure(context, bits, labels, NULL, &regions, &count),
            "; clump_convert makes one");
    refused(clump_measure(context, foreign, labels, NULL, &regions, &count), "another context");
    refused(clump_measure(context, mapped, labels, NULL, &regions, &count), "is mapped");
    refused(clump_measure(context, image, labels, NULL, NULL, &count), "regions");
    refused(clump_measure(context, image, labels, NULL, &regions, NULL), "count");
    refused(clump_measure(context, image, bits, &(struct clump_measure_params){.connectivity = 3},
                          &regions, &count),
            "not 3");
    ok(clump_image_upload(context, CLUMP_I32, 1, 2, negative, &bad));
    refused(clump_measure(context, NULL, bad, NULL, &regions, &count),
            "label -1 at row 0, column 1 is negative");
    clump_image_destroy(&bad);
    ok(clump_image_upload(context, CLUMP_F32, 1, 2, (const float[]){1.5f, 2.5f}, &bad));
    refused(clump_measure(context, NULL, bad, NULL, &regions, &count),
            "label 1.5 at row 0, column 0 is not a whole number");
    clump_image_destroy(&bad);
    ok(clump_image_upload(context, CLUMP_F64, 1, 2, (const double[]){NAN, 0x1p63}, &bad));
    refused(clump_measure(context, NULL, bad, NULL, &regions, &count), "column 1 is beyond int64");
    clump_image_destroy(&bad);
    cr_expect(regions == (struct clump_region *)&memory && count == 77);
    clump_measure_destroy(NULL);
    regions = NULL;
    clump_measure_destroy(&regions);
}

Test(arguments, label2rgb)
{
    const double bad[] = {-0.1, 1.1, NAN};
    clump_image *out = untouched;
    struct clump_label2rgb_params p = clump_label2rgb_defaults;
    refuses_images(clump_label2rgb(context, x, NULL, NULL, &out), rgb, "label image");
    clump_image *half = NULL;
    ok(clump_image_upload(context, CLUMP_F64, 1, 2, (const double[]){1, 2.5}, &half));
    refused(clump_label2rgb(context, half, NULL, NULL, &out), "label 2.5 at row 0, column 1");
    clump_image_destroy(&half);
    refused(clump_label2rgb(context, labels, wide, NULL, &out), "3 x 6");
    refused(clump_label2rgb(context, labels, rgb, NULL, &out), "; clump_convert makes one");
    refused(clump_label2rgb(context, labels, foreign, NULL, &out), "another context");
    refused(clump_label2rgb(context, labels, NULL, NULL, NULL), "no place");
    for (int i = 0; i < 3; i++) {
        p = clump_label2rgb_defaults;
        p.alpha = bad[i];
        refused(clump_label2rgb(context, labels, image, &p, &out), "alpha");
        p = clump_label2rgb_defaults;
        p.image_alpha = bad[i];
        refused(clump_label2rgb(context, labels, image, &p, &out), "alpha");
    }
    p = clump_label2rgb_defaults;
    p.high = 0;
    refused(clump_label2rgb(context, labels, image, &p, &out), "low");
    p.high = INFINITY;
    refused(clump_label2rgb(context, labels, image, &p, &out), "low");
    p.high = NAN;
    refused(clump_label2rgb(context, labels, image, &p, &out), "low");
    cr_expect_eq(out, untouched);
}

Test(arguments, primes)
{
    clump_image *mask = untouched;
    uint64_t count = 77;
    refused(clump_primes(context, (UINT32_C(1) << 31) + 1, &mask, &count), "2147483648");
    refused(clump_primes(context, 10, &mask, NULL), "no place");
    cr_expect_eq(clump_primes(NULL, 10, &mask, &count), CLUMP_ERROR_ARGUMENT);
    cr_expect(mask == untouched && count == 77);
}

/* Where one object of defaults contains another, the same figures stand in both. */
Test(arguments, defaults_within_defaults)
{
    struct clump_label2rgb_params colours = clump_cells_defaults.colours;
    cr_expect(isnan(colours.low) && isnan(colours.high)); /* chosen by the image */
    colours.low = clump_label2rgb_defaults.low;
    colours.high = clump_label2rgb_defaults.high;
    cr_expect_eq(memcmp(&colours, &clump_label2rgb_defaults, sizeof colours), 0);
    cr_expect_eq(memcmp(&clump_find_defaults.clip, &clump_clip_defaults,
                        sizeof clump_clip_defaults),
                 0);
    cr_expect_eq(clump_context_defaults.log.level, clump_log_defaults.level);
}
