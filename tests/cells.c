/* SPDX-License-Identifier: MIT */
/* Cells: two bright squares on a dark ground, in several types, and what is refused. */
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <clump/cells.h>

#define ROWS 96
#define COLS 120

static const char *const devices[] = {"reference", NULL}; /* NULL: the one under test */
#define DEVICES (sizeof devices / sizeof *devices)

/* Squares of 30 pixels at (10,10) and of 24 at (60,80), of 200 and 100 on 10. */
static unsigned value(int row, int col)
{
    if (row >= 10 && row < 40 && col >= 10 && col < 40)
        return 200;
    return row >= 60 && row < 84 && col >= 80 && col < 104 ? 100 : 10;
}

static clump_image *picture(clump_context *context, enum clump_type type)
{
    static double room[ROWS * COLS];
    for (int i = 0; i < ROWS * COLS; i++) {
        unsigned v = value(i / COLS, i % COLS);
        if (type == CLUMP_U8)
            ((uint8_t *)room)[i] = (uint8_t)v;
        else if (type == CLUMP_U16)
            ((uint16_t *)room)[i] = (uint16_t)(257 * v);
        else
            ((float *)room)[i] = (float)v / 255;
    }
    clump_image *image = NULL;
    ok(clump_image_upload(context, type, ROWS, COLS, room, &image));
    return image;
}

static void check_type(clump_context *context, enum clump_type type, double unit)
{
    struct clump_cells_result found;
    clump_image *image = picture(context, type), *labels = NULL, *overlay = NULL;
    ok(clump_cells(context, image, NULL, &labels, &overlay, &found));
    cr_assert_eq(found.count, 2);
    cr_assert(found.threshold > 0.1 && found.threshold < 0.5, "%g", found.threshold);
    cr_assert_eq(clump_image_type(labels), CLUMP_I32);
    cr_assert_eq(clump_image_type(overlay), CLUMP_RGB);
    const struct clump_region *first = &found.regions[0];
    cr_assert_float_eq(first->centroid_row, 24.5, 1e-9);
    cr_assert_float_eq(first->centroid_col, 24.5, 1e-9);
    cr_assert_float_eq(first->max, 200 * unit, 1e-5 * unit);
    cr_assert(first->solidity > 0.9 && first->solidity <= 1, "%g", first->solidity);
    cr_assert_eq(first->euler, 1);
    cr_assert(first->perimeter > 80 && first->perimeter < 130, "%g", first->perimeter);
    cr_assert_float_eq(found.regions[1].centroid_row, 71.5, 1e-9);
    clump_cells_release(&found);
    clump_image_destroy(&overlay);
    clump_image_destroy(&labels);
    clump_image_destroy(&image);
}

Test(cells, every_type_gives_the_same_cells, .timeout = 60)
{
    for (size_t d = 0; d < DEVICES; d++) {
        clump_context *context = open_context(devices[d], NULL);
        check_type(context, CLUMP_U8, 1);
        check_type(context, CLUMP_U16, 257);
        check_type(context, CLUMP_F32, 1 / 255.0);
        clump_context_destroy(&context);
    }
}

/* Without blur and erosion the answer is plain to see. */
static void check_plain(clump_context *context)
{
    struct clump_cells_result found;
    struct clump_cells_params params = clump_cells_defaults;
    clump_image *image = picture(context, CLUMP_U8);
    params.sigma = 0;
    params.erosion = 0;
    params.threshold = 50 / 255.0;
    ok(clump_cells(context, image, &params, NULL, NULL, &found));
    cr_assert_eq(found.count, 2);
    cr_assert_float_eq(found.threshold, 50 / 255.0, 1e-15);
    cr_assert_eq(found.regions[0].area, 900);
    cr_assert_eq(found.regions[1].area, 576);
    cr_assert_eq(found.regions[0].mean, 200);
    cr_assert_eq(found.regions[1].mean, 100);
    cr_assert_eq(found.regions[1].solidity, 1);
    clump_cells_release(&found);

    params.erosion = 2;
    ok(clump_cells(context, image, &params, NULL, NULL, &found));
    cr_assert_eq(found.regions[0].area, 26 * 26);
    clump_cells_release(&found);

    params.min_area = 600;
    ok(clump_cells(context, image, &params, NULL, NULL, &found));
    cr_assert_eq(found.count, 1);
    clump_cells_release(&found);

    params.threshold = 150 / 255.0;
    ok(clump_cells(context, image, &params, NULL, NULL, &found));
    cr_assert_eq(found.count, 1);
    clump_cells_release(&found);
    clump_image_destroy(&image);
}

Test(cells, options_mean_what_they_say, .timeout = 60)
{
    for (size_t d = 0; d < DEVICES; d++) {
        clump_context *context = open_context(devices[d], NULL);
        check_plain(context);
        clump_context_destroy(&context);
    }
}

