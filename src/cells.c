/* SPDX-License-Identifier: MIT */
#include <clump/cells.h>

#include <math.h>

#include <clump/gaussian.h>
#include <clump/label.h>
#include <clump/morphology.h>
#include <clump/otsu.h>
#include <clump/stats.h>
#include <clump/threshold.h>

#include "context.h"

/* The colours are clump_label2rgb_defaults with a range that is chosen later. C does not take a
 * constant object as an initialiser, so their figures stand here again; tests/arguments.c compares.
 */
const struct clump_cells_params clump_cells_defaults = {
    .sigma = 5,
    .threshold = NAN,
    .erosion = 2,
    .connectivity = 8,
    .min_area = 0,
    .colours = {.alpha = 0.3, .image_alpha = 1, .low = NAN, .high = NAN},
};

/* The number by which scikit-image's img_as_float divides the values of a type. */
static const double scales[CLUMP_TYPE_COUNT] = {
    [CLUMP_U8] = UINT8_MAX,  [CLUMP_U16] = UINT16_MAX, [CLUMP_I16] = INT16_MAX,
    [CLUMP_I32] = INT32_MAX, [CLUMP_U32] = UINT32_MAX, [CLUMP_I64] = (double)INT64_MAX,
    [CLUMP_F32] = 1,         [CLUMP_F64] = 1,
};

static const struct clump_measure_params every_figure = {.connectivity = 8,
                                                         .perimeter = true,
                                                         .convex = true,
                                                         .euler = true};

static enum clump_status check(clump_context *context, const clump_image *image,
                               const struct clump_cells_params *params,
                               const struct clump_cells_result *result)
{
    enum clump_status status =
        clump_check_image(context, "cells", "image", image, CLUMP_TYPES_NUMBER);
    if (!status)
        status = clump_check_reserved(&context->log, "clump_cells", "params", params);
    if (!status)
        status =
            clump_check_reserved(&context->log, "clump_cells", "params.colours", &params->colours);
    if (!status)
        status = clump_check_given(&context->log, "cells", "place for the result", result);
    if (status)
        return status;
    if (isinf(params->threshold))
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "cells: the threshold must be finite, or NaN for Otsu's");
    if (params->connectivity != 4 && params->connectivity != 8)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "cells: connectivity is 4 or 8, not %u", params->connectivity);
    return CLUMP_OK;
}

/* Replaces the mask by what one operation of morphology makes of it. */
static enum clump_status change(clump_context *context,
                                const struct clump_morphology_params *params, clump_image **mask)
{
    clump_image *changed = NULL;
    enum clump_status status = clump_morphology(context, *mask, params, &changed);
    if (status)
        return status;
    clump_image_destroy(mask);
    *mask = changed;
    return CLUMP_OK;
}

/* Makes the mask of the objects: blur, threshold, erosion, removal of small ones. */
static enum clump_status detect(clump_context *context, const clump_image *image,
                                const struct clump_cells_params *params, clump_image **mask,
                                double *level)
{
    clump_image *blurred = NULL;
    double scale = scales[image->type];
    struct clump_gaussian_params blur = clump_gaussian_defaults;
    blur.sigma_rows = blur.sigma_cols = params->sigma;
    struct clump_threshold_params threshold = clump_threshold_defaults;
    struct clump_morphology_params erosion = clump_morphology_defaults;
    erosion.operation = CLUMP_MORPHOLOGY_EROSION;
    erosion.footprint =
        (struct clump_footprint){.kind = CLUMP_FOOTPRINT_DISK, .size = params->erosion};
    struct clump_morphology_params removal = clump_morphology_defaults;
    removal.operation = CLUMP_MORPHOLOGY_REMOVE;
    removal.min_area = params->min_area;
    removal.connectivity = params->connectivity;
    threshold.above = params->threshold * scale;
    threshold.below = threshold.inclusive = params->below;
    enum clump_status status = clump_gaussian(context, image, &blur, &blurred);
    if (!status && isnan(params->threshold))
        status = clump_otsu(context, blurred, &threshold.above);
    if (!status)
        status = clump_threshold(context, blurred, &threshold, mask, NULL);
    if (!status && params->erosion)
        status = change(context, &erosion, mask);
    if (!status && params->min_area > 1)
        status = change(context, &removal, mask);
    clump_image_destroy(&blurred);
    *level = threshold.above / scale;
    return status;
}

/* Colours the labels over the image. Limits that the parameters leave open are 0 and 255 for u8,
 * else the least and the greatest pixel. */
static enum clump_status colour(clump_context *context, const clump_image *image,
                                const clump_image *labels, const struct clump_cells_params *params,
                                clump_image **overlay)
{
    struct clump_label2rgb_params colours = params->colours;
    struct clump_stats_result stats = {.min = 0, .max = UINT8_MAX};
    if (isnan(colours.low) || isnan(colours.high)) {
        enum clump_status status =
            image->type == CLUMP_U8 ? CLUMP_OK : clump_stats(context, image, NULL, NULL, &stats);
        if (status)
            return status;
        colours.low = isnan(colours.low) ? stats.min : colours.low;
        colours.high = isnan(colours.high) ? stats.max : colours.high;
        if (!(colours.high > colours.low))
            colours.high = colours.low + 1;
    }
    return clump_label2rgb(context, labels, image, &colours, overlay);
}

enum clump_status clump_cells(clump_context *context, const clump_image *image,
                              const struct clump_cells_params *params, clump_image **labels,
                              clump_image **overlay, struct clump_cells_result *result)
{
    CLUMP_ROUNDING();
    if (!params)
        params = &clump_cells_defaults;
    enum clump_status status = check(context, image, params, result);
    if (status)
        return status;
    struct clump_cells_result found = {0};
    clump_image *mask = NULL, *numbers = NULL, *picture = NULL;
    uint64_t count;
    struct clump_label_params joined = {.connectivity = params->connectivity};
    const struct clump_measure_params measured = {.connectivity = params->connectivity,
                                                  .perimeter = true,
                                                  .convex = true,
                                                  .euler = true};
    status = detect(context, image, params, &mask, &found.threshold);
    if (!status && (labels || overlay))
        status = clump_label(context, mask, &joined, &numbers, &count);
    if (!status)
        status = clump_measure(context, image, numbers ? numbers : mask, &measured, &found.regions,
                               &found.count);
    if (!status && overlay)
        status = colour(context, image, numbers, params, &picture);
    clump_image_destroy(&mask);
    if (status) {
        clump_measure_destroy(&found.regions);
        clump_image_destroy(&numbers);
        return status;
    }
    if (overlay)
        *overlay = picture;
    if (labels)
        *labels = numbers;
    else
        clump_image_destroy(&numbers);
    *result = found;
    return CLUMP_OK;
}

enum clump_status clump_cells_catalog(const struct clump_log *log,
                                      const struct clump_cells_result *result,
                                      clump_catalog **catalog)
{
    CLUMP_ROUNDING();
    enum clump_status status = clump_check_log("clump_cells_catalog", log);
    if (!status)
        status = clump_check_given(log, "cells", "result", result);
    if (status)
        return status;
    return clump_measure_catalog(log, result->regions, result->count, &every_figure, catalog);
}

void clump_cells_release(struct clump_cells_result *result)
{
    if (!result)
        return;
    clump_measure_destroy(&result->regions);
    result->count = 0;
}
