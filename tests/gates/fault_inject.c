/* SPDX-License-Identifier: MIT */
#include "fault_inject.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/core/api.h"

#define ERROR CL_OUT_OF_RESOURCES

static struct clump_cl real;
static bool armed;
static enum fault armed_kind;
static atomic_uint count;
static unsigned victim;
static const char *failed;

void fault_inject_arm(enum fault kind, unsigned n)
{
    armed_kind = kind;
    victim = n;
    failed = NULL;
    atomic_store(&count, 0);
    armed = true;
}

unsigned fault_inject_disarm(const char **name)
{
    armed = false;
    if (name)
        *name = failed;
    return atomic_load(&count);
}

static bool fails(enum fault kind, const char *name)
{
    if (!armed || (kind != armed_kind && !(kind == FAULT_BUILD && armed_kind == FAULT_OPENCL)))
        return false;
    if (atomic_fetch_add(&count, 1) + 1 != victim)
        return false;
    failed = name;
    return true;
}

/* The call is not made. */
#define REFUSED(kind, name, params, args)                                                          \
    static cl_int bent_##name params { return fails(kind, "cl" #name) ? ERROR : real.name args; }
/* The call is made, but reports a failure: releasing, unmapping, waiting. */
#define SPOILT(name, params, args)                                                                 \
    static cl_int bent_##name params                                                               \
    {                                                                                              \
        cl_int error = real.name args;                                                             \
        return fails(FAULT_OPENCL, "cl" #name) ? ERROR : error;                                    \
    }
/* The call gives no object. */
#define NOTHING(kind, type, name, params, args)                                                    \
    static type bent_##name params                                                                 \
    {                                                                                              \
        if (!fails(kind, "cl" #name))                                                              \
            return real.name args;                                                                 \
        if (error)                                                                                 \
            *error = ERROR;                                                                        \
        return NULL;                                                                               \
    }

/* clang-format off */
REFUSED(FAULT_OPENCL, GetPlatformIDs, (cl_uint n, cl_platform_id *p, cl_uint *c), (n, p, c))
REFUSED(FAULT_OPENCL, GetPlatformInfo,
        (cl_platform_id p, cl_platform_info w, size_t n, void *v, size_t *s), (p, w, n, v, s))
REFUSED(FAULT_OPENCL, GetDeviceIDs,
        (cl_platform_id p, cl_device_type t, cl_uint n, cl_device_id *d, cl_uint *c),
        (p, t, n, d, c))
REFUSED(FAULT_OPENCL, GetDeviceInfo,
        (cl_device_id d, cl_device_info w, size_t n, void *v, size_t *s), (d, w, n, v, s))
NOTHING(FAULT_OPENCL, cl_context, CreateContext,
        (const cl_context_properties *p, cl_uint n, const cl_device_id *d,
         void(CL_CALLBACK *f)(const char *, const void *, size_t, void *), void *u, cl_int *error),
        (p, n, d, f, u, error))
REFUSED(FAULT_OPENCL, RetainContext, (cl_context c), (c))
SPOILT(ReleaseContext, (cl_context c), (c))
NOTHING(FAULT_OPENCL, cl_command_queue, CreateCommandQueue,
        (cl_context c, cl_device_id d, cl_command_queue_properties p, cl_int *error),
        (c, d, p, error))
REFUSED(FAULT_OPENCL, RetainCommandQueue, (cl_command_queue q), (q))
SPOILT(ReleaseCommandQueue, (cl_command_queue q), (q))
REFUSED(FAULT_OPENCL, GetCommandQueueInfo,
        (cl_command_queue q, cl_command_queue_info w, size_t n, void *v, size_t *s),
        (q, w, n, v, s))
NOTHING(FAULT_OPENCL, cl_mem, CreateBuffer,
        (cl_context c, cl_mem_flags f, size_t n, void *h, cl_int *error), (c, f, n, h, error))
REFUSED(FAULT_OPENCL, RetainMemObject, (cl_mem m), (m))
SPOILT(ReleaseMemObject, (cl_mem m), (m))
REFUSED(FAULT_OPENCL, GetMemObjectInfo, (cl_mem m, cl_mem_info w, size_t n, void *v, size_t *s),
        (m, w, n, v, s))
NOTHING(FAULT_BUILD, cl_program, CreateProgramWithSource,
        (cl_context c, cl_uint n, const char **t, const size_t *l, cl_int *error),
        (c, n, t, l, error))
NOTHING(FAULT_BUILD, cl_program, CreateProgramWithBinary,
        (cl_context c, cl_uint n, const cl_device_id *d, const size_t *l, const unsigned char **b,
         cl_int *s, cl_int *error),
        (c, n, d, l, b, s, error))
SPOILT(ReleaseProgram, (cl_program p), (p))
REFUSED(FAULT_BUILD, BuildProgram,
        (cl_program p, cl_uint n, const cl_device_id *d, const char *o,
         void(CL_CALLBACK *f)(cl_program, void *), void *u),
        (p, n, d, o, f, u))
REFUSED(FAULT_BUILD, GetProgramInfo,
        (cl_program p, cl_program_info w, size_t n, void *v, size_t *s), (p, w, n, v, s))
REFUSED(FAULT_BUILD, GetProgramBuildInfo,
        (cl_program p, cl_device_id d, cl_program_build_info w, size_t n, void *v, size_t *s),
        (p, d, w, n, v, s))
NOTHING(FAULT_BUILD, cl_kernel, CreateKernel, (cl_program p, const char *n, cl_int *error),
        (p, n, error))
SPOILT(ReleaseKernel, (cl_kernel k), (k))
REFUSED(FAULT_OPENCL, SetKernelArg, (cl_kernel k, cl_uint i, size_t n, const void *v), (k, i, n, v))
REFUSED(FAULT_OPENCL, GetKernelInfo, (cl_kernel k, cl_kernel_info w, size_t n, void *v, size_t *s),
        (k, w, n, v, s))
REFUSED(FAULT_OPENCL, GetKernelWorkGroupInfo,
        (cl_kernel k, cl_device_id d, cl_kernel_work_group_info w, size_t n, void *v, size_t *s),
        (k, d, w, n, v, s))
SPOILT(WaitForEvents, (cl_uint n, const cl_event *e), (n, e))
SPOILT(ReleaseEvent, (cl_event e), (e))
REFUSED(FAULT_OPENCL, GetEventProfilingInfo,
        (cl_event e, cl_profiling_info w, size_t n, void *v, size_t *s), (e, w, n, v, s))
SPOILT(Flush, (cl_command_queue q), (q))
SPOILT(Finish, (cl_command_queue q), (q))
REFUSED(FAULT_OPENCL, EnqueueReadBuffer,
        (cl_command_queue q, cl_mem m, cl_bool b, size_t o, size_t n, void *p, cl_uint c,
         const cl_event *w, cl_event *e),
        (q, m, b, o, n, p, c, w, e))
REFUSED(FAULT_OPENCL, EnqueueWriteBuffer,
        (cl_command_queue q, cl_mem m, cl_bool b, size_t o, size_t n, const void *p, cl_uint c,
         const cl_event *w, cl_event *e),
        (q, m, b, o, n, p, c, w, e))
REFUSED(FAULT_OPENCL, EnqueueCopyBuffer,
        (cl_command_queue q, cl_mem a, cl_mem b, size_t i, size_t o, size_t n, cl_uint c,
         const cl_event *w, cl_event *e),
        (q, a, b, i, o, n, c, w, e))
REFUSED(FAULT_OPENCL, EnqueueFillBuffer,
        (cl_command_queue q, cl_mem m, const void *v, size_t s, size_t o, size_t n, cl_uint c,
         const cl_event *w, cl_event *e),
        (q, m, v, s, o, n, c, w, e))
NOTHING(FAULT_OPENCL, void *, EnqueueMapBuffer,
        (cl_command_queue q, cl_mem m, cl_bool b, cl_map_flags f, size_t o, size_t n, cl_uint c,
         const cl_event *w, cl_event *e, cl_int *error),
        (q, m, b, f, o, n, c, w, e, error))
SPOILT(EnqueueUnmapMemObject,
       (cl_command_queue q, cl_mem m, void *p, cl_uint c, const cl_event *w, cl_event *e),
       (q, m, p, c, w, e))
REFUSED(FAULT_OPENCL, EnqueueNDRangeKernel,
        (cl_command_queue q, cl_kernel k, cl_uint d, const size_t *o, const size_t *g,
         const size_t *l, cl_uint c, const cl_event *w, cl_event *e),
        (q, k, d, o, g, l, c, w, e))
/* clang-format on */

bool fault_inject_begin(void)
{
    if (!clump_cl_load(NULL))
        return false;
    real = clump_cl;
#define F(name) clump_cl.name = bent_##name;
    CLUMP_CL_FUNCTIONS(F) /* a function that is new in the table does not compile here */
#undef F
    return true;
}

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *old, size_t bytes);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t number, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);
char *__wrap_strdup(const char *text);
int __wrap_asprintf(char **text, const char *format, ...);
int vasprintf(char **text, const char *format, va_list list);

void *__wrap_malloc(size_t bytes)
{
    return fails(FAULT_MEMORY, "malloc") ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t number, size_t bytes)
{
    return fails(FAULT_MEMORY, "calloc") ? NULL : __real_calloc(number, bytes);
}

void *__wrap_realloc(void *old, size_t bytes)
{
    return fails(FAULT_MEMORY, "realloc") ? NULL : __real_realloc(old, bytes);
}

char *__wrap_strdup(const char *text)
{
    return fails(FAULT_MEMORY, "strdup") ? NULL : __real_strdup(text);
}

int __wrap_asprintf(char **text, const char *format, ...)
{
    va_list list;
    if (fails(FAULT_MEMORY, "asprintf"))
        return -1;
    va_start(list, format);
    int length = vasprintf(text, format, list);
    va_end(list);
    return length;
}
