/* SPDX-License-Identifier: MIT */
/*
 * A report: what a run has found. contest_rows.c and suite.c fill it, report_json.c makes JSON of
 * it and reads it back, and the table, the page and the comparison are made from it alone.
 *
 * A figure that does not exist is NaN, a count that does not exist is negative, a text NULL.
 */
#ifndef CLUMP_BENCH_REPORT_H
#define CLUMP_BENCH_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#define BENCH_FORMAT  "clump-bench"
#define BENCH_VERSION 1

/* Times in ms. What one run cannot tell (std low high noise) is NaN. */
struct summary {
    int64_t runs; /* 0: nothing was timed, and the other members mean nothing */
    double min, median, mean;
    double std, low, high; /* low to high: 95 % confidence interval of the median */
    double noise;          /* interquartile range / median */
    bool steady;           /* the interval is narrower than BENCH_STEADY */
};

/* What a device reaches when it does nothing else: GB/s, and GFLOP/s of FMA. */
enum bench_limit {
    BENCH_LIMIT_NONE,
    BENCH_LIMIT_READ,
    BENCH_LIMIT_COPY,
    BENCH_LIMIT_FMA_F32,
    BENCH_LIMIT_FMA_F64,
    BENCH_LIMITS
};

struct bench_limits {
    double rate[BENCH_LIMITS]; /* NaN: not measured; that of BENCH_LIMIT_NONE always */
    int64_t bytes;             /* over how much memory */
    /* What no case is held against (src/opencl/core/peak.h); NaN: not measured. */
    double integer, upload_gbs, download_gbs, launch_us, atomics_one, atomics_apart;
};

struct bench_fact {
    const char *key, *text;
};

struct bench_environment {
    const char *clump, *commit, *compiler, *build, *date;
    const char *host, *system, *release, *cpu, *caches, *load, *load_end;
    int64_t cores;
    double memory_gib;
    double mhz, mhz_end, mhz_most; /* of the fastest core, at the start and at the end; its limit */
    double steal;                  /* share of the processors' time that a host took away */
    double others;                 /* and that other processes took, during the run */
    const char *energy;            /* what counts it, or why nothing does */
    struct bench_fact *peers;      /* versions of Python and its packages */
    size_t peer_count;             /* 0: no peers took part */
};

struct bench_device_info {
    int64_t index;
    const char *name, *platform, *driver, *version, *type;
    int64_t units, vector_width;
    bool fp64, shares_memory;
    struct bench_limits limits;
};

/* What the lesson reports for the same step, in ms; 0: nothing. Its images have this side. */
#define BENCH_LESSON_SIZE 2048

struct bench_lesson {
    double cpu_ms;   /* NumPy, SciPy */
    double gpu_ms;   /* CuPy on a Tesla T4 */
    double total_ms; /* the same with the transfers */
};

struct bench_case_info {
    const char *name, *about, *operation;
    struct bench_lesson lesson;
};

enum bench_by { BENCH_REFERENCE, BENCH_DEVICE, BENCH_PEER };

/* How a result stands to the reference's. */
enum bench_state {
    BENCH_AGREES,
    BENCH_DIFFERS,
    BENCH_UNSUPPORTED,
    BENCH_FAILED,
    BENCH_OTHER /* a peer defines the operation differently */
};

/* A peer that has a case, and what its first run gave. */
struct bench_peer {
    const char *name, *package;
    int64_t threads;
    double goal; /* how many times faster clump wants to be */
    enum bench_state state;
    const char *difference;
};

/* How many times longer a peer takes than a device. */
struct bench_ratio {
    int64_t device;
    double ratio;
};

/* One case at one size by one contender. */
struct bench_row {
    const char *name; /* of the case */
    const char *type;
    int64_t rows, cols, size;
    bool main; /* of the table's size */
    enum bench_by by;
    int64_t device;         /* its index */
    struct bench_peer peer; /* by a peer; `state` and `difference` of every contender */

    struct summary wall, total;
    double *times; /* of each run that `wall` is made of, in their order */
    size_t time_count;
    double speedup;             /* the reference's median / this one */
    struct bench_ratio *ratios; /* of a peer */
    size_t ratio_count;

    double gbs, gflops;                       /* by the median wall time */
    enum bench_limit gbs_limit, gflops_limit; /* what these are held against */
    double limit;                             /* share of the nearer one, by the best time */
    enum bench_limit limit_by;                /* which one that is */

    double compile_ms, first_ms; /* of the first call */
    double upload_ms, download_ms, device_ms;
    int64_t builds, launches, allocations;
    double joules; /* per run, all that the counter saw */
    int64_t bytes; /* of images that a call's kernels read and write */
    double passes; /* the same over those that any method has to */
};

#define BENCH_TRIALS 16

