/* SPDX-License-Identifier: MIT */
/* What formats share when they read: bytes by their place, and how much memory may be used. */
#include "file/format.h"

#include <errno.h>
#include <unistd.h>

#define DEFLATE_LIMIT 1032u /* the most bytes that deflate makes of one */

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
