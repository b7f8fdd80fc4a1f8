/* SPDX-License-Identifier: MIT */
/* Extraction of a field: background, objects, and what apertures show of them. */
#include <clump/extract.h>

#include <math.h>
#include <stdlib.h>

#include <clump/arith.h>
#include <clump/photometry.h>
#include <clump/threshold.h>

#include "context.h"

/* The figures of the two defaults stand here again, as C takes no constant object as an
 * initialiser; tests/extract.c compares. */
const struct clump_extract_field_params clump_extract_field_defaults = {
    .background = {.mesh_width = 64, .mesh_height = 64, .filter_width = 3, .filter_height = 3},
    .extract = {.thresh = 1.5,
                .filter = &clump_extract_default_filter,
                .filter_type = CLUMP_EXTRACT_FILTER_MATCHED,
                .min_area = 5,
                .deblend_levels = 32,
                .deblend_contrast = 0.005,
                .clean = true,
                .clean_param = 1},
};

#define KRON_REACH   6          /* ellipses within which the Kron radius is measured */
#define KRON_FACTOR  2.5        /* of the Kron radius */
#define KRON_LEAST   3.5        /* SExtractor's PHOT_AUTOPARAMS */
#define RADIUS_MOST  6          /* of a, within which the flux radius is looked for */
#define WINDOW       (2 / 2.35) /* of the flux radius: sigma of a Gaussian with that half-width */
#define WINDOW_LEAST 0.5

/* Scratch of the photometry of `count` objects. */
struct apertures {
    struct clump_aperture *all;
    struct clump_kron *kron;
    struct clump_flux *fluxes;
    struct clump_window *windows;
    double *totals, *radii;
};

static void release(struct apertures *apertures)
{
    free(apertures->all);
    free(apertures->kron);
    free(apertures->fluxes);
    free(apertures->windows);
    free(apertures->totals);
    free(apertures->radii);
}

static enum clump_status prepare(clump_context *context, const struct clump_object *objects,
                                 uint64_t count, struct apertures *apertures)
{
    *apertures = (struct apertures){.all = calloc(count, sizeof *apertures->all),
                                    .kron = calloc(count, sizeof *apertures->kron),
                                    .fluxes = calloc(count, sizeof *apertures->fluxes),
                                    .windows = calloc(count, sizeof *apertures->windows),
                                    .totals = calloc(count, sizeof *apertures->totals),
                                    .radii = calloc(count, sizeof *apertures->radii)};
    if (!apertures->all || !apertures->kron || !apertures->fluxes || !apertures->windows ||
        !apertures->totals || !apertures->radii)
        return clump_fail(&context->log, CLUMP_ERROR_MEMORY,
                          "extract: no memory for the apertures of the objects");
    for (uint64_t i = 0; i < count; i++)
        apertures->all[i] = (struct clump_aperture){.x = objects[i].x,
                                                    .y = objects[i].y,
                                                    .a = objects[i].a,
                                                    .b = objects[i].b,
                                                    .theta = objects[i].theta,
                                                    .outer = KRON_REACH,
                                                    .id = (int64_t)i + 1};
    return CLUMP_OK;
}

/* The noise of an extraction, as photometry takes it: weights become variances, in `*made`. */
static enum clump_status noise_of(clump_context *context, const struct clump_extract_params *params,
                                  struct clump_photometry_params *photometry, clump_image **made)
{
    photometry->error = params->noise;
    photometry->error_map = params->noise_map;
    photometry->variance = params->noise_map && params->noise_kind != CLUMP_EXTRACT_NOISE_SIGMA;
    photometry->gain = params->gain;
    if (!params->noise_map || params->noise_kind != CLUMP_EXTRACT_NOISE_WEIGHT)
        return CLUMP_OK;
    const struct clump_operand one = {.number = 1, .whole = true},
                               weights = {.image = params->noise_map};
    enum clump_status status = clump_arith(context, &one, CLUMP_ARITH_DIVIDE, &weights, made);
    photometry->error_map = *made;
    return status;
}

