/* SPDX-License-Identifier: MIT */
/* Writes FITS images, if asked with the header of another file. */
#include "fits.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <clump/clump.h>

#include "output.h"

/* Keywords with the number of an axis, and what that number means. */
enum numbers { AXIS, AXIS_AXIS, AXIS_OTHER };
static const struct {
    char stem[8];
    enum numbers numbers;
} axis_keys[] = {
    {"CTYPE", AXIS}, {"CRPIX", AXIS},   {"CRVAL", AXIS},   {"CDELT", AXIS},    {"CUNIT", AXIS},
    {"CROTA", AXIS}, {"CNAME", AXIS},   {"CRDER", AXIS},   {"CSYER", AXIS},    {"CZPHS", AXIS},
    {"CPERI", AXIS}, {"PC", AXIS_AXIS}, {"CD", AXIS_AXIS}, {"PV", AXIS_OTHER}, {"PS", AXIS_OTHER},
};

/* Reads the numbers after the stem and, after them, the letter of an alternate WCS; false where
 * something else stands there. */
static bool parse_numbers(const char *text, enum numbers numbers, int *first, int *second,
                          char *letter)
{
    int used = 0;
    if (numbers == AXIS) {
        if (sscanf(text, "%2d%n", first, &used) != 1)
            return false;
    } else if (numbers == AXIS_AXIS && strspn(text, "0123456789") == 6) {
        sscanf(text, "%3d%3d%n", first, second, &used); /* PC001002, the old spelling */
    } else if (sscanf(text, "%2d_%2d%n", first, second, &used) != 2) {
        return false;
    }
    *letter = text[used];
    return !*letter || (*letter >= 'A' && *letter <= 'Z' && !text[used + 1]);
}

static int new_axis(const struct header *like, int axis)
{
    for (int i = 0; i < 2; i++)
        if (axis - 1 == (int)like->kept[i])
            return i + 1;
    return 0;
}

enum fate { KEEP, RENAMED, DROP };

/* Renumbers the axes of a keyword as they are in the image; DROP when the image lacks its axis. */
static enum fate rename_axes(char key[FLEN_KEYWORD], const struct header *like)
{
    for (size_t i = 0; i < sizeof axis_keys / sizeof *axis_keys; i++) {
        const char *stem = axis_keys[i].stem;
        enum numbers numbers = axis_keys[i].numbers;
        int first = 0, second = 0;
        char letter, name[32];
        if (strncmp(key, stem, strlen(stem)) ||
            !parse_numbers(key + strlen(stem), numbers, &first, &second, &letter))
            continue;
        first = new_axis(like, first);
        if (numbers == AXIS_AXIS)
            second = new_axis(like, second);
        if (!first || (numbers == AXIS_AXIS && !second))
            return DROP;
        if (numbers == AXIS)
            snprintf(name, sizeof name, "%s%d%c", stem, first, letter);
        else
            snprintf(name, sizeof name, "%s%d_%d%c", stem, first, second, letter);
        bool same = !strcmp(name, key);
        snprintf(key, FLEN_KEYWORD, "%s", name);
        return same ? KEEP : RENAMED;
    }
    return KEEP;
}

static bool class_kept(int class, bool same_grid)
{
    if (class == TYP_WCS_KEY)
        return same_grid;
    return class == TYP_UNIT_KEY || class == TYP_REFSYS_KEY || class == TYP_COMM_KEY ||
           class == TYP_CONT_KEY || class == TYP_USER_KEY;
}

/* Changes `card` into the card of the new header. */
static enum fate adapt(char card[FLEN_CARD], const struct header *like, bool same_grid)
{
    static const char *const ours[] = {"WCSAXES", "DATE", "CREATOR"};
    char key[FLEN_KEYWORD];
    int length, status = 0;
    int class = fits_get_keyclass(card);
    if (fits_get_keyname(card, key, &length, &status) || !class_kept(class, same_grid)) {
        fits_clear_errmsg();
        return DROP;
    }
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (!strcmp(key, ours[i]))
            return DROP;
    enum fate fate = rename_axes(key, like);
    if (fate == RENAMED) {
        char name[9];
        snprintf(name, sizeof name, "%-8.8s", key);
        memcpy(card, name, 8);
    }
    return fate == DROP || (!same_grid && fate == RENAMED) ? DROP : KEEP;
}

