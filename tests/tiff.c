/* SPDX-License-Identifier: MIT */
/* TIFF in and out: every layout of pixels that libtiff writes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>
#include <tiffio.h>

#include "scratch.h"

#define ROWS 37
#define COLS 53

static struct scratch scratch;

static void begin(void) { scratch_begin(&scratch); }

static void end(void) { scratch_end(&scratch); }

TestSuite(tiff, .init = begin, .fini = end);

struct layout {
    int bits, format, samples;
    bool separate;
    int compression, predictor;
    int tile; /* 0: strips */
    enum clump_type type;
    const char *mode;
};

/* The value of a sample: exact in every type that is tried. */
static int sample_value(int row, int col, int sample)
{
    return (row * 7 + col * 3 + sample * 11) % 100;
}

static void put_sample(uint8_t *at, int bits, int format, int value)
{
    uint64_t whole = (uint64_t)value;
    float f = (float)value;
    double d = value;
    if (format == SAMPLEFORMAT_IEEEFP && bits == 32)
        memcpy(at, &f, 4);
    else if (format == SAMPLEFORMAT_IEEEFP)
        memcpy(at, &d, 8);
    else
        memcpy(at, &whole, (size_t)bits / 8);
}

/* Fills a block of the file: `samples` side by side from sample `first` on. */
static void fill(uint8_t *block, const struct layout *layout, int x, int y, int wide, int high,
                 int first, int samples)
{
    for (int row = 0; row < high; row++)
        for (int col = 0; col < wide; col++)
            for (int k = 0; k < samples; k++)
                put_sample(block + ((row * wide + col) * samples + k) * layout->bits / 8,
                           layout->bits, layout->format, sample_value(y + row, x + col, first + k));
}

static void write_plane(TIFF *out, const struct layout *layout, int first, int samples)
{
    int wide = layout->tile ? layout->tile : COLS, high = layout->tile ? layout->tile : 10;
    tmsize_t size = layout->tile ? TIFFTileSize(out) : TIFFStripSize(out);
    uint8_t *block = calloc(1, (size_t)size + 8);
    for (int y = 0; y < ROWS; y += high)
        for (int x = 0; x < COLS; x += wide) {
            int rows = layout->tile || y + high <= ROWS ? high : ROWS - y;
            fill(block, layout, x, y, wide, rows, first, samples);
            if (layout->tile)
                TIFFWriteTile(out, block, (uint32_t)x, (uint32_t)y, 0, (uint16_t)first);
            else
                TIFFWriteEncodedStrip(out, TIFFComputeStrip(out, (uint32_t)y, (uint16_t)first),
                                      block, (tmsize_t)rows * COLS * samples * layout->bits / 8);
        }
    free(block);
}

