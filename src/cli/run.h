/* SPDX-License-Identifier: MIT */
/*
 * What every command is made of: its entry in the table of main.c, the options that all have, and
 * the steps that most repeat. A command is one file, cmd_X.c, with one `const struct command
 * command_X`; cmd_threshold.c is the example to follow:
 *
 *   - its parameters are the library's, in a static struct that `defaults` fills with the library's
 *     defaults, other settings are a static struct beside it, and its options a table onto both;
 *   - `run` checks the settings (run_misuse), then hands a function to run_each, which calls it
 *     with each file and an empty JSON object;
 *   - the function reads with run_read, calls the library, writes with run_write, and says each
 *     number once, with run_number and run_count: text or JSON is not its concern.
 *
 * Results go to stdout, sentences for people to stderr.
 */
#ifndef CLUMP_CLI_RUN_H
#define CLUMP_CLI_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include <clump/clump.h>
#include <jansson.h>

#include "options.h"
#include "shown.h"

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2 };

/* Groups of options that a command has beside its own. */
enum {
    COMMAND_READS = 1,  /* --plane --page --channel --float32 --crop */
    COMMAND_WRITES = 2, /* --output --force */
    COMMAND_HOST = 4,   /* none: it needs no device, and run_each opens none */
    COMMAND_TABLE = 8,  /* none: -o is a table, which many inputs may share */
    COMMAND_DRAWS = 16  /* none: -o may be a drawing, PDF or SVG */
};

struct run;

struct command {
    const char *name;
    const char *summary;          /* one line, as `clump --help` shows it */
    const char *usage;            /* its operands: "FILE... --above T" */
    const char *about;            /* a paragraph or more, lines of at most 80; may be NULL */
    const char *examples;         /* whole lines */
    const struct option *options; /* its own; NULL: none */
    unsigned groups;
    int least, most; /* operands; most -1: any number */
    /* Sets options to the library's defaults, before any is parsed or shown; NULL: they are 0. */
    void (*defaults)(void);
    int (*run)(struct run *run);
    /* Checks the ending of -o before the work begins; NULL: a table's or an image's by `groups`. */
    enum clump_status (*ending)(const struct clump_log *log, const char *path);
};

/* The options that commands share, as they were given. */
struct common {
    const char *device;
    bool json, quiet, help, version, time;
    int verbose;
    struct clump_file_params file;
    const char *crop;
    const char *memory; /* --memory-limit */
    bool channel;       /* --channel was given */
    const char *output;
    const char *format; /* of stdout; NULL: .npy for images, .csv for tables */
    bool force;
};
extern struct common common;

struct run {
    const struct command *command;
    char **operands;
    int count;
    struct clump_log log;
    clump_context *context;                  /* NULL until run_open */
    const char *file;                        /* the one being worked on, for messages; or NULL */
    uint64_t errors;                         /* lines logged at ERROR */
    char history[1024];                      /* what was typed, for the headers of files */
    double begun_ms, reading_ms, writing_ms; /* of this file, for --time */
    bool timed;                              /* some times were told */
    bool joins;                              /* the tables of all inputs go into one */
    struct joined *joined;                   /* those so far, or NULL */
    bool failed; /* exit with EXIT_FAILED though there is a result to print */
};

/* An image file and its pixels on the device. */
struct input {
    clump_file *file;
    const struct clump_file_info *info;
    clump_image *image;
};

typedef enum clump_status run_file(struct run *run, const char *path, json_t *json);

/* Opens the chosen device; a second call does nothing. */
enum clump_status run_open(struct run *run);

/*
 * Opens the device and calls `one` with every operand. A file that fails is reported and the
 * others go on. Prints the object of each that did not fail, where --json asks for it. Returns the
 * exit status.
 */
int run_each(struct run *run, run_file *one);

/* The same for a command whose operands are not files: `one` is called once, with a NULL path. */
int run_once(struct run *run, run_file *one);

