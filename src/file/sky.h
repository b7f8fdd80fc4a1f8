/* SPDX-License-Identifier: MIT */
/* The celestial WCS of a FITS header, for the two axes that an image keeps. */
#ifndef CLUMP_SRC_FILE_SKY_H
#define CLUMP_SRC_FILE_SKY_H

#include <stdbool.h>
#include <stdint.h>

#include <clump/file.h>

struct sky;

/* The library that this build lacks for sky coordinates, or NULL where it lacks none. */
extern const char *const clump_sky_missing;

/*
 * Reads `cards` header cards of 80 characters. `kept` are the file's axes, 0-based, that became
 * column and row; `position` is the 1-based pixel on each of the `axes` others. NULL where the
 * header has no celestial WCS on those two axes; `*problem` says why where it means to have one,
 * else it is NULL.
 */
struct sky *clump_sky_create(char *header, int cards, const unsigned kept[2],
                             const int64_t *position, unsigned axes, const char **problem);
void clump_sky_destroy(struct sky **sky);

/* Square degrees per pixel at the reference point. */
double clump_sky_pixel_area(const struct sky *sky);

/* Fills in celestial, projection, frame, lon_name, lat_name, equinox and scales of the info. */
void clump_sky_describe(const struct sky *sky, struct clump_file_info *info);

/* Convert a pixel to the header's own frame, and to right ascension and declination where the frame
 * is equatorial or galactic. */
bool clump_sky_native(const struct sky *sky, double row, double col, double *lon, double *lat);
bool clump_sky_world(const struct sky *sky, double row, double col, double *ra, double *dec);
bool clump_sky_pixel(const struct sky *sky, double ra, double dec, double *row, double *col);

#endif
