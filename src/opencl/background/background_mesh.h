/* SPDX-License-Identifier: MIT */
/* What the host does with the boxes of a background between the kernels. */
#ifndef CLUMP_SRC_OPENCL_BACKGROUND_MESH_H
#define CLUMP_SRC_OPENCL_BACKGROUND_MESH_H

#include "background/background.h"
#include "context.h"

/* The boxes: values and scratch of one number per box each, all in one piece of memory. */
struct background_mesh {
    uint64_t rows, cols;
    float *level, *rms;
    float *scratch[3];
    uint32_t *reach;    /* rows to the nearest good box of the same column; UINT32_MAX: none */
    double *recurrence; /* scratch of a spline: two numbers per box of a row or column */
};

/* Allocates; release with clump_background_mesh_release, also after failure. */
enum clump_status clump_background_mesh_create(clump_context *context,
                                               const struct background_grid *grid,
                                               struct background_mesh *mesh);
void clump_background_mesh_release(struct background_mesh *mesh);

/* Takes the boxes that a device measured, and fills and filters them; fills the result. */
void clump_background_mesh_finish(struct background_mesh *mesh, const struct background_box *boxes,
                                  const struct clump_background_params *params,
                                  struct clump_background_result *result);

/* Writes the nodes of a spline through `values`: value, differences along y, x and both. */
void clump_background_mesh_nodes(struct background_mesh *mesh, const float *values, float *nodes);

#endif
