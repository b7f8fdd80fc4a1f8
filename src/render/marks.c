/* SPDX-License-Identifier: MIT */
/* Ellipses around what was found, and their numbers. */
#include "render.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* Draws the current path twice: a wide dark halo, then the bright line. */
static void stroke(const struct view *view, cairo_t *cairo)
{
    cairo_set_source_rgba(cairo, 0, 0, 0, view->dark ? 0.6 : 0.25);
    cairo_set_line_width(cairo, 3 * view->scale);
    cairo_stroke_preserve(cairo);
    if (view->dark)
        cairo_set_source_rgb(cairo, 1, 0.80, 0.20);
    else
        cairo_set_source_rgb(cairo, 0.85, 0.15, 0.10);
    cairo_set_line_width(cairo, 1.4 * view->scale);
    cairo_stroke(cairo);
}

static void draw_ellipse(const struct view *view, cairo_t *cairo, const struct clump_mark *mark)
{
    double x, y, least = 4 * view->scale;
    double a = fmax(mark->a * view->zoom, least), b = fmax(mark->b * view->zoom, least);
    clump_view_place(view, mark->row, mark->col, &x, &y);
    cairo_save(cairo);
    cairo_translate(cairo, x, y);
    cairo_scale(cairo, view->params->flip ? -1 : 1, view->up ? -1 : 1);
    cairo_rotate(cairo, isfinite(mark->theta) ? mark->theta : 0);
    cairo_scale(cairo, a, b);
    cairo_new_path(cairo);
    cairo_arc(cairo, 0, 0, 1, 0, 2 * acos(-1.0));
    cairo_restore(cairo);
    stroke(view, cairo);
}

static void draw_number(const struct view *view, cairo_t *cairo, const struct clump_mark *mark)
{
    char text[32];
    double x, y, size = fmax(mark->a * view->zoom, 4 * view->scale) * 0.75 + 4 * view->scale;
    snprintf(text, sizeof text, "%" PRId64, mark->id);
    clump_view_place(view, mark->row, mark->col, &x, &y);
    cairo_set_font_size(cairo, 11 * view->scale);
    cairo_move_to(cairo, x + size, y - size + 4 * view->scale);
    cairo_text_path(cairo, text);
    cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
    if (view->dark)
        cairo_set_source_rgba(cairo, 0, 0, 0, 0.75);
    else
        cairo_set_source_rgba(cairo, 1, 1, 1, 0.85);
    cairo_set_line_width(cairo, 3 * view->scale);
    cairo_stroke_preserve(cairo);
    if (view->dark)
        cairo_set_source_rgb(cairo, 1, 0.9, 0.5);
    else
        cairo_set_source_rgb(cairo, 0.65, 0.05, 0.05);
    cairo_fill(cairo);
}

void clump_draw_marks(const struct view *view, cairo_t *cairo)
{
    const struct clump_render_params *params = view->params;
    cairo_save(cairo);
    cairo_rectangle(cairo, view->left, view->top, view->width, view->height);
    cairo_clip(cairo);
    for (size_t i = 0; i < params->mark_count; i++)
        if (isfinite(params->marks[i].row) && isfinite(params->marks[i].col))
            draw_ellipse(view, cairo, &params->marks[i]);
    for (size_t i = 0; i < params->mark_count; i++)
        if (isfinite(params->marks[i].row) && isfinite(params->marks[i].col) &&
            params->marks[i].id >= 0)
            draw_number(view, cairo, &params->marks[i]);
    cairo_restore(cairo);
}
