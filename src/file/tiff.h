/* SPDX-License-Identifier: MIT */
/* What opening, reading and writing TIFF share. */
#ifndef CLUMP_SRC_FILE_TIFF_H
#define CLUMP_SRC_FILE_TIFF_H

#include <tiffio.h>

#include "format.h"
#include "samples.h"

struct tiff {
    TIFF *in;
    enum sample sample;
    unsigned bits, samples; /* bits per sample, samples per pixel */
    unsigned compression;
    bool tiled;
    bool separate; /* one plane per sample */
    bool colour;   /* the first three samples, or the palette's, are red, green, blue */
    bool palette;
    uint16_t *map[3]; /* libtiff's */
    uint64_t block;   /* bytes of a strip or tile */
    bool stacked;     /* the pages share one directory, and follow each other from */
    uint64_t first;   /* this byte on */
    char reason[256]; /* the first that libtiff gave */
};

TIFF *clump_tiff_open(const char *name, const char *mode, struct tiff *state);
/* Axes and pixel size, from the description of the current directory. */
void clump_tiff_axes(TIFF *in, struct clump_file_info *info);
enum clump_status clump_tiff_read(clump_file *file, void *pixels);
enum clump_status clump_tiff_write(const struct writing *writing);

#endif
