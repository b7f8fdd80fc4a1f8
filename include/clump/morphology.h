/* SPDX-License-Identifier: MIT */
/*
 * Binary morphology on masks, with scikit-image's border rules by default: outside the image
 * counts as set for an erosion and as clear for a dilation.
 *
 * Opening is an erosion followed by a dilation with the same footprint, closing the
 * other way round, each step with its own border rule, or both with the border that is given.
 * Kernels cl/regions/morphology.cl and morphology_components.cl, host
 * src/opencl/regions/morphology.c, definition src/reference/morphology.c.
 */
#ifndef CLUMP_MORPHOLOGY_H
#define CLUMP_MORPHOLOGY_H

#include <stdint.h>

#include <clump/image.h>

#ifdef __cplusplus
extern "C" {
#endif

enum clump_morphology_operation {
    CLUMP_MORPHOLOGY_EROSION,
    CLUMP_MORPHOLOGY_DILATION,
    CLUMP_MORPHOLOGY_OPENING,
    CLUMP_MORPHOLOGY_CLOSING,
    /* Fills holes: clear pixels that no 4-connected path of clear pixels joins to the border, as
     * scipy.ndimage.binary_fill_holes. */
    CLUMP_MORPHOLOGY_FILL,
    /* Removes objects of fewer than `min_area` pixels, as skimage's remove_small_objects. */
    CLUMP_MORPHOLOGY_REMOVE
};

/* skimage.morphology's footprints. */
enum clump_footprint_kind {
    CLUMP_FOOTPRINT_DISK,    /* size r: x^2 + y^2 <= r^2 */
    CLUMP_FOOTPRINT_SQUARE,  /* size n: n x n */
    CLUMP_FOOTPRINT_DIAMOND, /* size r: |x| + |y| <= r */
    CLUMP_FOOTPRINT_CUSTOM   /* rows x cols bytes, non-zero where set */
};

struct clump_footprint {
    enum clump_footprint_kind kind;
    uint32_t size;        /* radius or side */
    uint32_t rows, cols;  /* of a custom one, each 1..63; the centre is (rows / 2, cols / 2) */
    const uint8_t *cells; /* of a custom one, on the host, used during the call only */
    uint64_t reserved[2]; /* 0 (clump.h) */
};

/* What lies outside the image. */
enum clump_morphology_border {
    CLUMP_MORPHOLOGY_BORDER_NEUTRAL, /* decides nothing: set for an erosion, clear for a dilation */
    CLUMP_MORPHOLOGY_BORDER_CLEAR,   /* scipy.ndimage's border_value 0 */
    CLUMP_MORPHOLOGY_BORDER_SET      /* and 1 */
};

struct clump_morphology_params {
    enum clump_morphology_operation operation;
    struct clump_footprint footprint;    /* of the first four operations; at most 63 x 63 */
    uint64_t min_area;                   /* of REMOVE */
    unsigned connectivity;               /* of REMOVE: 4 or 8 */
    enum clump_morphology_border border; /* of the first four operations */
    uint64_t reserved[4];                /* 0 (clump.h) */
};

/* Erosion by disk(1); for REMOVE min_area 64 and 4-connected, scikit-image's defaults. */
CLUMP_API extern const struct clump_morphology_params clump_morphology_defaults;

/*
 * Makes a mask (CLUMP_BITS) from a mask, or from an image of a number type, where any pixel that is
 * not 0 is set. `params` NULL: clump_morphology_defaults. May wait for what was enqueued before. A
 * dilation uses the footprint reflected in its centre, as scipy.ndimage does; for the three
 * symmetric shapes that makes no difference. Returns CLUMP_ERROR_ARGUMENT for a footprint that is
 * empty or too large.
 */
CLUMP_API enum clump_status clump_morphology(clump_context *context, const clump_image *mask,
                                             const struct clump_morphology_params *params,
                                             clump_image **result);

#ifdef __cplusplus
}
#endif

#endif
