/* SPDX-License-Identifier: MIT */
/*
 * Kernels by name. A program is composed of the prelude, the file of an operation and what that
 * includes; built once per context and options; and kept, in the context and on disk.
 */
#include "opencl/core/opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define INCLUDE_NAME  64 /* bytes of a file's name, "ROOM/FILE.cl" */
#define INCLUDED_MOST 32 /* files of a program */

struct kernel {
    struct kernel *next;
    cl_kernel kernel;
    char name[]; /* of the function */
};

struct program {
    struct program *next;
    struct kernel *kernels;
    cl_program program;
    char key[]; /* "name options" */
};

/* A program's text and where it came from, while it is being built. */
struct source {
    const char *name;
    char *origin;                  /* where the program's own file was found */
    char *text;                    /* composed of the prelude, this file and what it includes */
    char *builtins;                /* cl/common/builtins.cl, or NULL: the compiler's header */
    size_t length;                 /* of the text */
    char *included[INCLUDED_MOST]; /* names of the files in it, each of which is there once */
    unsigned count;
    char *options; /* of the compiler */
    char *key;     /* of the cache on disk */
};

static void source_free(struct source *source)
{
    for (unsigned i = 0; i < source->count; i++)
        free(source->included[i]);
    free(source->origin);
    free(source->text);
    free(source->builtins);
    free(source->options);
    free(source->key);
}

static enum clump_status out_of_memory(clump_context *context, const char *name)
{
    return clump_fail(&context->log, CLUMP_ERROR_MEMORY, "kernel %s: cannot allocate memory", name);
}

/* Appends to the composed text. */
static bool append(struct source *source, const char *text, size_t length)
{
    char *longer = realloc(source->text, source->length + length + 1);
    if (!longer)
        return false;
    memcpy(longer + source->length, text, length);
    source->length += length;
    longer[source->length] = 0;
    source->text = longer;
    return true;
}

/* Tells the compiler where the lines that follow come from, so that its messages name them. */
static bool append_line(struct source *source, int line, const char *name)
{
    char text[INCLUDE_NAME + 32];
    int length = snprintf(text, sizeof text, "#line %d \"%s\"\n", line, name);
    return append(source, text, (size_t)length);
}

/* Whether a line says `#include "ROOM/FILE"`, and what it names. */
static bool is_include(const char *line, char name[INCLUDE_NAME])
{
    char quote;
    return sscanf(line, "#include \"%63[a-z0-9_/.]%c", name, &quote) == 2 && quote == '"';
}

static bool is_included(const struct source *source, const char *name)
{
    for (unsigned i = 0; i < source->count; i++)
        if (!strcmp(source->included[i], name))
            return true;
    return false;
}

static enum clump_status add_file(clump_context *context, struct source *source, const char *name,
                                  char **origin);

/* Appends the lines of a file; where one of them includes another file, appends that one there. */
static enum clump_status add_lines(clump_context *context, struct source *source, const char *name,
                                   const char *text)
{
    bool fits = append_line(source, 1, name);
    for (int number = 1; fits && *text; number++) {
        size_t length = strcspn(text, "\n");
        char included[INCLUDE_NAME];
        length += text[length] == '\n';
        if (is_include(text, included)) {
            enum clump_status status = add_file(context, source, included, NULL);
            if (status)
                return status;
            fits = append_line(source, number + 1, name);
        } else
            fits = append(source, text, length);
        text += length;
    }
    return fits && append(source, "\n", 1) ? CLUMP_OK : out_of_memory(context, name);
}

/*
 * Appends a file and what it includes, each file once. Sources are composed here so that no
 * compiler has to know a folder. `origin` may be NULL; else it gets where the file was found.
 */
static enum clump_status add_file(clump_context *context, struct source *source, const char *name,
                                  char **origin)
{
    char *text = NULL, *found = NULL;
    if (is_included(source, name))
        return CLUMP_OK;
    if (source->count == INCLUDED_MOST)
        return clump_fail(&context->log, CLUMP_ERROR_KERNEL,
                          "kernel %s includes more than %d files", source->name, INCLUDED_MOST);
    if (!(source->included[source->count] = strdup(name)))
        return out_of_memory(context, name);
    source->count++;
    enum clump_status status = clump_kernel_source_read(context, name, &text, &found);
    if (!status)
        status = add_lines(context, source, name, text);
    free(text);
    if (!status && origin)
        *origin = found;
    else
        free(found);
    return status;
}

