/* SPDX-License-Identifier: MIT */
#include "context.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "shown.h"

const struct clump_log clump_log_defaults = {.level = CLUMP_LOG_WARNING};

static void emit(const struct clump_log *log, enum clump_log_level level, const char *text)
{
    if (log->line)
        log->line(log->user, level, text);
    else
        fprintf(stderr, "clump: %s\n", text);
}

/* A line that is longer than `text`, such as the log of a build, is formatted into memory of its
 * own length. */
void clump_say(const struct clump_log *log, enum clump_log_level level, const char *format, ...)
{
    char text[1024];
    va_list args, again;
    if (!log)
        log = &clump_log_defaults;
    if (level > log->level)
        return;
    va_start(args, format);
    va_copy(again, args);
    int length = vsnprintf(text, sizeof text, format, args);
    char *longer = length >= (int)sizeof text ? malloc((size_t)length + 1) : NULL;
    if (longer)
        vsnprintf(longer, (size_t)length + 1, format, again);
    va_end(again);
    va_end(args);
    /* Names and header values may hold what a terminal would act on; compilers' logs have lines. */
    char *shown = clump_shown_new(longer ? longer : text, "\n\t");
    emit(log, level, shown ? shown : "out of memory");
    free(shown);
    free(longer);
}

double clump_now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}
