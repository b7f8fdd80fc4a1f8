/* SPDX-License-Identifier: MIT */
/*
 * Looking inside the bins of a table: their keys are gathered by one pass and sorted
 * here, or, where they are too many, the fullest bin is split by another table.
 */
#include "opencl/stats/histogram.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ZONES 3
#define HEAD  16 /* bytes before the keys, as in cl/stats/histogram.cl */

/* As many keys are gathered at once: those needed, and those that may come in handy. */
static uint64_t needed_limit(const struct histogram *table) { return table->n / 8 + 65536; }
static uint64_t hint_limit(const struct histogram *table) { return table->n / 32 + 65536; }

/* The wanted bins as intervals of keys, neighbours joined. */
struct chosen {
    uint64_t *interval; /* first and last key of each */
    size_t count;
    uint64_t keys; /* in all of them */
};

static uint64_t count_wanted(const struct order *bins, unsigned why)
{
    uint64_t keys = 0;
    for (size_t i = 0; i < bins->count; i++)
        if (bins->bin[i].wanted & why)
            keys += bins->bin[i].sums.count;
    return keys;
}

static void forget(struct order *bins, unsigned why)
{
    for (size_t i = 0; i < bins->count; i++)
        bins->bin[i].wanted &= ~why;
}

static enum clump_status choose(struct histogram *table, struct chosen *chosen)
{
    size_t room = 0;
    for (size_t i = 0; i < table->bins.count; i++)
        room += table->bins.bin[i].wanted != 0;
    *chosen = (struct chosen){.interval = malloc((room + 1) * 2 * sizeof *chosen->interval)};
    if (!chosen->interval)
        return clump_histogram_out_of_memory(table, (room + 1) * 2 * sizeof *chosen->interval);
    for (size_t i = 0; i < table->bins.count; i++) {
        const struct order_bin *bin = &table->bins.bin[i];
        if (!bin->wanted)
            continue;
        uint64_t *last = chosen->interval + 2 * chosen->count;
        if (chosen->count > 0 && last[-1] + 1 == bin->first) {
            last -= 2;
        } else {
            last[0] = bin->first;
            chosen->count++;
        }
        last[1] = bin->last;
        chosen->keys += bin->sums.count;
    }
    return CLUMP_OK;
}

struct zone {
    uint64_t from, last;
};

/* Covers the intervals by ZONES zones that leave the two widest gaps, in pixels, between them. */
static void cover(struct histogram *table, const struct chosen *chosen, struct zone zones[ZONES])
{
    size_t cut[ZONES - 1] = {0, 0}; /* before this interval; 0: no cut */
    uint64_t gap[ZONES - 1] = {0, 0};
    for (size_t i = 1; i < chosen->count; i++) {
        const uint64_t *interval = chosen->interval + 2 * i;
        uint64_t between = clump_order_rank(&table->bins, interval[0]) -
                           clump_order_rank(&table->bins, (u128)interval[-1] + 1);
        size_t least = gap[0] <= gap[1] ? 0 : 1;
        if (between > gap[least]) {
            gap[least] = between;
            cut[least] = i;
        }
    }
    size_t zone = 0, from = 0;
    for (size_t i = 1; i <= chosen->count; i++)
        if (i == chosen->count || i == cut[0] || i == cut[1]) {
            zones[zone++] = (struct zone){chosen->interval[2 * from], chosen->interval[2 * i - 1]};
            from = i;
        }
    while (zone < ZONES)
        zones[zone++] = (struct zone){1, 0}; /* empty */
}

static enum clump_status launch_gather(struct histogram *table, const struct chosen *chosen,
                                       cl_mem intervals, cl_mem out)
{
    const struct keys *keys = &table->bins.keys;
    struct zone zones[ZONES];
    union histogram_key from[ZONES], span[ZONES];
    uint32_t count = (uint32_t)chosen->count, limit = (uint32_t)chosen->keys;
    cl_kernel kernel;
    cover(table, chosen, zones);
    for (size_t z = 0; z < ZONES; z++) {
        from[z] = clump_histogram_key(keys, zones[z].from);
        span[z] = clump_histogram_key(keys, zones[z].last + 1 - zones[z].from);
    }
    enum clump_status status =
        clump_histogram_kernel(table->context, table->image->type, "stats/histogram",
                               "histogram_gather", &kernel);
    if (status)
        return status;
    return clump_histogram_launch(
        table, kernel, (table->n + HISTOGRAM_CHUNK - 1) / HISTOGRAM_CHUNK,
        CLUMP_ARGS(CLUMP_ARG_IMAGE(table->image), CLUMP_ARG(table->n),
                   HISTOGRAM_ARG_KEY(keys, from[0]), HISTOGRAM_ARG_KEY(keys, span[0]),
                   HISTOGRAM_ARG_KEY(keys, from[1]), HISTOGRAM_ARG_KEY(keys, span[1]),
                   HISTOGRAM_ARG_KEY(keys, from[2]), HISTOGRAM_ARG_KEY(keys, span[2]),
                   CLUMP_ARG(intervals), CLUMP_ARG(count), CLUMP_ARG(limit), CLUMP_ARG(out)));
}

