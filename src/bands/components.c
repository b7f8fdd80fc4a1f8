/* SPDX-License-Identifier: MIT */
#include "bands/components.h"

#include <stdlib.h>

void clump_components_create(unsigned connectivity, bool joins, struct components *components)
{
    *components = (struct components){.connectivity = connectivity, .joins = joins};
}

void clump_components_destroy(struct components *components)
{
    free(components->list);
    free(components->before.run);
    *components = (struct components){.count = 0};
}

uint32_t clump_components_root(const struct components *components, uint32_t id)
{
    while (components->list[id].parent != id)
        id = components->list[id].parent;
    return id;
}

/* The root, with every second id on the way made to point further up. */
static uint32_t find(struct component *list, uint32_t id)
{
    while (list[id].parent != id) {
        list[id].parent = list[list[id].parent].parent;
        id = list[id].parent;
    }
    return id;
}

static void join(struct component *list, uint32_t a, uint32_t b)
{
    a = find(list, a);
    b = find(list, b);
    if (a < b)
        list[b].parent = a;
    else
        list[a].parent = b;
}

static bool begin_id(struct components *components, uint32_t *id)
{
    if (components->count == COMPONENT_NONE)
        return false;
    if (components->joins && components->count == components->room) {
        size_t room = components->room ? 2 * components->room : 1024;
        struct component *more = realloc(components->list, room * sizeof *more);
        if (!more)
            return false;
        components->list = more;
        components->room = room;
    }
    *id = components->count++;
    if (components->joins)
        components->list[*id] = (struct component){.parent = *id, .exponent = INT16_MIN};
    return true;
}

bool clump_components_row(struct components *components, struct bands_row *row)
{
    const struct bands_row *before = &components->before;
    uint32_t reach = components->connectivity == 8;
    size_t next = 0;
    for (size_t i = 0; i < row->count; i++) {
        struct bands_run *run = &row->run[i];
        run->id = COMPONENT_NONE;
        while (next < before->count && before->run[next].past + reach <= run->first)
            next++;
        for (size_t k = next; k < before->count && before->run[k].first < run->past + reach; k++) {
            if (run->id == COMPONENT_NONE)
                run->id = before->run[k].id;
            else if (components->joins)
                join(components->list, run->id, before->run[k].id);
        }
        if (run->id == COMPONENT_NONE && !begin_id(components, &run->id))
            return false;
    }
    struct bands_row swap = components->before;
    components->before = *row;
    *row = swap;
    row->count = 0;
    return true;
}

void clump_components_gather(struct components *components)
{
    for (uint32_t id = 0; id < components->count; id++) {
        struct component *from = &components->list[id];
        uint32_t root = find(components->list, id);
        struct component *to = &components->list[root];
        from->parent = root;
        if (root == id)
            continue;
        to->area += from->area;
        to->flags |= from->flags;
        to->exponent = to->exponent > from->exponent ? to->exponent : from->exponent;
    }
}

bool clump_bands_row_add(struct bands_row *row, struct bands_run run)
{
    if (row->count == row->room) {
        size_t room = row->room ? 2 * row->room : 256;
        struct bands_run *more = realloc(row->run, room * sizeof *more);
        if (!more)
            return false;
        row->run = more;
        row->room = room;
    }
    row->run[row->count++] = run;
    return true;
}

bool clump_bands_row_bits(const uint32_t *words, uint64_t cols, struct bands_row *row)
{
    uint32_t open = 0, start = 0; /* whether a run is open, and where it began */
    row->count = 0;
    for (uint64_t w = 0; w < (cols + 31) / 32; w++) {
        uint32_t left = (uint32_t)(cols - w * 32 < 32 ? cols - w * 32 : 32);
        uint32_t word = words[w] & (UINT32_MAX >> (32 - left));
        if (word == (open ? UINT32_MAX : 0) && left == 32)
            continue;
        for (uint32_t bit = 0; bit < left;) {
            uint32_t rest = (open ? ~word : word) >> bit; /* the next change */
            if (!rest)
                break;
            bit += (uint32_t)__builtin_ctz(rest);
            if (bit >= left)
                break;
            uint32_t at = (uint32_t)(w * 32) + bit;
            if (open && !clump_bands_row_add(row, (struct bands_run){start, at, 0, 0}))
                return false;
            open = !open;
            start = at;
        }
    }
    return !open || clump_bands_row_add(row, (struct bands_run){start, (uint32_t)cols, 0, 0});
}

bool clump_bands_row_bytes(const uint8_t *bytes, uint64_t cols, uint8_t want, struct bands_row *row)
{
    row->count = 0;
    for (uint64_t c = 0; c < cols; c++) {
        if (!(bytes[c] & want))
            continue;
        struct bands_run run = {.first = (uint32_t)c};
        for (; c < cols && bytes[c] & want; c++)
            run.flags |= bytes[c];
        run.past = (uint32_t)c;
        if (!clump_bands_row_add(row, run))
            return false;
    }
    return true;
}
