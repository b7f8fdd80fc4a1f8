/* SPDX-License-Identifier: MIT */
/* Images whose rows are written and read some at a time. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct memory memory;

/* Rows of a counting image, three at a time; fails at row 6 if `user` says so. */
struct counting {
    clump_context *context;
    bool fails;
    uint64_t extra;
};

static enum clump_status count_on(void *user, uint64_t row, clump_image **rows)
{
    const struct counting *counting = user;
    int32_t pixels[8 * 4];
    uint64_t n = (row + 3 > 8 ? 8 - row : 3) + counting->extra;
    if (counting->fails && row == 6)
        return CLUMP_ERROR_DEVICE;
    for (uint64_t i = 0; i < n * 4; i++)
        pixels[i] = (int32_t)(row * 4 + i);
    return clump_image_upload(counting->context, CLUMP_I32, n, 4, pixels, rows);
}

static void check_file(clump_context *context, const char *path)
{
    struct counting counting = {.context = context};
    struct clump_file_params crop = clump_file_defaults;
    struct clump_file_write_params force = {.force = true};
    clump_file *file = NULL;
    clump_image *part = NULL;
    int32_t pixels[2 * 2];
    ok(clump_file_write_rows(context, CLUMP_I32, 8, 4, path, NULL, count_on, &counting));
    counting.fails = true; /* what is there stays */
    cr_expect_eq(clump_file_write_rows(context, CLUMP_I32, 8, 4, path, &force, count_on, &counting),
                 CLUMP_ERROR_DEVICE);
    counting = (struct counting){context, false, 3};
    cr_expect_eq(clump_file_write_rows(context, CLUMP_I32, 8, 4, path, &force, count_on, &counting),
                 CLUMP_ERROR_ARGUMENT);
    crop.crop = true;
    crop.rows[0] = 1;
    crop.rows[1] = 7;
    crop.cols[0] = 1;
    crop.cols[1] = 3;
    ok(clump_file_open(NULL, path, &crop, &file));
    cr_expect(clump_file_by_rows(file));
    ok(clump_file_read_rows(context, file, 4, 2, &part));
    ok(clump_image_download(part, pixels));
    const int32_t right[4] = {21, 22, 25, 26};
    cr_expect(!memcmp(pixels, right, sizeof right), "%s: %d %d %d %d", path, pixels[0], pixels[1],
              pixels[2], pixels[3]);
    clump_image_destroy(&part);
    clump_file_close(&file);
}

Test(file_rows, are_written_and_read_some_at_a_time)
{
    clump_context *context = open_context("reference", &memory);
    char *folder = make_folder(), path[300];
    snprintf(path, sizeof path, "%s/a.npy", folder);
    check_file(context, path);
    snprintf(path, sizeof path, "%s/a.fits", folder);
    check_file(context, path);
    remove_folder(folder);
    clump_context_destroy(&context);
}