/* Flux in the Kron ellipse. */
static enum clump_status measure_auto(clump_context *context, const clump_image *image,
                                      const struct clump_photometry_params *params,
                                      struct clump_object *objects, uint64_t count,
                                      struct apertures *apertures)
{
    enum clump_status status =
        clump_photometry_kron(context, image, count, apertures->all, params, apertures->kron);
    for (uint64_t i = 0; !status && i < count; i++) {
        double radius = KRON_FACTOR * apertures->kron[i].radius;
        apertures->all[i].outer = radius > KRON_LEAST ? radius : KRON_LEAST;
    }
    if (!status)
        status =
            clump_photometry_sum(context, image, count, apertures->all, params, apertures->fluxes);
    for (uint64_t i = 0; !status && i < count; i++) {
        const struct clump_flux *flux = &apertures->fluxes[i];
        objects[i].kron_radius = apertures->all[i].outer;
        objects[i].flux_auto = apertures->totals[i] = flux->sum;
        objects[i].fluxerr_auto = flux->error;
        objects[i].flag |= flux->flags & 0xf0;
        if (!(flux->sum > 0))
            objects[i].flag |= CLUMP_OBJECT_APER_NEGATIVE;
    }
    return status;
}

/* Replaces the image by its negative, where that was extracted; `*made` gets it too. */
static enum clump_status turn(clump_context *context, const struct clump_extract_params *params,
                              const clump_image **image, clump_image **made)
{
    clump_image *converted = NULL;
    enum clump_status status = CLUMP_OK;
    if (!params->negative)
        return CLUMP_OK;
    status =
        clump_convert_to(context, 1u << CLUMP_F32 | 1u << CLUMP_F64, CLUMP_F32, image, &converted);
    const struct clump_operand a = {.image = *image}, b = {.number = -1, .whole = true};
    if (!status)
        status = clump_arith(context, &a, CLUMP_ARITH_MULTIPLY, &b, made);
    if (!status)
        *image = *made;
    clump_image_destroy(&converted);
    return status;
}

enum clump_status clump_extract_photometry(clump_context *context, const clump_image *image,
                                           const clump_image *segmentation,
                                           const struct clump_extract_params *params,
                                           struct clump_object *objects, uint64_t count)
{
    CLUMP_ROUNDING();
    struct apertures apertures = {0};
    struct clump_photometry_params photometry = clump_photometry_defaults;
    clump_image *variances = NULL, *turned = NULL;
    const double half = 0.5;
    if (!params)
        params = &clump_extract_defaults;
    enum clump_status status =
        clump_check_image(context, "extract", "image", image, CLUMP_TYPES_NUMBER);
    if (!status)
        status = clump_check_reserved(&context->log, "clump_extract_photometry", "params", params);
    if (!status && count)
        status = clump_check_given(&context->log, "extract", "list of objects", objects);
    if (status || !count)
        return status;
    status = prepare(context, objects, count, &apertures);
    if (!status)
        status = turn(context, params, &image, &turned);
    photometry.mask = params->mask;
    photometry.segmentation = segmentation;
    photometry.ignore = true;
    photometry.subpix = 1;
    if (!status)
        status = noise_of(context, params, &photometry, &variances);
    if (!status)
        status = measure_auto(context, image, &photometry, objects, count, &apertures);
    for (uint64_t i = 0; i < count && !status; i++)
        apertures.all[i].outer = RADIUS_MOST * objects[i].a;
    photometry.subpix = clump_photometry_defaults.subpix;
    if (!status)
        status = clump_photometry_radius(context, image, count, apertures.all, apertures.totals,
                                         &half, 1, &photometry, apertures.radii, NULL);
    for (uint64_t i = 0; i < count && !status; i++) {
        objects[i].flux_radius = apertures.radii[i];
        apertures.all[i].outer = WINDOW * fmax(apertures.radii[i], WINDOW_LEAST);
    }
    if (!status)
        status = clump_photometry_window(context, image, count, apertures.all, &photometry,
                                         apertures.windows);
    for (uint64_t i = 0; i < count && !status; i++) {
        objects[i].xwin = apertures.windows[i].x;
        objects[i].ywin = apertures.windows[i].y;
    }
    clump_image_destroy(&turned);
    clump_image_destroy(&variances);
    release(&apertures);
    return status;
}

/* A mask of the pixels at or above the saturation. */
static enum clump_status find_saturated(clump_context *context, const clump_image *image,
                                        double saturation, clump_image **mask)
{
    struct clump_threshold_params threshold = clump_threshold_defaults;
    threshold.above = saturation;
    threshold.inclusive = true;
    return clump_threshold(context, image, &threshold, mask, NULL);
}

