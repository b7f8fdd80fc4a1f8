/* SPDX-License-Identifier: MIT */
#include <clump/file.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "context.h"
#include "file/format.h"
#include "file/output.h"
#include "file/reader/remote.h"
#include "file/sky.h"
#include "file/window.h"
#include "shown.h"

const struct clump_file_params clump_file_defaults = {.channel = CLUMP_FILE_CHANNEL_GREY};
const struct clump_file_write_params clump_file_write_defaults = {.force = false};

static const struct format *const formats[] = {
    &clump_format_fits,
    &clump_format_npy,
    &clump_format_tiff,
    &clump_format_png,
};
#define FORMATS (sizeof formats / sizeof *formats)

static enum clump_status fail_errno(const clump_file *file)
{
    return clump_fail(&file->log, CLUMP_ERROR_FILE, "%s: cannot be opened: %s", file->path,
                      strerror(errno));
}

/* Splits "file.fits[SCI]" into name and extension, unless a file has the whole as its name. */
static enum clump_status split_extension(clump_file *file)
{
    size_t length = strlen(file->name);
    char *bracket = strrchr(file->name, '[');
    if (!bracket || file->name[length - 1] != ']' || access(file->name, F_OK) == 0)
        return CLUMP_OK;
    enum clump_status status = clump_window_split(file);
    length = strlen(file->name);
    bracket = strrchr(file->name, '[');
    if (status || !bracket || file->name[length - 1] != ']' || access(file->name, F_OK) == 0)
        return status;
    file->name[length - 1] = '\0';
    file->extension = strdup(bracket + 1);
    *bracket = '\0';
    return file->extension
               ? CLUMP_OK
               : clump_fail(&file->log, CLUMP_ERROR_MEMORY, "%s: out of memory", file->path);
}

static enum clump_status fail_unknown(const clump_file *file, const unsigned char *head,
                                      size_t count)
{
    char bytes[3 * 8 + 1] = "";
    for (size_t i = 0; i < count && i < 8; i++)
        snprintf(bytes + 3 * i, 4, " %02x", head[i]);
    return clump_fail(&file->log, CLUMP_ERROR_FORMAT,
                      "%s: is not a FITS, NumPy (.npy), TIFF or PNG image: it begins with the "
                      "bytes%s",
                      file->path, bytes);
}

static enum clump_status probe(clump_file *file)
{
    unsigned char head[HEAD_BYTES] = {0};
    ssize_t count = pread(file->fd, head, sizeof head, 0);
    if (count < 0)
        return fail_errno(file);
    if (count == 0)
        return clump_fail(&file->log, CLUMP_ERROR_FORMAT, "%s: is empty", file->path);
    for (size_t i = 0; i < FORMATS && !file->format; i++)
        if (formats[i]->probe(head, (size_t)count))
            file->format = formats[i];
    if (!file->format)
        return fail_unknown(file, head, (size_t)count);
    if (file->extension && file->format != &clump_format_fits)
        return clump_fail(&file->log, CLUMP_ERROR_ARGUMENT,
                          "%s: [%s] picks an extension of a FITS file, but this is a %s file",
                          file->path, file->extension, file->format->name);
    return CLUMP_OK;
}

/* Opens the file, once and for all, and finds out what kind it is before any library is let near
 * it. */
static enum clump_status look(clump_file *file)
{
    struct stat about;
    file->fd = open(file->name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file->fd < 0)
        return fail_errno(file);
    enum clump_status status = CLUMP_OK;
    if (fstat(file->fd, &about) != 0)
        status = fail_errno(file);
    else if (S_ISDIR(about.st_mode))
        status =
            clump_fail(&file->log, CLUMP_ERROR_FILE,
                       "%s: is a directory; a FITS, .npy, TIFF or PNG file is needed", file->path);
    else if (!S_ISREG(about.st_mode))
        status =
            clump_fail(&file->log, CLUMP_ERROR_FILE,
                       "%s: is not a regular file; pipes and devices cannot be read", file->path);
    else {
        file->size = (uint64_t)about.st_size;
        status = probe(file);
    }
    return status;
}

/* Formats that libraries of others read are read by a process of its own, where there is one. */
static enum clump_status choose_access(clump_file *file)
{
    struct reader reader;
    file->access = file->format;
    file->packed = clump_is_gzip(file);
    if (file->format == &clump_format_npy || !clump_reader_start(&file->log, &reader))
        return CLUMP_OK;
    file->reader = malloc(sizeof reader);
    if (!file->reader) {
        clump_reader_end(&reader);
        return clump_fail(&file->log, CLUMP_ERROR_MEMORY, "%s: out of memory", file->path);
    }
    *file->reader = reader;
    file->access = &clump_format_remote;
    return CLUMP_OK;
}

/* A header may hold anything, and a terminal acts on some of it. */
static void make_shown(char *text, size_t room)
{
    char *copy = strdup(text);
    if (copy)
        clump_shown(copy, "", text, room);
    else
        *text = '\0';
    free(copy);
}

