/* SPDX-License-Identifier: MIT */
#include "reference/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum clump_status clump_mesh_create(clump_context *context, const clump_image *image,
                                    const struct clump_background_params *params, struct mesh *mesh)
{
    mesh->image_rows = image->rows;
    mesh->image_cols = image->cols;
    mesh->width = params->mesh_width;
    mesh->height = params->mesh_height;
    mesh->rows = (image->rows - 1) / mesh->height + 1;
    mesh->cols = (image->cols - 1) / mesh->width + 1;
    mesh->level = calloc(mesh->rows * mesh->cols, sizeof *mesh->level);
    mesh->rms = calloc(mesh->rows * mesh->cols, sizeof *mesh->rms);
    mesh->good = calloc(mesh->rows * mesh->cols, sizeof *mesh->good);
    return mesh->level && mesh->rms && mesh->good
               ? CLUMP_OK
               : clump_reference_no_memory(context, "background");
}

void clump_mesh_release(struct mesh *mesh)
{
    free(mesh->level);
    free(mesh->rms);
    free(mesh->good);
}

static uint64_t distance(const struct mesh *mesh, uint64_t a, uint64_t b)
{
    int64_t dy = (int64_t)(a / mesh->cols) - (int64_t)(b / mesh->cols);
    int64_t dx = (int64_t)(a % mesh->cols) - (int64_t)(b % mesh->cols);
    return (uint64_t)(dx * dx + dy * dy);
}

/* Gives bad boxes the mean of all good boxes that are nearest. */
static void fill_bad(struct mesh *mesh)
{
    uint64_t n = mesh->rows * mesh->cols;
    for (uint64_t a = 0; a < n; a++) {
        uint64_t nearest = UINT64_MAX, count = 0;
        double level = 0, rms = 0;
        if (mesh->good[a])
            continue;
        for (uint64_t b = 0; b < n; b++)
            if (mesh->good[b] && distance(mesh, a, b) < nearest)
                nearest = distance(mesh, a, b);
        for (uint64_t b = 0; b < n; b++)
            if (mesh->good[b] && distance(mesh, a, b) == nearest) {
                level += (double)mesh->level[b];
                rms += (double)mesh->rms[b];
                count++;
            }
        mesh->level[a] = count ? (float)(level / (double)count) : 0;
        mesh->rms[a] = count ? (float)(rms / (double)count) : 1;
    }
}

