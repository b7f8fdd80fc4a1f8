/* SPDX-License-Identifier: MIT */
/*
 * Cells: bright or dark objects in a microscopy image, from pixels to measurements in one call.
 *
 * Blurs the image (gaussian.h), sets what is above Otsu's threshold of the blurred image
 * (otsu.h, threshold.h), erodes that mask by a disk (morphology.h), labels it and measures the
 * regions in the image before the blur (measure.h), and colours them (label2rgb.h). Thresholds are
 * in scikit-image's scale of floats: a pixel of an integer image counts as its value divided by the
 * greatest value of its type, so that u8 and u16 images run from 0 to 1. The image stays on the
 * device. src/cells.c calls those operations, on every backend.
 */
#ifndef CLUMP_CELLS_H
#define CLUMP_CELLS_H

#include <stdbool.h>
#include <stdint.h>

#include <clump/catalog.h>
#include <clump/image.h>
#include <clump/label2rgb.h>
#include <clump/measure.h>

#ifdef __cplusplus
extern "C" {
#endif

struct clump_cells_params {
    double sigma;          /* of the blur, pixels; 0: none */
    double threshold;      /* level, in the scale described above; NaN: Otsu's */
    bool below;            /* find dark objects: pixels that are not above the threshold */
    uint32_t erosion;      /* radius of the disk; 0: none */
    unsigned connectivity; /* 4 or 8 */
    uint64_t min_area;     /* objects of fewer pixels are left out */
    struct clump_label2rgb_params colours; /* low and high NaN: 0 to 255 for u8, else the image's
                                              least to greatest value */
    uint64_t reserved[4];                  /* 0 (clump.h) */
};

/* sigma 5, Otsu's threshold, disk(2), 8-connected, every area, label2rgb's defaults. */
CLUMP_API extern const struct clump_cells_params clump_cells_defaults;

struct clump_cells_result {
    double threshold;             /* in the blurred image, in the scale described above */
    struct clump_region *regions; /* one per object, in order of label; all figures */
    uint64_t count;
    uint64_t reserved[4]; /* 0 (clump.h) */
};

/*
 * Finds the objects of an image of any number type. `params` NULL: clump_cells_defaults. `labels`
 * and `overlay` may be NULL; else they get an I32 image of the regions' numbers and a CLUMP_RGB
 * picture of them over the image. Release the result with clump_cells_release. Blocks. Returns
 * CLUMP_ERROR_ARGUMENT for an image without a finite pixel and for parameters out of range.
 */
CLUMP_API enum clump_status clump_cells(clump_context *context, const clump_image *image,
                                        const struct clump_cells_params *params,
                                        clump_image **labels, clump_image **overlay,
                                        struct clump_cells_result *result);

/* Makes a table of the objects with all columns of clump_measure_catalog. `log` may be NULL. */
CLUMP_API enum clump_status clump_cells_catalog(const struct clump_log *log,
                                                const struct clump_cells_result *result,
                                                clump_catalog **catalog);

/* Releases what a result holds; accepts one that is all zero. */
CLUMP_API void clump_cells_release(struct clump_cells_result *result);

#ifdef __cplusplus
}
#endif

#endif
