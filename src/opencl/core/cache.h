/* SPDX-License-Identifier: MIT */
/*
 * Binaries of built programs on disk, by everything that made them. A cache that cannot be read or
 * written costs a build and is no error.
 */
#ifndef CLUMP_SRC_OPENCL_CACHE_H
#define CLUMP_SRC_OPENCL_CACHE_H

#include "context.h"

/* The folder: the parameter, $XDG_CACHE_HOME/clump or ~/.cache/clump; freed by the caller. NULL: no
 * cache. */
char *clump_cache_folder(const struct clump_context_params *params);
/* `*binary` is freed by the caller. */
bool clump_cache_read(clump_context *context, const char *key, unsigned char **binary,
                      size_t *bytes);
void clump_cache_write(clump_context *context, const char *key, const unsigned char *binary,
                       size_t bytes);
void clump_cache_remove(clump_context *context, const char *key);
#define CLUMP_CACHE_BUSY (-2) /* what clump_cache_lock returns if another process has the lock */
/* Waits, unless `wait` is false, until no other process or context builds the program of this key,
 * and keeps others from building it. Returns -1 where it cannot: two may then build the same. */
int clump_cache_lock(clump_context *context, const char *key, bool wait);
void clump_cache_unlock(int lock);

#endif
