/* SPDX-License-Identifier: MIT */
#include <clump/render.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include <cairo-pdf.h>
#include <cairo-svg.h>

#include <clump/convert.h>
#include <clump/label2rgb.h>

#include "context.h"
#include "file/output.h"
#include "render/params.h"
#include "render/render.h"

#define SIZE_LEAST 640   /* what small images are magnified to, nearly */
#define SIZE_MOST  4096  /* what large ones are reduced to */
#define SIDE_LIMIT 30000 /* Cairo's own limit is a little beyond */

static double automatic_zoom(const struct view *view)
{
    double side = (double)(view->rows > view->cols ? view->rows : view->cols);
    if (side > SIZE_MOST)
        return SIZE_MOST / side;
    return side * 2 <= SIZE_LEAST ? fmin(floor(SIZE_LEAST / side), 16) : 1;
}

static bool has_grid(const struct view *view)
{
    const struct clump_render_params *params = view->params;
    return params->grid && params->file && clump_file_info(params->file)->celestial;
}

static void lay_out(struct view *view)
{
    const struct clump_render_params *params = view->params;
    bool grid = has_grid(view), bar = params->bar && view->type != CLUMP_RGB;
    view->width = (int)fmax(round((double)view->cols * view->zoom), 1);
    view->height = (int)fmax(round((double)view->rows * view->zoom), 1);
    int side = view->width > view->height ? view->width : view->height;
    view->scale = fmax(1, side / 900.0);
    bool plain = !grid && !bar && !params->title;
    double edge = plain ? 0 : 14 * view->scale;
    view->left = round(grid ? 92 * view->scale : edge);
    view->top = round(params->title ? 36 * view->scale : edge);
    view->whole_width =
        (int)(view->left + view->width + round(bar ? 108 * view->scale : edge + (grid ? 20 : 0)));
    view->whole_height = (int)(view->top + view->height + round(grid ? 30 * view->scale : edge));
}

static void choose_part(struct view *view)
{
    const struct clump_render_params *params = view->params;
    view->row = params->row;
    view->col = params->col;
    view->rows = params->rows ? params->rows : view->image_rows - params->row;
    view->cols = params->cols ? params->cols : view->image_cols - params->col;
    view->zoom = params->zoom > 0 ? params->zoom : automatic_zoom(view);
    bool fits = params->file && clump_file_info(params->file)->format == CLUMP_FILE_FITS;
    view->up = params->origin == CLUMP_RENDER_ORIGIN_BOTTOM ||
               (params->origin == CLUMP_RENDER_ORIGIN_AUTO && fits);
    view->dark = params->colormap != CLUMP_RENDER_COLORMAP_GREY_REVERSED || view->type == CLUMP_RGB;
}

void clump_view_place(const struct view *view, double row, double col, double *x, double *y)
{
    double across = (col - (double)view->col + 0.5) * view->zoom;
    double down = (row - (double)view->row + 0.5) * view->zoom;
    *x = view->left + (view->params->flip ? view->width - across : across);
    *y = view->top + (view->up ? view->height - down : down);
}

void clump_draw_text(const struct view *view, cairo_t *cairo, double x, double y, double size,
                     enum anchor anchor, const char *text)
{
    cairo_text_extents_t extents;
    cairo_font_extents_t font;
    cairo_set_font_size(cairo, size * view->scale);
    cairo_text_extents(cairo, text, &extents);
    cairo_font_extents(cairo, &font);
    double shift = anchor == ANCHOR_LEFT     ? 0
                   : anchor == ANCHOR_CENTRE ? extents.x_advance / 2
                                             : extents.x_advance;
    cairo_move_to(cairo, x - shift, y + (font.ascent - font.descent) / 2);
    cairo_show_text(cairo, text);
}

static void draw_frame(const struct view *view, cairo_t *cairo)
{
    cairo_set_source_rgb(cairo, 0.15, 0.15, 0.15);
    cairo_set_line_width(cairo, 1);
    cairo_rectangle(cairo, view->left - 0.5, view->top - 0.5, view->width + 1, view->height + 1);
    cairo_stroke(cairo);
}

/* Draws the pixels into a surface of their own, which a PDF or SVG file embeds. */
static bool draw_pixels(const struct view *view, cairo_t *cairo)
{
    cairo_surface_t *pixels =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, view->width, view->height);
    bool good =
        cairo_surface_status(pixels) == CAIRO_STATUS_SUCCESS && clump_draw_pixels(view, pixels);
    if (good) {
        cairo_set_source_surface(cairo, pixels, view->left, view->top);
        cairo_pattern_set_filter(cairo_get_source(cairo), CAIRO_FILTER_NEAREST);
        cairo_paint(cairo);
    }
    cairo_surface_destroy(pixels);
    return good;
}

