/* SPDX-License-Identifier: MIT */
/*
 * PNG through libpng: grey and colour of 8 and 16 bits, palettes, interlaced or not. One-bit
 * images are 0 and 1, those of two and four bits are stretched to 0..255.
 */
#include "format.h"

#include <errno.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

#include "samples.h"

#define DEFLATE_LIMIT 1032u /* the most bytes that inflating makes of one byte */

struct png {
    const clump_file *file;
    uint64_t at;       /* of the file: bytes taken */
    size_t have, used; /* of the bytes in `buffer` */
    unsigned char buffer[1 << 16];
    png_structp png;
    png_infop info;
    enum sample sample;
    bool started; /* pixels have been read: libpng cannot start again */
    char reason[256];
};

static void note(png_structp png, png_const_charp text)
{
    struct png *state = png_get_error_ptr(png);
    snprintf(state->reason, sizeof state->reason, "%s", text);
    png_longjmp(png, 1);
}

static void ignore(png_structp png, png_const_charp text) { (void)png, (void)text; }

static bool probe(const unsigned char *head, size_t count)
{
    return count >= 8 && !png_sig_cmp((png_const_bytep)head, 0, 8);
}

static enum clump_status fail(const clump_file *file, const char *what)
{
    const struct png *state = file->state;
    return clump_fail(&file->log, CLUMP_ERROR_FORMAT, "%s: %s: %s", file->path, what,
                      *state->reason ? state->reason : "the file is damaged");
}

static void release(struct png *state)
{
    if (state->png)
        png_destroy_read_struct(&state->png, &state->info, NULL);
    state->png = NULL;
}

/* Gives libpng the next bytes of the file. */
static void take(png_structp png, png_bytep to, size_t count)
{
    struct png *state = png_get_io_ptr(png);
    while (count) {
        if (state->used == state->have) {
            uint64_t left = state->file->size - state->at;
            state->have = left < sizeof state->buffer ? (size_t)left : sizeof state->buffer;
            state->used = 0;
            if (!left || !clump_read_at(state->file, state->buffer, state->have, state->at)) {
                state->have = 0;
                png_error(png, "the file ends too early");
            }
            state->at += state->have;
        }
        size_t part = state->have - state->used < count ? state->have - state->used : count;
        memcpy(to, state->buffer + state->used, part);
        state->used += part;
        to += part;
        count -= part;
    }
}

/* Compares what the header promises, packed as it is, with what deflate can make of the file. */
static bool fits_file(struct png *state)
{
    uint64_t rows = png_get_image_height(state->png, state->info), bits, bytes;
    bits = (uint64_t)png_get_image_width(state->png, state->info) *
           png_get_channels(state->png, state->info) * png_get_bit_depth(state->png, state->info);
    return !__builtin_mul_overflow(rows, (bits + 7) / 8, &bytes) &&
           bytes / DEFLATE_LIMIT <= state->file->size;
}

/* Reads the header and asks libpng for bytes or 16-bit numbers of the host's order. */
static bool read_header(struct png *state)
{
    if (setjmp(png_jmpbuf(state->png)))
        return false;
    png_set_read_fn(state->png, state, take);
    png_set_user_limits(state->png, 0x7fffffff, 0x7fffffff);
    png_read_info(state->png, state->info);
    if (!fits_file(state))
        png_error(state->png, "it promises more pixels than a file of its length can hold");
    int kind = png_get_color_type(state->png, state->info);
    int depth = png_get_bit_depth(state->png, state->info);
    if (kind == PNG_COLOR_TYPE_PALETTE)
        png_set_palette_to_rgb(state->png);
    else if (depth == 1)
        png_set_packing(state->png);
    else if (depth < 8)
        png_set_expand_gray_1_2_4_to_8(state->png);
    if (depth == 16 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
        png_set_swap(state->png);
    png_set_interlace_handling(state->png);
    png_read_update_info(state->png, state->info);
    state->sample = depth == 16 ? SAMPLE_U16 : SAMPLE_U8;
    return true;
}

static enum clump_status start(clump_file *file)
{
    struct png *state = file->state;
    release(state);
    *state->reason = '\0';
    state->started = false;
    state->file = file;
    state->at = state->have = state->used = 0;
    state->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, state, note, ignore);
    state->info = state->png ? png_create_info_struct(state->png) : NULL;
    if (!state->info)
        return clump_fail(&file->log, CLUMP_ERROR_MEMORY, "%s: out of memory", file->path);
    return read_header(state) ? CLUMP_OK : fail(file, "cannot be read as PNG");
}

static enum clump_status open_png(clump_file *file)
{
    file->state = calloc(1, sizeof(struct png));
    if (!file->state)
        return clump_fail(&file->log, CLUMP_ERROR_MEMORY, "%s: out of memory", file->path);
    enum clump_status status = start(file);
    if (status)
        return status;
    struct png *state = file->state;
    file->info.rows = png_get_image_height(state->png, state->info);
    file->info.cols = png_get_image_width(state->png, state->info);
    file->info.channels = png_get_channels(state->png, state->info);
    file->info.dimensions = file->info.channels > 1 ? 3 : 2;
    file->info.type = clump_sample_type(state->sample, file->params.float32);
    return CLUMP_OK;
}

