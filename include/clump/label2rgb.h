/* SPDX-License-Identifier: MIT */
/*
 * A label image in colours, alone or over a picture, as skimage.color.label2rgb.
 *
 * Label n > 0 gets colour (n - 1) mod 10 of scikit-image's ten; background stays black,
 * or the grey picture. Over a picture the colour is mixed by `alpha`. Kernels
 * cl/label2rgb.cl, host src/opencl/label2rgb.c, definition src/reference/label2rgb.c.
 */
#ifndef CLUMP_LABEL2RGB_H
#define CLUMP_LABEL2RGB_H

#include <stdbool.h>

#include <clump/image.h>

#ifdef __cplusplus
extern "C" {
#endif

struct clump_label2rgb_params {
    double alpha;        /* opacity of the colours over a picture, 0..1 */
    double image_alpha;  /* opacity of the picture, 0..1 */
    bool overlay;        /* colour the background too (bg_label = -1) */
    double low, high;    /* picture values that become black and white; low < high */
};

/* alpha 0.3, image_alpha 1, background not coloured, values 0..1. */
CLUMP_API extern const struct clump_label2rgb_params clump_label2rgb_defaults;

/*
 * Makes `*rgb`, a CLUMP_RGB image, from an I32 label image and, if not NULL, a picture of a number
 * type. `params` NULL: clump_label2rgb_defaults. Does not block.
 */
CLUMP_API enum clump_status clump_label2rgb(clump_context *context, const clump_image *labels,
                                            const clump_image *picture,
                                            const struct clump_label2rgb_params *params,
                                            clump_image **rgb);

#ifdef __cplusplus
}
#endif

#endif
