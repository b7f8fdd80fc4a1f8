/* SPDX-License-Identifier: MIT */
/*
 * The OpenCL functions that Clump calls. They are found at run time, in the loader that the program
 * already has or else in libOpenCL.so.1, so that a machine without OpenCL can still run the
 * reference device.
 *
 * Objects that are made and released through this table are counted: leak checkers do not see the
 * objects of OpenCL.
 */
#ifndef CLUMP_SRC_OPENCL_API_H
#define CLUMP_SRC_OPENCL_API_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#include <stdbool.h>
#include <stdint.h>

#define CLUMP_CL_FUNCTIONS(F)                                                                      \
    F(GetPlatformIDs)                                                                              \
    F(GetPlatformInfo)                                                                             \
    F(GetDeviceIDs)                                                                                \
    F(GetDeviceInfo)                                                                               \
    F(CreateContext)                                                                               \
    F(RetainContext)                                                                               \
    F(ReleaseContext)                                                                              \
    F(CreateCommandQueue)                                                                          \
    F(RetainCommandQueue)                                                                          \
    F(ReleaseCommandQueue)                                                                         \
    F(GetCommandQueueInfo)                                                                         \
    F(CreateBuffer)                                                                                \
    F(RetainMemObject)                                                                             \
    F(ReleaseMemObject)                                                                            \
    F(GetMemObjectInfo)                                                                            \
    F(CreateProgramWithSource)                                                                     \
    F(CreateProgramWithBinary)                                                                     \
    F(ReleaseProgram)                                                                              \
    F(BuildProgram)                                                                                \
    F(GetProgramInfo)                                                                              \
    F(GetProgramBuildInfo)                                                                         \
    F(CreateKernel)                                                                                \
    F(ReleaseKernel)                                                                               \
    F(SetKernelArg)                                                                                \
    F(GetKernelInfo)                                                                               \
    F(GetKernelWorkGroupInfo)                                                                      \
    F(WaitForEvents)                                                                               \
    F(ReleaseEvent)                                                                                \
    F(GetEventProfilingInfo)                                                                       \
    F(Flush)                                                                                       \
    F(Finish)                                                                                      \
    F(EnqueueReadBuffer)                                                                           \
    F(EnqueueWriteBuffer)                                                                          \
    F(EnqueueCopyBuffer)                                                                           \
    F(EnqueueFillBuffer)                                                                           \
    F(EnqueueMapBuffer)                                                                            \
    F(EnqueueUnmapMemObject)                                                                       \
    F(EnqueueNDRangeKernel)

struct clump_cl {
#define F(name) __typeof__(cl##name) *name;
    CLUMP_CL_FUNCTIONS(F)
#undef F
};

/* The table; filled by clump_cl_load. */
extern struct clump_cl clump_cl;

/* Finds the functions, once. Returns false, and why in `*reason`, where there is no OpenCL. */
bool clump_cl_load(const char **reason);

/* Whether this process was forked off from one that had used OpenCL. Drivers' threads and locks do
 * not survive that, and calls would not come back: none may be made. */
bool clump_cl_forked(void);

/*
 * OpenCL allows calls from several threads at once. But the loader was seen to crash, and to find
 * no platform, when two threads asked for platforms at once: so one thread at a time lists devices.
 */
void clump_cl_lock(void);
void clump_cl_unlock(void);

enum clump_cl_object {
    CLUMP_CL_CONTEXTS,
    CLUMP_CL_QUEUES,
    CLUMP_CL_BUFFERS,
    CLUMP_CL_PROGRAMS,
    CLUMP_CL_KERNELS,
    CLUMP_CL_EVENTS,
    CLUMP_CL_MAPPINGS,
    CLUMP_CL_OBJECT_COUNT
};

/* How many objects of a kind are alive in this process. */
int64_t clump_cl_alive(enum clump_cl_object kind);

#endif
