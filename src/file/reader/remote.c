/* SPDX-License-Identifier: MIT */
/* The library's side of clump-reader: asks, and believes no answer before it was checked. */
#include "file/reader/remote.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file/reader/protocol.h"
#include "file/sky.h"

/* Bytes that libraries may take for each sample of the whole cube: tiles may be as large. */
#define SAMPLE_WORK 32u

/* Says how the reader ended, in one line, and forgets it. */
static enum clump_status fail_ended(clump_file *file)
{
    int how = clump_reader_end(file->reader);
    const char *name = file->format->name;
    free(file->reader);
    file->reader = NULL;
    if (how == -1 || !WIFSIGNALED(how) || WTERMSIG(how) == SIGKILL)
        return clump_fail(&file->log, CLUMP_ERROR_FORMAT,
                          "%s: the process that reads %s files ended without an answer: it is "
                          "damaged or made to do harm, or memory ran out",
                          file->path, name);
    if (WTERMSIG(how) == SIGXCPU)
        return clump_fail(&file->log, CLUMP_ERROR_FORMAT,
                          "%s: reading it was given up after %" PRIu64
                          " s of computing: it is damaged or made to do harm",
                          file->path, READER_SECONDS + file->size / READER_SECOND_BYTES);
    if (WTERMSIG(how) == SIGBUS)
        return clump_fail(&file->log, CLUMP_ERROR_FILE,
                          "%s: became shorter while it was read, or its disk cannot be read",
                          file->path);
    return clump_fail(&file->log, CLUMP_ERROR_FORMAT,
                      "%s: the library that reads %s files crashed on it (signal %d): it is "
                      "damaged or made to do harm",
                      file->path, name, WTERMSIG(how));
}

/* One line from the reader; an error is kept, for there is one at most. */
static bool take_line(clump_file *file, const struct reader_answer *answer, char *problem)
{
    char line[READER_LINE + 1];
    if (answer->length > READER_LINE || answer->level > CLUMP_LOG_DEBUG ||
        !reader_receive(file->reader->socket, line, answer->length, NULL))
        return false;
    line[answer->length] = '\0';
    if (answer->level == CLUMP_LOG_ERROR)
        memcpy(problem, line, answer->length + 1);
    else
        clump_say(&file->log, answer->level, "%s", line);
    return true;
}

/* Takes lines up to the end of the answer, and `count` bytes behind it where all went well. */
static enum clump_status take_answer(clump_file *file, void *bytes, size_t count)
{
    struct reader_answer answer = {0};
    char problem[READER_LINE + 1] = "";
    for (unsigned lines = 0; answer.kind != READER_DONE; lines++) {
        if (lines > READER_LINES ||
            !reader_receive(file->reader->socket, &answer, sizeof answer, NULL) ||
            (answer.kind != READER_LINED && answer.kind != READER_DONE) ||
            (answer.kind == READER_LINED && !take_line(file, &answer, problem)))
            return fail_ended(file);
    }
    if (answer.status >= CLUMP_STATUS_COUNT || (answer.status && !*problem))
        return fail_ended(file);
    if (answer.status)
        return clump_fail(&file->log, answer.status, "%s", problem);
    if (count && !reader_receive(file->reader->socket, bytes, count, NULL))
        return fail_ended(file);
    return CLUMP_OK;
}

/* Whether `size` bytes at `text` are a text that ends. */
static bool ends(const char *text, size_t size) { return memchr(text, '\0', size) != NULL; }

/* Whether the byte at `at` can be a bool: another value has no meaning in C. */
static bool is_bool(const void *at) { return *(const unsigned char *)at <= 1; }

static bool good_size(uint64_t rows, uint64_t cols, uint64_t planes, uint64_t channels)
{
    uint64_t all;
    return rows && cols && planes && channels && !__builtin_mul_overflow(rows, cols, &all) &&
           !__builtin_mul_overflow(all, planes, &all) &&
           !__builtin_mul_overflow(all, channels, &all) && !(all >> 62);
}

static bool good_type(enum clump_type type)
{
    return (unsigned)type < CLUMP_TYPE_COUNT && type != CLUMP_BITS && type != CLUMP_RGB;
}

