/* SPDX-License-Identifier: MIT */
/* What the public functions of photometry hand to a backend. */
#ifndef CLUMP_SRC_PHOTOMETRY_JOB_H
#define CLUMP_SRC_PHOTOMETRY_JOB_H

#include "context.h"
#include "photometry/photometry.h"

/* Checked inputs: images of one size, and the apertures in the form that cl/photometry has. */
struct photometry_job {
    const clump_image *image;        /* F32 or F64 */
    const clump_image *error_map;    /* F32, F64 or NULL */
    const clump_image *mask;         /* BITS or NULL */
    const clump_image *segmentation; /* I32, I64 or NULL */
    const struct clump_photometry_params *params;
    uint64_t count; /* 1 or more */
    const struct photometry_source *sources;
};

#endif
