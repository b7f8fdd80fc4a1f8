/* SPDX-License-Identifier: MIT */
#include "photometry_job.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define SUBPIX_MOST 1024
#define FAR         1e100 /* of radii and axes: squares and sums of squares are finite */

const struct clump_photometry_params clump_photometry_defaults = {
    .subpix = 5,
    .local_subpix = 1,
};

static bool is_radius(double value) { return value >= 0 && value <= FAR; }

/* An axis without width: no pixel has a part in such an ellipse. */
static void make_empty(struct photometry_source *source)
{
    *source = (struct photometry_source){.x = source->x,
                                         .y = source->y,
                                         .cxx = 1,
                                         .cyy = 1,
                                         .ux = 1,
                                         .vy = 1,
                                         .scale = 1,
                                         .margin = 0.7072,
                                         .reach_x = 1,
                                         .reach_y = 1,
                                         .id = source->id};
}

static void prepare_source(const struct clump_aperture *aperture, struct photometry_source *source)
{
    double a = fmax(aperture->a, aperture->b), b = fmin(aperture->a, aperture->b);
    double theta = aperture->theta + (aperture->a < aperture->b ? M_PI / 2 : 0);
    double c = cos(theta), s = sin(theta);
    *source = (struct photometry_source){.x = aperture->x, .y = aperture->y, .id = aperture->id};
    source->invalid =
        !(fabs(aperture->x) <= FAR && fabs(aperture->y) <= FAR && is_radius(aperture->a) &&
          is_radius(aperture->b) && isfinite(theta) && is_radius(aperture->inner) &&
          is_radius(aperture->outer) && aperture->inner <= aperture->outer);
    if (source->invalid)
        return;
    if (b < 1 / FAR) {
        make_empty(source);
        return;
    }
    clump_ellipse_coefficients(a, b, theta, &source->cxx, &source->cyy, &source->cxy);
    source->ux = c / a;
    source->uy = s / a;
    source->vx = -s / b;
    source->vy = c / b;
    source->scale = a * b;
    source->margin = 0.7072 / b;
    source->inner = aperture->inner;
    source->outer = aperture->outer;
    source->reach_x = sqrt(a * a * c * c + b * b * s * s);
    source->reach_y = sqrt(a * a * s * s + b * b * c * c);
}

static enum clump_status check_numbers(clump_context *context,
                                       const struct clump_photometry_params *params)
{
    if (params->subpix > SUBPIX_MOST || params->local_subpix > SUBPIX_MOST)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "photometry: subpix and local_subpix are at most %d, not %u and %u",
                          SUBPIX_MOST, params->subpix, params->local_subpix);
    if (!(params->error >= 0) || !(params->gain >= 0) || isinf(params->error))
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "photometry: error and gain must be 0 or more, not %g and %g",
                          params->error, params->gain);
    if (params->error_map && params->error != 0)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "photometry: the error is a number or a map, but both were given");
    if (isnan(params->mask_threshold))
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "photometry: mask_threshold must be a number, not NaN");
    if (!is_radius(params->local_inner) || !is_radius(params->local_outer) ||
        (params->local_outer > 0 && params->local_inner > params->local_outer))
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "photometry: the annulus of the local background must have radii of 0 or "
                          "more, the outer one not the smaller, but they are %g and %g",
                          params->local_inner, params->local_outer);
    return CLUMP_OK;
}

/* What the caller of `function` has given. */
struct inputs {
    const char *function;
    const clump_image *image;
    uint64_t count;
    const struct clump_aperture *apertures;
    const struct clump_photometry_params *params;
    const void *results; /* where the results go */
};

