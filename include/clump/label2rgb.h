/* SPDX-License-Identifier: MIT */
/*
 * A label image in colours, alone or over a picture, as skimage.color.label2rgb.
 *
 * Label n > 0 gets colour (n - 1) mod 10 of scikit-image's ten. (scikit-image goes by the rank of a
 * label instead, which differs where numbers are missing.) Labels of 0 and less are background,
 * which is black. Over a picture, `alpha` mixes the colour in, and the black of the background too
 * unless `plain`.
 *
 * The arithmetic is float32 with one rounding per operation; terms of parameters alone are computed
 * in double and then rounded. grey = (x - low) * (1 / (high - low)), clamped to 0..1, and 0 for
 * NaN; under = grey * image_alpha + (1 - image_alpha); mixed = colour * alpha + under * (1 -
 * alpha); the byte is 255 * mixed, rounded to nearest even and clamped. Kernels
 * cl/regions/label2rgb.cl, host src/opencl/regions/label2rgb.c, definition
 * src/reference/label2rgb.c.
 */
#ifndef CLUMP_LABEL2RGB_H
#define CLUMP_LABEL2RGB_H

#include <stdbool.h>
#include <stdint.h>

#include <clump/image.h>

#ifdef __cplusplus
extern "C" {
#endif

struct clump_label2rgb_params {
    double alpha;         /* opacity of the colours over a picture, 0..1 */
    double image_alpha;   /* opacity of the picture, 0..1 */
    bool overlay;         /* colour 0 too: label n gets colour n mod 10 (bg_label = -1) */
    bool plain;           /* leave the picture as it is in the background (bg_color = None) */
    double low, high;     /* picture values that become black and white; low < high */
    uint64_t reserved[4]; /* 0 (clump.h) */
};

/* alpha 0.3, image_alpha 1, background mixed with black, values 0..1, as in scikit-image. */
CLUMP_API extern const struct clump_label2rgb_params clump_label2rgb_defaults;

/*
 * Makes `*rgb`, a CLUMP_RGB image, from a label image, of any number type or a mask, and, if not
 * NULL, a picture of a number type and the same size. Float labels must be whole numbers, NaN being
 * background. `params` NULL: clump_label2rgb_defaults. Does not block, except for float labels.
 * Returns CLUMP_ERROR_ARGUMENT for an alpha outside 0..1, for limits that are not finite with
 * low < high, and for a label that is not whole.
 */
CLUMP_API enum clump_status clump_label2rgb(clump_context *context, const clump_image *labels,
                                            const clump_image *picture,
                                            const struct clump_label2rgb_params *params,
                                            clump_image **rgb);

#ifdef __cplusplus
}
#endif

#endif
