/* SPDX-License-Identifier: MIT */
/* Kernel files and their cache: found, broken, missing, stale. */
#include "support.h"

#include <dirent.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "opencl/core/opencl.h"

static const char good[] = "kernel void primes_mark(global uint *mask, uint below)\n"
                           "{\n"
                           "    uint n = (uint)get_global_id(0);\n"
                           "    if (n < below && n == 3)\n"
                           "        atomic_or(&mask[n / 32], 1u << n % 32);\n"
                           "}\n";
static const char broken[] = "kernel void primes_mark(global uint *mask, uint below)\n"
                             "{\n"
                             "    uint n = (uint)get_global_id(0);\n"
                             "    if (n < below)\n"
                             "        mask[n / 32] = nonsense;\n"
                             "}\n";

Test(kernels, a_folder_of_ones_own_comes_first)
{
    struct memory memory;
    char *folder = make_folder();
    write_file(folder, "pixels/primes.cl", good);
    clump_context *context = open_with(folder, "", &memory);
    cr_assert_eq(count_primes(context), 1);
    clump_context_destroy(&context);
    setenv("CLUMP_KERNEL_DIR", folder, 1);
    context = open_with(NULL, "", &memory);
    cr_assert_eq(count_primes(context), 1);
    clump_context_destroy(&context);
    setenv("CLUMP_KERNEL_DIR", "", 1);
    context = open_with(NULL, "", &memory);
    cr_assert_eq(count_primes(context), 25);
    clump_context_destroy(&context);
    remove_folder(folder);
}

Test(kernels, a_broken_one_is_told_by_file_and_line)
{
    struct memory memory;
    uint64_t count = 99;
    char path[4200], *folder = make_folder();
    write_file(folder, "pixels/primes.cl", broken);
    clump_context *context = open_with(folder, "", &memory);
    cr_assert_eq(clump_primes(context, 100, NULL, &count), CLUMP_ERROR_KERNEL);
    cr_assert_eq(count, 99);
    snprintf(path, sizeof path, "%s/pixels/primes.cl", folder);
    cr_assert_contains(memory.text, path);
    cr_assert_contains(memory.text, "pixels/primes.cl:5");
    cr_assert_contains(memory.text, "nonsense");
    cr_assert_contains(memory.text, "CL_BUILD_PROGRAM_FAILURE");
    cr_assert_eq(memory.errors, 1);
    write_file(folder, "pixels/primes.cl", good); /* the context is as good as before */
    cr_assert_eq(count_primes(context), 1);
    clump_context_destroy(&context);
    remove_folder(folder);
}

Test(kernels, a_warning_is_an_error_in_tests_only)
{
    struct memory memory;
    uint64_t count;
    char text[1024], *folder = make_folder();
    snprintf(text, sizeof text, "#warning careless\n%s", good);
    write_file(folder, "pixels/primes.cl", text);
    setenv("CLUMP_KERNEL_WERROR", "1", 1);
    clump_context *context = open_with(folder, "", &memory);
    cr_assert_eq(clump_primes(context, 100, NULL, &count), CLUMP_ERROR_KERNEL);
    cr_assert_contains(memory.text, "careless");
    clump_context_destroy(&context);
    setenv("CLUMP_KERNEL_WERROR", "", 1);
    context = open_with(folder, "", &memory);
    cr_assert_eq(count_primes(context), 1);
    cr_assert_contains(memory.text, "careless"); /* as a line for those who debug */
    cr_assert_eq(memory.errors, 0);
    clump_context_destroy(&context);
    remove_folder(folder);
}

/* Where programs declare built-in functions themselves (cl/common/builtins.cl), a driver that these
 * do not suit gets its own declarations. */
Test(kernels, declarations_that_do_not_suit_cost_a_build_and_no_result)
{
    struct memory memory;
    char *folder = make_folder();
    clump_context *context = open_with(NULL, "", &memory);
    cr_assert_eq(count_primes(context), 25);
    cr_assert_eq(context->profile.fallbacks, 0);
    clump_context_destroy(&context);
    write_file(folder, "common/builtins.cl", "int get_global_id(int);\n");
    context = open_with(folder, "", &memory);
    bool declares = context->opencl->declares;
    cr_assert_eq(count_primes(context), 25);
    cr_assert_eq(context->profile.fallbacks, declares ? 1 : 0);
    cr_assert_eq(context->profile.builds, 1);
    clump_context_destroy(&context);
    remove_folder(folder);
}

