/* SPDX-License-Identifier: MIT */
#include <clump/find.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include <clump/arith.h>
#include <clump/label.h>
#include <clump/morphology.h>
#include <clump/threshold.h>

#include "checks.h"
#include "context.h"

/* `clip` is clump_clip_defaults. C does not take a constant object as an initialiser, so its
 * figures stand here again; tests/arguments.c compares. */
const struct clump_find_params clump_find_defaults = {
    .clip = {.kappa_low = 3, .kappa_high = 3, .centre = CLUMP_CLIP_CENTRE_MEDIAN},
    .sigmas = 5,
    .level = CLUMP_FIND_LEVEL_MEDIAN,
    .connectivity = 4,
    .min_area = 0,
    .subtract = true,
};

enum clump_status clump_find_check(clump_context *context, const char *function,
                                   const struct clump_find_params *params)
{
    enum clump_status status = clump_check_reserved(&context->log, function, "params", params);
    if (!status)
        status = clump_check_reserved(&context->log, function, "params.clip", &params->clip);
    if (status)
        return status;
    if (!isfinite(params->sigmas))
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "find: sigmas must be finite, not %g; 5 is usual", params->sigmas);
    if (params->level != CLUMP_FIND_LEVEL_MEDIAN && params->level != CLUMP_FIND_LEVEL_ZERO)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT, "find: %d is not a level",
                          (int)params->level);
    if (params->connectivity != 4 && params->connectivity != 8)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "find: connectivity is 4 or 8, not %u", params->connectivity);
    return CLUMP_OK;
}

static enum clump_status check(clump_context *context, const clump_image *image,
                               const struct clump_find_params *params,
                               const struct clump_find_result *result)
{
    enum clump_status status =
        clump_check_image(context, "find", "image", image, CLUMP_TYPES_NUMBER);
    if (!status)
        status = clump_check_given(&context->log, "find", "place for the result", result);
    return status ? status : clump_find_check(context, "clump_find", params);
}

/* The number of pixels times the share of a Gaussian that lies above the threshold. */
static double expected_false(const struct clump_clip_result *clip, double threshold)
{
    double above = threshold - clip->after.median;
    if (!(clip->after.std > 0))
        return 0;
    return (double)clip->before.count * 0.5 * erfc(above / clip->after.std / sqrt(2));
}

enum clump_status clump_find_level(clump_context *context, uint64_t rows, uint64_t cols,
                                   const struct clump_find_params *params,
                                   struct clump_find_result *result)
{
    if (!result->clip.kept)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "find: none of the image's %" PRIu64 " x %" PRIu64
                          " pixels is finite, so it has no level and no noise",
                          rows, cols);
    result->level = params->level == CLUMP_FIND_LEVEL_MEDIAN ? result->clip.after.median : 0;
    result->subtracted = params->subtract && params->level == CLUMP_FIND_LEVEL_MEDIAN;
    result->threshold = result->level + params->sigmas * result->clip.after.std;
    result->expected_false = expected_false(&result->clip, result->threshold);
    return CLUMP_OK;
}

/* Clips the image and makes the mask of the pixels above the threshold. */
static enum clump_status detect(clump_context *context, const clump_image *image,
                                const struct clump_find_params *params, clump_image **mask,
                                struct clump_find_result *result)
{
    enum clump_status status = clump_clip(context, image, &params->clip, NULL, NULL, &result->clip);
    if (!status)
        status = clump_find_level(context, image->rows, image->cols, params, result);
    if (status)
        return status;
    struct clump_threshold_params threshold = clump_threshold_defaults;
    threshold.above = result->threshold;
    threshold.output = CLUMP_BITS;
    return clump_threshold(context, image, &threshold, mask, NULL);
}

/* Removes objects of fewer than min_area pixels from the mask. */
static enum clump_status remove_small(clump_context *context,
                                      const struct clump_find_params *params, clump_image **mask)
{
    struct clump_morphology_params removal = clump_morphology_defaults;
    removal.operation = CLUMP_MORPHOLOGY_REMOVE;
    removal.min_area = params->min_area;
    removal.connectivity = params->connectivity;
    clump_image *rest = NULL;
    if (params->min_area < 2)
        return CLUMP_OK;
    enum clump_status status = clump_morphology(context, *mask, &removal, &rest);
    if (status)
        return status;
    clump_image_destroy(mask);
    *mask = rest;
    return CLUMP_OK;
}

