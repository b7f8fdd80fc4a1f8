/* SPDX-License-Identifier: MIT */
/* Units as FITS headers spell them: whether they are per beam or per solid angle. */
#ifndef CLUMP_SRC_UNITS_H
#define CLUMP_SRC_UNITS_H

#include <stdbool.h>

#define UNIT_ROOM 80

/*
 * Tells whether a unit is per beam: "Jy/beam", "mJy beam-1", "JY/BEAM", "uJy.bm^-1", possibly with
 * other factors ("Jy/beam km/s"). `rest` gets the unit without "per beam", which is the unit of a
 * value that was divided by the pixels in a beam.
 */
bool clump_unit_per_beam(const char *unit, char rest[UNIT_ROOM]);

/* Tells whether a unit is per solid angle: "MJy/sr", "mag arcsec-2". */
bool clump_unit_per_angle(const char *unit);

/* Spells Jy, its multiples and "per beam" as the standards do, where the meaning is not in doubt.
 */
void clump_unit_spell(const char *unit, char spelled[UNIT_ROOM]);

#endif
