/* SPDX-License-Identifier: MIT */
#include "reference/reference.h"

#include <stdlib.h>
#include <string.h>

#include "reference/pixel.h"

#define SIDE 63 /* of the largest footprint */

/* A row of set cells next to each other: offset of the first from the centre, and length. */
struct run {
    int row, col, length;
};

struct runs {
    int count;
    struct run run[SIDE * (SIDE + 1) / 2];
};

static bool is_set(const struct clump_footprint *footprint, int row, int col)
{
    int size = (int)footprint->size, y = row - size, x = col - size;
    switch (footprint->kind) {
    case CLUMP_FOOTPRINT_DISK:
        return x * x + y * y <= size * size;
    case CLUMP_FOOTPRINT_SQUARE:
        return true;
    case CLUMP_FOOTPRINT_DIAMOND:
        return abs(x) + abs(y) <= size;
    default:
        return footprint->cells[row * (int)footprint->cols + col] != 0;
    }
}

static void find_runs(const struct clump_footprint *footprint, struct runs *runs)
{
    bool custom = footprint->kind == CLUMP_FOOTPRINT_CUSTOM,
         square = footprint->kind == CLUMP_FOOTPRINT_SQUARE;
    int side = square ? (int)footprint->size : 2 * (int)footprint->size + 1;
    int rows = custom ? (int)footprint->rows : side, cols = custom ? (int)footprint->cols : side;
    runs->count = 0;
    for (int r = 0; r < rows; r++)
        for (int c = 0, end; c < cols; c = end + 1) {
            for (end = c; end < cols && is_set(footprint, r, end); end++)
                ;
            if (end > c)
                runs->run[runs->count++] = (struct run){r - rows / 2, c - cols / 2, end - c};
        }
}

/* The number of set pixels left of each column: cols + 1 numbers per row. */
static uint32_t *count_left(const clump_image *mask)
{
    uint32_t *left = malloc(mask->rows * (mask->cols + 1) * sizeof *left);
    for (uint64_t r = 0; left && r < mask->rows; r++) {
        uint32_t *row = left + r * (mask->cols + 1);
        row[0] = 0;
        for (uint64_t c = 0; c < mask->cols; c++)
            row[c + 1] = row[c] + bit_get(mask, r, c);
    }
    return left;
}

/* Set pixels and all pixels of the image in row r, columns c..c + n - 1. */
static void look(const clump_image *mask, const uint32_t *left, int64_t r, int64_t c, int64_t n,
                 uint32_t *set, uint32_t *all)
{
    int64_t end = c + n, rows = (int64_t)mask->rows, cols = (int64_t)mask->cols;
    c = c < 0 ? 0 : c;
    end = end > cols ? cols : end;
    *set = *all = 0;
    if (r < 0 || r >= rows || c >= end)
        return;
    *set = left[r * (cols + 1) + end] - left[r * (cols + 1) + c];
    *all = (uint32_t)(end - c);
}

/*
 * Erosion: every cell of the footprint, laid on (r, c), that falls inside the image meets a set
 * pixel, and none falls outside where that is clear. Dilation: one cell of the reflected footprint
 * meets a set pixel, or falls outside where that is set.
 */
static bool decide(const clump_image *mask, const uint32_t *left, const struct runs *runs,
                   bool erosion, enum clump_morphology_border border, int64_t r, int64_t c)
{
    bool decides =
        border == (erosion ? CLUMP_MORPHOLOGY_BORDER_CLEAR : CLUMP_MORPHOLOGY_BORDER_SET);
    for (int i = 0; i < runs->count; i++) {
        const struct run *run = &runs->run[i];
        uint32_t set, all;
        if (erosion)
            look(mask, left, r + run->row, c + run->col, run->length, &set, &all);
        else
            look(mask, left, r - run->row, c - (run->col + run->length - 1), run->length, &set,
                 &all);
        bool outside = all != (uint32_t)run->length;
        if ((erosion ? set != all : set != 0) || (outside && decides))
            return !erosion;
    }
    return erosion;
}

static enum clump_status step(clump_context *context, const clump_image *mask,
                              const struct runs *runs, bool erosion,
                              enum clump_morphology_border border, clump_image **result)
{
    uint32_t *left = count_left(mask);
    if (!left)
        return clump_reference_no_memory(context, "morphology");
    enum clump_status status = clump_reference_mask(context, mask->rows, mask->cols, result);
    for (uint64_t r = 0; !status && r < mask->rows; r++)
        for (uint64_t c = 0; c < mask->cols; c++)
            if (decide(mask, left, runs, erosion, border, (int64_t)r, (int64_t)c))
                bit_set(*result, r, c);
    free(left);
    return status;
}

