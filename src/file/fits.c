/* SPDX-License-Identifier: MIT */
/* Reads FITS images through CFITSIO: plain, gzipped, tile-compressed. */
#include "fits.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sky.h"

#define CARD 80

const char *clump_fits_reason(int status, char text[FLEN_ERRMSG])
{
    char more[FLEN_ERRMSG];
    if (!fits_read_errmsg(text))
        fits_get_errstatus(status, text);
    while (fits_read_errmsg(more))
        continue;
    return text;
}

static enum clump_status fail(const clump_file *file, int status, const char *what)
{
    char text[FLEN_ERRMSG];
    return clump_fail(&file->log, CLUMP_ERROR_FORMAT, "%s: %s: %s (CFITSIO status %d)", file->path,
                      what, clump_fits_reason(status, text), status);
}

static bool probe(const unsigned char *head, size_t count)
{
    static const char *const starts[] = {"SIMPLE  =", "\x1f\x8b"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (count >= strlen(starts[i]) && !memcmp(head, starts[i], strlen(starts[i])))
            return true;
    return false;
}

/* The number of axes of the current HDU if it is an image with pixels, else 0. */
static int image_axes(fitsfile *in)
{
    int status = 0, kind = 0, axes = 0;
    fits_get_hdu_type(in, &kind, &status);
    if (!status && kind == IMAGE_HDU)
        fits_get_img_dim(in, &axes, &status);
    if (status)
        fits_clear_errmsg();
    return status ? 0 : axes;
}

static enum clump_status move_first(const clump_file *file, fitsfile *in)
{
    int status = 0;
    while (!image_axes(in))
        if (fits_movrel_hdu(in, 1, NULL, &status)) {
            fits_clear_errmsg();
            return clump_fail(&file->log, CLUMP_ERROR_FORMAT,
                              "%s: holds no image in its %" PRIu64 " HDUs (tables or headers only)",
                              file->path, file->info.pages);
        }
    return CLUMP_OK;
}

/* "2" counts from the primary HDU, 0; "SCI" and "SCI,2" are EXTNAME and EXTVER. */
static enum clump_status move_named(const clump_file *file, fitsfile *in)
{
    char *end, name[FLEN_VALUE];
    int status = 0, version = 0;
    long number = strtol(file->extension, &end, 10);
    if (*file->extension && !*end) {
        if (number < 0 || number > 1000000)
            status = BAD_HDU_NUM;
        fits_movabs_hdu(in, (int)number + 1, NULL, &status);
    } else {
        snprintf(name, sizeof name, "%s", file->extension);
        char *comma = strchr(name, ',');
        if (comma) {
            version = atoi(comma + 1);
            *comma = '\0';
        }
        fits_movnam_hdu(in, ANY_HDU, name, version, &status);
    }
    fits_clear_errmsg();
    if (status)
        return clump_fail(&file->log, CLUMP_ERROR_FORMAT,
                          "%s: has no extension [%s]; it has %" PRIu64 " HDUs, [0] to [%" PRIu64
                          "]; `clump info` lists them",
                          file->path, file->extension, file->info.pages, file->info.pages - 1);
    if (!image_axes(in))
        return clump_fail(&file->log, CLUMP_ERROR_FORMAT,
                          "%s: extension [%s] is a table or has no pixels; an image is needed",
                          file->path, file->extension);
    return CLUMP_OK;
}

static double number(fitsfile *in, const char *key, double otherwise, bool *found)
{
    double value;
    int status = 0;
    fits_read_key(in, TDOUBLE, key, &value, NULL, &status);
    if (status)
        fits_clear_errmsg();
    if (found)
        *found = !status;
    return status ? otherwise : value;
}

static bool has_key(fitsfile *in, const char *key)
{
    char card[FLEN_CARD];
    int status = 0;
    fits_read_card(in, key, card, &status);
    if (status)
        fits_clear_errmsg();
    return !status;
}

/* The type of an image with these integers and this scaling; F32 or F64 when it is not integer. */
static enum clump_type scaled_type(int bitpix, double scale, double zero)
{
    static const struct {
        int bitpix;
        double zero;
        enum clump_type type;
    } exact[] = {
        {BYTE_IMG, 0, CLUMP_U8},      {BYTE_IMG, -128, CLUMP_I16},
        {SHORT_IMG, 0, CLUMP_I16},    {SHORT_IMG, 32768, CLUMP_U16},
        {LONG_IMG, 0, CLUMP_I32},     {LONG_IMG, 2147483648.0, CLUMP_U32},
        {LONGLONG_IMG, 0, CLUMP_I64}, {LONGLONG_IMG, 9223372036854775808.0, CLUMP_I64},
    };
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++)
        if (exact[i].bitpix == bitpix && exact[i].zero == zero && scale == 1)
            return exact[i].type;
    return bitpix == BYTE_IMG || bitpix == SHORT_IMG ? CLUMP_F32 : CLUMP_F64;
}

