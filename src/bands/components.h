/* SPDX-License-Identifier: MIT */
/*
 * Connected components of a mask that comes row by row, as runs. A run that touches none of the row
 * before gets the next id, so ids are numbered in raster order of the places where they begin, and
 * the least id of a component is the one of its first pixel: labels follow from the roots by
 * counting. A second walk over the same rows gives every run the same id again.
 */
#ifndef CLUMP_SRC_BANDS_COMPONENTS_H
#define CLUMP_SRC_BANDS_COMPONENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Columns first to past - 1 of a row. */
struct bands_run {
    uint32_t first, past, id;
    uint32_t flags; /* what the maker of the run wants to keep with it */
};

struct bands_row {
    struct bands_run *run;
    size_t count, room;
};

struct component {
    uint32_t parent; /* its own id: a root; else a smaller id of the same component */
    int16_t exponent;
    uint16_t flags;
    uint64_t area;
};

#define COMPONENT_NONE UINT32_MAX /* no id */

struct components {
    unsigned connectivity;
    bool joins; /* keeps a list of components; false: gives ids only */
    uint32_t count;
    size_t room;
    struct component *list;
    struct bands_row before; /* the row before the next one */
};

void clump_components_create(unsigned connectivity, bool joins, struct components *components);
void clump_components_destroy(struct components *components);

/* Gives the runs of the next row their ids and joins what they connect. The row is swapped with the
 * one before. Returns false when memory is short, or when there are too many ids. */
bool clump_components_row(struct components *components, struct bands_row *row);

uint32_t clump_components_root(const struct components *components, uint32_t id);

/* Adds area and flags of all ids to their roots, and the greatest exponents. */
void clump_components_gather(struct components *components);

/* Whether two runs of neighbouring rows touch. */
static inline bool bands_run_touches(const struct bands_run *a, const struct bands_run *b,
                                     unsigned connectivity)
{
    uint32_t reach = connectivity == 8;
    return a->first < b->past + reach && b->first < a->past + reach;
}

/* Appends a run to a row; false when memory is short. */
bool clump_bands_row_add(struct bands_row *row, struct bands_run run);
/* Lists the runs of set bits in a row of a mask. */
bool clump_bands_row_bits(const uint32_t *words, uint64_t cols, struct bands_row *row);
/* Lists the runs of bytes that have one of the bits `want`; a run's flags are all its bytes, ORed.
 */
bool clump_bands_row_bytes(const uint8_t *bytes, uint64_t cols, uint8_t want,
                           struct bands_row *row);

#endif