/* One knob of one device, by --tune. */
struct bench_tuned {
    int64_t device;
    const char *knob;
    int64_t usual, value; /* the default, and what was best */
    size_t count;
    struct {
        int64_t value;
        double ms; /* NaN: its result was wrong */
    } trials[BENCH_TRIALS];
};

struct bench_report {
    struct bench_environment environment;
    const char *image; /* the user's own; "": the cases' pictures */
    int64_t size;      /* of the table */
    double seconds;
    int64_t runs;
    bool agree_only;
    struct bench_device_info *devices;
    struct bench_case_info *cases;
    struct bench_row *rows;
    struct bench_tuned *tuned;
    size_t device_count, case_count, row_count, tuned_count;
    char **texts; /* that bench_keep has made */
    size_t text_count;
};

/* Each appends an entry in which nothing exists yet; NULL when there is no memory. The entry's
 * address holds until the next one is added. */
struct bench_device_info *bench_add_device(struct bench_report *report);
struct bench_case_info *bench_add_case(struct bench_report *report);
struct bench_row *bench_add_row(struct bench_report *report);
struct bench_tuned *bench_add_tuned(struct bench_report *report);
/* False when there is no memory. */
bool bench_add_fact(struct bench_report *report, const char *key, const char *text);
bool bench_add_ratio(struct bench_row *row, int64_t device, double ratio);
bool bench_add_time(struct bench_row *row, double ms);

/* A copy of a text that lives as long as the report; NULL of NULL. */
const char *bench_keep(struct bench_report *report, const char *text);
void bench_report_release(struct bench_report *report);

/* NULL where there is none. */
const struct bench_device_info *bench_device_at(const struct bench_report *report, int64_t index);
const struct bench_case_info *bench_case_named(const struct bench_report *report, const char *name);
/* The row of a case at a size by a device, or, for index -1, by the reference. */
const struct bench_row *bench_row_at(const struct bench_report *report, const char *name,
                                     int64_t device, int64_t size);

bool bench_is_timed(const struct bench_row *row); /* NULL is not */
/* By what the lesson itself times on its CPU, NumPy or SciPy, at the lesson's size. */
bool bench_is_lesson_peer(const struct bench_row *row);
/* The median wall time, or NaN where there is none; NULL has none. */
double bench_median(const struct bench_row *row);
double bench_ratio_to(const struct bench_row *row, int64_t device); /* or NaN */
/* A row's name of who ran it, with the number of a device before it. */
void bench_who(const struct bench_report *report, const struct bench_row *row, char *text,
               size_t room);

/* How members of a struct are called in JSON; a table ends with a NULL key. report_json.c */
struct bench_field {
    const char *key;
    enum { BENCH_TEXT, BENCH_COUNT, BENCH_REAL, BENCH_FLAG, BENCH_WORD } kind;
    size_t offset;
    const char *const *words; /* of BENCH_WORD, by value, ended by NULL; "": it does not exist */
};
extern const struct bench_field bench_environment_fields[], bench_device_fields[],
    bench_limit_fields[];

/* The report as members of a JSON object (docs/benchmarks.md has the layout). */
void bench_report_json(const struct bench_report *report, json_t *object);
/* What --tune has found, alone. */
void bench_tuned_json(const struct bench_report *report, json_t *object);
/* False and a sentence in `problem` when the JSON, or the file, holds no report of this version. */
bool bench_read(const json_t *json, const char *path, struct bench_report *report, char *problem,
                size_t room);
bool bench_load(const char *path, struct bench_report *report, char *problem, size_t room);

/* What a device reaches, in two sentences; "" where it was not measured. report.c */
void bench_reaches(const struct bench_limits *limits, char *text, size_t room);

/* A device's score, or NaN where cases are missing. score.c */
double bench_score(const struct bench_report *report, int64_t device, size_t *missing);
void bench_score_recipe(char *text, size_t room);

/* What makes figures of a run doubtful: sentence number `index`, from 0; false past the last. */
bool bench_warning(const struct bench_report *report, size_t index, char *text, size_t room);
/* The kernels' own time is more than that of the whole call. Each is measured in runs of its own;
 * kernels may also overlap. */
bool bench_device_above_wall(const struct bench_row *row);

/* What is said of a report. */
void bench_table(FILE *out, const struct bench_report *report);
void bench_html(FILE *out, const struct bench_report *report);
/* Prints what became slower or faster; returns how many rows became slower. `*compared` gets how
 * many rows of devices both reports have; 0: they have nothing in common. */
size_t bench_compare(FILE *out, const struct bench_report *report, const struct bench_report *old,
                     size_t *compared);
/* The row of the same work by the same device, or the reference, in another report; or NULL. */
const struct bench_row *bench_former_row(const struct bench_report *report,
                                         const struct bench_row *row,
                                         const struct bench_report *old);
/* 1: slower, -1: faster, 0: neither beyond the noise. */
int bench_verdict(const struct summary *now, const struct summary *before);

#endif
