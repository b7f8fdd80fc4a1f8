/* SPDX-License-Identifier: MIT */
#include "support.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void add_line(void *user, enum clump_log_level level, const char *text)
{
    struct memory *memory = user;
    size_t used = strlen(memory->text);
    memory->errors += level == CLUMP_LOG_ERROR;
    snprintf(memory->text + used, sizeof memory->text - used, "%s\n", text);
}

struct clump_log remember(struct memory *memory)
{
    *memory = (struct memory){0};
    return (struct clump_log){add_line, memory, CLUMP_LOG_DEBUG};
}

static clump_context *open_any(const char *device, const char *kernels, const char *cache,
                               struct memory *memory)
{
    static _Thread_local struct memory ignored;
    struct clump_context_params params = clump_context_defaults;
    clump_context *context = NULL;
    memory = memory ? memory : &ignored;
    params.device = device ? device : getenv("CLUMP_TEST_DEVICE");
    params.log = remember(memory);
    params.kernel_dir = kernels;
    params.cache_dir = cache;
    cr_assert_eq(clump_context_create(&params, &context), CLUMP_OK, "%s", memory->text);
    return context;
}

clump_context *open_context(const char *device, struct memory *memory)
{
    return open_any(device, NULL, "", memory);
}

clump_context *open_with(const char *kernels, const char *cache, struct memory *memory)
{
    return open_any(NULL, kernels, cache, memory);
}

uint64_t count_primes(clump_context *context)
{
    uint64_t count = 99;
    ok(clump_primes(context, 100, NULL, &count));
    return count;
}

clump_image *upload(clump_context *context, enum clump_type type, uint64_t rows, uint64_t cols,
                    const void *pixels)
{
    clump_image *image = NULL;
    ok(clump_image_upload(context, type, rows, cols, pixels, &image));
    return image;
}

const void *see_pixels(clump_image *image)
{
    void *pixels = NULL;
    ok(clump_image_map(image, CLUMP_IMAGE_READ, &pixels));
    return pixels;
}

char *make_folder(void)
{
    char *folder = strdup("/tmp/clump-test-XXXXXX");
    cr_assert(mkdtemp(folder));
    return folder;
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *walk)
{
    (void)info, (void)kind, (void)walk;
    return remove(path);
}

void remove_folder(char *folder)
{
    nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(folder);
}

void write_file(const char *folder, const char *name, const char *text)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    for (char *slash = path + strlen(folder) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
        *slash = 0;
        cr_assert(!mkdir(path, 0777) || errno == EEXIST);
    }
    FILE *file = fopen(path, "wb");
    cr_assert(file, "%s", path);
    cr_assert_eq(fwrite(text, 1, strlen(text), file), strlen(text));
    cr_assert_eq(fclose(file), 0);
}
