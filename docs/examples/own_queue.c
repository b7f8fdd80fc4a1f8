/* SPDX-License-Identifier: MIT */
/*
 * A program with an OpenCL context, queue and buffers of its own, which hands them to Clump without
 * a copy: Clump enqueues into the program's queue, in order with the program's own work.
 *
 *   own_queue
 */
#include <clump/clump.h>
#include <clump/opencl.h>

#include <inttypes.h>
#include <stdio.h>

#define ROWS 64
#define COLS 100

static const char source[] = "kernel void ramp(global float *pixels)\n"
                             "{ size_t i = get_global_id(0); pixels[i] = i % 100; }\n";

/* The program's own work: fills the buffer by its own kernel. */
static cl_int fill(cl_context cl, cl_device_id device, cl_command_queue queue, cl_mem buffer)
{
    const char *text = source;
    size_t count = ROWS * COLS;
    cl_int error;
    cl_program program = clCreateProgramWithSource(cl, 1, &text, NULL, &error);
    if (error)
        return error;
    error = clBuildProgram(program, 1, &device, "", NULL, NULL);
    cl_kernel kernel = error ? NULL : clCreateKernel(program, "ramp", &error);
    if (!error)
        error = clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
    if (!error)
        error = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL);
    if (kernel)
        clReleaseKernel(kernel);
    clReleaseProgram(program);
    return error;
}

/* Clump's work on the same buffer and queue; nobody waits in between. */
static enum clump_status count_above(cl_context cl, cl_command_queue queue, cl_mem buffer,
                                     uint64_t *count)
{
    struct clump_threshold_params above = clump_threshold_defaults;
    clump_context *context = NULL;
    clump_image *image = NULL, *mask = NULL;
    above.above = 89.5;
    enum clump_status status = clump_opencl_context(cl, queue, NULL, &context);
    if (!status)
        status = clump_opencl_image(context, CLUMP_F32, ROWS, COLS, buffer, &image);
    if (!status)
        status = clump_threshold(context, image, &above, &mask, count);
    clump_image_destroy(&mask);
    clump_image_destroy(&image);
    clump_context_destroy(&context); /* the program's objects stay */
    return status;
}

int main(void)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int error = clGetPlatformIDs(1, &platform, NULL);
    uint64_t count = 0;
    if (!error)
        error = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    if (error) {
        fprintf(stderr, "own_queue: no OpenCL device (%d)\n", error);
        return 1;
    }
    cl_context cl = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    cl_command_queue queue = clCreateCommandQueue(cl, device, 0, &error);
    cl_mem buffer =
        clCreateBuffer(cl, CL_MEM_READ_WRITE, ROWS * COLS * sizeof(float), NULL, &error);
    int failed = fill(cl, device, queue, buffer) || count_above(cl, queue, buffer, &count);
    if (!failed)
        printf("%" PRIu64 " of %d pixels are above 89.5\n", count, ROWS * COLS);
    clReleaseMemObject(buffer);
    clReleaseCommandQueue(queue);
    clReleaseContext(cl);
    return failed || count != ROWS * 10;
}
