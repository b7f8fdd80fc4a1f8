/* SPDX-License-Identifier: MIT */
#ifndef CLUMP_SRC_RENDER_PARAMS_H
#define CLUMP_SRC_RENDER_PARAMS_H

#include <clump/render.h>

/* Checks what clump_render and clump_render_write share; `params` is not NULL. */
enum clump_status clump_render_check(clump_context *context, const clump_image *image,
                                     const struct clump_render_params *params);

#endif
