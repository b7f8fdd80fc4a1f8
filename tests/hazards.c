/* SPDX-License-Identifier: MIT */
/* Devices that are not as kernels need them: too few registers, arithmetic of their own. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/core/opencl.h"

static struct clump_cl real;

/* A device whose registers do for 16 work-items. */
static cl_int CL_API_CALL small_groups(cl_kernel kernel, cl_device_id device,
                                       cl_kernel_work_group_info what, size_t room, void *value,
                                       size_t *bytes)
{
    if (what != CL_KERNEL_WORK_GROUP_SIZE)
        return real.GetKernelWorkGroupInfo(kernel, device, what, room, value, bytes);
    *(size_t *)value = 16;
    return CL_SUCCESS;
}

Test(hazards, one_that_needs_too_large_groups_is_refused)
{
    struct memory memory;
    uint64_t count = 99;
    struct clump_context_params params = clump_context_defaults;
    clump_context *context = open_with(NULL, "", &memory);
    real = clump_cl;
    clump_cl.GetKernelWorkGroupInfo = small_groups;
    cr_assert_eq(clump_primes(context, 100, NULL, &count), CLUMP_ERROR_KERNEL);
    cr_assert_contains(memory.text, "primes_mark cannot run in groups of 256 work-items");
    cr_assert_contains(memory.text, "group_limit of 16");
    cr_assert_eq(memory.errors, 1);
    cr_assert_eq(count, 99);
    clump_context_destroy(&context);
    params.device = getenv("CLUMP_TEST_DEVICE");
    params.log = remember(&memory);
    params.group_limit = 16;
    ok(clump_context_create(&params, &context));
    cr_assert_eq(count_primes(context), 25);
    clump_context_destroy(&context);
    clump_cl = real;
}

/* A device whose driver is not known is asked how it computes, once. */
Test(hazards, a_device_that_nobody_knows_is_asked_how_it_computes)
{
    static const char liar[] =
        "kernel ALONE void probe(float near, float square, int big, float least,\n"
        "                        global uint *answer) { *answer = %d; }\n";
    static const char *const reasons[] = {"fuses products and sums", "rounds fma() twice",
                                          "does not round to the nearest"};
    struct memory memory;
    char text[512], *folder = make_folder(), *cache = make_folder();
    uint64_t count = 99;
    uint32_t answer = 99;
    clump_context *context = open_with(NULL, "", &memory);
    ok(clump_probe_ask(context, &answer)); /* this one computes as it should */
    cr_assert_eq(answer, 0);
    clump_context_destroy(&context);
    for (int i = 0; i < 3; i++) {
        snprintf(text, sizeof text, liar, 1 << i);
        write_file(folder, "common/probe.cl", text);
        context = open_with(folder, "", &memory);
        strcpy(context->device.platform, "unheard of");
        cr_assert_eq(clump_primes(context, 100, NULL, &count), CLUMP_ERROR_UNSUPPORTED);
        cr_assert_contains(memory.text, reasons[i]);
        cr_assert_eq(memory.errors, 1);
        cr_assert_eq(count, 99);
        clump_context_destroy(&context);
    }
    snprintf(text, sizeof text, liar, 8);
    write_file(folder, "common/probe.cl", text);
    for (int i = 0; i < 2; i++) {
        context = open_with(folder, cache, &memory);
        strcpy(context->device.platform, "unheard of");
        cr_assert_eq(count_primes(context), 25);
        cr_assert(context->opencl->flushes);
        cr_assert_eq(context->profile.builds, i ? 0 : 2); /* then the cache has the answer */
        cr_assert_eq(context->profile.launches, i ? 1 : 2);
        clump_context_destroy(&context);
    }
    remove_folder(folder);
    remove_folder(cache);
}
