/* SPDX-License-Identifier: MIT */
#include "opencl/background/background_mesh.h"
#include "opencl/core/opencl.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define BOXES  "background/boxes"
#define SPREAD "background/spread"

static_assert(
    sizeof(struct background_grid) == 56 && sizeof(struct background_box) == 16 &&
        sizeof(struct background_place) == 16,
    "a struct of cl/background/background.h is padded, perhaps otherwise than in the kernels");

static struct background_grid grid_of(const clump_image *image,
                                      const struct clump_background_params *params)
{
    struct background_grid grid = {
        .rows = image->rows,
        .cols = image->cols,
        .height = params->mesh_height < image->rows ? params->mesh_height : image->rows,
        .width = params->mesh_width < image->cols ? params->mesh_width : image->cols,
        .bits = 24,
    };
    grid.mesh_rows = (grid.rows - 1) / grid.height + 1;
    grid.mesh_cols = (grid.cols - 1) / grid.width + 1;
    int size = 0; /* bits of the number of pixels of a box */
    while (grid.height * grid.width > UINT64_C(1) << size)
        size++;
    if (size + 2 * grid.bits > 64)
        grid.bits = (64 - size) / 2;
    return grid;
}

/* Makes the pixels that boxes are measured on, floats that are NaN where the mask is set; leaves
 * *pixels NULL where those of the image will do. */
static enum clump_status make_pixels(clump_context *context, const clump_image *image,
                                     const clump_image *mask, cl_mem *pixels)
{
    char options[32];
    cl_kernel kernel;
    cl_uint masked = mask != NULL;
    snprintf(options, sizeof options, "-DT=%s", clump_type_opencl(image->type));
    enum clump_status status = clump_kernel(context, SPREAD, options, "background_pixels", &kernel);
    if (!status)
        status = clump_buffer_borrow(context, image->rows * image->cols * sizeof(float), pixels);
    if (status)
        return status;
    return clump_launch_rows(context, kernel, image->rows, image->cols,
                             CLUMP_ARGS(CLUMP_ARG_IMAGE(image), CLUMP_ARG(image->cols),
                                        CLUMP_ARG(masked),
                                        mask ? CLUMP_ARG_IMAGE(mask) : CLUMP_ARG_IMAGE(image),
                                        CLUMP_ARG(*pixels)));
}

/* Refuses boxes that cannot be: more pixels than the box has, a good one that is not finite. */
static enum clump_status check_boxes(clump_context *context, const struct background_grid *grid,
                                     const struct background_box *boxes)
{
    uint64_t wrong = 0;
    for (uint64_t i = 0; i < grid->mesh_rows * grid->mesh_cols; i++) {
        uint64_t row = i / grid->mesh_cols * grid->height;
        uint64_t col = i % grid->mesh_cols * grid->width;
        uint64_t rows = grid->rows - row < grid->height ? grid->rows - row : grid->height;
        uint64_t cols = grid->cols - col < grid->width ? grid->cols - col : grid->width;
        bool good = 2 * (uint64_t)boxes[i].used >= rows * cols;
        wrong += boxes[i].used > rows * cols || boxes[i].good != good ||
                 !isfinite(boxes[i].level) || !(boxes[i].rms >= 0);
    }
    return clump_check_count(context, "background", "impossible boxes", wrong, 0);
}

