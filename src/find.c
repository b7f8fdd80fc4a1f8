/* SPDX-License-Identifier: MIT */
#include <clump/find.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include <clump/label.h>
#include <clump/morphology.h>
#include <clump/threshold.h>

#include "context.h"

/* The same as clump_clip_defaults, which C does not let stand here. */
const struct clump_find_params clump_find_defaults = {
    .clip = {.kappa_low = 3, .kappa_high = 3, .centre = CLUMP_CENTRE_MEDIAN},
    .sigmas = 5,
    .level = CLUMP_LEVEL_MEDIAN,
    .connectivity = 4,
    .area = 0,
};

static enum clump_status check(clump_context *context, const clump_image *image,
                               const struct clump_find_params *params,
                               const struct clump_find_result *result)
{
    enum clump_status status =
        clump_check_image(context, "find", "image", image, CLUMP_TYPES_NUMBER);
    if (status)
        return status;
    if (!result)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT, "find: no place for the result");
    if (!isfinite(params->sigmas))
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "find: a threshold at %g sigma is none; 5 is usual", params->sigmas);
    if (params->level != CLUMP_LEVEL_MEDIAN && params->level != CLUMP_LEVEL_ZERO)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT, "find: %d is not a level",
                          (int)params->level);
    if (params->connectivity != 4 && params->connectivity != 8)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "find: connectivity is 4 or 8, not %u", params->connectivity);
    return CLUMP_OK;
}

static double level_of(const struct clump_find_params *params,
                       const struct clump_find_result *result)
{
    return params->level == CLUMP_LEVEL_MEDIAN ? result->clip.after.median : 0;
}

/* Clips, and sets the mask of what stands out. */
static enum clump_status detect(clump_context *context, const clump_image *image,
                                const struct clump_find_params *params, clump_image **mask,
                                struct clump_find_result *result)
{
    enum clump_status status = clump_clip(context, image, &params->clip, NULL, NULL, &result->clip);
    if (status)
        return status;
    if (!result->clip.kept)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "find: none of the image's %" PRIu64 " x %" PRIu64
                          " pixels is finite, so it has no level and no noise",
                          image->rows, image->cols);
    result->threshold = level_of(params, result) + params->sigmas * result->clip.after.std;
    struct clump_threshold_params threshold = clump_threshold_defaults;
    threshold.above = result->threshold;
    threshold.output = CLUMP_BITS;
    return clump_threshold(context, image, &threshold, mask, NULL);
}

/* Takes objects below the least area out of the mask. */
static enum clump_status remove_small(clump_context *context,
                                      const struct clump_find_params *params, clump_image **mask)
{
    struct clump_morphology_params removal = clump_morphology_defaults;
    removal.operation = CLUMP_REMOVE;
    removal.area = params->area;
    removal.connectivity = params->connectivity;
    clump_image *rest = NULL;
    if (params->area < 2)
        return CLUMP_OK;
    enum clump_status status = clump_morphology(context, *mask, &removal, &rest);
    if (status)
        return status;
    clump_image_destroy(mask);
    *mask = rest;
    return CLUMP_OK;
}

/*
 * Takes `level` from the pixels of a region, by its sums. About the shape's centre the sum of
 * positions is nought, so only the light's own part of the centre of mass grows.
 */
static void subtract_level(struct clump_region *r, double level)
{
    double old = r->sum, base = level * (double)r->area, sum = old - base;
    double dr = r->weighted_row - r->centroid_row, dc = r->weighted_col - r->centroid_col;
    double rr = old * (r->weighted_rr + dr * dr) - base * r->moment_rr;
    double rc = old * (r->weighted_rc + dr * dc) - base * r->moment_rc;
    double cc = old * (r->weighted_cc + dc * dc) - base * r->moment_cc;
    dr *= old / sum;
    dc *= old / sum;
    r->sum = sum;
    r->mean -= level;
    r->min -= level;
    r->max -= level;
    r->weighted_row = r->centroid_row + dr;
    r->weighted_col = r->centroid_col + dc;
    r->weighted_rr = rr / sum - dr * dr;
    r->weighted_rc = rc / sum - dr * dc;
    r->weighted_cc = cc / sum - dc * dc;
    r->flags &= ~(uint32_t)CLUMP_REGION_NEGATIVE;
    if (!(sum > 0))
        r->flags |= CLUMP_REGION_NEGATIVE;
}

static int brighter(const void *left, const void *right)
{
    const struct clump_region *a = left, *b = right;
    if (isnan(a->sum) != isnan(b->sum))
        return isnan(a->sum) ? 1 : -1;
    if (a->sum != b->sum && !isnan(a->sum))
        return a->sum > b->sum ? -1 : 1;
    return a->label < b->label ? -1 : a->label > b->label;
}

enum clump_status clump_find(clump_context *context, const clump_image *image,
                             const struct clump_find_params *params, clump_image **labels,
                             struct clump_find_result *result)
{
    if (!params)
        params = &clump_find_defaults;
    enum clump_status status = check(context, image, params, result);
    if (status)
        return status;
    struct clump_find_result found = {0};
    clump_image *mask = NULL, *numbers = NULL;
    uint64_t count;
    struct clump_label_params joined = {.connectivity = params->connectivity};
    struct clump_measure_params measured = clump_measure_defaults;
    measured.connectivity = params->connectivity;
    status = detect(context, image, params, &mask, &found);
    if (!status)
        status = remove_small(context, params, &mask);
    if (!status && labels)
        status = clump_label(context, mask, &joined, &numbers, &count);
    if (!status)
        status = clump_measure(context, image, numbers ? numbers : mask, &measured, &found.regions,
                               &found.count);
    clump_image_destroy(&mask);
    if (status) {
        clump_image_destroy(&numbers);
        return status;
    }
    if (labels)
        *labels = numbers;
    for (uint64_t i = 0; params->subtract && i < found.count; i++)
        subtract_level(&found.regions[i], level_of(params, &found));
    *result = found;
    return CLUMP_OK;
}

void clump_find_sort(struct clump_find_result *result)
{
    if (result && result->count)
        qsort(result->regions, result->count, sizeof *result->regions, brighter);
}

void clump_find_release(struct clump_find_result *result)
{
    if (!result)
        return;
    clump_measure_destroy(&result->regions);
    result->count = 0;
}
