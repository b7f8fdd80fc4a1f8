/* SPDX-License-Identifier: MIT */
/* Circles of given radii about the objects of clump extract: their fluxes, and how they look. */
#ifndef CLUMP_CLI_EXTRACT_APERTURES_H
#define CLUMP_CLI_EXTRACT_APERTURES_H

#include "run.h"

/* Adds flux_aper_N, fluxerr_aper_N and flag_aper_N for each radius. `image` has no background;
 * `rms` is its noise where `params` tells none. Neighbours count; masked pixels are made up for. */
enum clump_status extract_apertures(struct run *run, const struct option_list *radii,
                                    const clump_image *image, const clump_image *rms,
                                    const struct clump_extract_params *params,
                                    const struct clump_extract_result *found,
                                    clump_catalog *catalog);

/* Makes a float32 image of `image`, which has no background (turned where the negative was
 * extracted), with the outlines of the Kron ellipses, where they were measured, and of circles of
 * these radii, in the value of the largest pixel. */
enum clump_status extract_draw(struct run *run, const struct option_list *radii,
                               const clump_image *image, bool negative,
                               const struct clump_extract_result *found, clump_image **drawn);

#endif
