/* SPDX-License-Identifier: MIT */
#include <clump/wcs.h>

#include <math.h>

#include "file/format.h"
#include "file/sky.h"

bool clump_wcs_sky(const clump_file *file, double row, double col, double *ra, double *dec)
{
    *ra = *dec = NAN;
    return file && file->sky &&
           clump_sky_world(file->sky, row + (double)file->window.row,
                           col + (double)file->window.col, ra, dec);
}

bool clump_wcs_native(const clump_file *file, double row, double col, double *lon, double *lat)
{
    *lon = *lat = NAN;
    return file && file->sky && clump_sky_native(file->sky, row, col, lon, lat);
}

bool clump_wcs_pixel(const clump_file *file, double ra, double dec, double *row, double *col)
{
    *row = *col = NAN;
    if (!file || !file->sky || !clump_sky_pixel(file->sky, ra, dec, row, col))
        return false;
    *row -= (double)file->window.row;
    *col -= (double)file->window.col;
    return true;
}
