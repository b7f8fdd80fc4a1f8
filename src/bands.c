/* SPDX-License-Identifier: MIT */
#include <clump/bands.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bands/bands.h"
#include "checks.h"
#include "context.h"

#define SIDE     (UINT64_C(1) << 28) /* as measure's (docs/limits.md) */
#define MEMORY   (UINT64_C(64) << 20)
#define KEY_COST 32 /* bytes of memory that a kept key takes: itself, sorted, twice over */

static enum clump_status check_size(clump_context *context, const struct clump_bands_params *params)
{
    if ((unsigned)params->type >= CLUMP_TYPE_COUNT || !(CLUMP_TYPES_NUMBER >> params->type & 1))
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "bands: pixels must be numbers, not %s", clump_type_text(params->type));
    if (!params->rows || !params->cols || params->rows > SIDE || params->cols > SIDE)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "bands: an image has from 1 to %" PRIu64 " rows and columns, not %" PRIu64
                          " x %" PRIu64,
                          SIDE, params->rows, params->cols);
    return CLUMP_OK;
}

/* Fills in the parameters of the task, which it checks. */
static enum clump_status take_params(clump_bands *bands, const struct clump_bands_params *params)
{
    clump_context *context = bands->context;
    struct levels *levels = &bands->levels;
    const struct clump_find_params *find = params->find ? params->find : &clump_find_defaults;
    const char *name = "clump_bands_create";
    levels->stats = params->stats ? *params->stats : clump_stats_defaults;
    levels->clip = params->clip ? *params->clip : clump_clip_defaults;
    levels->clips = bands->task != CLUMP_BANDS_STATS;
    if (bands->task == CLUMP_BANDS_FIND) {
        levels->clip = find->clip;
        clump_finder_create(context, bands->type, bands->rows, bands->cols, find, &bands->finder);
        enum clump_status status = clump_find_check(context, name, find);
        return status ? status : clump_clip_check(context, name, &levels->clip);
    }
    if (bands->task == CLUMP_BANDS_CLIP)
        return clump_clip_check(context, name, &levels->clip);
    if (bands->task != CLUMP_BANDS_STATS)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT, "bands: %d is not a task",
                          (int)bands->task);
    return clump_stats_check(context, name, &levels->stats, true);
}

/* Keeps the quantiles that were asked for, and makes a place for their values. */
static enum clump_status keep_quantiles(clump_bands *bands)
{
    struct clump_stats_params *stats = &bands->levels.stats;
    size_t bytes = (stats->quantile_count + 1) * sizeof(double);
    bands->wanted = malloc(bytes);
    bands->levels.quantiles = malloc(bytes);
    if (!bands->wanted || !bands->levels.quantiles)
        return clump_fail(&bands->context->log, CLUMP_ERROR_MEMORY,
                          "bands: cannot allocate %zu bytes of host memory", bytes);
    if (stats->quantile_count)
        memcpy(bands->wanted, stats->quantiles, bytes - sizeof(double));
    stats->quantiles = bands->wanted;
    return CLUMP_OK;
}

enum clump_status clump_bands_create(clump_context *context,
                                     const struct clump_bands_params *params, clump_bands **out)
{
    CLUMP_ROUNDING();
    enum clump_status status = clump_check_context("bands", context);
    if (!status)
        status = clump_check_given(&context->log, "bands", "parameters", params);
    if (!status)
        status = clump_check_given(&context->log, "bands", "place for the bands", out);
    if (!status)
        status = clump_check_reserved(&context->log, "clump_bands_create", "params", params);
    if (!status)
        status = check_size(context, params);
    if (status)
        return status;
    clump_bands *bands = calloc(1, sizeof *bands);
    if (!bands)
        return clump_fail(&context->log, CLUMP_ERROR_MEMORY, "bands: out of memory");
    uint64_t memory = params->memory ? params->memory : MEMORY;
    *bands = (struct clump_bands){.context = context,
                                  .task = params->task,
                                  .type = params->type,
                                  .rows = params->rows,
                                  .cols = params->cols};
    status = clump_levels_create(context, params->type, params->rows * params->cols,
                                 memory / KEY_COST, &bands->levels);
    if (!status)
        status = take_params(bands, params);
    if (!status)
        status = keep_quantiles(bands);
    if (status)
        clump_bands_destroy(&bands);
    else
        *out = bands;
    return status;
}

