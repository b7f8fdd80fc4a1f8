/* SPDX-License-Identifier: MIT */
/*
 * Checks every pair over awkward shapes, types and seeds, as TAP, with one line per pair.
 *
 *   run_pairs [--layout coarse|fine] [--group N] [--vector N] [--rows N] [--local N]
 *             [--small | --quick | --one | --tall] [--exact] [--tight] [--kernels] [--parts N]
 *             [--stale] [--stop] [--verbose] [--flush] [NAME...]
 *   run_pairs --list    prints the names of the pairs
 *
 * A NAME is that of a pair, or of an operation, which has several pairs; with --exact it is a
 * pair's only.
 * --small leaves out large images and most seeds. --quick leaves out most shapes and types too.
 * --one leaves one case of each pair, for slow checkers. --tall takes one image of 70000 x 3 pixels
 * for each: more rows than a launch may have groups.
 * --parts N lets no launch have more than N groups in its second dimension, nor more than N * 64
 * work-items, so that all others are made in parts.
 * --stale makes label read many parents as they were when its kernel was launched.
 * --tight makes buffers no larger than asked for, in memory of just that size: drivers round sizes
 * up, and a checker would not see accesses past the end.
 * --kernels adds a test: every kernel of every program that was built has been launched, and
 * declares its work-groups. It prints "# built NAME" and "# launched NAME" for each.
 * --stop ends at the first case that fails.
 * --verbose prints every line that the library logs, for example the programs that it builds.
 * --vector takes the kernels for devices with 4, 8 or 16 floats in a vector, and --rows those for
 * convolutions of 6 or 3 rows at once, whatever this device has, so that kernels for other machines
 * run here too.
 * --local N pretends that the device has N bytes of local memory.
 * --flush builds programs with -cl-denorms-are-zero, and makes the device say that it has no
 * denormal floats. On a CPU that concerns doubles, too, so images of these are left out.
 * The device is CLUMP_TEST_DEVICE, or else the default one.
 *
 * Launches that some GPU would refuse, or would do a part of without a word, fail on every device.
 */
#include "pair.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/core/api.h"
#include "opencl/core/opencl.h"

static const struct {
    uint64_t rows, cols;
} shapes[] = {{1, 1},   {1, 31},   {1, 4097}, {7, 3},     {64, 1},     {2, 64},
              {65, 63}, {33, 160}, {6, 288},  {257, 129}, {1024, 1024}};

#define SHAPES       (sizeof shapes / sizeof *shapes)
#define SMALL_SHAPES (SHAPES - 2) /* for slow checkers */
#define LARGE_PIXELS (1u << 18)
#define ENOUGH       5   /* failures of a pair, after which its other cases are left out */
#define ALIGNMENT    128 /* of a buffer: the largest vector's */
#define MOST_KERNELS 512 /* names of kernels that --kernels tells apart */
#define MAIN_TYPES   (1u << CLUMP_BITS | 1u << CLUMP_U8 | 1u << CLUMP_F32)

struct options {
    struct clump_context_params params;
    bool small, quick, one, tall, exact, tight, kernels, stale, stop, flush;
    uint32_t vector, rows, local, parts; /* 0: as the device has it */
    char **names;
    int name_count;
};

static bool wanted(const struct pair *pair, const struct options *options)
{
    if (!options->name_count)
        return true;
    for (int i = 0; i < options->name_count; i++)
        if (!strcmp(options->names[i], pair->name) ||
            (!options->exact && !strcmp(options->names[i], pair->operation)))
            return true;
    return false;
}

static unsigned main_types(const struct pair *pair)
{
    return pair->types & MAIN_TYPES ? pair->types & MAIN_TYPES : pair->types;
}

static bool check(const struct pair *pair, const struct pair_case *test, clump_context *reference,
                  clump_context *device, unsigned *run, unsigned *skipped)
{
    char message[512] = "";
    bool skip;
    bool same = pair_check(pair, test, reference, device, &skip, message, sizeof message);
    ++*(skip ? skipped : run);
    if (!same)
        printf("# %s %" PRIu64 "x%" PRIu64 " %s seed %" PRIu64 ": %s\n", pair->name, test->rows,
               test->cols, clump_type_text(test->type), test->seed, message);
    return same;
}

/* One image, of floats if the pair takes them. */
static bool check_one(const struct pair *pair, bool tall, clump_context *reference,
                      clump_context *device, unsigned *run, unsigned *skipped)
{
    struct pair_case test = {tall ? 70000 : 65, tall ? 3 : 63, CLUMP_F32, 1};
    for (unsigned type = CLUMP_TYPE_COUNT; type-- > 0 && !(pair->types & 1u << CLUMP_F32);)
        if (pair->types & 1u << type)
            test.type = (enum clump_type)type;
    return check(pair, &test, reference, device, run, skipped);
}

