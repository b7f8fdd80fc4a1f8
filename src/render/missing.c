/* SPDX-License-Identifier: MIT */
/* Stands for render.c and its parts where Cairo is missing: no picture can be drawn. */
#include <clump/render.h>

#include <math.h>

#include "context.h"

const struct clump_render_params clump_render_defaults = {
    .colormap = CLUMP_RENDER_COLORMAP_GREY_REVERSED,
    .low = NAN,
    .high = NAN,
    .low_percentile = 0.5,
    .high_percentile = 99.5,
};

static enum clump_status refuse(clump_context *context, const clump_image *image)
{
    enum clump_status status =
        clump_check_image(context, "render", "image", image, (1u << CLUMP_TYPE_COUNT) - 1);
    return status ? status
                  : clump_fail(&context->log, CLUMP_ERROR_UNSUPPORTED,
                               "render: this clump was built without Cairo, and draws no pictures");
}

enum clump_status clump_render(clump_context *context, const clump_image *image,
                               const struct clump_render_params *params, clump_image **picture)
{
    (void)params, (void)picture;
    return refuse(context, image);
}

enum clump_status clump_render_write(clump_context *context, const clump_image *image,
                                     const struct clump_render_params *params, const char *path,
                                     bool force)
{
    (void)params, (void)path, (void)force;
    return refuse(context, image);
}
