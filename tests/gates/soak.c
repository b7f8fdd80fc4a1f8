/* SPDX-License-Identifier: MIT */
/*
 * Load: eight threads with a context each run the pairs side by side, and one context takes a
 * thousand images, as TAP. Results are compared, and memory must not grow.
 *
 *   soak [SECONDS [IMAGES]]    60 and 1000 unless said otherwise
 */
#include "pair.h"

#include <inttypes.h>
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "context.h"
#include "opencl/core/api.h"

#define THREADS      8
#define REPEATS      10          /* an image comes again this often */
#define GROWTH_BYTES (16u << 20) /* that the process may get from the system and keep */
#define HEAP_BYTES   (1u << 18)  /* that may stay allocated: records of the drivers' own */

struct worker {
    pthread_t thread;
    unsigned number;
    uint64_t runs;
    char message[512]; /* what went wrong, or "" */
};

static double end_ms;
static unsigned number, failures;

struct usage {
    size_t resident, heap; /* bytes */
    int64_t objects;       /* of OpenCL */
};

static int64_t objects(void)
{
    int64_t total = 0;
    for (int kind = 0; kind < CLUMP_CL_OBJECT_COUNT; kind++)
        total += clump_cl_alive((enum clump_cl_object)kind);
    return total;
}

/* The address sanitizer keeps freed memory for a while, so only memory in use is counted there. */
extern size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

static struct usage usage(void)
{
    unsigned long pages = 0, size;
    if (__sanitizer_get_current_allocated_bytes)
        return (struct usage){0, __sanitizer_get_current_allocated_bytes(), objects()};
    struct mallinfo2 info = mallinfo2();
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%lu %lu", &size, &pages) != 2)
        pages = 0;
    if (file)
        fclose(file);
    return (struct usage){pages * (size_t)sysconf(_SC_PAGESIZE), info.uordblks + info.hblkhd,
                          objects()};
}

static void report(const char *what, const char *wrong)
{
    printf("%sok %u - %s\n", *wrong ? "not " : "", ++number, what);
    if (*wrong)
        printf("# %s\n", wrong);
    fflush(stdout);
    failures += *wrong != 0;
}

static bool open_both(clump_context **reference, clump_context **device, unsigned n)
{
    struct clump_context_params params = clump_context_defaults;
    params.device = "reference";
    if (clump_context_create(&params, reference))
        return false;
    params.device = getenv("CLUMP_TEST_DEVICE");
    params.layout = n % 2 ? CLUMP_CONTEXT_LAYOUT_FINE : CLUMP_CONTEXT_LAYOUT_COARSE;
    return clump_context_create(&params, device) == CLUMP_OK;
}

static enum clump_type type_of(const struct pair *pair, uint64_t seed)
{
    unsigned type = (unsigned)(seed % CLUMP_TYPE_COUNT);
    while (!(pair->types & 1u << type))
        type = (type + 1) % CLUMP_TYPE_COUNT;
    return (enum clump_type)type;
}

/* Every pair in turn, in another order and with other images in each thread. */
static void *work(void *argument)
{
    struct worker *worker = argument;
    clump_context *reference = NULL, *device = NULL;
    unsigned count = 0;
    while (pairs[count])
        count++;
    if (!open_both(&reference, &device, worker->number))
        snprintf(worker->message, sizeof worker->message, "no context");
    for (uint64_t i = worker->number; !*worker->message && clump_now_ms() < end_ms; i++) {
        const struct pair *pair = pairs[i % count];
        bool skipped;
        struct pair_case test = {33 + i % 40, 65 + i % 31, type_of(pair, i), i};
        char message[384] = "";
        worker->runs++;
        if (!pair_check(pair, &test, reference, device, &skipped, message, sizeof message))
            snprintf(worker->message, sizeof worker->message, "%s, seed %" PRIu64 ": %s",
                     pair->name, i, message);
    }
    clump_context_destroy(&device);
    clump_context_destroy(&reference);
    return NULL;
}

static void test_threads(double seconds)
{
    struct worker workers[THREADS] = {0};
    char what[128];
    uint64_t runs = 0;
    end_ms = clump_now_ms() + seconds * 1e3;
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i].number = i;
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
            abort();
    }
    for (unsigned i = 0; i < THREADS; i++) {
        pthread_join(workers[i].thread, NULL);
        runs += workers[i].runs;
        snprintf(what, sizeof what, "thread %u: %" PRIu64 " operations", i, workers[i].runs);
        report(what, workers[i].message);
    }
    snprintf(what, sizeof what, "%u threads, %g s, %" PRIu64 " operations: nothing is left",
             THREADS, seconds, runs);
    report(what, objects() ? "OpenCL objects are left" : "");
}

static void compare_usage(struct usage before, struct usage after, char *message, size_t room)
{
    if (after.resident > before.resident + GROWTH_BYTES)
        snprintf(message, room, "memory grew from %zu to %zu bytes", before.resident,
                 after.resident);
    else if (after.heap > before.heap + HEAP_BYTES)
        snprintf(message, room, "allocated memory grew from %zu to %zu bytes", before.heap,
                 after.heap);
    else if (after.objects > before.objects)
        snprintf(message, room, "OpenCL objects grew from %" PRId64 " to %" PRId64, before.objects,
                 after.objects);
}

/* Every pair on an image; the number stands for its size, type and pixels. */
static void take(unsigned image, clump_context *reference, clump_context *device, char *message,
                 size_t room)
{
    for (const struct pair *const *pair = pairs; *pair && !*message; pair++) {
        bool skipped;
        struct pair_case test = {100 + image % 3, 130, type_of(*pair, CLUMP_F32 + image / 3),
                                 image};
        char differs[384];
        if (!pair_check(*pair, &test, reference, device, &skipped, differs, sizeof differs))
            snprintf(message, room, "%s, image %u: %s", (*pair)->name, image, differs);
    }
}

/* Runs images through one context. After each has come twice, memory may not grow any more. */
static void test_images(unsigned images)
{
    clump_context *reference = NULL, *device = NULL;
    char what[128], message[512] = "";
    struct usage before = {0};
    unsigned different = images / REPEATS;
    if (!open_both(&reference, &device, 0))
        snprintf(message, sizeof message, "no context");
    for (unsigned i = 0; i < images && !*message; i++) {
        if (i == 2 * different)
            before = usage();
        take(i % different, reference, device, message, sizeof message);
    }
    struct usage after = usage();
    if (!*message)
        compare_usage(before, after, message, sizeof message);
    clump_context_destroy(&device);
    clump_context_destroy(&reference);
    snprintf(what, sizeof what,
             "%u images through one context, %zu to %zu MiB, heap %zu to %zu KiB", images,
             before.resident >> 20, after.resident >> 20, before.heap >> 10, after.heap >> 10);
    report(what, message);
    report("nothing is left", objects() ? "OpenCL objects are left" : "");
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 60;
    unsigned images = argc > 2 ? (unsigned)atoi(argv[2]) : 1000;
    if (!(seconds > 0) || images < REPEATS) {
        fprintf(stderr, "usage: soak [SECONDS [IMAGES]], of which %u at least\n", REPEATS);
        return 2;
    }
    test_threads(seconds);
    test_images(images);
    printf("1..%u\n", number);
    return failures != 0;
}
