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
 * A binary runs with the rights of whoever loads it. So the folder is made for its owner alone
 * (mode 0700), and neither a folder nor a file is used that belongs to another user, that others
 * can write to, or that is a link. Files are opened relative to the folder that was checked. When
 * the folder holds more than bounds.cache_bytes, the files that were used longest ago are removed.
 *
 * A file has the magic, the length of the key, the length of the binary, the checksum of both (64
 * bits each), the key and the binary.
 */
#include "opencl/core/opencl.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MAGIC   0x31306b6e6c706d63u
#define LARGEST ((uint64_t)1 << 30)
#define ENDING  ".bin"

#define FOLDER_FILES 65536u /* that are looked at when it is full */

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
    const char *xdg = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
    char *folder = NULL;
    if (params->cache_dir)
        return *params->cache_dir ? strdup(params->cache_dir) : NULL;
    if (xdg && *xdg == '/' && asprintf(&folder, "%s/clump", xdg) < 0)
        return NULL;
    if (!folder && home && *home == '/' && asprintf(&folder, "%s/.cache/clump", home) < 0)
        return NULL;
    return folder;
}

/* The name of the file in the folder. */
static void name_file(const char *key, char name[32])
{
    snprintf(name, 32, "%016" PRIx64 ENDING, hash(HASH_START, key, strlen(key)));
}

/* Makes the folder, for its owner alone, and those above it. */
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
        mkdir(copy, 0700);
    free(copy);
}

/* Whether nobody but this user (and root, who can do anything) can have written it. */
static bool is_own(const struct stat *about)
{
    return about->st_uid == geteuid() && !(about->st_mode & (S_IWGRP | S_IWOTH));
}

/* Stops using the folder, and says why, once per context. */
static int distrust(clump_context *context, const struct stat *about)
{
    char *folder = context->opencl->cache_dir;
    if (S_ISLNK(about->st_mode))
        clump_say(&context->log, CLUMP_LOG_WARNING,
                  "built kernels are not kept: %s is a link; a folder is needed there", folder);
    else if (about->st_uid != geteuid())
        clump_say(&context->log, CLUMP_LOG_WARNING,
                  "built kernels are not kept: the folder %s belongs to user %u, not to user %u, "
                  "who runs this; choose another one (XDG_CACHE_HOME)",
                  folder, (unsigned)about->st_uid, (unsigned)geteuid());
    else
        clump_say(&context->log, CLUMP_LOG_WARNING,
                  "built kernels are not kept: others can write to the folder %s; "
                  "`chmod 700` makes it yours alone, if nobody has put anything there",
                  folder);
    context->opencl->cache_dir = NULL;
    free(folder);
    return -1;
}

/* Opens the folder if it can be trusted; -1 if there is none. */
static int open_folder(clump_context *context, bool make)
{
    const int how = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    struct stat about;
    if (!context->opencl->cache_dir)
        return -1;
    int folder = open(context->opencl->cache_dir, how);
    if (folder < 0 && make) {
        make_folder(context->opencl->cache_dir);
        folder = open(context->opencl->cache_dir, how);
    }
    if (folder < 0)
        return !lstat(context->opencl->cache_dir, &about) && S_ISLNK(about.st_mode)
                   ? distrust(context, &about)
                   : -1;
    if (fstat(folder, &about) == 0 && is_own(&about))
        return folder;
    close(folder);
    return distrust(context, &about);
}

/* Opens a file of the folder if it can be trusted. */
static FILE *open_file(clump_context *context, int folder, const char *name)
{
    struct stat about;
    int descriptor = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0)
        return NULL;
    if (fstat(descriptor, &about) || !S_ISREG(about.st_mode) || about.st_nlink != 1 ||
        !is_own(&about)) {
        clump_say(&context->log, CLUMP_LOG_WARNING,
                  "cache file %s/%s is not used: it is not a plain file that only its owner, "
                  "who runs this, can write",
                  context->opencl->cache_dir, name);
        close(descriptor);
        return NULL;
    }
    FILE *file = fdopen(descriptor, "rb");
    if (!file)
        close(descriptor);
    return file;
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
    char name[32];
    int folder = open_folder(context, false);
    *binary = NULL;
    if (folder < 0)
        return false;
    name_file(key, name);
    FILE *file = open_file(context, folder, name);
    if (file && fread(&header, sizeof header, 1, file) == 1 && header.magic == MAGIC &&
        header.key_bytes == strlen(key) && header.binary_bytes && header.binary_bytes < LARGEST)
        *binary = read_body(file, &header, key);
    if (*binary) {
        *bytes = (size_t)header.binary_bytes;
        futimens(fileno(file), NULL); /* the time of its last use */
    } else if (file)
        clump_say(&context->log, CLUMP_LOG_DEBUG, "cache file %s/%s is not usable: ignored",
                  context->opencl->cache_dir, name);
    if (file)
        fclose(file);
    close(folder);
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

struct entry {
    char name[32];
    uint64_t bytes;
    struct timespec used;
};