static enum clump_status choose_type(clump_file *file, int bitpix, bool squeezed)
{
    struct fits *fits = file->state;
    bool blank = has_key(fits->in, "BLANK") || has_key(fits->in, "ZBLANK");
    double scale = number(fits->in, "BSCALE", 1, NULL), zero = number(fits->in, "BZERO", 0, NULL);
    if (!isfinite(scale) || !isfinite(zero) || scale == 0)
        return clump_fail(&file->log, CLUMP_ERROR_FORMAT,
                          "%s: BSCALE %g and BZERO %g make no pixel values", file->path, scale,
                          zero);
    enum clump_type type = bitpix == FLOAT_IMG    ? CLUMP_F32
                           : bitpix == DOUBLE_IMG ? CLUMP_F64
                                                  : scaled_type(bitpix, scale, zero);
    if (bitpix > 0 && blank && type != CLUMP_F32 && type != CLUMP_F64)
        type = bitpix == BYTE_IMG || bitpix == SHORT_IMG ? CLUMP_F32 : CLUMP_F64;
    file->info.type = file->params.float32 ? CLUMP_F32 : type;
    fits->type = clump_fits_type(file->info.type);
    bool real = file->info.type == CLUMP_F32 || file->info.type == CLUMP_F64;
    fits->blanks = real && ((bitpix > 0 && blank) || squeezed);
    return CLUMP_OK;
}

/* Compares the size in the header with the size of the file, before any pixel is read. */
static enum clump_status check_size(clump_file *file, int bitpix, bool squeezed)
{
    struct fits *fits = file->state;
    uint64_t pixel = (uint64_t)abs(bitpix) / 8, length = file->packed ? fits->length : file->size;
    LONGLONG start = 0, end = 0;
    int status = 0;
    if (squeezed)
        return CLUMP_OK; /* fits_guard.c has looked at that */
    fits_get_hduaddrll(fits->in, NULL, &start, &end, &status);
    if (status)
        return fail(file, status, "cannot find its pixels");
    uint64_t first = start > 0 ? (uint64_t)start : 0;
    return clump_check_room(file, pixel, length > first ? length - first : 0, "what follows it");
}

/* Pixels that need nothing but another order of bytes are read without CFITSIO, as fast as memory
 * is, and by the library itself where a reader looks at the header. */
static void find_raw(clump_file *file, int bitpix, bool squeezed)
{
    struct fits *fits = file->state;
    enum clump_type type = file->info.type;
    size_t bytes = clump_type_row_bytes(type, 1);
    double zero = number(fits->in, "BZERO", 0, NULL), scale = number(fits->in, "BSCALE", 1, NULL);
    bool flip = (type == CLUMP_U16 && zero == 32768) || (type == CLUMP_U32 && zero == 2147483648.0);
    LONGLONG start = 0;
    int status = 0;
    if (squeezed || file->packed || fits->blanks || scale != 1 || (zero != 0 && !flip) ||
        bytes != (size_t)abs(bitpix) / 8 ||
        (bitpix < 0) != (type == CLUMP_F32 || type == CLUMP_F64) || fits->kept[0] != 0 ||
        fits->kept[1] > 1 || fits_get_hduaddrll(fits->in, NULL, &start, NULL, &status) ||
        start <= 0)
        return;
    file->raw.at = (uint64_t)start + file->params.plane * file->info.rows * file->info.cols * bytes;
    file->raw.bytes = (uint32_t)bytes;
    file->raw.flip = flip;
}