/* Says in one line, with the way to the help, that the command was used wrongly: EXIT_USAGE. */
int run_misuse(const struct run *run, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Says in one line what failed and returns `status`. */
enum clump_status run_fail(struct run *run, enum clump_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Opens and reads an image by the shared options. Release with run_release, also after failure. */
enum clump_status run_read(struct run *run, const char *path, struct input *input);
void run_release(struct input *input);

/* Opens an image's file, and leaves the pixels there. Release with run_release, also on failure. */
enum clump_status run_open_input(struct run *run, const char *path,
                                 const struct clump_file_params *params, struct input *input);

/* The same as run_read for a second file, which the shared options of input are not meant for. */
enum clump_status run_read_other(struct run *run, const char *path, struct input *input);

/* Converts *image to a mask, in which every pixel that is not 0 is set; a mask stays as it is. */
enum clump_status run_mask(struct run *run, clump_image **image);

/* EXIT_USAGE, after one line, when several inputs would go to one output; else EXIT_DONE, and the
 * output is looked at before the work begins, with `ending` (places.h). */
int run_check_output(const struct run *run, const char *option, const char *pattern,
                     enum clump_status (*ending)(const struct clump_log *log, const char *path));

/*
 * The name of an output for the input `path`: each {} in `pattern` becomes the input's name
 * without its folder and ending. malloc'd; NULL when there is no memory.
 */
char *run_output(const char *pattern, const char *path);

/* Who made a file, on what and by which words: HISTORY lines. Borrowed, changed by the next call.
 */
const char *run_history(struct run *run);

/*
 * Writes `image` as `pattern` names it, with the header of `like` (may be NULL), and notes it
 * under `files`. Does nothing when `pattern` is NULL.
 */
enum clump_status run_write(struct run *run, const clump_image *image, const char *pattern,
                            const char *path, const struct input *like, json_t *json);
/* The same for masks and labels, whose pixels have no unit. */
enum clump_status run_write_plain(struct run *run, const clump_image *image, const char *pattern,
                                  const char *path, const struct input *like, json_t *json);
/* The same for an image of another size, in which the first pixel of `like` lies at this place. */
enum clump_status run_write_moved(struct run *run, const clump_image *image, const char *pattern,
                                  const char *path, const struct input *like, int64_t row,
                                  int64_t col, json_t *json);

/* The same for an image that is made of no file but called `name`, with these FITS cards. */
enum clump_status run_write_made(struct run *run, const clump_image *image, const char *pattern,
                                 const char *name, const char *cards, json_t *json);

/* The same by a function of the command's own, which makes the file `name` of `user`. */
typedef enum clump_status run_writer(struct run *run, const char *name, const void *user);
enum clump_status run_write_by(struct run *run, run_writer *writer, const void *user,
                               const char *pattern, const char *path, json_t *json);

/* Writes a table in the same way, after noting in it what made it. */
enum clump_status run_catalog(struct run *run, clump_catalog *catalog, const char *pattern,
                              const char *path, json_t *json);

/* The same with regions on the sky of a file; NULL: in pixels. */
enum clump_status run_catalog_sky(struct run *run, clump_catalog *catalog, const char *pattern,
                                  const char *path, const clump_file *sky, json_t *json);

/* Whether the tables of all inputs go into one: a command of tables, many inputs, one name. */
bool run_joins(const struct run *run);
/* Keeps a copy of an input's table for the one of all. */
enum clump_status run_join(struct run *run, const clump_catalog *catalog, const char *path,
                           json_t *json);
/* Makes the table of all, with a column `file`, and forgets the parts. */
enum clump_status run_joined(struct run *run, clump_catalog **all);
/* Writes it, if there is one. Returns `status`, or EXIT_FAILED. */
int run_join_end(struct run *run, int status);

/* "512M": bytes, or with a letter thousands of 1024. main.c */
bool run_parse_memory(const char *text, uint64_t *bytes);

/*
 * --time: starts the clocks for a file; puts what they show under `time` (build read upload compute
 * download write, ms; compute is what the others leave), or on stderr without --json.
 */
void run_time_begin(struct run *run);
void run_time_end(struct run *run, json_t *json);
/* Around a write: the device is waited for before, and downloads are left out. */
double run_write_begin(struct run *run);
void run_write_end(struct run *run, double begun);
double run_now_ms(void);

/* Is this output stdout, "-"? */
bool run_to_stdout(const char *pattern);

/* Notes a file written under `files`, and tells the person. */
void run_wrote(struct run *run, const char *path, json_t *json);

/* Prints to stdout unless --json was given; to stderr, unless --quiet was, where stdout is -o. */
void run_print(struct run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* One figure: "name value" as text, or a key of the object. NaN and infinities become null. */
void run_number(struct run *run, json_t *json, const char *name, double value);
void run_count(struct run *run, json_t *json, const char *name, uint64_t value);
void run_word(struct run *run, json_t *json, const char *name, const char *value);

/* Says how many rows of a table were not printed, and how to have them. */
void run_more(struct run *run, uint64_t count);

/* Significant digits, from 4 to 17, that show a value to a hundredth of its noise. */
int run_digits(double value, double noise);

/* JSON values: a double, null where it is not finite; a text, with what is not UTF-8 as '?'. */
json_t *run_json_real(double value);
json_t *run_json_text(const char *text);

/* A table as an object of lists, one for each column. */
json_t *run_json_table(const clump_catalog *table);

/* The object `clump_stats_result` makes: count blank min max sum mean variance std median mad. */
json_t *run_json_stats(const struct clump_stats_result *stats);
/* And that of a clipping: lower upper kept iterations converged. */
json_t *run_json_clip(const struct clump_clip_result *clip);

#endif
