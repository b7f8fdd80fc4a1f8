/* SPDX-License-Identifier: MIT */
/* One case at one size, and everybody who runs it: contest.c times it, contest_rows.c reports it.
 */
#ifndef CLUMP_BENCH_CONTEST_H
#define CLUMP_BENCH_CONTEST_H

#include "bench.h"

struct contender {
    enum bench_by by;
    enum bench_state state;
    char message[512]; /* the difference, or why there is no result */
    bool done;

    const struct bench_device *on; /* device or reference */
    struct pair_input in;
    double first_ms;            /* of the first run, which builds kernels */
    struct clump_profile first; /* what that run was counted to do */
    struct clump_profile usual; /* what a later run was counted to do */
    struct samples upload, download, total,
        on_device; /* total: with transfers; on_device: events */

    size_t peer_index; /* place in the list of peers */
    struct bench_peer peer;

    struct samples wall;
    double joules;    /* of all runs of the slices; NaN: nothing counts it */
    uint64_t counted; /* those runs, warm-up and all */
};

struct contest {
    const struct bench_settings *settings;
    const struct bench_case *item;
    struct pair pair;
    struct pair_case test;
    uint64_t size;
    bool main; /* of the table's size: the whole time is spent, and the peers take part */
    struct peers *peers;
    struct contender *contenders; /* the reference is the first */
    size_t count;
    struct pair_output expected; /* the reference's */
};

/* Adds a row for each contender; adds those that differ to `*differ`. */
enum clump_status bench_rows(const struct contest *contest, struct bench_report *report,
                             size_t *differ);

#endif
