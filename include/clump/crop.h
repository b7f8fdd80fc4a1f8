/* SPDX-License-Identifier: MIT */
/*
 * A part of an image: adjacent rows and columns, copied on the device, from an image of any type,
 * including colour and masks. Kernels cl/pixels/crop.cl, host src/opencl/pixels/crop.c, definition
 * src/reference/crop.c.
 */
#ifndef CLUMP_CROP_H
#define CLUMP_CROP_H

#include <stdint.h>

#include <clump/image.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Makes `*part` of `rows` rows from row `row` and `cols` columns from column `col`, counted from 0.
 * Does not block. Returns CLUMP_ERROR_ARGUMENT for a part that is empty or not inside the image.
 */
CLUMP_API enum clump_status clump_crop(clump_context *context, const clump_image *image,
                                       uint64_t row, uint64_t col, uint64_t rows, uint64_t cols,
                                       clump_image **part);

#ifdef __cplusplus
}
#endif

#endif
