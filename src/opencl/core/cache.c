/* SPDX-License-Identifier: MIT */
/*
 * Built programs on disk. The key is everything that a binary depends on: options, device, driver
 * and the whole source. The file has the whole key, which is compared: where two keys have the same
 * hash, and so the same file name, a program is built again. A file that cannot be read, or has a
 * wrong checksum, is ignored.
 *
 * A program is built by one process at a time: it holds a lock on one byte of the file `.lock` of
 * the folder, of which the hash of the key is the offset. Another process that needs the same
 * program waits, and then finds it in the cache. The system drops the lock of a process that dies.
 *
 * A file has the magic, the length of the key, the length of the binary, the checksum of both (64
 * bits each), the key and the binary.
 */
#include "opencl/core/opencl.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MAGIC   0x31306b6e6c706d63u
#define LARGEST ((uint64_t)1 << 30)

#define LOCK_TRY_MS  5
#define LOCK_WAIT_MS 60000 /* a process that builds longer is stuck */

struct header {
    uint64_t magic, key_bytes, binary_bytes, checksum;
};

/* FNV-1a. */
static uint64_t hash(uint64_t h, const void *data, size_t bytes)
{
    const unsigned char *p = data;
    for (size_t i = 0; i < bytes; i++)
        h = (h ^ p[i]) * 0x100000001b3u;
    return h;
}

#define HASH_START 0xcbf29ce484222325u

char *clump_cache_folder(const struct clump_context_params *params)
{
    const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char *folder = NULL;
    if (params->cache_dir)
        return *params->cache_dir ? strdup(params->cache_dir) : NULL;
    if (xdg && *xdg == '/' && asprintf(&folder, "%s/clump", xdg) < 0)
        return NULL;
    if (!folder && home && *home == '/' && asprintf(&folder, "%s/.cache/clump", home) < 0)
        return NULL;
    return folder;
}

static char *file_name(clump_context *context, const char *key)
{
    char *path = NULL;
    uint64_t h = hash(HASH_START, key, strlen(key));
    if (!context->opencl->cache_dir ||
        asprintf(&path, "%s/%016" PRIx64 ".bin", context->opencl->cache_dir, h) < 0)
        return NULL;
    return path;
}

/* Makes a folder and the folders above it. */
static void make_folder(const char *path)
{
    char *copy = strdup(path);
    for (char *p = copy; p && *p; p++)
        if (*p == '/' && p != copy) {
            *p = 0;
            mkdir(copy, 0777);
            *p = '/';
        }
    if (copy)
        mkdir(copy, 0777);
    free(copy);
}

/* Reads key and binary behind the header and checks them; NULL when anything is wrong. */
static unsigned char *read_body(FILE *file, const struct header *header, const char *key)
{
    size_t key_bytes = (size_t)header->key_bytes, binary_bytes = (size_t)header->binary_bytes;
    unsigned char *body = malloc(key_bytes + binary_bytes);
    if (!body)
        return NULL;
    if (fread(body, 1, key_bytes + binary_bytes, file) != key_bytes + binary_bytes ||
        fgetc(file) != EOF || memcmp(body, key, key_bytes) ||
        hash(HASH_START, body, key_bytes + binary_bytes) != header->checksum) {
        free(body);
        return NULL;
    }
    memmove(body, body + key_bytes, binary_bytes);
    return body;
}

bool clump_cache_read(clump_context *context, const char *key, unsigned char **binary,
                      size_t *bytes)
{
    struct header header;
    char *path = file_name(context, key);
    FILE *file = path ? fopen(path, "rb") : NULL;
    *binary = NULL;
    if (file && fread(&header, sizeof header, 1, file) == 1 && header.magic == MAGIC &&
        header.key_bytes == strlen(key) && header.binary_bytes && header.binary_bytes < LARGEST)
        *binary = read_body(file, &header, key);
    if (*binary)
        *bytes = (size_t)header.binary_bytes;
    else if (file)
        clump_say(&context->log, CLUMP_LOG_DEBUG, "cache file %s is not usable: ignored", path);
    if (file)
        fclose(file);
    free(path);
    return *binary != NULL;
}

static bool write_all(int descriptor, const char *key, const unsigned char *binary, size_t bytes)
{
    size_t key_bytes = strlen(key);
    struct header header = {MAGIC, key_bytes, bytes,
                            hash(hash(HASH_START, key, key_bytes), binary, bytes)};
    FILE *file = fdopen(descriptor, "wb");
    if (!file) {
        close(descriptor);
        return false;
    }
    bool ok = fwrite(&header, sizeof header, 1, file) == 1 &&
              fwrite(key, 1, key_bytes, file) == key_bytes &&
              fwrite(binary, 1, bytes, file) == bytes;
    return fclose(file) == 0 && ok;
}

void clump_cache_write(clump_context *context, const char *key, const unsigned char *binary,
                       size_t bytes)
{
    char *path = file_name(context, key), *temporary = NULL;
    if (!path || asprintf(&temporary, "%s.XXXXXX", path) < 0) {
        free(path);
        return;
    }
    make_folder(context->opencl->cache_dir);
    int descriptor = mkstemp(temporary);
    if (descriptor < 0 || !write_all(descriptor, key, binary, bytes) || rename(temporary, path)) {
        clump_say(&context->log, CLUMP_LOG_DEBUG, "cache file %s was not written: %s", path,
                  strerror(errno));
        if (descriptor >= 0)
            unlink(temporary);
    }
    free(temporary);
    free(path);
}

void clump_cache_remove(clump_context *context, const char *key)
{
    char *path = file_name(context, key);
    if (path)
        unlink(path);
    free(path);
}

int clump_cache_lock(clump_context *context, const char *key)
{
    const struct timespec pause = {.tv_nsec = LOCK_TRY_MS * 1000000L};
    struct flock byte = {.l_type = F_WRLCK,
                         .l_whence = SEEK_SET,
                         .l_start = (off_t)(hash(HASH_START, key, strlen(key)) >> 34),
                         .l_len = 1};
    char *path = NULL;
    if (!context->opencl->cache_dir || asprintf(&path, "%s/.lock", context->opencl->cache_dir) < 0)
        return -1;
    make_folder(context->opencl->cache_dir);
    int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    free(path);
    for (int waited = 0; lock >= 0 && fcntl(lock, F_OFD_SETLK, &byte); waited += LOCK_TRY_MS) {
        if ((errno != EAGAIN && errno != EACCES) || waited >= LOCK_WAIT_MS) {
            close(lock);
            return -1;
        }
        nanosleep(&pause, NULL);
    }
    return lock;
}

void clump_cache_unlock(int lock)
{
    if (lock >= 0)
        close(lock);
}
