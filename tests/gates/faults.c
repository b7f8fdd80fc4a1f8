/* SPDX-License-Identifier: MIT */
/*
 * Faults: makes every call of OpenCL, and every allocation, fail in turn, as TAP.
 *
 *   faults [NAME...]    of pairs; all of them without names
 *
 * After each fault: a status and one line of error, or the right result and none; nothing is
 * leaked; the same operation in the same context works.
 */
#include "pair.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fault_inject.h"
#include "opencl/core/api.h"

#define COMPLAINTS 5

struct memory {
    unsigned errors;
    char line[512]; /* the last */
};

struct scene {
    const struct pair *pair;
    struct pair_case test;
    struct pair_input input; /* on the reference */
    struct pair_output expected;
    struct clump_context_params params;
    struct memory memory;
    unsigned complaints;
};

static clump_context *reference;
static char cache[4096];
static unsigned number, failures, faults_made;

static void remember(void *user, enum clump_log_level level, const char *text)
{
    struct memory *memory = user;
    if (level != CLUMP_LOG_ERROR)
        return;
    memory->errors++;
    snprintf(memory->line, sizeof memory->line, "%s", text);
}

static void complain(struct scene *scene, const char *call, unsigned n, const char *what)
{
    if (scene->complaints++ < COMPLAINTS)
        printf("# call %u, %s: %s\n", n, call ? call : "none failed", what);
}

static int64_t objects(void)
{
    int64_t total = 0;
    for (int kind = 0; kind < CLUMP_CL_OBJECT_COUNT; kind++)
        total += clump_cl_alive((enum clump_cl_object)kind);
    return total;
}

/* Runs the pair. True when its result is right; after a fault a failure is right too. */
static void run(struct scene *scene, clump_context *context, enum fault kind, unsigned victim,
                unsigned *calls)
{
    struct pair_input input = {0};
    struct pair_output output = {0};
    char message[512] = "";
    const char *call = NULL;
    scene->memory.errors = 0;
    scene->memory.line[0] = 0;
    fault_inject_arm(kind, victim);
    enum clump_status status = pair_input_make(context, scene->pair, &scene->test, &input);
    if (!status)
        status = scene->pair->run(context, &scene->test, &input, &output);
    *calls = fault_inject_disarm(&call);
    unsigned errors = scene->memory.errors;
    if (status && !call)
        complain(scene, call, victim, scene->memory.line);
    else if (status && errors != 1) {
        snprintf(message, sizeof message, "\"%s\" and %u lines of error, the last: %.200s",
                 clump_status_text(status), errors, scene->memory.line);
        complain(scene, call, victim, message);
    } else if (!status && errors) {
        complain(scene, call, victim, "ended well, but with a line of error");
    } else if (!status && !pair_compare(scene->pair, &scene->test, &scene->input, &scene->expected,
                                        &output, message, sizeof message)) {
        complain(scene, call, victim, message);
    }
    pair_output_release(&output);
    pair_input_release(&input);
    faults_made += call != NULL;
}

/* One context for all faults, as a program has it that goes on after a failure. */
static void run_warm(struct scene *scene, enum fault kind)
{
    clump_context *context = NULL;
    unsigned calls = 0, ignored;
    if (clump_context_create(&scene->params, &context)) {
        complain(scene, NULL, 0, scene->memory.line);
        return;
    }
    run(scene, context, kind, 0, &calls);
    run(scene, context, kind, 0, &calls);
    for (unsigned n = 1; n <= calls; n++) {
        run(scene, context, kind, n, &calls);
        run(scene, context, kind, 0, &ignored);
        /* a failure ends early: look again how many calls there are */
        if (n == calls && ignored > calls)
            calls = ignored;
    }
    clump_context_destroy(&context);
}

/* A new context for each fault: programs and kernels are made again. */
static void run_cold(struct scene *scene, enum fault kind)
{
    unsigned most = 1, calls, again;
    for (unsigned n = 0; n <= most; n++) {
        clump_context *context = NULL;
        if (clump_context_create(&scene->params, &context)) {
            complain(scene, NULL, n, scene->memory.line);
            return;
        }
        run(scene, context, kind, n, &calls);
        run(scene, context, kind, 0, &again);
        clump_context_destroy(&context);
        if (objects())
            complain(scene, NULL, n, "objects are left");
        if (n == 0)
            most = calls;
    }
}

