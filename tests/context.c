/* SPDX-License-Identifier: MIT */
/* Contexts: nothing leaks, several live side by side, in several threads. */
#include "support.h"

#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl/core/api.h"

#define ROWS 61
#define COLS 67

static void fill(float *pixels, unsigned seed)
{
    for (unsigned i = 0; i < ROWS * COLS; i++)
        pixels[i] = (float)((i * 7919u + seed * 104729u) % 1000u);
}

static unsigned expected(const float *pixels)
{
    unsigned count = 0;
    for (unsigned i = 0; i < ROWS * COLS; i++)
        count += pixels[i] > 500;
    return count;
}

/* Uses most of the ground: upload, wrap, operations, map, download. */
static uint64_t use(clump_context *context, unsigned seed)
{
    float pixels[ROWS * COLS];
    uint8_t bytes[ROWS * COLS];
    clump_image *image = NULL, *wrapped = NULL, *mask = NULL, *converted = NULL;
    struct clump_threshold_params params = clump_threshold_defaults;
    uint64_t count = 0, sum = 0;
    params.above = 500;
    fill(pixels, seed);
    ok(clump_image_upload(context, CLUMP_F32, ROWS, COLS, pixels, &image));
    ok(clump_image_wrap(context, CLUMP_F32, ROWS, COLS, pixels, &wrapped));
    ok(clump_threshold(context, wrapped, &params, &mask, &count));
    ok(clump_convert(context, mask, CLUMP_U8, &converted));
    ok(clump_image_download(converted, bytes));
    for (unsigned i = 0; i < ROWS * COLS; i++)
        sum += bytes[i];
    cr_assert_eq(sum, count);
    cr_assert_eq(count, expected(pixels));
    clump_image_destroy(&converted);
    clump_image_destroy(&mask);
    clump_image_destroy(&wrapped);
    clump_image_destroy(&image);
    return count;
}

static void snapshot(int64_t *alive)
{
    for (int kind = 0; kind < CLUMP_CL_OBJECT_COUNT; kind++)
        alive[kind] = clump_cl_alive((enum clump_cl_object)kind);
}

static long resident_kb(void)
{
    char line[256];
    long kb = 0;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        sscanf(line, "VmRSS: %ld", &kb);
    if (file)
        fclose(file);
    return kb;
}

Test(context, rounds_leave_nothing_behind, .timeout = 120)
{
    int64_t before[CLUMP_CL_OBJECT_COUNT], after[CLUMP_CL_OBJECT_COUNT];
    long warm = 0;
    snapshot(before);
    for (unsigned round = 0; round < 100; round++) {
        clump_context *context = open_context(NULL, NULL);
        ok(clump_profile_start(context, round % 2));
        use(context, round);
        clump_context_destroy(&context);
        cr_assert_null(context);
        if (round == 29)
            warm = resident_kb();
    }
    snapshot(after);
    cr_assert_arr_eq(before, after, sizeof before);
    for (int kind = 0; kind < CLUMP_CL_OBJECT_COUNT; kind++)
        cr_assert_eq(after[kind], 0, "%d objects of kind %d are alive", (int)after[kind], kind);
    long grown = resident_kb() - warm;
    cr_assert_lt(grown, 70 * 64, "70 rounds took %ld KiB", grown);
}

Test(context, a_repeated_call_allocates_and_builds_nothing)
{
    clump_context *context = open_context(NULL, NULL);
    struct clump_profile profile;
    float pixels[ROWS * COLS];
    struct clump_threshold_params params = clump_threshold_defaults;
    clump_image *image = NULL, *mask = NULL;
    fill(pixels, 1);
    ok(clump_image_upload(context, CLUMP_F32, ROWS, COLS, pixels, &image));
    for (int round = 0; round < 10; round++) {
        if (round == 1)
            ok(clump_profile_start(context, true));
        ok(clump_threshold(context, image, &params, &mask, NULL));
        clump_image_destroy(&mask);
    }
    ok(clump_profile_read(context, &profile));
    cr_assert_eq(profile.allocations, 0);
    cr_assert_eq(profile.builds, 0);
    cr_assert_geq(profile.launches, 9);
    cr_assert_gt(profile.device_ms, 0);
    ok(clump_context_trim(context));
    clump_image_destroy(&image);
    clump_context_destroy(&context);
}

/* The handles of one context, to be destroyed in any order. */
struct handles {
    clump_context *context;
    clump_image *image, *wrapped, *mask;
    float pixels[ROWS * COLS];
};

static void open_handles(const char *device, struct handles *handles)
{
    struct clump_threshold_params params = clump_threshold_defaults;
    clump_context *context = handles->context = open_context(device, NULL);
    params.above = 500;
    fill(handles->pixels, 3);
    ok(clump_image_upload(context, CLUMP_F32, ROWS, COLS, handles->pixels, &handles->image));
    ok(clump_image_wrap(context, CLUMP_F32, ROWS, COLS, handles->pixels, &handles->wrapped));
    ok(clump_threshold(context, handles->image, &params, &handles->mask, NULL));
}

