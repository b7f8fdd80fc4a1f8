/* SPDX-License-Identifier: MIT */
/*
 * The benchmark suite: what is timed, and how.
 *
 * A case is one of the pairs that the tests check (src/pairs/pair.h), a picture, a size and a seed.
 * bench_run times every case on the chosen devices, on the reference and, where asked, on the
 * Python packages that a user would take instead, all in turns, and fills a report (report.h).
 */
#ifndef CLUMP_BENCH_BENCH_H
#define CLUMP_BENCH_BENCH_H

#include <clump/clump.h>

#include "pair.h"
#include "report.h"

enum bench_extent {
    BENCH_SQUARE, /* size x size */
    BENCH_ROW,    /* 1 x size^2: the picture row after row */
    BENCH_FIXED   /* 1 x 10000, whatever the size */
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

/* Times in ms. samples.c */
struct samples {
    double *ms;
    size_t count, room;
    double spent; /* their sum */
};

#define BENCH_STEADY 0.01 /* half-width of the median's interval / median */

void samples_add(struct samples *samples, double ms);
void samples_release(struct samples *samples);
struct summary samples_summary(const struct samples *samples);

/* The user's own image: which cases take it, its pixels, its case. `*size` gets its longer side.
 * own_image.c */
bool bench_own_has(const char *name);
void bench_own_picture(const struct pair_case *test, void *pixels);
struct pair_case bench_own_test(const struct bench_case *item);
enum clump_status bench_own_load(clump_context *reference, const struct clump_log *log,
                                 const char *path, const struct clump_file_params *params,
                                 uint64_t *size);
void bench_own_release(void);

struct bench_settings {
    struct clump_log log;
    const struct clump_device *devices; /* what to measure, beside the reference */
    size_t device_count;
    char **names; /* names of cases, or parts of names; none: all cases */
    int name_count;
    uint64_t size;         /* a side of the table's pictures */
    const uint64_t *sizes; /* sides of the curves' pictures, ended by 0; NULL: no curves */
    double seconds;        /* time that one contender may take for one case */
    unsigned runs;         /* fewest runs of a contender */
    bool agree_only;       /* compare, do not time */
    const char *image;     /* the user's own, loaded by bench_own_load; "": none */
    bool peers;            /* peers take part */
    const char *python;    /* what runs the peers; NULL: one that has NumPy */
    void (*tell)(const char *format, ...) __attribute__((format(printf, 1, 2)));
};

/* Runs the cases and fills `report`. `*differ` gets the number of results that did not agree. */
enum clump_status bench_run(const struct bench_settings *settings, struct bench_report *report,
                            size_t *differ);

/* One case at one size: adds its rows. contest.c */
struct bench_device {
    const struct clump_device *device;
    clump_context *context;
};
struct peers;
enum clump_status bench_contest(const struct bench_settings *settings,
                                const struct bench_case *item, uint64_t size,
                                struct bench_device *devices, size_t count, struct peers *peers,
                                struct bench_report *report, size_t *differ);

/* Peers: one Python process that serves bench/peers/. peers.c */
/* Adds the versions of what is there to the report. */
enum clump_status peers_start(const struct bench_settings *settings, struct bench_report *report,
                              struct peers **peers);
void peers_stop(struct peers **peers);
/* Hands a case over: its input, and the reference's result. `*list` gets `*count` peers that have
 * the case, to be freed with free; their texts belong to the report. */
enum clump_status peers_load(struct peers *peers, const char *name, clump_context *reference,
                             const struct pair_input *in, const struct pair_output *out,
                             struct bench_report *report, struct bench_peer **list, size_t *count);
/* Lets a peer run for about `ms`, at least once. `on_device` gets the times by its device's own
 * clock, where it has one. */
enum clump_status peers_run(struct peers *peers, size_t index, double ms, struct samples *wall,
                            struct samples *on_device);

/* Who measured, where, with what. environment.c */
void bench_environment(struct bench_report *report);
/* The number that a file of the system begins with, or NaN. */
double bench_number_in(const char *path);
/* The load, as environment.c tells it at the start. */
const char *bench_load_average(struct bench_report *report);

/* The processors' time so far, in seconds, all of them together. conditions.c */
struct bench_conditions {
    double all, busy, steal, own; /* own: this process, and those that it has waited for */
    double mhz;
};
void bench_conditions_read(struct bench_conditions *now);
/* What happened since. */
void bench_conditions_tell(const struct bench_conditions *begin, struct bench_environment *to);

/* A counter of energy, of a graphics card or, for any other device, the processors. energy.c */
struct bench_energy {
    double joules; /* NaN: nothing counts it */
    double range;  /* the counter starts again after so many; 0: never */
};
struct bench_energy bench_energy_read(const struct clump_device *device);
double bench_energy_since(const struct clump_device *device, struct bench_energy begin);
/* What counts energy here, or that nothing does. */
const char *bench_energy_source(void);

/* Tries the knobs of the devices (src/opencl/core/tune.h), tells and keeps what was best. tune.c */
enum clump_status bench_tune(const struct bench_settings *settings, FILE *out,
                             struct bench_report *report);

#endif
