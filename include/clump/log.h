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
    CLUMP_LOG_WARNING, /* the call goes on, but not as asked or not as fast */
    CLUMP_LOG_INFO,    /* what was chosen: device, method, files */
    CLUMP_LOG_DEBUG    /* each kernel built, each cache file read */
};

struct clump_log {
    /* Takes one line without its end of line; `text` lives during the call only.
     * NULL: errors and warnings go to stderr. Called by the thread that made the call. */
    void (*line)(void *user, enum clump_log_level level, const char *text);
    void *user;                 /* handed to line */
    enum clump_log_level level; /* the chattiest level wanted */
    uint64_t reserved[2];       /* 0 (clump.h) */
};

/* Errors and warnings to stderr. */
CLUMP_API extern const struct clump_log clump_log_defaults;

#ifdef __cplusplus
}
#endif

#endif
