/* SPDX-License-Identifier: MIT */
#include "extract_apertures.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Scratch of all objects. */
struct circles {
    struct clump_aperture *apertures;
    struct clump_flux *fluxes;
    double *values;
    int64_t *flags;
};

/* The image as float32, turned where the negative was extracted; `*made` is released by the caller,
 * and NULL where the image is used as it is. */
static enum clump_status measured_image(struct run *run, const clump_image *image, bool negative,
                                        clump_image **made)
{
    clump_image *turned = NULL;
    enum clump_status status = CLUMP_OK;
    if (clump_image_type(image) != CLUMP_F32)
        status = clump_convert(run->context, image, CLUMP_F32, made);
    if (status || !negative)
        return status;
    const struct clump_operand a = {.image = *made ? *made : image},
                               b = {.number = -1, .whole = true};
    status = clump_arith(run->context, &a, CLUMP_ARITH_MULTIPLY, &b, &turned);
    clump_image_destroy(made);
    *made = turned;
    return status;
}

/* The noise as photometry takes it: weights become variances, in `*made`. */
static enum clump_status set_noise(struct run *run, const struct clump_extract_params *params,
                                   const clump_image *rms,
                                   struct clump_photometry_params *photometry, clump_image **made)
{
    const struct clump_operand one = {.number = 1, .whole = true},
                               weights = {.image = params->noise_map};
    enum clump_status status = CLUMP_OK;
    photometry->mask = params->mask;
    photometry->gain = params->gain;
    photometry->error = params->noise;
    if (!(params->noise > 0))
        photometry->error_map = params->noise_map ? params->noise_map : rms;
    if (!params->noise_map || params->noise_kind != CLUMP_EXTRACT_NOISE_WEIGHT)
        return status;
    status = clump_arith(run->context, &one, CLUMP_ARITH_DIVIDE, &weights, made);
    photometry->error_map = *made;
    photometry->variance = true;
    return status;
}

static enum clump_status add_column(clump_catalog *catalog, const char *what, size_t number,
                                    const char *about, enum clump_column_type type,
                                    const void *values)
{
    char name[40];
    snprintf(name, sizeof name, "%s_aper_%zu", what, number);
    return clump_catalog_add(catalog, &(struct clump_column){.name = name,
                                                             .description = about,
                                                             .type = type,
                                                             .values = values});
}

/* Measures the circles of one radius. */
static enum clump_status add_circles(struct run *run, const clump_image *image, double radius,
                                     size_t number, const struct clump_photometry_params *params,
                                     uint64_t count, struct circles *circles,
                                     clump_catalog *catalog)
{
    char about[100];
    for (uint64_t i = 0; i < count; i++)
        circles->apertures[i].outer = radius;
    enum clump_status status = clump_photometry_sum(run->context, image, count, circles->apertures,
                                                    params, circles->fluxes);
    for (uint64_t i = 0; i < count && !status; i++)
        circles->values[i] = circles->fluxes[i].sum;
    snprintf(about, sizeof about, "flux in a circle of %g pixels about x, y", radius);
    if (!status)
        status = add_column(catalog, "flux", number, about, CLUMP_COLUMN_F64, circles->values);
    for (uint64_t i = 0; i < count && !status; i++) {
        circles->values[i] = circles->fluxes[i].error;
        circles->flags[i] = circles->fluxes[i].flags;
    }
    snprintf(about, sizeof about, "error of flux_aper_%zu", number);
    if (!status)
        status = add_column(catalog, "fluxerr", number, about, CLUMP_COLUMN_F64, circles->values);
    snprintf(about, sizeof about, "16 32 64 128 as in flag, of flux_aper_%zu", number);
    return status ? status
                  : add_column(catalog, "flag", number, about, CLUMP_COLUMN_I64, circles->flags);
}

