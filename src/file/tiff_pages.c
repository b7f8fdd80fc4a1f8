/* SPDX-License-Identifier: MIT */
/*
 * The pages of a TIFF file: libtiff walks all directories before it for each page that it is asked
 * for, and a file of 100,000 pages has no other way to be listed in a second than this one.
 */
#include "tiff.h"

#include <stdlib.h>
#include <string.h>

/* How numbers are written, by the first bytes of the file. */
struct order {
    bool big;   /* endian */
    bool large; /* BigTIFF: 8 bytes for places and counts */
};

#define PAGE_LIMIT    1000000u
#define ENTRY_LIMIT   4096u /* of one directory */
#define SMALL_ENTRY   12u
#define LARGE_ENTRY   20u
#define SIZES_OF_TYPE "\0\1\1\2\4\10\1\1\2\4\10\4\10\4\0\0\10\10\10"

static uint64_t whole(const unsigned char *bytes, unsigned count, bool big)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < count; i++)
        value |= (uint64_t)bytes[big ? count - 1 - i : i] << (8 * i);
    return value;
}

static bool fetch(const clump_file *file, uint64_t at, unsigned count, bool big, uint64_t *value)
{
    unsigned char bytes[8];
    if (at > file->size || file->size - at < count || !clump_read_at(file, bytes, count, at))
        return false;
    *value = whole(bytes, count, big);
    return true;
}

static bool read_order(const clump_file *file, struct order *order, uint64_t *first)
{
    unsigned char head[4];
    if (!clump_read_at(file, head, sizeof head, 0))
        return false;
    order->big = head[0] == 'M';
    order->large = whole(head + 2, 2, order->big) == 43;
    return fetch(file, order->large ? 8 : 4, order->large ? 8 : 4, order->big, first);
}

/* The number of entries at `at`, and where they begin and end. */
static bool read_count(const clump_file *file, const struct order *order, uint64_t at,
                       uint64_t *count, uint64_t *begin, uint64_t *end)
{
    unsigned bytes = order->large ? 8 : 2, entry = order->large ? LARGE_ENTRY : SMALL_ENTRY;
    if (!fetch(file, at, bytes, order->big, count) || *count > ENTRY_LIMIT)
        return false;
    *begin = at + bytes;
    *end = *begin + *count * entry;
    return *end <= file->size;
}

static bool add(struct tiff *state, uint64_t at)
{
    if (!(state->count & (state->count + 1))) { /* room is a power of two, less one */
        uint64_t *more = realloc(state->pages, (2 * state->count + 2) * sizeof *more);
        if (!more)
            return false;
        state->pages = more;
    }
    state->pages[state->count++] = at;
    return true;
}

/* Leaves each directory once, of a chain that comes back to `at`, which it has been at. */
static void cut_loop(struct tiff *state, uint64_t at)
{
    uint64_t last = state->count - 1, first = 0;
    while (last && state->pages[last] != at)
        last--;
    uint64_t turn = state->count - last;
    while (first + turn < state->count && state->pages[first] != state->pages[first + turn])
        first++;
    state->count = first + turn;
}

enum clump_status clump_tiff_find_pages(clump_file *file)
{
    struct tiff *state = file->state;
    struct order order;
    uint64_t at = 0, count, begin, end, mark = 0, steps = 0, turn = 2;
    bool good = read_order(file, &order, &at);
    free(state->pages);
    state->pages = NULL;
    state->count = 0;
    while (good && at && state->count < PAGE_LIMIT &&
           read_count(file, &order, at, &count, &begin, &end)) {
        if (!add(state, at))
            return clump_fail(&file->log, CLUMP_ERROR_MEMORY, "%s: out of memory", file->path);
        if (!fetch(file, end, order.large ? 8 : 4, order.big, &at))
            break;
        if (at == mark && at) { /* Brent's way to see that a chain comes back */
            cut_loop(state, at);
            break;
        }
        if (++steps == turn) {
            mark = at;
            turn *= 2;
        }
    }
    if (!state->count)
        return clump_fail(&file->log, CLUMP_ERROR_FORMAT, "%s: cannot be read as TIFF: no page",
                          file->path);
    return CLUMP_OK;
}

/* The first value of a whole-number entry; `value` stays where it is none. */
static void take_entry(const clump_file *file, const struct order *order,
                       const unsigned char *entry, uint64_t *value)
{
    static const char sizes[] = SIZES_OF_TYPE;
    uint64_t type = whole(entry + 2, 2, order->big), found;
    uint64_t count = whole(entry + 4, order->large ? 8 : 4, order->big);
    const unsigned char *field = entry + (order->large ? 12 : 8);
    unsigned room = order->large ? 8 : 4, bytes = type < sizeof sizes ? (unsigned)sizes[type] : 0;
    bool is_whole = type == 1 || type == 3 || type == 4 || type == 16;
    if (!is_whole || !count)
        return;
    if (count <= room / bytes)
        *value = whole(field, bytes, order->big);
    else if (fetch(file, whole(field, room, order->big), bytes, order->big, &found))
        *value = found;
}

enum clump_status clump_tiff_page(clump_file *file, uint64_t number, struct clump_file_page *page)
{
    struct tiff *state = file->state, saved = *state;
    uint64_t tags[][2] = {{TIFFTAG_IMAGEWIDTH, 0},
                          {TIFFTAG_IMAGELENGTH, 0},
                          {TIFFTAG_SAMPLESPERPIXEL, 1},
                          {TIFFTAG_BITSPERSAMPLE, 1},
                          {TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_UINT}};
    uint64_t count = 0, begin = 0, end, first;
    struct order order;
    unsigned char entry[LARGE_ENTRY];
    if (number >= state->count)
        number = 0; /* of a stack behind one directory */
    bool good = read_order(file, &order, &first) &&
                read_count(file, &order, state->pages[number], &count, &begin, &end);
    unsigned size = good && order.large ? LARGE_ENTRY : SMALL_ENTRY;
    for (uint64_t i = 0; good && i < count; i++) {
        good = clump_read_at(file, entry, size, begin + i * size);
        for (size_t k = 0; good && k < sizeof tags / sizeof *tags; k++)
            if (whole(entry, 2, order.big) == tags[k][0])
                take_entry(file, &order, entry, &tags[k][1]);
    }
    if (!good || !tags[0][1] || !tags[1][1] || !tags[2][1] || tags[2][1] > UINT16_MAX)
        return clump_fail(&file->log, CLUMP_ERROR_FORMAT, "%s: cannot read one of its pages",
                          file->path);
    state->samples = (unsigned)tags[2][1];
    enum clump_status status = clump_tiff_sample(file, (unsigned)tags[3][1], (unsigned)tags[4][1]);
    enum sample sample = state->sample;
    *state = saved;
    if (status)
        return status;
    *page = (struct clump_file_page){.image = true, .dimensions = tags[2][1] > 1 ? 3 : 2};
    page->type = clump_sample_type(sample, file->params.float32);
    page->axes[0] = tags[1][1];
    page->axes[1] = tags[0][1];
    page->axes[2] = tags[2][1] > 1 ? tags[2][1] : 0;
    return CLUMP_OK;
}
