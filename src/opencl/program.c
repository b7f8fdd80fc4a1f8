/* SPDX-License-Identifier: MIT */
/*
 * Kernels by name: composed from the prelude and an operation's file, built once a
 * context with the options asked for, and kept, in the process and on disk.
 */
#include "opencl/opencl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    char *prelude, *body;               /* as read */
    char *prelude_origin, *body_origin; /* from where */
    char *text;                         /* composed */
    char *options;                      /* of the compiler */
    char *key;                          /* of the cache on disk */
};

static void source_free(struct source *source)
{
    free(source->prelude);
    free(source->body);
    free(source->prelude_origin);
    free(source->body_origin);
    free(source->text);
    free(source->options);
    free(source->key);
}

/* The last line that says `#include "NAME.cl"`; what is before it is as the file has it. */
static char *last_include(char *body, char name[32])
{
    static const char word[] = "#include \"";
    char *last = NULL;
    for (char *at = body; (at = strstr(at, word)); at++)
        if (sscanf(at + sizeof word - 1, "%31[a-z0-9].cl\"", name) == 1)
            last = at;
    if (last)
        sscanf(last + sizeof word - 1, "%31[a-z0-9]", name);
    return last;
}

/* Puts the text of NAME.cl where the body says `#include "NAME.cl"` on a line of its own: no
 * compiler needs to know a folder. What is included includes nothing. */
static enum clump_status include(clump_context *context, struct source *source, char *start,
                                 const char *name)
{
    char *text, *origin, *composed;
    enum clump_status status = clump_source_read(context, name, &text, &origin);
    if (status)
        return status;
    int line = 2;
    for (const char *c = source->body; c < start; c++)
        line += *c == '\n';
    int length = asprintf(&composed, "%.*s#line 1 \"%s.cl\"\n%s\n#line %d \"%s.cl\"%s",
                          (int)(start - source->body), source->body, name, text, line, source->name,
                          start + strcspn(start, "\n"));
    free(text);
    free(origin);
    if (length < 0)
        return clump_fail(&context->log, CLUMP_ERROR_MEMORY, "kernel %s: out of memory",
                          source->name);
    free(source->body);
    source->body = composed;
    return CLUMP_OK;
}

static enum clump_status compose(clump_context *context, const char *options, struct source *source)
{
    const struct clump_device *device = &context->device;
    const struct shape *shape = &context->opencl->shape;
    enum clump_status status =
        clump_source_read(context, "prelude", &source->prelude, &source->prelude_origin);
    if (status)
        return status;
    status = clump_source_read(context, source->name, &source->body, &source->body_origin);
    for (char name[32], *at; !status && (at = last_include(source->body, name));)
        status = include(context, source, at, name);
    if (status)
        return status;
    if (asprintf(&source->text, "#line 1 \"prelude.cl\"\n%s\n#line 1 \"%s.cl\"\n%s",
                 source->prelude, source->name, source->body) < 0)
        source->text = NULL;
    if (asprintf(&source->options, "-cl-std=CL1.2 -Werror -DFAT=%d -DGROUP=%u %s", shape->fat,
                 shape->group, options) < 0)
        source->options = NULL;
    if (!source->text || !source->options ||
        asprintf(&source->key, "%s\n%s\n%s\n%s\n%s\n%s\n%s", source->options, device->name,
                 device->vendor, device->platform, device->driver, device->version,
                 source->text) < 0) {
        source->key = NULL;
        return clump_fail(&context->log, CLUMP_ERROR_MEMORY, "kernel %s: out of memory",
                          source->name);
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

/* The first line of the log that speaks of an error, or else the first line at all. */
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
    bool in_prelude = strstr(log ? log : "", "prelude.cl") != NULL;
    clump_fail(&context->log, CLUMP_ERROR_KERNEL,
               "kernel file %s does not build on %s: %.*s (%s, options %s)",
               in_prelude ? source->prelude_origin : source->body_origin, context->device.name,
               length, line, clump_cl_symbol(error), source->options);
    if (log && *log)
        clump_say(&context->log, CLUMP_LOG_INFO, "the compiler's words:\n%s", log);
    free(log);
    return CLUMP_ERROR_KERNEL;
}

static enum clump_status build_from_source(clump_context *context, const struct source *source,
                                           cl_program *program)
{
    struct opencl *opencl = context->opencl;
    const char *text = source->text;
    cl_int error;
    cl_program made = clump_cl.CreateProgramWithSource(opencl->context, 1, &text, NULL, &error);
    if (!made)
        return clump_cl_fail(context, error, "kernel %s (clCreateProgramWithSource)", source->name);
    error = clump_cl.BuildProgram(made, 1, &opencl->device, source->options, NULL, NULL);
    if (error != CL_SUCCESS) {
        enum clump_status status = build_failed(context, source, made, error);
        clump_cl.ReleaseProgram(made);
        return status;
    }
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

/* Builds what the cache does not have, unless another process has done so meanwhile. */
static enum clump_status build_once(clump_context *context, const struct source *source,
                                    cl_program *program, bool *cached)
{
    struct opencl *opencl = context->opencl;
    enum clump_status status = CLUMP_OK;
    if (opencl->building)
        opencl->building(opencl->building_user);
    opencl->building = NULL;
    int lock = clump_cache_lock(context, source->key);
    *cached = build_from_cache(context, source, program);
    if (!*cached)
        status = build_from_source(context, source, program);
    if (!*cached && !status)
        keep_in_cache(context, source, *program);
    clump_cache_unlock(lock);
    return status;
}

static enum clump_status build(clump_context *context, const char *name, const char *options,
                               cl_program *program)
{
    struct source source = {.name = name};
    double start = clump_now_ms();
    enum clump_status status = compose(context, options, &source);
    bool cached = !status && build_from_cache(context, &source, program);
    if (!status && !cached)
        status = build_once(context, &source, program, &cached);
    double took = clump_now_ms() - start;
    context->profile.compile_ms += took;
    if (!status)
        clump_say(&context->log, CLUMP_LOG_DEBUG, "kernel %s from %s, options %s: %s in %.1f ms",
                  name, source.body_origin, source.options, cached ? "from the cache" : "built",
                  took);
    source_free(&source);
    return status;
}

static enum clump_status find_program(clump_context *context, const char *name, const char *options,
                                      struct program **found)
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
        return clump_fail(&context->log, CLUMP_ERROR_MEMORY, "kernel %s: out of memory", name);
    sprintf(made->key, "%s %s", name, options);
    enum clump_status status = build(context, name, options, &made->program);
    if (status) {
        free(made);
        return status;
    }
    made->next = opencl->programs;
    opencl->programs = made;
    *found = made;
    return CLUMP_OK;
}

enum clump_status clump_kernel(clump_context *context, const char *program, const char *options,
                               const char *name, cl_kernel *kernel)
{
    struct program *p = NULL;
    cl_int error;
    enum clump_status status = find_program(context, program, options, &p);
    if (status)
        return status;
    for (struct kernel *k = p->kernels; k; k = k->next)
        if (!strcmp(k->name, name)) {
            *kernel = k->kernel;
            return CLUMP_OK;
        }
    struct kernel *made = calloc(1, sizeof *made + strlen(name) + 1);
    if (!made)
        return clump_fail(&context->log, CLUMP_ERROR_MEMORY, "kernel %s: out of memory", name);
    strcpy(made->name, name);
    made->kernel = clump_cl.CreateKernel(p->program, name, &error);
    if (!made->kernel) {
        free(made);
        return clump_cl_fail(context, error, "kernel file %s.cl, kernel %s (clCreateKernel)",
                             program, name);
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
