/* SPDX-License-Identifier: MIT */
/* Listing and choosing devices, with every sort of OpenCL installation. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "opencl/core/api.h"

#define OCLGRIND "/usr/lib/oclgrind/liboclgrind-rt-icd.so"

static struct clump_device *list(size_t *count)
{
    struct clump_device *devices = NULL;
    ok(clump_device_list(NULL, &devices, count));
    cr_assert_geq(*count, 1);
    cr_assert_str_eq(devices[*count - 1].name, "reference");
    for (size_t i = 0; i < *count; i++)
        cr_assert_eq(devices[i].index, i);
    return devices;
}

Test(device, without_any_driver_there_is_the_reference)
{
    struct memory memory;
    struct clump_log log = remember(&memory);
    char *folder = make_folder();
    size_t count, index = 99;
    setenv("OCL_ICD_VENDORS", folder, 1);
    unsetenv("CLUMP_DEVICE");
    struct clump_device *devices = list(&count);
    cr_assert_eq(count, 1);
    cr_assert_eq(clump_device_choose(&log, devices, count, NULL, &index, NULL), CLUMP_ERROR_DEVICE);
    cr_assert_eq(index, 99);
    cr_assert_contains(memory.text, "pocl-opencl-icd");
    cr_assert_contains(memory.text, "reference");
    cr_assert_eq(memory.errors, 1);
    cr_assert_eq(clump_device_choose(&log, devices, count, "gpu", &index, NULL),
                 CLUMP_ERROR_DEVICE);
    ok(clump_device_choose(&log, devices, count, "reference", &index, NULL));
    cr_assert_eq(index, 0);
    clump_device_list_destroy(&devices);
    cr_assert_null(devices);
    clump_context *context = open_context("reference", NULL);
    uint64_t primes;
    ok(clump_primes(context, 10000, NULL, &primes));
    cr_assert_eq(primes, 1229);
    clump_context_destroy(&context);
    remove_folder(folder);
}

Test(device, a_broken_driver_is_passed_over)
{
    char *folder = make_folder();
    size_t count;
    write_file(folder, "broken.icd", "/nonexistent/libnothing.so\n");
    write_file(folder, "text.so", "this is no library\n");
    char icd[4200];
    snprintf(icd, sizeof icd, "%s/text.so\n", folder);
    write_file(folder, "text.icd", icd);
    setenv("OCL_ICD_VENDORS", folder, 1);
    struct clump_device *devices = list(&count);
    cr_assert_eq(count, 1);
    clump_device_list_destroy(&devices);
    remove_folder(folder);
}

Test(device, pocl_can_show_two)
{
    size_t count, index;
    struct memory memory;
    struct clump_log log = remember(&memory);
    setenv("OCL_ICD_VENDORS", "libpocl.so.2", 1);
    setenv("POCL_DEVICES", "basic pthread", 1);
    struct clump_device *devices = list(&count);
    if (count == 1)
        cr_skip_test("SKIPPED: POCL is not installed");
    cr_assert_eq(count, 3);
    cr_assert_eq(devices[0].type, CLUMP_DEVICE_CPU);
    cr_assert(devices[0].shares_memory);
    ok(clump_device_choose(&log, devices, count, "BASIC", &index, NULL));
    cr_assert_eq(index, 0);
    ok(clump_device_choose(&log, devices, count, "cpu", &index, NULL));
    cr_assert_eq(index, 0);
    ok(clump_device_choose(&log, devices, count, "1", &index, NULL));
    cr_assert_eq(index, 1);
    index = 99;
    cr_assert_eq(clump_device_choose(&log, devices, count, "portable", &index, NULL),
                 CLUMP_ERROR_DEVICE);
    cr_assert_contains(memory.text, "several");
    cr_assert_contains(memory.text, devices[1].name);
    cr_assert_eq(clump_device_choose(&log, devices, count, "7", &index, NULL), CLUMP_ERROR_DEVICE);
    cr_assert_eq(clump_device_choose(&log, devices, count, "gpu", &index, NULL),
                 CLUMP_ERROR_DEVICE);
    cr_assert_eq(clump_device_choose(&log, devices, count, "nonesuch", &index, NULL),
                 CLUMP_ERROR_DEVICE);
    cr_assert_eq(index, 99);
    setenv("CLUMP_DEVICE", "pthread", 1);
    const char *why;
    ok(clump_device_choose(&log, devices, count, "", &index, &why));
    cr_assert_eq(index, 1);
    cr_assert_contains(why, "CLUMP_DEVICE");
    unsetenv("CLUMP_DEVICE");
    ok(clump_device_choose(&log, devices, count, NULL, &index, &why));
    cr_assert_eq(index, 0);
    clump_device_list_destroy(&devices);
}

Test(device, a_platform_without_devices_is_no_harm)
{
    size_t count;
    setenv("OCL_ICD_VENDORS", "libpocl.so.2", 1);
    setenv("POCL_DEVICES", "", 1);
    struct clump_device *devices = list(&count);
    cr_assert_eq(count, 1);
    clump_device_list_destroy(&devices);
}

Test(device, a_first_gpu_comes_before_a_cpu)
{
    struct clump_device devices[] = {{.index = 0, .name = "a cpu", .type = CLUMP_DEVICE_CPU},
                                     {.index = 1, .name = "a gpu", .type = CLUMP_DEVICE_GPU},
                                     {.index = 2, .name = "a gpu", .type = CLUMP_DEVICE_GPU},
                                     {.index = 3, .name = "dsp", .type = CLUMP_DEVICE_ACCELERATOR}};
    size_t index;
    unsetenv("CLUMP_DEVICE");
    ok(clump_device_choose(NULL, devices, 4, NULL, &index, NULL));
    cr_assert_eq(index, 1);
    ok(clump_device_choose(NULL, devices + 3, 1, NULL, &index, NULL));
    cr_assert_eq(index, 0);
}

/* The real device, with its answers changed so that it seems to lack what some devices lack. */
static __typeof__(clGetDeviceInfo) *real_info;
static cl_device_info lacking;

