/* SPDX-License-Identifier: MIT */
/* What all formats share: bad input refused with one line, output whole or not at all. */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "file/output.h"
#include "scratch.h"

static struct scratch scratch;

static void begin(void) { scratch_begin(&scratch); }
static void end(void) { scratch_end(&scratch); }

TestSuite(file, .init = begin, .fini = end);

static void refused(const char *path, enum clump_status wanted, const char *says)
{
    clump_file *file = NULL;
    scratch.errors = 0;
    enum clump_status status = clump_file_open(&scratch.log, path, NULL, &file);
    cr_expect_eq(status, wanted, "%s: %s", path, clump_status_text(status));
    cr_expect_eq(scratch.errors, 1, "%s: %u lines", path, scratch.errors);
    cr_expect(strstr(scratch.line, path) && strstr(scratch.line, says), "%s", scratch.line);
    cr_expect(!strchr(scratch.line, '\n'), "more than one line: %s", scratch.line);
    cr_expect_null(file);
}

/* A page that is not there is not quietly the first one. */
Test(file, pages_only_where_there_are_some)
{
    static const char *const names[] = {"p.fits", "p.npy", "p.tif", "p.png"};
    const uint8_t bytes[6] = {1, 2, 3, 4, 5, 6};
    struct clump_file_params params = clump_file_defaults;
    clump_image *image = NULL;
    cr_assert_eq(clump_image_upload(scratch.context, CLUMP_U8, 2, 3, bytes, &image), CLUMP_OK);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        clump_file *file = NULL;
        cr_assert_eq(clump_file_write(scratch.context, image, scratch_path(&scratch, names[i]),
                                      NULL),
                     CLUMP_OK);
        params.page = 1;
        cr_expect_eq(clump_file_open(&scratch.log, scratch.path, &params, &file),
                     CLUMP_ERROR_ARGUMENT, "%s", names[i]);
        cr_expect(strstr(scratch.line, "page 1"), "%s", scratch.line);
        params.page = 0;
        cr_expect_eq(clump_file_open(&scratch.log, scratch.path, &params, &file), CLUMP_OK);
        clump_file_close(&file);
    }
    clump_image_destroy(&image);
}

Test(file, what_cannot_be_opened)
{
    refused(scratch_path(&scratch, "none.fits"), CLUMP_ERROR_FILE, "No such file");
    refused(scratch_path(&scratch, "none.fits[1]"), CLUMP_ERROR_FILE, "No such file");
    refused(scratch.folder, CLUMP_ERROR_FILE, "directory");
    refused("/dev/null", CLUMP_ERROR_FILE, "not a regular file");
    refused(scratch_file(&scratch, "empty.fits", "", 0), CLUMP_ERROR_FORMAT, "empty");
    refused(scratch_file(&scratch, "text.fits", "hello", 5), CLUMP_ERROR_FORMAT, "68 65 6c");
    refused(scratch_file(&scratch, "short.gz", "\x1f\x8b", 2), CLUMP_ERROR_FORMAT, "gzip");
    cr_assert_eq(mkfifo(scratch_path(&scratch, "pipe"), 0600), 0);
    refused(scratch.path, CLUMP_ERROR_FILE, "not a regular file");
}

Test(file, no_permission)
{
    const char *path = scratch_file(&scratch, "secret.npy", "x", 1);
    chmod(path, 0);
    if (getuid() == 0 && seteuid(65534) != 0)
        cr_skip("cannot give up root");
    chmod(scratch.folder, 0755);
    refused(path, CLUMP_ERROR_FILE, "Permission denied");
    if (getuid() == 0)
        cr_expect_eq(seteuid(0), 0);
}

Test(file, garbage_behind_good_first_bytes)
{
    static const char *const heads[] = {"SIMPLE  =", "\x93NUMPY\x01\x00", "II*\x00",
                                        "MM\x00*",   "\x89PNG\r\n\x1a\n", "\x1f\x8b\x08\x00"};
    static const size_t lengths[] = {9, 8, 4, 4, 8, 4};
    unsigned seed = 1;
    for (size_t h = 0; h < sizeof heads / sizeof *heads; h++)
        for (int round = 0; round < 20; round++) {
            uint8_t bytes[6000];
            for (size_t i = 0; i < sizeof bytes; i++)
                bytes[i] = (uint8_t)((seed = seed * 1664525u + 1013904223u) >> 24);
            memcpy(bytes, heads[h], lengths[h]);
            clump_file *file = NULL;
            clump_image *image = NULL;
            scratch.errors = 0;
            const char *path = scratch_file(&scratch, "garbage", bytes, sizeof bytes);
            enum clump_status status = clump_file_open(&scratch.log, path, NULL, &file);
            if (!status)
                status = clump_file_read(scratch.context, file, &image);
            cr_expect(status, "garbage was read as an image");
            cr_expect_eq(scratch.errors, 1, "%u lines", scratch.errors);
            clump_file_close(&file);
        }
}

static clump_image *small(void)
{
    uint8_t pixels[6] = {0, 1, 2, 3, 4, 5};
    clump_image *image = NULL;
    cr_assert_eq(clump_image_upload(scratch.context, CLUMP_U8, 2, 3, pixels, &image), CLUMP_OK);
    return image;
}

static const char *const names[] = {"a.fits", "a.fits.gz", "a.npy", "a.tif", "a.png"};
#define NAMES (sizeof names / sizeof *names)