static bool draw(const struct view *view, cairo_surface_t *surface)
{
    cairo_t *cairo = cairo_create(surface);
    cairo_set_source_rgb(cairo, 1, 1, 1);
    cairo_paint(cairo);
    bool good = draw_pixels(view, cairo);
    cairo_select_font_face(cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    if (has_grid(view))
        clump_draw_grid(view, cairo);
    if (view->params->mark_count)
        clump_draw_marks(view, cairo);
    if (view->left > 0)
        draw_frame(view, cairo);
    if (view->params->bar && view->type != CLUMP_RGB)
        clump_draw_bar(view, cairo);
    cairo_set_source_rgb(cairo, 0.15, 0.15, 0.15);
    if (view->params->title)
        clump_draw_text(view, cairo, view->left + view->width / 2.0, view->top / 2, 14,
                        ANCHOR_CENTRE, view->params->title);
    good = cairo_status(cairo) == CAIRO_STATUS_SUCCESS && good;
    cairo_destroy(cairo);
    cairo_surface_flush(surface);
    return good;
}

/* Copies the surface into a new image. */
static enum clump_status keep(clump_context *context, const struct view *view,
                              cairo_surface_t *surface, clump_image **picture)
{
    clump_image *image = NULL;
    void *pixels;
    enum clump_status status = clump_image_create(context, CLUMP_RGB, (uint64_t)view->whole_height,
                                                  (uint64_t)view->whole_width, &image);
    if (!status)
        status = clump_image_map(image, CLUMP_IMAGE_WRITE, &pixels);
    if (!status) {
        const unsigned char *data = cairo_image_surface_get_data(surface);
        int stride = cairo_image_surface_get_stride(surface);
        uint8_t *to = pixels;
        for (int y = 0; y < view->whole_height; y++) {
            const uint32_t *line = (const uint32_t *)(const void *)(data + (ptrdiff_t)y * stride);
            for (int x = 0; x < view->whole_width; x++, to += 3) {
                to[0] = (uint8_t)(line[x] >> 16);
                to[1] = (uint8_t)(line[x] >> 8);
                to[2] = (uint8_t)line[x];
            }
        }
        status = clump_image_unmap(image);
    }
    if (status)
        clump_image_destroy(&image);
    else
        *picture = image;
    return status;
}

/* Where the picture goes: to an image or to a file. One of `picture` and `path` is NULL. */
struct target {
    clump_image **picture;
    const char *path;
    bool force;
};

/* Draws everything but the pixels: frame, bar, grid, marks and title. */
static enum clump_status prepare(clump_context *context, struct view *view)
{
    const struct clump_log *log = &context->log;
    choose_part(view);
    double side = fmax((double)view->rows, (double)view->cols) * view->zoom;
    if (side > SIDE_LIMIT)
        return clump_fail(log, CLUMP_ERROR_ARGUMENT,
                          "render: the picture's side would be %.0f pixels; %d are the most, so "
                          "zoom less or crop",
                          side, SIDE_LIMIT);
    if (!clump_view_limits(view))
        return clump_fail(log, CLUMP_ERROR_MEMORY, "render: out of memory");
    if (view->type != CLUMP_RGB && view->params->stretch == CLUMP_RENDER_STRETCH_LOGNORM &&
        view->low <= 0)
        return clump_fail(log, CLUMP_ERROR_ARGUMENT,
                          "render: the stretch lognorm needs a lower limit above 0, but the "
                          "image's is %g; give one, or take the stretch log",
                          view->low);
    lay_out(view);
    return CLUMP_OK;
}

static enum clump_status make(clump_context *context, const struct view *view,
                              clump_image **picture)
{
    cairo_surface_t *surface =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, view->whole_width, view->whole_height);
    enum clump_status status;
    if (cairo_surface_status(surface) != CAIRO_STATUS_SUCCESS || !draw(view, surface))
        status = clump_fail(&context->log, CLUMP_ERROR_MEMORY,
                            "render: out of memory for %d x %d pixels", view->whole_height,
                            view->whole_width);
    else
        status = keep(context, view, surface, picture);
    cairo_surface_destroy(surface);
    return status;
}

/* Draws a PDF or SVG file, with one point per pixel of the picture. */
static enum clump_status make_file(clump_context *context, const struct view *view,
                                   const struct target *target)
{
    struct output output;
    enum clump_status status =
        clump_output_begin(&context->log, target->path, target->force, &output);
    if (status)
        return status;
    cairo_surface_t *surface =
        clump_path_ends(target->path, ".pdf")
            ? cairo_pdf_surface_create(output.temporary, view->whole_width, view->whole_height)
            : cairo_svg_surface_create(output.temporary, view->whole_width, view->whole_height);
    bool good = cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS && draw(view, surface);
    cairo_surface_finish(surface);
    if (!good || cairo_surface_status(surface) != CAIRO_STATUS_SUCCESS)
        status = clump_fail(&context->log, CLUMP_ERROR_FILE, "%s: cannot be written: %s",
                            target->path, cairo_status_to_string(cairo_surface_status(surface)));
    cairo_surface_destroy(surface);
    return clump_output_end(&output, status);
}

