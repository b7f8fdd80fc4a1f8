/* SPDX-License-Identifier: MIT */
#include "opencl/background/background_mesh.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NO_REACH UINT32_MAX

enum clump_status clump_background_mesh_create(clump_context *context,
                                               const struct background_grid *grid,
                                               struct background_mesh *mesh)
{
    uint64_t n = grid->mesh_rows * grid->mesh_cols;
    mesh->rows = grid->mesh_rows;
    mesh->cols = grid->mesh_cols;
    float *memory = malloc(6 * n * sizeof *memory);
    mesh->recurrence = malloc(2 * (mesh->rows + mesh->cols) * sizeof *mesh->recurrence);
    mesh->level = memory;
    if (!memory || !mesh->recurrence)
        return clump_fail(&context->log, CLUMP_ERROR_MEMORY,
                          "background: no memory for %" PRIu64 " boxes", n);
    mesh->rms = memory + n;
    for (uint64_t i = 0; i < 3; i++)
        mesh->scratch[i] = memory + (2 + i) * n;
    mesh->reach = (uint32_t *)(memory + 5 * n);
    return CLUMP_OK;
}

void clump_background_mesh_release(struct background_mesh *mesh)
{
    free(mesh->level);
    free(mesh->recurrence);
}

/* Fills `reach` by a walk down and a walk up each column. */
static void find_reach(struct background_mesh *mesh, const struct background_box *boxes)
{
    uint64_t cols = mesh->cols, n = mesh->rows * cols;
    for (uint64_t i = 0; i < n; i++) {
        uint32_t above = i < cols ? NO_REACH : mesh->reach[i - cols];
        mesh->reach[i] = boxes[i].good ? 0 : above == NO_REACH ? NO_REACH : above + 1;
    }
    for (uint64_t i = n - cols; i-- > 0;) {
        uint32_t below = mesh->reach[i + cols];
        if (below != NO_REACH && below + 1 < mesh->reach[i])
            mesh->reach[i] = below + 1;
    }
}

/* The squared distance from box (j, i) to the nearest good one; UINT64_MAX: there is none. */
static uint64_t nearest(const struct background_mesh *mesh, uint64_t j, uint64_t i)
{
    const uint32_t *row = mesh->reach + j * mesh->cols;
    uint64_t best = UINT64_MAX;
    for (uint64_t dx = 0; dx < mesh->cols && dx * dx < best; dx++) {
        uint32_t left = i >= dx ? row[i - dx] : NO_REACH;
        uint32_t right = i + dx < mesh->cols ? row[i + dx] : NO_REACH;
        uint64_t reach = left < right ? left : right;
        if (reach != NO_REACH && dx * dx + reach * reach < best)
            best = dx * dx + reach * reach;
    }
    return best;
}

struct mean {
    double level, rms;
    uint64_t count;
};

static void add_box(const struct background_box *box, struct mean *mean)
{
    if (!box->good)
        return;
    mean->level += (double)box->level;
    mean->rms += (double)box->rms;
    mean->count++;
}

/* Adds the good boxes at a squared distance from box (j, i), in raster order. */
static struct mean mean_at(const struct background_mesh *mesh, const struct background_box *boxes,
                           uint64_t j, uint64_t i, uint64_t distance)
{
    struct mean mean = {0};
    uint64_t most = (uint64_t)sqrt((double)distance);
    uint64_t from = j > most ? j - most : 0, to = j + most < mesh->rows ? j + most : mesh->rows - 1;
    for (uint64_t y = from; y <= to; y++) {
        uint64_t dy = y > j ? y - j : j - y, rest = distance - dy * dy;
        uint64_t dx = (uint64_t)(sqrt((double)rest) + 0.5);
        if (dx * dx != rest)
            continue;
        if (dx && i >= dx)
            add_box(&boxes[y * mesh->cols + i - dx], &mean);
        if (i + dx < mesh->cols)
            add_box(&boxes[y * mesh->cols + i + dx], &mean);
    }
    return mean;
}

/* Takes level and rms of good boxes, and gives bad ones the mean of all that are nearest. */
static void take(struct background_mesh *mesh, const struct background_box *boxes)
{
    find_reach(mesh, boxes);
    for (uint64_t j = 0; j < mesh->rows; j++)
        for (uint64_t i = 0; i < mesh->cols; i++) {
            uint64_t box = j * mesh->cols + i;
            struct mean mean = {0, 1, 1};
            if (boxes[box].good)
                mean = (struct mean){(double)boxes[box].level, (double)boxes[box].rms, 1};
            else if (nearest(mesh, j, i) != UINT64_MAX)
                mean = mean_at(mesh, boxes, j, i, nearest(mesh, j, i));
            mesh->level[box] = (float)(mean.level / (double)mean.count);
            mesh->rms[box] = (float)(mean.rms / (double)mean.count);
        }
}

