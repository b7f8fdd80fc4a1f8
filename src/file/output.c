/* SPDX-License-Identifier: MIT */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include <clump/file.h>

#include "context.h"

#define SLOTS 64

/* The names of temporary files. A slot is FREE, TAKEN while its name is written, or LIVE when a
 * signal handler may read it. */
enum { FREE, TAKEN, LIVE };
static struct {
    atomic_int state;
    char name[PATH_MAX];
} slots[SLOTS];

static int slot_take(const char *name)
{
    if (strlen(name) >= PATH_MAX)
        return -1;
    for (int i = 0; i < SLOTS; i++) {
        int expected = FREE;
        if (atomic_compare_exchange_strong(&slots[i].state, &expected, TAKEN)) {
            strcpy(slots[i].name, name);
            atomic_store(&slots[i].state, LIVE);
            return i;
        }
    }
    return -1;
}

static void slot_free(int slot)
{
    if (slot >= 0)
        atomic_store(&slots[slot].state, FREE);
}

void clump_file_cleanup(void)
{
    int saved = errno;
    for (int i = 0; i < SLOTS; i++)
        if (atomic_load(&slots[i].state) == LIVE)
            unlink(slots[i].name);
    errno = saved;
}

bool clump_path_ends(const char *path, const char *ending)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    size_t length = strlen(name), tail = strlen(ending);
    return length > tail && !strcasecmp(name + length - tail, ending);
}

static enum clump_status fail(const struct output *output, const char *what)
{
    return clump_fail(output->log, CLUMP_ERROR_FILE, "%s: %s: %s", output->path, what,
                      strerror(errno));
}

static enum clump_status fail_exists(const struct output *output)
{
    return clump_fail(output->log, CLUMP_ERROR_FILE,
                      "%s: exists already and is kept; give another name, or replace it "
                      "(params.force)",
                      output->path);
}

/* Creates a file with a name that is not in use: in the folder of the target, a dot, the name of
 * the target, the process and a number. */
static int create_temporary(struct output *output)
{
    static atomic_uint number;
    const char *slash = strrchr(output->target, '/');
    int folder = slash ? (int)(slash - output->target) + 1 : 0;
    for (int tries = 0; tries < 100; tries++) {
        free(output->temporary);
        if (asprintf(&output->temporary, "%.*s.%.100s.%ld-%u.part", folder, output->target,
                     output->target + folder, (long)getpid(), atomic_fetch_add(&number, 1)) < 0) {
            output->temporary = NULL;
            return -1;
        }
        int fd = open(output->temporary, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

static void release(struct output *output)
{
    slot_free(output->slot);
    free(output->temporary);
    free(output->target);
    free(output->path);
    memset(output, 0, sizeof *output);
    output->slot = -1;
}

static enum clump_status check_target(struct output *output)
{
    struct stat about;
    if (stat(output->path, &about) == 0) {
        if (S_ISDIR(about.st_mode))
            return clump_fail(output->log, CLUMP_ERROR_FILE,
                              "%s: is a directory; the name of a file is needed", output->path);
        if (!output->force)
            return fail_exists(output);
        output->target =
            realpath(output->path, NULL); /* a link stays; the file that it leads to is replaced */
    } else {
        output->target = strdup(output->path);
    }
    if (!output->target)
        return fail(output, "cannot be written");
    return CLUMP_OK;
}

enum clump_status clump_output_begin(const struct clump_log *log, const char *path, bool force,
                                     struct output *output)
{
    *output = (struct output){.log = log, .force = force, .slot = -1};
    if (!path || !*path)
        return clump_fail(log, CLUMP_ERROR_ARGUMENT, "write: no name was given for the file");
    output->path = strdup(path);
    if (!output->path)
        return clump_fail(log, CLUMP_ERROR_MEMORY, "%s: out of memory", path);
    enum clump_status status = check_target(output);
    if (status) {
        release(output);
        return status;
    }
    int fd = create_temporary(output);
    if (fd < 0) {
        status = fail(output, "cannot be created");
        release(output);
        return status;
    }
    output->slot = slot_take(output->temporary);
    close(fd);
    return CLUMP_OK;
}

/* Gives the file the name of the target. Without force that is done by link(), which fails where
 * the target has appeared in the meantime. */
static enum clump_status put(struct output *output)
{
    if (!output->force) {
        if (link(output->temporary, output->target) == 0) {
            unlink(output->temporary);
            return CLUMP_OK;
        }
        if (errno == EEXIST || access(output->target, F_OK) == 0)
            return fail_exists(output);
    }
    if (rename(output->temporary, output->target) != 0)
        return fail(output, "cannot be put in its place");
    return CLUMP_OK;
}

enum clump_status clump_output_end(struct output *output, enum clump_status status)
{
    if (!output->temporary)
        return status;
    if (!status)
        status = put(output);
    if (status)
        unlink(output->temporary);
    release(output);
    return status;
}