#define DIGIT_BITS 11
#define DIGITS     (1 << DIGIT_BITS)

/* Sorts keys of `bits` bits; `other` is as long. The result is in `*keys`. */
static void sort_keys(uint64_t **keys, uint64_t *other, size_t n, unsigned bits)
{
    for (unsigned shift = 0; shift < bits; shift += DIGIT_BITS) {
        size_t start[DIGITS + 1] = {0};
        uint64_t *from = *keys;
        for (size_t i = 0; i < n; i++)
            start[(from[i] >> shift & (DIGITS - 1)) + 1]++;
        if (start[(from[0] >> shift & (DIGITS - 1)) + 1] == n)
            continue; /* all the same */
        for (size_t d = 0; d < DIGITS; d++)
            start[d + 1] += start[d];
        for (size_t i = 0; i < n; i++)
            other[start[from[i] >> shift & (DIGITS - 1)]++] = from[i];
        *keys = other;
        other = from;
    }
}

/* Sorts what was gathered and gives every wanted bin its keys. */
static enum clump_status hand_out(struct histogram *table, const void *found, size_t n)
{
    size_t bytes = sizeof(struct histogram_keys) + 2 * n * sizeof(uint64_t);
    struct histogram_keys *gathered = malloc(bytes);
    if (!gathered)
        return clump_histogram_out_of_memory(table, bytes);
    gathered->next = table->gathered;
    table->gathered = gathered;
    uint64_t *keys = gathered->key;
    for (size_t i = 0; i < n; i++)
        keys[i] = clump_histogram_read_key(&table->bins.keys, found, i);
    sort_keys(&keys, gathered->key + n, n, table->bins.keys.bits);
    for (size_t i = 0; i < table->bins.count; i++) {
        struct order_bin *bin = &table->bins.bin[i];
        if (!bin->wanted)
            continue;
        bin->keys = keys;
        keys += bin->sums.count;
    }
    return CLUMP_OK;
}

/* Writes the intervals as keys of the image's width. */
static enum clump_status upload(struct histogram *table, const struct chosen *chosen,
                                cl_mem intervals)
{
    void *mapped;
    size_t width = table->bins.keys.bits / 8;
    enum clump_status status = clump_buffer_map(table->context, intervals, CLUMP_IMAGE_WRITE,
                                                chosen->count * 2 * width, &mapped);
    if (status)
        return status;
    for (size_t i = 0; i < 2 * chosen->count; i++) {
        union histogram_key key = clump_histogram_key(&table->bins.keys, chosen->interval[i]);
        memcpy((char *)mapped + i * width, &key, width);
    }
    return clump_buffer_unmap(table->context, intervals, mapped);
}

static enum clump_status gather_into(struct histogram *table, const struct chosen *chosen,
                                     cl_mem out)
{
    clump_context *context = table->context;
    size_t width = table->bins.keys.bits / 8;
    cl_mem intervals = NULL;
    enum clump_status status = clump_buffer_borrow(context, chosen->count * 2 * width, &intervals);
    if (!status)
        status = upload(table, chosen, intervals);
    if (!status)
        status = clump_buffer_fill(context, out, 0, HEAD);
    if (!status)
        status = launch_gather(table, chosen, intervals, out);
    clump_buffer_return(context, &intervals);
    return status;
}

static enum clump_status gather(struct histogram *table)
{
    clump_context *context = table->context;
    struct chosen chosen;
    cl_mem out = NULL;
    void *found = NULL;
    enum clump_status status = choose(table, &chosen);
    size_t bytes = HEAD + (size_t)chosen.keys * table->bins.keys.bits / 8;
    if (!status && chosen.keys > UINT32_MAX)
        status = clump_fail(&context->log, CLUMP_ERROR_UNSUPPORTED,
                            "statistics: %" PRIu64 " pixels are to be put in order, and %" PRIu32
                            " can be: take the image in parts",
                            chosen.keys, UINT32_MAX);
    if (!status)
        status = clump_buffer_borrow(context, bytes, &out);
    if (!status)
        status = gather_into(table, &chosen, out);
    if (!status)
        status = clump_buffer_map(context, out, CLUMP_IMAGE_READ, bytes, &found);
    if (!status) {
        status = clump_check_count(context, "statistics", "keys of the wanted bins",
                                   *(const uint32_t *)found, chosen.keys);
        if (!status)
            status = hand_out(table, (const char *)found + HEAD, (size_t)chosen.keys);
        enum clump_status unmapped = clump_buffer_unmap(context, out, found);
        status = status ? status : unmapped;
    }
    clump_buffer_return(context, &out);
    free(chosen.interval);
    return status;
}

