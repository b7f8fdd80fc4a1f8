/* SPDX-License-Identifier: MIT */
/*
 * A page to look at: the picture with a mark around everything that was found, the table, which
 * sorts and points into the picture, statistics, a histogram and where it all came from. One file
 * that needs nothing but itself: no network, and no script but for sorting and clicking.
 */
#ifndef CLUMP_CLI_REPORT_H
#define CLUMP_CLI_REPORT_H

#include <clump/render.h>

#include "run.h"

#define REPORT_BINS 100

struct report_fact {
    const char *name;
    char value[160];
};

struct report {
    const char *what; /* "sources" */
    const char *key;  /* the column of numbers that name the rows: "id", "label" */
    const clump_catalog *table;
    const struct clump_mark *marks; /* one for each row */
    struct clump_render_params render;
    const struct report_fact *facts;
    size_t fact_count;
    double low, high;        /* of the histogram */
    int bins;                /* of it, at most REPORT_BINS; 0: as many */
    double level, threshold; /* lines in it; NaN: none */
};

/* Writes the page as `pattern` names it, in the way of run_write; NULL: does nothing. */
enum clump_status run_report(struct run *run, const struct report *report, const char *pattern,
                             const char *path, const struct input *input, json_t *json);

#endif
