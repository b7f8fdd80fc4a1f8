/* SPDX-License-Identifier: MIT */
/* Reads the pixels of an open file into an image: its colours, or the part that was asked for. */
#include <clump/file.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "file/format.h"
#include "file/window.h"

/* Writes one channel of coloured pixels; `to` is the address of that channel in the first pixel. */
static bool weave(enum clump_type type, const void *from, uint64_t count, uint8_t *to)
{
    for (uint64_t i = 0; i < count; i++)
        switch (type) {
        case CLUMP_U8:
            to[3 * i] = ((const uint8_t *)from)[i];
            break;
        case CLUMP_U16:
            to[3 * i] = (uint8_t)((((const uint16_t *)from)[i] + 128u) / 257u);
            break;
        case CLUMP_F32: {
            float value = 255 * fminf(fmaxf(((const float *)from)[i], 0), 1); /* NaN becomes 0 */
            to[3 * i] = (uint8_t)lrintf(value);
            break;
        }
        default:
            return false;
        }
    return true;
}

/* Reads the channels one after the other. That reads the file three times, which a picture for
 * people may cost. */
static enum clump_status read_colours(clump_file *file, uint8_t *pixels)
{
    uint64_t count = file->info.rows * file->info.cols;
    void *plane = malloc(file->info.rows * clump_type_row_bytes(file->plane_type, file->info.cols));
    enum clump_status status = CLUMP_OK;
    if (!plane)
        return clump_fail(&file->log, CLUMP_ERROR_MEMORY, "%s: out of memory", file->path);
    file->info.type = file->plane_type;
    for (int channel = 0; channel < 3 && !status; channel++) {
        file->params.channel = channel;
        status = file->access->read(file, plane);
        if (!status && !weave(file->plane_type, plane, count, pixels + channel))
            status = clump_fail(
                &file->log, CLUMP_ERROR_ARGUMENT,
                "%s: the channels of a colour image must be uint8, uint16 or float32, not %s",
                file->path, clump_type_text(file->plane_type));
    }
    file->params.channel = CLUMP_FILE_CHANNEL_RGB;
    file->info.type = CLUMP_RGB;
    free(plane);
    return status;
}

static enum clump_status read_whole(clump_file *file, void *pixels)
{
    if (file->info.type == CLUMP_RGB)
        return read_colours(file, pixels);
    return file->raw.bytes ? clump_read_raw(file, pixels) : file->access->read(file, pixels);
}

/* Reads the part of the image that was asked for. */
static enum clump_status read_part(clump_file *file, void *pixels)
{
    const struct window *window = &file->window;
    if (window->rows == window->whole_rows && window->cols == window->whole_cols)
        return read_whole(file, pixels);
    void *whole =
        malloc(window->whole_rows * clump_type_row_bytes(file->info.type, window->whole_cols));
    if (!whole)
        return clump_fail(&file->log, CLUMP_ERROR_MEMORY, "%s: out of memory", file->path);
    clump_window_whole(file);
    enum clump_status status = read_whole(file, whole);
    clump_window_part(file);
    if (!status)
        clump_window_copy(file, file->info.type, whole, pixels);
    free(whole);
    return status;
}

/* Fails when the pixels need more memory than may be used, before any is taken. */
static enum clump_status check_memory(const clump_file *file)
{
    uint64_t limit = clump_memory_limit(file), row, bytes;
    row = clump_type_row_bytes(file->info.type, file->window.whole_cols);
    if (!__builtin_mul_overflow(row, file->window.whole_rows, &bytes) && bytes <= limit)
        return CLUMP_OK;
    return clump_fail(&file->log, CLUMP_ERROR_MEMORY,
                      "%s: its %" PRIu64 " x %" PRIu64 " pixels of %s need more than %" PRIu64
                      " bytes, the limit (clump_file_params.memory_limit)",
                      file->path, file->window.whole_rows, file->window.whole_cols,
                      clump_type_text(file->info.type), limit);
}

