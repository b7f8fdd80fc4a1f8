/* SPDX-License-Identifier: MIT */
/*
 * Load: eight threads with a context each run the pairs side by side, and one context takes a
 * thousand images, as TAP. Results are compared, and memory must not grow.
 *
 *   load [SECONDS [IMAGES]]    60 and 1000 unless said otherwise
 */
#include "pair.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "context.h"
#include "opencl/api.h"

#define THREADS      8
#define GROWTH_BYTES (16u << 20) /* that allocators and drivers may keep */

struct worker {
    pthread_t thread;
    unsigned number;
    uint64_t runs;
    char message[512]; /* what went wrong, or "" */
};

static double end_ms;
static unsigned number, failures;

static size_t resident(void)
{
    unsigned long pages = 0, size;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%lu %lu", &size, &pages) != 2)
        pages = 0;
    if (file)
        fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static int64_t objects(void)
{
    int64_t total = 0;
    for (int kind = 0; kind < CLUMP_CL_OBJECT_COUNT; kind++)
        total += clump_cl_alive((enum clump_cl_object)kind);
    return total;
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
    params.shape = n % 2 ? CLUMP_SHAPE_THIN : CLUMP_SHAPE_FAT;
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

/* Images of a few sizes through one context; after the first tenth nothing may grow. */
static void test_images(unsigned images)
{
    clump_context *reference = NULL, *device = NULL;
    char what[128], message[512] = "";
    size_t before = 0;
    int64_t objects_before = 0;
    unsigned count = 0;
    while (pairs[count])
        count++;
    if (!open_both(&reference, &device, 0))
        snprintf(message, sizeof message, "no context");
    for (unsigned i = 0; i < images && !*message; i++) {
        if (i == images / 10) {
            before = resident();
            objects_before = objects();
        }
        for (unsigned p = 0; p < count && !*message; p++) {
            bool skipped;
            struct pair_case test = {100 + i % 3, 130, type_of(pairs[p], i % 10), i};
            char differs[384];
            if (!pair_check(pairs[p], &test, reference, device, &skipped, differs, sizeof differs))
                snprintf(message, sizeof message, "%s, image %u: %s", pairs[p]->name, i, differs);
        }
    }
    size_t after = resident();
    if (!*message && after > before + GROWTH_BYTES)
        snprintf(message, sizeof message, "memory grew from %zu to %zu bytes", before, after);
    if (!*message && objects() > objects_before + 32)
        snprintf(message, sizeof message, "OpenCL objects grew from %" PRId64 " to %" PRId64,
                 objects_before, objects());
    clump_context_destroy(&device);
    clump_context_destroy(&reference);
    snprintf(what, sizeof what, "%u images through one context, %zu to %zu MiB", images,
             before >> 20, after >> 20);
    report(what, message);
    report("nothing is left", objects() ? "OpenCL objects are left" : "");
}

int main(int argc, char **argv)
{
    test_threads(argc > 1 ? atof(argv[1]) : 60);
    test_images(argc > 2 ? (unsigned)atoi(argv[2]) : 1000);
    printf("1..%u\n", number);
    return failures != 0;
}
