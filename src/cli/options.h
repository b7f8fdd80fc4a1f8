/* SPDX-License-Identifier: MIT */
/*
 * Options from a table: `--name value`, `--name=value`, `-x value`, `-xvalue`, flags that may be
 * joined (`-qf`), `--` before operands that begin with a dash; -1 and -.5 are operands anyway. A
 * table ends with an entry without a name. The same table makes the help.
 */
#ifndef CLUMP_CLI_OPTIONS_H
#define CLUMP_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum option_type {
    OPTION_FLAG,     /* bool, set to true */
    OPTION_COUNT,    /* int, one more each time */
    OPTION_INT,      /* int */
    OPTION_UNSIGNED, /* uint32_t, or unsigned */
    OPTION_SIZE,     /* uint64_t */
    OPTION_DOUBLE,   /* double, never NaN; NaN as the default tells that none was given */
    OPTION_STRING,   /* const char *, into argv */
    OPTION_CHOICE,   /* int or an enum: which of the words in `value`, from 0 */
    OPTION_LIST,     /* struct option_list */
    OPTION_STRINGS   /* struct option_strings: may be given again and again */
};

struct option_list {
    double *values; /* malloc'd */
    size_t count;
};

struct option_strings {
    const char **values; /* malloc'd, into argv */
    size_t count;
};

struct option {
    const char *name; /* without the dashes */
    char letter;      /* of the short form, or 0 */
    enum option_type type;
    void *target;
    const char *value; /* how help calls the value. Of a CHOICE, INT, UNSIGNED or SIZE the words
                          that it may be, parted by '|': "median|mean", "4|8" */
    const char *help;  /* a default in it is written as @, which stands for the value */
};

/*
 * Parses what follows the command's word. `who` starts messages ("clump label"); `tables` are
 * looked through in order, up to a NULL. Operands are moved to the front of `argv`. Returns their
 * number, or -1 after one line to stderr.
 */
int options_parse(const char *who, const struct option *const *tables, int argc, char **argv);

/* Parses one value as an option of that type would; `what` starts the message. */
bool options_value(const char *who, const char *what, const struct option *option,
                   const char *text);

/* Prints a table, aligned and wrapped, as help shows it. */
void options_help(FILE *out, const struct option *table);

/* The word of `words` (up to a NULL) nearest to `word`, or NULL when none is near. */
const char *options_nearest(const char *word, const char *const *words);

#endif
