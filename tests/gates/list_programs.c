/* SPDX-License-Identifier: MIT */
/*
 * Lists every program that the library builds: runs every pair with every type, and what the
 * benchmark measures of a device, in both layouts, with work-groups of 64 and 256, with and without
 * double precision, and keeps what was given to the compiler.
 *
 *   list_programs FOLDER [--few]
 *
 * writes FOLDER/NAME-HASH.cl, the source as composed, and prints a line per kernel: file, 1 or 0
 * (whether the device computes in double), kernel, options. --few takes the main types only.
 *
 * The same line may come more than once. The device is CLUMP_TEST_DEVICE, or else the default one.
 */
#include "pair.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/core/peak.h"
#include "opencl/core/probe.h"
#include "opencl/core/opencl.h"

#define MAIN_TYPES (1u << CLUMP_BITS | 1u << CLUMP_U8 | 1u << CLUMP_F32)
#define PROGRAMS   512 /* alive in one context at most; the oldest is forgotten */

static struct clump_cl real;
static const char *folder;
static bool fp64, few, failed;

static struct {
    cl_program program;
    char *text, *options;
    char file[96];
} known[PROGRAMS];
static unsigned next;

static cl_program keep_source(cl_context context, cl_uint count, const char **strings,
                              const size_t *lengths, cl_int *error)
{
    cl_program program = real.CreateProgramWithSource(context, count, strings, lengths, error);
    for (unsigned i = 0; i < PROGRAMS; i++) /* an address may be used again */
        if (known[i].program == program)
            known[i].program = NULL;
    free(known[next].text);
    free(known[next].options);
    known[next].program = program;
    known[next].text = strdup(strings[0]);
    known[next].options = strdup("");
    next = (next + 1) % PROGRAMS;
    return program;
}

static unsigned find(cl_program program)
{
    for (unsigned i = 0; i < PROGRAMS; i++)
        if (known[i].program == program)
            return i;
    fprintf(stderr, "list_programs: a program that was not seen being made\n");
    exit(1);
}

/* The operation's file is the second one that the text names. False when it names none: what VkFFT
 * writes for the device it sees is not ours to compile for others. */
static bool name_of(const char *text, char *name)
{
    static const char word[] = "#line 1 \"";
    const char *at = strstr(text, word);
    at = at ? strstr(at + 1, word) : NULL;
    if (!at)
        return false;
    at += sizeof word - 1;
    at += strcspn(at, "/") + 1; /* its room */
    snprintf(name, 32, "%.*s", (int)strcspn(at, "."), at);
    return true;
}

static uint64_t hash(uint64_t h, const char *text)
{
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 0x100000001b3u;
    return h;
}

static cl_int keep_options(cl_program program, cl_uint count, const cl_device_id *devices,
                           const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
                           void *user)
{
    char name[32], path[4096];
    unsigned i = find(program);
    known[i].file[0] = 0;
    if (!name_of(known[i].text, name))
        return real.BuildProgram(program, count, devices, options, notify, user);
    free(known[i].options);
    known[i].options = strdup(options);
    snprintf(known[i].file, sizeof known[i].file, "%s-%016" PRIx64 ".cl", name,
             hash(hash(0xcbf29ce484222325u, known[i].text), options));
    snprintf(path, sizeof path, "%s/%s", folder, known[i].file);
    FILE *file = fopen(path, "w");
    failed |= !file || fputs(known[i].text, file) < 0;
    failed |= file && fclose(file) != 0;
    return real.BuildProgram(program, count, devices, options, notify, user);
}

static cl_kernel keep_kernel(cl_program program, const char *name, cl_int *error)
{
    unsigned i = find(program);
    if (known[i].file[0])
        printf("%s\t%d\t%s\t%s\n", known[i].file, fp64, name, known[i].options);
    return real.CreateKernel(program, name, error);
}

/* The first group of a launch: enough where only the program matters. */
static cl_int launch_one(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                         const size_t *offset, const size_t *global, const size_t *local,
                         cl_uint count, const cl_event *wait, cl_event *event)
{
    (void)global;
    return real.EnqueueNDRangeKernel(queue, kernel, dimensions, offset, local, local, count, wait,
                                     event);
}

