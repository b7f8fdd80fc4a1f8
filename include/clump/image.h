/* SPDX-License-Identifier: MIT */
/*
 * Images on a device: two dimensions, row after row, one type of pixel.
 *
 * An image knows its context; only the functions here and in file.h move pixels
 * between host and device. Not-a-number pixels are blank. A mask is an image of
 * type CLUMP_BITS: 32 pixels a 32-bit word, the lowest bit leftmost, each row
 * starting a new word, the bits past the last column clear. One thread at a time
 * uses an image, as its context. Host src/image.c, src/opencl/core/buffer.c.
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
    CLUMP_BITS, /* a mask, one bit a pixel */
    CLUMP_U8,
    CLUMP_U16,
    CLUMP_I16,
    CLUMP_I32,
    CLUMP_U32,
    CLUMP_I64,
    CLUMP_F32,
    CLUMP_F64,
    CLUMP_RGB, /* three bytes a pixel: red, green, blue */
    CLUMP_TYPE_COUNT
};

enum clump_image_access {
    CLUMP_IMAGE_READ = 1,
    CLUMP_IMAGE_WRITE = 2, /* every pixel will be written; what was there may be gone */
    CLUMP_IMAGE_READ_WRITE = 3
};

/* Names a type as NumPy does ("uint8", "float32"), or "bits", "rgb". Borrowed, never NULL. */
CLUMP_API const char *clump_type_text(enum clump_type type);

/* Bytes that one row of `cols` pixels takes in host memory and in files' order. */
CLUMP_API size_t clump_type_row_bytes(enum clump_type type, uint64_t cols);

/*
 * Makes an image whose pixels are undefined. Sizes are 1 or more.
 * Returns CLUMP_ERROR_DEVICE_MEMORY with the figures when the device has no such buffer,
 * CLUMP_ERROR_UNSUPPORTED for F64 on a device without fp64.
 */
CLUMP_API enum clump_status clump_image_create(clump_context *context, enum clump_type type,
                                               uint64_t rows, uint64_t cols, clump_image **image);

/* Makes an image and copies `pixels` into it; they are free for other use on return. */
CLUMP_API enum clump_status clump_image_upload(clump_context *context, enum clump_type type,
                                               uint64_t rows, uint64_t cols, const void *pixels,
                                               clump_image **image);

/*
 * Makes an image of host memory, without a copy where the device shares memory with the host and
 * as clump_image_upload elsewhere. `pixels` must stay, unchanged by the program, until the image
 * is destroyed; map the image to see what operations wrote into it.
 */
CLUMP_API enum clump_status clump_image_wrap(clump_context *context, enum clump_type type,
                                             uint64_t rows, uint64_t cols, void *pixels,
                                             clump_image **image);

/* Destroys an image and nulls the pointer; accepts the address of NULL. */
CLUMP_API void clump_image_destroy(clump_image **image);

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
 * before. No operation may use the image until clump_image_unmap. `access` is an enum
 * clump_image_access.
 */
CLUMP_API enum clump_status clump_image_map(clump_image *image, enum clump_image_access access,
                                            void **pixels);
CLUMP_API enum clump_status clump_image_unmap(clump_image *image);

#ifdef __cplusplus
}
#endif

#endif
