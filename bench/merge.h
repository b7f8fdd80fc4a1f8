/* SPDX-License-Identifier: MIT */
/*
 * Several runs side by side, perhaps of several machines. Each device keeps its own run, with that
 * run's host, date, reference and peers. Only the same work is ever put beside each other: the same
 * case, type and size.
 */
#ifndef CLUMP_BENCH_MERGE_H
#define CLUMP_BENCH_MERGE_H

#include "report.h"

#define BENCH_MERGE_FORMAT "clump-bench-merge"

/* A device of one of the runs: a column of the tables. */
struct bench_entry {
    char id[16]; /* "B1": the second run's device 1 */
    size_t run;
    const struct bench_device_info *device;
};

/* A row of the tables. */
struct bench_work {
    const char *name, *type, *about;
    const char *image; /* the user's own, or "" */
    int64_t rows, cols;
};

struct bench_merge {
    struct bench_report *runs;
    struct bench_entry *entries; /* these and the next: after bench_merge_finish */
    struct bench_work *works;
    size_t count, entry_count, work_count;
};

/* Adds the run, or all runs, of a file. False, and a sentence in `problem`, where it holds none, or
 * one that is there already. */
bool bench_merge_add(struct bench_merge *merge, const char *path, char *problem, size_t room);
/* Makes the lists of devices and of work; false when there is no memory. */
bool bench_merge_finish(struct bench_merge *merge);
void bench_merge_release(struct bench_merge *merge);

/* The letters of a run: A to Z, AA, AB, ... */
void bench_merge_letters(size_t run, char text[8]);
/* What a device made of some work; NULL: it was not asked, or did other work. */
const struct bench_row *bench_merge_row(const struct bench_merge *merge,
                                        const struct bench_entry *entry,
                                        const struct bench_work *work);
/* The best median of some work; NaN where fewer than two devices have one. */
double bench_merge_best(const struct bench_merge *merge, const struct bench_work *work);
/* Up to what a time is not told from the best: the upper end of the best median's interval. */
double bench_merge_reach(const struct bench_merge *merge, const struct bench_work *work);
/* The lower end of a median's interval does not exceed that. */
bool bench_merge_is_best(const struct bench_row *row, double reach);

/* Columns of the tables: the devices, then the reference of each run, which takes no part in who is
 * the fastest. */
size_t bench_merge_columns(const struct bench_merge *merge);
void bench_merge_head(const struct bench_merge *merge, size_t column, char text[24]);
const struct bench_row *bench_merge_cell(const struct bench_merge *merge, size_t column,
                                         const struct bench_work *work);
/* Why columns may not be compared without thought: sentence number `index`, from 0; false past the
 * last. */
bool bench_merge_warning(const struct bench_merge *merge, size_t index, char *text, size_t room);

void bench_merge_json(const struct bench_merge *merge, json_t *object);
void bench_merge_table(FILE *out, const struct bench_merge *merge);
void bench_merge_html(FILE *out, const struct bench_merge *merge);
/* Every row of every run, with all digits: a table for other programs. */
void bench_merge_csv(FILE *out, const struct bench_merge *merge);
void bench_merge_markdown(FILE *out, const struct bench_merge *merge);

/* The runs of a folder in the order of their dates: what changed, and at which commit. Returns how
 * many pairs of rows were compared. history.c */
size_t bench_history(FILE *out, struct bench_merge *merge);

#endif
