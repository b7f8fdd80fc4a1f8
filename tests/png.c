/* SPDX-License-Identifier: MIT */
/* PNG in and out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>
#include <png.h>

#include "scratch.h"

static struct scratch scratch;

static void begin(void) { scratch_begin(&scratch); }

static void end(void) { scratch_end(&scratch); }

TestSuite(png, .init = begin, .fini = end);

/* A PNG of these bytes, row after row. */
static const char *create(const char *name, int kind, int depth, int interlace, unsigned cols,
                          unsigned rows, size_t row_bytes, const uint8_t *bytes)
{
    static const png_color palette[4] = {{255, 0, 0}, {0, 255, 0}, {0, 0, 255}, {9, 9, 9}};
    FILE *file = fopen(scratch_path(&scratch, name), "wb");
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    png_init_io(png, file);
    png_set_IHDR(png, info, cols, rows, depth, kind, interlace, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    if (kind == PNG_COLOR_TYPE_PALETTE)
        png_set_PLTE(png, info, palette, 4);
    png_write_info(png, info);
    int passes = png_set_interlace_handling(png);
    for (int pass = 0; pass < passes; pass++)
        for (unsigned row = 0; row < rows; row++)
            png_write_row(png, bytes + row * row_bytes);
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    fclose(file);
    return scratch.path;
}

static double at(const char *path, int channel, uint64_t row, uint64_t col)
{
    struct clump_file_params params = clump_file_defaults;
    params.channel = channel;
    clump_image *image = scratch_read(&scratch, path, &params, NULL);
    double value = scratch_pixel(image, row, col);
    clump_image_destroy(&image);
    return value;
}

Test(png, grey_and_colour_plain_and_interlaced)
{
    uint8_t bytes[9 * 11 * 8];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 5 % 251);
    for (int interlace = 0; interlace < 2; interlace++) {
        const char *path = create("g8.png", PNG_COLOR_TYPE_GRAY, 8, interlace, 11, 9, 11, bytes);
        cr_expect_eq(at(path, -1, 8, 10), bytes[98]);
        path = create("g16.png", PNG_COLOR_TYPE_GRAY, 16, interlace, 11, 9, 22, bytes);
        cr_expect_eq(at(path, -1, 3, 4), bytes[74] * 256 + bytes[75]);
        path = create("ga.png", PNG_COLOR_TYPE_GRAY_ALPHA, 8, interlace, 11, 9, 22, bytes);
        cr_expect_eq(at(path, -1, 3, 4), bytes[74]);
        cr_expect_eq(at(path, 3, 3, 4), bytes[75]);
        path = create("rgb.png", PNG_COLOR_TYPE_RGB, 8, interlace, 11, 9, 33, bytes);
        cr_expect_eq(at(path, 1, 3, 4), bytes[112]);
        double grey = (2125.0 * bytes[111] + 7154.0 * bytes[112] + 721.0 * bytes[113]) / 10000;
        cr_expect_eq(at(path, -1, 3, 4), (double)(int)(grey + 0.5));
        path = create("rgba16.png", PNG_COLOR_TYPE_RGBA, 16, interlace, 11, 9, 88, bytes);
        cr_expect_eq(at(path, 3, 8, 10), bytes[790] * 256 + bytes[791]);
    }
}

Test(png, few_bits_and_palette)
{
    uint8_t one[1] = {0xa0}, two[1] = {0x1b}, four[2] = {0x0f, 0x70}, numbers[1] = {0x1b};
    const char *path = create("1.png", PNG_COLOR_TYPE_GRAY, 1, 0, 3, 1, 1, one);
    cr_expect_eq(at(path, -1, 0, 0), 1);
    cr_expect_eq(at(path, -1, 0, 1), 0);
    path = create("2.png", PNG_COLOR_TYPE_GRAY, 2, 0, 4, 1, 1, two);
    cr_expect_eq(at(path, -1, 0, 1), 85);
    path = create("4.png", PNG_COLOR_TYPE_GRAY, 4, 0, 3, 1, 2, four);
    cr_expect_eq(at(path, -1, 0, 1), 255);
    cr_expect_eq(at(path, -1, 0, 2), 119);
    path = create("p.png", PNG_COLOR_TYPE_PALETTE, 2, 0, 4, 1, 1, numbers);
    cr_expect_eq(at(path, 0, 0, 0), 255);
    cr_expect_eq(at(path, 2, 0, 2), 255);
    cr_expect_eq(at(path, -1, 0, 3), 9);
}

Test(png, truncated_anywhere)
{
    uint8_t bytes[64 * 64];
    static uint8_t whole[8192];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * i >> 3);
    FILE *in = fopen(create("w.png", PNG_COLOR_TYPE_GRAY, 8, 0, 64, 64, 64, bytes), "rb");
    size_t length = fread(whole, 1, sizeof whole, in);
    fclose(in);
    for (size_t cut = 8; cut < length - 12; cut += 13) {
        clump_file *file = NULL;
        clump_image *image = NULL;
        scratch.errors = 0;
        const char *path = scratch_file(&scratch, "cut.png", whole, cut);
        enum clump_status status = clump_file_open(&scratch.log, path, NULL, &file);
        if (!status)
            status = clump_file_read(scratch.context, file, &image);
        cr_expect_eq(status, CLUMP_ERROR_FORMAT, "cut at %zu", cut);
        cr_expect_eq(scratch.errors, 1);
        clump_file_close(&file);
    }
}

Test(png, written_and_read_back)
{
    uint8_t bytes[60], colours[27] = {1, 2, 3, 4, 5, 6, 200, 100, 7};
    uint32_t words[2] = {5, 2};
    clump_image *image = NULL, *back;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 4);
    clump_image_upload(scratch.context, CLUMP_U16, 5, 6, bytes, &image);
    cr_assert_eq(clump_file_write(scratch.context, image, scratch_path(&scratch, "a.png"), NULL),
                 CLUMP_OK);
    back = scratch_read(&scratch, scratch.path, NULL, NULL);
    uint8_t again[60];
    clump_image_download(back, again);
    cr_expect_arr_eq(again, bytes, 60);
    clump_image_destroy(&back);
    clump_image_destroy(&image);
    clump_image_upload(scratch.context, CLUMP_RGB, 3, 3, colours, &image);
    cr_assert_eq(clump_file_write(scratch.context, image, scratch_path(&scratch, "c.png"), NULL),
                 CLUMP_OK);
    cr_expect_eq(at(scratch.path, 0, 0, 2), 200);
    clump_image_destroy(&image);
    clump_image_upload(scratch.context, CLUMP_BITS, 2, 3, words, &image);
    cr_assert_eq(clump_file_write(scratch.context, image, scratch_path(&scratch, "m.png"), NULL),
                 CLUMP_OK);
    cr_expect_eq(at(scratch.path, -1, 0, 2), 1);
    cr_expect_eq(at(scratch.path, -1, 1, 0), 0);
    clump_image_destroy(&image);
    clump_image_create(scratch.context, CLUMP_F32, 2, 2, &image);
    cr_expect_eq(clump_file_write(scratch.context, image, scratch_path(&scratch, "f.png"), NULL),
                 CLUMP_ERROR_ARGUMENT);
    cr_expect(strstr(scratch.line, "float32"), "%s", scratch.line);
    clump_image_destroy(&image);
}