static void write_page(TIFF *out, const struct layout *layout)
{
    TIFFSetField(out, TIFFTAG_IMAGEWIDTH, COLS);
    TIFFSetField(out, TIFFTAG_IMAGELENGTH, ROWS);
    TIFFSetField(out, TIFFTAG_BITSPERSAMPLE, layout->bits);
    TIFFSetField(out, TIFFTAG_SAMPLEFORMAT, layout->format);
    TIFFSetField(out, TIFFTAG_SAMPLESPERPIXEL, layout->samples);
    TIFFSetField(out, TIFFTAG_PHOTOMETRIC,
                 layout->samples >= 3 ? PHOTOMETRIC_RGB : PHOTOMETRIC_MINISBLACK);
    TIFFSetField(out, TIFFTAG_PLANARCONFIG,
                 layout->separate ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
    TIFFSetField(out, TIFFTAG_COMPRESSION, layout->compression);
    if (layout->predictor)
        TIFFSetField(out, TIFFTAG_PREDICTOR, layout->predictor);
    if (layout->tile) {
        TIFFSetField(out, TIFFTAG_TILEWIDTH, layout->tile);
        TIFFSetField(out, TIFFTAG_TILELENGTH, layout->tile);
    } else {
        TIFFSetField(out, TIFFTAG_ROWSPERSTRIP, 10);
    }
    if (layout->separate)
        for (int k = 0; k < layout->samples; k++)
            write_plane(out, layout, k, 1);
    else
        write_plane(out, layout, 0, layout->samples);
}

static const struct layout layouts[] = {
    {8, SAMPLEFORMAT_UINT, 1, false, COMPRESSION_NONE, 0, 0, CLUMP_U8, "w"},
    {8, SAMPLEFORMAT_INT, 1, false, COMPRESSION_NONE, 0, 0, CLUMP_I16, "w"},
    {16, SAMPLEFORMAT_UINT, 1, false, COMPRESSION_LZW, 2, 0, CLUMP_U16, "w"},
    {16, SAMPLEFORMAT_UINT, 1, false, COMPRESSION_NONE, 0, 0, CLUMP_U16, "wb"},
    {16, SAMPLEFORMAT_INT, 1, false, COMPRESSION_ADOBE_DEFLATE, 0, 16, CLUMP_I16, "w"},
    {32, SAMPLEFORMAT_INT, 1, false, COMPRESSION_PACKBITS, 0, 0, CLUMP_I32, "w"},
    {32, SAMPLEFORMAT_UINT, 1, false, COMPRESSION_NONE, 0, 32, CLUMP_U32, "wb8"},
    {64, SAMPLEFORMAT_INT, 1, false, COMPRESSION_NONE, 0, 0, CLUMP_I64, "w"},
    {64, SAMPLEFORMAT_UINT, 1, false, COMPRESSION_NONE, 0, 0, CLUMP_I64, "w8"},
    {32, SAMPLEFORMAT_IEEEFP, 1, false, COMPRESSION_ADOBE_DEFLATE, 3, 16, CLUMP_F32, "w"},
    {32, SAMPLEFORMAT_IEEEFP, 1, false, COMPRESSION_NONE, 0, 0, CLUMP_F32, "wb"},
    {64, SAMPLEFORMAT_IEEEFP, 1, false, COMPRESSION_LZW, 0, 0, CLUMP_F64, "w"},
    {8, SAMPLEFORMAT_UINT, 3, false, COMPRESSION_NONE, 0, 0, CLUMP_U8, "w"},
    {8, SAMPLEFORMAT_UINT, 4, true, COMPRESSION_LZW, 0, 0, CLUMP_U8, "w"},
    {16, SAMPLEFORMAT_UINT, 3, true, COMPRESSION_ADOBE_DEFLATE, 0, 16, CLUMP_U16, "w"},
    {16, SAMPLEFORMAT_UINT, 4, false, COMPRESSION_NONE, 0, 16, CLUMP_U16, "wb"},
    {32, SAMPLEFORMAT_IEEEFP, 3, false, COMPRESSION_NONE, 0, 0, CLUMP_F32, "w"},
    {8, SAMPLEFORMAT_UINT, 2, false, COMPRESSION_NONE, 0, 0, CLUMP_U8, "w"},
};

static const char *create(const struct layout *layout, const char *name)
{
    TIFF *out = TIFFOpen(scratch_path(&scratch, name), layout->mode);
    cr_assert(out);
    write_page(out, layout);
    TIFFClose(out);
    return scratch.path;
}

static double grey(int row, int col, enum clump_type type)
{
    double value = (2125.0 * sample_value(row, col, 0) + 7154.0 * sample_value(row, col, 1) +
                    721.0 * sample_value(row, col, 2)) /
                   10000;
    return type == CLUMP_F32 ? (double)(float)value : (double)(int)(value + 0.5);
}

static void check(const struct layout *layout, size_t number, int channel)
{
    static const int places[][2] = {
        {0, 0}, {0, COLS - 1}, {ROWS - 1, 0}, {17, 33}, {ROWS - 1, COLS - 1}};
    struct clump_file_params params = clump_file_defaults;
    clump_file *file;
    params.channel = channel;
    clump_image *image = scratch_read(&scratch, scratch.path, &params, &file);
    cr_expect_eq(clump_image_type(image), layout->type, "layout %zu", number);
    cr_expect_eq(clump_file_info(file)->channels, (uint64_t)layout->samples, "layout %zu", number);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        int row = places[i][0], col = places[i][1];
        double wanted = channel < 0 && layout->samples >= 3
                            ? grey(row, col, layout->type)
                            : sample_value(row, col, channel < 0 ? 0 : channel);
        cr_expect_eq(scratch_pixel(image, (uint64_t)row, (uint64_t)col), wanted,
                     "layout %zu channel %d at %d,%d: %g, not %g", number, channel, row, col,
                     scratch_pixel(image, (uint64_t)row, (uint64_t)col), wanted);
    }
    clump_image_destroy(&image);
    clump_file_close(&file);
}

