/* SPDX-License-Identifier: MIT */
/*
 * The project's synthetic pictures: a field of radio sources and a plate of cells, with the truth
 * about them. `clump make` and clump-make-field, which made the files beside this one, share it.
 *
 * The generator is an integer one and exp and log are written out in plain arithmetic, so the
 * pixels are the same with every compiler and C library.
 */
#ifndef CLUMP_DATA_SAMPLE_H
#define CLUMP_DATA_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SAMPLE_LEAST  64 /* pixels a side */
#define SAMPLE_MOST   65536
#define SAMPLE_THINGS 4096 /* in a picture, at most */

enum sample_kind { SAMPLE_POINT, SAMPLE_EXTENDED, SAMPLE_SHELL };

/* Something in a picture: an elliptical gaussian, a ring, or a cell. */
struct sample_thing {
    enum sample_kind kind;
    double x, y;         /* 0-based pixel coordinates of the centre */
    double peak;         /* value at the centre; of a ring, along it */
    double major, minor; /* standard deviations; of a ring its radius and the width's deviation;
                            of a cell its half axes */
    double c, s;         /* direction of the major axis */
    double reach;        /* nothing of it is seen beyond, pixels */
    double flux;         /* sum of its pixels */
};

/*
 * Fills size x size pixels with noise and up to `count` sources, or the bytes of a colour picture
 * with cells, and `things` with what is there. `*placed` is less than `count` where something was
 * too large for the picture or there was no room left. False: out of memory.
 */
bool sample_field(double *pixels, long size, size_t count, uint64_t seed,
                  struct sample_thing *things, size_t *placed);
bool sample_cells(uint8_t *rgb, long size, size_t count, uint64_t seed, struct sample_thing *things,
                  size_t *placed);

/* "point", "extended" or "shell" */
const char *sample_kind_text(enum sample_kind kind);

/* The FITS cards of a field, parted by newlines: unit, celestial WCS, beam. */
void sample_cards(char *text, size_t room, long size);

#endif