/* Moves the reference pixels of the WCS and of its alternates. */
static void move_wcs(fitsfile *out, int64_t row, int64_t col)
{
    for (int axis = 1; axis <= 2; axis++)
        for (int letter = 'A' - 1; letter <= 'Z' && (axis == 1 ? col : row); letter++) {
            char key[FLEN_KEYWORD], alternate[2] = {letter < 'A' ? 0 : (char)letter, 0};
            double pixel;
            int status = 0;
            snprintf(key, sizeof key, "CRPIX%d%s", axis, alternate);
            if (fits_read_key(out, TDOUBLE, key, &pixel, NULL, &status)) {
                fits_clear_errmsg();
                continue;
            }
            pixel += (double)(axis == 1 ? col : row);
            fits_update_key(out, TDOUBLE, key, &pixel, NULL, &status);
        }
}

static void copy_header(fitsfile *out, const struct writing *writing, const clump_file *like)
{
    const struct header *from = &like->header;
    bool same_grid = writing->params->moved ||
                     (like->info.rows == writing->rows && like->info.cols == writing->cols);
    bool dropped = false, longer = false;
    int status = 0;
    for (uint32_t i = 0; !status && i < from->count; i++) {
        char card[FLEN_CARD];
        snprintf(card, sizeof card, "%.80s", from->cards + (size_t)i * 80);
        bool continued = !strncmp(card, "CONTINUE", 8);
        dropped = continued ? dropped : adapt(card, from, same_grid) == DROP;
        if (!status && !dropped)
            fits_write_record(out, card, &status);
        longer |= continued && !dropped;
    }
    if (longer)
        fits_write_key_longwarn(out, &status);
    if (same_grid)
        move_wcs(out, writing->params->row - (int64_t)like->window.row,
                 writing->params->col - (int64_t)like->window.col);
    if (status)
        fits_clear_errmsg(); /* a card that cannot be kept is no reason to lose the image */
}

static void write_history(fitsfile *out, const char *history, int *status)
{
    while (history && *history) {
        const char *end = strchrnul(history, '\n');
        char *line = strndup(history, (size_t)(end - history));
        if (line && *line)
            fits_write_history(out, line, status);
        free(line);
        history = *end ? end + 1 : end;
    }
}

static void write_cards(fitsfile *out, const char *cards, int *status)
{
    while (cards && *cards) {
        const char *end = strchrnul(cards, '\n');
        char card[FLEN_CARD], *line = strndup(cards, (size_t)(end - cards));
        int type;
        if (line && *line && !fits_parse_template(line, card, &type, status))
            fits_write_record(out, card, status);
        free(line);
        cards = *end ? end + 1 : end;
    }
}

static void write_header(fitsfile *out, const struct writing *writing, int *status)
{
    const struct clump_file_write_params *params = writing->params;
    const clump_file *like = params->like;
    if (like && like->format == &clump_format_fits)
        copy_header(out, writing, like);
    if (params->unit && *params->unit)
        fits_update_key(out, TSTRING, "BUNIT", (void *)params->unit, "unit of the pixels", status);
    else if (params->unit) {
        int missing = 0;
        fits_delete_key(out, "BUNIT", &missing);
    }
    fits_update_key(out, TSTRING, "CREATOR", "clump " CLUMP_VERSION, "program that wrote this file",
                    status);
    fits_write_date(out, status);
    write_cards(out, params->cards, status);
    write_history(out, params->history, status);
}

static int image_type(enum clump_type type)
{
    static const int types[CLUMP_TYPE_COUNT] = {
        [CLUMP_BITS] = BYTE_IMG,    [CLUMP_U8] = BYTE_IMG,   [CLUMP_U16] = USHORT_IMG,
        [CLUMP_I16] = SHORT_IMG,    [CLUMP_I32] = LONG_IMG,  [CLUMP_U32] = ULONG_IMG,
        [CLUMP_I64] = LONGLONG_IMG, [CLUMP_F32] = FLOAT_IMG, [CLUMP_F64] = DOUBLE_IMG,
        [CLUMP_RGB] = BYTE_IMG};
    return types[type];
}