Test(tiff, every_layout)
{
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        create(&layouts[i], "x.tif");
        for (int channel = -1; channel < layouts[i].samples; channel++)
            check(&layouts[i], i, channel);
    }
}

Test(tiff, pages)
{
    TIFF *out = TIFFOpen(scratch_path(&scratch, "pages.tif"), "w");
    for (size_t i = 0; i < 3; i++) {
        write_page(out, &layouts[i]);
        TIFFWriteDirectory(out);
    }
    TIFFClose(out);
    for (uint64_t page = 0; page < 3; page++) {
        struct clump_file_params params = clump_file_defaults;
        clump_file *file;
        params.page = page;
        clump_image *image = scratch_read(&scratch, scratch.path, &params, &file);
        struct clump_file_page about;
        cr_expect_eq(clump_file_info(file)->pages, 3);
        cr_expect(clump_file_page(file, 2, &about) == CLUMP_OK && about.type == CLUMP_U16 &&
                  about.axes[0] == ROWS && about.axes[1] == COLS);
        cr_expect_eq(clump_image_type(image), layouts[page].type);
        clump_image_destroy(&image);
        clump_file_close(&file);
    }
    struct clump_file_params params = clump_file_defaults;
    clump_file *file = NULL;
    params.page = 3;
    cr_expect_eq(clump_file_open(&scratch.log, scratch.path, &params, &file), CLUMP_ERROR_ARGUMENT);
    cr_expect(strstr(scratch.line, "page 3"), "%s", scratch.line);
}