enum clump_status clump_histogram_refine(struct histogram *table)
{
    struct order *bins = &table->bins;
    enum clump_status status = CLUMP_OK;
    if (count_wanted(bins, BIN_HINT | BIN_NEEDED) > hint_limit(table))
        forget(bins, BIN_HINT);
    if (count_wanted(bins, BIN_HINT | BIN_NEEDED) > needed_limit(table)) {
        size_t fullest = bins->count;
        for (size_t i = 0; i < bins->count; i++)
            if (bins->bin[i].wanted &&
                (fullest == bins->count || bins->bin[i].sums.count > bins->bin[fullest].sums.count))
                fullest = i;
        status = clump_histogram_split(table, fullest);
    } else {
        status = gather(table);
    }
    forget(bins, BIN_HINT | BIN_NEEDED);
    bins->guessed = false;
    return status;
}

enum clump_status clump_histogram_refine_all(struct histogram *table)
{
    struct order *bins = &table->bins;
    enum clump_status status = CLUMP_OK;
    for (size_t i = 0; i < bins->count; i++)
        if (bins->bin[i].first != bins->bin[i].last && !bins->bin[i].keys)
            bins->bin[i].wanted = BIN_NEEDED;
    if (count_wanted(bins, BIN_NEEDED) > 0)
        status = gather(table);
    forget(bins, BIN_NEEDED);
    return status;
}

/* Where the sought keys are; `chunks` chunks are looked through from each of the two starts. */
static enum clump_status seek(struct histogram *table, uint64_t least, uint64_t most,
                              struct place start, uint64_t chunks, struct place *place)
{
    clump_context *context = table->context;
    const struct keys *keys = &table->bins.keys;
    union histogram_key low = clump_histogram_key(keys, least),
                        high = clump_histogram_key(keys, most);
    size_t bytes = (size_t)chunks * 2 * sizeof(uint32_t);
    cl_kernel kernel;
    cl_mem buffer = NULL;
    void *mapped = NULL;
    enum clump_status status = clump_histogram_kernel(context, table->image->type,
                                                      "stats/histogram", "histogram_seek", &kernel);
    if (!status)
        status = clump_buffer_borrow(context, bytes, &buffer);
    if (!status)
        status = clump_histogram_launch(
            table, kernel, chunks,
            CLUMP_ARGS(clump_arg_part(table->image, chunks * 2 * HISTOGRAM_CHUNK),
                       CLUMP_ARG(table->n), CLUMP_ARG(start.least), CLUMP_ARG(start.most),
                       HISTOGRAM_ARG_KEY(keys, low), HISTOGRAM_ARG_KEY(keys, high),
                       CLUMP_ARG(chunks), CLUMP_ARG(buffer)));
    if (!status)
        status = clump_buffer_map(context, buffer, CLUMP_IMAGE_READ, bytes, &mapped);
    if (!status) {
        const uint32_t *found = mapped;
        uint64_t a = 0, b = 0;
        while (a + 1 < chunks && found[2 * a] == UINT32_MAX)
            a++;
        while (b + 1 < chunks && found[2 * b + 1] == UINT32_MAX)
            b++;
        unsigned seen = (found[2 * a] < HISTOGRAM_CHUNK) + (found[2 * b + 1] < HISTOGRAM_CHUNK);
        *place = (struct place){(start.least + a) * HISTOGRAM_CHUNK + found[2 * a],
                                (start.most + b) * HISTOGRAM_CHUNK + found[2 * b + 1]};
        status = clump_buffer_unmap(context, buffer, mapped);
        if (!status)
            status = clump_check_count(context, "statistics", "extreme pixels", seen, 2);
    }
    clump_buffer_return(context, &buffer);
    return status;
}

enum clump_status clump_histogram_seek_extremes(struct histogram *table, struct place *place)
{
    return seek(table, table->least, table->most,
                (struct place){table->least_chunk, table->most_chunk}, 1, place);
}

enum clump_status clump_histogram_seek(struct histogram *table, uint64_t least, uint64_t most,
                                       struct place *place)
{
    uint64_t chunks = (table->n + HISTOGRAM_CHUNK - 1) / HISTOGRAM_CHUNK;
    return seek(table, least, most, (struct place){0, 0}, chunks, place);
}