/* The image without its objects. */
static enum clump_status make_residual(clump_context *context, const clump_image *image,
                                       const clump_image *segmentation, clump_image **residual)
{
    struct clump_threshold_params free_pixels = clump_threshold_defaults;
    clump_image *sky = NULL;
    free_pixels.above = 0;
    free_pixels.below = free_pixels.inclusive = true;
    free_pixels.output = CLUMP_U8;
    enum clump_status status = clump_threshold(context, segmentation, &free_pixels, &sky, NULL);
    const struct clump_operand a = {.image = image}, b = {.image = sky};
    if (!status)
        status = clump_arith(context, &a, CLUMP_ARITH_MULTIPLY, &b, residual);
    clump_image_destroy(&sky);
    return status;
}

/* The images of a field on its way. */
struct field {
    clump_image *background, *rms, *subtracted, *filtered, *segmentation, *residual, *saturated;
};

static void give(clump_image **from, clump_image **to)
{
    if (!to)
        return;
    *to = *from;
    *from = NULL;
}

static void finish(struct field *field, const struct clump_extract_images *images, bool right)
{
    if (right && images) {
        give(&field->background, images->background);
        give(&field->rms, images->rms);
        give(&field->subtracted, images->subtracted);
        give(&field->filtered, images->filtered);
        give(&field->segmentation, images->segmentation);
        give(&field->residual, images->residual);
    }
    clump_image_destroy(&field->saturated);
    clump_image_destroy(&field->residual);
    clump_image_destroy(&field->segmentation);
    clump_image_destroy(&field->filtered);
    clump_image_destroy(&field->subtracted);
    clump_image_destroy(&field->rms);
    clump_image_destroy(&field->background);
}

/* Subtracts the background and sets the noise; `extract` gets the image in hand. */
static enum clump_status subtract(clump_context *context, const clump_image *image,
                                  const struct clump_extract_field_params *params,
                                  const struct clump_extract_images *images, struct field *field,
                                  struct clump_extract_params *extract,
                                  struct clump_background_result *background)
{
    bool noise = extract->noise > 0 || extract->noise_map;
    bool wanted = images && (images->background || images->rms || images->subtracted);
    enum clump_status status = CLUMP_OK;
    if (params->saturation > 0)
        status = find_saturated(context, image, params->saturation, &field->saturated);
    if (field->saturated)
        extract->saturated = field->saturated;
    if (!status && (!params->keep_background || !noise || wanted))
        status = clump_background(context, image, extract->mask, &params->background,
                                  images && images->background ? &field->background : NULL,
                                  !noise || (images && images->rms) ? &field->rms : NULL,
                                  !params->keep_background || (images && images->subtracted)
                                      ? &field->subtracted
                                      : NULL,
                                  background);
    if (!noise)
        extract->noise_map = field->rms;
    return status;
}

enum clump_status clump_extract_field(clump_context *context, const clump_image *image,
                                      const struct clump_extract_field_params *params,
                                      const struct clump_extract_images *images,
                                      struct clump_background_result *background,
                                      struct clump_extract_result *result)
{
    CLUMP_ROUNDING();
    struct field field = {0};
    struct clump_background_result level = {0};
    struct clump_extract_result found = {0};
    if (!params)
        params = &clump_extract_field_defaults;
    enum clump_status status =
        clump_check_image(context, "extract", "image", image, CLUMP_TYPES_NUMBER);
    if (!status)
        status = clump_check_reserved(&context->log, "clump_extract_field", "params", params);
    if (!status && images)
        status = clump_check_reserved(&context->log, "clump_extract_field", "images", images);
    if (!status)
        status = clump_check_given(&context->log, "extract", "place for the result", result);
    if (status)
        return status;
    struct clump_extract_params extract = params->extract;
    status = subtract(context, image, params, images, &field, &extract, &level);
    const clump_image *used = params->keep_background ? image : field.subtracted;
    bool residual = images && images->residual;
    bool labelled = !params->isophotes_only || residual || (images && images->segmentation);
    if (!status)
        status = clump_extract(context, used, &extract, labelled ? &field.segmentation : NULL,
                               images && images->filtered ? &field.filtered : NULL, &found);
    if (!status && !params->isophotes_only)
        status = clump_extract_photometry(context, used, field.segmentation, &extract,
                                          found.objects, found.count);
    if (!status && residual)
        status = make_residual(context, used, field.segmentation, &field.residual);
    finish(&field, images, !status);
    if (status) {
        clump_extract_release(&found);
        return status;
    }
    if (background)
        *background = level;
    *result = found;
    return CLUMP_OK;
}
