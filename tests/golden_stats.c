/* SPDX-License-Identifier: MIT */
/* Statistics, clipping and Otsu against NumPy, astropy and scikit-image: to the bit. */
#include "golden.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double quantiles[] = {0.0, 0.001, 0.1, 0.25, 0.5, 0.77, 0.9, 1.0};
enum { QUANTILES = sizeof quantiles / sizeof *quantiles };

/* Reads type, kind, rows, cols, seed; NULL where the device does not take the type. */
static clump_image *read_image(struct golden *g, clump_context *context)
{
    enum clump_type type = golden_type(g);
    const char *kind = golden_word(g);
    uint64_t rows = golden_count(g), cols = golden_count(g), seed = golden_count(g);
    return golden_takes(context, type) ? golden_image(context, type, kind, rows, cols, seed) : NULL;
}

static void expect_stats(struct golden *g, const struct clump_stats_result *r)
{
    golden_expect_count(g, "count", r->count);
    golden_expect_count(g, "blank", r->blank);
    golden_expect_count(g, "infinite", r->infinite);
    golden_expect(g, "min", r->min, 0);
    golden_expect(g, "max", r->max, 0);
    golden_expect_count(g, "min_row", r->min_row);
    golden_expect_count(g, "min_col", r->min_col);
    golden_expect_count(g, "max_row", r->max_row);
    golden_expect_count(g, "max_col", r->max_col);
    golden_expect(g, "sum", r->sum, 0);
    golden_expect(g, "mean", r->mean, 0);
    golden_expect(g, "variance", r->variance, 0);
    golden_expect(g, "std", r->std, 0);
    golden_expect(g, "median", r->median, 0);
    golden_expect(g, "mad", r->mad, 0);
}

/* Without quantiles and MAD there is a shorter way to the same figures. */
static void expect_short(clump_context *context, const clump_image *image, uint32_t ddof,
                         struct clump_stats_result full)
{
    struct clump_stats_params params = {.ddof = ddof};
    struct clump_stats_result result;
    ok(clump_stats(context, image, &params, NULL, &result));
    cr_expect(isnan(result.mad));
    full.mad = result.mad; /* NaN has the same bits as NaN */
    cr_expect_arr_eq(&result, &full, sizeof full, "mean %a and %a, median %a and %a", result.mean,
                     full.mean, result.median, full.median);
}

Test(golden, stats, .timeout = 300)
{
    clump_context *context = golden_context();
    struct golden g = golden_open("stats");
    while (golden_line(&g)) {
        clump_image *image = read_image(&g, context);
        struct clump_stats_params params = {quantiles, QUANTILES, (uint32_t)golden_count(&g), true};
        struct clump_stats_result result;
        double found[QUANTILES];
        if (!image)
            continue;
        ok(clump_stats(context, image, &params, found, &result));
        expect_stats(&g, &result);
        for (int i = 0; i < QUANTILES; i++)
            golden_expect(&g, "quantile", found[i], 0);
        expect_short(context, image, params.ddof, result);
        clump_image_destroy(&image);
    }
    golden_close(&g);
    clump_context_destroy(&context);
}

static void expect_kept(struct golden *g, const clump_image *mask, const clump_image *kept)
{
    uint64_t rows = clump_image_rows(mask), cols = clump_image_cols(mask);
    uint8_t *bytes = golden_download_mask(mask);
    golden_expect_hash(g, "the mask", bytes, rows * cols);
    free(bytes);
    void *pixels = kept ? golden_download(kept) : NULL;
    size_t size = kept ? clump_type_row_bytes(clump_image_type(kept), clump_image_cols(kept)) : 0;
    golden_expect_hash(g, "what is kept", pixels, size);
    free(pixels);
}

static void expect_clip(struct golden *g, const struct clump_clip_result *r)
{
    golden_expect(g, "lower", r->lower, 0);
    golden_expect(g, "upper", r->upper, 0);
    golden_expect_count(g, "kept", r->kept);
    golden_expect_count(g, "iterations", r->iterations);
    golden_expect_count(g, "converged", r->converged);
    golden_expect(g, "min", r->after.min, 0);
    golden_expect(g, "max", r->after.max, 0);
    golden_expect(g, "sum", r->after.sum, 0);
    golden_expect(g, "mean", r->after.mean, 0);
    golden_expect(g, "std", r->after.std, 0);
    golden_expect(g, "median", r->after.median, 0);
    golden_expect(g, "mad", r->after.mad, 0);
}

static void expect_same(const char *what, double a, double b)
{
    cr_expect(a == b || (isnan(a) && isnan(b)), "%s: clip says %a, stats %a", what, a, b);
}

static void expect_before(clump_context *context, const clump_image *image,
                          const struct clump_stats_result *before)
{
    struct clump_stats_result alone;
    struct clump_stats_params params = {.mad = true};
    ok(clump_stats(context, image, &params, NULL, &alone));
    cr_expect_eq(before->count, alone.count);
    cr_expect_eq(before->blank, alone.blank);
    cr_expect_eq(before->infinite, alone.infinite);
    cr_expect_eq(before->max_row, alone.max_row);
    cr_expect_eq(before->min_col, alone.min_col);
    expect_same("before.min", before->min, alone.min);
    expect_same("before.sum", before->sum, alone.sum);
    expect_same("before.mean", before->mean, alone.mean);
    expect_same("before.std", before->std, alone.std);
    expect_same("before.median", before->median, alone.median);
    expect_same("before.mad", before->mad, alone.mad);
}

Test(golden, clip, .timeout = 300)
{
    static const char *const centres[] = {"median", "mean", NULL}, *const scales[] = {"std", "mad",
                                                                                      NULL};
    clump_context *context = golden_context();
    struct golden g = golden_open("clip");
    while (golden_line(&g)) {
        clump_image *image = read_image(&g, context), *mask = NULL, *kept = NULL;
        struct clump_clip_result r;
        struct clump_clip_params p = {.mad = true};
        p.kappa_low = golden_number(&g);
        p.kappa_high = golden_number(&g);
        p.max_iterations = (uint32_t)golden_count(&g);
        p.centre = (enum clump_clip_centre)golden_choice(&g, centres);
        p.scale = (enum clump_clip_scale)golden_choice(&g, scales);
        p.inclusive = golden_count(&g) != 0;
        if (!image)
            continue;
        ok(clump_clip(context, image, &p, &mask, &kept, &r));
        expect_clip(&g, &r);
        expect_kept(&g, mask, kept);
        cr_expect_eq(r.after.count, r.kept);
        cr_expect_eq(r.after.blank, r.before.blank);
        cr_expect_eq(r.after.infinite, 0);
        expect_before(context, image, &r.before);
        clump_image_destroy(&kept);
        clump_image_destroy(&mask);
        clump_image_destroy(&image);
    }
    golden_close(&g);
    clump_context_destroy(&context);
}

Test(golden, otsu, .timeout = 300)
{
    clump_context *context = golden_context();
    struct golden g = golden_open("otsu");
    while (golden_line(&g)) {
        clump_image *image = read_image(&g, context);
        double threshold = 12345;
        if (!image)
            continue;
        if (strstr(g.next, "error")) {
            cr_expect_eq(clump_otsu(context, image, &threshold), CLUMP_ERROR_ARGUMENT, "line %u",
                         g.number);
            cr_expect_eq(threshold, 12345);
        } else {
            ok(clump_otsu(context, image, &threshold));
            golden_expect(&g, "threshold", threshold, 0);
        }
        clump_image_destroy(&image);
    }
    golden_close(&g);
    clump_context_destroy(&context);
}