Test(tiff, one_bit_and_palette)
{
    uint8_t bits[2] = {0xa5, 0x80}, numbers[3] = {2, 0, 1};
    static uint16_t red[256] = {65535, 0, 0}, green[256] = {0, 65535, 0}, blue[256] = {0, 0, 65535};
    TIFF *out = TIFFOpen(scratch_path(&scratch, "bits.tif"), "w");
    TIFFSetField(out, TIFFTAG_IMAGEWIDTH, 9);
    TIFFSetField(out, TIFFTAG_IMAGELENGTH, 1);
    TIFFSetField(out, TIFFTAG_BITSPERSAMPLE, 1);
    TIFFSetField(out, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
    TIFFWriteScanline(out, bits, 0, 0);
    TIFFClose(out);
    clump_image *image = scratch_read(&scratch, scratch.path, NULL, NULL);
    static const double wanted[9] = {1, 0, 1, 0, 0, 1, 0, 1, 1};
    for (uint64_t i = 0; i < 9; i++)
        cr_expect_eq(scratch_pixel(image, 0, i), wanted[i]);
    clump_image_destroy(&image);
    out = TIFFOpen(scratch_path(&scratch, "palette.tif"), "w");
    TIFFSetField(out, TIFFTAG_IMAGEWIDTH, 3);
    TIFFSetField(out, TIFFTAG_IMAGELENGTH, 1);
    TIFFSetField(out, TIFFTAG_BITSPERSAMPLE, 8);
    TIFFSetField(out, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_PALETTE);
    TIFFSetField(out, TIFFTAG_COLORMAP, red, green, blue);
    TIFFWriteScanline(out, numbers, 0, 0);
    TIFFClose(out);
    struct clump_file_params params = clump_file_defaults;
    params.channel = 2;
    image = scratch_read(&scratch, scratch.path, &params, NULL);
    cr_expect_eq(scratch_pixel(image, 0, 0), 255);
    cr_expect_eq(scratch_pixel(image, 0, 1), 0);
    clump_image_destroy(&image);
    params.channel = CLUMP_FILE_CHANNEL_PALETTE;
    image = scratch_read(&scratch, scratch.path, &params, NULL);
    cr_expect_eq(scratch_pixel(image, 0, 1), 54); /* 255 * 0.2125 = 54.19 */
    clump_image_destroy(&image);
    clump_file *file = NULL;
    image = scratch_read(&scratch, scratch.path, NULL, &file);
    for (uint64_t i = 0; i < 3; i++)
        cr_expect_eq(scratch_pixel(image, 0, i), numbers[i], "a palette is for display");
    cr_expect_eq(clump_file_info(file)->channels, 1);
    clump_file_close(&file);
    clump_image_destroy(&image);
}

Test(tiff, palette_of_16_bits)
{
    static uint16_t colours[3][65536];
    uint16_t numbers[3] = {300, 0, 65535};
    colours[1][300] = 0x8123;
    colours[1][65535] = 0xffff;
    TIFF *out = TIFFOpen(scratch_path(&scratch, "wide.tif"), "wb"); /* the other byte order */
    TIFFSetField(out, TIFFTAG_IMAGEWIDTH, 3);
    TIFFSetField(out, TIFFTAG_IMAGELENGTH, 1);
    TIFFSetField(out, TIFFTAG_BITSPERSAMPLE, 16);
    TIFFSetField(out, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_PALETTE);
    TIFFSetField(out, TIFFTAG_COLORMAP, colours[0], colours[1], colours[2]);
    TIFFWriteScanline(out, numbers, 0, 0);
    TIFFClose(out);
    struct clump_file_params params = clump_file_defaults;
    params.channel = 1;
    clump_image *image = scratch_read(&scratch, scratch.path, &params, NULL);
    cr_expect_eq(scratch_pixel(image, 0, 0), 0x81);
    cr_expect_eq(scratch_pixel(image, 0, 1), 0);
    cr_expect_eq(scratch_pixel(image, 0, 2), 0xff);
    clump_image_destroy(&image);
    image = scratch_read(&scratch, scratch.path, NULL, NULL);
    cr_expect_eq(scratch_pixel(image, 0, 0), 300);
    clump_image_destroy(&image);
}

#define STACK_SIDE 1024

static void put_number(uint8_t *at, unsigned bytes, bool big, uint32_t value)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> 8 * (big ? bytes - 1 - i : i));
}

#define STACK_FIRST 512 /* where the pixels begin */

/* The directory of a stack's first image; all pixels are for the caller to put behind it. */
static void create_stack(bool big, int bits, unsigned images)
{
    const uint32_t plane = STACK_SIDE * STACK_SIDE * (uint32_t)bits / 8;
    const uint32_t tags[][4] = {
        /* number, type, count, value */
        {256, 4, 1, STACK_SIDE},  {257, 4, 1, STACK_SIDE}, {258, 3, 1, (uint32_t)bits},
        {259, 3, 1, 1},           {262, 3, 1, 1},          {270, 2, 100, 200},
        {273, 4, 1, STACK_FIRST}, {277, 3, 1, 1},          {278, 4, 1, STACK_SIDE},
        {279, 4, 1, plane}};
    const uint32_t count = sizeof tags / sizeof *tags;
    uint8_t bytes[STACK_FIRST] = {0};
    memcpy(bytes, big ? "MM" : "II", 2);
    put_number(bytes + 2, 2, big, 42);
    put_number(bytes + 4, 4, big, 8);
    put_number(bytes + 8, 2, big, count);
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *at = bytes + 10 + 12 * i;
        put_number(at, 2, big, tags[i][0]);
        put_number(at + 2, 2, big, tags[i][1]);
        put_number(at + 4, 4, big, tags[i][2]);
        put_number(at + 8, tags[i][1] == 3 ? 2 : 4, big, tags[i][3]);
    }
    snprintf((char *)bytes + 200, 100, "ImageJ=1.53t\nimages=%u\nslices=%u\nloop=false\n", images,
             images);
    scratch_file(&scratch, "stack.tif", bytes, sizeof bytes);
    scratch_path(&scratch, "stack.tif");
}

