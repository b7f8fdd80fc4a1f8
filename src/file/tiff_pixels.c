/* SPDX-License-Identifier: MIT */
/* TIFF's pixels: a strip or tile at a time, in and out. */
#include "tiff.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define STRIP_BYTES 65536u

/* A strip or tile: where it lies in the image, and how wide its rows are in memory. */
struct block {
    uint32_t x, y, width, height; /* of the part that lies in the image */
    uint32_t pitch;               /* pixels from row to row */
};

struct reading {
    clump_file *file;
    struct tiff *tiff;
    char *raw;   /* as libtiff gives it, one plane */
    char *woven; /* red, green, blue side by side, of separate planes or a palette */
    char *pixels;
};

static enum clump_status fail(const clump_file *file)
{
    const struct tiff *tiff = file->state;
    return clump_fail(&file->log, CLUMP_ERROR_FORMAT, "%s: cannot read its pixels: %s", file->path,
                      *tiff->reason ? tiff->reason : "a strip or tile ends too early");
}

static enum clump_status fail_range(const clump_file *file)
{
    return clump_fail(&file->log, CLUMP_ERROR_FORMAT,
                      "%s: has uint64 values beyond int64; an image can be read as float32 "
                      "(clump_file_params.float32), labels must be numbered anew",
                      file->path);
}

/* Bytes of a row of the block in one plane's memory. */
static size_t row_bytes(const struct tiff *tiff, uint32_t pitch)
{
    uint64_t samples = tiff->separate ? 1 : tiff->samples;
    return (size_t)((pitch * samples * tiff->bits + 7) / 8);
}

/* Rows of a page that no directory describes, from where it must be. */
static bool fetch_stacked(const struct reading *reading, const struct block *block, void *to,
                          size_t need)
{
    const struct tiff *tiff = reading->tiff;
    const struct clump_file_info *info = &reading->file->info;
    size_t row = row_bytes(tiff, block->pitch), got = 0;
    uint64_t from = tiff->first + (reading->file->params.page * info->rows + block->y) * row;
    while (got < need) {
        ssize_t count = pread(reading->file->fd, (char *)to + got, need - got, (off_t)(from + got));
        if (count <= 0)
            return false;
        got += (size_t)count;
    }
    if (TIFFIsByteSwapped(tiff->in) && tiff->bits == 16)
        TIFFSwabArrayOfShort(to, (tmsize_t)(need / 2));
    else if (TIFFIsByteSwapped(tiff->in) && tiff->bits == 32)
        TIFFSwabArrayOfLong(to, (tmsize_t)(need / 4));
    else if (TIFFIsByteSwapped(tiff->in) && tiff->bits == 64)
        TIFFSwabArrayOfLong8(to, (tmsize_t)(need / 8));
    return true;
}

static enum clump_status fetch(const struct reading *reading, const struct block *block,
                               unsigned plane, void *to)
{
    struct tiff *tiff = reading->tiff;
    uint16_t sample = (uint16_t)(tiff->separate ? plane : 0);
    tmsize_t need = (tmsize_t)(row_bytes(tiff, block->pitch) * block->height), got;
    if (tiff->stacked && reading->file->params.page) {
        got = fetch_stacked(reading, block, to, (size_t)need) ? need : 0;
    } else if (tiff->tiled) {
        need = (tmsize_t)tiff->block;
        got =
            TIFFReadEncodedTile(tiff->in, TIFFComputeTile(tiff->in, block->x, block->y, 0, sample),
                                to, need);
    } else {
        got =
            TIFFReadEncodedStrip(tiff->in, TIFFComputeStrip(tiff->in, block->y, sample), to, need);
    }
    return got < need ? fail(reading->file) : CLUMP_OK;
}

static unsigned unpack(const uint8_t *row, unsigned bits, size_t index)
{
    size_t bit = index * bits;
    uint16_t number;
    if (bits == 16) {
        memcpy(&number, row + 2 * index, sizeof number);
        return number;
    }
    return row[bit / 8] >> (8 - bits - bit % 8) & ((1u << bits) - 1);
}

/* Bytes of red, green, blue for the palette's numbers; 16-bit palettes lose their low bytes. */
static void look_up(const struct tiff *tiff, const uint8_t *row, uint32_t width, uint8_t *to)
{
    for (uint32_t i = 0; i < width; i++) {
        unsigned number = unpack(row, tiff->bits, i);
        for (int k = 0; k < 3; k++)
            to[3 * i + (uint32_t)k] = (uint8_t)(tiff->map[k][number] >> 8);
    }
}

