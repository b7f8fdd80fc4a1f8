/* SPDX-License-Identifier: MIT */
#include "opencl/core/api.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct clump_cl clump_cl;

static struct clump_cl real; /* what the loader gave */
static const char *load_reason;
static atomic_llong alive[CLUMP_CL_OBJECT_COUNT];
static atomic_bool forked; /* off from a process that had found the functions */
static pthread_mutex_t driver_lock = PTHREAD_MUTEX_INITIALIZER;

int64_t clump_cl_alive(enum clump_cl_object kind) { return atomic_load(&alive[kind]); }

static cl_int released(enum clump_cl_object kind, cl_int error)
{
    if (error == CL_SUCCESS)
        atomic_fetch_sub(&alive[kind], 1);
    return error;
}

static cl_int retained(enum clump_cl_object kind, cl_int error)
{
    if (error == CL_SUCCESS)
        atomic_fetch_add(&alive[kind], 1);
    return error;
}

static void *made(enum clump_cl_object kind, void *object)
{
    if (object)
        atomic_fetch_add(&alive[kind], 1);
    return object;
}

static cl_context
create_context(const cl_context_properties *properties, cl_uint count, const cl_device_id *devices,
               void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user,
               cl_int *error)
{
    return made(CLUMP_CL_CONTEXTS,
                real.CreateContext(properties, count, devices, notify, user, error));
}

static cl_int retain_context(cl_context context)
{
    return retained(CLUMP_CL_CONTEXTS, real.RetainContext(context));
}

static cl_int release_context(cl_context context)
{
    return released(CLUMP_CL_CONTEXTS, real.ReleaseContext(context));
}

static cl_command_queue create_queue(cl_context context, cl_device_id device,
                                     cl_command_queue_properties properties, cl_int *error)
{
    return made(CLUMP_CL_QUEUES, real.CreateCommandQueue(context, device, properties, error));
}

static cl_int retain_queue(cl_command_queue queue)
{
    return retained(CLUMP_CL_QUEUES, real.RetainCommandQueue(queue));
}

static cl_int release_queue(cl_command_queue queue)
{
    return released(CLUMP_CL_QUEUES, real.ReleaseCommandQueue(queue));
}

static cl_mem create_buffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host,
                            cl_int *error)
{
    return made(CLUMP_CL_BUFFERS, real.CreateBuffer(context, flags, bytes, host, error));
}

static cl_int retain_buffer(cl_mem buffer)
{
    return retained(CLUMP_CL_BUFFERS, real.RetainMemObject(buffer));
}

static cl_int release_buffer(cl_mem buffer)
{
    return released(CLUMP_CL_BUFFERS, real.ReleaseMemObject(buffer));
}

static cl_program create_with_source(cl_context context, cl_uint count, const char **strings,
                                     const size_t *lengths, cl_int *error)
{
    return made(CLUMP_CL_PROGRAMS,
                real.CreateProgramWithSource(context, count, strings, lengths, error));
}

static cl_program create_with_binary(cl_context context, cl_uint count, const cl_device_id *devices,
                                     const size_t *lengths, const unsigned char **binaries,
                                     cl_int *status, cl_int *error)
{
    return made(CLUMP_CL_PROGRAMS, real.CreateProgramWithBinary(context, count, devices, lengths,
                                                                binaries, status, error));
}

static cl_int release_program(cl_program program)
{
    return released(CLUMP_CL_PROGRAMS, real.ReleaseProgram(program));
}

static cl_kernel create_kernel(cl_program program, const char *name, cl_int *error)
{
    return made(CLUMP_CL_KERNELS, real.CreateKernel(program, name, error));
}

static cl_int release_kernel(cl_kernel kernel)
{
    return released(CLUMP_CL_KERNELS, real.ReleaseKernel(kernel));
}

static cl_int release_event(cl_event event)
{
    return released(CLUMP_CL_EVENTS, real.ReleaseEvent(event));
}

static cl_int enqueue_kernel(cl_command_queue queue, cl_kernel kernel, cl_uint dims,
                             const size_t *offset, const size_t *global, const size_t *local,
                             cl_uint waits, const cl_event *wait, cl_event *event)
{
    cl_int error =
        real.EnqueueNDRangeKernel(queue, kernel, dims, offset, global, local, waits, wait, event);
    return event ? retained(CLUMP_CL_EVENTS, error) : error;
}