void clump_bands_destroy(clump_bands **bands)
{
    CLUMP_ROUNDING();
    if (!bands || !*bands)
        return;
    clump_levels_destroy(&(*bands)->levels);
    clump_finder_destroy(&(*bands)->finder);
    free((*bands)->wanted);
    free(*bands);
    *bands = NULL;
}

static enum clump_status check(const clump_bands *bands)
{
    enum clump_status status = clump_check_given(NULL, "bands", "bands", bands);
    if (!status)
        status = clump_check_context("bands", bands->context);
    if (!status && bands->broken)
        status = clump_fail(&bands->context->log, CLUMP_ERROR_ARGUMENT,
                            "bands: a call has failed before; destroy these bands and begin anew");
    return status;
}

static enum clump_status check_rows(const clump_bands *bands, const clump_image *image)
{
    enum clump_status status =
        clump_check_image(bands->context, "bands", "image", image, 1u << bands->type);
    if (!status && image->cols != bands->cols)
        status = clump_fail(&bands->context->log, CLUMP_ERROR_ARGUMENT,
                            "bands: rows of %" PRIu64 " pixels were given, of an image of %" PRIu64
                            " columns",
                            image->cols, bands->cols);
    return status;
}

enum clump_status clump_bands_hint(clump_bands *bands, const clump_image *image)
{
    CLUMP_ROUNDING();
    enum clump_status status = check(bands);
    if (!status)
        status = check_rows(bands, image);
    if (!status && (bands->begun || bands->passes))
        status = clump_fail(&bands->context->log, CLUMP_ERROR_ARGUMENT,
                            "bands: a hint comes before the first pass");
    return status ? status : clump_levels_hint(&bands->levels, image);
}

/* Whether the passes of statistics are over, but for places that the finder's pass looks for. */
static bool is_clipped(const clump_bands *bands)
{
    return bands->levels.pass == LEVELS_DONE ||
           (bands->task == CLUMP_BANDS_FIND && bands->levels.pass == LEVELS_SEEK);
}

static bool is_done(const clump_bands *bands)
{
    return bands->levels.pass == LEVELS_DONE &&
           (bands->task != CLUMP_BANDS_FIND || bands->finder.pass == FINDER_DONE);
}

enum clump_status clump_bands_begin(clump_bands *bands, bool *more)
{
    CLUMP_ROUNDING();
    enum clump_status status = check(bands);
    if (!status)
        status = clump_check_given(&bands->context->log, "bands", "place for `more`", more);
    if (!status && bands->begun)
        status = clump_fail(&bands->context->log, CLUMP_ERROR_ARGUMENT,
                            "bands: a pass has begun and was not finished");
    if (status)
        return status;
    *more = !is_done(bands);
    bands->begun = *more;
    bands->given = 0;
    if (bands->begun)
        clump_levels_begin(&bands->levels);
    return CLUMP_OK;
}

bool clump_bands_labelling(const clump_bands *bands)
{
    return bands && bands->begun && bands->task == CLUMP_BANDS_FIND && is_clipped(bands) &&
           bands->finder.pass == FINDER_MEASURE;
}

static enum clump_status check_pass(const clump_bands *bands)
{
    enum clump_status status = check(bands);
    if (!status && !bands->begun)
        status = clump_fail(&bands->context->log, CLUMP_ERROR_ARGUMENT,
                            "bands: no pass has begun (clump_bands_begin)");
    return status;
}