static enum clump_status read_axes(clump_file *file)
{
    struct fits *fits = file->state;
    LONGLONG lengths[FITS_AXES] = {0};
    uint64_t axes[FITS_AXES], plane = file->params.plane;
    int status = 0, count = image_axes(fits->in), bitpix = 0;
    if (count > FITS_AXES)
        return clump_fail(&file->log, CLUMP_ERROR_FORMAT, "%s: has %d axes; %d are the most",
                          file->path, count, FITS_AXES);
    fits_get_img_type(fits->in, &bitpix, &status);
    fits_get_img_sizell(fits->in, FITS_AXES, lengths, &status);
    if (status)
        return fail(file, status, "cannot read its axes");
    for (int i = 0; i < count; i++)
        axes[i] = lengths[i] > 0 ? (uint64_t)lengths[i] : 0;
    fits->count = (unsigned)count;
    enum clump_status result = clump_axes_choose(file, axes, fits->count, fits->kept);
    if (result)
        return result;
    for (unsigned i = 0; i < fits->count; i++) {
        bool kept = i == fits->kept[0] || i == fits->kept[1];
        fits->position[i] = kept ? 1 : (int64_t)(plane % axes[i]) + 1;
        plane = kept ? plane : plane / axes[i];
    }
    int flag = 0;
    bool squeezed = fits_is_compressed_image(fits->in, &flag);
    result = check_size(file, bitpix, squeezed);
    if (!result)
        result = choose_type(file, bitpix, squeezed);
    if (!result)
        find_raw(file, bitpix, squeezed);
    return result;
}

static void read_beam(clump_file *file, fitsfile *in)
{
    struct clump_file_info *info = &file->info;
    bool major, minor;
    info->beam_major = number(in, "BMAJ", 0, &major);
    info->beam_minor = number(in, "BMIN", 0, &minor);
    info->beam_angle = number(in, "BPA", 0, NULL);
    info->beam = major && minor && info->beam_major > 0 && info->beam_minor > 0;
    double area = file->sky ? clump_sky_pixel_area(file->sky) : 0;
    if (info->beam && area > 0)
        info->beam_pixels = acos(-1.0) * info->beam_major * info->beam_minor / (4 * log(2)) / area;
}

/* Warns that a header has sky coordinates which this build cannot use. */
static void mention_sky(const clump_file *file, fitsfile *in)
{
    char kind[FLEN_VALUE] = "";
    int status = 0;
    fits_read_key(in, TSTRING, "CTYPE1", kind, NULL, &status);
    if (!strncmp(kind, "RA--", 4) || !strncmp(kind, "DEC-", 4) || !strncmp(kind, "GL", 2))
        clump_say(&file->log, CLUMP_LOG_WARNING,
                  "%s: its sky coordinates are left out: this clump was built without %s",
                  file->path, clump_sky_missing);
}

/* Keeps the header, for files that are written with it. */
static enum clump_status keep_header(clump_file *file)
{
    struct fits *fits = file->state;
    struct header *header = &file->header;
    int count = 0, status = 0;
    fits_get_hdrspace(fits->in, &count, NULL, &status);
    header->axes = fits->count;
    memcpy(header->kept, fits->kept, sizeof header->kept);
    memcpy(header->position, fits->position, sizeof header->position);
    header->cards = calloc((size_t)count + 1, CARD);
    if (!header->cards)
        return clump_fail(&file->log, CLUMP_ERROR_MEMORY, "%s: out of memory", file->path);
    for (int i = 1; !status && i <= count; i++) {
        char card[FLEN_CARD] = "";
        if (fits_read_record(fits->in, i, card, &status))
            break;
        char *to = header->cards + header->count++ * CARD;
        memset(to, ' ', CARD);
        memcpy(to, card, strnlen(card, CARD));
    }
    fits_clear_errmsg();
    return CLUMP_OK;
}

