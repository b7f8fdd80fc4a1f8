/* SPDX-License-Identifier: MIT */
/* Takes the place of sky.c in a build without WCSLIB: no header has sky coordinates then. */
#include "sky.h"

#include <math.h>
#include <stddef.h>

const char *const clump_sky_missing = "WCSLIB";

struct sky *clump_sky_create(char *header, int cards, const unsigned kept[2],
                             const int64_t *position, unsigned axes, const char **problem)
{
    (void)header, (void)cards, (void)kept, (void)position, (void)axes;
    *problem = NULL;
    return NULL;
}

void clump_sky_destroy(struct sky **sky) { *sky = NULL; }

double clump_sky_pixel_area(const struct sky *sky)
{
    (void)sky;
    return 0;
}

void clump_sky_describe(const struct sky *sky, struct clump_file_info *info)
{
    (void)sky, (void)info;
}

bool clump_sky_native(const struct sky *sky, double row, double col, double *lon, double *lat)
{
    (void)sky, (void)row, (void)col;
    *lon = *lat = NAN;
    return false;
}

bool clump_sky_world(const struct sky *sky, double row, double col, double *ra, double *dec)
{
    (void)sky, (void)row, (void)col;
    *ra = *dec = NAN;
    return false;
}

bool clump_sky_pixel(const struct sky *sky, double ra, double dec, double *row, double *col)
{
    (void)sky, (void)ra, (void)dec;
    *row = *col = NAN;
    return false;
}