static void *map_buffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_map_flags flags,
                        size_t offset, size_t bytes, cl_uint waits, const cl_event *wait,
                        cl_event *event, cl_int *error)
{
    void *mapped = real.EnqueueMapBuffer(queue, buffer, blocking, flags, offset, bytes, waits, wait,
                                         event, error);
    if (mapped && event)
        retained(CLUMP_CL_EVENTS, CL_SUCCESS);
    return made(CLUMP_CL_MAPPINGS, mapped);
}

static cl_int unmap(cl_command_queue queue, cl_mem buffer, void *pointer, cl_uint waits,
                    const cl_event *wait, cl_event *event)
{
    cl_int error = real.EnqueueUnmapMemObject(queue, buffer, pointer, waits, wait, event);
    if (event)
        retained(CLUMP_CL_EVENTS, error);
    return released(CLUMP_CL_MAPPINGS, error);
}

static cl_int read_buffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                          size_t bytes, void *pointer, cl_uint waits, const cl_event *wait,
                          cl_event *event)
{
    cl_int error =
        real.EnqueueReadBuffer(queue, buffer, blocking, offset, bytes, pointer, waits, wait, event);
    return event ? retained(CLUMP_CL_EVENTS, error) : error;
}

static cl_int write_buffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset,
                           size_t bytes, const void *pointer, cl_uint waits, const cl_event *wait,
                           cl_event *event)
{
    cl_int error = real.EnqueueWriteBuffer(queue, buffer, blocking, offset, bytes, pointer, waits,
                                           wait, event);
    return event ? retained(CLUMP_CL_EVENTS, error) : error;
}

static void count_objects(void)
{
    clump_cl = real;
    clump_cl.CreateContext = create_context;
    clump_cl.RetainContext = retain_context;
    clump_cl.ReleaseContext = release_context;
    clump_cl.CreateCommandQueue = create_queue;
    clump_cl.RetainCommandQueue = retain_queue;
    clump_cl.ReleaseCommandQueue = release_queue;
    clump_cl.CreateBuffer = create_buffer;
    clump_cl.RetainMemObject = retain_buffer;
    clump_cl.ReleaseMemObject = release_buffer;
    clump_cl.CreateProgramWithSource = create_with_source;
    clump_cl.CreateProgramWithBinary = create_with_binary;
    clump_cl.ReleaseProgram = release_program;
    clump_cl.CreateKernel = create_kernel;
    clump_cl.ReleaseKernel = release_kernel;
    clump_cl.ReleaseEvent = release_event;
    clump_cl.EnqueueNDRangeKernel = enqueue_kernel;
    clump_cl.EnqueueMapBuffer = map_buffer;
    clump_cl.EnqueueUnmapMemObject = unmap;
    clump_cl.EnqueueReadBuffer = read_buffer;
    clump_cl.EnqueueWriteBuffer = write_buffer;
}

/* C does not convert an object pointer to a function pointer; POSIX allows it in this form. */
static bool find(void *library, const char *name, void *pointer)
{
    *(void **)pointer = dlsym(library, name);
    return *(void **)pointer != NULL;
}

/* A thread that held the lock is not there in the child. */
static void in_child(void)
{
    atomic_store(&forked, true);
    pthread_mutex_init(&driver_lock, NULL);
}

bool clump_cl_forked(void) { return atomic_load(&forked); }

static void load(void)
{
    void *library = RTLD_DEFAULT;
    if (!dlsym(RTLD_DEFAULT, "clGetPlatformIDs"))
        library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library && !dlsym(RTLD_DEFAULT, "clGetPlatformIDs")) {
        load_reason = "there is no OpenCL loader (libOpenCL.so.1)";
        return;
    }
#define F(name)                                                                                    \
    if (!find(library, "cl" #name, &real.name)) {                                                  \
        load_reason = "the OpenCL loader has no function cl" #name;                                \
        return;                                                                                    \
    }
    CLUMP_CL_FUNCTIONS(F)
#undef F
    count_objects();
    pthread_atfork(NULL, NULL, in_child);
}

void clump_cl_lock(void) { pthread_mutex_lock(&driver_lock); }
void clump_cl_unlock(void) { pthread_mutex_unlock(&driver_lock); }

bool clump_cl_load(const char **reason)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
    const char *why = clump_cl_forked() ? "it was used before fork(), and its threads are not in "
                                          "the child; fork first, or use exec"
                                        : load_reason;
    if (reason)
        *reason = why;
    return why == NULL;
}
