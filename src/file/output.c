/* SPDX-License-Identifier: MIT */
#include "output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
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

/* Where the name of a file begins behind its folder. */
static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The folder of the target; release with free. */
static char *folder_of(const char *target)
{
    size_t length = (size_t)(base_of(target) - target);
    return length ? strndup(target, length) : strdup(".");
}

#define PART_NAME 100 /* bytes of the target's name in that of its part */

unsigned clump_output_machine(void)
{
    char name[HOST_NAME_MAX + 1] = "";
    unsigned hash = 2166136261u;
    gethostname(name, sizeof name - 1);
    for (const char *c = name; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619u;
    return hash;
}

/* True for ".NAME.MACHINE-PROCESS-NUMBER.part" of this machine, with the process. */
static bool is_part(const char *name, const char *of, long *process)
{
    char expected[PART_NAME + 3], ending[6] = "";
    unsigned number, where;
    int length = snprintf(expected, sizeof expected, ".%.*s.", PART_NAME, of);
    return !strncmp(name, expected, (size_t)length) &&
           sscanf(name + length, "%x-%ld-%u.%5s", &where, process, &number, ending) == 4 &&
           where == clump_output_machine() && !strcmp(ending, "part");
}

/* Removes a part if its writer is gone: no such process, and nobody holds its lock. */
static void sweep_part(int folder, const char *name, long process)
{
    if (process <= 0 || !kill((pid_t)process, 0) || errno != ESRCH)
        return;
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return;
    if (!flock(fd, LOCK_EX | LOCK_NB))
        unlinkat(folder, name, 0);
    close(fd);
}

/* Removes the parts of the target that were left behind by processes which were killed. */
static void sweep(const char *target)
{
    char *path = folder_of(target);
    DIR *folder = path ? opendir(path) : NULL;
    long process;
    for (struct dirent *item; folder && (item = readdir(folder));)
        if (is_part(item->d_name, base_of(target), &process))
            sweep_part(dirfd(folder), item->d_name, process);
    if (folder)
        closedir(folder);
    free(path);
}

/* A name that no one else has: the folder of the target, a dot, its name, machine, process and
 * number. */
static int create_temporary(struct output *output)
{
    static atomic_uint number;
    const char *base = base_of(output->target);
    for (int tries = 0; tries < 100; tries++) {
        free(output->temporary);
        if (asprintf(&output->temporary, "%.*s.%.*s.%x-%ld-%u.part", (int)(base - output->target),
                     output->target, PART_NAME, base, clump_output_machine(), (long)getpid(),
                     atomic_fetch_add(&number, 1)) < 0) {
            output->temporary = NULL;
            return -1;
        }
        int fd = open(output->temporary, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0666);
        if (fd >= 0)
            flock(fd, LOCK_EX | LOCK_NB);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

static void release(struct output *output)
{
    slot_free(output->slot);
    if (output->fd >= 0)
        close(output->fd);
    free(output->temporary);
    free(output->target);
    free(output->path);
    *output = (struct output){.fd = -1, .slot = -1};
}

static enum clump_status check_target(struct output *output)
{
    struct stat about;
    if (stat(output->path, &about) == 0) {
        if (S_ISDIR(about.st_mode))
            return clump_fail(output->log, CLUMP_ERROR_FILE,
                              "%s: is a directory; the name of a file is needed", output->path);
        if (!S_ISREG(about.st_mode))
            return clump_fail(output->log, CLUMP_ERROR_FILE,
                              "%s: is a pipe or a device, and is left alone; results go to "
                              "regular files",
                              output->path);
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

/* Finds the target. Release the output in any case. */
static enum clump_status begin(const struct clump_log *log, const char *path, bool force,
                               struct output *output)
{
    *output = (struct output){.log = log, .force = force, .fd = -1, .slot = -1};
    if (!path || !*path)
        return clump_fail(log, CLUMP_ERROR_ARGUMENT, "write: no name was given for the file");
    output->path = strdup(path);
    if (!output->path)
        return clump_fail(log, CLUMP_ERROR_MEMORY, "%s: out of memory", path);
    return check_target(output);
}

enum clump_status clump_output_check(const struct clump_log *log, const char *path, bool force)
{
    struct output output;
    enum clump_status status = begin(log, path, force, &output);
    char *folder = status ? NULL : folder_of(output.target);
    if (!status && (!folder || access(folder, W_OK | X_OK)))
        status = fail(&output, "cannot be created");
    free(folder);
    release(&output);
    return status;
}

enum clump_status clump_output_begin(const struct clump_log *log, const char *path, bool force,
                                     struct output *output)
{
    enum clump_status status = begin(log, path, force, output);
    if (status) {
        release(output);
        return status;
    }
    sweep(output->target);
    output->fd = create_temporary(output);
    if (output->fd < 0) {
        status = fail(output, "cannot be created");
        release(output);
        return status;
    }
    output->slot = slot_take(output->temporary);
    return CLUMP_OK;
}

/* A file that is replaced keeps its mode and, as far as the system allows it, its owner. The
 * rights that let a program run as its owner are not those of an image. */
static void keep_rights(const struct output *output, int fd)
{
    struct stat about;
    if (stat(output->target, &about) || !S_ISREG(about.st_mode))
        return;
    if (fchown(fd, about.st_uid, about.st_gid) && fchown(fd, (uid_t)-1, about.st_gid))
        errno = 0; /* the system does not allow it: the file belongs to the writer */
    fchmod(fd, about.st_mode & 0777);
}

/* Waits until what is written to a file, or the names in a folder, are on the disk. */
static bool settle(int fd) { return !fsync(fd) || errno == EINVAL || errno == EROFS; }

/* Finishes the temporary file, which a writer may have made anew, so that it is found by its name:
 * not through a link, which somebody else would have put there. */
static bool finish(const struct output *output)
{
    struct stat about;
    int fd = open(output->temporary, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    bool done = fd >= 0 && !fstat(fd, &about) && S_ISREG(about.st_mode) && about.st_nlink <= 1;
    if (fd >= 0 && !done)
        errno = EPERM;
    if (done) {
        keep_rights(output, fd);
        done = settle(fd);
    }
    int reason = errno;
    if (fd >= 0)
        close(fd);
    errno = reason;
    return done;
}

static void settle_folder(const char *target)
{
    char *folder = folder_of(target);
    int fd = folder ? open(folder, O_RDONLY | O_CLOEXEC) : -1;
    if (fd >= 0) {
        settle(fd); /* the file is in its place, whether or not the disk knows it already */
        close(fd);
    }
    free(folder);
}

/* Gives the file the name of the target. Without force that is done by link(), which fails where
 * the target has appeared in the meantime. */
static enum clump_status put(struct output *output)
{
    if (!finish(output))
        return fail(output, "cannot be written");
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
    if (!status)
        settle_folder(output->target);
    release(output);
    return status;
}