static enum clump_status check_inputs(clump_context *context, const struct inputs *in)
{
    const clump_image *image = in->image;
    const struct clump_photometry_params *params = in->params;
    enum clump_status status =
        clump_check_image(context, "photometry", "image", image, CLUMP_TYPES_NUMBER);
    if (!status)
        status = clump_check_reserved(&context->log, in->function, "params", params);
    if (!status && in->count)
        status = clump_check_given(&context->log, "photometry", "aperture", in->apertures);
    if (!status && in->count)
        status =
            clump_check_given(&context->log, "photometry", "place for the results", in->results);
    for (uint64_t i = 0; i < in->count && !status; i++)
        status = clump_check_reserved(&context->log, in->function, "apertures", &in->apertures[i]);
    if (!status)
        status = check_numbers(context, params);
    if (!status && params->error_map)
        status = clump_check_companion(context, "photometry", image, "error map", params->error_map,
                                       CLUMP_TYPES_NUMBER);
    if (!status && params->segmentation)
        status = clump_check_companion(context, "photometry", image, "segmentation",
                                       params->segmentation, CLUMP_TYPES_NUMBER);
    if (!status && !context->device.fp64)
        status = clump_fail(&context->log, CLUMP_ERROR_UNSUPPORTED,
                            "photometry: %s does not compute in double, in which fluxes are "
                            "summed; choose another device (clump devices)",
                            context->device.name);
    return status;
}

/* What a call makes and has to release. */
struct made {
    clump_image *image, *error_map, *mask, *segmentation;
    struct photometry_source *sources;
};

/* Replaces whole numbers by those of the narrowest float type that holds them. */
static enum clump_status to_float(clump_context *context, const clump_image **image,
                                  clump_image **made)
{
    const unsigned narrow = 1u << CLUMP_U8 | 1u << CLUMP_U16 | 1u << CLUMP_I16;
    bool small = narrow & 1u << (*image)->type;
    return clump_convert_to(context, CLUMP_TYPES_FLOAT, small ? CLUMP_F32 : CLUMP_F64, image, made);
}

static enum clump_status to_labels(clump_context *context, const clump_image **labels,
                                   clump_image **made)
{
    if (CLUMP_TYPES_FLOAT & 1u << (*labels)->type)
        return clump_labels_whole(context, "photometry", labels, made);
    return clump_convert_to(context, 1u << CLUMP_I32 | 1u << CLUMP_I64,
                            (*labels)->type == CLUMP_U32 ? CLUMP_I64 : CLUMP_I32, labels, made);
}

/* Converts images and apertures to what the backend takes; with `round` circles of the radius
 * `outer` stand for the apertures. */
static enum clump_status prepare(clump_context *context, const struct clump_aperture *apertures,
                                 bool round, struct photometry_job *job, struct made *made)
{
    const struct clump_photometry_params *params = job->params;
    enum clump_status status = to_float(context, &job->image, &made->image);
    if (!status && params->error_map) {
        job->error_map = params->error_map;
        status = to_float(context, &job->error_map, &made->error_map);
    }
    if (!status && params->mask) {
        job->mask = params->mask;
        status = clump_masked(context, "photometry", job->image, params->mask_threshold, &job->mask,
                              &made->mask);
    }
    if (!status && params->segmentation) {
        job->segmentation = params->segmentation;
        status = to_labels(context, &job->segmentation, &made->segmentation);
    }
    if (status)
        return status;
    made->sources = malloc(job->count * sizeof *made->sources);
    if (!made->sources)
        return clump_fail(&context->log, CLUMP_ERROR_MEMORY,
                          "photometry: no memory for %" PRIu64 " apertures", job->count);
    for (uint64_t i = 0; i < job->count; i++) {
        struct clump_aperture aperture = apertures[i];
        if (round) {
            aperture.a = aperture.b = 1;
            aperture.theta = aperture.inner = 0;
        }
        prepare_source(&aperture, &made->sources[i]);
    }
    job->sources = made->sources;
    return CLUMP_OK;
}

static void release(struct made *made)
{
    free(made->sources);
    clump_image_destroy(&made->segmentation);
    clump_image_destroy(&made->mask);
    clump_image_destroy(&made->error_map);
    clump_image_destroy(&made->image);
}

/* Checks the inputs and makes a job of them. Release `made`, also after a failure. */
static enum clump_status begin(clump_context *context, struct inputs in, bool round,
                               struct photometry_job *job, struct made *made)
{
    if (!in.params)
        in.params = &clump_photometry_defaults;
    *made = (struct made){0};
    *job = (struct photometry_job){.image = in.image, .params = in.params, .count = in.count};
    enum clump_status status = check_inputs(context, &in);
    return status || !in.count ? status : prepare(context, in.apertures, round, job, made);
}

