/* SPDX-License-Identifier: MIT */
/*
 * Connected components of a mask, numbered as scipy.ndimage.label numbers them: 1..n in
 * raster order of each component's first pixel, 0 for the background. Kernels
 * cl/regions/label.cl, host src/opencl/regions/label.c, definition src/reference/label.c.
 */
#ifndef CLUMP_LABEL_H
#define CLUMP_LABEL_H

#include <stdint.h>

#include <clump/image.h>

#ifdef __cplusplus
extern "C" {
#endif

struct clump_label_params {
    unsigned connectivity; /* 4 or 8 */
    uint64_t reserved[2];  /* 0 (clump.h) */
};

/* 4-connected, SciPy's default. */
CLUMP_API extern const struct clump_label_params clump_label_defaults;

/*
 * Labels a mask (CLUMP_BITS), or an image of a number type, where any pixel that is not 0 is set.
 * `params` NULL: clump_label_defaults. `labels` may be NULL when only the number is wanted; else
 * `*labels` gets an I32 image. `*count` gets the number of components. Blocks.
 */
CLUMP_API enum clump_status clump_label(clump_context *context, const clump_image *mask,
                                        const struct clump_label_params *params,
                                        clump_image **labels, uint64_t *count);

#ifdef __cplusplus
}
#endif

#endif
