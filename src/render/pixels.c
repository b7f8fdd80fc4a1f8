/* SPDX-License-Identifier: MIT */
/* The image itself: each pixel of the picture is the mean of the image's pixels under it. */
#include "render.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sums over the image's pixels under one row of the picture, for one channel or three. */
struct sums {
    double *sum; /* width x channels */
    uint32_t *count;
    float *values;
};

static uint64_t under(double zoom, int place, uint64_t limit)
{
    double at = floor(place / zoom + 1e-9);
    return at >= (double)limit ? limit : (uint64_t)at;
}

static void add_row(const struct view *view, uint64_t row, struct sums *sums)
{
    bool rgb = view->type == CLUMP_RGB;
    const uint8_t *colours =
        (const uint8_t *)view->pixels + (row * view->image_cols + view->col) * 3;
    if (!rgb)
        clump_view_row(view, row, sums->values);
    for (int x = 0; x < view->width; x++) {
        uint64_t first = under(view->zoom, x, view->cols - 1);
        uint64_t last = under(view->zoom, x + 1, view->cols);
        last = last > first ? last : first + 1;
        for (uint64_t col = first; col < last; col++) {
            if (rgb) {
                for (int k = 0; k < 3; k++)
                    sums->sum[3 * x + k] += colours[3 * col + (uint64_t)k];
                sums->count[x]++;
            } else if (!isnan(sums->values[col])) {
                sums->sum[x] += (double)sums->values[col];
                sums->count[x]++;
            }
        }
    }
}

static struct colour colour_at(const struct view *view, const struct sums *sums, int x)
{
    double count = sums->count[x];
    if (view->type == CLUMP_RGB)
        return (struct colour){(uint8_t)lround(sums->sum[3 * x] / count),
                               (uint8_t)lround(sums->sum[3 * x + 1] / count),
                               (uint8_t)lround(sums->sum[3 * x + 2] / count)};
    double value = sums->count[x] ? sums->sum[x] / count : NAN;
    return clump_colormap_at(view->params->colormap, clump_stretch_at(view, value));
}

static void draw_row(const struct view *view, int y, struct sums *sums, uint32_t *line)
{
    uint64_t first = under(view->zoom, y, view->rows - 1);
    uint64_t last = under(view->zoom, y + 1, view->rows);
    last = last > first ? last : first + 1;
    memset(sums->sum, 0, (size_t)view->width * 3 * sizeof *sums->sum);
    memset(sums->count, 0, (size_t)view->width * sizeof *sums->count);
    for (uint64_t row = first; row < last; row++)
        add_row(view, view->row + row, sums);
    for (int x = 0; x < view->width; x++) {
        struct colour colour = colour_at(view, sums, x);
        line[view->params->flip ? view->width - 1 - x : x] =
            (uint32_t)colour.red << 16 | (uint32_t)colour.green << 8 | colour.blue;
    }
}

bool clump_draw_pixels(const struct view *view, cairo_surface_t *surface)
{
    cairo_surface_flush(surface);
    unsigned char *data = cairo_image_surface_get_data(surface);
    int stride = cairo_image_surface_get_stride(surface);
    struct sums sums = {malloc((size_t)view->width * 3 * sizeof(double)),
                        malloc((size_t)view->width * sizeof(uint32_t)),
                        malloc(view->cols * sizeof(float))};
    bool good = sums.sum && sums.count && sums.values;
    uint64_t before = UINT64_MAX;
    uint32_t *last_line = NULL;
    for (int y = 0; good && y < view->height; y++) {
        int line = (int)view->top + (view->up ? view->height - 1 - y : y);
        uint32_t *to = (uint32_t *)(void *)(data + (ptrdiff_t)line * stride) + (int)view->left;
        uint64_t row = under(view->zoom, y, view->rows - 1);
        if (view->zoom >= 1 && row == before) /* magnified: the same line again */
            memcpy(to, last_line, (size_t)view->width * sizeof *to);
        else
            draw_row(view, y, &sums, to);
        before = row;
        last_line = to;
    }
    free(sums.values);
    free(sums.count);
    free(sums.sum);
    cairo_surface_mark_dirty(surface);
    return good;
}
