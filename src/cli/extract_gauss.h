/* SPDX-License-Identifier: MIT */
/* Gaussians fitted to the objects of clump extract, as further columns of its catalogue. */
#ifndef CLUMP_CLI_EXTRACT_GAUSS_H
#define CLUMP_CLI_EXTRACT_GAUSS_H

#include "run.h"

/*
 * Fits a Gaussian to each object of the image without its background and adds what it shows. Where
 * the header has a beam and coordinates, sizes are in arcseconds and angles from north through
 * east, errors are those of noise that is the same within a beam, and an object that is not larger
 * than the beam, by more than the errors, is fitted once more with the beam's shape.
 */
enum clump_status extract_gauss(struct run *run, const struct input *input,
                                const clump_image *subtracted, const clump_image *segmentation,
                                const clump_image *mask, const struct clump_extract_result *found,
                                clump_catalog *catalog);

#endif
