/* SPDX-License-Identifier: MIT */
/* The image itself: each pixel of the picture is the mean of the image's pixels under it. */
#include "render.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHADES 4096

/* Memory for making one row of the picture. */
struct work {
    uint32_t *shades; /* colours by brightness, and after them the colour of blank pixels */
    uint64_t *edges;  /* first column of the image under each column of the picture, and the end */
    double *sums;     /* of the values under a pixel; three for colours */
    uint32_t *counts;
    float *values; /* a row of the image */
};

static uint32_t packed(struct colour colour)
{
    return (uint32_t)colour.red << 16 | (uint32_t)colour.green << 8 | colour.blue;
}

/* The pixel of the image under a place of the picture. */
static uint64_t under(double zoom, int place, uint64_t limit)
{
    double at = floor(place / zoom + 1e-9);
    return at >= (double)limit ? limit : (uint64_t)at;
}

static bool begin(const struct view *view, struct work *work)
{
    size_t width = (size_t)view->width;
    *work =
        (struct work){malloc((SHADES + 2) * sizeof *work->shades),
                      malloc((width + 1) * sizeof *work->edges),
                      malloc(width * 3 * sizeof *work->sums), malloc(width * sizeof *work->counts),
                      malloc(view->cols * sizeof *work->values)};
    if (!work->shades || !work->edges || !work->sums || !work->counts || !work->values)
        return false;
    for (int i = 0; i <= SHADES; i++)
        work->shades[i] = packed(clump_colormap_at(view->params->colormap, (double)i / SHADES));
    work->shades[SHADES + 1] = packed(clump_colormap_at(view->params->colormap, NAN));
    for (int x = 0; x <= view->width; x++)
        work->edges[x] = under(view->zoom, x, x < view->width ? view->cols - 1 : view->cols);
    return true;
}

static void end(struct work *work)
{
    free(work->values);
    free(work->counts);
    free(work->sums);
    free(work->edges);
    free(work->shades);
}

static uint32_t shade(const struct view *view, const struct work *work, double value)
{
    double brightness = clump_stretch_at(view, value);
    return work->shades[isnan(brightness) ? SHADES + 1 : (int)(brightness * SHADES + 0.5)];
}

static void add_row(const struct view *view, uint64_t row, struct work *work)
{
    if (view->type != CLUMP_RGB)
        clump_view_row(view, row, work->values);
    const uint8_t *colours =
        (const uint8_t *)view->pixels + (row * view->image_cols + view->col) * 3;
    for (int x = 0; x < view->width; x++) {
        uint64_t first = work->edges[x], last = work->edges[x + 1];
        last = last > first ? last : first + 1;
        for (uint64_t col = first; col < last; col++) {
            if (view->type == CLUMP_RGB) {
                for (int k = 0; k < 3; k++)
                    work->sums[3 * x + k] += colours[3 * col + (uint64_t)k];
                work->counts[x]++;
            } else if (!isnan(work->values[col])) {
                work->sums[3 * x] += (double)work->values[col];
                work->counts[x]++;
            }
        }
    }
}

static uint32_t colour_at(const struct view *view, const struct work *work, int x)
{
    const double *sums = work->sums + (ptrdiff_t)3 * x;
    double count = work->counts[x];
    if (view->type == CLUMP_RGB)
        return packed((struct colour){(uint8_t)lround(sums[0] / count),
                                      (uint8_t)lround(sums[1] / count),
                                      (uint8_t)lround(sums[2] / count)});
    return shade(view, work, work->counts[x] ? sums[0] / count : NAN);
}

static void draw_row(const struct view *view, int y, struct work *work, uint32_t *line)
{
    uint64_t first = under(view->zoom, y, view->rows - 1);
    uint64_t last = under(view->zoom, y + 1, view->rows);
    last = last > first ? last : first + 1;
    memset(work->sums, 0, (size_t)view->width * 3 * sizeof *work->sums);
    memset(work->counts, 0, (size_t)view->width * sizeof *work->counts);
    for (uint64_t row = first; row < last; row++)
        add_row(view, view->row + row, work);
    for (int x = 0; x < view->width; x++)
        line[view->params->flip ? view->width - 1 - x : x] = colour_at(view, work, x);
}

bool clump_draw_pixels(const struct view *view, cairo_surface_t *surface)
{
    cairo_surface_flush(surface);
    unsigned char *data = cairo_image_surface_get_data(surface);
    int stride = cairo_image_surface_get_stride(surface);
    struct work work;
    bool good = begin(view, &work);
    uint64_t before = UINT64_MAX;
    uint32_t *last_line = NULL;
    for (int y = 0; good && y < view->height; y++) {
        int line = view->up ? view->height - 1 - y : y;
        uint32_t *to = (uint32_t *)(void *)(data + (ptrdiff_t)line * stride);
        uint64_t row = under(view->zoom, y, view->rows - 1);
        if (view->zoom >= 1 && row == before) /* magnified: the same line again */
            memcpy(to, last_line, (size_t)view->width * sizeof *to);
        else
            draw_row(view, y, &work, to);
        before = row;
        last_line = to;
    }
    end(&work);
    cairo_surface_mark_dirty(surface);
    return good;
}
