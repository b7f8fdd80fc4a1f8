/* SPDX-License-Identifier: MIT */
#include "progress.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "shown.h"

#define PATIENCE_S 1.0 /* what takes less is not worth a line */
#define REDRAW_MS  250

static struct {
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    bool running, stop, drawn;
    struct timespec since;
    char what[160];
} watch = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static double elapsed(const struct timespec *since)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - since->tv_sec) + (double)(now.tv_nsec - since->tv_nsec) * 1e-9;
}

static void wipe(void)
{
    if (watch.drawn)
        fputs("\r\033[K", stderr);
    watch.drawn = false;
}

static void draw(void)
{
    double seconds = elapsed(&watch.since);
    if (seconds < PATIENCE_S || !watch.what[0])
        return;
    struct winsize window = {.ws_col = 0};
    ioctl(STDERR_FILENO, TIOCGWINSZ, &window);
    int room = window.ws_col ? window.ws_col : 80;
    wipe();
    fprintf(stderr, "%.*s ... %.0f s", room > 20 ? room - 12 : 8, watch.what, seconds);
    fflush(stderr);
    watch.drawn = true;
}

static void *draw_until_stopped(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&watch.mutex);
    while (!watch.stop) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += REDRAW_MS * 1000000L;
        until.tv_sec += until.tv_nsec / 1000000000L;
        until.tv_nsec %= 1000000000L;
        pthread_cond_timedwait(&watch.wake, &watch.mutex, &until);
        if (!watch.stop)
            draw();
    }
    pthread_mutex_unlock(&watch.mutex);
    return NULL;
}

void progress_start(bool wanted)
{
    if (!wanted || !isatty(STDERR_FILENO))
        return;
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&watch.wake, &clock);
    pthread_condattr_destroy(&clock);
    clock_gettime(CLOCK_MONOTONIC, &watch.since);
    watch.running = !pthread_create(&watch.thread, NULL, draw_until_stopped, NULL);
}

void progress_set(const char *format, ...)
{
    if (!watch.running)
        return;
    va_list list;
    va_start(list, format);
    pthread_mutex_lock(&watch.mutex);
    char what[sizeof watch.what];
    vsnprintf(what, sizeof what, format, list);
    clump_shown(what, "", watch.what, sizeof watch.what);
    pthread_mutex_unlock(&watch.mutex);
    va_end(list);
}

void progress_clear(void)
{
    if (!watch.running)
        return;
    pthread_mutex_lock(&watch.mutex);
    wipe();
    pthread_mutex_unlock(&watch.mutex);
}

void progress_stop(void)
{
    if (!watch.running)
        return;
    pthread_mutex_lock(&watch.mutex);
    wipe();
    watch.stop = true;
    pthread_cond_signal(&watch.wake);
    pthread_mutex_unlock(&watch.mutex);
    pthread_join(watch.thread, NULL);
    watch.running = false;
}