/* A few small shapes, with a seed each, in the types that matter most. */
static bool check_quickly(const struct pair *pair, const struct options *options,
                          clump_context *reference, clump_context *device, unsigned *run,
                          unsigned *skipped)
{
    static const unsigned few[] = {1, 3, 6}; /* 1x31, 7x3, 65x63 */
    bool ok = true;
    unsigned types = main_types(pair);
    for (unsigned s = 0; s < sizeof few / sizeof *few; s++)
        for (unsigned type = 0; type < CLUMP_TYPE_COUNT; type++) {
            struct pair_case test = {shapes[few[s]].rows, shapes[few[s]].cols,
                                     (enum clump_type)type, s};
            if (types & 1u << type && (ok || !options->stop))
                ok &= check(pair, &test, reference, device, run, skipped);
        }
    return ok;
}

/* All cases of a pair: small shapes with every type and many seeds, large ones with few. */
static bool check_pair(const struct pair *pair, const struct options *options,
                       clump_context *reference, clump_context *device, unsigned *run,
                       unsigned *skipped)
{
    unsigned failed = 0;
    if (options->one || options->tall)
        return check_one(pair, options->tall, reference, device, run, skipped);
    if (options->quick)
        return check_quickly(pair, options, reference, device, run, skipped);
    for (unsigned s = 0; s < (options->small ? SMALL_SHAPES : SHAPES); s++)
        for (unsigned type = 0; type < CLUMP_TYPE_COUNT; type++) {
            bool large = shapes[s].rows * shapes[s].cols > LARGE_PIXELS;
            if (!((large ? main_types(pair) : pair->types) & 1u << type) ||
                (options->flush && type == CLUMP_F64))
                continue;
            for (uint64_t seed = 0; seed < (large ? 2 : options->small ? 4 : 16); seed++) {
                struct pair_case test = {shapes[s].rows, shapes[s].cols, (enum clump_type)type,
                                         seed};
                failed += !check(pair, &test, reference, device, run, skipped);
                if (failed == (options->stop ? 1 : ENOUGH))
                    return false;
            }
        }
    return !failed;
}

/* The pair's right answer is an error, of which nobody needs to be told. */
static bool refused;

/* `user` is the stream: stdout, as remarks of the TAP, or stderr. */
static void say(void *user, enum clump_log_level level, const char *line)
{
    if (!refused || level != CLUMP_LOG_ERROR)
        fprintf(user, user == stdout ? "# %s\n" : "clump: %s\n", line);
}

/* "fat" is what coarse was called formerly. */
static enum clump_context_layout layout_of(const char *word)
{
    bool coarse = !strcmp(word, "coarse") || !strcmp(word, "fat");
    return coarse ? CLUMP_CONTEXT_LAYOUT_COARSE : CLUMP_CONTEXT_LAYOUT_FINE;
}

static bool parse(int argc, char **argv, struct options *options)
{
    options->params = clump_context_defaults;
    options->params.device = getenv("CLUMP_TEST_DEVICE");
    options->params.log.line = say;
    options->params.log.user = stderr;
    int i = 1;
    for (; i < argc && argv[i][0] == '-'; i++) {
        if (!strcmp(argv[i], "--small"))
            options->small = true;
        else if (!strcmp(argv[i], "--layout") && i + 1 < argc)
            options->params.layout = layout_of(argv[++i]);
        else if (!strcmp(argv[i], "--shape") && i + 1 < argc) /* the former word for it */
            options->params.layout = layout_of(argv[++i]);
        else if (!strcmp(argv[i], "--one"))
            options->one = true;
        else if (!strcmp(argv[i], "--tall"))
            options->tall = true;
        else if (!strcmp(argv[i], "--stale"))
            options->stale = true;
        else if (!strcmp(argv[i], "--quick"))
            options->quick = true;
        else if (!strcmp(argv[i], "--exact"))
            options->exact = true;
        else if (!strcmp(argv[i], "--tight"))
            options->tight = true;
        else if (!strcmp(argv[i], "--kernels"))
            options->kernels = true;
        else if (!strcmp(argv[i], "--flush"))
            options->flush = true;
        else if (!strcmp(argv[i], "--stop"))
            options->stop = true;
        else if (!strcmp(argv[i], "--verbose"))
            options->params.log =
                (struct clump_log){.level = CLUMP_LOG_DEBUG, .line = say, .user = stdout};
        else if (!strcmp(argv[i], "--group") && i + 1 < argc)
            options->params.group_limit = (uint32_t)atoi(argv[++i]);
        else if (!strcmp(argv[i], "--vector") && i + 1 < argc)
            options->vector = (uint32_t)atoi(argv[++i]);
        else if (!strcmp(argv[i], "--rows") && i + 1 < argc)
            options->rows = (uint32_t)atoi(argv[++i]);
        else if (!strcmp(argv[i], "--local") && i + 1 < argc)
            options->local = (uint32_t)atoi(argv[++i]);
        else if (!strcmp(argv[i], "--parts") && i + 1 < argc)
            options->parts = (uint32_t)atoi(argv[++i]);
        else
            return false;
    }
    options->names = argv + i;
    options->name_count = argc - i;
    uint32_t vector = options->vector, rows = options->rows;
    return (!vector || vector == 4 || vector == 8 || vector == 16) &&
           (!rows || rows == 3 || rows == 6);
}

