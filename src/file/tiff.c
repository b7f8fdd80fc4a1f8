/* SPDX-License-Identifier: MIT */
/*
 * TIFF through libtiff: strips and tiles, compressed or not, grey, palette and colour,
 * channels side by side or a plane each, any page, and the stacks of ImageJ that have their
 * images one after the other behind a single directory. Values are as stored: WhiteIsZero,
 * orientation and, unless asked for, palettes are not applied, as tifffile and scikit-image do not
 * apply them.
 */
#include "tiff.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_LIMIT (UINT64_C(1) << 31) /* bytes of one strip or tile */

/*
 * Bytes of pixels that a byte of the file can stand for at most: two bytes of PackBits stand for
 * 128; deflate's bound; LZW has codes of 12 bits for up to 4096 bytes. The others have no such
 * bound: 100,000 is what they reach on constant images.
 */
#define PACKBITS_LIMIT 64u
#define DEFLATE_LIMIT  1032u
#define LZW_LIMIT      2731u
#define SQUEEZE_LIMIT  100000u

/* libtiff tells more than once about one trouble: the first reason is the right one. */
static int note(TIFF *tiff, void *user, const char *module, const char *format, va_list args)
{
    struct tiff *state = user;
    (void)tiff, (void)module;
    if (!*state->reason)
        vsnprintf(state->reason, sizeof state->reason, format, args);
    return 1;
}

static int ignore(TIFF *tiff, void *user, const char *module, const char *format, va_list args)
{
    (void)tiff, (void)user, (void)module, (void)format, (void)args;
    return 1;
}

static TIFFOpenOptions *open_options(struct tiff *state)
{
    TIFFOpenOptions *options = TIFFOpenOptionsAlloc();
    if (!options)
        return NULL;
    TIFFOpenOptionsSetErrorHandlerExtR(options, note, state);
    TIFFOpenOptionsSetWarningHandlerExtR(options, ignore, state);
    TIFFOpenOptionsSetMaxSingleMemAlloc(options, (tmsize_t)BLOCK_LIMIT);
    return options;
}

TIFF *clump_tiff_open(const char *name, const char *mode, struct tiff *state)
{
    TIFFOpenOptions *options = open_options(state);
    if (!options)
        return NULL;
    TIFF *tiff = TIFFOpenExt(name, mode, options);
    TIFFOpenOptionsFree(options);
    return tiff;
}

/* The file as libtiff sees it: bytes by their place, never changed. */
struct source {
    const clump_file *file;
    uint64_t at;
};

static tmsize_t source_read(thandle_t handle, void *bytes, tmsize_t count)
{
    struct source *source = handle;
    uint64_t left = source->at < source->file->size ? source->file->size - source->at : 0;
    uint64_t part = count > 0 && (uint64_t)count < left ? (uint64_t)count : left;
    if (count <= 0 || !clump_read_at(source->file, bytes, (size_t)part, source->at))
        return 0;
    source->at += part;
    return (tmsize_t)part;
}

static tmsize_t source_write(thandle_t handle, void *bytes, tmsize_t count)
{
    (void)handle, (void)bytes, (void)count;
    return 0;
}

static toff_t source_seek(thandle_t handle, toff_t offset, int whence)
{
    struct source *source = handle;
    source->at = whence == SEEK_CUR   ? source->at + offset
                 : whence == SEEK_END ? source->file->size + offset
                                      : offset;
    return source->at;
}

static int source_close(thandle_t handle)
{
    free(handle);
    return 0;
}

static toff_t source_size(thandle_t handle) { return ((struct source *)handle)->file->size; }

TIFF *clump_tiff_open_file(const clump_file *file, struct tiff *state)
{
    struct source *source = calloc(1, sizeof *source);
    TIFFOpenOptions *options = source ? open_options(state) : NULL;
    TIFF *tiff = NULL;
    if (options) {
        source->file = file;
        /* "m": libtiff asks for no mapping of the file. */
        tiff = TIFFClientOpenExt("TIFF", "rm", source, source_read, source_write, source_seek,
                                 source_close, source_size, NULL, NULL, options);
        TIFFOpenOptionsFree(options);
    }
    if (!tiff)
        free(source);
    return tiff;
}

static bool probe(const unsigned char *head, size_t count)
{
    return count >= 4 && (!memcmp(head, "II*\0", 4) || !memcmp(head, "MM\0*", 4) ||
                          !memcmp(head, "II+\0", 4) || !memcmp(head, "MM\0+", 4));
}

static enum clump_status fail(const clump_file *file, const char *what)
{
    const struct tiff *state = file->state;
    return clump_fail(&file->log, CLUMP_ERROR_FORMAT, "%s: %s: %s", file->path, what,
                      *state->reason ? state->reason : "the file is damaged");
}

static enum clump_status choose_page(clump_file *file)
{
    struct tiff *state = file->state;
    uint64_t page = file->params.page;
    enum clump_status status = clump_tiff_find_pages(file);
    if (status)
        return status;
    file->info.pages = state->count;
    *state->reason = '\0';
    if (!TIFFSetDirectory(state->in, (tdir_t)(page < file->info.pages ? page : 0)))
        return fail(file, "cannot read the page");
    return CLUMP_OK;
}

