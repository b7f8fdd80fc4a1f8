/* SPDX-License-Identifier: MIT */
/* Background and photometry against SEP. */
#include "golden.h"

#include <math.h>
#include <stdlib.h>

/* As sky() in make_sky.py. */
static clump_image *sky(clump_context *context, uint64_t rows, uint64_t cols, uint64_t seed,
                        double level, bool positive)
{
    float *pixels = malloc(rows * cols * sizeof *pixels);
    clump_image *image = NULL;
    for (uint64_t i = 0; i < rows * cols; i++) {
        uint64_t h = golden_draw(seed, i);
        int64_t sum = -2 * 65536;
        for (int k = 0; k < 4; k++)
            sum += (int64_t)(h >> (16 * k) & 0xffff);
        if (h % 101 == 0)
            sum = 64 * llabs(sum);
        pixels[i] = (float)((double)sum / 4096 + level);
        if (positive)
            pixels[i] = fabsf(pixels[i]);
    }
    ok(clump_image_upload(context, CLUMP_F32, rows, cols, pixels, &image));
    free(pixels);
    return image;
}

static void background_case(struct golden *g, clump_context *context)
{
    struct clump_background_params params = clump_background_defaults;
    struct clump_background_result result;
    uint64_t rows = golden_count(g), cols = golden_count(g), seed = golden_count(g);
    clump_image *back = NULL, *rms = NULL;
    clump_image *image = sky(context, rows, cols, seed, golden_number(g), false);
    params.mesh_width = params.mesh_height = golden_count(g);
    params.filter_width = params.filter_height = golden_count(g);
    ok(clump_background(context, image, NULL, &params, &back, &rms, NULL, &result));
    double noise = 1e-3 * result.rms; /* where a pixel falls between bins, by SEP's float32 */
    golden_expect(g, "level", result.level, noise);
    golden_expect(g, "rms", result.rms, noise);
    float *levels = golden_download(back), *noises = golden_download(rms);
    for (uint64_t k = 0; k < 20; k++)
        golden_expect(g, "a pixel's level", (double)levels[k * 7919 % (rows * cols)], noise);
    for (uint64_t k = 0; k < 20; k++)
        golden_expect(g, "a pixel's rms", (double)noises[k * 7919 % (rows * cols)], noise);
    free(noises);
    free(levels);
    clump_image_destroy(&rms);
    clump_image_destroy(&back);
    clump_image_destroy(&image);
}

Test(golden, background, .timeout = 300)
{
    clump_context *context = golden_context();
    struct golden g = golden_open("background");
    while (golden_line(&g))
        background_case(&g, context);
    golden_close(&g);
    clump_context_destroy(&context);
}

/* Expects a sum within 1e-12 of itself, and exact areas within 1e-10. */
static void expect(struct golden *g, const char *what, double value, unsigned subpix)
{
    golden_expect(g, what, value, fabs(value) * (subpix ? 1e-12 : 1e-10));
}

static struct clump_flux flux_of(clump_context *context, const clump_image *image,
                                 struct clump_aperture aperture,
                                 const struct clump_photometry_params *params)
{
    struct clump_flux flux;
    ok(clump_photometry_sum(context, image, 1, &aperture, params, &flux));
    return flux;
}

static void photometry_case(struct golden *g, clump_context *context)
{
    struct clump_photometry_params params = clump_photometry_defaults;
    clump_image *image = sky(context, 80, 90, golden_count(g), 30, true);
    const double half = 0.5;
    double radius;
    struct clump_kron kron;
    params.subpix = (unsigned)golden_count(g);
    struct clump_aperture ellipse = {.x = golden_number(g), .y = golden_number(g)};
    ellipse.a = golden_number(g);
    ellipse.b = golden_number(g);
    ellipse.theta = golden_number(g);
    double r = ellipse.outer = golden_number(g);
    struct clump_aperture circle = {.x = ellipse.x, .y = ellipse.y, .a = 1, .b = 1, .outer = r};
    params.error = 2;
    params.gain = 3;
    struct clump_flux flux = flux_of(context, image, circle, &params);
    expect(g, "the circle", flux.sum, params.subpix);
    expect(g, "its error", flux.error, params.subpix);
    params.error = params.gain = 0;
    circle.inner = r;
    circle.outer = r + 2;
    expect(g, "the annulus", flux_of(context, image, circle, &params).sum, params.subpix);
    expect(g, "the ellipse", flux_of(context, image, ellipse, &params).sum, params.subpix);
    ellipse.inner = r;
    ellipse.outer = r + 1;
    expect(g, "the elliptical annulus", flux_of(context, image, ellipse, &params).sum,
           params.subpix);
    ellipse.inner = 0;
    ellipse.outer = 6;
    ok(clump_photometry_kron(context, image, 1, &ellipse, NULL, &kron));
    expect(g, "the Kron radius", kron.radius, 5);
    circle.inner = 0;
    circle.outer = 2 * r;
    ok(clump_photometry_radius(context, image, 1, &circle, NULL, &half, 1, NULL, &radius, NULL));
    golden_expect(g, "the half-light radius", radius, 1e-6);
    clump_image_destroy(&image);
}

Test(golden, photometry, .timeout = 300)
{
    clump_context *context = golden_context();
    struct golden g = golden_open("photometry");
    while (golden_line(&g))
        photometry_case(&g, context);
    golden_close(&g);
    clump_context_destroy(&context);
}