Test(kernels, a_file_without_the_kernel)
{
    struct memory memory;
    uint64_t count;
    char *folder = make_folder();
    write_file(folder, "pixels/primes.cl", "kernel void other(global int *x) { x[0] = 1; }\n");
    clump_context *context = open_with(folder, "", &memory);
    cr_assert_neq(clump_primes(context, 100, NULL, &count), CLUMP_OK);
    cr_assert_contains(memory.text, "primes_mark");
    cr_assert_contains(memory.text, "CL_INVALID_KERNEL_NAME");
    clump_context_destroy(&context);
    remove_folder(folder);
}

Test(kernels, a_missing_one_names_every_place)
{
    struct memory memory;
    cl_kernel kernel;
    char *one = make_folder(), *two = make_folder(), path[4200];
    setenv("CLUMP_KERNEL_DIR", two, 1);
    clump_context *context = open_with(one, "", &memory);
    cr_assert_eq(clump_kernel(context, "nonesuch", "", "x", &kernel), CLUMP_ERROR_KERNEL);
    snprintf(path, sizeof path, "%s/nonesuch.cl", one);
    cr_assert_contains(memory.text, path);
    snprintf(path, sizeof path, "%s/nonesuch.cl", two);
    cr_assert_contains(memory.text, path);
    cr_assert_contains(memory.text, "/cl/nonesuch.cl");
    cr_assert_contains(memory.text, "share/clump/cl/nonesuch.cl");
    cr_assert_contains(memory.text, "inside the library");
    cr_assert_eq(memory.errors, 1);
    clump_context_destroy(&context);
    remove_folder(one);
    remove_folder(two);
}

Test(kernels, a_named_folder_has_to_be_there)
{
    struct memory memory;
    uint64_t count = 99;
    clump_context *context = open_with("/nonexistent/one", "", &memory);
    cr_assert_eq(clump_primes(context, 100, NULL, &count), CLUMP_ERROR_KERNEL);
    cr_assert_contains(memory.text, "/nonexistent/one (params.kernel_dir): No such file");
    clump_context_destroy(&context);
    setenv("CLUMP_KERNEL_DIR", "/nonexistent/two", 1);
    context = open_with(NULL, "", &memory);
    cr_assert_eq(clump_primes(context, 100, NULL, &count), CLUMP_ERROR_KERNEL);
    cr_assert_contains(memory.text, "/nonexistent/two (CLUMP_KERNEL_DIR): No such file");
    clump_context_destroy(&context);
}

Test(kernels, an_unreadable_one_is_no_excuse_for_another)
{
    struct memory memory;
    uint64_t count;
    char path[4200], *folder = make_folder();
    snprintf(path, sizeof path, "%s/pixels/primes.cl", folder);
    write_file(folder, "pixels/other.cl", "");
    cr_assert_eq(mkdir(path, 0777), 0);
    clump_context *context = open_with(folder, "", &memory);
    cr_assert_eq(clump_primes(context, 100, NULL, &count), CLUMP_ERROR_KERNEL);
    cr_assert_contains(memory.text, "directory");
    clump_context_destroy(&context);
    remove_folder(folder);
}

/* Runs primes in a new context and says how many programs were built from source. */
static uint64_t builds(const char *kernels, const char *cache, uint64_t expected)
{
    struct memory memory;
    struct clump_profile profile;
    clump_context *context = open_with(kernels, cache, &memory);
    cr_assert_eq(count_primes(context), expected);
    ok(clump_profile_read(context, &profile));
    clump_context_destroy(&context);
    cr_assert_eq(memory.errors, 0, "%s", memory.text);
    return profile.builds;
}

/* Applies a change to the only file of a folder. */
static void damage(const char *folder, void (*change)(const char *path))
{
    char path[4400];
    unsigned files = 0;
    DIR *dir = opendir(folder);
    cr_assert(dir);
    for (struct dirent *entry; (entry = readdir(dir));) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        change(path);
        files++;
    }
    closedir(dir);
    cr_assert_eq(files, 1, "%u files in the cache", files);
}

static void flip(const char *path)
{
    FILE *file = fopen(path, "r+b");
    cr_assert(file);
    fseek(file, -100, SEEK_END);
    int byte = fgetc(file);
    fseek(file, -100, SEEK_END);
    fputc(byte ^ 0xff, file);
    fclose(file);
}

static void cut(const char *path) { cr_assert_eq(truncate(path, 1000), 0); }
static void empty(const char *path) { cr_assert_eq(truncate(path, 0), 0); }

static void grow_header(const char *path)
{
    uint64_t huge = UINT64_MAX / 2;
    FILE *file = fopen(path, "r+b");
    cr_assert(file);
    fseek(file, 16, SEEK_SET);
    cr_assert_eq(fwrite(&huge, sizeof huge, 1, file), 1);
    fclose(file);
}

