/* SPDX-License-Identifier: MIT */
#include <clump/find.h>

#include <inttypes.h>
#include <math.h>

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
    double level = params->level == CLUMP_LEVEL_MEDIAN ? result->clip.after.median : 0;
    result->threshold = level + params->sigmas * result->clip.after.std;
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
    *result = found;
    return CLUMP_OK;
}

void clump_find_release(struct clump_find_result *result)
{
    if (!result)
        return;
    clump_measure_destroy(&result->regions);
    result->count = 0;
}