/* Puts a number into a pixel of the file, counted over all images. */
static void put_far(uint64_t pixel, bool big, int bits, unsigned value)
{
    uint8_t bytes[4];
    FILE *out = fopen(scratch.path, "r+b");
    put_number(bytes, (unsigned)bits / 8, big, value);
    cr_assert_eq(fseeko(out, (off_t)(STACK_FIRST + pixel * (uint64_t)bits / 8), SEEK_SET), 0);
    fwrite(bytes, 1, (size_t)bits / 8, out);
    fclose(out);
}

static void expect_stack(bool big, int bits, unsigned images)
{
    const uint64_t plane = (uint64_t)STACK_SIDE * STACK_SIDE;
    struct clump_file_params params = clump_file_defaults;
    clump_file *file = NULL;
    create_stack(big, bits, images);
    for (unsigned page = 0; page < images; page += images - 1) {
        put_far(page * plane, big, bits, 70 + page);
        put_far((page + 1) * plane - 1, big, bits, 250 - page % 2);
    }
    for (params.page = 0; params.page < images; params.page += images - 1) {
        clump_image *image = scratch_read(&scratch, scratch.path, &params, &file);
        unsigned wanted = (70 + (unsigned)params.page) & (bits == 8 ? 255 : UINT32_MAX);
        cr_expect_eq(clump_file_info(file)->pages, images);
        cr_expect_eq(scratch_pixel(image, 0, 0), wanted, "page %u of %u", (unsigned)params.page,
                     images);
        cr_expect_eq(scratch_pixel(image, STACK_SIDE - 1, STACK_SIDE - 1), 250 - params.page % 2);
        clump_image_destroy(&image);
        clump_file_close(&file);
    }
    params.page = images;
    cr_expect_eq(clump_file_open(&scratch.log, scratch.path, &params, &file), CLUMP_ERROR_ARGUMENT);
}

/* The last of 4200 images lies beyond 4 GB; the file has holes and takes no room. */
Test(tiff, stacks_of_imagej, .timeout = 120)
{
    expect_stack(true, 8, 3);
    expect_stack(false, 16, 5);
    expect_stack(true, 16, 5);
    expect_stack(true, 32, 2);
    expect_stack(true, 8, 4200);
}

/* A description that was carried over, or a stack that was cut. */
Test(tiff, stacks_that_are_not_whole)
{
    const uint64_t plane = (uint64_t)STACK_SIDE * STACK_SIDE;
    struct clump_file_params params = clump_file_defaults;
    clump_file *file = NULL;
    create_stack(false, 8, 7);
    put_far(plane - 1, false, 8, 1);
    cr_assert_eq(clump_file_open(&scratch.log, scratch.path, NULL, &file), CLUMP_OK);
    cr_expect_eq(clump_file_info(file)->pages, 1);
    clump_file_close(&file);
    put_far(3 * plane - 1, false, 8, 9); /* three whole ones */
    put_far(3 * plane + 5, false, 8, 9);
    cr_assert_eq(clump_file_open(&scratch.log, scratch.path, NULL, &file), CLUMP_OK);
    cr_expect_eq(clump_file_info(file)->pages, 3);
    clump_file_close(&file);
    params.page = 2;
    clump_image *image = scratch_read(&scratch, scratch.path, &params, NULL);
    cr_expect_eq(scratch_pixel(image, STACK_SIDE - 1, STACK_SIDE - 1), 9);
    clump_image_destroy(&image);
}

