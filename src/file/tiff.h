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
    uint64_t *pages;  /* where each directory begins */
    uint64_t count;   /* of directories */
    char reason[256]; /* the first that libtiff gave */
};

TIFF *clump_tiff_open(const char *name, const char *mode, struct tiff *state);
/* Axes and pixel size, from the description of the current directory. */
void clump_tiff_axes(TIFF *in, struct clump_file_info *info);
/* Opens the file at its descriptor, for reading. */
TIFF *clump_tiff_open_file(const clump_file *file, struct tiff *state);

/* Finds all directories, each looked at once. */
enum clump_status clump_tiff_find_pages(clump_file *file);
/* Describes a page by its directory alone. */
enum clump_status clump_tiff_page(clump_file *file, uint64_t number, struct clump_file_page *page);
/* Chooses how samples of so many bits and this sample format are kept; state->samples is known. */
enum clump_status clump_tiff_sample(clump_file *file, unsigned bits, unsigned kind);

enum clump_status clump_tiff_read(clump_file *file, void *pixels);
enum clump_status clump_tiff_write(struct writing *writing);

#endif
