/* SPDX-License-Identifier: MIT */
/* What photometry must be: the assertions of SEP's own tests, and apertures that are not usual. */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SIDE 60

static struct memory memory;
static clump_context *context;
static clump_image *ones;
static struct clump_photometry_params params;

static void set_up(void)
{
    double pixels[SIDE * SIDE];
    context = open_context(NULL, &memory);
    params = clump_photometry_defaults;
    for (int i = 0; i < SIDE * SIDE; i++)
        pixels[i] = 1;
    ok(clump_image_upload(context, CLUMP_F64, SIDE, SIDE, pixels, &ones));
}

static void tear_down(void)
{
    clump_image_destroy(&ones);
    clump_context_destroy(&context);
}

TestSuite(photometry, .init = set_up, .fini = tear_down, .timeout = 120);

static struct clump_aperture circle(double x, double y, double radius)
{
    return (struct clump_aperture){.x = x, .y = y, .a = 1, .b = 1, .outer = radius};
}

static struct clump_flux flux_in(const clump_image *image, struct clump_aperture aperture)
{
    struct clump_flux flux;
    memset(&flux, 0xff, sizeof flux);
    ok(clump_photometry_sum(context, image, 1, &aperture, &params, &flux));
    cr_expect_eq(flux.reserved[0] | flux.reserved[1], 0);
    return flux;
}

static double place(int i, int k) { return 20 + 20 * fmod(0.6180339887498949 * (i * 3 + k), 1); }

#define near(a, b, relative)                                                                       \
    cr_expect_leq(fabs((a) - (b)), (relative)*fabs(b), "%s is %.17g, not %.17g", #a, (a), (b))

Test(photometry, small_circle_exactly) /* SEP: test_apertures_small_ellipse_exact */
{
    params.subpix = 0;
    for (int i = 0; i < 200; i++) {
        double at = place(i, 0);
        near(flux_in(ones, circle(at, at, 0.3)).sum, M_PI * 0.09, 1e-10);
    }
    near(flux_in(ones, circle(20, 20, 0.3)).sum, M_PI * 0.09, 1e-10);
}

Test(photometry, one_shape_by_many_names) /* SEP: test_apertures_all */
{
    const double r = 3;
    for (params.subpix = 0; params.subpix <= 5; params.subpix += params.subpix ? 4 : 1)
        for (int i = 0; i < 100; i++) {
            double x = place(i, 0), y = place(i, 1);
            struct clump_aperture scaled = {.x = x, .y = y, .a = r, .b = r, .outer = 1};
            double sum = flux_in(ones, circle(x, y, r)).sum;
            near(flux_in(ones, scaled).sum, sum, 1e-8);
            scaled.theta = 0.7;
            if (!params.subpix)
                near(flux_in(ones, scaled).sum, sum, 1e-8);
        }
}

Test(photometry, areas_exactly) /* SEP: test_apertures_exact */
{
    const double radii[] = {0.5, 1, 3, 10.3};
    params.subpix = 0;
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 100; i++) {
            double r = radii[k], x = place(i, 0), y = place(i, 1);
            struct clump_aperture e = {
                .x = x, .y = y, .a = 1, .b = 0.5, .theta = M_PI / 4, .outer = r};
            near(flux_in(ones, circle(x, y, r)).sum, M_PI * r * r, 1e-10);
            near(flux_in(ones, e).sum, M_PI * r * r / 2, 1e-10);
            e.inner = r;
            e.outer = r + 2;
            near(flux_in(ones, e).sum, M_PI * ((r + 2) * (r + 2) - r * r) / 2, 1e-10);
            e.a = e.b = 1;
            near(flux_in(ones, e).sum, M_PI * ((r + 2) * (r + 2) - r * r), 1e-10);
        }
}

Test(photometry, types_of_pixels) /* SEP: test_aperture_dtypes */
{
    const enum clump_type types[] = {CLUMP_U8, CLUMP_I32, CLUMP_F32};
    for (int k = 0; k < 3; k++) {
        clump_image *image = NULL;
        ok(clump_convert(context, ones, types[k], &image));
        for (int i = 0; i < 30; i++) {
            struct clump_aperture c = circle(place(i, 0), place(i, 1), 3);
            cr_expect_eq(flux_in(image, c).sum, flux_in(ones, c).sum);
        }
        clump_image_destroy(&image);
    }
}