Test(tiff, truncated_anywhere)
{
    for (size_t k = 0; k < sizeof layouts / sizeof *layouts; k++) {
        static uint8_t bytes[1 << 17];
        create(&layouts[k], "whole.tif");
        FILE *in = fopen(scratch.path, "rb");
        size_t length = fread(bytes, 1, sizeof bytes, in);
        fclose(in);
        for (size_t cut = 4; cut < length; cut += 1 + length / 60) {
            clump_file *file = NULL;
            clump_image *image = NULL;
            scratch.errors = 0;
            const char *path = scratch_file(&scratch, "cut.tif", bytes, cut);
            enum clump_status status = clump_file_open(&scratch.log, path, NULL, &file);
            if (!status)
                status = clump_file_read(scratch.context, file, &image);
            cr_expect_eq(scratch.errors, status ? 1 : 0, "cut at %zu: %s", cut, scratch.line);
            clump_image_destroy(&image);
            clump_file_close(&file);
        }
    }
}

Test(tiff, absurd_sizes)
{
    static const uint32_t sizes[][2] = {{1u << 31, 1u << 31}, {UINT32_MAX, 3}, {100000, 100000}};
    for (size_t i = 0; i < 3; i++)
        for (int compressed = 0; compressed < 2; compressed++) {
            uint8_t byte = 1;
            clump_file *file = NULL;
            scratch.errors = 0;
            TIFF *out = TIFFOpen(scratch_path(&scratch, "absurd.tif"), "w");
            TIFFSetField(out, TIFFTAG_IMAGEWIDTH, sizes[i][0]);
            TIFFSetField(out, TIFFTAG_IMAGELENGTH, sizes[i][1]);
            TIFFSetField(out, TIFFTAG_BITSPERSAMPLE, 8);
            TIFFSetField(out, TIFFTAG_COMPRESSION,
                         compressed ? COMPRESSION_ADOBE_DEFLATE : COMPRESSION_NONE);
            TIFFSetField(out, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
            TIFFWriteRawStrip(out, 0, &byte, 1);
            TIFFClose(out);
            cr_expect_eq(clump_file_open(&scratch.log, scratch.path, NULL, &file),
                         CLUMP_ERROR_FORMAT, "%u x %u was opened", sizes[i][0], sizes[i][1]);
            cr_expect_eq(scratch.errors, 1);
            clump_file_close(&file);
        }
}

Test(tiff, written_and_read_back) { scratch_round_trip(&scratch, "tif"); }

/* A small file of `pages` pages, of which the first has the description and a resolution. */
static void create_described(const char *text, unsigned pages, unsigned unit, float resolution)
{
    scratch_path(&scratch, "described.tif");
    TIFF *tiff = TIFFOpen(scratch.path, "w");
    cr_assert(tiff);
    for (unsigned page = 0; page < pages; page++) {
        uint8_t row[COLS] = {(uint8_t)page};
        TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, COLS);
        TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, 1);
        TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 8);
        TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
        if (page == 0)
            TIFFSetField(tiff, TIFFTAG_IMAGEDESCRIPTION, text);
        if (page == 0 && resolution > 0) {
            TIFFSetField(tiff, TIFFTAG_XRESOLUTION, (double)resolution);
            TIFFSetField(tiff, TIFFTAG_YRESOLUTION, (double)resolution / 2);
            TIFFSetField(tiff, TIFFTAG_RESOLUTIONUNIT, unit);
        }
        cr_assert_eq(TIFFWriteScanline(tiff, row, 0, 0), 1);
        TIFFWriteDirectory(tiff);
    }
    TIFFClose(tiff);
}

struct stack {
    const char *writer, *order;
    uint64_t channels, slices, frames;
    double size[3];
    const char *unit[3];
};