enum clump_status clump_bands_rows(clump_bands *bands, const clump_image *image,
                                   clump_image **labels)
{
    CLUMP_ROUNDING();
    clump_image *made = NULL;
    enum clump_status status = check_pass(bands);
    if (!status)
        status = check_rows(bands, image);
    if (!status && image->rows > bands->rows - bands->given)
        status = clump_fail(&bands->context->log, CLUMP_ERROR_ARGUMENT,
                            "bands: %" PRIu64 " rows more were given where %" PRIu64
                            " are left of %" PRIu64,
                            image->rows, bands->rows - bands->given, bands->rows);
    if (status)
        return status;
    status = clump_levels_rows(&bands->levels, image, bands->given * bands->cols);
    if (!status && is_clipped(bands) && bands->task == CLUMP_BANDS_FIND)
        status = clump_finder_rows(&bands->finder, image, bands->given, labels ? &made : NULL);
    bands->broken = status != CLUMP_OK;
    bands->given += image->rows;
    if (!status && labels)
        *labels = made;
    return status;
}

static enum clump_status finish(clump_bands *bands)
{
    struct levels *levels = &bands->levels;
    bool finding = is_clipped(bands) && bands->task == CLUMP_BANDS_FIND;
    enum clump_status status = CLUMP_OK;
    if (levels->pass != LEVELS_DONE)
        status = clump_levels_finish(levels, bands->cols);
    if (status || bands->task != CLUMP_BANDS_FIND)
        return status;
    if (finding) {
        bands->finder.found.clip = levels->result;
        return clump_finder_finish(&bands->finder);
    }
    return is_clipped(bands) ? clump_finder_clipped(&bands->finder, &levels->result) : CLUMP_OK;
}

enum clump_status clump_bands_finish(clump_bands *bands)
{
    CLUMP_ROUNDING();
    enum clump_status status = check_pass(bands);
    if (!status && bands->given != bands->rows)
        status = clump_fail(&bands->context->log, CLUMP_ERROR_ARGUMENT,
                            "bands: only %" PRIu64 " of %" PRIu64 " rows were given in this pass",
                            bands->given, bands->rows);
    if (status)
        return status;
    status = finish(bands);
    bands->broken = status != CLUMP_OK;
    bands->begun = false;
    bands->passes++;
    return status;
}

static enum clump_status check_result(const clump_bands *bands, enum clump_bands_task task,
                                      const void *result)
{
    enum clump_status status = check(bands);
    if (!status)
        status = clump_check_given(&bands->context->log, "bands", "place for the result", result);
    if (!status && bands->task != task)
        status = clump_fail(&bands->context->log, CLUMP_ERROR_ARGUMENT,
                            "bands: this is not the result that they were created for");
    if (!status && (bands->begun || !is_done(bands)))
        status = clump_fail(&bands->context->log, CLUMP_ERROR_ARGUMENT,
                            "bands: passes are left before there is a result (clump_bands_begin)");
    return status;
}

enum clump_status clump_bands_stats(clump_bands *bands, double *quantiles,
                                    struct clump_stats_result *result)
{
    CLUMP_ROUNDING();
    enum clump_status status = check_result(bands, CLUMP_BANDS_STATS, result);
    size_t count = status ? 0 : bands->levels.stats.quantile_count;
    if (!status && count)
        status = clump_check_given(&bands->context->log, "bands", "place for quantiles", quantiles);
    if (status)
        return status;
    if (count)
        memcpy(quantiles, bands->levels.quantiles, count * sizeof *quantiles);
    *result = bands->levels.figures;
    return CLUMP_OK;
}

enum clump_status clump_bands_clip(clump_bands *bands, struct clump_clip_result *result)
{
    CLUMP_ROUNDING();
    enum clump_status status = check_result(bands, CLUMP_BANDS_CLIP, result);
    if (!status)
        *result = bands->levels.result;
    return status;
}

enum clump_status clump_bands_find(clump_bands *bands, struct clump_find_result *result)
{
    CLUMP_ROUNDING();
    enum clump_status status = check_result(bands, CLUMP_BANDS_FIND, result);
    if (status)
        return status;
    const struct clump_find_result *found = &bands->finder.found;
    size_t bytes = found->count * sizeof *found->regions;
    struct clump_region *regions = malloc(bytes + 1);
    if (!regions)
        return clump_fail(&bands->context->log, CLUMP_ERROR_MEMORY,
                          "bands: out of memory for %" PRIu64 " regions", found->count);
    memcpy(regions, found->regions, bytes);
    *result = *found;
    result->regions = regions;
    return CLUMP_OK;
}
