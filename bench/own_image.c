/* SPDX-License-Identifier: MIT */
/*
 * The user's own image in the place of the cases' pictures. A picture has no room for a pointer to
 * whose it is, so there is one such image in a process.
 */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

/* The cases that make sense for any image of numbers: the others are of masks, of labels, or have
 * levels that belong to their picture. */
static const char *const names[] = {"convolve-gauss-f32",
                                    "convolve-dense-f32",
                                    "stats",
                                    "clip",
                                    "find",
                                    "gaussian",
                                    "otsu",
                                    "cells",
                                    "background",
                                    "extract",
                                    NULL};

static struct {
    float *pixels;
    uint64_t rows, cols;
} own;

bool bench_own_has(const char *name)
{
    for (size_t i = 0; names[i]; i++)
        if (!strcmp(names[i], name))
            return true;
    return false;
}

void bench_own_picture(const struct pair_case *test, void *pixels)
{
    memcpy(pixels, own.pixels, (size_t)test->rows * (size_t)test->cols * sizeof *own.pixels);
}

struct pair_case bench_own_test(const struct bench_case *item)
{
    return (struct pair_case){own.rows, own.cols, item->type, item->seed};
}

enum clump_status bench_own_load(clump_context *reference, const struct clump_log *log,
                                 const char *path, const struct clump_file_params *params,
                                 uint64_t *size)
{
    clump_file *file = NULL;
    clump_image *image = NULL, *floats = NULL;
    enum clump_status status = clump_file_open(log, path, params, &file);
    if (!status)
        status = clump_file_read(reference, file, &image);
    if (!status)
        status = clump_convert(reference, image, CLUMP_F32, &floats);
    if (!status) {
        own.rows = clump_image_rows(floats);
        own.cols = clump_image_cols(floats);
        own.pixels = malloc((size_t)own.rows * (size_t)own.cols * sizeof *own.pixels);
        status = own.pixels ? clump_image_download(floats, own.pixels) : CLUMP_ERROR_MEMORY;
        *size = own.rows > own.cols ? own.rows : own.cols;
    }
    clump_image_destroy(&floats);
    clump_image_destroy(&image);
    clump_file_close(&file);
    return status;
}

void bench_own_release(void)
{
    free(own.pixels);
    own.pixels = NULL;
}
