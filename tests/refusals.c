/* SPDX-License-Identifier: MIT */
/* What the functions of extraction, and those that pick pixels, refuse: with which status, in one
 * line, and with nothing touched; and extremes that they take. */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct memory memory;
static clump_context *context, *other;
static clump_image *image, *bits, *rgb, *wide, *foreign, *mapped;

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
    image = make(context, CLUMP_F32, 30, 50);
    bits = make(context, CLUMP_BITS, 30, 50);
    rgb = make(context, CLUMP_RGB, 30, 50);
    wide = make(context, CLUMP_F32, 30, 60);
    foreign = make(other, CLUMP_F32, 30, 50);
    mapped = make(context, CLUMP_F32, 30, 50);
    ok(clump_image_map(mapped, CLUMP_IMAGE_READ, &pixels));
}

static void tear_down(void)
{
    clump_image **all[] = {&image, &bits, &rgb, &wide, &foreign, &mapped};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        clump_image_destroy(all[i]);
    clump_context_destroy(&context);
    clump_context_destroy(&other);
}

TestSuite(refusals, .init = set_up, .fini = tear_down, .timeout = 60);

static clump_image *const untouched = (clump_image *)&memory;

/* The call must fail with ARGUMENT and one line that has `part` in it. */
#define refused(call, part)                                                                        \
    do {                                                                                           \
        memory = (struct memory){0};                                                               \
        cr_expect_eq((call), CLUMP_ERROR_ARGUMENT, "%s", #call);                                   \
        cr_expect_eq(memory.errors, 1, "%s logs: %s", #call, memory.text);                         \
        cr_expect(strstr(memory.text, (part)), "%s does not say \"%s\": %s", #call, (part),        \
                  memory.text);                                                                    \
    } while (0)

/* What is refused of the image `x` that the call has: of the first one, or of one that goes with
 * it, which must have its size too. */
#define refuses_images(call, wrong)                                                                \
    do {                                                                                           \
        const clump_image *x = foreign;                                                            \
        refused(call, "another context");                                                          \
        x = mapped;                                                                                \
        refused(call, "is mapped");                                                                \
        x = (const clump_image *)&memory;                                                          \
        refused(call, "is not an image");                                                          \
        x = wrong;                                                                                 \
        refused(call, "; clump_convert makes one");                                                \
    } while (0)
#define refuses_companions(call, wrong)                                                            \
    do {                                                                                           \
        refuses_images(call, wrong);                                                               \
        const clump_image *x = wide;                                                               \
        refused(call, "30 x 60");                                                                  \
    } while (0)

Test(refusals, background)
{
    struct clump_background_params p = clump_background_defaults;
    struct clump_background_result result;
    clump_image *out = untouched;
    memset(&result, 0x55, sizeof result);
    const struct clump_background_result before = result;
    refuses_images(clump_background(context, x, NULL, NULL, &out, NULL, NULL, &result), bits);
    refuses_companions(clump_background(context, image, x, NULL, &out, NULL, NULL, &result), rgb);
    p.mesh_width = 0;
    refused(clump_background(context, image, NULL, &p, &out, NULL, NULL, &result), "mesh_width");
    p = clump_background_defaults;
    p.mesh_height = 0;
    refused(clump_background(context, image, NULL, &p, &out, NULL, NULL, &result), "mesh_height");
    const double thresholds[] = {-1, -INFINITY, NAN};
    for (int i = 0; i < 3; i++) {
        p = clump_background_defaults;
        p.filter_threshold = thresholds[i];
        refused(clump_background(context, image, NULL, &p, &out, NULL, NULL, &result),
                "filter_threshold");
    }
    p = clump_background_defaults;
    p.mask_threshold = NAN;
    refused(clump_background(context, image, bits, &p, &out, NULL, NULL, &result), "NaN");
    p = clump_background_defaults;
    p.reserved[0] = 1;
    refused(clump_background(context, image, NULL, &p, &out, NULL, NULL, &result), "reserved");
    cr_expect_eq(out, untouched);
    cr_expect_eq(memcmp(&before, &result, sizeof result), 0);
}

Test(refusals, background_of_extremes)
{
    const uint64_t sizes[] = {1, 2, UINT32_MAX, UINT64_MAX - 1, UINT64_MAX};
    struct clump_background_result result;
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 5; k++) {
            struct clump_background_params p = clump_background_defaults;
            p.mesh_width = sizes[i];
            p.mesh_height = sizes[4 - i];
            p.filter_width = sizes[k];
            p.filter_height = sizes[4 - k];
            p.filter_threshold = k ? INFINITY : 0;
            ok(clump_background(context, image, bits, &p, NULL, NULL, NULL, &result));
            cr_expect_eq(result.level, 0, "%g", result.level);
        }
}

static enum clump_status extract(const clump_image *x, struct clump_extract_params p,
                                 clump_image **out, struct clump_extract_result *result)
{
    return clump_extract(context, x, &p, out, out, result);
}

/* The same with one parameter of another value. */
#define extract_with(member, value)                                                                \
    (p = clump_extract_defaults, p.member = (value), extract(image, p, &out, &result))

Test(refusals, extract)
{
    const double none[] = {0, 0}, infinite[] = {1, INFINITY}, blank[] = {1, NAN};
    const double wrong[] = {-1, INFINITY, -INFINITY, NAN};
    struct clump_extract_params p;
    struct clump_extract_result result;
    clump_image *out = untouched;
    memset(&result, 0x55, sizeof result);
    const struct clump_extract_result before = result;
    refuses_images(clump_extract(context, x, NULL, &out, &out, &result), bits);
    refuses_companions(extract_with(mask, x), rgb);
    refuses_companions(extract_with(noise_map, x), bits);
    refuses_companions(extract_with(saturated, x), rgb);
    for (int i = 0; i < 4; i++) {
        refused(extract_with(thresh, wrong[i]), "thresh");
        refused(extract_with(low, wrong[i]), "low");
        refused(extract_with(noise, wrong[i]), "noise");
        refused(extract_with(gain, wrong[i]), "gain");
        refused(extract_with(clean_param, wrong[i]), "clean_param");
        refused(extract_with(deblend_contrast, wrong[i]), "deblend_contrast");
    }
    refused(extract_with(thresh, 0), "thresh");
    refused(extract_with(low, 1.6), "more than params.thresh");
    refused(extract_with(min_area, 0), "min_area");
    refused(extract_with(deblend_levels, 0), "deblend_levels");
    refused(extract_with(deblend_levels, 256), "deblend_levels");
    refused(extract_with(deblend_contrast, 1.01), "deblend_contrast");
    refused(extract_with(filter_type, (enum clump_extract_filter)2), "type of filter");
    refused(extract_with(noise_kind, (enum clump_extract_noise)3), "kind of noise");
    refused(extract_with(reserved[0], 1), "reserved");
    refused(extract_with(filter, (&(struct clump_weights){1, 2, NULL})), "has none");
    refused(extract_with(filter, (&(struct clump_weights){0, 2, none})), "has none");
    refused(extract_with(filter, (&(struct clump_weights){1, 1024, none})), "too large");
    refused(extract_with(filter, (&(struct clump_weights){UINT64_MAX, 2, none})), "too large");
    refused(extract_with(filter, (&(struct clump_weights){1, 2, none})), "add up to 0");
    refused(extract_with(filter, (&(struct clump_weights){1, 2, infinite})), "finite");
    refused(extract_with(filter, (&(struct clump_weights){1, 2, blank})), "finite");
    cr_expect_eq(out, untouched);
    cr_expect_eq(memcmp(&before, &result, sizeof result), 0);
}

Test(refusals, extract_field)
{
    struct clump_extract_field_params p = clump_extract_field_defaults;
    struct clump_background_result level;
    struct clump_extract_result result;
    clump_image *out = untouched;
    struct clump_extract_images images = {.background = &out, .residual = &out, .rms = &out};
    memset(&result, 0x55, sizeof result);
    memset(&level, 0x55, sizeof level);
    const struct clump_extract_result before = result;
    const struct clump_background_result level_before = level;
    refuses_images(clump_extract_field(context, x, NULL, &images, &level, &result), bits);
    for (int i = 0; i < 7; i++) {
        p = clump_extract_field_defaults;
        const char *says[] = {"thresh",   "mesh_width", "filter_threshold", "30 x 60",
                              "reserved", "30 x 60",    "both given"};
        p.extract.thresh = i == 0 ? NAN : 1.5;
        p.background.mesh_width = i == 1 ? 0 : 64;
        p.background.filter_threshold = i == 2 ? NAN : 0;
        p.extract.mask = i == 3 ? wide : NULL;
        p.background.reserved[0] = i == 4;
        p.extract.noise_map = i == 5 ? wide : i == 6 ? image : NULL;
        p.extract.noise = i == 6;
        refused(clump_extract_field(context, image, &p, &images, &level, &result), says[i]);
    }
    images.reserved[0] = 1;
    refused(clump_extract_field(context, image, NULL, &images, &level, &result), "reserved");
    cr_expect_eq(out, untouched);
    cr_expect_eq(memcmp(&before, &result, sizeof result), 0);
    cr_expect_eq(memcmp(&level_before, &level, sizeof level), 0);
}

static enum clump_status sum(const clump_image *x, struct clump_photometry_params p,
                             struct clump_flux *flux)
{
    const struct clump_aperture one = {.x = 9, .y = 9, .a = 1, .b = 1, .outer = 3};
    return clump_photometry_sum(context, x, 1, &one, &p, flux);
}
#define sum_with(member, value)                                                                    \
    (p = clump_photometry_defaults, p.member = (value), sum(image, p, &flux))

Test(refusals, photometry)
{
    const double wrong[] = {-1, NAN, INFINITY};
    struct clump_aperture one = {.a = 1, .b = 1, .outer = 3};
    struct clump_photometry_params p, exact = clump_photometry_defaults;
    struct clump_flux flux;
    double radius = 7;
    memset(&flux, 0x55, sizeof flux);
    const struct clump_flux before = flux;
    refuses_images(sum(x, clump_photometry_defaults, &flux), bits);
    refuses_companions(sum_with(mask, x), rgb);
    refuses_companions(sum_with(error_map, x), bits);
    refuses_companions(sum_with(segmentation, x), rgb);
    for (int i = 0; i < 3; i++) {
        refused(sum_with(error, wrong[i]), "error and gain");
        refused(sum_with(local_outer, wrong[i]), "annulus");
        refused(sum_with(local_inner, wrong[i]), "annulus");
    }
    refused(sum_with(gain, NAN), "error and gain");
    refused(sum_with(subpix, 1025), "at most 1024");
    refused(sum_with(local_subpix, 1025), "at most 1024");
    refused(sum_with(mask_threshold, NAN), "NaN");
    refused(sum_with(reserved[0], 1), "reserved");
    one.reserved[0] = 1;
    refused(clump_photometry_sum(context, image, 1, &one, NULL, &flux), "reserved");
    one.reserved[0] = 0;
    for (int i = 1; i < 3; i++)
        refused(clump_photometry_radius(context, image, 1, &one, NULL, &wrong[i], 1, NULL, &radius,
                                        NULL),
                "fraction");
    refused(clump_photometry_radius(context, image, 1, &one, NULL, wrong, 0, NULL, &radius, NULL),
            "fractions");
    exact.subpix = 0;
    refused(clump_photometry_radius(context, image, 1, &one, NULL, wrong, 1, &exact, &radius, NULL),
            "subpix");
    cr_expect_eq(radius, 7);
    cr_expect_eq(memcmp(&before, &flux, sizeof flux), 0);
}

/* Apertures of any numbers, of which each member has each: a flag tells where no sum can be. */
Test(refusals, photometry_of_extremes)
{
    static const double values[] = {0,     1,      -1,       1e-320,    1e100, 1.1e100,
                                    1e308, -1e308, INFINITY, -INFINITY, NAN};
    enum { VALUES = sizeof values / sizeof *values, MEMBERS = 7 };
    static struct clump_aperture all[VALUES * MEMBERS];
    static struct clump_flux flux[VALUES * MEMBERS];
    static struct clump_kron kron[VALUES * MEMBERS];
    static struct clump_window window[VALUES * MEMBERS];
    static double radii[VALUES * MEMBERS];
    const double half = 0.5;
    for (int i = 0; i < VALUES; i++)
        for (int k = 0; k < MEMBERS; k++) {
            double members[MEMBERS] = {9, 9, 2, 1, 0, 0, 3};
            members[k] = values[i];
            all[i * MEMBERS + k] =
                (struct clump_aperture){members[0], members[1],
                                        members[2], members[3],
                                        members[4], members[5],
                                        members[6], (int64_t[]){INT64_MIN, INT64_MAX, -1}[i % 3],
                                        {0}};
        }
    for (unsigned subpix = 0; subpix < 3; subpix++) {
        struct clump_photometry_params p = clump_photometry_defaults;
        p.subpix = subpix;
        p.segmentation = image;
        p.mask = bits;
        p.local_outer = subpix ? 5 : 0;
        ok(clump_photometry_sum(context, image, VALUES * MEMBERS, all, &p, flux));
        ok(clump_photometry_kron(context, image, VALUES * MEMBERS, all, &p, kron));
        ok(clump_photometry_window(context, image, VALUES * MEMBERS, all, &p, window));
        p.subpix = subpix + 1;
        ok(clump_photometry_radius(context, image, VALUES * MEMBERS, all, NULL, &half, 1, &p, radii,
                                   NULL));
        for (int i = 0; i < VALUES * MEMBERS; i++)
            cr_expect(flux[i].sum == 0 || isnan(flux[i].sum), "%d: %g", i, flux[i].sum);
    }
}

Test(refusals, pixels)
{
    const uint64_t n = UINT64_C(1) << 32;
    const struct clump_operand a = {.image = image}, one = {.number = 1, .whole = true};
    struct clump_operand b = one;
    clump_image *out = untouched;
    uint64_t count = 7;
    refuses_images(clump_select(context, x, &a, &one, &out), rgb);
    refuses_companions(clump_select(context, bits, &(struct clump_operand){.image = x}, &one, &out),
                       rgb);
    refuses_companions(clump_select(context, bits, &one, &(struct clump_operand){.image = x}, &out),
                       rgb);
    b.reserved[0] = 1;
    refused(clump_select(context, bits, &a, &b, &out), "reserved");
    refuses_images(clump_compress(context, x, bits, &out, &count), bits);
    refuses_companions(clump_compress(context, image, x, &out, &count), rgb);
    const uint64_t shapes[][2] = {{0, 0},   {0, 1500},     {1500, 0},       {1, 1499},
                                  {n, n},   {n + 1500, 1}, {UINT64_MAX, 1}, {1, UINT64_MAX},
                                  {51, 29}, {n, n + 1500}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        refused(clump_reshape(context, image, shapes[i][0], shapes[i][1], &out), "1500");
    const clump_image *strange[] = {foreign, mapped, (const clump_image *)&memory};
    for (int i = 0; i < 3; i++)
        refused(clump_reshape(context, strange[i], 1, 1500, &out), "");
    cr_expect_eq(out, untouched);
    cr_expect_eq(count, 7);
}
