/* SPDX-License-Identifier: MIT */
/*
 * Maps from the boxes by a spline, and the pixels that the boxes are made of.
 *
 * Method:    a node has four numbers: its value and the second differences along y, along x and
 *            along both. A pixel's row is interpolated between nodes above and below, then the
 *            pixel between the two columns of nodes beside it. Places and weights come from tables
 *            per row and per column. A node that does not exist has the weight 0. With MINUS the
 *            map is subtracted from an image of type T; with POSITIVE what is below 0 becomes 0.
 * Launch:    coarse: one work-item per row, in work-groups of one; fine, and background_pixels in
 *            either layout: one work-item per pixel, rows being the second dimension.
 * Exactness: float products and sums in one order.
 * Limits:    2^32 nodes along a side.
 * Others:    host src/opencl/background/background.c, definition src/reference/mesh.c, pair
 *            src/pairs/background.c, docs/background.md, "The maps".
 */
#include "background/background.h"

#ifndef T
#define T float
#endif

/* Pixels as float; NaN where the mask is set. */
kernel GROUPED void background_pixels(global const T *image, ulong cols, uint masked,
                                      global const uint *mask, global float *pixels)
{
    ulong col = get_global_id(0), row = get_global_id(1);
    if (col >= cols)
        return;
    bool out = masked && (mask[row * ((cols + 31) / 32) + col / 32] >> (col % 32) & 1);
    pixels[row * cols + col] = out ? NAN : convert_float(image[row * cols + col]);
}

INLINE float between(struct background_place at, float v0, float v1, float d0, float d1)
{
    return v0 + at.t * (v1 - v0) + at.a * d0 + at.b * d1;
}

/* Value and difference along x of column `i` of nodes in a row of pixels. */
INLINE float2 node_at(global const float4 *nodes, struct background_grid grid,
                      struct background_place row, ulong i)
{
    i = min(i, grid.mesh_cols - 1);
    float4 above = nodes[row.node * grid.mesh_cols + i];
    float4 below = nodes[min((ulong)row.node + 1, grid.mesh_rows - 1) * grid.mesh_cols + i];
    if (grid.mesh_rows == 1)
        return (float2)(above.x, 0.0f);
    return (float2)(between(row, above.x, below.x, above.y, below.y),
                    between(row, above.z, below.z, above.w, below.w));
}

INLINE float finished(float value, global const T *image, ulong i)
{
#ifdef POSITIVE
    return value > 0.0f ? value : 0.0f;
#elif defined(MINUS)
    return convert_float(image[i]) - value;
#else
    return value;
#endif
}

#if COARSE
/* Fills the pixels from..to of a row, which lie between the same nodes. */
INLINE void fill(float2 n0, float2 n1, global const struct background_place *cols, ulong from,
                 ulong to, ulong start, global const T *image, global float *map)
{
    for (ulong x = from; x < to; x++)
        map[start + x] = finished(between(cols[x], n0.x, n1.x, n0.y, n1.y), image, start + x);
}

/* Leaves the map of the nodes' values, row by row; with MINUS, the image less that map. */
kernel ALONE void background_spread(global const float4 *nodes, struct background_grid grid,
                                    global const struct background_place *rows,
                                    global const struct background_place *cols,
                                    global const T *image, global float *map)
{
    ulong y = get_global_id(0), x = 0, middle = grid.width / 2;
    struct background_place row = rows[y];
    float2 n0 = node_at(nodes, grid, row, 0), n1 = node_at(nodes, grid, row, 1);
    for (ulong k = 0; x < grid.cols; k++) {
        ulong to = k + 2 < grid.mesh_cols ? middle + (k + 1) * grid.width : grid.cols;
        fill(n0, n1, cols, x, to, y * grid.cols, image, map);
        x = to;
        n0 = n1;
        n1 = node_at(nodes, grid, row, k + 2);
    }
}
#else
/* Leaves the map of the nodes' values, a pixel per work-item; with MINUS, the image less that map.
 */
kernel GROUPED void background_spread(global const float4 *nodes, struct background_grid grid,
                                      global const struct background_place *rows,
                                      global const struct background_place *cols,
                                      global const T *image, global float *map)
{
    ulong x = get_global_id(0), y = get_global_id(1);
    if (x >= grid.cols)
        return;
    struct background_place row = rows[y], col = cols[x];
    float2 n0 = node_at(nodes, grid, row, col.node), n1 = node_at(nodes, grid, row, col.node + 1);
    map[y * grid.cols + x] =
        finished(between(col, n0.x, n1.x, n0.y, n1.y), image, y * grid.cols + x);
}
#endif
