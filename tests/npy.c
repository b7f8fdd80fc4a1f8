/* SPDX-License-Identifier: MIT */
/* NumPy files in and out. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "scratch.h"

static struct scratch scratch;

static void begin(void) { scratch_begin(&scratch); }
static void end(void) { scratch_end(&scratch); }

TestSuite(npy, .init = begin, .fini = end);

/* A file with this header text and these bytes behind it. */
static const char *make(int version, const char *text, const void *bytes, size_t count)
{
    uint8_t whole[4096];
    size_t length = strlen(text), at = 8;
    memcpy(whole, "\x93NUMPY", 6);
    whole[6] = (uint8_t)version;
    whole[7] = 0;
    for (int i = 0; i < (version == 1 ? 2 : 4); i++)
        whole[at++] = (uint8_t)(length >> 8 * i);
    memcpy(whole + at, text, length);
    memcpy(whole + at + length, bytes, count);
    return scratch_file(&scratch, "x.npy", whole, at + length + count);
}

static clump_image *read(int version, const char *text, const void *bytes, size_t count)
{
    return scratch_read(&scratch, make(version, text, bytes, count), NULL, NULL);
}

/* The bytes of 2 x 3 arrays [[0 1 2] [3 4 5]] as numpy.save writes them, made by hand. */
Test(npy, types_and_byte_orders)
{
    static const struct {
        const char *descr;
        int bytes;
        bool big;
        enum clump_type type;
    } cases[] = {
        {"|u1", 1, false, CLUMP_U8},  {"|b1", 1, false, CLUMP_U8},  {"|i1", 1, false, CLUMP_I16},
        {"<u2", 2, false, CLUMP_U16}, {">u2", 2, true, CLUMP_U16},  {"<i2", 2, false, CLUMP_I16},
        {">i4", 4, true, CLUMP_I32},  {"<u4", 4, false, CLUMP_U32}, {"<i8", 8, false, CLUMP_I64},
        {">u8", 8, true, CLUMP_I64},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        uint8_t bytes[48] = {0};
        char text[128];
        for (int i = 0; i < 6; i++)
            bytes[i * cases[k].bytes + (cases[k].big ? cases[k].bytes - 1 : 0)] = (uint8_t)i;
        snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (2, 3), }\n",
                 cases[k].descr);
        clump_image *image = read(1 + (int)k % 3, text, bytes, 6 * (size_t)cases[k].bytes);
        cr_expect_eq(clump_image_type(image), cases[k].type, "%s", cases[k].descr);
        for (uint64_t i = 0; i < 6; i++)
            cr_expect_eq(scratch_pixel(image, i / 3, i % 3), (double)i, "%s", cases[k].descr);
        clump_image_destroy(&image);
    }
}

Test(npy, floats)
{
    float f[2] = {1.5f, NAN};
    double d[2] = {1e300, -2};
    uint16_t h[5] = {0x3c00, 0xc000, 0x0001, 0x7c00, 0x7e00}; /* 1 -2 2^-24 inf nan */
    clump_image *image =
        read(1, "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }", f, sizeof f);
    cr_expect_eq(scratch_pixel(image, 0, 0), 1.5);
    cr_expect(isnan(scratch_pixel(image, 0, 1)));
    clump_image_destroy(&image);
    image = read(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 1), }", d, sizeof d);
    cr_expect_eq(scratch_pixel(image, 0, 0), 1e300);
    clump_image_destroy(&image);
    image = read(1, "{'descr': '<f2', 'fortran_order': False, 'shape': (5,), }", h, sizeof h);
    cr_expect_eq(clump_image_type(image), CLUMP_F32);
    cr_expect_eq(clump_image_rows(image), 1);
    cr_expect_eq(scratch_pixel(image, 0, 0), 1);
    cr_expect_eq(scratch_pixel(image, 0, 1), -2);
    cr_expect_eq(scratch_pixel(image, 0, 2), ldexp(1, -24));
    cr_expect_eq(scratch_pixel(image, 0, 3), INFINITY);
    cr_expect(isnan(scratch_pixel(image, 0, 4)));
    clump_image_destroy(&image);
}

Test(npy, fortran_order_and_planes)
{
    uint8_t bytes[24];
    for (int i = 0; i < 24; i++)
        bytes[i] = (uint8_t)i;
    struct clump_file_params params = clump_file_defaults;
    params.plane = 1;
    const char *path =
        make(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3, 4), }", bytes, 24);
    clump_image *image = scratch_read(&scratch, path, &params, NULL);
    cr_expect_eq(scratch_pixel(image, 2, 3), 23);
    cr_expect_eq(scratch_pixel(image, 0, 0), 12);
    clump_image_destroy(&image);
    path = make(1, "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3, 4), }", bytes, 24);
    image = scratch_read(&scratch, path, &params, NULL);
    for (uint64_t row = 0; row < 3; row++)
        for (uint64_t col = 0; col < 4; col++)
            cr_expect_eq(scratch_pixel(image, row, col), (double)(1 + 2 * row + 6 * col));
    clump_image_destroy(&image);
    image = read(1, "{'descr': '|u1', 'fortran_order': True, 'shape': (6, 4), }", bytes, 24);
    cr_expect_eq(scratch_pixel(image, 5, 1), 11);
    cr_expect_eq(scratch_pixel(image, 0, 3), 18);
    clump_image_destroy(&image);
}

