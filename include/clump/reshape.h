/* SPDX-License-Identifier: MIT */
/*
 * The same pixels in rows of another length, as numpy.reshape has them: raster order stays. Kernels
 * cl/pixels/crop.cl, host src/opencl/pixels/crop.c, definition src/reference/crop.c.
 */
#ifndef CLUMP_RESHAPE_H
#define CLUMP_RESHAPE_H

#include <stdint.h>

#include <clump/image.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Makes `*result` of `rows` x `cols` pixels, as many as `image` has, of any type; a copy on the
 * device. Does not block. Returns CLUMP_ERROR_ARGUMENT for another number of pixels.
 */
CLUMP_API enum clump_status clump_reshape(clump_context *context, const clump_image *image,
                                          uint64_t rows, uint64_t cols, clump_image **result);

#ifdef __cplusplus
}
#endif

#endif