static enum clump_status fail_page(const clump_file *file, uint64_t page)
{
    return clump_fail(&file->log, CLUMP_ERROR_ARGUMENT,
                      "%s: page %" PRIu64 " was asked for, but it has %" PRIu64 " (the first is 0)",
                      file->path, page, file->info.pages);
}

static enum clump_status check_choice(const clump_file *file)
{
    const struct clump_file_params *params = &file->params;
    const struct clump_file_info *info = &file->info;
    if (params->plane >= info->planes)
        return clump_fail(&file->log, CLUMP_ERROR_ARGUMENT,
                          "%s: plane %" PRIu64 " was asked for, but it has %" PRIu64
                          " (the first is 0)",
                          file->path, params->plane, info->planes);
    if (params->page && file->format == &clump_format_fits)
        return clump_fail(&file->log, CLUMP_ERROR_ARGUMENT,
                          "%s: page %" PRIu64 " was asked for, but FITS has no pages: [%" PRIu64
                          "] after the name picks an extension",
                          file->path, params->page, params->page);
    if (params->page >= info->pages)
        return fail_page(file, params->page);
    bool grey_alpha = info->channels == 2 && params->channel == 3;
    if (params->channel == CLUMP_FILE_CHANNEL_RGB && info->channels < 3)
        return clump_fail(&file->log, CLUMP_ERROR_ARGUMENT,
                          "%s: colours were asked for, but it is a grey image", file->path);
    if (params->channel == CLUMP_FILE_CHANNEL_RGB)
        return CLUMP_OK;
    if (params->channel < CLUMP_FILE_CHANNEL_PALETTE ||
        (params->channel >= (int64_t)info->channels && !grey_alpha))
        return clump_fail(&file->log, CLUMP_ERROR_ARGUMENT,
                          "%s: channel %d was asked for, but it has %" PRIu64 " (the first is 0)",
                          file->path, params->channel, info->channels);
    return CLUMP_OK;
}

static enum clump_status open_file(clump_file *file)
{
    if (!file->path || !file->name)
        return clump_fail(&file->log, CLUMP_ERROR_MEMORY, "out of memory");
    enum clump_status status = split_extension(file);
    if (!status)
        status = look(file);
    if (!status)
        status = choose_access(file);
    if (!status) {
        file->info = clump_info_begin(file->format);
        status = file->access->open(file);
        make_shown(file->info.unit, sizeof file->info.unit);
        make_shown(file->info.frame, sizeof file->info.frame);
        make_shown(file->info.wcs_problem, sizeof file->info.wcs_problem);
        make_shown(file->info.stack_order, sizeof file->info.stack_order);
        for (int i = 0; i < 3; i++)
            make_shown(file->info.pixel_size_unit[i], sizeof file->info.pixel_size_unit[i]);
    }
    if (!status)
        status = check_choice(file);
    if (!status)
        status = clump_window_choose(file);
    if (!status && file->params.channel == CLUMP_FILE_CHANNEL_RGB) {
        file->plane_type = file->info.type;
        file->info.type = CLUMP_RGB;
    }
    return status;
}

const struct format *clump_format_for(const char *path)
{
    for (size_t i = 0; i < FORMATS; i++)
        for (const char *const *ending = formats[i]->endings; *ending; ending++)
            if (clump_path_ends(path, *ending))
                return formats[i];
    return NULL;
}

enum clump_status clump_output_check_image(const struct clump_log *log, const char *path)
{
    return clump_format_for(path) ? CLUMP_OK
                                  : clump_fail(log, CLUMP_ERROR_ARGUMENT,
                                               "%s: cannot tell the format from the ending; .fits, "
                                               ".fits.gz, .npy, .tif and .png are known",
                                               path);
}

enum clump_status clump_output_check_drawing(const struct clump_log *log, const char *path)
{
    bool drawing = clump_path_ends(path, ".pdf") || clump_path_ends(path, ".svg");
    return drawing ? CLUMP_OK : clump_output_check_image(log, path);
}

enum clump_status clump_axes_choose(clump_file *file, const uint64_t *axes, unsigned count,
                                    unsigned kept[2])
{
    uint64_t pixels = 1;
    unsigned found = 0, longer = 0;
    for (unsigned i = 0; i < count; i++) {
        if (!axes[i] || __builtin_mul_overflow(pixels, axes[i], &pixels) || pixels >> 62)
            return clump_fail(&file->log, CLUMP_ERROR_FORMAT,
                              "%s: axis %u has length %" PRIu64
                              ", which makes no image; every axis must be 1 or more and the whole "
                              "fit into a file",
                              file->path, i + 1, axes[i]);
        longer += axes[i] > 1;
    }
    for (unsigned i = 0; i < count && found < 2; i++) {
        bool fill = longer + found < 2; /* fewer than two axes longer than 1 are left: take any */
        if (count <= 2 || axes[i] > 1 || fill) {
            longer -= axes[i] > 1;
            kept[found++] = i;
        }
    }
    while (found < 2)
        kept[found++] = count;
    file->info.cols = kept[0] < count ? axes[kept[0]] : 1;
    file->info.rows = kept[1] < count ? axes[kept[1]] : 1;
    file->info.planes = pixels / (file->info.cols * file->info.rows);
    file->info.dimensions = count;
    return CLUMP_OK;
}