Test(photometry, local_background) /* SEP: test_aperture_bkgann_overlapping, _ones */
{
    for (int i = 0; i < 100; i++) {
        struct clump_aperture c = circle(place(i, 0), place(i, 1), 5);
        params.subpix = 1;
        params.local_inner = 0;
        params.local_outer = 5;
        cr_expect_lt(fabs(flux_in(ones, c).sum), 1e-13);
        params.subpix = 5;
        params.gain = 1;
        params.local_inner = 6;
        params.local_outer = 8;
        struct clump_flux flux = flux_in(ones, c);
        double a = M_PI * 25, b = M_PI * 28;
        cr_expect_lt(fabs(flux.sum), 1e-13);
        near(flux.error, sqrt(a + b * (a / b) * (a / b)), 0.1);
        cr_expect_eq(flux.background, 1);
    }
}

Test(photometry, masks)
{
    uint8_t mask[SIDE * SIDE] = {0};
    clump_image *masked = NULL;
    struct clump_aperture c = circle(30, 30, 4);
    struct clump_flux whole = flux_in(ones, c);
    for (int i = 0; i < SIDE * SIDE; i++)
        mask[i] = i % SIDE > 30;
    ok(clump_image_upload(context, CLUMP_U8, SIDE, SIDE, mask, &masked));
    params.mask = masked;
    params.error = 2;
    struct clump_flux scaled = flux_in(ones, c);
    near(scaled.sum, whole.sum, 1e-14);
    near(scaled.error, 2 * sqrt(whole.area), 1e-14);
    cr_expect_eq(scaled.flags, CLUMP_PHOTOMETRY_MASKED);
    params.ignore = true;
    struct clump_flux rest = flux_in(ones, c);
    cr_expect_lt(rest.sum, 0.7 * whole.sum);
    near(rest.sum, rest.area, 1e-14);
    struct clump_flux none = flux_in(ones, circle(50, 30, 4));
    cr_expect(none.sum == 0 && none.area == 0);
    cr_expect_eq(none.flags, CLUMP_PHOTOMETRY_MASKED | CLUMP_PHOTOMETRY_ALL_MASKED);
    params.mask_threshold = 1;
    cr_expect_eq(flux_in(ones, c).sum, whole.sum);
    clump_image_destroy(&masked);
}

Test(photometry, segmentation)
{
    int32_t labels[SIDE * SIDE];
    clump_image *image = NULL;
    struct clump_aperture c = circle(30, 30, 4);
    double whole = flux_in(ones, c).sum;
    for (int i = 0; i < SIDE * SIDE; i++)
        labels[i] = i % SIDE < 28 ? 7 : i % SIDE > 32 ? 123456789 : 0;
    ok(clump_image_upload(context, CLUMP_I32, SIDE, SIDE, labels, &image));
    params.segmentation = image;
    params.ignore = true;
    c.id = 7;
    double own = flux_in(ones, c).sum; /* its own and the sky */
    c.id = 0;
    double sky = flux_in(ones, c).sum;
    c.id = -7;
    double alone = flux_in(ones, c).sum;
    cr_expect(sky < own && own < whole && alone < sky);
    near(own, alone + sky, 1e-14);
    clump_image_destroy(&image);
}

Test(photometry, sides_of_the_image)
{
    cr_expect_eq(flux_in(ones, circle(5, 30, 6.4)).flags, 0); /* x - r > -1.5, as in SEP */
    cr_expect_eq(flux_in(ones, circle(5, 30, 6.6)).flags, CLUMP_PHOTOMETRY_TRUNCATED);
    cr_expect_eq(flux_in(ones, circle(SIDE - 6, 30, 5.4)).flags, 0);
    cr_expect_eq(flux_in(ones, circle(SIDE - 6, 30, 5.6)).flags, CLUMP_PHOTOMETRY_TRUNCATED);
    const struct clump_flux out = flux_in(ones, circle(-50, 1e6, 5));
    cr_expect(out.sum == 0 && out.area == 0 && out.flags == CLUMP_PHOTOMETRY_TRUNCATED);
    cr_expect_eq(flux_in(ones, circle(1e18, -1e99, 5)).flags, CLUMP_PHOTOMETRY_TRUNCATED);
    cr_expect_eq(flux_in(ones, circle(30, 30, 1e9)).sum, SIDE * SIDE);
}