/* Maps the image and draws it, whatever the colours. */
static enum clump_status draw_image(clump_context *context, const clump_image *image,
                                    const struct clump_render_params *params,
                                    const struct target *target)
{
    clump_image *mapped = (clump_image *)image; /* mapping to read leaves the pixels as they are */
    struct view view = {.params = params,
                        .type = clump_image_type(image),
                        .image_rows = clump_image_rows(image),
                        .image_cols = clump_image_cols(image)};
    void *pixels;
    enum clump_status status = clump_image_map(mapped, CLUMP_IMAGE_READ, &pixels);
    if (status)
        return status;
    view.pixels = pixels;
    status = prepare(context, &view);
    if (!status)
        status = target->path ? make_file(context, &view, target)
                              : make(context, &view, target->picture);
    enum clump_status unmapped = clump_image_unmap(mapped);
    return status ? status : unmapped;
}

/* Gives every label its colour, and draws the coloured image. */
static enum clump_status draw_labels(clump_context *context, const clump_image *image,
                                     const struct clump_render_params *params,
                                     const struct target *target)
{
    clump_image *labels = NULL, *rgb = NULL;
    enum clump_status status = clump_convert(context, image, CLUMP_I32, &labels);
    if (!status)
        status = clump_label2rgb(context, labels, NULL, NULL, &rgb);
    if (!status)
        status = draw_image(context, rgb, params, target);
    clump_image_destroy(&rgb);
    clump_image_destroy(&labels);
    return status;
}

/* Decides what CLUMP_RENDER_COLORMAP_AUTO stands for. */
static enum clump_status choose_colormap(const clump_image *image,
                                         struct clump_render_params *params)
{
    struct view view = {.params = params,
                        .type = clump_image_type(image),
                        .image_rows = clump_image_rows(image),
                        .image_cols = clump_image_cols(image)};
    clump_image *mapped = (clump_image *)image;
    void *pixels;
    params->colormap = CLUMP_RENDER_COLORMAP_GREY_REVERSED;
    if (view.type != CLUMP_I32)
        return CLUMP_OK;
    enum clump_status status = clump_image_map(mapped, CLUMP_IMAGE_READ, &pixels);
    if (status)
        return status;
    view.pixels = pixels;
    choose_part(&view);
    if (clump_view_looks_labelled(&view))
        params->colormap = CLUMP_RENDER_COLORMAP_LABELS;
    return clump_image_unmap(mapped);
}

static enum clump_status render(clump_context *context, const clump_image *image,
                                const struct clump_render_params *given,
                                const struct target *target)
{
    struct clump_render_params params = given ? *given : clump_render_defaults;
    enum clump_status status = clump_render_check(context, image, &params);
    if (!status && params.colormap == CLUMP_RENDER_COLORMAP_AUTO)
        status = choose_colormap(image, &params);
    if (status)
        return status;
    if (params.grid && !(params.file && clump_file_info(params.file)->celestial))
        clump_say(&context->log, CLUMP_LOG_WARNING,
                  "render: no grid is drawn, because the image has no celestial WCS");
    bool labels =
        params.colormap == CLUMP_RENDER_COLORMAP_LABELS && clump_image_type(image) != CLUMP_RGB;
    return labels ? draw_labels(context, image, &params, target)
                  : draw_image(context, image, &params, target);
}

enum clump_status clump_render(clump_context *context, const clump_image *image,
                               const struct clump_render_params *params, clump_image **picture)
{
    CLUMP_ROUNDING();
    enum clump_status status = clump_check_given(context ? &context->log : NULL, "render",
                                                 "place for the picture", picture);
    if (status)
        return status;
    return render(context, image, params, &(struct target){.picture = picture});
}

enum clump_status clump_render_write(clump_context *context, const clump_image *image,
                                     const struct clump_render_params *params, const char *path,
                                     bool force)
{
    CLUMP_ROUNDING();
    const struct clump_log *log = context ? &context->log : NULL;
    enum clump_status status = clump_check_given(log, "render", "path", path);
    if (status)
        return status;
    if (!clump_path_ends(path, ".pdf") && !clump_path_ends(path, ".svg"))
        return clump_fail(log, CLUMP_ERROR_ARGUMENT,
                          "%s: the name of a drawing must end in .pdf or .svg", path);
    return render(context, image, params, &(struct target){.path = path, .force = force});
}