static int compare(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Sorts in place: few values by insertion. */
static void sort(float *values, uint64_t count)
{
    if (count > 50) {
        qsort(values, count, sizeof *values, compare);
        return;
    }
    for (uint64_t i = 1; i < count; i++) {
        float value = values[i];
        uint64_t at = i;
        for (; at > 0 && values[at - 1] > value; at--)
            values[at] = values[at - 1];
        values[at] = value;
    }
}

static double median(float *values, uint64_t count)
{
    sort(values, count);
    return ((double)values[(count - 1) / 2] + (double)values[count / 2]) / 2;
}

/* The window of a filter about a box. */
struct window {
    uint64_t top, left, rows, cols;
};

static uint64_t radius(uint64_t filter, uint64_t i, uint64_t count)
{
    uint64_t side = i < count - 1 - i ? i : count - 1 - i;
    return filter / 2 < side ? filter / 2 : side;
}

static float window_median(struct background_mesh *mesh, const float *values,
                           const struct window *window)
{
    float *taken = mesh->scratch[2];
    uint64_t n = 0;
    for (uint64_t j = 0; j < window->rows; j++)
        for (uint64_t i = 0; i < window->cols; i++)
            taken[n++] = values[(window->top + j) * mesh->cols + window->left + i];
    sort(taken, n);
    return taken[n / 2];
}

static void filter(struct background_mesh *mesh, const struct clump_background_params *params)
{
    float *level = mesh->scratch[0], *rms = mesh->scratch[1];
    size_t bytes = mesh->rows * mesh->cols * sizeof *level;
    memcpy(level, mesh->level, bytes);
    memcpy(rms, mesh->rms, bytes);
    for (uint64_t j = 0; j < mesh->rows; j++)
        for (uint64_t i = 0; i < mesh->cols; i++) {
            uint64_t box = j * mesh->cols + i;
            uint64_t ry = radius(params->filter_height, j, mesh->rows);
            uint64_t rx = radius(params->filter_width, i, mesh->cols);
            struct window window = {j - ry, i - rx, 2 * ry + 1, 2 * rx + 1};
            float middle = window_median(mesh, level, &window);
            if (fabs((double)middle - (double)level[box]) >= params->filter_threshold) {
                mesh->level[box] = middle;
                mesh->rms[box] = window_median(mesh, rms, &window);
            }
        }
}

void clump_background_mesh_finish(struct background_mesh *mesh, const struct background_box *boxes,
                                  const struct clump_background_params *params,
                                  struct clump_background_result *result)
{
    uint64_t n = mesh->rows * mesh->cols, from = 0;
    float *sorted = mesh->scratch[0];
    for (uint64_t i = 0; i < n; i++) {
        result->bad += !boxes[i].good;
        result->used += boxes[i].used;
    }
    take(mesh, boxes);
    if (params->filter_width > 1 || params->filter_height > 1)
        filter(mesh, params);
    memcpy(sorted, mesh->level, n * sizeof *sorted);
    result->level = median(sorted, n);
    memcpy(sorted, mesh->rms, n * sizeof *sorted);
    result->rms = median(sorted, n);
    while (from < n && !(sorted[from] > 0))
        from++;
    if (!(result->rms > 0))
        result->rms = from < n ? median(sorted + from, n - from) : 1;
    result->mesh_rows = mesh->rows;
    result->mesh_cols = mesh->cols;
}

/*
 * Second differences of n values at stride 4 * `stride` in the nodes, by SEP's recurrence: what is
 * divided by 6 is fed back, so that this is not the natural spline (docs/background.md).
 */
static void differences(const float *values, uint64_t n, uint64_t stride, double *recurrence,
                        float *out)
{
    double *d = recurrence, *u = recurrence + n, above = 0;
    out[0] = out[(n - 1) * stride] = 0;
    if (n < 3)
        return;
    d[0] = u[0] = 0;
    for (uint64_t k = 1; k < n - 1; k++) {
        double bend = (double)values[(k + 1) * stride] - 2 * (double)values[k * stride] +
                      (double)values[(k - 1) * stride];
        d[k] = -1 / (d[k - 1] + 4);
        u[k] = d[k] * (u[k - 1] - 6 * bend);
    }
    for (uint64_t k = n - 2; k >= 1; k--) {
        above = (d[k] * above + u[k]) / 6;
        out[k * stride] = (float)above;
    }
}

void clump_background_mesh_nodes(struct background_mesh *mesh, const float *values, float *nodes)
{
    uint64_t cols = mesh->cols, rows = mesh->rows, n = rows * cols;
    for (uint64_t i = 0; i < n; i++) {
        nodes[4 * i] = values[i];
        nodes[4 * i + 2] = nodes[4 * i + 3] = 0;
    }
    for (uint64_t i = 0; i < cols; i++)
        differences(nodes + 4 * i, rows, 4 * cols, mesh->recurrence, nodes + 4 * i + 1);
    for (uint64_t j = 0; j < rows && rows > 1; j++) {
        float *row = nodes + 4 * j * cols;
        differences(row, cols, 4, mesh->recurrence, row + 2);
        differences(row + 1, cols, 4, mesh->recurrence, row + 3);
    }
}