static void destroy_one(struct handles *handles, int which)
{
    clump_image **const images[] = {&handles->image, &handles->wrapped, &handles->mask};
    if (which == 3)
        clump_context_destroy(&handles->context);
    else
        clump_image_destroy(images[which]);
}

/* What is left works as before, whether its context was destroyed or not. */
static void use_rest(const struct handles *handles)
{
    float pixels[ROWS * COLS];
    uint64_t count = 0;
    clump_image *made = NULL;
    const clump_image *const images[] = {handles->image, handles->wrapped};
    for (int i = 0; i < 2; i++)
        if (images[i]) {
            ok(clump_image_download(images[i], pixels));
            cr_assert_arr_eq(pixels, handles->pixels, sizeof pixels);
        }
    if (!handles->mask)
        return;
    clump_context *context = clump_image_context(handles->mask);
    cr_assert_not_null(clump_context_device(context));
    ok(clump_label(context, handles->mask, NULL, &made, &count));
    cr_assert_gt(count, 0);
    clump_image_destroy(&made);
    ok(clump_context_finish(context));
}

/* Order number 0 to 23 of the four handles. */
static void destroy_in_order(struct handles *handles, int number)
{
    int rest[] = {0, 1, 2, 3};
    for (int left = 4; left; left--) {
        int chosen = number % left;
        number /= left;
        destroy_one(handles, rest[chosen]);
        use_rest(handles);
        memmove(&rest[chosen], &rest[chosen + 1], (size_t)(left - chosen - 1) * sizeof *rest);
    }
}

static void try_orders(const char *device)
{
    struct handles handles;
    size_t allocated = 0;
    for (int round = 0; round < 2 * 24; round++) { /* the second time nothing is new */
        open_handles(device, &handles);
        destroy_in_order(&handles, round % 24);
        cr_assert(!handles.context && !handles.image && !handles.wrapped && !handles.mask);
        for (int kind = 0; kind < CLUMP_CL_OBJECT_COUNT; kind++)
            cr_assert_eq(clump_cl_alive((enum clump_cl_object)kind), 0,
                         "order %d leaves objects of kind %d", round % 24, kind);
        if (round == 23)
            allocated = mallinfo2().uordblks;
    }
    /* Drivers keep what they like; the reference device has nothing but our own memory. */
    if (device)
        cr_assert_eq(mallinfo2().uordblks, allocated, "memory is left behind");
}

Test(context, and_its_images_are_destroyed_in_any_order, .timeout = 120) { try_orders(NULL); }

Test(context, on_the_reference_too, .timeout = 120) { try_orders("reference"); }

Test(context, destroyed_twice_keeps_its_images)
{
    clump_context *context = open_context("reference", NULL), *copy = context;
    clump_image *image = NULL;
    uint8_t pixels[4];
    ok(clump_image_upload(context, CLUMP_U8, 1, 4, "abcd", &image));
    clump_context_destroy(&context);
    clump_context_destroy(&copy);
    copy = clump_image_context(image);
    clump_context_destroy(&copy);
    ok(clump_image_download(image, pixels));
    cr_assert_arr_eq(pixels, "abcd", 4);
    clump_image_destroy(&image);
}

static void *thread_main(void *argument)
{
    unsigned number = *(unsigned *)argument;
    clump_context *context = open_context(number % 3 == 2 ? "reference" : NULL, NULL);
    for (unsigned round = 0; round < 10; round++)
        use(context, number * 100 + round);
    clump_context_destroy(&context);
    return NULL;
}

Test(context, several_threads_with_a_context_each, .timeout = 120)
{
    pthread_t threads[6];
    unsigned numbers[6];
    for (unsigned i = 0; i < 6; i++) {
        numbers[i] = i;
        cr_assert_eq(pthread_create(&threads[i], NULL, thread_main, &numbers[i]), 0);
    }
    for (unsigned i = 0; i < 6; i++)
        cr_assert_eq(pthread_join(threads[i], NULL), 0);
    for (int kind = 0; kind < CLUMP_CL_OBJECT_COUNT; kind++)
        cr_assert_eq(clump_cl_alive((enum clump_cl_object)kind), 0);
}

Test(context, destroying_nothing_is_no_harm)
{
    clump_context *context = NULL;
    clump_context_destroy(&context);
    clump_context_destroy(NULL);
}

Test(context, every_status_has_its_words)
{
    for (int s = 0; s < CLUMP_STATUS_COUNT; s++) {
        cr_assert_neq(clump_status_text((enum clump_status)s), NULL);
        cr_assert_str_neq(clump_status_text((enum clump_status)s), "unknown status");
    }
    cr_assert_str_eq(clump_status_text((enum clump_status)1000), "unknown status");
    cr_assert_str_eq(clump_version(), CLUMP_VERSION);
}