Test(file, an_existing_file_is_kept_unless_forced)
{
    clump_image *image = small();
    struct clump_file_write_params force = {.force = true};
    for (size_t i = 0; i < NAMES; i++) {
        const char *path = scratch_file(&scratch, names[i], "precious", 8);
        struct stat about;
        scratch.errors = 0;
        cr_expect_eq(clump_file_write(scratch.context, image, path, NULL), CLUMP_ERROR_FILE);
        cr_expect_eq(scratch.errors, 1);
        cr_expect(strstr(scratch.line, "params.force"), "%s", scratch.line);
        cr_expect(stat(path, &about) == 0 && about.st_size == 8);
        cr_expect_eq(clump_file_write(scratch.context, image, path, &force), CLUMP_OK);
        clump_image *back = scratch_read(&scratch, path, NULL, NULL);
        cr_expect_eq(scratch_pixel(back, 1, 2), 5);
        clump_image_destroy(&back);
    }
    clump_image_destroy(&image);
}

Test(file, a_link_stays_and_its_end_is_replaced)
{
    clump_image *image = small();
    struct clump_file_write_params force = {.force = true};
    struct stat about;
    char target[256];
    strcpy(target, scratch_file(&scratch, "real.npy", "old", 3));
    cr_assert_eq(symlink(target, scratch_path(&scratch, "link.npy")), 0);
    cr_expect_eq(clump_file_write(scratch.context, image, scratch.path, &force), CLUMP_OK);
    cr_expect(lstat(scratch.path, &about) == 0 && S_ISLNK(about.st_mode));
    cr_expect(stat(target, &about) == 0 && about.st_size > 3);
    clump_image_destroy(&image);
}

Test(file, what_cannot_be_written)
{
    clump_image *image = small();
    static const struct {
        const char *name, *says;
    } cases[] = {
        {"x.jpeg", "ending"},
        {"x", "ending"},
        {".fits", "ending"},
        {"nowhere/x.fits", "No such file"},
        {"nowhere/x.npy", "No such file"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scratch.errors = 0;
        cr_expect(
            clump_file_write(scratch.context, image, scratch_path(&scratch, cases[i].name), NULL));
        cr_expect_eq(scratch.errors, 1);
        cr_expect(strstr(scratch.line, cases[i].says), "%s", scratch.line);
    }
    cr_assert_eq(mkdir(scratch_path(&scratch, "d.fits"), 0700), 0);
    cr_expect_eq(clump_file_write(scratch.context, image, scratch.path, NULL), CLUMP_ERROR_FILE);
    cr_expect(strstr(scratch.line, "directory"), "%s", scratch.line);
    rmdir(scratch.path);
    clump_image_destroy(&image);
}

/* A limit on the size of files stands in for a full disk: write() fails half-way. */
Test(file, a_full_disk_leaves_nothing)
{
    static uint16_t noise[500 * 400];
    clump_image *image = NULL;
    unsigned seed = 7;
    for (size_t i = 0; i < sizeof noise / sizeof *noise; i++)
        noise[i] = (uint16_t)((seed = seed * 1664525u + 1013904223u) >> 16);
    cr_assert_eq(clump_image_upload(scratch.context, CLUMP_U16, 500, 400, noise, &image), CLUMP_OK);
    struct rlimit limit = {100000, 100000};
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    for (size_t i = 0; i < NAMES; i++) {
        scratch.errors = 0;
        const char *path = scratch_path(&scratch, names[i]);
        cr_expect_eq(clump_file_write(scratch.context, image, path, NULL), CLUMP_ERROR_FILE, "%s",
                     path);
        cr_expect_eq(scratch.errors, 1);
        cr_expect_neq(access(path, F_OK), 0, "%s was left", path);
    }
    clump_image_destroy(&image);
}

Test(file, cleanup_removes_what_is_being_written)
{
    struct output output;
    cr_assert_eq(clump_output_begin(&scratch.log, scratch_path(&scratch, "x.npy"), false, &output),
                 CLUMP_OK);
    cr_expect_eq(access(output.temporary, F_OK), 0);
    clump_file_cleanup();
    cr_expect_neq(access(output.temporary, F_OK), 0);
    cr_expect_eq(clump_output_end(&output, CLUMP_ERROR_FILE), CLUMP_ERROR_FILE);
}

Test(file, a_target_that_appears_meanwhile_is_kept)
{
    struct output output;
    struct stat about;
    cr_assert_eq(clump_output_begin(&scratch.log, scratch_path(&scratch, "x.npy"), false, &output),
                 CLUMP_OK);
    scratch_file(&scratch, "x.npy", "other", 5);
    cr_expect_eq(clump_output_end(&output, CLUMP_OK), CLUMP_ERROR_FILE);
    cr_expect(stat(scratch.path, &about) == 0 && about.st_size == 5);
}

/* Somebody who can write to the folder may put a link in the place of a part: what it leads to
 * keeps its owner and its rights, and does not get the name of the output. */
Test(file, a_link_in_the_place_of_a_part_is_not_followed)
{
    struct output output;
    struct stat about;
    char other[256], target[256];
    strcpy(other, scratch_file(&scratch, "other", "x", 1));
    cr_assert_eq(chmod(other, 0600), 0);
    strcpy(target, scratch_file(&scratch, "target.npy", "old", 3));
    cr_assert_eq(chmod(target, 0666), 0);
    cr_assert_eq(clump_output_begin(&scratch.log, target, true, &output), CLUMP_OK);
    cr_assert_eq(unlink(output.temporary), 0);
    cr_assert_eq(symlink(other, output.temporary), 0);
    cr_expect_eq(clump_output_end(&output, CLUMP_OK), CLUMP_ERROR_FILE);
    cr_expect_eq(scratch.errors, 1, "%s", scratch.line);
    cr_assert_eq(stat(other, &about), 0);
    cr_expect_eq(about.st_mode & 0777, 0600, "%o", about.st_mode & 0777);
    cr_assert_eq(lstat(target, &about), 0);
    cr_expect(S_ISREG(about.st_mode) && about.st_size == 3, "the target was replaced");
}
