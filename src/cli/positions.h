/* SPDX-License-Identifier: MIT */
/* Positions to measure at: from pairs of numbers, or from the columns of a table in a text file. */
#ifndef CLUMP_CLI_POSITIONS_H
#define CLUMP_CLI_POSITIONS_H

#include "options.h"
#include "run.h"

/* What one position takes, with its row, its aperture, its figures and the columns of the results;
 * a table is refused where all of them do not fit into --memory-limit. */
#define POSITIONS_BYTES 512

struct position {
    double x, y;        /* as they were given */
    double a, b, theta; /* NaN where the table has no such column */
    int64_t id;         /* of the column `id` or `number`; else the row's number, from 1 */
};

struct positions {
    struct position *rows; /* malloc'd */
    uint64_t count;
    bool shaped; /* there are a, b and theta */
};

/* Takes pairs x,y. */
enum clump_status positions_of(struct run *run, const struct option_list *pairs,
                               struct positions *positions);

/* Reads a table: CSV or ECSV, with a line of names and the columns x and y at least. */
enum clump_status positions_read(struct run *run, const char *path, struct positions *positions);

#endif
