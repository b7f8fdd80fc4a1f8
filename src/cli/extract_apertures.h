/* SPDX-License-Identifier: MIT */
/* Circles of given radii about the objects of clump extract: their fluxes. */
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

#endif
