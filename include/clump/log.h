/* SPDX-License-Identifier: MIT */
/*
 * Where sentences for people go. A failing call writes exactly one line at
 * CLUMP_LOG_ERROR: what was asked, what was wrong, what would be right.
 */
#ifndef CLUMP_LOG_H
#define CLUMP_LOG_H

#include <stdint.h>

#include <clump/version.h>

#ifdef __cplusplus
extern "C" {
#endif

enum clump_log_level {
    CLUMP_LOG_ERROR,   /* why a call failed */
    CLUMP_LOG_WARNING, /* the call goes on, but differently or more slowly than was asked */
    CLUMP_LOG_INFO,    /* what was chosen: device, method, files */
    CLUMP_LOG_DEBUG    /* each kernel built, each cache file read */
};

struct clump_log {
    /* Is called with one line, without its end of line, by the thread that made the failing call;
     * `text` lives during this call only. NULL: lines go to stderr. */
    void (*line)(void *user, enum clump_log_level level, const char *text);
    void *user;                 /* the first argument of `line` */
    enum clump_log_level level; /* the most detailed level that is wanted */
    uint64_t reserved[2];       /* 0 (clump.h) */
};

/* Errors and warnings to stderr. */
CLUMP_API extern const struct clump_log clump_log_defaults;

#ifdef __cplusplus
}
#endif

#endif