/* Opening a context, from the first call that lists platforms to the last one. */
static void run_opening(struct scene *scene, enum fault kind)
{
    unsigned most = 1, ignored;
    const char *call;
    for (unsigned n = 0; n <= most; n++) {
        clump_context *context = NULL;
        scene->memory.errors = 0;
        fault_inject_arm(kind, n);
        enum clump_status status = clump_context_create(&scene->params, &context);
        unsigned calls = fault_inject_disarm(&call);
        faults_made += call != NULL;
        if (n == 0)
            most = calls;
        if (status ? scene->memory.errors != 1 || context : scene->memory.errors != 0 || !context)
            complain(scene, call, n, "no status, or not one line, or a context all the same");
        if (!status)
            run(scene, context, kind, 0, &ignored);
        clump_context_destroy(&context);
        if (objects())
            complain(scene, call, n, "objects are left");
    }
}

static void test(const struct pair *pair, enum clump_context_layout layout, enum fault kind,
                 const char *what, void (*body)(struct scene *, enum fault))
{
    struct scene scene = {.pair = pair, .test = {9, 70, CLUMP_F32, 3}};
    for (unsigned type = CLUMP_TYPE_COUNT; type-- > 0;)
        if (pair->types & 1u << type && !(pair->types & 1u << CLUMP_F32))
            scene.test.type = (enum clump_type)type;
    scene.params = clump_context_defaults;
    scene.params.log = (struct clump_log){remember, &scene.memory, CLUMP_LOG_ERROR};
    scene.params.device = getenv("CLUMP_TEST_DEVICE");
    scene.params.layout = layout;
    scene.params.cache_dir =
        kind == FAULT_BUILD && layout == CLUMP_CONTEXT_LAYOUT_AUTO ? "" : cache;
    unsigned before = faults_made;
    if (pair_input_make(reference, pair, &scene.test, &scene.input) ||
        pair->run(reference, &scene.test, &scene.input, &scene.expected))
        complain(&scene, NULL, 0, "the reference fails");
    body(&scene, kind);
    pair_output_release(&scene.expected);
    pair_input_release(&scene.input);
    if (objects())
        complain(&scene, NULL, 0, "objects are left");
    if (faults_made == before && kind != FAULT_BUILD)
        complain(&scene, NULL, 0, "nothing could be made to fail");
    printf("%sok %u - %s, %s, %s: %u faults\n", scene.complaints ? "not " : "", ++number,
           pair->name, layout == CLUMP_CONTEXT_LAYOUT_FINE ? "fine" : "coarse", what,
           faults_made - before);
    fflush(stdout);
    failures += scene.complaints != 0;
}

static bool wanted(const struct pair *pair, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], pair->name))
            return true;
    return argc == 1;
}

int main(int argc, char **argv)
{
    struct clump_context_params params = clump_context_defaults;
    const char *home = getenv("XDG_CACHE_HOME");
    snprintf(cache, sizeof cache, "%s/clump-faults", home ? home : "/tmp");
    params.device = "reference";
    if (!fault_inject_begin() || clump_context_create(&params, &reference)) {
        printf("1..0 # SKIP no OpenCL\n");
        return 0;
    }
    for (const struct pair *const *p = pairs; *p; p++) {
        if (!wanted(*p, argc, argv) || (*p)->refused)
            continue;
        if (p == pairs) {
            test(*p, CLUMP_CONTEXT_LAYOUT_COARSE, FAULT_OPENCL, "calls while opening", run_opening);
            test(*p, CLUMP_CONTEXT_LAYOUT_COARSE, FAULT_MEMORY, "memory while opening",
                 run_opening);
            test(*p, CLUMP_CONTEXT_LAYOUT_AUTO, FAULT_BUILD, "building without a cache", run_cold);
        }
        for (enum clump_context_layout layout = CLUMP_CONTEXT_LAYOUT_COARSE;
             layout <= CLUMP_CONTEXT_LAYOUT_FINE; layout++) {
            test(*p, layout, FAULT_OPENCL, "calls", run_warm);
            test(*p, layout, FAULT_MEMORY, "memory", run_warm);
            test(*p, layout, FAULT_BUILD, "building", run_cold);
        }
    }
    clump_context_destroy(&reference);
    printf("1..%u\n# %u faults\n", number, faults_made);
    return failures != 0;
}