/* Converts one row of samples to pixels. */
static void convert(const clump_file *file, const char *row, void *pixels)
{
    const struct png *state = file->state;
    uint64_t channels = file->info.channels;
    int channel = file->params.channel;
    if (channel < 0 && channels >= 3) {
        clump_samples_grey(state->sample, row, channels, file->info.cols, file->info.type, pixels);
        return;
    }
    size_t skip = channel < 0 ? 0 : channels == 2 && channel == 3 ? 1 : (size_t)channel;
    clump_samples_convert(state->sample, row + skip * clump_sample_bytes(state->sample), channels,
                          file->info.cols, file->info.type, pixels);
}

/* Reads the rows. An interlaced image comes in several passes over all rows, so that `raw` holds
 * all of them; else it holds one. */
static bool read_rows(clump_file *file, bool native, int passes, char *raw, char *pixels)
{
    struct png *state = file->state;
    size_t raw_bytes = png_get_rowbytes(state->png, state->info);
    size_t bytes = clump_type_row_bytes(file->info.type, file->info.cols);
    if (setjmp(png_jmpbuf(state->png)))
        return false;
    for (int pass = 0; pass < passes; pass++)
        for (uint64_t row = 0; row < file->info.rows; row++) {
            char *from = native ? pixels + row * bytes : raw + (passes > 1 ? row * raw_bytes : 0);
            png_read_row(state->png, (png_bytep)from, NULL);
            if (!native && pass == passes - 1)
                convert(file, from, pixels + row * bytes);
        }
    png_read_end(state->png, NULL);
    return true;
}

static enum clump_status read_png(clump_file *file, void *pixels)
{
    struct png *state = file->state;
    enum clump_status status = state->started ? start(file) : CLUMP_OK;
    if (status)
        return status;
    state->started = true;
    int passes = png_get_interlace_type(state->png, state->info) == PNG_INTERLACE_NONE
                     ? 1
                     : PNG_INTERLACE_ADAM7_PASSES;
    bool native = file->info.channels == 1 && clump_sample_native(state->sample, file->info.type);
    size_t rows = passes > 1 ? (size_t)file->info.rows : 1;
    char *raw = native ? NULL : calloc(rows, png_get_rowbytes(state->png, state->info));
    if (!native && !raw)
        return clump_fail(&file->log, CLUMP_ERROR_MEMORY, "%s: out of memory", file->path);
    if (!read_rows(file, native, passes, raw, pixels))
        status = fail(file, "cannot read its pixels");
    free(raw);
    return status;
}

static void close_png(clump_file *file)
{
    if (file->state)
        release(file->state);
    free(file->state);
    file->state = NULL;
}

static bool write_rows(png_structp png, png_infop info, const struct writing *writing, FILE *out,
                       uint8_t *scratch)
{
    bool rgb = writing->type == CLUMP_RGB;
    png_text text = {.compression = PNG_TEXT_COMPRESSION_NONE,
                     .key = "Software",
                     .text = "clump " CLUMP_VERSION};
    if (setjmp(png_jmpbuf(png)))
        return false;
    png_init_io(png, out);
    png_set_user_limits(png, 0x7fffffff, 0x7fffffff);
    png_set_compression_level(
        png, 2); /* takes a third of the time of level 6 and makes files no larger */
    png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_UP);
    png_set_IHDR(png, info, (png_uint_32)writing->cols, (png_uint_32)writing->rows,
                 writing->type == CLUMP_U16 ? 16 : 8,
                 rgb ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_text(png, info, &text, 1);
    png_write_info(png, info);
    if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
        png_set_swap(png);
    for (uint64_t row = 0; row < writing->rows; row++)
        png_write_row(png, clump_writing_row(writing, row, scratch));
    png_write_end(png, info);
    return true;
}

static enum clump_status write_png(struct writing *writing)
{
    struct png state = {0};
    if (writing->rows > 0x7fffffff || writing->cols > 0x7fffffff)
        return clump_fail_write(writing, "a PNG has at most 2147483647 rows and columns");
    uint8_t *scratch = malloc(writing->cols);
    FILE *out = fopen(writing->temporary, "wb");
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &state, note, ignore);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    bool good = scratch && out && info && write_rows(png, info, writing, out, scratch);
    int problem = errno;
    if (png)
        png_destroy_write_struct(&png, &info);
    if (out && fclose(out) != 0 && good) {
        problem = errno;
        good = false;
    }
    free(scratch);
    errno = problem;
    return good ? CLUMP_OK : clump_fail_write(writing, *state.reason ? state.reason : NULL);
}

static const char *const endings[] = {".png", NULL};

const struct format clump_format_png = {
    .id = CLUMP_FILE_PNG,
    .name = "PNG",
    .endings = endings,
    .types = 1u << CLUMP_BITS | 1u << CLUMP_U8 | 1u << CLUMP_U16 | 1u << CLUMP_RGB,
    .probe = probe,
    .open = open_png,
    .read = read_png,
    .close = close_png,
    .write = write_png,
};
