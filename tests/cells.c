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

    params.area = 600;
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