enum clump_status extract_apertures(struct run *run, const struct option_list *radii,
                                    const clump_image *image, const clump_image *rms,
                                    const struct clump_extract_params *params,
                                    const struct clump_extract_result *found,
                                    clump_catalog *catalog)
{
    struct clump_photometry_params photometry = clump_photometry_defaults;
    clump_image *variances = NULL, *made = NULL;
    size_t n = found->count + 1;
    struct circles circles = {calloc(n, sizeof *circles.apertures),
                              calloc(n, sizeof *circles.fluxes), calloc(n, sizeof(double)),
                              calloc(n, sizeof(int64_t))};
    enum clump_status status = CLUMP_OK;
    if (!circles.apertures || !circles.fluxes || !circles.values || !circles.flags)
        status = run_fail(run, CLUMP_ERROR_MEMORY,
                          "no memory for the apertures of %" PRIu64 " objects", found->count);
    for (uint64_t i = 0; i < found->count && !status; i++)
        circles.apertures[i] = (struct clump_aperture){.x = found->objects[i].x,
                                                       .y = found->objects[i].y,
                                                       .a = 1,
                                                       .b = 1};
    if (!status)
        status = set_noise(run, params, rms, &photometry, &variances);
    if (!status)
        status = measured_image(run, image, params->negative, &made);
    for (size_t k = 0; k < radii->count && !status; k++)
        status = add_circles(run, made ? made : image, radii->values[k], k + 1, &photometry,
                             found->count, &circles, catalog);
    clump_image_destroy(&made);
    clump_image_destroy(&variances);
    free(circles.apertures);
    free(circles.fluxes);
    free(circles.values);
    free(circles.flags);
    return status;
}

/* Pixels on the host that are drawn on. */
struct canvas {
    float *pixels, ink;
    uint64_t rows, cols;
};

/* Draws where Rho is 1, by points less than half a pixel apart. */
static void draw_ellipse(struct canvas *canvas, const struct clump_object *o, double a, double b,
                         double theta)
{
    double most = fmax(a, b), c = cos(theta), s = sin(theta);
    if (!(most > 0) || most > 1e6)
        return;
    uint64_t points = 16 + (uint64_t)(4 * M_PI * most);
    for (uint64_t i = 0; i < points; i++) {
        double angle = 2 * M_PI * (double)i / (double)points;
        double u = a * cos(angle), v = b * sin(angle);
        double col = rint(o->x + u * c - v * s), row = rint(o->y + u * s + v * c);
        if (col >= 0 && row >= 0 && col < (double)canvas->cols && row < (double)canvas->rows)
            canvas->pixels[(uint64_t)row * canvas->cols + (uint64_t)col] = canvas->ink;
    }
}

static void draw_all(struct canvas *canvas, const struct option_list *radii,
                     const struct clump_extract_result *found)
{
    canvas->ink = -INFINITY;
    for (uint64_t i = 0; i < canvas->rows * canvas->cols; i++)
        if (isfinite(canvas->pixels[i]) && canvas->pixels[i] > canvas->ink)
            canvas->ink = canvas->pixels[i];
    for (uint64_t i = 0; i < found->count; i++) {
        const struct clump_object *o = &found->objects[i];
        draw_ellipse(canvas, o, o->a * o->kron_radius, o->b * o->kron_radius, o->theta);
        for (size_t k = 0; k < radii->count; k++)
            draw_ellipse(canvas, o, radii->values[k], radii->values[k], 0);
    }
}

enum clump_status extract_draw(struct run *run, const struct option_list *radii,
                               const clump_image *image, bool negative,
                               const struct clump_extract_result *found, clump_image **drawn)
{
    struct canvas canvas = {.rows = clump_image_rows(image), .cols = clump_image_cols(image)};
    clump_image *made = NULL;
    enum clump_status status = measured_image(run, image, negative, &made);
    if (!status && !(canvas.pixels = malloc(canvas.rows * canvas.cols * sizeof *canvas.pixels)))
        status = run_fail(run, CLUMP_ERROR_MEMORY, "no memory for an image of apertures");
    if (!status)
        status = clump_image_download(made ? made : image, canvas.pixels);
    clump_image_destroy(&made);
    if (!status) {
        draw_all(&canvas, radii, found);
        status = clump_image_upload(run->context, CLUMP_F32, canvas.rows, canvas.cols,
                                    canvas.pixels, drawn);
    }
    free(canvas.pixels);
    return status;
}
