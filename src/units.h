/* SPDX-License-Identifier: MIT */
/* Units as headers spell them: what they are per. */
#ifndef CLUMP_SRC_UNITS_H
#define CLUMP_SRC_UNITS_H

#include <stdbool.h>

#define UNIT_ROOM 80

/*
 * Whether a unit is per beam: "Jy/beam", "mJy beam-1", "JY/BEAM", "uJy.bm^-1", with anything else
 * beside it ("Jy/beam km/s"). `rest` gets the unit without that, the one of a value that was
 * divided by the beam's area.
 */
bool clump_unit_per_beam(const char *unit, char rest[UNIT_ROOM]);

/* Whether a unit is per solid angle: "MJy/sr", "mag arcsec-2". */
bool clump_unit_per_angle(const char *unit);

/* The unit as the standards spell it where that is not in doubt: Jy and its multiples, per beam. */
void clump_unit_spell(const char *unit, char spelled[UNIT_ROOM]);

#endif
