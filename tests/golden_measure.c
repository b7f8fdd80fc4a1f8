/* SPDX-License-Identifier: MIT */
/* Measurements against scipy.ndimage and skimage.measure.regionprops. */
#include "golden.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NEAR 1e-9 /* relative, for what the libraries compute in floating point */

static double near(double scale) { return NEAR * (1 + fabs(scale)); }

static void expect_intensities(struct golden *g, const struct clump_region *r, double largest)
{
    golden_expect(g, "sum", r->sum, near(largest * (double)r->area));
    golden_expect(g, "mean", r->mean, near(largest));
    golden_expect(g, "std", r->std, 1e-7 * largest);
    golden_expect(g, "min", r->min, 0);
    golden_expect(g, "max", r->max, 0);
    golden_expect_count(g, "peak_row", r->peak_row);
    golden_expect_count(g, "peak_col", r->peak_col);
}

/* Opposite directions are one; round shapes have any. */
static void expect_orientation(struct golden *g, const struct clump_region *r)
{
    const double pi = 3.14159265358979323846;
    double wanted = golden_number(g), gap = fabs(r->orientation - wanted);
    bool round = fabs(r->moment_rr - r->moment_cc) < 1e-9 && fabs(r->moment_rc) < 1e-9;
    if (round)
        cr_expect_float_eq(fabs(r->orientation), pi / 4, 1e-12, "line %u", g->number);
    else
        cr_expect(fmin(gap, fabs(gap - pi)) < 1e-7, "line %u: orientation %g, must be %g",
                  g->number, r->orientation, wanted);
}

/* How much a weighted centre may be off: cancellation in the sum makes it worse. */
static double trust(const struct clump_region *r, double largest)
{
    return near(1e3) * (1 + largest * (double)r->area / fabs(r->sum));
}

static void expect_region(struct golden *g, const struct clump_region *r, double largest)
{
    golden_expect_count(g, "label", r->label);
    golden_expect_count(g, "area", r->area);
    expect_intensities(g, r, largest);
    double loose = trust(r, largest);
    golden_expect(g, "centroid_row", r->centroid_row, near(r->centroid_row));
    golden_expect(g, "centroid_col", r->centroid_col, near(r->centroid_col));
    golden_expect(g, "weighted_row", r->weighted_row, loose * (1 + fabs(r->weighted_row)));
    golden_expect(g, "weighted_col", r->weighted_col, loose * (1 + fabs(r->weighted_col)));
    golden_expect_count(g, "row_min", r->row_min);
    golden_expect_count(g, "col_min", r->col_min);
    golden_expect_count(g, "row_max", r->row_max);
    golden_expect_count(g, "col_max", r->col_max);
    golden_expect(g, "moment_rr", r->moment_rr, near(r->moment_rr));
    golden_expect(g, "moment_rc", r->moment_rc, near(r->moment_rr + r->moment_cc));
    golden_expect(g, "moment_cc", r->moment_cc, near(r->moment_cc));
    golden_expect(g, "weighted_rr", r->weighted_rr, loose * (1 + fabs(r->weighted_rr)));
    golden_expect(g, "weighted_rc", r->weighted_rc, loose * (1 + fabs(r->weighted_rc)));
    golden_expect(g, "weighted_cc", r->weighted_cc, loose * (1 + fabs(r->weighted_cc)));
    golden_expect(g, "axis_major", r->axis_major, near(r->axis_major));
    golden_expect(g, "axis_minor", r->axis_minor, 1e-6 * (1 + r->axis_major));
    expect_orientation(g, r);
    golden_expect(g, "eccentricity", r->eccentricity, 1e-7);
    golden_expect(g, "perimeter", r->perimeter, near(r->perimeter));
    golden_expect_count(g, "area_convex", r->area_convex);
    golden_expect(g, "solidity", r->solidity, near(1));
    golden_expect(g, "euler", (double)r->euler, 1e-9);
}

