/* SPDX-License-Identifier: MIT */
#include <clump/wcs.h>

#include <math.h>

#include "file/format.h"
#include "file/sky.h"

/* A caller may want one coordinate alone: the other goes to `spare`. */
static double *place(double *given, double *spare)
{
    double *chosen = given ? given : spare;
    *chosen = NAN;
    return chosen;
}

bool clump_wcs_sky(const clump_file *file, double row, double col, double *ra, double *dec)
{
    CLUMP_ROUNDING();
    double spare[2];
    ra = place(ra, &spare[0]);
    dec = place(dec, &spare[1]);
    return file && file->sky &&
           clump_sky_world(file->sky, row + (double)file->window.row,
                           col + (double)file->window.col, ra, dec);
}

bool clump_wcs_native(const clump_file *file, double row, double col, double *lon, double *lat)
{
    CLUMP_ROUNDING();
    double spare[2];
    lon = place(lon, &spare[0]);
    lat = place(lat, &spare[1]);
    return file && file->sky &&
           clump_sky_native(file->sky, row + (double)file->window.row,
                            col + (double)file->window.col, lon, lat);
}

bool clump_wcs_pixel(const clump_file *file, double ra, double dec, double *row, double *col)
{
    CLUMP_ROUNDING();
    double spare[2];
    row = place(row, &spare[0]);
    col = place(col, &spare[1]);
    if (!file || !file->sky || !clump_sky_pixel(file->sky, ra, dec, row, col))
        return false;
    *row -= (double)file->window.row;
    *col -= (double)file->window.col;
    return true;
}