/* Writes masks and colours row by row: one row of bytes, or one row per colour, each to its plane.
 */
static void write_rows(fitsfile *out, const struct writing *writing, int *status)
{
    uint64_t cols = writing->cols;
    int planes = writing->type == CLUMP_RGB ? 3 : 1;
    uint8_t *scratch = malloc(cols);
    if (!scratch)
        *status = MEMORY_ALLOCATION;
    for (int plane = 0; plane < planes; plane++)
        for (uint64_t row = writing->row; !*status && row < writing->row + writing->count; row++) {
            LONGLONG first[3] = {1, (LONGLONG)row + 1, plane + 1};
            const uint8_t *from = clump_writing_row(writing, row, scratch);
            for (uint64_t col = 0; planes == 3 && col < cols; col++)
                scratch[col] = from[3 * col + (uint64_t)plane];
            fits_write_pixll(out, TBYTE, first, (LONGLONG)cols, scratch, status);
        }
    free(scratch);
}

static void write_part(fitsfile *out, const struct writing *writing, int *status)
{
    LONGLONG first[2] = {1, (LONGLONG)writing->row + 1};
    if (writing->type == CLUMP_BITS || writing->type == CLUMP_RGB)
        write_rows(out, writing, status);
    else
        fits_write_pixll(out, clump_fits_type(writing->type), first,
                         (LONGLONG)(writing->count * writing->cols), (void *)writing->pixels,
                         status);
}

static void write_pixels(fitsfile *out, struct writing *writing, int *status)
{
    do
        write_part(out, writing, status);
    while (!*status && writing->next && writing->next(writing));
}

const char *clump_fits_name(const char *path, char name[FLEN_FILENAME], int *folder)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    char *parent = slash ? strndup(path, (size_t)(base - path)) : strdup(".");
    *folder = parent ? open(parent, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
    free(parent);
    if (*folder < 0 ||
        snprintf(name, FLEN_FILENAME, "/proc/self/fd/%d/%s", *folder, base) >= FLEN_FILENAME)
        return path;
    return name;
}

int clump_fits_close(fitsfile *out, const char *path, int status)
{
    LONGLONG end = 0;
    struct stat about;
    int closed = 0;
    if (!out)
        return status;
    if (!status && !fits_flush_file(out, &status))
        fits_get_hduaddrll(out, NULL, NULL, &end, &status);
    fits_close_file(out, &closed);
    if (!status && !closed && (stat(path, &about) || about.st_size < end))
        closed = WRITE_ERROR;
    return status ? status : closed;
}

enum clump_status clump_fits_write(struct writing *writing)
{
    LONGLONG axes[3] = {(LONGLONG)writing->cols, (LONGLONG)writing->rows, 3};
    char text[FLEN_ERRMSG], name[FLEN_FILENAME];
    fitsfile *out = NULL;
    int status = 0, folder;
    fits_clear_errmsg();
    unlink(writing->temporary); /* CFITSIO wants to create it itself */
    fits_create_diskfile(&out, clump_fits_name(writing->temporary, name, &folder), &status);
    fits_create_imgll(out, image_type(writing->type), writing->type == CLUMP_RGB ? 3 : 2, axes,
                      &status);
    if (!status)
        write_header(out, writing, &status);
    if (!status)
        write_pixels(out, writing, &status);
    status = clump_fits_close(out, writing->temporary, status);
    if (folder >= 0)
        close(folder);
    if (status)
        return clump_fail_write(writing, clump_fits_reason(status, text));
    if (writing->status)
        return writing->status;
    if (clump_path_ends(writing->path, ".gz")) {
        errno = clump_fits_gzip(writing->temporary);
        if (errno)
            return clump_fail_write(writing, NULL);
    }
    return CLUMP_OK;
}