/* Labels 0 to 5 thrown about, or the components of a mask. */
static clump_image *make_labels(clump_context *context, const char *kind, uint64_t rows,
                                uint64_t cols, uint64_t seed, uint64_t permille)
{
    clump_image *mask = NULL, *labels = NULL;
    uint64_t count;
    if (!strcmp(kind, "scattered")) {
        int32_t *numbers = malloc(rows * cols * sizeof *numbers);
        for (uint64_t i = 0; i < rows * cols; i++)
            numbers[i] = (int32_t)(golden_draw(seed, i) % 6);
        ok(clump_image_upload(context, CLUMP_I32, rows, cols, numbers, &labels));
        free(numbers);
        return labels;
    }
    uint8_t *bytes = golden_mask(kind, rows, cols, seed, permille);
    mask = golden_upload_mask(context, bytes, rows, cols);
    ok(clump_label(context, mask, &(struct clump_label_params){8}, &labels, &count));
    clump_image_destroy(&mask);
    free(bytes);
    return labels;
}

static double largest_of(clump_context *context, const clump_image *image)
{
    struct clump_stats_result r;
    ok(clump_stats(context, image, NULL, NULL, &r));
    return fmax(fabs(r.min), fabs(r.max));
}

Test(golden, measure, .timeout = 300)
{
    clump_context *context = golden_context();
    struct golden g = golden_open("measure");
    struct clump_measure_params params = {4, true, true, true, false};
    while (golden_line(&g)) {
        cr_assert_str_eq(golden_word(&g), "image");
        enum clump_type type = golden_type(&g);
        const char *picture = golden_word(&g);
        const char *kind = golden_word(&g);
        uint64_t rows = golden_count(&g), cols = golden_count(&g), seed = golden_count(&g);
        uint64_t permille = golden_count(&g), wanted = golden_count(&g), count;
        if (!golden_takes(context, type)) {
            for (uint64_t i = 0; i < wanted; i++)
                golden_line(&g);
            continue;
        }
        clump_image *image = golden_image(context, type, picture, rows, cols, seed + 500);
        clump_image *labels = make_labels(context, kind, rows, cols, seed, permille);
        struct clump_region *regions = NULL;
        ok(clump_measure(context, image, labels, &params, &regions, &count));
        cr_assert_eq(count, wanted, "line %u", g.number);
        double largest = largest_of(context, image);
        for (uint64_t i = 0; i < count; i++) {
            cr_assert(golden_line(&g));
            expect_region(&g, &regions[i], largest);
        }
        clump_measure_destroy(&regions);
        clump_image_destroy(&labels);
        clump_image_destroy(&image);
    }
    golden_close(&g);
    clump_context_destroy(&context);
}

#define FAR       (3u << 20)
#define HALFWAY   (3u << 19)
#define FAR_WORDS (FAR / 32 + 2)

/* Sums by columns that take more than 64 bits, the least that do: 2^52 * 3 * 1365.5 of 64 pixels,
 * and 2^51 * 3 * 2730.75 of 32, are a little more than 2^64, and less without their low words. */
Test(golden, measure_far_columns, .timeout = 300)
{
    float *pixels = calloc(FAR + 64, sizeof *pixels);
    uint32_t *mask = calloc(FAR_WORDS, sizeof *mask);
    clump_context *context = golden_context();
    clump_image *image = NULL, *bits = NULL;
    struct clump_region *regions = NULL;
    uint64_t count;
    cr_assert(pixels && mask);
    pixels[0] = 0x1p24f - 1, mask[0] = 1; /* fixed-point values are 2^15 times the others */
    for (uint32_t i = 0; i < 64; i++)
        pixels[HALFWAY + i] = 2730.75f * 0x1p12f, pixels[FAR + i] = 1365.5f * 0x1p11f;
    mask[HALFWAY / 32] = mask[FAR / 32] = mask[FAR / 32 + 1] = UINT32_MAX;
    ok(clump_image_upload(context, CLUMP_F32, 1, FAR + 64, pixels, &image));
    ok(clump_image_upload(context, CLUMP_BITS, 1, FAR + 64, mask, &bits));
    ok(clump_measure(context, image, bits, NULL, &regions, &count));
    cr_assert_eq(count, 3);
    cr_expect_eq(regions[1].weighted_col, HALFWAY + 15.5, "%.9g", regions[1].weighted_col);
    cr_expect_eq(regions[1].weighted_cc, 85.25, "%.9g", regions[1].weighted_cc);
    cr_expect_eq(regions[2].weighted_col, FAR + 31.5, "%.9g", regions[2].weighted_col);
    cr_expect_eq(regions[2].weighted_cc, 341.25, "%.9g", regions[2].weighted_cc);
    clump_measure_destroy(&regions);
    clump_image_destroy(&bits);
    clump_image_destroy(&image);
    clump_context_destroy(&context);
    free(mask);
    free(pixels);
}
