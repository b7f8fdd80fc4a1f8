/* SPDX-License-Identifier: MIT */
/* Images: moving pixels, and what is refused. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/core/api.h"

static void round_trip(clump_context *context, enum clump_type type, uint64_t rows, uint64_t cols)
{
    size_t bytes = clump_type_row_bytes(type, cols) * (size_t)rows;
    unsigned char *in = malloc(bytes), *out = malloc(bytes);
    clump_image *image = NULL;
    void *mapped;
    for (size_t i = 0; i < bytes; i++)
        in[i] = (unsigned char)(i * 31 + 7);

    ok(clump_image_upload(context, type, rows, cols, in, &image));
    ok(clump_image_download(image, out));
    cr_assert_arr_eq(in, out, bytes);
    ok(clump_image_map(image, CLUMP_IMAGE_READ_WRITE, &mapped));
    cr_assert_arr_eq(mapped, in, bytes);
    memset(mapped, 0x5a, bytes);
    ok(clump_image_unmap(image));
    ok(clump_image_download(image, out));
    for (size_t i = 0; i < bytes; i++)
        cr_assert_eq(out[i], 0x5a);
    ok(clump_image_write(image, in));
    ok(clump_image_download(image, out));
    cr_assert_arr_eq(in, out, bytes);
    clump_image_destroy(&image);

    ok(clump_image_wrap(context, type, rows, cols, in, &image));
    cr_assert_eq(clump_image_rows(image), rows);
    cr_assert_eq(clump_image_cols(image), cols);
    cr_assert_eq(clump_image_type(image), type);
    cr_assert_eq(clump_image_context(image), context);
    ok(clump_image_map(image, CLUMP_IMAGE_READ, &mapped));
    cr_assert_arr_eq(mapped, in, bytes);
    if (clump_context_device(context)->shares_memory)
        cr_assert_eq(mapped, in, "wrapped memory was copied");
    ok(clump_image_unmap(image));
    clump_image_destroy(&image);
    free(in);
    free(out);
}

Test(image, pixels_come_back_as_they_went, .timeout = 60)
{
    clump_context *contexts[] = {open_context(NULL, NULL), open_context("reference", NULL)};
    for (int c = 0; c < 2; c++) {
        for (int type = 0; type < CLUMP_TYPE_COUNT; type++) {
            round_trip(contexts[c], (enum clump_type)type, 1, 1);
            round_trip(contexts[c], (enum clump_type)type, 13, 37);
            round_trip(contexts[c], (enum clump_type)type, 1000, 33);
        }
        clump_context_destroy(&contexts[c]);
    }
}

Test(image, absurd_sizes_are_refused_with_the_figure)
{
    struct memory memory;
    clump_context *context = open_context(NULL, &memory);
    clump_image *image = NULL;
    cr_assert_eq(clump_image_create(context, CLUMP_F32, 0, 5, &image), CLUMP_ERROR_ARGUMENT);
    cr_assert_eq(clump_image_create(context, CLUMP_F32, 5, 0, &image), CLUMP_ERROR_ARGUMENT);
    cr_assert_eq(clump_image_create(context, CLUMP_F32, UINT64_MAX, UINT64_MAX, &image),
                 CLUMP_ERROR_ARGUMENT);
    cr_assert_eq(clump_image_create(context, (enum clump_type)77, 5, 5, &image),
                 CLUMP_ERROR_ARGUMENT);
    uint64_t most = clump_context_device(context)->max_buffer;
    memory.text[0] = 0;
    cr_assert_eq(clump_image_create(context, CLUMP_F32, 1 << 20, most >> 20, &image),
                 CLUMP_ERROR_DEVICE_MEMORY);
    char figure[32];
    snprintf(figure, sizeof figure, "%llu", (unsigned long long)most);
    cr_assert_contains(memory.text, figure);
    cr_assert_null(image);
    cr_assert_eq(memory.errors, 5);
    clump_context_destroy(&context);
}

Test(image, the_wrong_thing_in_its_place_is_named)
{
    struct memory memory;
    clump_context *context = open_context(NULL, &memory), *other = open_context("reference", NULL);
    float pixels[16] = {0};
    clump_image *image = NULL, *mask = NULL;
    void *mapped;
    ok(clump_image_upload(other, CLUMP_F32, 4, 4, pixels, &image));
    cr_assert_eq(clump_threshold(context, image, NULL, &mask, NULL), CLUMP_ERROR_ARGUMENT);
    cr_assert_contains(memory.text, "another context");
    cr_assert_contains(memory.text, "reference");
    memory.text[0] = 0;
    cr_assert_eq(clump_threshold(context, (clump_image *)(void *)pixels, NULL, &mask, NULL),
                 CLUMP_ERROR_ARGUMENT);
    cr_assert_contains(memory.text, "host pixels");
    clump_image_destroy(&image);

    ok(clump_image_upload(context, CLUMP_F32, 4, 4, pixels, &image));
    ok(clump_image_map(image, CLUMP_IMAGE_READ, &mapped));
    memory.text[0] = 0;
    cr_assert_eq(clump_threshold(context, image, NULL, &mask, NULL), CLUMP_ERROR_ARGUMENT);
    cr_assert_contains(memory.text, "mapped");
    cr_assert_eq(clump_image_map(image, CLUMP_IMAGE_READ, &mapped), CLUMP_ERROR_ARGUMENT);
    ok(clump_image_unmap(image));
    cr_assert_eq(clump_image_unmap(image), CLUMP_ERROR_ARGUMENT);
    cr_assert_eq(clump_image_download(image, NULL), CLUMP_ERROR_ARGUMENT);
    cr_assert_eq(clump_image_upload(context, CLUMP_F32, 4, 4, NULL, &image), CLUMP_ERROR_ARGUMENT);
    cr_assert_null(mask);
    clump_image_destroy(&image);
    clump_image_destroy(&image);
    clump_image_destroy(NULL);
    clump_context_destroy(&other);
    clump_context_destroy(&context);
}

Test(image, destroyed_while_mapped)
{
    clump_context *context = open_context(NULL, NULL);
    clump_image *image = NULL;
    void *mapped;
    ok(clump_image_create(context, CLUMP_U8, 100, 100, &image));
    ok(clump_image_map(image, CLUMP_IMAGE_WRITE, &mapped));
    clump_image_destroy(&image);
    clump_context_destroy(&context);
}

/* Everything that an image can do, after the program has destroyed the context. */
static void outlive(const char *device)
{
    clump_context *context = open_context(device, NULL), *own;
    clump_image *image = NULL, *made = NULL, *read = NULL;
    clump_file *file = NULL;
    char *folder = make_folder(), path[300];
    uint8_t pixels[12];
    void *mapped;
    snprintf(path, sizeof path, "%s/image.npy", folder);
    ok(clump_image_upload(context, CLUMP_U8, 3, 4, "abcdefghijkl", &image));
    ok(clump_image_map(image, CLUMP_IMAGE_READ, &mapped)); /* across the destruction */
    clump_context_destroy(&context);
    cr_assert_arr_eq(mapped, "abcdefghijkl", 12);
    ok(clump_image_unmap(image));
    own = clump_image_context(image);
    ok(clump_image_write(image, "ABCDEFGHIJKL"));
    ok(clump_file_write(own, image, path, NULL));
    ok(clump_file_open(NULL, path, NULL, &file));
    ok(clump_file_read(own, file, &read));
    ok(clump_crop(own, read, 1, 0, 1, 4, &made));
    clump_image_destroy(&image);
    clump_image_destroy(&read);
    clump_file_close(&file);
    ok(clump_image_download(made, pixels)); /* made after the destruction, and the last */
    cr_assert_arr_eq(pixels, "EFGH", 4);
    ok(clump_image_map(made, CLUMP_IMAGE_READ, &mapped));
    clump_image_destroy(&made);
    for (int kind = 0; kind < CLUMP_CL_OBJECT_COUNT; kind++)
        cr_assert_eq(clump_cl_alive((enum clump_cl_object)kind), 0);
    remove_folder(folder);
}