/* What no pair runs: a device's limits, and the question about its arithmetic. */
static void run_limits(clump_context *context)
{
    struct clump_peak limits;
    uint32_t answer;
    failed |= clump_probe_ask(context, &answer) != CLUMP_OK;
    clump_cl.EnqueueNDRangeKernel = launch_one;
    failed |= clump_peak_measure(context, 0, 0, &limits) != CLUMP_OK;
    clump_cl.EnqueueNDRangeKernel = real.EnqueueNDRangeKernel;
}

/* Small and large enough for every branch that picks a kernel by the size. */
static const struct {
    uint64_t rows, cols;
} sizes[] = {{1, 31}, {65, 63}, {1, 4097}, {257, 129}};

static void run(const struct pair *pair, clump_context *context, const struct pair_case *test)
{
    struct pair_input in = {0};
    struct pair_output out = {0};
    enum clump_status status = pair_input_make(context, pair, test, &in);
    if (!status)
        status = pair->run(context, test, &in, &out);
    if (status) {
        fprintf(stderr, "list_programs: %s of %s: %s\n", pair->name, clump_type_text(test->type),
                clump_status_text(status));
        failed = true;
    }
    pair_output_release(&out);
    pair_input_release(&in);
}

/* With next to no local memory blurs take other kernels; everything else is as it was. */
static void run_blurs(clump_context *context)
{
    uint64_t local = context->device.local_memory;
    context->device.local_memory = 256;
    for (const struct pair *const *p = pairs; *p; p++)
        for (int type = CLUMP_F32; type <= (fp64 ? CLUMP_F64 : CLUMP_F32); type++) {
            struct pair_case test = {65, 63, (enum clump_type)type, 1};
            if (!strcmp((*p)->operation, "gaussian") && (*p)->types >> type & 1)
                run(*p, context, &test);
        }
    context->device.local_memory = local;
}

static void run_all(enum clump_context_layout layout, uint32_t group, bool has_fp64)
{
    struct clump_context_params params = clump_context_defaults;
    clump_context *context = NULL;
    params.device = getenv("CLUMP_TEST_DEVICE");
    params.layout = layout;
    params.group_limit = group;
    params.cache_dir = ""; /* what comes from a cache has no source */
    if (clump_context_create(&params, &context))
        exit(1);
    fp64 = has_fp64 && context->device.fp64;
    context->device.fp64 = fp64;
    context->opencl->declares = false; /* other compilers have declarations of their own */
    for (const struct pair *const *p = pairs; *p; p++) {
        unsigned main_types = (*p)->types & MAIN_TYPES;
        unsigned types = few && main_types ? main_types : (*p)->types;
        if (!strcmp((*p)->name,
                    "measure")) /* whose extreme values have a kernel more for 64 bits */
            types |= (*p)->types & 1u << CLUMP_I64;
        for (unsigned type = 0; type < CLUMP_TYPE_COUNT; type++)
            for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++) {
                struct pair_case test = {sizes[s].rows, sizes[s].cols, (enum clump_type)type, s};
                if (types & 1u << type && (fp64 || (type != CLUMP_F64 && !(*p)->fp64)))
                    run(*p, context, &test);
            }
    }
    run_blurs(context);
    run_limits(context);
    clump_context_destroy(&context);
}

int main(int argc, char **argv)
{
    few = argc == 3 && !strcmp(argv[2], "--few");
    if (argc < 2 || argc > 3 || (argc == 3 && !few)) {
        fprintf(stderr, "usage: list_programs FOLDER [--few]\n");
        return 2;
    }
    folder = argv[1];
    if (!clump_cl_load(NULL))
        return 1;
    real = clump_cl;
    clump_cl.CreateProgramWithSource = keep_source;
    clump_cl.BuildProgram = keep_options;
    clump_cl.CreateKernel = keep_kernel;
    run_all(CLUMP_CONTEXT_LAYOUT_COARSE, 256, true);
    run_all(CLUMP_CONTEXT_LAYOUT_FINE, 256, false);
    run_all(CLUMP_CONTEXT_LAYOUT_FINE, 64, true);
    if (!few) {
        run_all(CLUMP_CONTEXT_LAYOUT_COARSE, 256, false);
        run_all(CLUMP_CONTEXT_LAYOUT_FINE, 256, true);
        run_all(CLUMP_CONTEXT_LAYOUT_FINE, 64, false);
    }
    return failed;
}