enum clump_status clump_file_read(clump_context *context, clump_file *file, clump_image **out)
{
    CLUMP_ROUNDING();
    enum clump_status status = clump_check_context("read", context);
    if (!status)
        status = clump_check_given(&context->log, "read", "open file", file);
    if (!status)
        status = clump_check_given(&context->log, "read", "place for the image", out);
    if (status)
        return status;
    const struct clump_file_info *info = &file->info;
    clump_image *image = NULL;
    void *pixels;
    status = check_memory(file);
    if (!status)
        status = clump_image_create(context, info->type, info->rows, info->cols, &image);
    if (!status)
        status = clump_image_map(image, CLUMP_IMAGE_WRITE, &pixels);
    if (!status) {
        status = read_part(file, pixels);
        enum clump_status unmapped = clump_image_unmap(image);
        status = status ? status : unmapped;
    }
    if (status)
        clump_image_destroy(&image);
    else
        *out = image;
    return status;
}

bool clump_file_by_rows(const clump_file *file)
{
    return file && file->info.type != CLUMP_RGB && (file->raw.bytes || file->access->read_rows);
}

/* Reads whole rows; `first` counts from the image in the file. */
static enum clump_status read_rows(clump_file *file, uint64_t first, uint64_t rows, void *pixels)
{
    clump_window_whole(file);
    enum clump_status status = file->raw.bytes ? clump_read_raw_rows(file, first, rows, pixels)
                                               : file->access->read_rows(file, first, rows, pixels);
    clump_window_part(file);
    return status;
}

/* The same of the columns that were asked for. */
static enum clump_status read_columns(clump_file *file, uint64_t first, uint64_t rows, void *pixels)
{
    const struct window *window = &file->window;
    size_t from = clump_type_row_bytes(file->info.type, window->whole_cols);
    size_t to = clump_type_row_bytes(file->info.type, window->cols);
    size_t skip = clump_type_row_bytes(file->info.type, window->col);
    enum clump_status status = CLUMP_OK;
    char *whole = malloc(from);
    if (!whole)
        return clump_fail(&file->log, CLUMP_ERROR_MEMORY, "%s: out of memory", file->path);
    for (uint64_t r = 0; !status && r < rows; r++) {
        status = read_rows(file, first + r, 1, whole);
        memcpy((char *)pixels + r * to, whole + skip, to);
    }
    free(whole);
    return status;
}

static enum clump_status check_part(clump_context *context, const clump_file *file, uint64_t first,
                                    uint64_t rows, clump_image *const *out)
{
    enum clump_status status = clump_check_context("read", context);
    if (!status)
        status = clump_check_given(&context->log, "read", "open file", file);
    if (!status)
        status = clump_check_given(&context->log, "read", "place for the image", out);
    if (status)
        return status;
    if (!rows || first >= file->info.rows || rows > file->info.rows - first)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "%s: %" PRIu64 " rows from row %" PRIu64
                          " on are not in an image of %" PRIu64 " rows",
                          file->path, rows, first, file->info.rows);
    if (!clump_file_by_rows(file))
        return clump_fail(&context->log, CLUMP_ERROR_UNSUPPORTED,
                          "%s: only plain FITS images, without compression, scaling or BLANK "
                          "pixels, and .npy files are read some rows at a time",
                          file->path);
    return CLUMP_OK;
}

enum clump_status clump_file_read_rows(clump_context *context, clump_file *file, uint64_t first,
                                       uint64_t rows, clump_image **out)
{
    CLUMP_ROUNDING();
    clump_image *image = NULL;
    void *pixels;
    enum clump_status status = check_part(context, file, first, rows, out);
    if (!status)
        status = clump_image_create(context, file->info.type, rows, file->info.cols, &image);
    if (!status)
        status = clump_image_map(image, CLUMP_IMAGE_WRITE, &pixels);
    if (!status) {
        const struct window *window = &file->window;
        status = (window->cols == window->whole_cols
                      ? read_rows
                      : read_columns)(file, window->row + first, rows, pixels);
        enum clump_status unmapped = clump_image_unmap(image);
        status = status ? status : unmapped;
    }
    if (status)
        clump_image_destroy(&image);
    else
        *out = image;
    return status;
}