enum clump_status clump_tiff_sample(clump_file *file, unsigned bits, unsigned kind)
{
    static const struct {
        unsigned bits, kind;
        enum sample sample;
    } known[] = {
        {8, SAMPLEFORMAT_UINT, SAMPLE_U8},     {16, SAMPLEFORMAT_UINT, SAMPLE_U16},
        {32, SAMPLEFORMAT_UINT, SAMPLE_U32},   {64, SAMPLEFORMAT_UINT, SAMPLE_U64},
        {8, SAMPLEFORMAT_INT, SAMPLE_I8},      {16, SAMPLEFORMAT_INT, SAMPLE_I16},
        {32, SAMPLEFORMAT_INT, SAMPLE_I32},    {64, SAMPLEFORMAT_INT, SAMPLE_I64},
        {16, SAMPLEFORMAT_IEEEFP, SAMPLE_F16}, {32, SAMPLEFORMAT_IEEEFP, SAMPLE_F32},
        {64, SAMPLEFORMAT_IEEEFP, SAMPLE_F64}, {1, SAMPLEFORMAT_UINT, SAMPLE_U8},
        {2, SAMPLEFORMAT_UINT, SAMPLE_U8},     {4, SAMPLEFORMAT_UINT, SAMPLE_U8},
    };
    struct tiff *state = file->state;
    kind = kind == SAMPLEFORMAT_VOID ? SAMPLEFORMAT_UINT : kind;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].bits == bits && known[i].kind == kind && (bits >= 8 || state->samples == 1)) {
            state->sample = known[i].sample;
            state->bits = bits;
            return CLUMP_OK;
        }
    return clump_fail(&file->log, CLUMP_ERROR_FORMAT,
                      "%s: has %u samples of %u bits (sample format %u) a pixel; integers of 1 to "
                      "64 bits and floats of 16 to 64 are read",
                      file->path, state->samples, bits, kind);
}

