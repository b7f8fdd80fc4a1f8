/* SPDX-License-Identifier: MIT */
/*
 * Images on a device: two dimensions, row after row, one type of pixel.
 *
 * An image belongs to a context and keeps it alive (context.h). Only the functions here and in
 * file.h move pixels between host and device. Pixels that are not a number are blank. A mask is an
 * image of type CLUMP_BITS: a 32-bit word holds 32 pixels, the lowest bit being the leftmost; each
 * row begins with a new word, and the bits past the last column are clear. One thread at a time
 * uses a context and its images. Host src/image.c, src/opencl/core/buffer.c.
 */
#ifndef CLUMP_IMAGE_H
#define CLUMP_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#include <clump/context.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct clump_image clump_image;

enum clump_type {
    CLUMP_BITS, /* a mask, one bit per pixel */
    CLUMP_U8,
    CLUMP_U16,
    CLUMP_I16,
    CLUMP_I32,
    CLUMP_U32,
    CLUMP_I64,
    CLUMP_F32,
    CLUMP_F64,
    CLUMP_RGB, /* three bytes per pixel: red, green, blue */
    CLUMP_TYPE_COUNT
};

enum clump_image_access {
    CLUMP_IMAGE_READ = 1,
    CLUMP_IMAGE_WRITE =
        2, /* every pixel will be written; the pixels seen before that are undefined */
    CLUMP_IMAGE_READ_WRITE = 3
};

/* Names a type as NumPy does ("uint8", "float32"), or "bits", "rgb". Borrowed, never NULL. */
CLUMP_API const char *clump_type_text(enum clump_type type);

/* Bytes of one row of `cols` pixels in host memory; 0 for a type that does not exist. */
CLUMP_API size_t clump_type_row_bytes(enum clump_type type, uint64_t cols);

/*
 * Makes an image whose pixels are undefined. Sizes are 1 or more.
 * Returns CLUMP_ERROR_DEVICE_MEMORY with the figures when the device has no such buffer,
 * CLUMP_ERROR_UNSUPPORTED for F64 on a device without fp64.
 */
CLUMP_API enum clump_status clump_image_create(clump_context *context, enum clump_type type,
                                               uint64_t rows, uint64_t cols, clump_image **image);

/* Makes an image and copies `pixels` into it; the program may change them afterwards. */
CLUMP_API enum clump_status clump_image_upload(clump_context *context, enum clump_type type,
                                               uint64_t rows, uint64_t cols, const void *pixels,
                                               clump_image **image);

/*
 * Makes an image of host memory: without a copy where the device shares memory with the host, else
 * as clump_image_upload does. The program neither changes nor frees `pixels` until the image is
 * destroyed; it maps the image to see what operations wrote into it.
 */
CLUMP_API enum clump_status clump_image_wrap(clump_context *context, enum clump_type type,
                                             uint64_t rows, uint64_t cols, void *pixels,
                                             clump_image **image);

/* Destroys an image, and its context with it where the program has destroyed that before; nulls the
 * pointer; accepts the address of NULL. */
CLUMP_API void clump_image_destroy(clump_image **image);

/* What an image is. The context is borrowed, valid as long as the image. For NULL the answers are
 * NULL, CLUMP_TYPE_COUNT and 0. */
CLUMP_API clump_context *clump_image_context(const clump_image *image);
CLUMP_API enum clump_type clump_image_type(const clump_image *image);
CLUMP_API uint64_t clump_image_rows(const clump_image *image);
CLUMP_API uint64_t clump_image_cols(const clump_image *image);

/* Replaces the pixels by a copy of `pixels`. Blocks. */
CLUMP_API enum clump_status clump_image_write(clump_image *image, const void *pixels);

/* Copies all pixels to `pixels`, rows without gaps. Waits for what was enqueued before. */
CLUMP_API enum clump_status clump_image_download(const clump_image *image, void *pixels);

/*
 * Lets the host see the pixels, without a copy where memory is shared. Waits for what was enqueued
 * before. No operation takes the image until clump_image_unmap.
 */
CLUMP_API enum clump_status clump_image_map(clump_image *image, enum clump_image_access access,
                                            void **pixels);
CLUMP_API enum clump_status clump_image_unmap(clump_image *image);

#ifdef __cplusplus
}
#endif

#endif