/* Labels the components of the sources and all blank pixels. */
static enum clump_status join_blanks(clump_context *context, const clump_image *image,
                                     const clump_image *mask, unsigned connectivity,
                                     clump_image **numbers)
{
    const struct clump_label_params joined = {.connectivity = connectivity};
    const struct clump_operand whole = {.image = image}, nought = {.number = 0, .whole = true};
    clump_image *blanks = NULL, *covered = NULL;
    uint64_t count;
    /* 0 where finite, else NaN, which counts as set */
    enum clump_status status = clump_arith(context, &whole, CLUMP_ARITH_MULTIPLY, &nought, &blanks);
    const struct clump_operand left = {.image = mask}, right = {.image = blanks};
    if (!status)
        status = clump_arith(context, &left, CLUMP_ARITH_OR, &right, &covered);
    if (!status)
        status = clump_label(context, covered, &joined, numbers, &count);
    clump_image_destroy(&covered);
    clump_image_destroy(&blanks);
    return status;
}

/* Labels the components of the sources with their holes filled. */
static enum clump_status fill_holes(clump_context *context, const clump_image *mask,
                                    unsigned connectivity, clump_image **numbers)
{
    const struct clump_label_params joined = {.connectivity = connectivity};
    struct clump_morphology_params fill = clump_morphology_defaults;
    fill.operation = CLUMP_MORPHOLOGY_FILL;
    clump_image *filled = NULL;
    uint64_t count;
    enum clump_status status = clump_morphology(context, mask, &fill, &filled);
    if (!status)
        status = clump_label(context, filled, &joined, numbers, &count);
    clump_image_destroy(&filled);
    return status;
}

/*
 * Flags sources by the component of `numbers` that they lie in, if that has blank pixels. `inside`:
 * only a component's first source, which surrounds all others of it, and those with holes of their
 * own. The value of `numbers` under a source, measured as if it were an image, is the component.
 */
static enum clump_status flag_parts(clump_context *context, const clump_image *image,
                                    const clump_image *mask, const clump_image *numbers,
                                    unsigned connectivity, bool inside,
                                    struct clump_find_result *found)
{
    struct clump_measure_params brief = {.connectivity = connectivity,
                                         .brief = true,
                                         .euler = inside};
    struct clump_region *parts = NULL, *which = NULL;
    uint64_t part_count = 0, count = 0, last = 0;
    enum clump_status status = clump_measure(context, image, numbers, &brief, &parts, &part_count);
    if (!status)
        status = clump_measure(context, numbers, mask, &brief, &which, &count);
    for (uint64_t i = 0; !status && i < found->count; i++) {
        uint64_t part = i < count && which[i].min >= 1 ? (uint64_t)which[i].min : 0;
        if (!part || part > part_count || which[i].max != which[i].min)
            status = clump_fail(&context->log, CLUMP_ERROR_UNSUPPORTED,
                                "find: source %" PRIu64
                                " lies in no component of sources and blank pixels",
                                i + 1);
        else if (parts[part - 1].flags & CLUMP_REGION_BLANK &&
                 (!inside || part > last || which[i].euler < 1))
            found->regions[i].flags |= CLUMP_REGION_BLANK;
        last = part > last ? part : last;
    }
    clump_measure_destroy(&which);
    clump_measure_destroy(&parts);
    return status;
}

/* Flags the sources that touch blank pixels, and those that have some in their holes. */
static enum clump_status flag_blanks(clump_context *context, const clump_image *image,
                                     const clump_image *mask,
                                     const struct clump_find_params *params,
                                     struct clump_find_result *found)
{
    clump_image *joined = NULL, *filled = NULL;
    unsigned how = params->connectivity;
    enum clump_status status = join_blanks(context, image, mask, how, &joined);
    if (!status)
        status = flag_parts(context, image, mask, joined, how, false, found);
    if (!status)
        status = fill_holes(context, mask, how, &filled);
    if (!status)
        status = flag_parts(context, image, mask, filled, how, true, found);
    clump_image_destroy(&filled);
    clump_image_destroy(&joined);
    return status;
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
    CLUMP_ROUNDING();
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
    measured.level = found.subtracted ? found.level : 0;
    if (!status)
        status = clump_measure(context, image, numbers ? numbers : mask, &measured, &found.regions,
                               &found.count);
    if (!status && found.clip.before.blank && found.count)
        status = flag_blanks(context, image, mask, params, &found);
    clump_image_destroy(&mask);
    if (status) {
        clump_measure_destroy(&found.regions);
        clump_image_destroy(&numbers);
        return status;
    }
    if (labels)
        *labels = numbers;
    *result = found;
    return CLUMP_OK;
}

void clump_find_sort(struct clump_find_result *result)
{
    CLUMP_ROUNDING();
    if (result && result->regions && result->count)
        qsort(result->regions, result->count, sizeof *result->regions, brighter);
}

void clump_find_release(struct clump_find_result *result)
{
    if (!result)
        return;
    clump_measure_destroy(&result->regions);
    result->count = 0;
}