enum clump_status clump_check_room(clump_file *file, uint64_t pixel, uint64_t room,
                                   const char *holder)
{
    uint64_t need, pixels;
    if (!__builtin_mul_overflow(file->info.rows, file->info.cols, &pixels) &&
        !__builtin_mul_overflow(pixels, file->info.planes, &pixels) &&
        !__builtin_mul_overflow(pixels, pixel, &need) && need <= room)
        return CLUMP_OK;
    return clump_fail(&file->log, CLUMP_ERROR_FORMAT,
                      "%s: its header promises %" PRIu64 " x %" PRIu64 " x %" PRIu64
                      " pixels of %" PRIu64 " bytes, but %s holds no more than %" PRIu64
                      " bytes: it is truncated or damaged",
                      file->path, file->info.planes, file->info.rows, file->info.cols, pixel,
                      holder, room);
}

const void *clump_writing_row(const struct writing *writing, uint64_t row, uint8_t *scratch)
{
    const char *start = (const char *)writing->pixels +
                        (row - writing->row) * clump_type_row_bytes(writing->type, writing->cols);
    if (writing->type != CLUMP_BITS)
        return start;
    const uint32_t *words = (const uint32_t *)(const void *)start;
    for (uint64_t col = 0; col < writing->cols; col++)
        scratch[col] = words[col / 32] >> (col % 32) & 1;
    return scratch;
}

enum clump_status clump_fail_write(const struct writing *writing, const char *reason)
{
    bool full = errno == ENOSPC || errno == EFBIG || errno == EDQUOT || errno == EIO;
    return clump_fail(writing->log, CLUMP_ERROR_FILE, "%s: cannot be written: %s", writing->path,
                      reason && !full ? reason : strerror(errno));
}

static enum clump_status check_open(const struct clump_log *log, const char *path,
                                    const struct clump_file_params *params, clump_file **out)
{
    enum clump_status status = clump_check_log("clump_file_open", log);
    if (!status && params)
        status = clump_check_reserved(log, "clump_file_open", "params", params);
    if (!status)
        status = clump_check_given(log, "open", "place for the file", out);
    if (!status && (!path || !*path))
        status = clump_fail(log, CLUMP_ERROR_ARGUMENT, "open: no name of a file was given");
    return status;
}

/* Header values, names and libraries' messages in a line of the log have no end of line in them. */
static void say_shown(void *user, enum clump_log_level level, const char *text)
{
    const clump_file *file = user;
    char *shown = clump_shown_new(text, "");
    clump_say(&file->caller, level, "%s", shown ? shown : "out of memory");
    free(shown);
}

enum clump_status clump_file_open(const struct clump_log *log, const char *path,
                                  const struct clump_file_params *params, clump_file **out)
{
    CLUMP_ROUNDING();
    enum clump_status status = check_open(log, path, params, out);
    if (status)
        return status;
    clump_file *file = calloc(1, sizeof *file);
    if (!file)
        return clump_fail(log, CLUMP_ERROR_MEMORY, "%s: out of memory", path);
    file->caller = log ? *log : clump_log_defaults;
    file->log = (struct clump_log){say_shown, file, file->caller.level};
    file->params = params ? *params : clump_file_defaults;
    file->fd = -1;
    file->path = clump_shown_new(path, "");
    file->name = strdup(path);
    status = open_file(file);
    if (status)
        clump_file_close(&file);
    else
        *out = file;
    return status;
}

void clump_file_close(clump_file **file)
{
    CLUMP_ROUNDING();
    if (!file || !*file)
        return;
    if ((*file)->access)
        (*file)->access->close(*file);
    if ((*file)->fd >= 0)
        close((*file)->fd);
    clump_sky_destroy(&(*file)->sky);
    free((*file)->header.sky_cards);
    free((*file)->header.cards);
    free((*file)->extension);
    free((*file)->name);
    free((*file)->path);
    free(*file);
    *file = NULL;
}

const struct clump_file_info *clump_file_info(const clump_file *file)
{
    return file ? &file->info : NULL;
}

enum clump_status clump_file_page(clump_file *file, uint64_t number, struct clump_file_page *page)
{
    CLUMP_ROUNDING();
    enum clump_status status = clump_check_given(NULL, "page", "open file", file);
    if (!status)
        status = clump_check_given(&file->log, "page", "place for the page", page);
    if (status)
        return status;
    const struct clump_file_info *info = &file->info;
    if (number >= info->pages)
        return fail_page(file, number);
    if (file->format->page) {
        status = file->access->page(file, number, page);
        if (!status)
            make_shown(page->name, sizeof page->name);
        return status;
    }
    *page = (struct clump_file_page){.image = true, .type = info->type, .dimensions = 2};
    page->axes[0] = file->window.whole_rows;
    page->axes[1] = file->window.whole_cols;
    return CLUMP_OK;
}