/* Whatever page is read, the first one's description counts. */
static void expect_described(const struct stack *wanted, unsigned pages)
{
    for (uint64_t page = 0; page<pages; page += pages> 1 ? pages - 1 : 1) {
        struct clump_file_params params = clump_file_defaults;
        clump_file *file = NULL;
        params.page = page;
        cr_assert_eq(clump_file_open(&scratch.log, scratch.path, &params, &file), CLUMP_OK);
        const struct clump_file_info *info = clump_file_info(file);
        cr_expect_str_eq(info->stack_writer, wanted->writer);
        cr_expect_str_eq(info->stack_order, wanted->order);
        cr_expect_eq(info->stack_channels, wanted->channels);
        cr_expect_eq(info->stack_slices, wanted->slices);
        cr_expect_eq(info->stack_frames, wanted->frames);
        for (int k = 0; k < 3; k++) {
            double size = info->pixel_size[k];
            cr_expect(isnan(wanted->size[k]) ? isnan(size) : size == wanted->size[k],
                      "axis %d: %g, not %g", k, size, wanted->size[k]);
            cr_expect_str_eq(info->pixel_size_unit[k], wanted->unit[k]);
        }
        clump_file_close(&file);
    }
}

#define MICRO "\302\265m"

Test(tiff, axes_of_imagej)
{
    create_described("ImageJ=1.53t\nimages=12\nchannels=2\nslices=3\nframes=2\nhyperstack=true\n"
                     "unit=micron\nspacing=1.5\nloop=false\n",
                     12, RESUNIT_NONE, 4);
    expect_described(
        &(struct stack){"ImageJ", "XYCZT", 2, 3, 2, {0.25, 0.5, 1.5}, {MICRO, MICRO, MICRO}}, 12);
    create_described("ImageJ=1.53t\nimages=2\nunit=\\u00B5m\n", 2, RESUNIT_NONE, 8);
    expect_described(
        &(struct stack){"ImageJ", "XYCZT", 1, 2, 1, {0.125, 0.25, NAN}, {MICRO, MICRO, MICRO}}, 2);
    create_described("ImageJ=1.53t\n", 1, RESUNIT_INCH, 64);
    expect_described(
        &(struct stack){
            "ImageJ", "XYCZT", 1, 1, 1, {1. / 64, 1. / 32, NAN}, {"inch", "inch", "inch"}},
        1);
    create_described("ImageJ=1.53t\nchannels=-4\nslices=many\nspacing=0\nunit=mm", 1, RESUNIT_NONE,
                     0);
    expect_described(
        &(struct stack){"ImageJ", "XYCZT", 1, 1, 1, {NAN, NAN, NAN}, {"mm", "mm", "mm"}}, 1);
}

Test(tiff, axes_of_ome)
{
    create_described(
        "<?xml version=\"1.0\"?><OME xmlns=\"http://www.openmicroscopy.org/Schemas/OME\">"
        "<Image ID=\"Image:0\"><Pixels ID=\"Pixels:0\" DimensionOrder=\"XYZCT\" "
        "SizeX=\"53\" SizeY='1' SizeC=\"2\" SizeZ = \"3\"\nSizeT=\"1\" "
        "PhysicalSizeX=\"0.25\" PhysicalSizeXUnit=\"nm\" PhysicalSizeY=\"0.5\" "
        "PhysicalSizeZ=\"2e1\" PhysicalSizeZUnit=\"\316\274m\">"
        "<Channel/></Pixels></Image></OME>",
        6, RESUNIT_NONE, 0);
    expect_described(
        &(struct stack){"OME", "XYZCT", 2, 3, 1, {0.25, 0.5, 20}, {"nm", MICRO, MICRO}}, 6);
    create_described("<ome:OME xmlns:ome=\"x\"><ome:Pixels SizeC=\"1\" SizeZ=\"", 1, RESUNIT_NONE,
                     0);
    expect_described(&(struct stack){"OME", "", 0, 0, 0, {NAN, NAN, NAN}, {MICRO, MICRO, MICRO}},
                     1);
    create_described("a picture of <Pixels SizeC=\"3\">", 1, RESUNIT_NONE, 4);
    expect_described(&(struct stack){"", "", 0, 0, 0, {NAN, NAN, NAN}, {"", "", ""}}, 1);
}