Test(photometry, apertures_that_make_no_sense)
{
    const double bad[] = {-1, (double)NAN, (double)INFINITY, 2e100};
    for (int i = 0; i < 4; i++) {
        struct clump_flux flux = flux_in(ones, circle(30, 30, bad[i]));
        cr_expect(isnan(flux.sum) && flux.flags == CLUMP_PHOTOMETRY_INVALID);
    }
    struct clump_aperture c = circle(30, 30, 1);
    c.inner = 2;
    cr_expect_eq(flux_in(ones, c).flags, CLUMP_PHOTOMETRY_INVALID);
    cr_expect_eq(flux_in(ones, circle((double)NAN, 3, 1)).flags, CLUMP_PHOTOMETRY_INVALID);
    cr_expect_eq(flux_in(ones, circle(30, 30, 0)).sum, 0);
    struct clump_aperture turned = {.x = 30, .y = 30, .a = 1, .b = 2, .outer = 2};
    struct clump_aperture plain = {.x = 30, .y = 30, .a = 2, .b = 1, .theta = M_PI / 2, .outer = 2};
    cr_expect_eq(flux_in(ones, turned).sum, flux_in(ones, plain).sum);
    turned.a = 0;
    cr_expect_eq(flux_in(ones, turned).sum, 0);
}

Test(photometry, parameters_that_make_no_sense)
{
    const struct clump_aperture c = circle(30, 30, 3);
    struct clump_flux flux;
    double radius;
#define refused(change, words)                                                                     \
    do {                                                                                           \
        params = clump_photometry_defaults;                                                        \
        memory = (struct memory){0};                                                               \
        change;                                                                                    \
        cr_expect_eq(clump_photometry_sum(context, ones, 1, &c, &params, &flux),                   \
                     CLUMP_ERROR_ARGUMENT);                                                        \
        cr_expect_eq(memory.errors, 1);                                                            \
        cr_assert_contains(memory.text, (words));                                                  \
    } while (0)
    refused(params.subpix = 1025, "at most 1024");
    refused(params.error = -1, "0 or more");
    refused(params.gain = (double)NAN, "0 or more");
    refused(params.local_outer = 3; params.local_inner = 4, "local background");
    refused(params.error = 1; params.error_map = ones, "both were given");
    params = clump_photometry_defaults;
    params.subpix = 0;
    const double half = 0.5;
    cr_expect_eq(clump_photometry_radius(context, ones, 1, &c, NULL, &half, 1, &params, &radius,
                                         NULL),
                 CLUMP_ERROR_ARGUMENT);
    ok(clump_photometry_sum(context, ones, 0, NULL, NULL, NULL));
}

Test(photometry, radii_of_a_flat_image) /* SEP: test_flux_radius */
{
    const double fractions[] = {0.04, 0.09, 0.49, 1};
    const struct clump_aperture c = circle(30, 30, 10), none = circle(30, 30, 0);
    double radii[4], expected[] = {2, 3, 7, 10};
    uint32_t flags = 99;
    ok(clump_photometry_radius(context, ones, 1, &c, NULL, fractions, 4, NULL, radii, &flags));
    for (int i = 0; i < 4; i++)
        near(radii[i], expected[i], 0.01);
    cr_expect_eq(flags, 0);
    ok(clump_photometry_radius(context, ones, 1, &none, NULL, fractions, 4, NULL, radii, &flags));
    cr_expect_eq(radii[3], 0);
}

/* A Gaussian without noise comes back, whatever the shape that the fit begins with. */
Test(photometry, gaussian_of_a_star)
{
    float pixels[SIDE * SIDE];
    clump_image *image = NULL;
    struct clump_gauss fit;
    double cxx, cyy, cxy;
    clump_ellipse_coefficients(4, 2, 0.5, &cxx, &cyy, &cxy);
    for (int i = 0; i < SIDE * SIDE; i++) {
        double dx = i % SIDE - 30.3, dy = i / SIDE - 29.6;
        pixels[i] = (float)(7 * exp(-0.5 * (cxx * dx * dx + cyy * dy * dy + cxy * dx * dy)));
    }
    pixels[29 * SIDE + 31] = NAN;
    ok(clump_image_upload(context, CLUMP_F32, SIDE, SIDE, pixels, &image));
    struct clump_aperture at = {.x = 31.5, .y = 28.5, .a = 3, .b = 3, .outer = 3};
    ok(clump_photometry_gauss(context, image, 1, &at, false, &params, &fit));
    near(fit.height, 7.0, 1e-6);
    near(fit.x, 30.3, 1e-6);
    near(fit.y, 29.6, 1e-6);
    near(fit.a, 4.0, 1e-6);
    near(fit.b, 2.0, 1e-6);
    near(fit.theta, 0.5, 1e-6);
    cr_expect(fit.rounds > 2 && fit.rounds < 60 && fit.residual < 1e-8);
    cr_expect_eq(fit.flags, CLUMP_PHOTOMETRY_MASKED);
    at.a = 4;
    at.b = 2;
    at.theta = 0.5;
    ok(clump_photometry_gauss(context, image, 1, &at, true, &params, &fit));
    near(fit.height, 7.0, 1e-6);
    near(fit.x, 30.3, 1e-6);
    near(fit.a, 4.0, 1e-12);
    at.outer = 0.1; /* a pixel or none */
    ok(clump_photometry_gauss(context, image, 1, &at, true, &params, &fit));
    cr_expect(isnan(fit.height) && isnan(fit.a) && fit.flags & CLUMP_PHOTOMETRY_ALL_MASKED);
    at.outer = NAN;
    ok(clump_photometry_gauss(context, image, 1, &at, false, &params, &fit));
    cr_expect(isnan(fit.x) && fit.flags == CLUMP_PHOTOMETRY_INVALID);
    clump_image_destroy(&image);
}