static bool good_units(const struct clump_file_info *info)
{
    bool good = true;
    for (int i = 0; i < 3; i++)
        good = good && ends(info->pixel_size_unit[i], sizeof info->pixel_size_unit[i]);
    return good;
}

static bool good_info(const struct clump_file_info *info, const struct format *format)
{
    return info->format == format->id && good_type(info->type) &&
           good_size(info->rows, info->cols, info->planes, info->channels) && info->pages &&
           is_bool(&info->celestial) && is_bool(&info->beam) &&
           ends(info->unit, sizeof info->unit) && ends(info->projection, sizeof info->projection) &&
           ends(info->frame, sizeof info->frame) && ends(info->lon_name, sizeof info->lon_name) &&
           ends(info->lat_name, sizeof info->lat_name) &&
           ends(info->wcs_problem, sizeof info->wcs_problem) &&
           ends(info->stack_writer, sizeof info->stack_writer) &&
           ends(info->stack_order, sizeof info->stack_order) && good_units(info);
}

static bool good_opened(const struct reader_opened *opened, const struct format *format)
{
    return good_info(&opened->info, format) && is_bool(&opened->sky) &&
           opened->axes <= READER_AXES && opened->kept[0] <= opened->axes &&
           opened->kept[1] <= opened->axes && opened->cards <= READER_CARDS &&
           opened->sky_cards <= READER_CARDS && (!opened->sky || opened->sky_cards);
}

/* Whether the raw pixels are of the image's type and begin in the file. */
static bool good_raw(const clump_file *file, const struct reader_opened *opened)
{
    enum clump_type type = opened->info.type;
    return is_bool(&opened->raw_flip) &&
           (!opened->raw_bytes ||
            (file->format == &clump_format_fits && !file->packed && opened->raw_at <= file->size &&
             opened->raw_bytes == clump_type_row_bytes(type, 1)));
}

/* Receives cards as one text. */
static char *take_cards(clump_file *file, uint32_t count)
{
    size_t bytes = (size_t)count * READER_CARD;
    char *cards = malloc(bytes + 1);
    if (cards && !reader_receive(file->reader->socket, cards, bytes, NULL)) {
        free(cards);
        return NULL;
    }
    if (cards)
        cards[bytes] = '\0';
    return cards;
}

/* WCSLIB has survived these very cards in the reader. */
static void make_sky(clump_file *file)
{
    struct header *header = &file->header;
    const char *problem;
    file->sky = clump_sky_create(header->sky_cards, (int)header->sky_count, header->kept,
                                 header->position, header->axes, &problem);
}

static enum clump_status take_opened(clump_file *file)
{
    struct reader_opened opened;
    struct header *header = &file->header;
    enum clump_status status = take_answer(file, &opened, sizeof opened);
    if (status)
        return status;
    if (!good_opened(&opened, file->format) || !good_raw(file, &opened))
        return fail_ended(file);
    file->raw = (struct raw){opened.raw_at, opened.raw_bytes, opened.raw_flip};
    header->axes = opened.axes;
    memcpy(header->kept, opened.kept, sizeof header->kept);
    memcpy(header->position, opened.position, sizeof header->position);
    header->count = opened.cards;
    header->cards = take_cards(file, opened.cards);
    header->sky_count = opened.sky_cards;
    header->sky_cards = header->cards ? take_cards(file, opened.sky_cards) : NULL;
    if (!header->sky_cards)
        return fail_ended(file);
    file->info = opened.info;
    if (opened.sky)
        make_sky(file);
    return CLUMP_OK;
}

static enum clump_status open_remote(clump_file *file)
{
    struct reader_ask ask = {.what = READER_OPEN,
                             .format = file->format->id,
                             .level = file->log.level,
                             .size = file->size,
                             .memory_limit = clump_memory_limit(file),
                             .params = file->params};
    size_t path = strlen(file->path), extension = file->extension ? strlen(file->extension) : 0;
    ask.path = (uint32_t)(path < READER_LINE ? path : READER_LINE - 1);
    ask.extension = file->extension ? (uint32_t)extension + 1 : 0;
    if (extension >= READER_LINE - 1)
        return clump_fail(&file->log, CLUMP_ERROR_ARGUMENT, "%s: has no such extension",
                          file->path);
    int socket = file->reader->socket;
    if (!reader_send(socket, &ask, sizeof ask, file->fd) ||
        !reader_send(socket, file->path, ask.path, -1) ||
        !reader_send(socket, file->extension, extension, -1))
        return fail_ended(file);
    return take_opened(file);
}

