/* SPDX-License-Identifier: MIT */
#include "opencl/convolve/transform.h"

#include <stdio.h>
#include <stdlib.h>

/* VkFFT calls OpenCL functions by name and prints errors to stdout. These macros route the calls
 * through the table of api.h, and drop the output. */
#define VKFFT_BACKEND             3
#define clBuildProgram            clump_cl.BuildProgram
#define clCreateBuffer            clump_cl.CreateBuffer
#define clCreateCommandQueue      clump_cl.CreateCommandQueue
#define clCreateKernel            clump_cl.CreateKernel
#define clCreateProgramWithBinary clump_cl.CreateProgramWithBinary
#define clCreateProgramWithSource clump_cl.CreateProgramWithSource
#define clEnqueueNDRangeKernel    clump_cl.EnqueueNDRangeKernel
#define clEnqueueWriteBuffer      clump_cl.EnqueueWriteBuffer
#define clFinish                  clump_cl.Finish
#define clGetDeviceInfo           clump_cl.GetDeviceInfo
#define clGetProgramBuildInfo     clump_cl.GetProgramBuildInfo
#define clGetProgramInfo          clump_cl.GetProgramInfo
#define clReleaseCommandQueue     clump_cl.ReleaseCommandQueue
#define clReleaseKernel           clump_cl.ReleaseKernel
#define clReleaseMemObject        clump_cl.ReleaseMemObject
#define clReleaseProgram          clump_cl.ReleaseProgram
#define clSetKernelArg            clump_cl.SetKernelArg
#define printf(...)               ((void)0)
#include <vkFFT.h>
#undef printf

struct transform {
    cl_device_id device;
    cl_context context;
    uint64_t bytes;
    VkFFTApplication application; /* has pointers to the three members above */
};

struct transform *clump_transform_create(cl_device_id device, cl_context context, uint32_t high,
                                         uint32_t wide, bool fp64, int *error)
{
    struct transform *transform = calloc(1, sizeof *transform);
    *error = 0;
    if (!transform)
        return NULL;
    transform->device = device;
    transform->context = context;
    transform->bytes = (uint64_t)high * wide * 2 * (fp64 ? sizeof(cl_double) : sizeof(cl_float));
    VkFFTConfiguration configuration = {
        .FFTdim = high > 1 ? 2 : 1,
        .size = {wide, high, 1},
        .device = &transform->device,
        .context = &transform->context,
        .bufferSize = &transform->bytes,
        .doublePrecision = fp64,
        .useLUT = 1, /* sines and cosines from a table that the host computes, rounded once */
    };
    VkFFTResult result = initializeVkFFT(&transform->application, configuration);
    if (result == VKFFT_SUCCESS)
        return transform;
    *error = (int)result;
    free(transform);
    return NULL;
}

void clump_transform_destroy(struct transform **transform)
{
    if (!*transform)
        return;
    deleteVkFFT(&(*transform)->application);
    free(*transform);
    *transform = NULL;
}

int clump_transform_run(struct transform *transform, cl_command_queue queue, cl_mem buffer,
                        bool back)
{
    VkFFTLaunchParams launch = {.commandQueue = &queue, .buffer = &buffer};
    return (int)VkFFTAppend(&transform->application, back ? 1 : -1, &launch);
}