static enum clump_status measure_boxes(clump_context *context, const clump_image *image,
                                       const clump_image *mask, const struct background_grid *grid,
                                       const struct clump_background_params *params,
                                       struct background_mesh *mesh,
                                       struct clump_background_result *result)
{
    cl_kernel kernel;
    cl_mem pixels = NULL, boxes = NULL;
    void *mapped;
    uint64_t n = grid->mesh_rows * grid->mesh_cols;
    size_t local = context->opencl->layout.coarse ? 1 : context->opencl->layout.group;
    size_t global = (size_t)n * local, bytes = (size_t)n * sizeof(struct background_box);
    struct clump_arg source = CLUMP_ARG_IMAGE(image);
    enum clump_status status = clump_kernel(context, BOXES, "", "background_boxes", &kernel);
    if (!status && (mask || image->type != CLUMP_F32)) {
        status = make_pixels(context, image, mask, &pixels);
        source = CLUMP_ARG(pixels);
    }
    if (!status)
        status = clump_buffer_borrow(context, bytes, &boxes);
    if (!status)
        status = clump_launch(context, kernel, 1, &global, &local,
                              CLUMP_ARGS(source, CLUMP_ARG(*grid), CLUMP_ARG(boxes)));
    if (!status)
        status = clump_buffer_map(context, boxes, CLUMP_IMAGE_READ, bytes, &mapped);
    if (!status) {
        status = check_boxes(context, grid, mapped);
        if (!status)
            clump_background_mesh_finish(mesh, mapped, params, result);
        enum clump_status unmapped = clump_buffer_unmap(context, boxes, mapped);
        status = status ? status : unmapped;
    }
    clump_buffer_return(context, &boxes);
    clump_buffer_return(context, &pixels);
    return status;
}

static struct background_place place_at(double t, uint64_t node)
{
    double r = 1 - t;
    return (struct background_place){(uint32_t)node, (float)t, (float)(r * r * r - r),
                                     (float)(t * t * t - t)};
}

/* The places of all rows, then of all columns, between nodes; nothing where there is one node. */
static void fill_places(const struct background_grid *grid, uint64_t height, uint64_t width,
                        struct background_place *places)
{
    uint64_t half = width / 2;
    for (uint64_t y = 0; y < grid->rows; y++) {
        double s = (double)y / (double)height - 0.5;
        uint64_t node = s > 0 ? (uint64_t)s : 0;
        if (node + 2 > grid->mesh_rows)
            node = grid->mesh_rows - 2;
        places[y] =
            grid->mesh_rows > 1 ? place_at(s - (double)node, node) : (struct background_place){0};
    }
    for (uint64_t x = 0; x < grid->cols; x++) {
        uint64_t node = x > half ? (x - half) / width : 0;
        if (node + 2 > grid->mesh_cols)
            node = grid->mesh_cols - 2;
        double t = ((double)x + 0.5) / (double)width - 0.5 - (double)node;
        places[grid->rows + x] =
            grid->mesh_cols > 1 ? place_at(t, node) : (struct background_place){0};
    }
}

/* What the maps are made of. */
struct spread {
    struct background_grid grid;
    cl_mem rows, cols; /* places */
    cl_mem nodes;
};

static enum clump_status make_places(clump_context *context, const struct background_grid *grid,
                                     struct spread *spread)
{
    uint64_t n = grid->rows + grid->cols;
    struct background_place *places = malloc(n * sizeof *places);
    if (!places)
        return clump_fail(&context->log, CLUMP_ERROR_MEMORY,
                          "background: no memory for %" PRIu64 " places", n);
    fill_places(grid, grid->height, grid->width, places);
    enum clump_status status =
        clump_buffer_borrow(context, grid->rows * sizeof *places, &spread->rows);
    if (!status)
        status = clump_buffer_borrow(context, grid->cols * sizeof *places, &spread->cols);
    if (!status)
        status = clump_buffer_write(context, spread->rows, places, grid->rows * sizeof *places);
    if (!status)
        status = clump_buffer_write(context, spread->cols, places + grid->rows,
                                    grid->cols * sizeof *places);
    free(places);
    return status;
}

static enum clump_status write_nodes(clump_context *context, struct spread *spread,
                                     struct background_mesh *mesh, const float *values)
{
    size_t bytes = (size_t)(mesh->rows * mesh->cols) * 4 * sizeof(float);
    void *mapped;
    enum clump_status status =
        spread->nodes ? CLUMP_OK : clump_buffer_borrow(context, bytes, &spread->nodes);
    if (!status)
        status = clump_buffer_map(context, spread->nodes, CLUMP_IMAGE_WRITE, bytes, &mapped);
    if (status)
        return status;
    clump_background_mesh_nodes(mesh, values, mapped);
    return clump_buffer_unmap(context, spread->nodes, mapped);
}

