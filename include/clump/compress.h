/* SPDX-License-Identifier: MIT */
/*
 * The pixels of an image where a mask is set, in raster order, as numpy.compress has them. Kernels
 * cl/pixels/compress.cl, host src/opencl/pixels/compress.c, definition src/reference/compress.c.
 */
#ifndef CLUMP_COMPRESS_H
#define CLUMP_COMPRESS_H

#include <stdint.h>

#include <clump/image.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Makes `*row`, an image of one row, of the pixels of `image`, of any number type, where `mask` is
 * set: a mask, or an image of a number type, where any pixel that is not 0 is set, of the same
 * size. `*count` gets their number. Where that is 0 there is no such image, and `*row` is NULL.
 * Blocks. Returns CLUMP_ERROR_ARGUMENT for images of different sizes.
 */
CLUMP_API enum clump_status clump_compress(clump_context *context, const clump_image *image,
                                           const clump_image *mask, clump_image **row,
                                           uint64_t *count);

#ifdef __cplusplus
}
#endif

#endif