static void read_about(clump_file *file)
{
    struct fits *fits = file->state;
    struct header *header = &file->header;
    char *text = NULL;
    const char *problem = NULL;
    int status = 0, cards = 0;
    fits_read_key(fits->in, TSTRING, "BUNIT", file->info.unit, NULL, &status);
    status = 0;
    fits_convert_hdr2str(fits->in, 0, NULL, 0, &text, &cards, &status);
    if (!status && cards > 0 && (header->sky_cards = strdup(text))) {
        header->sky_count = (uint32_t)(strlen(text) / CARD);
        file->sky = clump_sky_create(header->sky_cards, cards, header->kept, fits->position,
                                     fits->count, &problem);
        if ((uint32_t)cards < header->sky_count)
            header->sky_count = (uint32_t)cards;
    }
    if (problem)
        snprintf(file->info.wcs_problem, sizeof file->info.wcs_problem, "%s", problem);
    status = 0; /* because CFITSIO frees nothing while a status is set */
    if (text)
        fits_free_memory(text, &status);
    if (file->sky)
        clump_sky_describe(file->sky, &file->info);
    if (clump_sky_missing)
        mention_sky(file, fits->in);
    read_beam(file, fits->in);
    fits_clear_errmsg();
}

/*
 * Opens the file once its headers are known to do no harm. A reader looks at a mapping of it, and
 * is ended when that becomes shorter; the library itself reads through its descriptor.
 */
static enum clump_status open_guarded(clump_file *file)
{
    struct fits *fits = file->state;
    char name[64];
    int status = 0;
    enum clump_status result = file->packed ? clump_fits_unzip(file) : clump_fits_guard(file);
    if (result)
        return result;
    if (!file->packed && file->isolated) {
        fits->bytes = mmap(NULL, file->size, PROT_READ, MAP_PRIVATE, file->fd, 0);
        if (fits->bytes == MAP_FAILED) {
            fits->bytes = NULL;
            return clump_fail(&file->log, CLUMP_ERROR_MEMORY,
                              "%s: cannot map its %" PRIu64 " bytes", file->path, file->size);
        }
        fits->size = fits->room = (size_t)file->size;
    }
    snprintf(name, sizeof name, "/proc/self/fd/%d", file->fd);
    fits_clear_errmsg();
    if (fits->bytes)
        fits_open_memfile(&fits->in, "clump", READONLY, &fits->bytes, &fits->size, 0, NULL,
                          &status);
    else
        fits_open_diskfile(&fits->in, name, READONLY, &status);
    return status ? fail(file, status, "cannot be read as FITS") : CLUMP_OK;
}

static enum clump_status open_fits(clump_file *file)
{
    struct fits *fits = calloc(1, sizeof *fits);
    int status = 0, count = 0;
    if (!fits)
        return clump_fail(&file->log, CLUMP_ERROR_MEMORY, "%s: out of memory", file->path);
    file->state = fits;
    enum clump_status result = open_guarded(file);
    if (result)
        return result;
    fits_get_num_hdus(fits->in, &count, &status);
    if (status)
        return fail(file, status, "cannot be read as FITS");
    file->info.pages = (uint64_t)count;
    result = file->extension ? move_named(file, fits->in) : move_first(file, fits->in);
    fits_get_hdu_num(fits->in, &count);
    file->info.page = (uint64_t)count - 1;
    if (!result)
        result = read_axes(file);
    if (!result)
        result = keep_header(file);
    if (!result)
        read_about(file);
    return result;
}

static enum clump_status read_fits(clump_file *file, void *pixels)
{
    struct fits *fits = file->state;
    LONGLONG first[FITS_AXES];
    float nan32 = NAN;
    double nan64 = NAN;
    void *blank = !fits->blanks ? NULL : fits->type == TFLOAT ? (void *)&nan32 : (void *)&nan64;
    int status = 0, any;
    enum clump_status result = clump_fits_unzip_all(file);
    if (result)
        return result;
    for (unsigned i = 0; i < fits->count; i++)
        first[i] = fits->position[i];
    fits_read_pixll(fits->in, fits->type, first, (LONGLONG)(file->info.rows * file->info.cols),
                    blank, pixels, &any, &status);
    if (status == NUM_OVERFLOW) {
        fits_clear_errmsg();
        return clump_fail(&file->log, CLUMP_ERROR_FORMAT, "%s: has values beyond the range of %s",
                          file->path, clump_type_text(file->info.type));
    }
    return status ? fail(file, status, "cannot read its pixels") : CLUMP_OK;
}

