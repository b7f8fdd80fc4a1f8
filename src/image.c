/* SPDX-License-Identifier: MIT */
#include "context.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC 0x636c756d70696d67u /* "clumpimg" */

static const struct {
    const char *name;
    unsigned bits;
} types[CLUMP_TYPE_COUNT] = {
    [CLUMP_BITS] = {"bits", 1},  [CLUMP_U8] = {"uint8", 8},     [CLUMP_U16] = {"uint16", 16},
    [CLUMP_I16] = {"int16", 16}, [CLUMP_I32] = {"int32", 32},   [CLUMP_U32] = {"uint32", 32},
    [CLUMP_I64] = {"int64", 64}, [CLUMP_F32] = {"float32", 32}, [CLUMP_F64] = {"float64", 64},
    [CLUMP_RGB] = {"rgb", 24},
};

const char *clump_type_text(enum clump_type type)
{
    return (unsigned)type < CLUMP_TYPE_COUNT ? types[type].name : "unknown type";
}

size_t clump_type_row_bytes(enum clump_type type, uint64_t cols)
{
    if ((unsigned)type >= CLUMP_TYPE_COUNT)
        return 0;
    if (type == CLUMP_BITS)
        return (size_t)clump_row_words(cols) * 4;
    return (size_t)cols * (types[type].bits / 8);
}

static bool size_overflows(enum clump_type type, uint64_t rows, uint64_t cols)
{
    uint64_t bits, bytes;
    return __builtin_mul_overflow(cols, types[type].bits, &bits) || bits > UINT64_MAX - 64 ||
           __builtin_mul_overflow(clump_type_row_bytes(type, cols), rows, &bytes) ||
           bytes > SIZE_MAX / 4;
}

static enum clump_status check_size(clump_context *context, const char *what, enum clump_type type,
                                    uint64_t rows, uint64_t cols)
{
    const struct clump_log *log = &context->log;
    if ((unsigned)type >= CLUMP_TYPE_COUNT)
        return clump_fail(log, CLUMP_ERROR_ARGUMENT, "%s: %d is not a pixel type", what, (int)type);
    if (!rows || !cols || size_overflows(type, rows, cols))
        return clump_fail(log, CLUMP_ERROR_ARGUMENT,
                          "%s: no image has %" PRIu64 " x %" PRIu64
                          " %s pixels: sizes are 1 or more, and "
                          "what a pointer can address",
                          what, rows, cols, types[type].name);
    if (type == CLUMP_F64 && !context->device.fp64)
        return clump_fail(log, CLUMP_ERROR_UNSUPPORTED,
                          "%s: %s does not compute in double precision, so it takes no float64 "
                          "image: read it as float32 (clump_file_params.float32)",
                          what, context->device.name);
    return CLUMP_OK;
}

enum clump_status clump_image_describe(clump_context *context, const char *what,
                                       enum clump_type type, uint64_t rows, uint64_t cols,
                                       clump_image **image)
{
    enum clump_status status = check_size(context, what, type, rows, cols);
    if (status)
        return status;
    clump_image *made = calloc(1, sizeof *made);
    if (!made)
        return clump_fail(&context->log, CLUMP_ERROR_MEMORY, "%s: out of memory", what);
    made->magic = MAGIC;
    made->context = context;
    made->type = type;
    made->rows = rows;
    made->cols = cols;
    made->bytes = clump_type_row_bytes(type, cols) * (size_t)rows;
    *image = made;
    return CLUMP_OK;
}

static enum clump_status make(clump_context *context, const char *what, enum clump_type type,
                              uint64_t rows, uint64_t cols, void *wrapped, clump_image **image)
{
    clump_image *made;
    enum clump_status status = clump_check_context(what, context);
    if (!status)
        status = clump_check_given(&context->log, what, "place for the image", image);
    if (!status)
        status = clump_image_describe(context, what, type, rows, cols, &made);
    if (status)
        return status;
    status = context->backend->image_create(made, wrapped);
    if (status) {
        free(made);
        return status;
    }
    context->images++;
    *image = made;
    return CLUMP_OK;
}

/* Fails with the types that are taken, the type that was given, and how to convert it. */
static enum clump_status fail_type(const struct clump_log *log, const char *operation,
                                   const char *what, enum clump_type given, unsigned wanted)
{
    char list[160] = "";
    size_t used = 0;
    for (int type = 0; type < CLUMP_TYPE_COUNT; type++) {
        if (!(wanted & 1u << type))
            continue;
        unsigned later = wanted >> type >> 1 & ((1u << CLUMP_TYPE_COUNT) - 1);
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", types[type].name,
                                 !later                ? ""
                                 : later & (later - 1) ? ", "
                                                       : " or ");
    }
    return clump_fail(log, CLUMP_ERROR_ARGUMENT,
                      "%s: the %s must have type %s, not %s; clump_convert makes one", operation,
                      what, list, types[given].name);
}

enum clump_status clump_check_image(clump_context *context, const char *operation, const char *what,
                                    const clump_image *image, unsigned wanted)
{
    enum clump_status status = clump_check_context(operation, context);
    if (status)
        return status;
    const struct clump_log *log = &context->log;
    if (!image)
        return clump_fail(log, CLUMP_ERROR_ARGUMENT, "%s: no %s was given", operation, what);
    if (image->magic != MAGIC)
        return clump_fail(
            log, CLUMP_ERROR_ARGUMENT,
            "%s: the %s is not an image (host pixels, or an image that was destroyed); make one "
            "with clump_image_upload or clump_image_wrap",
            operation, what);
    if (image->context != context)
        return clump_fail(log, CLUMP_ERROR_ARGUMENT,
                          "%s: the %s belongs to another context (on %s) than the call's (on %s)",
                          operation, what, image->context->device.name, context->device.name);
    if (image->mapped)
        return clump_fail(log, CLUMP_ERROR_ARGUMENT,
                          "%s: the %s is mapped; call clump_image_unmap first", operation, what);
    if (!(wanted & 1u << image->type))
        return fail_type(log, operation, what, image->type, wanted);
    return CLUMP_OK;
}

