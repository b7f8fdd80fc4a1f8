/* SPDX-License-Identifier: MIT */
/*
 * Makes the project's sample images: a field of radio sources and a plate of cells, each with the
 * truth about it in a CSV file beside it.
 *
 *   clump-make-field field OUT.fits [SIZE [SOURCES [SEED]]]
 *   clump-make-field cells OUT.png  [SIZE [CELLS [SEED]]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fitsio.h>
#include <png.h>

#include "sample.h"

static struct sample_thing things[SAMPLE_THINGS];

static bool write_truth(const char *path, size_t count)
{
    char name[4096];
    const char *dot = strrchr(path, '.');
    snprintf(name, sizeof name, "%.*s.csv", (int)(dot ? dot - path : (long)strlen(path)), path);
    FILE *out = fopen(name, "w");
    if (!out)
        return false;
    fprintf(out, "id,kind,x,y,peak,flux,sigma_major,sigma_minor\n");
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%zu,%s,%.3f,%.3f,%.6g,%.6g,%.3f,%.3f\n", i + 1,
                sample_kind_text(things[i].kind), things[i].x + 1, things[i].y + 1, things[i].peak,
                things[i].flux, things[i].major, things[i].minor);
    return !fclose(out);
}

static void write_header(fitsfile *file, long size, int *status)
{
    char text[2048], card[FLEN_CARD];
    int type;
    sample_cards(text, sizeof text, size);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        fits_parse_template(line, card, &type, status);
        fits_write_record(file, card, status);
    }
    fits_write_history(file, "made by clump-make-field; no telescope was involved", status);
}

static bool write_fits(const char *path, double *pixels, long size)
{
    fitsfile *file;
    int status = 0;
    long axes[2] = {size, size};
    remove(path);
    fits_create_file(&file, path, &status);
    fits_create_img(file, FLOAT_IMG, 2, axes, &status);
    write_header(file, size, &status);
    fits_write_img(file, TDOUBLE, 1, size * size, pixels, &status);
    fits_close_file(file, &status);
    fits_report_error(stderr, status);
    return !status;
}

static bool write_png(const char *path, const uint8_t *rgb, long size)
{
    png_image image = {.version = PNG_IMAGE_VERSION,
                       .width = (png_uint_32)size,
                       .height = (png_uint_32)size,
                       .format = PNG_FORMAT_RGB};
    bool good = png_image_write_to_file(&image, path, 0, rgb, 0, NULL);
    if (!good)
        fprintf(stderr, "clump-make-field: %s: %s\n", path, image.message);
    return good;
}

static bool make(const char *path, bool cells, long size, size_t count, uint64_t seed)
{
    size_t placed = 0, bytes = cells ? 3 : sizeof(double);
    void *pixels = malloc((size_t)(size * size) * bytes);
    bool good = pixels && (cells ? sample_cells(pixels, size, count, seed, things, &placed)
                                 : sample_field(pixels, size, count, seed, things, &placed));
    if (good && placed < count) {
        fprintf(stderr, "clump-make-field: there is room for %zu of %zu\n", placed, count);
        good = false;
    }
    good = good && (cells ? write_png(path, pixels, size) : write_fits(path, pixels, size)) &&
           write_truth(path, placed);
    free(pixels);
    return good;
}

int main(int argc, char **argv)
{
    bool cells = argc > 1 && !strcmp(argv[1], "cells");
    long size = argc > 3 ? atol(argv[3]) : cells ? 640 : 2048;
    long count = argc > 4 ? atol(argv[4]) : cells ? 24 : 185;
    uint64_t seed = argc > 5 ? strtoull(argv[5], NULL, 10) : 1;
    if (argc < 3 || argc > 6 || (!cells && strcmp(argv[1], "field")) || size < SAMPLE_LEAST ||
        size > SAMPLE_MOST || count < 1 || count > SAMPLE_THINGS) {
        fprintf(stderr, "usage: clump-make-field field OUT.fits [SIZE [SOURCES [SEED]]]\n"
                        "       clump-make-field cells OUT.png [SIZE [CELLS [SEED]]]\n");
        return 2;
    }
    return make(argv[2], cells, size, (size_t)count, seed) ? 0 : 1;
}
