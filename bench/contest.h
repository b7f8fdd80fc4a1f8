/* SPDX-License-Identifier: MIT */
/* One case at one size, and everybody who runs it. contest.c fills it, contest_rows.c tells of it.
 */
#ifndef CLUMP_BENCH_CONTEST_H
#define CLUMP_BENCH_CONTEST_H

#include "bench.h"

enum kind { REFERENCE, DEVICE, PEER };

/* How a result stands to the reference's; `words` in contest_rows.c names them. */
enum state { AGREES, DIFFERS, UNSUPPORTED, FAILED, OTHER /* a peer that defines it differently */ };

struct contender {
    enum kind kind;
    enum state state;
    char message[512]; /* the difference, or why there is no result */
    bool done;

    const struct bench_device *on; /* device or reference */
    struct pair_input in;
    double first_ms;                                   /* of the first run: with builds */
    struct clump_profile first;                        /* the same, counted */
    struct clump_profile usual;                        /* of one of the later runs */
    struct samples upload, download, total, on_device; /* with transfers; by events */

    size_t peer;         /* place in the list of peers */
    const json_t *about; /* of a peer; borrowed */

    struct samples wall;
};

struct contest {
    const struct bench_settings *settings;
    const struct bench_case *item;
    struct pair pair;
    struct pair_case test;
    uint64_t size;
    bool main; /* of the table's size: the whole time, and the peers */
    struct peers *peers;
    json_t *peer_list;
    struct contender *contenders; /* the reference is the first */
    size_t count;
    struct pair_output expected; /* the reference's */
};

/* Appends a row for each contender; adds those that differ to `*differ`. */
void bench_rows(const struct contest *contest, json_t *rows, size_t *differ);

#endif
