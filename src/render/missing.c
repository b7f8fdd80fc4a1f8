/* SPDX-License-Identifier: MIT */
/* Takes the place of render.c and its parts in a build without Cairo: refuses to draw. */
#include "params.h"

#include "context.h"

static enum clump_status refuse(clump_context *context, const clump_image *image,
                                const struct clump_render_params *params)
{
    enum clump_status status =
        clump_render_check(context, image, params ? params : &clump_render_defaults);
    return status ? status
                  : clump_fail(&context->log, CLUMP_ERROR_UNSUPPORTED,
                               "render: this libclump was built without Cairo and draws no "
                               "pictures");
}

enum clump_status clump_render(clump_context *context, const clump_image *image,
                               const struct clump_render_params *params, clump_image **picture)
{
    CLUMP_ROUNDING();
    (void)picture;
    return refuse(context, image, params);
}

enum clump_status clump_render_write(clump_context *context, const clump_image *image,
                                     const struct clump_render_params *params, const char *path,
                                     bool force)
{
    CLUMP_ROUNDING();
    (void)path, (void)force;
    return refuse(context, image, params);
}