enum clump_status clump_photometry_sum(clump_context *context, const clump_image *image,
                                       uint64_t count, const struct clump_aperture *apertures,
                                       const struct clump_photometry_params *params,
                                       struct clump_flux *fluxes)
{
    CLUMP_ROUNDING();
    struct photometry_job job;
    struct made made;
    const struct inputs in = {"clump_photometry_sum", image, count, apertures, params, fluxes};
    enum clump_status status = begin(context, in, false, &job, &made);
    if (!status && count)
        status = context->backend->photometry_sum(context, &job, fluxes);
    release(&made);
    return status;
}

enum clump_status clump_photometry_kron(clump_context *context, const clump_image *image,
                                        uint64_t count, const struct clump_aperture *apertures,
                                        const struct clump_photometry_params *params,
                                        struct clump_kron *radii)
{
    CLUMP_ROUNDING();
    struct photometry_job job;
    struct made made;
    const struct inputs in = {"clump_photometry_kron", image, count, apertures, params, radii};
    enum clump_status status = begin(context, in, false, &job, &made);
    if (!status && count)
        status = context->backend->photometry_kron(context, &job, radii);
    release(&made);
    return status;
}

/* Checks what only clump_photometry_radius takes. */
static enum clump_status check_fractions(clump_context *context,
                                         const struct clump_photometry_params *params,
                                         const double *fractions, unsigned parts)
{
    if (!parts || !fractions)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "photometry: no fractions of the flux were given; 0.5 is usual");
    for (unsigned i = 0; i < parts; i++)
        if (!isfinite(fractions[i]))
            return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                              "photometry: a fraction must be finite, not %g", fractions[i]);
    if (!params->subpix)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "photometry: subpix must be 1 or more for radii, not 0");
    return CLUMP_OK;
}

enum clump_status clump_photometry_radius(clump_context *context, const clump_image *image,
                                          uint64_t count, const struct clump_aperture *apertures,
                                          const double *totals, const double *fractions,
                                          unsigned parts,
                                          const struct clump_photometry_params *params,
                                          double *radii, uint32_t *flags)
{
    CLUMP_ROUNDING();
    struct photometry_job job;
    struct made made;
    const struct inputs in = {"clump_photometry_radius", image, count, apertures, params, radii};
    enum clump_status status = begin(context, in, true, &job, &made);
    if (!status)
        status = check_fractions(context, job.params, fractions, parts);
    if (!status && count)
        status = context->backend->photometry_radius(context, &job, totals, fractions, parts, radii,
                                                     flags);
    release(&made);
    return status;
}

/* Gives NaN to apertures that make no sense; sets the ellipses. */
static void finish_gauss(const struct photometry_job *job, struct clump_gauss *fits)
{
    for (uint64_t i = 0; i < job->count; i++) {
        struct clump_gauss *fit = &fits[i];
        if (job->sources[i].invalid) {
            *fit = (struct clump_gauss){.flags = CLUMP_PHOTOMETRY_INVALID};
            fit->height = fit->x = fit->y = fit->residual = (double)NAN;
            fit->cxx = fit->cyy = fit->cxy = (double)NAN;
        }
        clump_ellipse_axes(fit->cxx, fit->cyy, fit->cxy, &fit->a, &fit->b, &fit->theta);
    }
}

enum clump_status clump_photometry_gauss(clump_context *context, const clump_image *image,
                                         uint64_t count, const struct clump_aperture *apertures,
                                         bool fixed, const struct clump_photometry_params *params,
                                         struct clump_gauss *fits)
{
    CLUMP_ROUNDING();
    struct photometry_job job;
    struct made made;
    const struct inputs in = {"clump_photometry_gauss", image, count, apertures, params, fits};
    enum clump_status status = begin(context, in, false, &job, &made);
    if (!status && count)
        status = context->backend->photometry_gauss(context, &job, fixed, fits);
    if (!status && count)
        finish_gauss(&job, fits);
    release(&made);
    return status;
}

enum clump_status clump_photometry_window(clump_context *context, const clump_image *image,
                                          uint64_t count, const struct clump_aperture *apertures,
                                          const struct clump_photometry_params *params,
                                          struct clump_window *positions)
{
    CLUMP_ROUNDING();
    struct photometry_job job;
    struct made made;
    const struct inputs in = {
        "clump_photometry_window", image, count, apertures, params, positions};
    enum clump_status status = begin(context, in, true, &job, &made);
    if (!status && count)
        status = context->backend->photometry_window(context, &job, positions);
    release(&made);
    return status;
}