Test(photometry, kron_and_window_of_a_star)
{
    float pixels[SIDE * SIDE];
    clump_image *image = NULL;
    struct clump_kron kron;
    struct clump_window window;
    for (int i = 0; i < SIDE * SIDE; i++) {
        double dx = i % SIDE - 30.3, dy = i / SIDE - 29.6;
        pixels[i] = (float)(100 * exp(-(dx * dx + dy * dy) / 8));
    }
    ok(clump_image_upload(context, CLUMP_F32, SIDE, SIDE, pixels, &image));
    struct clump_aperture at = {.x = 30.3, .y = 29.6, .a = 2, .b = 2, .outer = 6};
    ok(clump_photometry_kron(context, image, 1, &at, &params, &kron));
    near(kron.radius, sqrt(M_PI / 2), 1e-3);
    at = circle(30, 30, 2);
    ok(clump_photometry_window(context, image, 1, &at, &params, &window));
    cr_expect_float_eq(window.x, 30.3, 1e-3);
    cr_expect_float_eq(window.y, 29.6, 1e-3);
    cr_expect(window.iterations > 1 && window.flags == 0);
    clump_image_destroy(&image);
    ok(clump_image_upload(context, CLUMP_F32, SIDE, SIDE, memset(pixels, 0, sizeof pixels),
                          &image));
    ok(clump_photometry_kron(context, image, 1, &at, &params, &kron));
    cr_expect(kron.radius == 0 && kron.flags == CLUMP_PHOTOMETRY_NONPOSITIVE);
    ok(clump_photometry_window(context, image, 1, &at, &params, &window));
    cr_expect(window.x == 30 && window.iterations == 1);
    clump_image_destroy(&image);
}

Test(photometry, blank_pixels_are_left_out)
{
    float pixels[SIDE * SIDE];
    clump_image *image = NULL;
    for (int i = 0; i < SIDE * SIDE; i++)
        pixels[i] = i == 30 * SIDE + 31 ? NAN : i == 29 * SIDE + 30 ? INFINITY : 3;
    ok(clump_image_upload(context, CLUMP_F32, SIDE, SIDE, pixels, &image));
    struct clump_flux flux = flux_in(image, circle(30, 30, 4));
    near(flux.sum, 3 * flux.area, 1e-14);
    cr_expect_eq(flux.flags, CLUMP_PHOTOMETRY_MASKED);
    clump_image_destroy(&image);
}

Test(photometry, ellipses_there_and_back) /* SEP: ellipse_coeffs, ellipse_axes */
{
    for (int i = 0; i < 50; i++) {
        double a = 1 + place(i, 0), b = place(i, 1) / 40, theta = place(i, 2) / 20 - 1.49;
        double cxx, cyy, cxy, a2, b2, theta2;
        clump_ellipse_coefficients(a, b, theta, &cxx, &cyy, &cxy);
        cr_expect(clump_ellipse_axes(cxx, cyy, cxy, &a2, &b2, &theta2));
        near(a2, a, 1e-9);
        near(b2, b, 1e-9);
        cr_expect_float_eq(theta2, theta, 1e-9);
    }
    double theta;
    cr_expect(clump_ellipse_axes(1, 1, -1, NULL, NULL, &theta));
    near(theta, M_PI / 4, 1e-12);
    cr_expect(!clump_ellipse_axes(1, 1, 2, NULL, NULL, &theta) && isnan(theta));
}
