/* SPDX-License-Identifier: MIT */
#include "extract_apertures.h"

#include <inttypes.h>
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
