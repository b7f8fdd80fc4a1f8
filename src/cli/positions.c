/* SPDX-License-Identifier: MIT */
#include "positions.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#define COLUMNS 6
#define LINE    (1 << 20)          /* the longest line and its end */
#define WHOLE   9007199254740992.0 /* all whole numbers up to it are doubles */

enum { X, Y, A, B, THETA, ID };

/* A line of the table: which value each of the columns that we look for is; -1: none. */
struct layout {
    int at[COLUMNS];
    char comma; /* what parts two values; ' ': any number of blanks */
};

static enum clump_status add(struct run *run, struct positions *positions,
                             const struct position *row)
{
    if (!(positions->count & (positions->count + 1)) ||
        !positions->rows) { /* at 0, 1, 3, 7, ... rows */
        uint64_t room = 2 * positions->count + 2;
        struct position *more = realloc(positions->rows, room * sizeof *more);
        if (!more)
            return run_fail(run, CLUMP_ERROR_MEMORY, "out of memory");
        positions->rows = more;
    }
    positions->rows[positions->count++] = *row;
    return CLUMP_OK;
}

enum clump_status positions_of(struct run *run, const struct option_list *pairs,
                               struct positions *positions)
{
    enum clump_status status = CLUMP_OK;
    for (size_t i = 0; i + 1 < pairs->count && !status; i += 2) {
        const struct position row = {pairs->values[i], pairs->values[i + 1], (double)NAN,
                                     (double)NAN,      (double)NAN,          (int64_t)i / 2 + 1};
        status = add(run, positions, &row);
    }
    return status;
}

/* Cuts the next value from a line, and blanks and quotes off it; NULL at its end. */
static char *next_value(char **line, char comma)
{
    char *from = *line;
    if (!from)
        return NULL;
    from += strspn(from, " \t");
    char *to = from + strcspn(from, comma == ' ' ? " \t\r\n" : ",\r\n");
    *line = *to == ',' || *to == ' ' || *to == '\t' ? to + 1 : NULL;
    while (to > from && (to[-1] == ' ' || to[-1] == '\t'))
        to--;
    *to = 0;
    if (*from == '"' && to - from >= 2 && to[-1] == '"') {
        to[-1] = 0;
        from++;
    }
    return from;
}

static void read_names(char *line, struct layout *layout)
{
    static const char *const names[COLUMNS] = {"x", "y", "a", "b", "theta", "id"};
    layout->comma = strchr(line, ',') ? ',' : ' ';
    for (int k = 0; k < COLUMNS; k++)
        layout->at[k] = -1;
    for (int i = 0; line; i++) {
        const char *name = next_value(&line, layout->comma);
        for (int k = 0; k < COLUMNS && name; k++)
            if (!strcasecmp(name, names[k]) || (k == ID && !strcasecmp(name, "number")))
                layout->at[k] = i;
    }
}

static enum clump_status not_a_number(struct run *run, const char *path, uint64_t number,
                                      const char *text, bool whole)
{
    char shown[60];
    clump_shown(text, "", shown, sizeof shown);
    return run_fail(run, CLUMP_ERROR_FORMAT, "%s: line %llu has '%s' where a%s number is wanted",
                    path, (unsigned long long)number, shown, whole ? " whole" : "");
}

static enum clump_status read_row(struct run *run, const char *path, uint64_t number, char *line,
                                  const struct layout *layout, struct positions *positions)
{
    double values[COLUMNS] = {(double)NAN, (double)NAN, (double)NAN,
                              (double)NAN, (double)NAN, (double)(positions->count + 1)};
    for (int i = 0; line; i++) {
        char *end = NULL;
        const char *text = next_value(&line, layout->comma);
        for (int k = 0; k < COLUMNS; k++) {
            if (layout->at[k] != i)
                continue;
            values[k] = strtod(text, &end);
            if ((*text && *end) || (k == ID && fabs(values[k]) > WHOLE))
                return not_a_number(run, path, number, text, k == ID);
            if (!*text)
                values[k] = (double)NAN;
        }
    }
    const struct position row = {values[X],     values[Y],
                                 values[A],     values[B],
                                 values[THETA], isfinite(values[ID]) ? (int64_t)values[ID] : 0};
    return add(run, positions, &row);
}

/* Reads the next line into LINE bytes, an empty one at the end with *ended; false where it is too
 * long or has a byte 0. */
static bool next_line(FILE *file, char *line, bool *ended)
{
    size_t length = 0;
    int c = '0';
    while (length < LINE - 1 && c != '\n' && (c = getc_unlocked(file)) > 0)
        line[length++] = (char)c;
    line[length] = 0;
    *ended = c == EOF && !length;
    return c == '\n' || c == EOF;
}

/* Refuses a table that with all that is computed of it takes more than the memory limit. */
static enum clump_status check_room(struct run *run, const char *path, uint64_t count)
{
    uint64_t limit = common.file.memory_limit;
    if (!limit)
        limit = (uint64_t)sysconf(_SC_PHYS_PAGES) / 2 * (uint64_t)sysconf(_SC_PAGESIZE);
    if (count <= limit / POSITIONS_BYTES)
        return CLUMP_OK;
    return run_fail(run, CLUMP_ERROR_MEMORY,
                    "%s: more than %llu positions do not fit into %llu bytes (--memory-limit)",
                    path, (unsigned long long)(limit / POSITIONS_BYTES), (unsigned long long)limit);
}

static enum clump_status read_lines(struct run *run, const char *path, FILE *file,
                                    struct positions *positions)
{
    char *line = malloc(LINE);
    struct layout layout;
    bool named = false, ended = false;
    enum clump_status status = line ? CLUMP_OK : run_fail(run, CLUMP_ERROR_MEMORY, "out of memory");
    for (uint64_t number = 1; !status; number++) {
        if (!next_line(file, line, &ended))
            status = run_fail(run, CLUMP_ERROR_FORMAT,
                              "%s: line %llu does not end, or has a byte 0: no table of text", path,
                              (unsigned long long)number);
        if (status || ended)
            break;
        if (*line == '#' || strspn(line, " \t\r\n") == strlen(line))
            continue;
        if (named) {
            status = read_row(run, path, number, line, &layout, positions);
            if (!status)
                status = check_room(run, path, positions->count);
            continue;
        }
        read_names(line, &layout);
        named = true;
        if (layout.at[X] < 0 || layout.at[Y] < 0)
            status =
                run_fail(run, CLUMP_ERROR_FORMAT,
                         "%s: a table with columns x and y is wanted; its first line names none",
                         path);
    }
    if (!status && ferror(file))
        status = run_fail(run, CLUMP_ERROR_FILE, "%s cannot be read: %s", path, strerror(errno));
    positions->shaped =
        named && !status && layout.at[A] >= 0 && layout.at[B] >= 0 && layout.at[THETA] >= 0;
    if (!named && !status)
        status =
            run_fail(run, CLUMP_ERROR_FORMAT, "%s: there is no line with names of columns", path);
    free(line);
    return status;
}

enum clump_status positions_read(struct run *run, const char *path, struct positions *positions)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return run_fail(run, CLUMP_ERROR_FILE, "%s cannot be read: %s", path, strerror(errno));
    enum clump_status status = read_lines(run, path, file, positions);
    fclose(file);
    return status;
}
