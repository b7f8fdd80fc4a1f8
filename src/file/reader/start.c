/* SPDX-License-Identifier: MIT */
/* Finds clump-reader, starts it and ends it. */
#include "file/reader/remote.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file/reader/protocol.h"

extern char **environ;

/* The reader that was started ahead; owned by the process `owner`. */
static struct {
    pthread_mutex_t lock;
    struct reader reader;
    pid_t owner;
    unsigned expected; /* further files */
} spare = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* In the build tree, whose top is up to two above the folder of the library or program that this
 * code is part of. */
static bool in_build_tree(char *path, size_t room)
{
    static const char here = 0;
    char real[PATH_MAX];
    Dl_info info;
    if ((!dladdr(&here, &info) || !info.dli_fname || !realpath(info.dli_fname, real)) &&
        !realpath("/proc/self/exe", real))
        return false;
    for (int above = 0; above < 4; above++) {
        char *slash = strrchr(real, '/');
        if (!slash)
            return false;
        *slash = 0;
        if (above && snprintf(path, room, "%s/src/file/reader/clump-reader", real) < (int)room &&
            !access(path, X_OK))
            return true;
    }
    return false;
}

/* The program to start, "" where there is none to be; a place that is not ours is never tried by a
 * program with more rights than its user. */
static void find(char path[PATH_MAX])
{
    const char *asked = secure_getenv("CLUMP_READER");
    if (asked && *asked)
        snprintf(path, PATH_MAX, "%s", !strcmp(asked, "none") ? "" : asked);
    else if (getauxval(AT_SECURE) || !in_build_tree(path, PATH_MAX))
        snprintf(path, PATH_MAX, "%s", CLUMP_READER_PATH);
}

static int spawn(const char *path, int end, pid_t *pid)
{
    static char *const words[] = {"clump-reader", NULL};
    static char *const nothing[] = {NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t signals;
    if (posix_spawn_file_actions_init(&files))
        return ENOMEM;
    if (posix_spawnattr_init(&attributes)) {
        posix_spawn_file_actions_destroy(&files);
        return ENOMEM;
    }
    posix_spawn_file_actions_adddup2(&files, end, READER_SOCKET);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
#if !defined __SANITIZE_ADDRESS__ && !defined __SANITIZE_THREAD__
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
#endif
    /* A group of its own keeps the terminal's Ctrl-C, which is for the caller, from it. */
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                              POSIX_SPAWN_SETPGROUP);
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes, &signals);
    sigfillset(&signals);
    posix_spawnattr_setsigdefault(&attributes, &signals);
    int problem = posix_spawn(pid, path, &files, &attributes, words,
                              getauxval(AT_SECURE) ? nothing : environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return problem;
}

/* Starts a reader and does not wait for its greeting. Returns 0 or an errno. */
static int start(struct reader *reader, char path[PATH_MAX])
{
    int ends[2];
    find(path);
    if (!*path)
        return ENOENT;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        return errno;
    /* dup2 onto itself would leave the flag that closes it. */
    int end = fcntl(ends[1], F_DUPFD_CLOEXEC, READER_FILE);
    int problem = end < 0 ? errno : spawn(path, end, &reader->pid);
    if (end >= 0)
        close(end);
    close(ends[1]);
    reader->socket = ends[0];
    reader->memory = 0;
    reader->handle = -1;
#ifdef SYS_pidfd_open
    if (!problem)
        reader->handle = (int)syscall(SYS_pidfd_open, reader->pid, 0);
#endif
    if (problem)
        close(ends[0]);
    return problem;
}

static bool greets(const struct reader *reader)
{
    struct reader_greeting greeting,
        ours = reader_greeting(sizeof(struct reader_ask), sizeof(struct reader_answer),
                               sizeof(struct reader_opened));
    return reader_receive(reader->socket, &greeting, sizeof greeting, NULL) &&
           !memcmp(&greeting, &ours, sizeof ours);
}

/* A thread that held the lock is not there in the child; the reader is the parent's. */
static void in_child(void)
{
    pthread_mutex_init(&spare.lock, NULL);
    spare.owner = 0;
}

static void watch_forks(void) { pthread_atfork(NULL, NULL, in_child); }

static bool take_spare(struct reader *reader)
{
    pthread_mutex_lock(&spare.lock);
    bool there = spare.owner == getpid();
    *reader = spare.reader;
    spare.owner = 0;
    pthread_mutex_unlock(&spare.lock);
    return there;
}

static void start_spare(void)
{
    char path[PATH_MAX];
    pthread_mutex_lock(&spare.lock);
    if (spare.owner != getpid() && spare.expected) {
        spare.expected--;
        spare.owner = start(&spare.reader, path) ? 0 : getpid();
    }
    pthread_mutex_unlock(&spare.lock);
}

void clump_reader_expect(unsigned count)
{
    pthread_mutex_lock(&spare.lock);
    spare.expected = count;
    pthread_mutex_unlock(&spare.lock);
    start_spare();
}

bool clump_reader_start(const struct clump_log *log, struct reader *reader)
{
    static atomic_bool told;
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    char path[PATH_MAX] = "";
    int problem = 0;
    bool good = take_spare(reader);
    if (!good) {
        problem = start(reader, path);
        good = !problem;
    }
    if (good && !greets(reader)) {
        int status = clump_reader_end(reader);
        good = false;
        problem = status > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 127 ? ELIBACC : EPROTO;
        find(path);
    }
    if (good)
        start_spare();
    else if (*path && !atomic_exchange(&told, true))
        clump_say(log, CLUMP_LOG_WARNING,
                  "%s: cannot be started (%s): files are read without its protection", path,
                  strerror(problem));
    return good;
}

int clump_reader_end(struct reader *reader)
{
    int status = -1;
    close(reader->socket); /* which ends a reader that waits */
#ifdef SYS_pidfd_send_signal
    if (reader->handle >= 0)
        syscall(SYS_pidfd_send_signal, reader->handle, SIGKILL, NULL, 0);
#endif
    if (reader->handle >= 0)
        close(reader->handle);
    while (waitpid(reader->pid, &status, 0) < 0)
        if (errno != EINTR) {
            status = -1;
            break;
        }
    return status;
}
