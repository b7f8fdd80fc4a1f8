/* SPDX-License-Identifier: MIT */
/* What the parts of a picture share. */
#ifndef CLUMP_SRC_RENDER_RENDER_H
#define CLUMP_SRC_RENDER_RENDER_H

#include <cairo.h>

#include <clump/render.h>

struct view {
    const struct clump_render_params *params;
    enum clump_type type;
    uint64_t image_rows, image_cols;
    const void *pixels;
    uint64_t row, col, rows, cols; /* the part shown */
    bool up;                       /* the first row is at the bottom */
    double zoom;
    double low, high;
    int width, height; /* of the part in the picture's pixels */
    double left, top;  /* where it begins */
    int whole_width, whole_height;
    double scale; /* of letters and lines */
    bool dark;    /* the colour of low values is dark */
};

struct colour {
    uint8_t red, green, blue;
};

/* The colour of a brightness of 0..1, or of NaN for blank pixels. */
struct colour clump_colormap_at(enum clump_render_colormap map, double brightness);

/* True for an image that looks like a label image: CLUMP_RENDER_COLORMAP_AUTO in clump/render.h. */
bool clump_view_looks_labelled(const struct view *view);

/* The brightness of a value; NaN for NaN. */
double clump_stretch_at(const struct view *view, double value);

/* Turns one row of the part shown into floats. */
void clump_view_row(const struct view *view, uint64_t row, float *values);

/* Fills in low and high. False when there is no memory. */
bool clump_view_limits(struct view *view);

/* Draws the part shown into a surface of its size; false when there is no memory. */
bool clump_draw_pixels(const struct view *view, cairo_surface_t *surface);
void clump_draw_bar(const struct view *view, cairo_t *cairo);
void clump_draw_grid(const struct view *view, cairo_t *cairo);
void clump_draw_marks(const struct view *view, cairo_t *cairo);

/* Where the centre of a pixel lies in the picture. */
void clump_view_place(const struct view *view, double row, double col, double *x, double *y);

enum anchor { ANCHOR_LEFT, ANCHOR_CENTRE, ANCHOR_RIGHT };

/* Draws text whose middle line is at y, and whose left end, centre or right end is at x. */
void clump_draw_text(const struct view *view, cairo_t *cairo, double x, double y, double size,
                     enum anchor anchor, const char *text);

#endif
