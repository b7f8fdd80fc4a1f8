/* SPDX-License-Identifier: MIT */
/* Writes images, whole or as their rows come, beside their place, to which they are renamed. */
#include <clump/file.h>

#include <errno.h>
#include <inttypes.h>

#include "context.h"
#include "file/format.h"
#include "file/output.h"

static enum clump_status check_write(const struct clump_log *log, enum clump_type type,
                                     const char *path, const struct format **format)
{
    if (!path || !*path)
        return clump_fail(log, CLUMP_ERROR_ARGUMENT, "write: no name was given for the file");
    enum clump_status status = clump_output_check_image(log, path);
    if (status)
        return status;
    *format = clump_format_for(path);
    if (!((*format)->types >> type & 1))
        return clump_fail(log, CLUMP_ERROR_ARGUMENT,
                          "%s: a %s file cannot hold %s pixels; .fits, .npy and .tif can", path,
                          (*format)->name, clump_type_text(type));
    return CLUMP_OK;
}

/* Writes a file beside its place and renames it, when all is there. */
static enum clump_status write_file(const struct format *format, struct writing *writing)
{
    struct output output;
    enum clump_status status =
        clump_output_begin(writing->log, writing->path, writing->params->force, &output);
    if (status)
        return status;
    writing->temporary = output.temporary;
    errno = 0;
    if (writing->next && !writing->next(writing))
        status = writing->status;
    else
        status = format->write(writing);
    return clump_output_end(&output, status);
}

enum clump_status clump_file_write(clump_context *context, const clump_image *image,
                                   const char *path, const struct clump_file_write_params *params)
{
    CLUMP_ROUNDING();
    const struct format *format = NULL;
    params = params ? params : &clump_file_write_defaults;
    enum clump_status status =
        clump_check_image(context, "write", "image", image, (1u << CLUMP_TYPE_COUNT) - 1);
    if (!status)
        status = check_write(&context->log, image->type, path, &format);
    if (!status)
        status = clump_check_reserved(&context->log, "clump_file_write", "params", params);
    if (status)
        return status;
    clump_image *mapped = (clump_image *)image; /* mapping to read leaves the pixels as they are */
    struct writing writing = {.log = &context->log,
                              .path = path,
                              .type = image->type,
                              .rows = image->rows,
                              .cols = image->cols,
                              .params = params,
                              .count = image->rows};
    void *pixels;
    status = clump_output_check(&context->log, path, params->force);
    if (!status)
        status = clump_image_map(mapped, CLUMP_IMAGE_READ, &pixels);
    if (status)
        return status;
    writing.pixels = pixels;
    status = write_file(format, &writing);
    enum clump_status unmapped = clump_image_unmap(mapped);
    return status ? status : unmapped;
}

/* Where rows come from, and those that are being written. */
struct source {
    clump_context *context;
    clump_file_next *next;
    void *user;
    clump_image *image;
};

/* Takes rows that are not those that were promised for an error of the program. */
static enum clump_status check_part(const struct source *source, const struct writing *writing)
{
    const clump_image *image = source->image;
    enum clump_status status =
        clump_check_image(source->context, "write", "rows", image, 1u << writing->type);
    uint64_t left = writing->rows - writing->row;
    if (!status && (image->cols != writing->cols || image->rows > left))
        status = clump_fail(writing->log, CLUMP_ERROR_ARGUMENT,
                            "write: %" PRIu64 " x %" PRIu64 " pixels were given where %" PRIu64
                            " x %" PRIu64 " are left",
                            image->rows, image->cols, left, writing->cols);
    return status;
}

static bool next_part(struct writing *writing)
{
    struct source *source = writing->user;
    void *pixels = NULL;
    writing->row += writing->count;
    writing->count = 0;
    if (source->image)
        writing->status = clump_image_unmap(source->image);
    clump_image_destroy(&source->image);
    if (writing->status || writing->row == writing->rows)
        return false;
    writing->status = source->next(source->user, writing->row, &source->image);
    if (!writing->status)
        writing->status = check_part(source, writing);
    if (!writing->status)
        writing->status = clump_image_map(source->image, CLUMP_IMAGE_READ, &pixels);
    if (writing->status) {
        clump_image_destroy(&source->image);
        return false;
    }
    writing->pixels = pixels;
    writing->count = source->image->rows;
    return true;
}

enum clump_status clump_file_write_rows(clump_context *context, enum clump_type type, uint64_t rows,
                                        uint64_t cols, const char *path,
                                        const struct clump_file_write_params *params,
                                        clump_file_next *next, void *user)
{
    CLUMP_ROUNDING();
    const struct format *format = NULL;
    params = params ? params : &clump_file_write_defaults;
    enum clump_status status = clump_check_context("write", context);
    if (!status && ((unsigned)type >= CLUMP_TYPE_COUNT || !rows || !cols || !next))
        status = clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                            "write: rows need a pixel type, a size and a function that gives them");
    if (!status)
        status = check_write(&context->log, type, path, &format);
    if (!status && (!format->parts || type == CLUMP_RGB))
        status = clump_fail(&context->log, CLUMP_ERROR_UNSUPPORTED,
                            "%s: only .fits and .npy files, without colours, are written some rows "
                            "at a time",
                            path);
    if (!status)
        status = clump_check_reserved(&context->log, "clump_file_write_rows", "params", params);
    if (status)
        return status;
    struct source source = {context, next, user, NULL};
    struct writing writing = {.log = &context->log,
                              .path = path,
                              .type = type,
                              .rows = rows,
                              .cols = cols,
                              .params = params,
                              .next = next_part,
                              .user = &source};
    status = write_file(format, &writing);
    if (source.image)
        clump_image_unmap(source.image);
    clump_image_destroy(&source.image);
    return writing.status ? writing.status : status;
}