Test(kernels, the_cache_saves_a_build_and_never_hurts, .timeout = 60)
{
    char *cache = make_folder(), *kernels = make_folder();
    cr_assert_eq(builds(NULL, cache, 25), 1);
    cr_assert_eq(builds(NULL, cache, 25), 0);
    damage(cache, flip);
    cr_assert_eq(builds(NULL, cache, 25), 1);
    cr_assert_eq(builds(NULL, cache, 25), 0);
    damage(cache, cut);
    cr_assert_eq(builds(NULL, cache, 25), 1);
    damage(cache, empty);
    cr_assert_eq(builds(NULL, cache, 25), 1);
    damage(cache, grow_header);
    cr_assert_eq(builds(NULL, cache, 25), 1);
    write_file(kernels, "pixels/primes.cl", good); /* the old binary belongs to another source */
    cr_assert_eq(builds(kernels, cache, 1), 1);
    cr_assert_eq(builds(kernels, cache, 1), 0);
    cr_assert_eq(builds(NULL, cache, 25), 0);
    cr_assert_eq(builds(NULL, "", 25), 1);
    cr_assert_eq(builds(NULL, "/dev/null/no/folder", 25), 1);
    remove_folder(cache);
    remove_folder(kernels);
}

/* Builds with a cache that must not be used; says what was said about it. */
static void is_distrusted(const char *cache, const char *words)
{
    struct memory memory;
    struct clump_profile profile;
    for (int start = 0; start < 2; start++) {
        clump_context *context = open_with(NULL, cache, &memory);
        cr_assert_eq(count_primes(context), 25);
        ok(clump_profile_read(context, &profile));
        cr_assert_eq(profile.builds, 1, "what others may have written was used");
        cr_assert_contains(memory.text, words);
        clump_context_destroy(&context);
    }
}

Test(kernels, a_cache_that_others_can_write_is_not_used, .timeout = 60)
{
    char *cache = make_folder(), *link = NULL;
    struct stat about;
    cr_assert_eq(builds(NULL, cache, 25), 1);
    cr_assert_eq(chmod(cache, 0777), 0);
    is_distrusted(cache, "others can write to the folder");
    cr_assert_eq(chmod(cache, 0700), 0);
    cr_assert_eq(builds(NULL, cache, 25), 0);
    cr_assert(asprintf(&link, "%s-link", cache) > 0);
    cr_assert_eq(symlink(cache, link), 0);
    is_distrusted(link, "is a link");
    unlink(link);
    free(link);
    if (geteuid() == 0) {
        cr_assert_eq(chown(cache, 65534, 65534), 0);
        is_distrusted(cache, "belongs to user 65534");
        cr_assert_eq(chown(cache, 0, 0), 0);
    }
    remove_folder(cache);
    cache = make_folder();
    rmdir(cache);
    umask(0);
    cr_assert_eq(builds(NULL, cache, 25), 1);
    cr_assert(!stat(cache, &about) && (about.st_mode & 0777) == 0700);
    remove_folder(cache);
}

static void let_others_write(const char *path) { cr_assert_eq(chmod(path, 0666), 0); }

static void give_away(const char *path) { cr_assert_eq(chown(path, 65534, 65534), 0); }

static void replace_by_link(const char *path)
{
    char other[4500];
    snprintf(other, sizeof other, "%s.moved", path);
    cr_assert_eq(rename(path, other), 0);
    cr_assert_eq(symlink(other, path), 0);
}

Test(kernels, a_cache_file_that_others_can_write_is_not_used, .timeout = 60)
{
    char *cache = make_folder();
    cr_assert_eq(builds(NULL, cache, 25), 1);
    damage(cache, let_others_write);
    cr_assert_eq(builds(NULL, cache, 25), 1);
    cr_assert_eq(builds(NULL, cache, 25), 0);
    if (geteuid() == 0) {
        damage(cache, give_away);
        cr_assert_eq(builds(NULL, cache, 25), 1);
    }
    damage(cache, replace_by_link);
    cr_assert_eq(builds(NULL, cache, 25), 1);
    remove_folder(cache);
}