static struct clump_cl real; /* the functions that others stand before */

/* The memory stays until the program ends. */
static cl_mem create_tight(cl_context context, cl_mem_flags flags, size_t bytes, void *host,
                           cl_int *error)
{
    const cl_mem_flags others = CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;
    void *memory;
    if (flags & CL_MEM_USE_HOST_PTR || posix_memalign(&memory, ALIGNMENT, bytes))
        return real.CreateBuffer(context, flags, bytes, host, error);
    if (flags & CL_MEM_COPY_HOST_PTR)
        memcpy(memory, host, bytes);
    return real.CreateBuffer(context, (flags & ~others) | CL_MEM_USE_HOST_PTR, bytes, memory,
                             error);
}

static void tighten(clump_context *device)
{
    if (!device->opencl)
        return;
    device->opencl->tight = true;
    real.CreateBuffer = clump_cl.CreateBuffer;
    clump_cl.CreateBuffer = create_tight;
}

static cl_int tell_flushing(cl_device_id device, cl_device_info what, size_t room, void *to,
                            size_t *size)
{
    cl_int error = real.GetDeviceInfo(device, what, room, to, size);
    if (what == CL_DEVICE_SINGLE_FP_CONFIG && to && error == CL_SUCCESS)
        *(cl_device_fp_config *)to &= ~(cl_device_fp_config)CL_FP_DENORM;
    return error;
}

/* On x86 POCL and Intel's runtime let the processor do it. */
static cl_int build_flushing(cl_program program, cl_uint count, const cl_device_id *devices,
                             const char *options, void(CL_CALLBACK *done)(cl_program, void *),
                             void *user)
{
    char more[1024];
    snprintf(more, sizeof more, "%s -cl-denorms-are-zero", options ? options : "");
    return real.BuildProgram(program, count, devices, more, done, user);
}

static void flush_denormals(void)
{
    real.GetDeviceInfo = clump_cl.GetDeviceInfo;
    real.BuildProgram = clump_cl.BuildProgram;
    clump_cl.GetDeviceInfo = tell_flushing;
    clump_cl.BuildProgram = build_flushing;
}

/* Names of kernels, each with what was done to it. */
static struct {
    char name[64];
    bool built, launched, undeclared;
} seen[MOST_KERNELS];
static unsigned seen_count;
static cl_device_id used;

#define MOST_GROUPS 65535     /* in the second and third dimension, by NVIDIA's hardware */
#define MOST_ITEMS  INT32_MAX /* of a launch; more were seen to fail */
static size_t most_groups = MOST_GROUPS;

static unsigned find_kernel(const char *name, size_t length)
{
    for (unsigned i = 0; i < seen_count; i++)
        if (strlen(seen[i].name) == length && !strncmp(seen[i].name, name, length))
            return i;
    if (seen_count == MOST_KERNELS || length >= sizeof seen->name) {
        printf("Bail out! no room for the kernel %.*s\n", (int)length, name);
        exit(1);
    }
    memcpy(seen[seen_count].name, name, length);
    return seen_count++;
}

static struct clump_cl noted; /* the functions before note_kernels */

static cl_int note_built(cl_program program, cl_uint count, const cl_device_id *devices,
                         const char *options, void(CL_CALLBACK *notify)(cl_program, void *),
                         void *user)
{
    char names[8192] = ""; /* parted by semicolons */
    cl_int error = noted.BuildProgram(program, count, devices, options, notify, user);
    if (error || noted.GetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, NULL))
        return error;
    for (const char *name = names; *name;) {
        size_t length = strcspn(name, ";");
        seen[find_kernel(name, length)].built = true;
        name += length + (name[length] == ';');
    }
    return error;
}

