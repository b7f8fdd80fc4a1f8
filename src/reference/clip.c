/* SPDX-License-Identifier: MIT */
#include "reference/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reference/exact.h"
#include "reference/pixel.h"
#include "reference/sorted.h"

#define MAD_TO_STD 1.482602218505602

/* The kept pixels are values[from..to - 1] of the sorted sample. */
struct kept {
    const struct clump_sorted *sample;
    uint64_t from, to;
};

static enum clump_status centre_and_scale(clump_context *context, const struct kept *kept,
                                          const struct clump_clip_params *params, double *centre,
                                          double *scale)
{
    const long double *values = kept->sample->values + kept->from;
    uint64_t count = kept->to - kept->from;
    struct clump_exact *exact = calloc(1, sizeof *exact);
    if (!exact)
        return clump_reference_no_memory(context, "clip");
    for (uint64_t i = 0; i < count; i++)
        clump_exact_add(exact, values[i]);
    double variance;
    clump_exact_variance(exact, 0, &variance, scale);
    *centre = params->centre == CLUMP_CLIP_CENTRE_MEAN ? clump_exact_mean(exact)
                                                       : clump_sorted_median(values, count);
    if (params->scale == CLUMP_CLIP_SCALE_MAD)
        *scale = MAD_TO_STD * clump_sorted_mad(values, count);
    free(exact);
    return CLUMP_OK;
}

/* Narrows `kept` to the values within the bounds. */
static void apply(struct kept *kept, double lower, double upper, bool inclusive)
{
    const long double *values = kept->sample->values;
    while (kept->from < kept->to &&
           !(inclusive ? values[kept->from] >= lower : values[kept->from] > lower))
        kept->from++;
    while (kept->from < kept->to &&
           !(inclusive ? values[kept->to - 1] <= upper : values[kept->to - 1] < upper))
        kept->to--;
}

static enum clump_status iterate(clump_context *context, const struct clump_clip_params *params,
                                 struct kept *kept, struct clump_clip_result *result)
{
    result->lower = result->upper = (double)NAN;
    result->converged = kept->from == kept->to;
    while (!result->converged &&
           (!params->max_iterations || result->iterations < params->max_iterations)) {
        double centre = 0, scale = 0;
        enum clump_status status = centre_and_scale(context, kept, params, &centre, &scale);
        if (status)
            return status;
        result->lower =
            isinf(params->kappa_low) ? -(double)INFINITY : centre - params->kappa_low * scale;
        result->upper =
            isinf(params->kappa_high) ? (double)INFINITY : centre + params->kappa_high * scale;
        result->iterations++;
        struct kept next = *kept;
        apply(&next, result->lower, result->upper, params->inclusive);
        uint64_t left = next.to - next.from;
        result->converged = !left || left == kept->to - kept->from;
        if (left)
            *kept = next;
    }
    return CLUMP_OK;
}

static bool is_kept(const struct kept *kept, long double value)
{
    const long double *values = kept->sample->values;
    return kept->from < kept->to && value >= values[kept->from] && value <= values[kept->to - 1];
}

static enum clump_status make_mask(clump_context *context, const clump_image *image,
                                   const struct kept *kept, clump_image **mask)
{
    enum clump_status status = clump_reference_mask(context, image->rows, image->cols, mask);
    if (status)
        return status;
    for (uint64_t i = 0; i < pixel_count(image); i++)
        if (is_kept(kept, pixel_get(image, i)))
            bit_set(*mask, i / image->cols, i % image->cols);
    return CLUMP_OK;
}

/* Makes a one-row image of the kept pixels in raster order; NULL when none is kept. */
static enum clump_status make_row(clump_context *context, const clump_image *image,
                                  const struct kept *kept, clump_image **row)
{
    if (kept->from == kept->to)
        return CLUMP_OK;
    enum clump_status status =
        clump_image_create(context, image->type, 1, kept->to - kept->from, row);
    if (status)
        return status;
    size_t size = clump_type_row_bytes(image->type, 1);
    char *next = (*row)->pixels;
    for (uint64_t i = 0; i < pixel_count(image); i++)
        if (is_kept(kept, pixel_get(image, i))) {
            memcpy(next, (const char *)image->pixels + i * size, size);
            next += size;
        }
    return CLUMP_OK;
}

enum clump_status clump_reference_clip(clump_context *context, const clump_image *image,
                                       const struct clump_clip_params *params, clump_image **mask,
                                       clump_image **kept_row, struct clump_clip_result *result)
{
    struct clump_clip_result r = {0};
    clump_image *made_mask = NULL, *made_row = NULL;
    struct clump_sorted sample;
    enum clump_status status = clump_sorted_create(context, "clip", image, &sample);
    if (status)
        return status;
    struct kept kept = {&sample, 0, sample.count};
    apply(&kept, -(double)INFINITY, (double)INFINITY, false);
    status =
        clump_sorted_stats(context, image, &sample, 0, sample.count, 0, params->mad, &r.before);
    if (!status)
        status = iterate(context, params, &kept, &r);
    r.kept = kept.to - kept.from;
    if (!status)
        status = clump_sorted_stats(context, image, &sample, kept.from, kept.to, 0, params->mad,
                                    &r.after);
    if (!status && mask)
        status = make_mask(context, image, &kept, &made_mask);
    if (!status && kept_row)
        status = make_row(context, image, &kept, &made_row);
    free(sample.values);
    if (status) {
        clump_image_destroy(&made_mask);
        return status;
    }
    if (mask)
        *mask = made_mask;
    if (kept_row)
        *kept_row = made_row;
    *result = r;
    return CLUMP_OK;
}