static enum clump_status two_steps(clump_context *context, const clump_image *mask,
                                   const struct runs *runs, bool erosion_first,
                                   enum clump_morphology_border border, clump_image **result)
{
    clump_image *between;
    enum clump_status status = step(context, mask, runs, erosion_first, border, &between);
    if (status)
        return status;
    status = step(context, between, runs, !erosion_first, border, result);
    clump_image_destroy(&between);
    return status;
}

/* Labels the clear pixels; those whose label does not touch the border are holes. */
static enum clump_status fill_holes(clump_context *context, const clump_image *mask,
                                    clump_image **result)
{
    clump_image *clear = NULL, *labels = NULL, *out = NULL;
    uint64_t count, cols = mask->cols, rows = mask->rows;
    uint8_t *outside = NULL;
    enum clump_status status = clump_image_create(context, CLUMP_U8, rows, cols, &clear);
    if (status)
        goto out;
    for (uint64_t i = 0; i < pixel_count(mask); i++)
        ((uint8_t *)clear->pixels)[i] = !bit_get(mask, i / cols, i % cols);
    status =
        clump_reference_label(context, clear, &(struct clump_label_params){4}, &labels, &count);
    if (status)
        goto out;
    const int32_t *numbers = labels->pixels;
    outside = calloc(count + 1, 1);
    status = outside ? clump_reference_mask(context, rows, cols, &out)
                     : clump_reference_no_memory(context, "morphology");
    if (status)
        goto out;
    for (uint64_t i = 0; i < pixel_count(mask); i++)
        if (i / cols == 0 || i / cols == rows - 1 || i % cols == 0 || i % cols == cols - 1)
            outside[numbers[i]] = 1;
    outside[0] = 0;
    for (uint64_t i = 0; i < pixel_count(mask); i++)
        if (!outside[numbers[i]])
            bit_set(out, i / cols, i % cols);
    *result = out;
out:
    free(outside);
    clump_image_destroy(&labels);
    clump_image_destroy(&clear);
    return status;
}

static enum clump_status remove_small(clump_context *context, const clump_image *mask,
                                      const struct clump_morphology_params *params,
                                      clump_image **result)
{
    clump_image *labels = NULL, *out = NULL;
    uint64_t count, *areas = NULL;
    enum clump_status status =
        clump_reference_label(context, mask, &(struct clump_label_params){params->connectivity},
                              &labels, &count);
    if (status)
        return status;
    const int32_t *numbers = labels->pixels;
    areas = calloc(count + 1, sizeof *areas);
    status = areas ? clump_reference_mask(context, mask->rows, mask->cols, &out)
                   : clump_reference_no_memory(context, "morphology");
    if (status)
        goto out;
    for (uint64_t i = 0; i < pixel_count(mask); i++)
        areas[numbers[i]]++;
    for (uint64_t i = 0; i < pixel_count(mask); i++)
        if (numbers[i] && areas[numbers[i]] >= params->min_area)
            bit_set(out, i / mask->cols, i % mask->cols);
    *result = out;
out:
    free(areas);
    clump_image_destroy(&labels);
    return status;
}

enum clump_status clump_reference_morphology(clump_context *context, const clump_image *mask,
                                             const struct clump_morphology_params *params,
                                             clump_image **result)
{
    clump_image *out = NULL;
    struct runs runs;
    enum clump_status status;
    if (params->operation <= CLUMP_MORPHOLOGY_CLOSING)
        find_runs(&params->footprint, &runs);
    switch (params->operation) {
    case CLUMP_MORPHOLOGY_EROSION:
        status = step(context, mask, &runs, true, params->border, &out);
        break;
    case CLUMP_MORPHOLOGY_DILATION:
        status = step(context, mask, &runs, false, params->border, &out);
        break;
    case CLUMP_MORPHOLOGY_OPENING:
        status = two_steps(context, mask, &runs, true, params->border, &out);
        break;
    case CLUMP_MORPHOLOGY_CLOSING:
        status = two_steps(context, mask, &runs, false, params->border, &out);
        break;
    case CLUMP_MORPHOLOGY_FILL:
        status = fill_holes(context, mask, &out);
        break;
    default:
        status = remove_small(context, mask, params, &out);
        break;
    }
    if (!status)
        *result = out;
    return status;
}