static cl_int note_launched(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                            const size_t *offset, const size_t *global, const size_t *local,
                            cl_uint count, const cl_event *wait, cl_event *event)
{
    char name[64] = "";
    size_t declared[3] = {0}, bytes;
    if (!noted.GetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL)) {
        unsigned i = find_kernel(name, strlen(name));
        seen[i].launched = true;
        seen[i].undeclared =
            noted.GetKernelWorkGroupInfo(kernel, used, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                         sizeof declared, declared, &bytes) ||
            !declared[0];
    }
    double items = 1;
    size_t most = strncmp(name, "VkFFT", 5) ? most_groups : MOST_GROUPS; /* it divides by itself */
    for (cl_uint d = 0; d < dimensions; d++) {
        items *= (double)global[d];
        if (d && local && global[d] / local[d] > most)
            return CL_INVALID_GLOBAL_WORK_SIZE;
    }
    if (items > MOST_ITEMS)
        return CL_INVALID_GLOBAL_WORK_SIZE;
    return noted.EnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, count, wait,
                                      event);
}

static void note_kernels(clump_context *device)
{
    if (!device->opencl)
        return;
    used = device->opencl->device;
    noted = clump_cl; /* whatever others have put there */
    clump_cl.BuildProgram = note_built;
    clump_cl.EnqueueNDRangeKernel = note_launched;
}

/* Whether each kernel that was built has been launched, as a test of its own. */
static bool check_kernels(unsigned number)
{
    bool all = true;
    for (unsigned i = 0; i < seen_count; i++) {
        if (seen[i].built)
            printf("# built %s\n", seen[i].name);
        if (seen[i].launched)
            printf("# launched %s\n", seen[i].name);
        if (seen[i].built && !seen[i].launched) {
            printf("# %s is launched by no pair\n", seen[i].name);
            all = false;
        }
        if (seen[i].undeclared) {
            printf("# %s does not declare its work-groups\n", seen[i].name);
            all = false;
        }
    }
    printf("%sok %u - every kernel that was built is launched, in groups that it declares\n",
           all ? "" : "not ", number);
    return all;
}

/* As clump_layout_choose has it for a device of that kind. */
static void lay_out(clump_context *device, const struct options *options)
{
    if (!device->opencl)
        return;
    struct layout *layout = &device->opencl->layout;
    if (options->vector) {
        layout->vector = options->vector;
        layout->convolve_vector = options->vector >= 8 ? 16 : 8;
    }
    if (options->rows)
        layout->convolve_rows = options->rows;
    if (options->local)
        device->device.local_memory = options->local;
    device->opencl->stale = options->stale;
    if (options->parts) {
        device->opencl->bounds.launch_groups = most_groups = options->parts;
        device->opencl->bounds.launch_items = options->parts * UINT64_C(64);
    }
}

static int list(void)
{
    for (const struct pair *const *p = pairs; *p; p++)
        puts((*p)->name);
    return 0;
}

int main(int argc, char **argv)
{
    struct options options = {0};
    clump_context *reference = NULL, *device = NULL;
    unsigned total = 0, number = 0;
    bool all = true;
    if (argc == 2 && !strcmp(argv[1], "--list"))
        return list();
    if (!parse(argc, argv, &options)) {
        fprintf(
            stderr,
            "usage: run_pairs [--layout coarse|fine] [--group N] [--vector 4|8|16] [--rows 3|6] "
            "[--local N] [--small | --quick | --one | --tall] [--exact] [--tight] [--kernels] "
            "[--parts N] [--stale] [--stop] [--verbose] [--flush] [NAME...]\n");
        return 2;
    }
    struct clump_context_params plain = clump_context_defaults;
    plain.device = "reference";
    plain.log.line = say;
    plain.log.user = stderr;
    if (clump_context_create(&plain, &reference) ||
        clump_context_create(&options.params, &device)) {
        printf("Bail out! no context\n");
        return 1;
    }
    if (options.tight)
        tighten(device);
    if (options.flush)
        flush_denormals();
    note_kernels(device);
    lay_out(device, &options);
    for (const struct pair *const *p = pairs; *p; p++)
        total += wanted(*p, &options);
    printf("1..%u\n# %s (%s)\n", total + options.kernels, clump_context_device(device)->name,
           clump_context_device(device)->platform);
    for (const struct pair *const *p = pairs; *p; p++) {
        unsigned run = 0, skipped = 0;
        if (!wanted(*p, &options))
            continue;
        refused = (*p)->refused;
        bool ok = check_pair(*p, &options, reference, device, &run, &skipped);
        printf("%sok %u - %s: %u cases, %u skipped (no fp64)\n", ok ? "" : "not ", ++number,
               (*p)->name, run, skipped);
        fflush(stdout);
        all &= ok;
        if (!ok && options.stop) {
            printf("Bail out! a case has failed\n");
            break;
        }
    }
    if (options.kernels && (all || !options.stop))
        all &= check_kernels(++number);
    clump_context_destroy(&device);
    clump_context_destroy(&reference);
    return all && total ? 0 : 1;
}