static enum clump_status read_builtins(clump_context *context, struct source *source)
{
    char *origin = NULL;
    enum clump_status status =
        clump_kernel_source_read(context, "common/builtins.cl", &source->builtins, &origin);
    free(origin);
    return status;
}

static enum clump_status compose(clump_context *context, const char *options, struct source *source)
{
    const struct clump_device *device = &context->device;
    const struct layout *layout = &context->opencl->layout;
    char file[INCLUDE_NAME];
    snprintf(file, sizeof file, "%s.cl", source->name);
    enum clump_status status = add_file(context, source, "common/prelude.cl", NULL);
    if (!status)
        status = add_file(context, source, file, &source->origin);
    if (!status && context->opencl->declares)
        status = read_builtins(context, source);
    if (status)
        return status;
    /* A vendor's next compiler may warn of what is right: only tests take that for an error. */
    if (asprintf(&source->options, "-cl-std=CL1.2 %s-DCOARSE=%d -DGROUP=%u %s",
                 context->opencl->strict ? "-Werror " : "", layout->coarse, layout->group,
                 options) < 0)
        source->options = NULL;
    if (!source->options ||
        asprintf(&source->key, "%s\n%s\n%s\n%s\n%s\n%s\n%s%s", source->options, device->name,
                 device->vendor, device->platform, device->driver, device->version,
                 source->builtins ? source->builtins : "", source->text) < 0) {
        source->key = NULL;
        return out_of_memory(context, source->name);
    }
    return CLUMP_OK;
}

static char *build_log(clump_context *context, cl_program program)
{
    size_t bytes = 0;
    clump_cl.GetProgramBuildInfo(program, context->opencl->device, CL_PROGRAM_BUILD_LOG, 0, NULL,
                                 &bytes);
    char *log = calloc(1, bytes + 1);
    if (log && bytes)
        clump_cl.GetProgramBuildInfo(program, context->opencl->device, CL_PROGRAM_BUILD_LOG, bytes,
                                     log, NULL);
    return log;
}

/* The first line of the log that has the word error, or else the first line. */
static const char *first_error(const char *log, int *length)
{
    const char *found = strstr(log, "error");
    const char *start = found ? found : log + strspn(log, " \n\t");
    while (found && start > log && start[-1] != '\n')
        start--;
    *length = (int)strcspn(start, "\n");
    return start;
}

static enum clump_status build_failed(clump_context *context, const struct source *source,
                                      cl_program program, cl_int error)
{
    char *log = build_log(context, program);
    int length = 0;
    const char *line = first_error(log ? log : "", &length);
    clump_fail(&context->log, CLUMP_ERROR_KERNEL,
               "kernel file %s does not build on %s: %.*s (%s, options %s)", source->origin,
               context->device.name, length, line, clump_cl_symbol(error), source->options);
    if (log && *log)
        clump_say(&context->log, CLUMP_LOG_INFO, "the compiler says:\n%s", log);
    free(log);
    return CLUMP_ERROR_KERNEL;
}

/* Hands the text to the compiler, behind `builtins` unless that is NULL. The program is NULL if it
 * could not be made, which is not a matter of its text. */
static cl_int compile(clump_context *context, const struct source *source, const char *builtins,
                      cl_program *program)
{
    const char *texts[] = {source->text, NULL};
    char *options = NULL;
    cl_int error = CL_OUT_OF_HOST_MEMORY;
    *program = NULL;
    if (builtins) {
        texts[0] = builtins;
        texts[1] = source->text;
    }
    /* The macro is the guard of the header that the declarations stand for. */
    if (asprintf(&options, "%s%s", source->options, builtins ? " -D_OPENCL_H_" : "") < 0)
        return error;
    *program = clump_cl.CreateProgramWithSource(context->opencl->context, builtins ? 2 : 1, texts,
                                                NULL, &error);
    if (*program)
        error = clump_cl.BuildProgram(*program, 1, &context->opencl->device, options, NULL, NULL);
    free(options);
    return error;
}

/* Says why a program is built again with all declarations: the driver is not the one that
 * builtins.cl was written for, or a function is missing there, or the program is wrong anyway. */
