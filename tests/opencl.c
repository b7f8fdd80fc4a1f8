/* SPDX-License-Identifier: MIT */
/* A program that brings its own OpenCL context, queue and buffers, and is linked to the loader. */
#include "support.h"

#include <clump/opencl.h>

static cl_device_id first_device(void)
{
    cl_platform_id platform;
    cl_device_id device;
    if (clGetPlatformIDs(1, &platform, NULL) ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
        cr_skip_test("SKIPPED: no OpenCL device");
    return device;
}

static cl_uint references(cl_context context)
{
    cl_uint count = 0;
    clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, NULL);
    return count;
}

Test(opencl, context_and_buffer_of_the_program)
{
    cl_device_id device = first_device();
    cl_int error;
    cl_context cl = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    cl_command_queue queue = clCreateCommandQueue(cl, device, 0, &error);
    float pixels[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    cl_mem buffer = clCreateBuffer(cl, CL_MEM_COPY_HOST_PTR, sizeof pixels, pixels, &error);
    cl_uint before = references(cl);
    struct memory memory;
    struct clump_context_params params = clump_context_defaults;
    struct clump_threshold_params above = clump_threshold_defaults;
    clump_context *context = NULL;
    clump_image *image = NULL, *mask = NULL;
    uint64_t count;
    params.log = remember(&memory);
    params.cache_dir = "";
    above.above = 6.5;

    ok(clump_opencl_context(cl, queue, &params, &context));
    cr_assert_eq(clump_opencl_queue(context), queue);
    cr_assert_eq(clump_opencl_image(context, CLUMP_F32, 3, 5, buffer, &image),
                 CLUMP_ERROR_ARGUMENT);
    cr_assert_contains(memory.text, "48 bytes");
    ok(clump_opencl_image(context, CLUMP_F32, 3, 4, buffer, &image));
    cr_assert_eq(clump_opencl_buffer(image), buffer);
    ok(clump_threshold(context, image, &above, &mask, &count));
    cr_assert_eq(count, 5);
    cr_assert_neq(clump_opencl_buffer(mask), buffer);
    clump_image_destroy(&mask);
    clump_image_destroy(&image);
    clump_context_destroy(&context);

    cr_assert_eq(references(cl), before, "the program's context was kept or lost");
    cr_assert_eq(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof pixels, pixels, 0, NULL,
                                     NULL),
                 CL_SUCCESS, "the program's buffer is gone");
    clReleaseMemObject(buffer);
    clReleaseCommandQueue(queue);
    clReleaseContext(cl);
}

Test(opencl, an_out_of_order_queue_is_refused)
{
    cl_device_id device = first_device();
    cl_int error;
    cl_context cl = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    cl_command_queue queue =
        clCreateCommandQueue(cl, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &error);
    if (!queue)
        cr_skip_test("SKIPPED: the driver has no out-of-order queues");
    struct memory memory;
    struct clump_context_params params = clump_context_defaults;
    clump_context *context = NULL;
    params.log = remember(&memory);
    cr_assert_eq(clump_opencl_context(cl, queue, &params, &context), CLUMP_ERROR_ARGUMENT);
    cr_assert_contains(memory.text, "in-order");
    cr_assert_null(context);
    cr_assert_eq(clump_opencl_context(NULL, NULL, &params, &context), CLUMP_ERROR_ARGUMENT);
    clReleaseCommandQueue(queue);
    clReleaseContext(cl);
}