Test(cells, nonsense_is_refused, .timeout = 60)
{
    struct memory memory = {0};
    clump_context *context = open_context("reference", &memory);
    float pixels[64];
    struct clump_cells_result found;
    struct clump_cells_params params = clump_cells_defaults;
    clump_image *image = NULL;
    for (int i = 0; i < 64; i++)
        pixels[i] = NAN;
    ok(clump_image_upload(context, CLUMP_F32, 8, 8, pixels, &image));
    cr_assert_eq(clump_cells(context, image, NULL, NULL, NULL, &found), CLUMP_ERROR_ARGUMENT);
    params.connectivity = 0;
    cr_assert_eq(clump_cells(context, image, &params, NULL, NULL, &found), CLUMP_ERROR_ARGUMENT);
    params = clump_cells_defaults;
    params.sigma = -1;
    cr_assert_eq(clump_cells(context, image, &params, NULL, NULL, &found), CLUMP_ERROR_ARGUMENT);
    params = clump_cells_defaults;
    params.threshold = INFINITY;
    cr_assert_eq(clump_cells(context, image, &params, NULL, NULL, &found), CLUMP_ERROR_ARGUMENT);
    cr_assert_eq(clump_cells(context, image, NULL, NULL, NULL, NULL), CLUMP_ERROR_ARGUMENT);
    cr_assert_eq(memory.errors, 5, "each refusal has one line: %s", memory.text);
    clump_image_destroy(&image);
    clump_context_destroy(&context);
}

/* The blur of a constant is that constant, so that Otsu's threshold parts nothing from it. */
Test(cells, none_in_a_constant_image)
{
    static const uint16_t levels[] = {0, 1, 7, 1000, 43690, 65535};
    for (unsigned d = 0; d < DEVICES; d++) {
        struct memory memory = {0};
        clump_context *context = open_context(devices[d], &memory);
        for (unsigned i = 0; i < sizeof levels / sizeof *levels; i++) {
            static uint16_t room[ROWS * COLS];
            struct clump_cells_result found;
            clump_image *image = NULL;
            for (int k = 0; k < ROWS * COLS; k++)
                room[k] = levels[i];
            ok(clump_image_upload(context, CLUMP_U16, ROWS, COLS, room, &image));
            ok(clump_cells(context, image, NULL, NULL, NULL, &found));
            cr_assert_eq(found.count, 0, "%u: %u objects", levels[i], (unsigned)found.count);
            clump_cells_release(&found);
            clump_image_destroy(&image);
        }
        clump_context_destroy(&context);
    }
}

#define HIGH 31
#define WIDE 33

static void blur_constant(clump_context *context, enum clump_type type, double constant,
                          const struct clump_gaussian_params *params)
{
    static double room[HIGH * WIDE];
    clump_image *image = NULL, *blurred = NULL;
    void *pixels;
    for (int i = 0; i < HIGH * WIDE; i++)
        if (type == CLUMP_F32)
            ((float *)room)[i] = (float)constant;
        else
            room[i] = constant;
    ok(clump_image_upload(context, type, HIGH, WIDE, room, &image));
    ok(clump_gaussian(context, image, params, &blurred));
    ok(clump_image_map(blurred, CLUMP_IMAGE_READ, &pixels));
    cr_assert_eq(memcmp(pixels, room, HIGH * WIDE * (type == CLUMP_F32 ? 4 : 8)), 0,
                 "%g, sigma %g, boundary %d", constant, params->sigma_rows, (int)params->boundary);
    ok(clump_image_unmap(blurred));
    clump_image_destroy(&blurred);
    clump_image_destroy(&image);
}

Test(cells, blur_of_a_constant_is_that_constant, .timeout = 200)
{
    static const double constants[] = {0.1,  7,        1.0 / 3, -65535,  1e-30,
                                       3e38, 16777215, 1e-40,   INFINITY};
    static const double sigmas[] = {0, 0.3, 0.7, 1, 2.5, 5, 12};
    for (unsigned d = 0; d < DEVICES; d++) {
        struct memory memory = {0};
        clump_context *context = open_context(devices[d], &memory);
        for (unsigned i = 0; i < sizeof constants / sizeof *constants; i++)
            for (unsigned s = 0; s < sizeof sigmas / sizeof *sigmas; s++)
                for (unsigned type = CLUMP_F32; type <= CLUMP_F64; type++) {
                    struct clump_gaussian_params p = clump_gaussian_defaults;
                    p.sigma_rows = sigmas[s];
                    p.sigma_cols = sigmas[(s + i) % 7];
                    p.boundary = (enum clump_boundary)((i + s) % 5);
                    p.fill_value = constants[i];
                    p.blank = (enum clump_blank_rule)(i % 2);
                    if (type != CLUMP_F64 || clump_context_device(context)->fp64)
                        blur_constant(context, (enum clump_type)type, constants[i], &p);
                }
        clump_context_destroy(&context);
    }
}