Test(image, outlives_its_context)
{
    outlive("reference");
    outlive(NULL);
}

static void same_pixels(clump_image *a, clump_image *b)
{
    void *left, *right;
    cr_assert_eq(clump_image_type(a), clump_image_type(b));
    ok(clump_image_map(a, CLUMP_IMAGE_READ, &left));
    ok(clump_image_map(b, CLUMP_IMAGE_READ, &right));
    cr_expect_arr_eq(left, right,
                     clump_type_row_bytes(clump_image_type(a), clump_image_cols(a)) *
                         clump_image_rows(a));
    ok(clump_image_unmap(a));
    ok(clump_image_unmap(b));
    clump_image_destroy(&a);
    clump_image_destroy(&b);
}

/* Operations on floats and on masks take every number, converted as clump_convert does. */
static void check_conversions(clump_context *context, enum clump_type type)
{
    const double values[] = {0, 1, 3, 0, 200, 0.25, 0, -7, 0, 0, 90, 1};
    const double weights[] = {1, 2, 1};
    const struct clump_weights kernel = {1, 3, weights};
    clump_image *wide = NULL, *image = NULL, *floats = NULL, *bits = NULL, *a = NULL, *b = NULL;
    uint64_t left, right;
    if (!clump_context_device(context)->fp64)
        return;
    ok(clump_image_upload(context, CLUMP_F64, 3, 4, values, &wide));
    ok(clump_convert(context, wide, type, &image));
    ok(clump_convert(context, image, type == CLUMP_F64 ? CLUMP_F64 : CLUMP_F32, &floats));
    ok(clump_convert(context, image, CLUMP_BITS, &bits));
    ok(clump_gaussian(context, image, NULL, &a));
    ok(clump_gaussian(context, floats, NULL, &b));
    same_pixels(a, b);
    ok(clump_convolve(context, image, &kernel, NULL, &a));
    ok(clump_convolve(context, floats, &kernel, NULL, &b));
    same_pixels(a, b);
    ok(clump_morphology(context, image, NULL, &a));
    ok(clump_morphology(context, bits, NULL, &b));
    same_pixels(a, b);
    ok(clump_label(context, image, NULL, &a, &left));
    ok(clump_label(context, bits, NULL, &b, &right));
    cr_expect_eq(left, right);
    same_pixels(a, b);
    clump_image *all[] = {wide, image, floats, bits};
    for (int i = 0; i < 4; i++)
        clump_image_destroy(&all[i]);
}

Test(image, every_number_is_taken, .timeout = 60)
{
    static const char *const devices[] = {"reference", NULL};
    for (int d = 0; d < 2; d++) {
        clump_context *context = open_context(devices[d], NULL);
        for (int type = CLUMP_BITS; type < CLUMP_RGB; type++)
            check_conversions(context, (enum clump_type)type);
        clump_context_destroy(&context);
    }
}