static int older(const void *a, const void *b)
{
    const struct timespec *x = &((const struct entry *)a)->used,
                          *y = &((const struct entry *)b)->used;
    return x->tv_sec != y->tv_sec ? (x->tv_sec > y->tv_sec) - (x->tv_sec < y->tv_sec)
                                  : (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

/* Lists the folder's files, and their bytes in all. Release with free. */
static struct entry *list_files(int folder, size_t *count, uint64_t *total)
{
    struct entry *entries = NULL;
    int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = again < 0 ? NULL : fdopendir(again);
    if (!stream && again >= 0)
        close(again);
    *count = 0;
    *total = 0;
    for (struct dirent *item; stream && *count < FOLDER_FILES && (item = readdir(stream));) {
        struct stat about;
        if (strlen(item->d_name) >= sizeof entries->name ||
            strspn(item->d_name, "0123456789abcdef") != 16 ||
            strncmp(item->d_name + 16, ENDING, sizeof ENDING - 1) ||
            fstatat(folder, item->d_name, &about, AT_SYMLINK_NOFOLLOW))
            continue;
        struct entry *more = realloc(entries, (*count + 1) * sizeof *more);
        if (!more)
            break;
        entries = more;
        strcpy(entries[*count].name, item->d_name);
        entries[*count].bytes = (uint64_t)about.st_size;
        entries[*count].used = about.st_mtim;
        *total += entries[(*count)++].bytes;
    }
    if (stream)
        closedir(stream);
    return entries;
}

/* Removes the files that were used longest ago, until no more than bounds.cache_bytes are left. */
static void sweep_folder(clump_context *context, int folder)
{
    size_t count;
    uint64_t total, most = context->opencl->bounds.cache_bytes;
    struct entry *entries = list_files(folder, &count, &total);
    if (total > most)
        qsort(entries, count, sizeof *entries, older);
    for (size_t i = 0; i < count && total > most; i++)
        if (!unlinkat(folder, entries[i].name, 0)) {
            total -= entries[i].bytes;
            clump_say(&context->log, CLUMP_LOG_DEBUG, "cache file %s: removed, the folder is full",
                      entries[i].name);
        }
    free(entries);
}

/* Removes what killed processes have left of a file. Whoever builds a program holds its lock, so
 * that no other process writes the file now. */
static void sweep_parts(int folder, const char *name)
{
    size_t length = strlen(name);
    int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = again < 0 ? NULL : fdopendir(again);
    for (struct dirent *item; stream && (item = readdir(stream));)
        if (!strncmp(item->d_name, name, length) && item->d_name[length] == '.')
            unlinkat(folder, item->d_name, 0);
    if (stream)
        closedir(stream);
    else if (again >= 0)
        close(again);
}

/* Creates a file that nobody else has; its name is `name` and a number. */
static int create_file(int folder, const char *name, char temporary[48])
{
    static atomic_uint number;
    for (int tries = 0; tries < 100; tries++) {
        snprintf(temporary, 48, "%s.%lx%x", name, (unsigned long)getpid() & 0xffffffff,
                 atomic_fetch_add(&number, 1) & 0xfff);
        int descriptor =
            openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (descriptor >= 0 || errno != EEXIST)
            return descriptor;
    }
    return -1;
}

void clump_cache_write(clump_context *context, const char *key, const unsigned char *binary,
                       size_t bytes)
{
    char name[32], temporary[48];
    int folder = open_folder(context, true);
    if (folder < 0)
        return;
    name_file(key, name);
    sweep_parts(folder, name);
    int descriptor = create_file(folder, name, temporary);
    if (descriptor < 0 || !write_all(descriptor, key, binary, bytes) ||
        renameat(folder, temporary, folder, name)) {
        clump_say(&context->log, CLUMP_LOG_DEBUG, "cache file %s/%s was not written: %s",
                  context->opencl->cache_dir, name, strerror(errno));
        if (descriptor >= 0)
            unlinkat(folder, temporary, 0);
    }
    sweep_folder(context, folder);
    close(folder);
}

void clump_cache_remove(clump_context *context, const char *key)
{
    char name[32];
    int folder = open_folder(context, false);
    if (folder < 0)
        return;
    name_file(key, name);
    unlinkat(folder, name, 0);
    close(folder);
}

int clump_cache_lock(clump_context *context, const char *key, bool wait)
{
    const struct timespec pause = {.tv_nsec = LOCK_TRY_MS * 1000000L};
    struct flock byte = {.l_type = F_WRLCK,
                         .l_whence = SEEK_SET,
                         .l_start = (off_t)(hash(HASH_START, key, strlen(key)) >> 34),
                         .l_len = 1};
    int folder = open_folder(context, true);
    if (folder < 0)
        return -1;
    int lock = openat(folder, ".lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    close(folder);
    for (int waited = 0; lock >= 0 && fcntl(lock, F_OFD_SETLK, &byte); waited += LOCK_TRY_MS) {
        bool busy = errno == EAGAIN || errno == EACCES;
        if (!busy || !wait || waited >= LOCK_WAIT_MS) {
            close(lock);
            return busy && !wait ? CLUMP_CACHE_BUSY : -1;
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
