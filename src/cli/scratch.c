/* SPDX-License-Identifier: MIT */
#include "scratch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file/output.h"

static char folder[PATH_MAX], file[PATH_MAX + 32];
static volatile sig_atomic_t made; /* the folder is there */
static int lock = -1;

/* True for the name of a folder that a process of this machine has made; with the process. */
static bool is_scratch(const char *name, long *process)
{
    unsigned machine;
    int end = 0;
    return sscanf(name, "clump-%x-%ld-%n", &machine, process, &end) == 2 && end &&
           strlen(name + end) == 6 && machine == clump_output_machine() && *process > 0;
}

/* Removes a folder of this user's whose maker is gone: no such process, and no lock. */
static void sweep_one(int base, const char *name, long process)
{
    struct stat about;
    if (!kill((pid_t)process, 0) || errno != ESRCH)
        return;
    int old = openat(base, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    bool mine = old >= 0 && !fstat(old, &about) && about.st_uid == geteuid() &&
                !flock(old, LOCK_EX | LOCK_NB);
    DIR *list = mine ? fdopendir(old) : NULL;
    for (struct dirent *item; list && (item = readdir(list));)
        if (strcmp(item->d_name, ".") && strcmp(item->d_name, ".."))
            unlinkat(old, item->d_name, 0);
    if (mine)
        unlinkat(base, name, AT_REMOVEDIR);
    if (list)
        closedir(list);
    else if (old >= 0)
        close(old);
}

static void sweep(const char *base)
{
    DIR *list = opendir(base);
    long process;
    for (struct dirent *item; list && (item = readdir(list));)
        if (is_scratch(item->d_name, &process))
            sweep_one(dirfd(list), item->d_name, process);
    if (list)
        closedir(list);
}

const char *scratch_name(const char *ending)
{
    const char *set = secure_getenv("TMPDIR"), *base = set && *set ? set : "/tmp";
    char name[PATH_MAX];
    int length = snprintf(name, sizeof name, "%s/clump-%x-%ld-XXXXXX", base, clump_output_machine(),
                          (long)getpid());
    if (length < 0 || (size_t)length >= sizeof name) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    sweep(base);
    if (!mkdtemp(name))
        return NULL;
    strcpy(folder, name);
    snprintf(file, sizeof file, "%s/output.%.16s", folder, ending);
    made = 1;
    lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (lock >= 0)
        flock(lock, LOCK_EX | LOCK_NB);
    return file;
}

void scratch_remove(void)
{
    int before = errno;
    if (!made)
        return;
    made = 0;
    unlink(file);
    rmdir(folder);
    if (lock >= 0)
        close(lock);
    lock = -1;
    errno = before;
}
