/* SPDX-License-Identifier: MIT */
/* What formats share when they read: bytes by their place, and how much memory may be used. */
#include "file/format.h"

#include <errno.h>
#include <unistd.h>

#include "file/samples.h"

#define RAW_BYTES     (1u << 18) /* read and put in order at a time: what stays in a cache */
#define DEFLATE_LIMIT 1032u      /* the most bytes that deflate makes of one */

struct clump_file_info clump_info_begin(const struct format *format)
{
    return (struct clump_file_info){.format = format->id, .planes = 1, .pages = 1, .channels = 1};
}

bool clump_read_at(const clump_file *file, void *bytes, size_t count, uint64_t at)
{
    char *to = bytes;
    while (count) {
        ssize_t got = pread(file->fd, to, count, (off_t)at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        to += got;
        at += (uint64_t)got;
        count -= (size_t)got;
    }
    return true;
}

/* Puts big-endian pixels into the host's order. */
static void order(char *pixels, const struct raw *raw, size_t count)
{
    if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ && raw->bytes > 1)
        clump_samples_swap(pixels, raw->bytes, count);
    size_t top = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? raw->bytes - 1 : 0;
    for (size_t i = 0; raw->flip && i < count; i++)
        pixels[i * raw->bytes + top] = (char)(pixels[i * raw->bytes + top] ^ 0x80);
}

enum clump_status clump_read_raw(const clump_file *file, void *pixels)
{
    return clump_read_raw_rows(file, 0, file->info.rows, pixels);
}

enum clump_status clump_read_raw_rows(const clump_file *file, uint64_t first, uint64_t rows,
                                      void *pixels)
{
    const struct raw *raw = &file->raw;
    uint64_t row = file->info.cols * raw->bytes, left = rows * row, at = raw->at + first * row;
    for (char *to = pixels; left;) {
        size_t part = left < RAW_BYTES ? (size_t)left : RAW_BYTES;
        if (!clump_read_at(file, to, part, at))
            return clump_fail(&file->log, CLUMP_ERROR_FILE,
                              "%s: cannot read its pixels: it became shorter, or its disk failed",
                              file->path);
        order(to, raw, part / raw->bytes);
        to += part;
        at += part;
        left -= part;
    }
    return CLUMP_OK;
}

bool clump_is_gzip(const clump_file *file)
{
    unsigned char head[2];
    return clump_read_at(file, head, 2, 0) && head[0] == 0x1f && head[1] == 0x8b;
}

uint64_t clump_memory_limit(const clump_file *file)
{
    if (file->params.memory_limit)
        return file->params.memory_limit;
    return (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / 2;
}

uint64_t clump_unpacked_limit(const clump_file *file)
{
    uint64_t can = UINT64_MAX, may = clump_memory_limit(file);
    if (__builtin_mul_overflow(file->size, DEFLATE_LIMIT, &can))
        can = UINT64_MAX;
    return can < may ? can : may;
}