/* Makes a map, or with `minus` that image less the map. */
static enum clump_status make_map(clump_context *context, const struct spread *spread,
                                  const char *form, const clump_image *minus, clump_image **map)
{
    char options[48];
    cl_kernel kernel;
    const struct background_grid *grid = &spread->grid;
    size_t one = 1, rows = (size_t)grid->rows;
    snprintf(options, sizeof options, "%s -DT=%s", form,
             clump_type_opencl(minus ? minus->type : CLUMP_F32));
    enum clump_status status = clump_image_create(context, CLUMP_F32, grid->rows, grid->cols, map);
    if (!status)
        status = clump_kernel(context, SPREAD, options, "background_spread", &kernel);
    if (status)
        return status;
    const struct clump_arg args[] = {CLUMP_ARG(spread->nodes),
                                     CLUMP_ARG(*grid),
                                     CLUMP_ARG(spread->rows),
                                     CLUMP_ARG(spread->cols),
                                     minus ? CLUMP_ARG_IMAGE(minus) : CLUMP_ARG(spread->nodes),
                                     CLUMP_ARG_IMAGE(*map)};
    const unsigned count = sizeof args / sizeof *args;
    return context->opencl->layout.coarse
               ? clump_launch(context, kernel, 1, &rows, &one, args, count)
               : clump_launch_rows(context, kernel, grid->rows, grid->cols, args, count);
}

/* The images that were asked for. */
struct maps {
    clump_image *back, *rms, *subtracted;
};

static enum clump_status make_maps(clump_context *context, const clump_image *image,
                                   struct spread *spread, struct background_mesh *mesh, bool back,
                                   bool rms, bool subtracted, struct maps *maps)
{
    enum clump_status status = make_places(context, &spread->grid, spread);
    if (!status && (back || subtracted))
        status = write_nodes(context, spread, mesh, mesh->level);
    if (!status && back)
        status = make_map(context, spread, "-DPLAIN", NULL, &maps->back);
    if (!status && subtracted)
        status = make_map(context, spread, "-DMINUS", image, &maps->subtracted);
    if (!status && rms)
        status = write_nodes(context, spread, mesh, mesh->rms);
    if (!status && rms)
        status = make_map(context, spread, "-DPOSITIVE", NULL, &maps->rms);
    clump_buffer_return(context, &spread->nodes);
    clump_buffer_return(context, &spread->cols);
    clump_buffer_return(context, &spread->rows);
    return status;
}

enum clump_status clump_opencl_background(clump_context *context, const clump_image *image,
                                          const clump_image *mask,
                                          const struct clump_background_params *params,
                                          clump_image **back, clump_image **rms,
                                          clump_image **subtracted,
                                          struct clump_background_result *result)
{
    struct clump_background_result r = {0};
    struct background_mesh mesh = {0};
    struct spread spread = {.grid = grid_of(image, params)};
    struct maps maps = {0};
    enum clump_status status = clump_background_mesh_create(context, &spread.grid, &mesh);
    if (!status)
        status = measure_boxes(context, image, mask, &spread.grid, params, &mesh, &r);
    if (!status && (back || rms || subtracted))
        status = make_maps(context, image, &spread, &mesh, back, rms, subtracted, &maps);
    clump_background_mesh_release(&mesh);
    if (status) {
        clump_image_destroy(&maps.subtracted);
        clump_image_destroy(&maps.rms);
        clump_image_destroy(&maps.back);
        return status;
    }
    if (back)
        *back = maps.back;
    if (rms)
        *rms = maps.rms;
    if (subtracted)
        *subtracted = maps.subtracted;
    *result = r;
    return CLUMP_OK;
}
