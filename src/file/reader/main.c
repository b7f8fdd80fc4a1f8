/* SPDX-License-Identifier: MIT */
/*
 * clump-reader: reads one image file for the library, in a process that can do nothing else. The
 * libraries that know FITS, TIFF, PNG and sky coordinates are not ours, and a file may be made to
 * break them: here they break alone.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "file/format.h"
#include "file/reader/protocol.h"
#include "file/reader/sandbox.h"
#include "file/sky.h"

static const struct format *const formats[] = {
    [CLUMP_FILE_FITS] = &clump_format_fits,
    [CLUMP_FILE_TIFF] = &clump_format_tiff,
    [CLUMP_FILE_PNG] = &clump_format_png,
};

static void say(const void *bytes, size_t count)
{
    if (!reader_send(READER_SOCKET, bytes, count, -1))
        _exit(EXIT_FAILURE); /* nobody is there any more */
}

static void say_line(void *user, enum clump_log_level level, const char *text)
{
    size_t length = strlen(text);
    struct reader_answer answer = {.kind = READER_LINED, .level = level};
    (void)user;
    answer.length = (uint32_t)(length < READER_LINE ? length : READER_LINE);
    say(&answer, sizeof answer);
    say(text, answer.length);
}

static void say_done(enum clump_status status)
{
    struct reader_answer answer = {.kind = READER_DONE, .status = status};
    say(&answer, sizeof answer);
}

static char *take_text(uint32_t length)
{
    char *text = length < READER_LINE ? calloc(1, (size_t)length + 1) : NULL;
    if (!text || !reader_receive(READER_SOCKET, text, length, NULL))
        _exit(EXIT_FAILURE);
    return text;
}

/* Uses the coordinates once in each way that the library will, so that they fail here. */
static void try_sky(const clump_file *file)
{
    double rows[] = {0, (double)file->info.rows / 2, (double)file->info.rows - 1};
    double cols[] = {0, (double)file->info.cols / 2, (double)file->info.cols - 1};
    for (int i = 0; i < 9; i++) {
        double row = rows[i / 3], col = cols[i % 3], lon, lat;
        clump_sky_native(file->sky, row, col, &lon, &lat);
        if (clump_sky_world(file->sky, row, col, &lon, &lat))
            clump_sky_pixel(file->sky, lon, lat, &row, &col);
    }
}

static void answer_open(clump_file *file, const struct reader_ask *ask)
{
    uint64_t gzip = file->packed ? clump_unpacked_limit(file) : 0, memory, all;
    if (__builtin_add_overflow(file->size, READER_WORK, &memory) ||
        __builtin_add_overflow(memory, gzip, &all))
        all = UINT64_MAX;
    reader_sandbox(&file->log, all, READER_SECONDS + file->size / READER_SECOND_BYTES);
    enum clump_status status = file->format->open(file);
    struct reader_opened opened = {.info = file->info, .sky = file->sky != NULL};
    (void)ask;
    if (!status && file->sky)
        try_sky(file);
    say_done(status);
    if (status)
        return;
    const struct header *header = &file->header;
    opened.raw_at = file->raw.at;
    opened.raw_bytes = file->raw.bytes;
    opened.raw_flip = file->raw.flip;
    opened.axes = header->axes;
    memcpy(opened.kept, header->kept, sizeof opened.kept);
    memcpy(opened.position, header->position, sizeof opened.position);
    opened.cards = header->count;
    opened.sky_cards = opened.sky ? header->sky_count : 0;
    say(&opened, sizeof opened);
    if (opened.cards)
        say(header->cards, (size_t)opened.cards * READER_CARD);
    if (opened.sky_cards)
        say(header->sky_cards, (size_t)opened.sky_cards * READER_CARD);
}

static void answer_page(clump_file *file, uint64_t number)
{
    struct clump_file_page page = {.image = true, .type = file->info.type, .dimensions = 2};
    enum clump_status status = CLUMP_OK;
    page.axes[0] = file->info.rows;
    page.axes[1] = file->info.cols;
    if (file->format->page)
        status = file->format->page(file, number, &page);
    say_done(status);
    if (!status)
        say(&page, sizeof page);
}

/* Pixels go to the memory that was sent, or over the socket where none was. */
static void answer_read(clump_file *file, const struct reader_ask *ask, int fd)
{
    enum clump_status status = CLUMP_OK;
    uint64_t bytes = file->info.rows * clump_type_row_bytes(ask->type, file->info.cols);
    int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED | MAP_POPULATE;
    void *pixels = mmap(NULL, ask->bytes, PROT_READ | PROT_WRITE, flags, fd, 0);
    if (fd >= 0)
        close(fd);
    if (pixels == MAP_FAILED || bytes != ask->bytes)
        status = clump_fail(&file->log, CLUMP_ERROR_MEMORY, "%s: out of memory", file->path);
    file->params.channel = ask->channel;
    file->info.type = ask->type;
    if (!status)
        status = file->format->read(file, pixels);
    say_done(status);
    if (!status && fd < 0)
        say(pixels, bytes);
    if (pixels != MAP_FAILED)
        munmap(pixels, ask->bytes);
}

static void prepare(clump_file *file, const struct reader_ask *ask)
{
    if (ask->format == CLUMP_FILE_NPY || ask->format > CLUMP_FILE_PNG)
        _exit(EXIT_FAILURE);
    file->log = (struct clump_log){say_line, NULL, ask->level};
    file->format = formats[ask->format];
    file->path = take_text(ask->path);
    file->extension = ask->extension ? take_text(ask->extension - 1) : NULL;
    file->fd = READER_FILE;
    file->size = ask->size;
    file->params = ask->params;
    file->params.memory_limit = ask->memory_limit;
    file->isolated = true;
    file->packed = clump_is_gzip(file);
    file->info = clump_info_begin(file->format);
}

int main(void)
{
    struct reader_ask ask;
    clump_file file = {.fd = -1};
    int fd = -1;
    const struct reader_greeting greeting =
        reader_greeting(sizeof ask, sizeof(struct reader_answer), sizeof(struct reader_opened));
#ifdef SYS_close_range
    syscall(SYS_close_range, READER_FILE, ~0u, 0); /* descriptors of the caller's are no concern */
#endif
    say(&greeting, sizeof greeting);
    while (reader_receive(READER_SOCKET, &ask, sizeof ask, &fd)) {
        if (ask.what == READER_OPEN && file.fd < 0 && fd == READER_FILE) {
            prepare(&file, &ask);
            answer_open(&file, &ask);
        } else if (ask.what == READER_PAGE && file.fd >= 0) {
            answer_page(&file, ask.page);
        } else if (ask.what == READER_READ && file.fd >= 0) {
            answer_read(&file, &ask, fd);
        } else {
            return EXIT_FAILURE;
        }
    }
    return EXIT_SUCCESS;
}
