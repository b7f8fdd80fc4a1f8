/* SPDX-License-Identifier: MIT */
/*
 * World coordinates of an open FITS file's image, through WCSLIB.
 *
 * Positions are (row, col), 0-based; the centre of the first pixel is (0, 0), as everywhere in
 * Clump. Longitude and latitude are right ascension and declination in degrees, in the header's own
 * equatorial frame (RADESYS); galactic coordinates are converted to ICRS. clump_wcs_native answers
 * in the header's own frame, whatever it is (info->frame). WCSLIB knows the projections, the
 * distortions and the old keywords. A place for a coordinate may be NULL. Host src/wcs.c,
 * src/file/sky.c.
 */
#ifndef CLUMP_WCS_H
#define CLUMP_WCS_H

#include <stdbool.h>

#include <clump/file.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Tells where on the sky a pixel lies. Returns false, and NaN in both, where the header has no
 * celestial WCS (info->celestial) or the pixel lies outside the projection.
 */
CLUMP_API bool clump_wcs_sky(const clump_file *file, double row, double col, double *ra,
                             double *dec);

/* The same in the header's own frame, ecliptic and galactic ones too: info->lon_name, lat_name. */
CLUMP_API bool clump_wcs_native(const clump_file *file, double row, double col, double *lon,
                                double *lat);

/* From right ascension and declination to the pixel. Returns false, and NaN in both, where that
 * place is not in the projection. */
CLUMP_API bool clump_wcs_pixel(const clump_file *file, double ra, double dec, double *row,
                               double *col);

#ifdef __cplusplus
}
#endif

#endif