enum clump_status clump_image_create(clump_context *context, enum clump_type type, uint64_t rows,
                                     uint64_t cols, clump_image **image)
{
    CLUMP_ROUNDING();
    return make(context, "image", type, rows, cols, NULL, image);
}

/* Makes an image and copies the pixels. `what` begins the messages. */
static enum clump_status upload(clump_context *context, const char *what, enum clump_type type,
                                uint64_t rows, uint64_t cols, const void *pixels,
                                clump_image **image)
{
    clump_image *made;
    enum clump_status status = clump_check_given(&context->log, what, "place for the image", image);
    if (!status)
        status = make(context, what, type, rows, cols, NULL, &made);
    if (status)
        return status;
    status = context->backend->image_write(made, pixels);
    if (status)
        clump_image_destroy(&made);
    else
        *image = made;
    return status;
}

static enum clump_status check_pixels(const clump_context *context, const char *what,
                                      const void *pixels)
{
    enum clump_status status = clump_check_context(what, context);
    if (!status && !pixels)
        status = clump_fail(&context->log, CLUMP_ERROR_ARGUMENT, "%s: no pixels were given", what);
    return status;
}

enum clump_status clump_image_upload(clump_context *context, enum clump_type type, uint64_t rows,
                                     uint64_t cols, const void *pixels, clump_image **image)
{
    CLUMP_ROUNDING();
    enum clump_status status = check_pixels(context, "image upload", pixels);
    return status ? status : upload(context, "image upload", type, rows, cols, pixels, image);
}

enum clump_status clump_image_wrap(clump_context *context, enum clump_type type, uint64_t rows,
                                   uint64_t cols, void *pixels, clump_image **image)
{
    CLUMP_ROUNDING();
    enum clump_status status = check_pixels(context, "image wrap", pixels);
    if (status)
        return status;
    if (!context->device.shares_memory)
        return upload(context, "image wrap", type, rows, cols, pixels, image);
    return make(context, "image wrap", type, rows, cols, pixels, image);
}

void clump_image_destroy(clump_image **image)
{
    CLUMP_ROUNDING();
    clump_image *old = image ? *image : NULL;
    if (!old)
        return;
    *image = NULL;
    clump_context *context = old->context;
    if (old->mapped)
        context->backend->image_unmap(old);
    context->backend->image_destroy(old);
    old->magic = 0;
    free(old);
    context->images--;
    clump_context_close_unused(context);
}

clump_context *clump_image_context(const clump_image *image)
{
    return image ? image->context : NULL;
}

enum clump_type clump_image_type(const clump_image *image)
{
    return image ? image->type : CLUMP_TYPE_COUNT;
}

uint64_t clump_image_rows(const clump_image *image) { return image ? image->rows : 0; }
uint64_t clump_image_cols(const clump_image *image) { return image ? image->cols : 0; }

#define ANY_TYPE (~0u)

/* Checks the arguments of the functions below, which take their context from the image. */
static enum clump_status check(const char *what, const clump_image *image, const void *pixels)
{
    clump_context *context = image && image->magic == MAGIC ? image->context : NULL;
    if (!context)
        return clump_fail(NULL, CLUMP_ERROR_ARGUMENT, "%s: no image was given", what);
    if (!pixels)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT, "%s: no place for pixels was given",
                          what);
    return clump_check_image(context, what, "image", image, ANY_TYPE);
}

enum clump_status clump_image_write(clump_image *image, const void *pixels)
{
    CLUMP_ROUNDING();
    enum clump_status status = check("image write", image, pixels);
    return status ? status : image->context->backend->image_write(image, pixels);
}

enum clump_status clump_image_download(const clump_image *image, void *pixels)
{
    CLUMP_ROUNDING();
    enum clump_status status = check("image download", image, pixels);
    return status ? status : image->context->backend->image_download(image, pixels);
}

enum clump_status clump_image_map(clump_image *image, enum clump_image_access access, void **pixels)
{
    CLUMP_ROUNDING();
    enum clump_status status = check("image map", image, pixels);
    if (status)
        return status;
    if ((unsigned)access < CLUMP_IMAGE_READ || (unsigned)access > CLUMP_IMAGE_READ_WRITE)
        return clump_fail(&image->context->log, CLUMP_ERROR_ARGUMENT,
                          "image map: %d is not an enum clump_image_access", (int)access);
    status = image->context->backend->image_map(image, access, &image->mapped);
    if (!status)
        *pixels = image->mapped;
    return status;
}

enum clump_status clump_image_unmap(clump_image *image)
{
    CLUMP_ROUNDING();
    if (!image || image->magic != MAGIC || !image->mapped)
        return clump_fail(image && image->magic == MAGIC ? &image->context->log : NULL,
                          CLUMP_ERROR_ARGUMENT, "image unmap: the image is not mapped");
    enum clump_status status = clump_check_context("image unmap", image->context);
    if (!status)
        status = image->context->backend->image_unmap(image);
    image->mapped = NULL;
    return status;
}