static bool good_page(const struct clump_file_page *page)
{
    return ends(page->name, sizeof page->name) && is_bool(&page->image) &&
           (unsigned)page->type < CLUMP_TYPE_COUNT && page->dimensions <= READER_AXES;
}

static enum clump_status fail_gone(const clump_file *file)
{
    return clump_fail(&file->log, CLUMP_ERROR_FILE,
                      "%s: is no longer being read, since reading it failed before", file->path);
}

static enum clump_status page_remote(clump_file *file, uint64_t number,
                                     struct clump_file_page *page)
{
    struct reader_ask ask = {.what = READER_PAGE, .page = number};
    struct clump_file_page found;
    if (!file->reader)
        return fail_gone(file);
    if (!reader_send(file->reader->socket, &ask, sizeof ask, -1))
        return fail_ended(file);
    enum clump_status status = take_answer(file, &found, sizeof found);
    if (status)
        return status;
    if (!good_page(&found))
        return fail_ended(file);
    *page = found;
    return CLUMP_OK;
}

/* Lets the reader have memory for the pixels and for what its libraries need to unpack them. */
static void raise_limit(const clump_file *file, uint64_t bytes)
{
    const struct clump_file_info *info = &file->info;
    struct reader *reader = file->reader;
    struct rlimit limit;
    uint64_t most = clump_memory_limit(file), work = SAMPLE_WORK;
    if (__builtin_mul_overflow(work, info->rows * info->cols * info->planes, &work) ||
        __builtin_mul_overflow(work, info->channels, &work) || work > most)
        work = most;
    if (prlimit(reader->pid, RLIMIT_AS, NULL, &limit) || limit.rlim_cur == RLIM_INFINITY)
        return;
    if (!reader->memory)
        reader->memory = limit.rlim_cur;
    limit.rlim_cur = reader->memory + bytes + work;
    if (limit.rlim_cur > limit.rlim_max)
        limit.rlim_cur = limit.rlim_max;
    prlimit(reader->pid, RLIMIT_AS, &limit, NULL);
}

/* Memory of a size that nobody can change, with a descriptor. */
static int make_memory(uint64_t bytes)
{
    int fd = memfd_create("clump-pixels", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd >= 0 && (ftruncate(fd, (off_t)bytes) ||
                    fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))) {
        close(fd);
        return -1;
    }
    return fd;
}

static enum clump_status read_remote(clump_file *file, void *pixels)
{
    struct reader_ask ask = {.what = READER_READ,
                             .channel = file->params.channel,
                             .type = file->info.type};
    if (!file->reader)
        return fail_gone(file);
    ask.bytes = file->info.rows * clump_type_row_bytes(file->info.type, file->info.cols);
    int fd = make_memory(ask.bytes); /* -1 where a limit of files' sizes forbids it */
    raise_limit(file, ask.bytes);
    bool sent = reader_send(file->reader->socket, &ask, sizeof ask, fd);
    enum clump_status status = !sent    ? fail_ended(file)
                               : fd < 0 ? take_answer(file, pixels, ask.bytes)
                                        : take_answer(file, NULL, 0);
    if (fd < 0)
        return status;
    for (uint64_t done = 0; !status && done < ask.bytes;) {
        ssize_t got = pread(fd, (char *)pixels + done, ask.bytes - done, (off_t)done);
        if (got <= 0 && errno != EINTR)
            status = clump_fail(&file->log, CLUMP_ERROR_MEMORY, "%s: cannot take its pixels: %s",
                                file->path, strerror(errno));
        done += got > 0 ? (uint64_t)got : 0;
    }
    close(fd);
    return status;
}

static void close_remote(clump_file *file)
{
    if (file->reader)
        clump_reader_end(file->reader);
    free(file->reader);
    file->reader = NULL;
}

const struct format clump_format_remote = {
    .open = open_remote,
    .page = page_remote,
    .read = read_remote,
    .close = close_remote,
};