/* Describes the current HDU of CFITSIO. */
static void describe(fitsfile *in, struct clump_file_page *page, int *status)
{
    static const struct {
        int bitpix;
        enum clump_type type;
    } types[] = {{BYTE_IMG, CLUMP_U8},   {SHORT_IMG, CLUMP_I16}, {USHORT_IMG, CLUMP_U16},
                 {LONG_IMG, CLUMP_I32},  {ULONG_IMG, CLUMP_U32}, {LONGLONG_IMG, CLUMP_I64},
                 {SBYTE_IMG, CLUMP_I16}, {FLOAT_IMG, CLUMP_F32}, {DOUBLE_IMG, CLUMP_F64}};
    LONGLONG axes[FITS_AXES] = {0};
    int kind = 0, count = image_axes(in), bitpix = 0, columns = 0, none = 0;
    fits_read_key(in, TSTRING, "EXTNAME", page->name, NULL, &none);
    fits_get_hdu_type(in, &kind, status);
    page->image = count > 0;
    if (page->image) {
        fits_get_img_equivtype(in, &bitpix, status);
        fits_get_img_sizell(in, FITS_AXES, axes, status);
        page->dimensions = (uint32_t)(count < FITS_AXES ? count : FITS_AXES);
    } else if (kind != IMAGE_HDU) {
        fits_get_num_cols(in, &columns, status);
        fits_get_num_rowsll(in, &axes[1], status);
        axes[0] = columns;
        page->dimensions = 2;
    }
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].bitpix == bitpix)
            page->type = types[i].type;
    for (uint32_t i = 0; i < page->dimensions && i < 8; i++)
        page->axes[i] = (uint64_t)axes[page->dimensions - 1 - i];
}

static enum clump_status page_fits(clump_file *file, uint64_t number, struct clump_file_page *page)
{
    struct fits *fits = file->state;
    struct clump_file_page found = {0};
    int status = 0, here = 0, back = 0;
    fits_get_hdu_num(fits->in, &here);
    fits_movabs_hdu(fits->in, (int)number + 1, NULL, &status);
    if (!status)
        describe(fits->in, &found, &status);
    fits_movabs_hdu(fits->in, here, NULL, &back);
    if (status || back)
        return fail(file, status ? status : back, "cannot read one of its HDUs");
    fits_clear_errmsg();
    *page = found;
    return CLUMP_OK;
}

static void close_fits(clump_file *file)
{
    struct fits *fits = file->state;
    int status = 0;
    if (fits && fits->in)
        fits_close_file(fits->in, &status);
    if (status)
        fits_clear_errmsg();
    if (fits && fits->bytes)
        munmap(fits->bytes, fits->room);
    free(fits);
    file->state = NULL;
}

int clump_fits_type(enum clump_type type)
{
    static const int types[CLUMP_TYPE_COUNT] = {
        [CLUMP_BITS] = TBYTE,  [CLUMP_U8] = TBYTE,  [CLUMP_U16] = TUSHORT,   [CLUMP_I16] = TSHORT,
        [CLUMP_I32] = TINT,    [CLUMP_U32] = TUINT, [CLUMP_I64] = TLONGLONG, [CLUMP_F32] = TFLOAT,
        [CLUMP_F64] = TDOUBLE, [CLUMP_RGB] = TBYTE};
    return types[type];
}

static const char *const endings[] = {".fits", ".fit", ".fts", ".fits.gz", ".fit.gz", NULL};

const struct format clump_format_fits = {
    .id = CLUMP_FILE_FITS,
    .name = "FITS",
    .endings = endings,
    .types = (1u << CLUMP_TYPE_COUNT) - 1,
    .probe = probe,
    .open = open_fits,
    .read = read_fits,
    .page = page_fits,
    .close = close_fits,
    .write = clump_fits_write,
    .parts = true,
};
