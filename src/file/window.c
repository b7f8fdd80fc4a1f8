/* SPDX-License-Identifier: MIT */
#include "file/window.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* "10:20" or "*", which is all; the ends are included, and the first pixel is 1. */
static bool parse_range(const char *text, const char **end, int64_t range[2])
{
    if (*text == '*') {
        range[0] = 1;
        range[1] = 0;
        *end = text + 1;
        return true;
    }
    for (int i = 0; i < 2; i++) {
        char *stop;
        errno = 0;
        if (!isdigit((unsigned char)*text))
            return false;
        range[i] = strtoll(text, &stop, 10);
        if (errno || *stop != (i ? *stop : ':'))
            return false;
        text = stop + (i == 0);
        *end = stop;
    }
    return true;
}

/* Sections have numbers, colons, stars and commas only; names of extensions do not. */
static bool looks_like_section(const char *text)
{
    return *text && !text[strspn(text, "0123456789:*,- ")] && strpbrk(text, ":*");
}

enum clump_status clump_window_split(clump_file *file)
{
    size_t length = strlen(file->name);
    char *bracket = strrchr(file->name, '[');
    const char *end;
    if (!bracket || file->name[length - 1] != ']')
        return CLUMP_OK;
    file->name[length - 1] = '\0';
    bool section = looks_like_section(bracket + 1);
    if (section && parse_range(bracket + 1, &end, file->section_cols) && *end == ',' &&
        parse_range(end + 1, &end, file->section_rows) && !*end) {
        *bracket = '\0';
        file->has_section = true;
        return CLUMP_OK;
    }
    file->name[length - 1] = ']';
    if (!section)
        return CLUMP_OK;
    return clump_fail(
        &file->log, CLUMP_ERROR_ARGUMENT,
        "%s: the section %s is not understood; [x0:x1,y0:y1] counts from 1 and "
        "includes both ends, * is a whole axis; steps and turned axes are not supported",
        file->path, bracket);
}

/* A slice as in NumPy: negative numbers count from the end, and what lies beyond is left out. */
static void slice(const int64_t range[2], uint64_t size, uint64_t *from, uint64_t *count)
{
    uint64_t at[2];
    for (int i = 0; i < 2; i++) {
        uint64_t back = range[i] < 0 ? 0 - (uint64_t)range[i] : 0;
        at[i] = range[i] >= 0 ? (uint64_t)range[i] : back < size ? size - back : 0;
        at[i] = at[i] < size ? at[i] : size;
    }
    *from = at[0];
    *count = at[1] > at[0] ? at[1] - at[0] : 0;
}

static bool choose_section(clump_file *file)
{
    struct window *window = &file->window;
    int64_t rows[2] = {file->section_rows[0], file->section_rows[1]};
    int64_t cols[2] = {file->section_cols[0], file->section_cols[1]};
    rows[1] = rows[1] ? rows[1] : (int64_t)window->whole_rows;
    cols[1] = cols[1] ? cols[1] : (int64_t)window->whole_cols;
    if (rows[0] < 1 || cols[0] < 1 || rows[1] < rows[0] || cols[1] < cols[0] ||
        (uint64_t)rows[1] > window->whole_rows || (uint64_t)cols[1] > window->whole_cols)
        return false;
    window->row = (uint64_t)rows[0] - 1;
    window->col = (uint64_t)cols[0] - 1;
    window->rows = (uint64_t)(rows[1] - rows[0]) + 1;
    window->cols = (uint64_t)(cols[1] - cols[0]) + 1;
    return true;
}

enum clump_status clump_window_choose(clump_file *file)
{
    struct window *window = &file->window;
    *window = (struct window){.rows = file->info.rows,
                              .cols = file->info.cols,
                              .whole_rows = file->info.rows,
                              .whole_cols = file->info.cols};
    if (file->has_section && !choose_section(file))
        return clump_fail(&file->log, CLUMP_ERROR_ARGUMENT,
                          "%s: the section is no part of its %" PRIu64 " columns and %" PRIu64
                          " rows, which count from 1",
                          file->path, window->whole_cols, window->whole_rows);
    if (file->params.crop) {
        uint64_t row, col, rows = window->rows, cols = window->cols;
        slice(file->params.rows, rows, &row, &window->rows);
        slice(file->params.cols, cols, &col, &window->cols);
        window->row += row;
        window->col += col;
        if (!window->rows || !window->cols)
            return clump_fail(&file->log, CLUMP_ERROR_ARGUMENT,
                              "%s: cropping leaves %" PRIu64 " of %" PRIu64 " rows and %" PRIu64
                              " of %" PRIu64 " columns: no image",
                              file->path, window->rows, rows, window->cols, cols);
    }
    clump_window_part(file);
    return CLUMP_OK;
}

void clump_window_whole(clump_file *file)
{
    file->info.rows = file->window.whole_rows;
    file->info.cols = file->window.whole_cols;
}

void clump_window_part(clump_file *file)
{
    file->info.rows = file->window.rows;
    file->info.cols = file->window.cols;
}

void clump_window_copy(const clump_file *file, enum clump_type type, const void *whole, void *part)
{
    const struct window *window = &file->window;
    size_t from = clump_type_row_bytes(type, window->whole_cols);
    size_t to = clump_type_row_bytes(type, window->cols);
    const char *start =
        (const char *)whole + window->row * from + clump_type_row_bytes(type, window->col);
    for (uint64_t row = 0; row < window->rows; row++)
        memcpy((char *)part + row * to, start + row * from, to);
}
