/* SPDX-License-Identifier: MIT */
/*
 * One channel of a colour image, unchanged. clump_convert makes the luminance instead, and
 * clump_file_params reads one channel of a file. Kernels cl/pixels/crop.cl, host
 * src/opencl/pixels/crop.c, definition src/reference/crop.c.
 */
#ifndef CLUMP_CHANNEL_H
#define CLUMP_CHANNEL_H

#include <clump/image.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Makes a CLUMP_U8 image of channel 0 (red), 1 (green) or 2 (blue) of a CLUMP_RGB image. Does not
 * block. Returns CLUMP_ERROR_ARGUMENT for another type or channel. */
CLUMP_API enum clump_status clump_channel(clump_context *context, const clump_image *image,
                                          unsigned channel, clump_image **grey);

#ifdef __cplusplus
}
#endif

#endif
