/* SPDX-License-Identifier: MIT */
/*
 * Threshold: which pixels stand above a level, or below it.
 *
 * A pixel is set when its value is greater than the level. The comparison is exact: the value
 * itself is compared with the double given, whatever the pixel's type. Blank (NaN) pixels are never
 * set. With `below` a pixel is set when its value is less than the level; with `inclusive` also
 * when it is equal. With hysteresis a pixel above `low` is set if pixels above `low` connect it (4
 * neighbours; 8 on request) to one above `above`. With hysteresis and `below` a pixel below `low`,
 * which must not be less than `above`, is set if such pixels connect it to one below `above`.
 * Kernels cl/regions/threshold.cl, host src/opencl/regions/threshold.c, definition
 * src/reference/threshold.c.
 */
#ifndef CLUMP_THRESHOLD_H
#define CLUMP_THRESHOLD_H

#include <stdbool.h>
#include <stdint.h>

#include <clump/image.h>

#ifdef __cplusplus
extern "C" {
#endif

struct clump_threshold_params {
    double above;           /* the level; not NaN */
    bool below;             /* dark objects: set pixels below the level instead */
    bool inclusive;         /* a value equal to the level is set too */
    const clump_image *map; /* a level for each pixel, of the image's type and size, instead of
                               `above`; a NaN level sets nothing; not with hysteresis; NULL: none */
    bool hysteresis;        /* use `low`, which must not be greater than `above` */
    double low;
    unsigned connectivity;  /* of hysteresis: 4 or 8 */
    enum clump_type output; /* CLUMP_BITS or CLUMP_U8 (0 and 1) */
    uint64_t reserved[4];   /* 0 (clump.h) */
};

/* Above zero, no map, no hysteresis, 4-connected as skimage.filters has it, a bit mask. */
CLUMP_API extern const struct clump_threshold_params clump_threshold_defaults;

/*
 * Makes `*mask`, an image of the size of `image`, and counts the set pixels. Any of the eight
 * number types. `count` may be NULL, and then the call does not block. Returns
 * CLUMP_ERROR_ARGUMENT for a NaN level, a map of another size or type, a map with hysteresis, low
 * > above (low < above with `below`).
 */
CLUMP_API enum clump_status clump_threshold(clump_context *context, const clump_image *image,
                                            const struct clump_threshold_params *params,
                                            clump_image **mask, uint64_t *count);

#ifdef __cplusplus
}
#endif

#endif
