/* SPDX-License-Identifier: MIT */
/* Fluxes in other images of the objects that were found in one. */
#ifndef CLUMP_CLI_EXTRACT_BANDS_H
#define CLUMP_CLI_EXTRACT_BANDS_H

#include "run.h"

/*
 * Measures every file of `files`, parted by commas, at the places of the objects, and adds its
 * columns to the catalogue: flux_N fluxerr_N flux_auto_N fluxerr_auto_N, with N from 1 on. The
 * background of each is subtracted first, unless `params` keeps it.
 */
enum clump_status extract_bands(struct run *run, const char *files, const clump_image *segmentation,
                                const struct clump_extract_field_params *params,
                                const struct clump_extract_result *found, clump_catalog *catalog);

#endif