static void drop_builtins(clump_context *context, cl_program program)
{
    char *log = build_log(context, program);
    clump_say(&context->log, CLUMP_LOG_DEBUG, "the compiler says:\n%s", log ? log : "");
    clump_fall_back(context, "common/builtins.cl does not serve this program: built without");
    clump_cl.ReleaseProgram(program);
    free(log);
}

static enum clump_status build_from_source(clump_context *context, const struct source *source,
                                           cl_program *program)
{
    cl_program made;
    cl_int error = compile(context, source, source->builtins, &made);
    if (source->builtins && made && error == CL_BUILD_PROGRAM_FAILURE) {
        drop_builtins(context, made);
        error = compile(context, source, NULL, &made);
    }
    if (!made)
        return clump_cl_fail(context, error, "kernel %s (clCreateProgramWithSource)", source->name);
    if (error != CL_SUCCESS) {
        enum clump_status status = build_failed(context, source, made, error);
        clump_cl.ReleaseProgram(made);
        return status;
    }
    char *log = build_log(context, made);
    if (log && log[strspn(log, " \n\t")])
        clump_say(&context->log, CLUMP_LOG_DEBUG, "kernel %s: the compiler says:\n%s", source->name,
                  log);
    free(log);
    context->profile.builds++;
    *program = made;
    return CLUMP_OK;
}

static bool build_from_cache(clump_context *context, const struct source *source,
                             cl_program *program)
{
    struct opencl *opencl = context->opencl;
    unsigned char *binary;
    size_t bytes = 0;
    cl_int loaded = CL_SUCCESS, error;
    if (!clump_cache_read(context, source->key, &binary, &bytes))
        return false;
    const unsigned char *pointer = binary;
    cl_program made = clump_cl.CreateProgramWithBinary(opencl->context, 1, &opencl->device, &bytes,
                                                       &pointer, &loaded, &error);
    free(binary);
    if (made && loaded == CL_SUCCESS)
        error = clump_cl.BuildProgram(made, 1, &opencl->device, source->options, NULL, NULL);
    if (made && loaded == CL_SUCCESS && error == CL_SUCCESS) {
        *program = made;
        return true;
    }
    clump_say(&context->log, CLUMP_LOG_DEBUG, "kernel %s: the driver refused the cached binary: %s",
              source->name, clump_cl_symbol(error));
    if (made)
        clump_cl.ReleaseProgram(made);
    clump_cache_remove(context, source->key);
    return false;
}

static void keep_in_cache(clump_context *context, const struct source *source, cl_program program)
{
    size_t bytes = 0;
    if (!context->opencl->cache_dir ||
        clump_cl.GetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL) !=
            CL_SUCCESS ||
        !bytes)
        return;
    unsigned char *binary = malloc(bytes);
    if (binary && clump_cl.GetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary,
                                          NULL) == CL_SUCCESS)
        clump_cache_write(context, source->key, binary, bytes);
    free(binary);
}

/* Builds what the cache does not have, unless another process has done so meanwhile. The program
 * stays NULL if another process is at it and `wait` is false. */
static enum clump_status build_once(clump_context *context, const struct source *source, bool wait,
                                    cl_program *program, bool *cached)
{
    struct opencl *opencl = context->opencl;
    enum clump_status status = CLUMP_OK;
    if (opencl->building)
        opencl->building(opencl->building_user);
    opencl->building = NULL;
    int lock = clump_cache_lock(context, source->key, wait);
    if (lock == CLUMP_CACHE_BUSY)
        return CLUMP_OK;
    *cached = build_from_cache(context, source, program);
    if (!*cached)
        status = build_from_source(context, source, program);
    if (!*cached && !status)
        keep_in_cache(context, source, *program);
    clump_cache_unlock(lock);
    return status;
}

static enum clump_status build(clump_context *context, const char *name, const char *options,
                               bool wait, cl_program *program)
{
    struct source source = {.name = name};
    double start = clump_now_ms();
    enum clump_status status = compose(context, options, &source);
    bool cached = !status && build_from_cache(context, &source, program);
    if (!status && !cached)
        status = build_once(context, &source, wait, program, &cached);
    double took = clump_now_ms() - start;
    context->profile.compile_ms += took;
    if (!status && *program)
        clump_say(&context->log, CLUMP_LOG_DEBUG, "kernel %s from %s, options %s: %s in %.1f ms",
                  name, source.origin, source.options, cached ? "from the cache" : "built", took);
    source_free(&source);
    return status;
}

