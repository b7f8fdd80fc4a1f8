/* SPDX-License-Identifier: MIT */
#include "scratch.h"

#include <dirent.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <criterion/criterion.h>

static void keep(void *user, enum clump_log_level level, const char *text)
{
    struct scratch *scratch = user;
    if (level != CLUMP_LOG_ERROR)
        return;
    snprintf(scratch->line, sizeof scratch->line, "%s", text);
    scratch->errors++;
}

void scratch_begin(struct scratch *scratch)
{
    memset(scratch, 0, sizeof *scratch);
    strcpy(scratch->folder, "/tmp/clump-test-XXXXXX");
    cr_assert(mkdtemp(scratch->folder), "cannot make a folder for the test");
    scratch->log = (struct clump_log){keep, scratch, CLUMP_LOG_ERROR};
    struct clump_context_params params = clump_context_defaults;
    params.device = "reference";
    params.log = scratch->log;
    cr_assert_eq(clump_context_create(&params, &scratch->context), CLUMP_OK);
}

/* Of the sanitizer, if there is one: Criterion ends a test's process without asking it. */
extern int __lsan_do_recoverable_leak_check(void) __attribute__((weak));

/* Once a test is over Criterion counts neither assertions nor crashes: end the runner. */
static void insist(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "%s\n", what);
    kill(getppid(), SIGABRT);
}

void scratch_end(struct scratch *scratch)
{
    clump_context_destroy(&scratch->context);
    DIR *folder = opendir(scratch->folder);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        insist(!strstr(entry->d_name, ".part"), "a temporary file is left behind");
        if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
            unlinkat(dirfd(folder), entry->d_name, 0);
    }
    if (folder)
        closedir(folder);
    rmdir(scratch->folder);
    insist(!__lsan_do_recoverable_leak_check || !__lsan_do_recoverable_leak_check(),
           "memory is leaked");
}

const char *scratch_path(struct scratch *scratch, const char *name)
{
    snprintf(scratch->path, sizeof scratch->path, "%s/%s", scratch->folder, name);
    return scratch->path;
}

const char *scratch_file(struct scratch *scratch, const char *name, const void *bytes, size_t count)
{
    FILE *out = fopen(scratch_path(scratch, name), "wb");
    cr_assert(out && fwrite(bytes, 1, count, out) == count && fclose(out) == 0);
    return scratch->path;
}

clump_image *scratch_read(struct scratch *scratch, const char *path,
                          const struct clump_file_params *params, clump_file **out)
{
    clump_file *file = NULL;
    clump_image *image = NULL;
    cr_assert_eq(clump_file_open(&scratch->log, path, params, &file), CLUMP_OK, "%s",
                 scratch->line);
    cr_assert_eq(clump_file_read(scratch->context, file, &image), CLUMP_OK, "%s", scratch->line);
    cr_assert_eq(clump_image_type(image), clump_file_info(file)->type);
    cr_assert_eq(clump_image_rows(image), clump_file_info(file)->rows);
    cr_assert_eq(clump_image_cols(image), clump_file_info(file)->cols);
    if (out)
        *out = file;
    else
        clump_file_close(&file);
    return image;
}

static double value(enum clump_type type, const void *pixels, size_t i)
{
    switch (type) {
    case CLUMP_U8:
        return ((const uint8_t *)pixels)[i];
    case CLUMP_U16:
        return ((const uint16_t *)pixels)[i];
    case CLUMP_I16:
        return ((const int16_t *)pixels)[i];
    case CLUMP_I32:
        return ((const int32_t *)pixels)[i];
    case CLUMP_U32:
        return ((const uint32_t *)pixels)[i];
    case CLUMP_I64:
        return (double)((const int64_t *)pixels)[i];
    case CLUMP_F32:
        return ((const float *)pixels)[i];
    case CLUMP_F64:
        return ((const double *)pixels)[i];
    default:
        cr_assert_fail("not a number type");
        return 0;
    }
}

double scratch_pixel(const clump_image *image, uint64_t row, uint64_t col)
{
    enum clump_type type = clump_image_type(image);
    uint64_t cols = clump_image_cols(image);
    void *pixels = malloc(clump_type_row_bytes(type, cols) * clump_image_rows(image));
    cr_assert(pixels && clump_image_download(image, pixels) == CLUMP_OK);
    double result = value(type, pixels, row * cols + col);
    free(pixels);
    return result;
}

int scratch_run(struct scratch *scratch, const char *format, ...)
{
    char command[2048], whole[2304];
    va_list args;
    va_start(args, format);
    vsnprintf(command, sizeof command, format, args);
    va_end(args);
    snprintf(whole, sizeof whole, "(%s) >%s/output 2>&1", command, scratch->folder);
    int status = system(whole);
    const char *keep = getenv("CLUMP_TEST_SHOW");
    if (keep) {
        snprintf(whole, sizeof whole, "cat %s/output >&2", scratch->folder);
        if (system(whole))
            perror("cat");
    }
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return code == 127 ? -1 : code;
}

void scratch_round_trip(struct scratch *scratch, const char *suffix)
{
    uint8_t bytes[7 * 5 * 8], again[7 * 5 * 8];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 37 + 1) & 0x3f;
    for (int type = CLUMP_U8; type < CLUMP_RGB; type++) {
        clump_image *image = NULL;
        char name[16];
        snprintf(name, sizeof name, "%d.%s", type, suffix);
        clump_image_upload(scratch->context, (enum clump_type)type, 7, 5, bytes, &image);
        cr_assert_eq(clump_file_write(scratch->context, image, scratch_path(scratch, name), NULL),
                     CLUMP_OK, "%s", scratch->line);
        clump_image *back = scratch_read(scratch, scratch->path, NULL, NULL);
        cr_expect_eq(clump_image_type(back), (enum clump_type)type);
        clump_image_download(back, again);
        cr_expect_arr_eq(again, bytes, 7 * clump_type_row_bytes((enum clump_type)type, 5));
        clump_image_destroy(&image);
        clump_image_destroy(&back);
    }
}