static int compare(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Sorts the values and tells the middle one, or the mean of two. */
static double middle(float *values, uint64_t count)
{
    qsort(values, count, sizeof *values, compare);
    return ((double)values[(count - 1) / 2] + (double)values[count / 2]) / 2;
}

static uint64_t least(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t d = a < b ? a : b;
    return d < c ? d : c;
}

/* The median of a window about box (j, i), which shrinks evenly on both sides at a border. */
static float window_median(const struct mesh *mesh, const float *values, uint64_t j, uint64_t i,
                           const struct clump_background_params *params, float *window)
{
    uint64_t rx = least(params->filter_width / 2, i, mesh->cols - 1 - i);
    uint64_t ry = least(params->filter_height / 2, j, mesh->rows - 1 - j);
    uint64_t count = 0;
    for (uint64_t y = j - ry; y <= j + ry; y++)
        for (uint64_t x = i - rx; x <= i + rx; x++)
            window[count++] = values[y * mesh->cols + x];
    return (float)middle(window, count);
}

static void filter(struct mesh *mesh, const struct clump_background_params *params, float *window,
                   float *level, float *rms)
{
    for (uint64_t j = 0; j < mesh->rows; j++)
        for (uint64_t i = 0; i < mesh->cols; i++) {
            uint64_t box = j * mesh->cols + i;
            float median = window_median(mesh, mesh->level, j, i, params, window);
            bool changes =
                fabs((double)median - (double)mesh->level[box]) >= params->filter_threshold;
            level[box] = changes ? median : mesh->level[box];
            rms[box] =
                changes ? window_median(mesh, mesh->rms, j, i, params, window) : mesh->rms[box];
        }
    memcpy(mesh->level, level, mesh->rows * mesh->cols * sizeof *level);
    memcpy(mesh->rms, rms, mesh->rows * mesh->cols * sizeof *rms);
}

/* The median of the rms; where it is not positive, that of those that are, or 1. */
static double global_rms(const struct mesh *mesh, float *sorted)
{
    uint64_t n = mesh->rows * mesh->cols, from = 0;
    memcpy(sorted, mesh->rms, n * sizeof *sorted);
    double rms = middle(sorted, n);
    while (from < n && !(sorted[from] > 0))
        from++;
    return rms > 0 ? rms : from < n ? middle(sorted + from, n - from) : 1;
}

enum clump_status clump_mesh_finish(clump_context *context,
                                    const struct clump_background_params *params, struct mesh *mesh,
                                    struct clump_background_result *result)
{
    uint64_t n = mesh->rows * mesh->cols;
    float *scratch = malloc(3 * n * sizeof *scratch);
    if (!scratch)
        return clump_reference_no_memory(context, "background");
    fill_bad(mesh);
    filter(mesh, params, scratch, scratch + n, scratch + 2 * n);
    memcpy(scratch, mesh->level, n * sizeof *scratch);
    result->level = middle(scratch, n);
    result->rms = global_rms(mesh, scratch);
    result->mesh_rows = mesh->rows;
    result->mesh_cols = mesh->cols;
    free(scratch);
    return CLUMP_OK;
}

/* SEP's second differences of n values, `stride` apart: not those of the natural spline. */
static void differences(const float *values, uint64_t n, uint64_t stride, double *d, double *u,
                        float *out)
{
    for (uint64_t k = 0; k < n; k++)
        d[k] = u[k] = 0;
    for (uint64_t k = 1; k + 1 < n; k++) {
        double bend = (double)values[(k + 1) * stride] - 2 * (double)values[k * stride] +
                      (double)values[(k - 1) * stride];
        d[k] = -1 / (d[k - 1] + 4);
        u[k] = d[k] * (u[k - 1] - 6 * bend);
    }
    double next = 0;
    out[0] = out[(n - 1) * stride] = 0;
    for (uint64_t k = n < 3 ? 0 : n - 2; k >= 1; k--) {
        next = (d[k] * next + u[k]) / 6;
        out[k * stride] = (float)next;
    }
}

/* A place between two nodes: the first of them, and the weights of a spline there. */
struct place {
    uint64_t node;
    float t, a, b; /* of the second value's excess; of the first and second difference */
};

static struct place place_at(double t, uint64_t node)
{
    double r = 1 - t;
    return (struct place){node, (float)t, (float)(r * r * r - r), (float)(t * t * t - t)};
}

static struct place row_place(const struct mesh *mesh, uint64_t y)
{
    double s = (double)y / (double)mesh->height - 0.5;
    uint64_t node = s > 0 ? (uint64_t)s : 0;
    if (node > mesh->rows - 2)
        node = mesh->rows - 2;
    return place_at(s - (double)node, node);
}

static struct place col_place(const struct mesh *mesh, uint64_t x)
{
    uint64_t half = mesh->width / 2, node = x > half ? (x - half) / mesh->width : 0;
    if (node > mesh->cols - 2)
        node = mesh->cols - 2;
    return place_at(((double)x + 0.5) / (double)mesh->width - 0.5 - (double)node, node);
}

static float between(struct place at, float v0, float v1, float d0, float d1)
{
    return v0 + at.t * (v1 - v0) + at.a * d0 + at.b * d1;
}

/* Values of the nodes and their differences along y, along x and along both. */
struct nodes {
    const float *v;
    float *y, *x, *xy;
};

static float pixel_value(const struct mesh *mesh, const struct nodes *nodes, uint64_t y, uint64_t x)
{
    float v[2] = {0}, d[2] = {0};
    struct place at = mesh->cols > 1 ? col_place(mesh, x) : (struct place){0};
    struct place row = mesh->rows > 1 ? row_place(mesh, y) : (struct place){0};
    for (uint64_t k = 0; k < 2 && at.node + k < mesh->cols; k++) {
        uint64_t i = row.node * mesh->cols + at.node + k, j = i + mesh->cols;
        v[k] = nodes->v[i];
        if (mesh->rows > 1) {
            v[k] = between(row, nodes->v[i], nodes->v[j], nodes->y[i], nodes->y[j]);
            d[k] = between(row, nodes->x[i], nodes->x[j], nodes->xy[i], nodes->xy[j]);
        }
    }
    return mesh->cols > 1 ? between(at, v[0], v[1], d[0], d[1]) : v[0];
}

static void make_nodes(const struct mesh *mesh, struct nodes *nodes, double *d, double *u)
{
    uint64_t nx = mesh->cols, ny = mesh->rows;
    for (uint64_t i = 0; i < nx; i++)
        differences(nodes->v + i, ny, nx, d, u, nodes->y + i);
    for (uint64_t j = 0; j < ny && ny > 1; j++) {
        differences(nodes->v + j * nx, nx, 1, d, u, nodes->x + j * nx);
        differences(nodes->y + j * nx, nx, 1, d, u, nodes->xy + j * nx);
    }
}

enum clump_status clump_mesh_spread(clump_context *context, const struct mesh *mesh,
                                    const float *values, clump_image **map)
{
    uint64_t n = mesh->rows * mesh->cols, longest = mesh->rows + mesh->cols;
    float *memory = calloc(3 * n, sizeof *memory);
    double *columns = malloc(2 * longest * sizeof *columns);
    enum clump_status status = CLUMP_OK;
    if (!memory || !columns)
        status = clump_reference_no_memory(context, "background");
    if (!status)
        status = clump_image_create(context, CLUMP_F32, mesh->image_rows, mesh->image_cols, map);
    if (!status) {
        struct nodes nodes = {values, memory, memory + n, memory + 2 * n};
        float *out = (*map)->pixels;
        make_nodes(mesh, &nodes, columns, columns + longest);
        for (uint64_t y = 0; y < mesh->image_rows; y++)
            for (uint64_t x = 0; x < mesh->image_cols; x++)
                out[y * mesh->image_cols + x] = pixel_value(mesh, &nodes, y, x);
    }
    free(columns);
    free(memory);
    return status;
}
