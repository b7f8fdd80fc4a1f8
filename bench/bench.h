/* SPDX-License-Identifier: MIT */
/*
 * The benchmark suite: what is timed, how, and what is said about it.
 *
 * A case is one of the pairs that the tests check (src/pairs/pair.h), a picture, a size and a seed. bench_run times
 * every case on the chosen devices, on the reference and, where asked, on the Python
 * packages that a user would take instead, all in turns, and gives one JSON object
 * (docs/benchmarks.md has its layout). Table, page and comparison are made from that
 * object and from nothing else, so they can be made again from a file.
 */
#ifndef CLUMP_BENCH_BENCH_H
#define CLUMP_BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <clump/clump.h>
#include <jansson.h>

#include "pair.h"

#define BENCH_FORMAT  "clump-bench"
#define BENCH_VERSION 1

enum bench_extent {
    BENCH_SQUARE, /* size x size */
    BENCH_ROW,    /* 1 x size^2: the picture row after row */
    BENCH_FIXED   /* 1 x 10000, whatever the size */
};

/* What the lesson reports for the same step, in ms; 0: nothing. */
struct bench_lesson {
    double cpu_ms;   /* NumPy, SciPy */
    double gpu_ms;   /* CuPy on a Tesla T4 */
    double total_ms; /* the same with the transfers */
};

struct bench_case {
    const char *name;        /* "convolve-dense-f32" */
    const char *about;       /* a few words: input and parameters */
    const struct pair *pair; /* what is run, how results are compared, what it has to move */
    void (*picture)(const struct pair_case *test, void *pixels);
    enum bench_extent extent;
    enum clump_type type;
    uint64_t seed;
    struct bench_lesson lesson;
};

/* All cases, `bench_case_count` of them, in the order of the data path. */
extern const struct bench_case bench_cases[];
extern const size_t bench_case_count;

/* The pair of a case with the case's picture and name in it. */
struct pair bench_pair(const struct bench_case *item);
struct pair_case bench_test(const struct bench_case *item, uint64_t size);

/* Times in ms. */
struct samples {
    double *ms;
    size_t count, room;
    double spent; /* their sum */
};

struct summary {
    size_t runs;
    double min, median, mean, std;
    double low, high; /* 95 % confidence interval of the median */
    double noise;     /* interquartile range / median */
    bool steady;      /* the interval is narrower than BENCH_STEADY */
};

#define BENCH_STEADY 0.01 /* half-width of the median's interval / median */

void samples_add(struct samples *samples, double ms);
void samples_release(struct samples *samples);
struct summary samples_summary(const struct samples *samples);
json_t *summary_json(const struct summary *summary);

struct bench_settings {
    struct clump_log log;
    const struct clump_device *devices; /* to measure; the reference is always measured */
    size_t device_count;
    char **names; /* of cases, or parts of names */
    int name_count;
    uint64_t size;         /* of the table */
    const uint64_t *sizes; /* of the curves; ended by 0; NULL: none */
    double seconds;        /* that one contender may take for one case */
    unsigned runs;         /* at least */
    bool agree_only;       /* compare, do not time */
    const char *python;    /* to run the peers with; NULL: no peers */
    void (*tell)(const char *format, ...) __attribute__((format(printf, 1, 2)));
};

/* Runs the cases and fills `report`. `*differ` gets the number of results that did not agree. */
enum clump_status bench_run(const struct bench_settings *settings, json_t *report, size_t *differ);

/* One case at one size: appends its rows. contest.c */
struct bench_device {
    const struct clump_device *device;
    clump_context *context;
    json_t *limits; /* borrowed; NULL for the reference */
};
struct peers;
enum clump_status bench_contest(const struct bench_settings *settings,
                                const struct bench_case *item, uint64_t size,
                                struct bench_device *devices, size_t count, struct peers *peers,
                                json_t *rows, size_t *differ);

/* Peers: one Python process that serves bench/peers/. peers.c */
enum clump_status peers_start(const struct bench_settings *settings, struct peers **peers);
void peers_stop(struct peers **peers);
/* The versions of what is there, for the environment. Borrowed. */
const json_t *peers_environment(const struct peers *peers);
/* Hands a case over: what the peers get and what the reference made of it. `*list` gets an array
 * with name, threads, agree, difference of each peer that has the case. */
enum clump_status peers_load(struct peers *peers, const char *name, clump_context *reference,
                             const struct pair_input *in, const struct pair_output *out,
                             json_t **list);
/* Lets a peer run for about `ms`, at least once. */
enum clump_status peers_run(struct peers *peers, size_t index, double ms, struct samples *samples);

/* Who measured, where, with what: environment.c */
json_t *bench_environment(void);

/* What is said: each reads a report. */
void bench_table(FILE *out, const json_t *report);
void bench_html(FILE *out, const json_t *report);
/* Prints what became slower or faster; returns how many became slower. */
size_t bench_compare(FILE *out, const json_t *report, const json_t *old);
/* NULL and a sentence in `problem` when the file is no report of this version. */
json_t *bench_load(const char *path, char *problem, size_t room);

/* Tries the knobs of the devices (src/opencl/core/tune.h), tells and keeps what was best. tune.c */
enum clump_status bench_tune(const struct bench_settings *settings, FILE *out, json_t *report);

/* Helpers for those that read reports. */
double bench_number(const json_t *object, const char *key); /* NaN where there is none */
const char *bench_text(const json_t *object, const char *key);
bool bench_is(const json_t *object, const char *key, const char *word);
/* A row's name of who ran it, with the number of a device before it. */
void bench_who(const json_t *report, const json_t *row, char *text, size_t room);

#endif
