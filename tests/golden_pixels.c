/* SPDX-License-Identifier: MIT */
/* Conversion, thresholds and label2rgb against NumPy and scikit-image. */
#include "golden.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* NumPy and C may differ in a NaN's payload; the hash is of the usual one. */
static void make_nan_alike(enum clump_type type, void *pixels, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        if (type == CLUMP_F32 && isnan(((float *)pixels)[i]))
            ((float *)pixels)[i] = NAN;
        if (type == CLUMP_F64 && isnan(((double *)pixels)[i]))
            ((double *)pixels)[i] = (double)NAN;
    }
}

static void expect_luminance(struct golden *g, clump_context *context)
{
    uint8_t bytes[243];
    clump_image *rgb = NULL, *grey = NULL;
    for (int i = 0; i < 243; i++)
        bytes[i] = (uint8_t)i;
    for (int word = 0; word < 5; word++)
        golden_word(g);
    if (!golden_takes(context, CLUMP_F64))
        return;
    ok(clump_image_upload(context, CLUMP_RGB, 9, 9, bytes, &rgb));
    ok(clump_convert(context, rgb, CLUMP_F64, &grey));
    double *pixels = golden_download(grey);
    for (int i = 0; i < 81; i++)
        golden_expect(g, "luminance", pixels[i], 1e-12);
    free(pixels);
    clump_image_destroy(&grey);
    clump_image_destroy(&rgb);
}

Test(golden, convert, .timeout = 300)
{
    clump_context *context = golden_context();
    struct golden g = golden_open("convert");
    while (golden_line(&g)) {
        enum clump_type from = golden_type(&g);
        if (from == CLUMP_RGB) {
            expect_luminance(&g, context);
            continue;
        }
        const char *kind = golden_word(&g);
        uint64_t rows = golden_count(&g), cols = golden_count(&g), seed = golden_count(&g);
        enum clump_type to = golden_type(&g);
        if (!golden_takes(context, from) || !golden_takes(context, to))
            continue;
        clump_image *image = golden_image(context, from, kind, rows, cols, seed), *out = NULL;
        ok(clump_convert(context, image, to, &out));
        void *pixels = to == CLUMP_BITS ? (void *)golden_download_mask(out) : golden_download(out);
        make_nan_alike(to, pixels, rows * cols);
        golden_expect_hash(&g, "the converted image", pixels,
                           rows * (to == CLUMP_BITS ? cols : clump_type_row_bytes(to, cols)));
        free(pixels);
        clump_image_destroy(&out);
        clump_image_destroy(&image);
    }
    golden_close(&g);
    clump_context_destroy(&context);
}

Test(golden, threshold, .timeout = 300)
{
    clump_context *context = golden_context();
    struct golden g = golden_open("threshold");
    while (golden_line(&g)) {
        enum clump_type type = golden_type(&g);
        const char *kind = golden_word(&g);
        uint64_t rows = golden_count(&g), cols = golden_count(&g), seed = golden_count(&g), count;
        if (!golden_takes(context, type))
            continue;
        clump_image *image = golden_image(context, type, kind, rows, cols, seed);
        clump_image *map = NULL, *mask = NULL;
        struct clump_threshold_params p = clump_threshold_defaults;
        const char *above = golden_word(&g);
        if (!strcmp(above, "map"))
            p.map = map = golden_image(context, type, kind, rows, cols, seed + 1);
        else
            p.above = strtod(above, NULL);
        p.low = golden_number(&g);
        p.hysteresis = !isnan(p.low);
        p.connectivity = (unsigned)golden_count(&g);
        p.output = g.number % 2 ? CLUMP_U8 : CLUMP_BITS;
        ok(clump_threshold(context, image, &p, &mask, &count));
        golden_expect_count(&g, "count", count);
        uint8_t *bytes = golden_download_mask(mask);
        golden_expect_hash(&g, "the mask", bytes, rows * cols);
        free(bytes);
        clump_image_destroy(&mask);
        clump_image_destroy(&map);
        clump_image_destroy(&image);
    }
    golden_close(&g);
    clump_context_destroy(&context);
}

/* A byte is right when it is the rounded colour; 0.01 is for float32 arithmetic near a tie. */
static void expect_colours(struct golden *g, const clump_image *rgb)
{
    uint8_t *bytes = golden_download(rgb);
    for (uint64_t i = 0; i < 3 * clump_image_rows(rgb) * clump_image_cols(rgb); i++)
        golden_expect(g, "colour", bytes[i], 0.51);
    free(bytes);
}

Test(golden, label2rgb, .timeout = 300)
{
    clump_context *context = golden_context();
    struct golden g = golden_open("label2rgb");
    while (golden_line(&g)) {
        bool none = !strncmp(g.text, "none", 4);
        enum clump_type type = none ? CLUMP_F32 : golden_type(&g);
        if (none)
            golden_word(&g);
        const char *kind = golden_word(&g);
        uint64_t rows = golden_count(&g), cols = golden_count(&g), seed = golden_count(&g);
        uint64_t top = golden_count(&g);
        if (!golden_takes(context, type))
            continue;
        struct clump_label2rgb_params p = clump_label2rgb_defaults;
        p.alpha = golden_number(&g);
        p.image_alpha = golden_number(&g);
        p.overlay = golden_count(&g) != 0;
        p.plain = golden_count(&g) != 0;
        p.low = golden_number(&g);
        p.high = golden_number(&g);
        int32_t *numbers = malloc(rows * cols * sizeof *numbers);
        for (uint64_t i = 0; i < rows * cols; i++)
            numbers[i] = (int32_t)(i % top);
        clump_image *labels = NULL, *rgb = NULL;
        clump_image *picture = none ? NULL : golden_image(context, type, kind, rows, cols, seed);
        ok(clump_image_upload(context, CLUMP_I32, rows, cols, numbers, &labels));
        ok(clump_label2rgb(context, labels, picture, &p, &rgb));
        expect_colours(&g, rgb);
        clump_image_destroy(&rgb);
        clump_image_destroy(&labels);
        clump_image_destroy(&picture);
        free(numbers);
    }
    golden_close(&g);
    clump_context_destroy(&context);
}