static cl_int bent_info(cl_device_id id, cl_device_info what, size_t room, void *value,
                        size_t *bytes)
{
    cl_int error = real_info(id, what, room, value, bytes);
    if (what == lacking && value)
        memset(value, 0, bytes ? *bytes : room);
    return error;
}

static void bend(cl_device_info what)
{
    const char *reason;
    if (!clump_cl_load(&reason))
        cr_skip_test("SKIPPED: no OpenCL loader");
    lacking = what;
    real_info = clump_cl.GetDeviceInfo;
    clump_cl.GetDeviceInfo = bent_info;
}

Test(device, without_doubles_refuses_them_and_says_the_way_out)
{
    struct memory memory;
    clump_image *image = NULL;
    bend(CL_DEVICE_DOUBLE_FP_CONFIG);
    clump_context *context = open_context(NULL, &memory);
    cr_assert_eq(clump_image_create(context, CLUMP_F64, 4, 4, &image), CLUMP_ERROR_UNSUPPORTED);
    cr_assert_null(image);
    cr_assert_contains(memory.text, "clump_file_params.float32");
    ok(clump_image_create(context, CLUMP_F32, 4, 4, &image));
    clump_image_destroy(&image);
    clump_context_destroy(&context);
}

Test(device, without_a_compiler_is_refused)
{
    struct memory memory;
    struct clump_context_params params = clump_context_defaults;
    clump_context *context = NULL;
    bend(CL_DEVICE_COMPILER_AVAILABLE);
    params.log = remember(&memory);
    cr_assert_eq(clump_context_create(&params, &context), CLUMP_ERROR_UNSUPPORTED);
    cr_assert_null(context);
    cr_assert_contains(memory.text, "no compiler");
}

Test(device, a_small_one_works)
{
    uint64_t primes;
    if (access(OCLGRIND, R_OK))
        cr_skip_test("SKIPPED: oclgrind is not installed");
    setenv("OCL_ICD_VENDORS", OCLGRIND, 1);
    setenv("OCLGRIND_MAX_WGSIZE", "64", 1);
    setenv("OCLGRIND_LOCAL_MEM_SIZE", "32768", 1);
    clump_context *context = open_context("oclgrind", NULL);
    cr_assert_eq(clump_context_device(context)->max_work_group, 64);
    cr_assert_eq(clump_context_device(context)->local_memory, 32768);
    ok(clump_primes(context, 1000, NULL, &primes));
    cr_assert_eq(primes, 168);
    clump_context_destroy(&context);
}

/* Neither the loader nor a driver is in the process of one who asks for the reference. */
Test(device, the_reference_loads_no_driver)
{
    char line[4096];
    clump_context *context = open_context("reference", NULL);
    FILE *maps = fopen("/proc/self/maps", "r");
    cr_assert(maps);
    while (fgets(line, sizeof line, maps))
        cr_expect(!strstr(line, "libOpenCL") && !strstr(line, "pocl"), "%s", line);
    fclose(maps);
    clump_context_destroy(&context);
}
