/* SPDX-License-Identifier: MIT */
/* The parameters of a picture: their defaults and their checks, with Cairo and without it. */
#include "params.h"

#include <inttypes.h>
#include <math.h>

#include "context.h"

const struct clump_render_params clump_render_defaults = {
    .colormap = CLUMP_RENDER_COLORMAP_GREY_REVERSED,
    .low = NAN,
    .high = NAN,
    .low_percentile = 0.5,
    .high_percentile = 99.5,
};

/* Checks numbers: the part of the image, the limits of the values, the zoom. */
static enum clump_status check_values(const struct clump_log *log, const clump_image *image,
                                      const struct clump_render_params *params)
{
    uint64_t rows = clump_image_rows(image), cols = clump_image_cols(image);
    if (params->row >= rows || params->col >= cols || params->rows > rows - params->row ||
        params->cols > cols - params->col)
        return clump_fail(log, CLUMP_ERROR_ARGUMENT,
                          "render: %" PRIu64 " x %" PRIu64 " pixels from row %" PRIu64
                          ", column %" PRIu64 " do not lie in an image of %" PRIu64 " x %" PRIu64,
                          params->rows, params->cols, params->row, params->col, rows, cols);
    if (params->low >= params->high || isinf(params->low) || isinf(params->high))
        return clump_fail(log, CLUMP_ERROR_ARGUMENT,
                          "render: low must be less than high, both finite, not %g and %g",
                          params->low, params->high);
    if (!(params->low_percentile >= 0 && params->high_percentile <= 100 &&
          params->low_percentile < params->high_percentile))
        return clump_fail(log, CLUMP_ERROR_ARGUMENT,
                          "render: low_percentile and high_percentile must be 0 to 100 and rising, "
                          "not %g and %g",
                          params->low_percentile, params->high_percentile);
    if (params->stretch == CLUMP_RENDER_STRETCH_LOGNORM && params->low <= 0)
        return clump_fail(log, CLUMP_ERROR_ARGUMENT,
                          "render: the stretch lognorm needs a lower limit above 0, not %g; the "
                          "stretch log takes any",
                          params->low);
    if (!(params->zoom >= 0) || params->zoom > 64)
        return clump_fail(log, CLUMP_ERROR_ARGUMENT,
                          "render: zoom must be 0 (automatic) to 64, not %g", params->zoom);
    return CLUMP_OK;
}

static enum clump_status check_choices(const struct clump_log *log,
                                       const struct clump_render_params *params)
{
    const struct {
        const char *what;
        unsigned value, last;
    } choices[] = {
        {"stretch", (unsigned)params->stretch, CLUMP_RENDER_STRETCH_LOGNORM},
        {"colormap", (unsigned)params->colormap, CLUMP_RENDER_COLORMAP_AUTO},
        {"rule for limits", (unsigned)params->limits, CLUMP_RENDER_LIMITS_ZSCALE},
        {"origin", (unsigned)params->origin, CLUMP_RENDER_ORIGIN_BOTTOM},
    };
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        if (choices[i].value > choices[i].last)
            return clump_fail(log, CLUMP_ERROR_ARGUMENT, "render: %d is not a %s",
                              (int)choices[i].value, choices[i].what);
    return CLUMP_OK;
}

static enum clump_status check_marks(const struct clump_log *log,
                                     const struct clump_render_params *params)
{
    enum clump_status status = CLUMP_OK;
    if (params->mark_count)
        status = clump_check_given(log, "render", "list of marks", params->marks);
    for (size_t i = 0; i < params->mark_count && !status; i++)
        status = clump_check_reserved(log, "clump_render", "params.marks", &params->marks[i]);
    return status;
}

enum clump_status clump_render_check(clump_context *context, const clump_image *image,
                                     const struct clump_render_params *params)
{
    enum clump_status status =
        clump_check_image(context, "render", "image", image, (1u << CLUMP_TYPE_COUNT) - 1);
    if (!status)
        status = clump_check_reserved(&context->log, "clump_render", "params", params);
    if (!status)
        status = check_choices(&context->log, params);
    if (!status)
        status = check_marks(&context->log, params);
    return status ? status : check_values(&context->log, image, params);
}