static enum clump_status choose_colour(clump_file *file, unsigned photometric)
{
    struct tiff *state = file->state;
    bool grey = photometric == PHOTOMETRIC_MINISBLACK || photometric == PHOTOMETRIC_MINISWHITE ||
                photometric == PHOTOMETRIC_MASK;
    file->info.channels = state->samples;
    state->colour = photometric == PHOTOMETRIC_RGB && state->samples >= 3;
    if (photometric == PHOTOMETRIC_YCBCR && state->compression == COMPRESSION_JPEG) {
        TIFFSetField(state->in, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
        state->colour = true;
    } else if (photometric == PHOTOMETRIC_PALETTE && state->samples == 1) {
        state->palette = file->params.channel != CLUMP_FILE_CHANNEL_GREY && state->bits <= 16 &&
                         TIFFGetField(state->in, TIFFTAG_COLORMAP, &state->map[0], &state->map[1],
                                      &state->map[2]);
        if (state->palette) /* of what look_up in tiff_pixels.c makes */
            state->sample = SAMPLE_U8;
        state->colour = state->palette;
        file->info.channels = state->palette ? 3 : 1;
    } else if (!grey && !state->colour) {
        return clump_fail(
            &file->log, CLUMP_ERROR_FORMAT,
            "%s: its colours are of a kind (photometric %u) that is not read; convert "
            "it to RGB or grey",
            file->path, photometric);
    }
    return CLUMP_OK;
}

static enum clump_status check_size(clump_file *file)
{
    struct tiff *state = file->state;
    unsigned compression = state->compression;
    uint64_t ratio = compression == COMPRESSION_NONE            ? 1
                     : compression == COMPRESSION_PACKBITS      ? PACKBITS_LIMIT
                     : compression == COMPRESSION_ADOBE_DEFLATE ? DEFLATE_LIMIT
                     : compression == COMPRESSION_DEFLATE       ? DEFLATE_LIMIT
                     : compression == COMPRESSION_LZW           ? LZW_LIMIT
                                                                : SQUEEZE_LIMIT;
    uint64_t bits = (uint64_t)state->bits * state->samples;
    state->block = state->tiled ? TIFFTileSize64(state->in) : TIFFStripSize64(state->in);
    enum clump_status status =
        bits >= 8 ? clump_check_room(file, bits / 8, file->size * ratio, "a file of its length")
                  : clump_check_room(file, 1, file->size * ratio * 8, "a file of its length");
    if (!status && (!state->block || state->block > BLOCK_LIMIT))
        status =
            clump_fail(&file->log, CLUMP_ERROR_FORMAT,
                       "%s: its strips or tiles are of %" PRIu64 " bytes; 1 to %" PRIu64 " can be",
                       file->path, state->block, BLOCK_LIMIT);
    return status;
}

static enum clump_status read_tags(clump_file *file)
{
    struct tiff *state = file->state;
    uint32_t width = 0, height = 0;
    uint16_t samples = 1, bits = 1, kind = SAMPLEFORMAT_UINT, photometric = 0xffff;
    uint16_t planar = PLANARCONFIG_CONTIG, compression = COMPRESSION_NONE;
    TIFF *in = state->in;
    TIFFGetField(in, TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetField(in, TIFFTAG_IMAGELENGTH, &height);
    TIFFGetFieldDefaulted(in, TIFFTAG_SAMPLESPERPIXEL, &samples);
    TIFFGetFieldDefaulted(in, TIFFTAG_BITSPERSAMPLE, &bits);
    TIFFGetFieldDefaulted(in, TIFFTAG_SAMPLEFORMAT, &kind);
    TIFFGetFieldDefaulted(in, TIFFTAG_PLANARCONFIG, &planar);
    TIFFGetFieldDefaulted(in, TIFFTAG_COMPRESSION, &compression);
    if (!TIFFGetField(in, TIFFTAG_PHOTOMETRIC, &photometric))
        photometric = samples >= 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK;
    if (!width || !height || !samples)
        return clump_fail(&file->log, CLUMP_ERROR_FORMAT,
                          "%s: is %u x %u pixels of %u samples; each must be 1 or more", file->path,
                          height, width, samples);
    state->samples = samples;
    state->compression = compression;
    state->tiled = TIFFIsTiled(in);
    state->separate = planar == PLANARCONFIG_SEPARATE && samples > 1;
    file->info.rows = height;
    file->info.cols = width;
    file->info.dimensions = samples > 1 ? 3 : 2;
    enum clump_status status = clump_tiff_sample(file, bits, kind);
    if (!status)
        status = choose_colour(file, photometric);
    if (!status)
        status = check_size(file);
    file->info.type = clump_sample_type(state->sample, file->params.float32);
    return status;
}

/* The number of images that ImageJ's description of a stack promises; 1 where there is none. */
static uint64_t promised_images(TIFF *in)
{
    const char *text = NULL, *at;
    uint64_t images = 1;
    if (!TIFFGetField(in, TIFFTAG_IMAGEDESCRIPTION, &text) || !text ||
        strncmp(text, "ImageJ=", 7) || !(at = strstr(text, "\nimages=")))
        return 1;
    return sscanf(at, "\nimages=%9" SCNu64, &images) == 1 && images ? images : 1;
}

/* Whether the rows lie in the file one after the other, as they are. */
static bool is_plain(const struct tiff *state)
{
    TIFF *in = state->in;
    uint64_t next = TIFFGetStrileOffset(in, 0);
    if (state->compression != COMPRESSION_NONE || state->tiled || state->separate ||
        state->bits % 8)
        return false;
    for (uint32_t i = 0; i < TIFFNumberOfStrips(in); i++) {
        if (TIFFGetStrileOffset(in, i) != next)
            return false;
        next += TIFFStripSize64(in);
    }
    return true;
}

/* ImageJ writes one directory for a whole stack where the file is beyond 4 GB, or on a stream. */
static enum clump_status find_stack(clump_file *file)
{
    struct tiff *state = file->state;
    uint64_t images = promised_images(state->in), there = 1;
    uint64_t row = file->info.cols * state->samples * (state->bits / 8);
    state->first = TIFFGetStrileOffset(state->in, 0);
    /* pixels end where the file does, or where the directory begins that follows them */
    uint64_t end = TIFFCurrentDirOffset(state->in);
    end = end > state->first && end < file->size ? end : file->size;
    if (images > 1 && is_plain(state) && state->first < end)
        there = (end - state->first) / (row * file->info.rows);
    if (there < images)
        clump_say(&file->log, CLUMP_LOG_WARNING,
                  "%s: its description promises %" PRIu64 " images, but there %s %" PRIu64,
                  file->path, images, there > 1 ? "are" : "is", there ? there : 1);
    file->info.pages = there < images ? there ? there : 1 : images;
    state->stacked = file->info.pages > 1;
    return CLUMP_OK;
}

static enum clump_status open_tiff(clump_file *file)
{
    struct tiff *state = calloc(1, sizeof *state);
    if (!state)
        return clump_fail(&file->log, CLUMP_ERROR_MEMORY, "%s: out of memory", file->path);
    file->state = state;
    state->in = clump_tiff_open_file(file, state);
    if (!state->in)
        return fail(file, "cannot be read as TIFF");
    clump_tiff_axes(state->in, &file->info); /* the first page has the description of all */
    enum clump_status status = choose_page(file);
    file->info.page = file->params.page;
    if (!status)
        status = read_tags(file);
    return !status && file->info.pages == 1 ? find_stack(file) : status;
}

static void close_tiff(clump_file *file)
{
    struct tiff *state = file->state;
    if (state && state->in)
        TIFFClose(state->in);
    if (state)
        free(state->pages);
    free(state);
    file->state = NULL;
}

static const char *const endings[] = {".tif", ".tiff", NULL};

const struct format clump_format_tiff = {
    .id = CLUMP_FILE_TIFF,
    .name = "TIFF",
    .endings = endings,
    .types = (1u << CLUMP_TYPE_COUNT) - 1,
    .probe = probe,
    .open = open_tiff,
    .read = clump_tiff_read,
    .page = clump_tiff_page,
    .close = close_tiff,
    .write = clump_tiff_write,
};