static void weave(const struct tiff *tiff, const char *plane, unsigned number, size_t count,
                  char *to)
{
    size_t bytes = clump_sample_bytes(tiff->sample);
    for (size_t i = 0; i < count; i++)
        memcpy(to + (3 * i + number) * bytes, plane + i * bytes, bytes);
}

/* Makes pixels of one row of a block, at `samples` every `stride`. */
static bool convert(const struct reading *reading, const char *samples, size_t stride, bool grey,
                    uint32_t width, void *to)
{
    enum sample sample = reading->tiff->sample;
    enum clump_type type = reading->file->info.type;
    return grey ? clump_samples_grey(sample, samples, stride, width, type, to)
                : clump_samples_convert(sample, samples, stride, width, type, to);
}

/* Rows of the block, whose samples lie `bytes` a row in `from`, into the image. */
static enum clump_status place(const struct reading *reading, const struct block *block,
                               const char *from, size_t bytes, size_t stride, bool grey)
{
    const struct clump_file_info *info = &reading->file->info;
    size_t wide = clump_type_row_bytes(info->type, 1);
    for (uint32_t i = 0; i < block->height; i++) {
        char *to = reading->pixels + ((block->y + i) * info->cols + block->x) * wide;
        if (!convert(reading, from + i * bytes, stride, grey, block->width, to))
            return fail_range(reading->file);
    }
    return CLUMP_OK;
}

/* Which sample of a pixel is wanted; -1: the luminance of the first three. */
static int wanted(const clump_file *file)
{
    const struct tiff *tiff = file->state;
    int channel = file->params.channel;
    if (channel < 0)
        return tiff->colour ? -1 : 0;
    return file->info.channels == 2 && channel == 3 ? 1 : channel;
}

/* Palettes and numbers of less than a byte: a byte a sample first. */
static enum clump_status read_small(const struct reading *reading, const struct block *block)
{
    const struct tiff *tiff = reading->tiff;
    int channel = wanted(reading->file);
    size_t bytes = row_bytes(tiff, block->pitch), stride = tiff->palette ? 3 : 1;
    enum clump_status status = fetch(reading, block, 0, reading->raw);
    for (uint32_t i = 0; !status && i < block->height; i++) {
        const uint8_t *row = (const uint8_t *)reading->raw + i * bytes;
        uint8_t *to = (uint8_t *)reading->woven;
        if (tiff->palette)
            look_up(tiff, row, block->width, to);
        for (uint32_t k = 0; !tiff->palette && k < block->width; k++)
            to[k] = (uint8_t)unpack(row, tiff->bits, k);
        struct block one = *block;
        one.y += i;
        one.height = 1;
        status = place(reading, &one, reading->woven + (channel > 0 ? channel : 0), 0, stride,
                       channel < 0);
    }
    return status;
}

static enum clump_status read_separate(const struct reading *reading, const struct block *block)
{
    const struct tiff *tiff = reading->tiff;
    int channel = wanted(reading->file);
    size_t bytes = row_bytes(tiff, block->pitch);
    enum clump_status status = CLUMP_OK;
    if (channel >= 0) {
        status = fetch(reading, block, (unsigned)channel, reading->raw);
        return status ? status : place(reading, block, reading->raw, bytes, 1, false);
    }
    for (unsigned plane = 0; !status && plane < 3; plane++) {
        status = fetch(reading, block, plane, reading->raw);
        weave(tiff, reading->raw, plane, (size_t)block->pitch * block->height, reading->woven);
    }
    return status ? status : place(reading, block, reading->woven, 3 * bytes, 3, true);
}

static enum clump_status read_block(const struct reading *reading, const struct block *block)
{
    const struct tiff *tiff = reading->tiff;
    const struct clump_file_info *info = &reading->file->info;
    int channel = wanted(reading->file);
    if (tiff->palette || tiff->bits < 8)
        return read_small(reading, block);
    if (tiff->separate)
        return read_separate(reading, block);
    if (!tiff->tiled && tiff->samples == 1 && clump_sample_native(tiff->sample, info->type))
        return fetch(reading, block, 0,
                     reading->pixels + block->y * clump_type_row_bytes(info->type, info->cols));
    enum clump_status status = fetch(reading, block, 0, reading->raw);
    size_t skip = channel > 0 ? (size_t)channel * clump_sample_bytes(tiff->sample) : 0;
    return status ? status
                  : place(reading, block, reading->raw + skip, row_bytes(tiff, block->pitch),
                          tiff->samples, channel < 0);
}