/* At the limit everything stays; one byte more, and what was used longest ago goes. */
Test(kernels, a_full_cache_loses_what_was_used_longest_ago)
{
    struct memory memory;
    char *cache = make_folder();
    unsigned char *binary;
    size_t bytes;
    clump_context *context = open_with(NULL, cache, &memory);
    clump_cache_write(context, "one", (const unsigned char *)"1", 1);
    clump_cache_write(context, "two", (const unsigned char *)"2", 1);
    uint64_t each = 4 * sizeof(uint64_t) + 3 + 1;
    context->opencl->bounds.cache_bytes = 3 * each;
    usleep(20000);
    cr_assert(clump_cache_read(context, "one", &binary, &bytes)); /* now "two" is the oldest */
    free(binary);
    usleep(20000);
    clump_cache_write(context, "six", (const unsigned char *)"6", 1);
    cr_assert(clump_cache_read(context, "two", &binary, &bytes));
    free(binary);
    usleep(20000);
    clump_cache_write(context, "ten", (const unsigned char *)"0", 1);
    cr_assert_not(clump_cache_read(context, "one", &binary, &bytes));
    const char *const kept[] = {"two", "six", "ten"};
    for (int i = 0; i < 3; i++) {
        cr_assert(clump_cache_read(context, kept[i], &binary, &bytes), "%s", kept[i]);
        free(binary);
    }
    clump_context_destroy(&context);
    remove_folder(cache);
}

struct starter {
    const char *cache;
    uint64_t builds;
};

static void *start_cold(void *user)
{
    struct starter *starter = user;
    starter->builds = builds(NULL, starter->cache, 25);
    return NULL;
}

/* Whoever comes second waits for the first and takes what that one built. */
Test(kernels, several_that_start_at_once_build_once, .timeout = 60)
{
    char *cache = make_folder();
    struct starter starters[3];
    pthread_t threads[3];
    uint64_t sum = 0;
    for (int i = 0; i < 3; i++) {
        starters[i] = (struct starter){.cache = cache};
        cr_assert_eq(pthread_create(&threads[i], NULL, start_cold, &starters[i]), 0);
    }
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
        sum += starters[i].builds;
    }
    cr_assert_eq(sum, 1, "%" PRIu64 " builds", sum);
    remove_folder(cache);
}

static void count_call(void *user) { ++*(unsigned *)user; }

Test(kernels, building_is_told_once_and_not_when_the_cache_has_it, .timeout = 60)
{
    struct memory memory;
    struct clump_context_params params = clump_context_defaults;
    char *cache = make_folder();
    unsigned calls = 0;
    params.device = getenv("CLUMP_TEST_DEVICE");
    params.log = remember(&memory);
    params.cache_dir = cache;
    params.building = count_call;
    params.building_user = &calls;
    for (int start = 0; start < 2; start++) {
        clump_context *context = NULL;
        clump_image *mask = NULL, *bytes = NULL;
        uint64_t count;
        cr_assert_eq(clump_context_create(&params, &context), CLUMP_OK, "%s", memory.text);
        cr_assert_eq(calls, (unsigned)start);
        ok(clump_primes(context, 100, &mask, &count));
        ok(clump_convert(context, mask, CLUMP_U8, &bytes)); /* a second program */
        cr_assert_eq(calls, 1);
        clump_image_destroy(&bytes);
        clump_image_destroy(&mask);
        clump_context_destroy(&context);
    }
    remove_folder(cache);
}

/* A valid cache file whose binary the driver does not take. */
Test(kernels, a_binary_that_the_driver_refuses)
{
    struct memory memory;
    char *cache = make_folder();
    cr_assert_eq(builds(NULL, cache, 25), 1);
    clump_context *context = open_with(NULL, cache, &memory);
    clump_cache_write(context, "key", (const unsigned char *)"binary", 6);
    unsigned char *binary;
    size_t bytes;
    cr_assert(clump_cache_read(context, "key", &binary, &bytes));
    cr_assert_eq(bytes, 6);
    cr_assert_arr_eq(binary, "binary", 6);
    free(binary);
    cr_assert_not(clump_cache_read(context, "other", &binary, &bytes));
    clump_cache_remove(context, "key");
    cr_assert_not(clump_cache_read(context, "key", &binary, &bytes));
    clump_context_destroy(&context);
    remove_folder(cache);
}

static void leave_part(const char *path)
{
    char part[4500];
    snprintf(part, sizeof part, "%s.77", path);
    FILE *file = fopen(part, "w");
    cr_assert(file && !fclose(file));
}

Test(kernels, what_a_killed_process_left_of_a_cache_file_is_swept)
{
    struct memory memory;
    char *cache = make_folder();
    clump_context *context = open_with(NULL, cache, &memory);
    clump_cache_write(context, "one", (const unsigned char *)"1", 1);
    damage(cache, leave_part);
    clump_cache_write(context, "one", (const unsigned char *)"1", 1);
    damage(cache, let_others_write); /* there is one file again */
    clump_context_destroy(&context);
    remove_folder(cache);
}