Test(npy, colours)
{
    uint8_t bytes[5 * 5 * 3];
    for (int i = 0; i < 75; i++)
        bytes[i] = (uint8_t)(i % 3 == 0 ? 200 : i % 3 == 1 ? 100 : 7);
    const char *path =
        make(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (5, 5, 3), }", bytes, 75);
    clump_file *file;
    clump_image *image = scratch_read(&scratch, path, NULL, &file);
    cr_expect_eq(clump_file_info(file)->channels, 3);
    cr_expect_eq(scratch_pixel(image, 4, 4), 115); /* 114.5447 */
    clump_image_destroy(&image);
    clump_file_close(&file);
    struct clump_file_params params = clump_file_defaults;
    params.channel = 2;
    image = scratch_read(&scratch, path, &params, NULL);
    cr_expect_eq(scratch_pixel(image, 4, 4), 7);
    clump_image_destroy(&image);
    params.channel = 3;
    cr_expect_eq(clump_file_open(&scratch.log, path, &params, &file), CLUMP_ERROR_ARGUMENT);
    cr_expect(strstr(scratch.line, "channel 3"), "%s", scratch.line);
}

Test(npy, bad_headers)
{
    static const char *const texts[] = {
        "",
        "{}",
        "{'descr': '<f4', 'fortran_order': False}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (0, 3), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1, 3), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999999, 2), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 3), }",
        "{'descr': '<c8', 'fortran_order': False, 'shape': (1, 1), }",
        "{'descr': '<f16', 'fortran_order': False, 'shape': (1, 1), }",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1, 1), }",
        "{'descr': '<U4', 'fortran_order': False, 'shape': (1, 1), }",
        ("{'descr': '<f4', 'fortran_order': False, 'shape': "
         "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1), }"),
    };
    uint8_t bytes[24] = {0};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        clump_file *file = NULL;
        scratch.errors = 0;
        const char *path = make(1, texts[i], bytes, 24);
        cr_expect_eq(clump_file_open(&scratch.log, path, NULL, &file), CLUMP_ERROR_FORMAT, "%s",
                     texts[i]);
        cr_expect_eq(scratch.errors, 1, "%s", texts[i]);
        cr_expect(strstr(scratch.line, path), "%s", scratch.line);
    }
    clump_file *file = NULL;
    const char *path = scratch_file(&scratch, "h.npy", "\x93NUMPY\x02\x00\xff\xff\xff\xff{", 13);
    cr_expect_eq(clump_file_open(&scratch.log, path, NULL, &file), CLUMP_ERROR_FORMAT);
    path = scratch_file(&scratch, "v.npy", "\x93NUMPY\x07\x00\x01\x00{", 11);
    cr_expect_eq(clump_file_open(&scratch.log, path, NULL, &file), CLUMP_ERROR_FORMAT);
}

Test(npy, uint64_beyond_int64_is_refused)
{
    uint64_t big[2] = {1, UINT64_MAX};
    clump_file *file = NULL;
    clump_image *image = NULL;
    const char *path =
        make(1, "{'descr': '<u8', 'fortran_order': False, 'shape': (1, 2), }", big, sizeof big);
    cr_assert_eq(clump_file_open(&scratch.log, path, NULL, &file), CLUMP_OK);
    cr_expect_eq(clump_file_read(scratch.context, file, &image), CLUMP_ERROR_FORMAT);
    cr_expect(strstr(scratch.line, "clump_file_params.float32"), "%s", scratch.line);
    cr_expect_null(image);
    clump_file_close(&file);
}

Test(npy, written_and_read_back) { scratch_round_trip(&scratch, "npy"); }

Test(npy, numpy_reads_what_was_written)
{
    float values[6] = {0, 1, 2, 3, 4, 5.5f};
    clump_image *image = NULL;
    clump_image_upload(scratch.context, CLUMP_F32, 2, 3, values, &image);
    cr_assert_eq(clump_file_write(scratch.context, image, scratch_path(&scratch, "a.npy"), NULL),
                 CLUMP_OK);
    clump_image_destroy(&image);
    if (scratch_run(&scratch, "/usr/bin/python3 -c 'import numpy'") != 0) {
        fprintf(stderr, "SKIPPED: python3 has no numpy\n");
        return;
    }
    cr_expect_eq(scratch_run(&scratch,
                             "/usr/bin/python3 -c 'import numpy as n; a = n.load(\"%s\"); "
                             "assert a.dtype == \"<f4\" and a.shape == (2, 3) and a[1, 2] == 5.5'",
                             scratch.path),
                 0);
}