static enum clump_status read_blocks(const struct reading *reading)
{
    const struct clump_file_info *info = &reading->file->info;
    uint32_t rows = (uint32_t)info->rows, cols = (uint32_t)info->cols, wide = cols, high = rows;
    if (reading->tiff->tiled) {
        TIFFGetField(reading->tiff->in, TIFFTAG_TILEWIDTH, &wide);
        TIFFGetField(reading->tiff->in, TIFFTAG_TILELENGTH, &high);
    } else {
        TIFFGetFieldDefaulted(reading->tiff->in, TIFFTAG_ROWSPERSTRIP, &high);
    }
    if (!wide || !high)
        return fail(reading->file);
    for (uint64_t y = 0; y < rows; y += high)
        for (uint64_t x = 0; x < cols; x += wide) {
            struct block block = {(uint32_t)x, (uint32_t)y, cols - (uint32_t)x, rows - (uint32_t)y,
                                  wide};
            block.width = block.width < wide ? block.width : wide;
            block.height = block.height < high ? block.height : high;
            enum clump_status status = read_block(reading, &block);
            if (status)
                return status;
        }
    return CLUMP_OK;
}

enum clump_status clump_tiff_read(clump_file *file, void *pixels)
{
    struct tiff *tiff = file->state;
    bool weaves = tiff->palette || tiff->bits < 8 || (tiff->separate && wanted(file) < 0);
    struct reading reading = {file, tiff, malloc(tiff->block), NULL, pixels};
    reading.woven = weaves ? malloc(tiff->block * 8 * 3) : NULL;
    enum clump_status status;
    *tiff->reason = '\0';
    if (!reading.raw || (weaves && !reading.woven))
        status = clump_fail(&file->log, CLUMP_ERROR_MEMORY, "%s: out of memory", file->path);
    else
        status = read_blocks(&reading);
    free(reading.woven);
    free(reading.raw);
    return status;
}

static void set_tags(TIFF *out, const struct writing *writing)
{
    enum clump_type type = writing->type;
    bool rgb = type == CLUMP_RGB, real = type == CLUMP_F32 || type == CLUMP_F64;
    bool integer = type == CLUMP_I16 || type == CLUMP_I32 || type == CLUMP_I64;
    size_t bytes = rgb || type == CLUMP_BITS ? 1 : clump_type_row_bytes(type, 1);
    uint64_t row = writing->cols * bytes * (rgb ? 3 : 1);
    TIFFSetField(out, TIFFTAG_IMAGEWIDTH, (uint32_t)writing->cols);
    TIFFSetField(out, TIFFTAG_IMAGELENGTH, (uint32_t)writing->rows);
    TIFFSetField(out, TIFFTAG_SAMPLESPERPIXEL, rgb ? 3 : 1);
    TIFFSetField(out, TIFFTAG_BITSPERSAMPLE, (int)(8 * bytes));
    TIFFSetField(out, TIFFTAG_SAMPLEFORMAT,
                 real      ? SAMPLEFORMAT_IEEEFP
                 : integer ? SAMPLEFORMAT_INT
                           : SAMPLEFORMAT_UINT);
    TIFFSetField(out, TIFFTAG_PHOTOMETRIC, rgb ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK);
    TIFFSetField(out, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
    TIFFSetField(out, TIFFTAG_COMPRESSION, COMPRESSION_NONE);
    TIFFSetField(out, TIFFTAG_ROWSPERSTRIP, (uint32_t)(row < STRIP_BYTES ? STRIP_BYTES / row : 1));
    TIFFSetField(out, TIFFTAG_SOFTWARE, "clump " CLUMP_VERSION);
}

enum clump_status clump_tiff_write(struct writing *writing)
{
    struct tiff state = {0};
    size_t row_size = writing->type == CLUMP_BITS
                          ? (size_t)writing->cols
                          : clump_type_row_bytes(writing->type, writing->cols);
    bool large = writing->rows * row_size > UINT32_MAX - (64u << 20); /* BigTIFF from there on */
    uint8_t *scratch = malloc(row_size);
    TIFF *out = scratch ? clump_tiff_open(writing->temporary, large ? "w8" : "w", &state) : NULL;
    bool good = out && writing->rows <= UINT32_MAX && writing->cols <= UINT32_MAX;
    if (good)
        set_tags(out, writing);
    for (uint64_t row = 0; good && row < writing->rows; row++) {
        /* libtiff wants a row that it may change */
        const void *from = clump_writing_row(writing, row, scratch);
        if (from != scratch)
            memcpy(scratch, from, row_size);
        good = TIFFWriteScanline(out, scratch, (uint32_t)row, 0) == 1;
    }
    if (good)
        good = TIFFWriteDirectory(out) == 1;
    if (out)
        TIFFClose(out);
    free(scratch);
    if (!good || *state.reason)
        return clump_fail_write(writing, *state.reason ? state.reason : "libtiff gives no reason");
    return CLUMP_OK;
}