/* Finds a program, or builds it. Without `wait` there may be none: see build_once. */
static enum clump_status find_program(clump_context *context, const char *name, const char *options,
                                      bool wait, struct program **found)
{
    struct opencl *opencl = context->opencl;
    size_t n = strlen(name);
    for (struct program *p = opencl->programs; p; p = p->next)
        if (!strncmp(p->key, name, n) && p->key[n] == ' ' && !strcmp(p->key + n + 1, options)) {
            *found = p;
            return CLUMP_OK;
        }
    struct program *made = calloc(1, sizeof *made + n + strlen(options) + 2);
    if (!made)
        return out_of_memory(context, name);
    sprintf(made->key, "%s %s", name, options);
    enum clump_status status = build(context, name, options, wait, &made->program);
    if (status || !made->program) {
        free(made);
        return status;
    }
    made->next = opencl->programs;
    opencl->programs = made;
    *found = made;
    return CLUMP_OK;
}

/* Mesa's rusticl 22 answers 32 for every kernel, and runs groups as large as the device allows. */
static bool knows_no_groups(const struct clump_device *device)
{
    return !strcmp(device->platform, "rusticl") && !strncmp(device->driver, "22.", 3);
}

/*
 * Refuses a kernel that the device cannot run in the work-groups that it declares, because a
 * work-item takes too much of the registers or of local memory: some drivers refuse such a launch
 * without a word why, and some run it wrongly.
 */
static enum clump_status check_groups(clump_context *context, const char *name, cl_kernel kernel)
{
    cl_device_id device = context->opencl->device;
    size_t most = 0, declared[3] = {0};
    if (knows_no_groups(&context->device) ||
        clump_cl.GetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most,
                                        &most, NULL) != CL_SUCCESS ||
        clump_cl.GetKernelWorkGroupInfo(kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                        sizeof declared, declared, NULL) != CL_SUCCESS ||
        declared[0] * declared[1] * declared[2] <= most)
        return CLUMP_OK;
    return clump_fail(
        &context->log, CLUMP_ERROR_KERNEL,
        "kernel %s cannot run in groups of %zu work-items on %s, only of %zu: open the "
        "context with a group_limit of %zu",
        name, declared[0] * declared[1] * declared[2], context->device.name, most, most);
}

enum clump_status clump_kernel_ahead(clump_context *context, const char *program,
                                     const char *options)
{
    struct program *p = NULL;
    return find_program(context, program, options, false, &p);
}

enum clump_status clump_kernel(clump_context *context, const char *program, const char *options,
                               const char *name, cl_kernel *kernel)
{
    struct program *p = NULL;
    cl_int error;
    enum clump_status status = clump_probe(context);
    if (!status)
        status = find_program(context, program, options, true, &p);
    if (status)
        return status;
    for (struct kernel *k = p->kernels; k; k = k->next)
        if (!strcmp(k->name, name)) {
            *kernel = k->kernel;
            return CLUMP_OK;
        }
    struct kernel *made = calloc(1, sizeof *made + strlen(name) + 1);
    if (!made)
        return out_of_memory(context, name);
    strcpy(made->name, name);
    made->kernel = clump_cl.CreateKernel(p->program, name, &error);
    if (!made->kernel) {
        free(made);
        return clump_cl_fail(context, error, "kernel file %s.cl, kernel %s (clCreateKernel)",
                             program, name);
    }
    status = check_groups(context, name, made->kernel);
    if (status) {
        clump_cl.ReleaseKernel(made->kernel);
        free(made);
        return status;
    }
    made->next = p->kernels;
    p->kernels = made;
    *kernel = made->kernel;
    return CLUMP_OK;
}

void clump_programs_release(struct opencl *opencl)
{
    while (opencl->programs) {
        struct program *p = opencl->programs;
        opencl->programs = p->next;
        while (p->kernels) {
            struct kernel *k = p->kernels;
            p->kernels = k->next;
            clump_cl.ReleaseKernel(k->kernel);
            free(k);
        }
        clump_cl.ReleaseProgram(p->program);
        free(p);
    }
}
