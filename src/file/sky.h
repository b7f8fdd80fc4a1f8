/* SPDX-License-Identifier: MIT */
/* The celestial WCS of a FITS header, for the two axes that an image keeps. */
#ifndef CLUMP_SRC_FILE_SKY_H
#define CLUMP_SRC_FILE_SKY_H

#include <stdbool.h>
#include <stdint.h>

struct sky;

/*
 * Reads `cards` header cards of 80 characters. `kept` are the file's axes, 0-based, that became
 * column and row; `position` is the 1-based pixel on each of the `axes` others. NULL where the
 * header has no celestial WCS on those two axes.
 */
struct sky *clump_sky_create(char *header, int cards, const unsigned kept[2],
                             const int64_t *position, unsigned axes);
void clump_sky_destroy(struct sky **sky);

/* Square degrees that a pixel covers at the reference point. */
double clump_sky_pixel_area(const struct sky *sky);

bool clump_sky_world(const struct sky *sky, double row, double col, double *ra, double *dec);
bool clump_sky_pixel(const struct sky *sky, double ra, double dec, double *row, double *col);

#endif
