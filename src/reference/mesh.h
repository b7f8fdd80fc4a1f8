/* SPDX-License-Identifier: MIT */
/* The boxes of a background, and what is done with them once they are measured. */
#ifndef CLUMP_SRC_REFERENCE_MESH_H
#define CLUMP_SRC_REFERENCE_MESH_H

#include "reference/reference.h"

struct mesh {
    uint64_t image_rows, image_cols;
    uint64_t height, width; /* of a box */
    uint64_t rows, cols;    /* boxes */
    float *level, *rms;     /* one per box */
    bool *good;
};

/* Divides an image into boxes; release with clump_mesh_release, also after failure. */
enum clump_status clump_mesh_create(clump_context *context, const clump_image *image,
                                    const struct clump_background_params *params,
                                    struct mesh *mesh);
void clump_mesh_release(struct mesh *mesh);

/* Fills the bad boxes, filters, and fills in the result's global figures and numbers of boxes. */
enum clump_status clump_mesh_finish(clump_context *context,
                                    const struct clump_background_params *params, struct mesh *mesh,
                                    struct clump_background_result *result);

/* Makes a map of the image's size by a spline through `values`, one per box. */
enum clump_status clump_mesh_spread(clump_context *context, const struct mesh *mesh,
                                    const float *values, clump_image **map);

#endif
