/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes the whole command: main() of `clump` is called with the bytes as its file, in this process
 * and with the libraries that parse files in it too, so that a checker sees all of them. Whatever
 * the bytes are, the command ends with 0 and no error, or with 1 and one line that names the file.
 * For photometry they are the table of positions in an image that is always the same.
 *
 * CLUMP_FUZZ_COMMAND has the word of one command; without it all of them are called.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);
int clump_command(int argc, char **argv); /* the command's main */

#define WORDS  12
#define PATH   "PATH"
#define SECOND "SECOND" /* the file's first extension */
#define GOOD   "GOOD"   /* an image that is as it should be */

/* Settings that only `struct common` keeps: those of a command stay until the process ends. */
static const char *const calls[][WORDS] = {
    {"info", PATH},
    {"info", "--json", PATH},
    {"info", "-v", "-v", SECOND},
    {"info", PATH, SECOND},
    {"stats", PATH},
    {"stats", "--json", SECOND},
    {"stats", "--plane", "1", PATH},
    {"stats", "--float32", PATH},
    {"find", PATH},
    {"find", "-q", "-o", "-", PATH},
    {"find", "-q", "-o", "-", "--format", "fits", PATH},
    {"find", "-q", "-o", "-", "--format", "vot", PATH},
    {"find", SECOND},
    {"find", "-q", "-o", "-", "--format", "reg", PATH},
    {"find", "--json", "--crop", "1:,:-1", PATH},
    {"cells", PATH},
    {"cells", "-q", "-o", "-", "--format", "ecsv", PATH},
    {"cells", "--json", "--page", "1", PATH},
    {"cells", SECOND},
    {"measure", PATH, "--labels", PATH},
    {"measure", "-q", "-o", "-", PATH, "--labels", PATH},
    {"measure", "--json", PATH, "--labels", SECOND},
    {"convert", "-q", "-o", "-", PATH},
    {"convert", "-q", "-o", "-", "--format", "fits", PATH},
    {"convert", "-q", "-o", "-", "--format", "tif", SECOND},
    {"convert", "-q", "-o", "-", "--format", "fits", "--float32", PATH},
    {"convert", "-q", "-o", "-", "--format", "fits", "--crop", "1:,:-1", PATH},
    {"convert", "-q", "-o", "-", "--format", "png", PATH},
    {"background", PATH},
    {"background", "--json", SECOND},
    {"background", "-q", "-o", "-", "--format", "fits", PATH},
    {"extract", PATH},
    {"extract", "--json", SECOND},
    {"extract", "-q", "-o", "-", "--format", "fits", PATH},
    {"photometry", "-q", GOOD, "--catalog", PATH, "--aperture", "2,5", "--radius", "0.5"},
    {"photometry", "--json", GOOD, "--catalog", PATH, "--aperture", "2,5", "--radius", "0.5"},
};
#define CALLS (sizeof calls / sizeof *calls)

static struct common no_options;
static char path[64], second[80], good[64], said[1 << 16];
static int descriptor = -1;

static _Noreturn void give_up(const char *why, const char *const *words, int status)
{
    dprintf(STDERR_FILENO, "not so: %s; status %d of", why, status);
    for (int i = 0; words[i]; i++)
        dprintf(STDERR_FILENO, " %s", words[i]);
    dprintf(STDERR_FILENO, ", which said:\n%s\n", said);
    abort();
}

static void judge(const char *const *words, int status)
{
    unsigned errors = 0, named = 0, controls = 0;
    bool tells = words[1] && words[2] && !strcmp(words[1], "-v"); /* how it goes about it */
    char warning[40];
    int prefix = snprintf(warning, sizeof warning, "clump %s: warning: ", words[0]);
    for (char *line = said, *end; *line; line = end) {
        end = line + strcspn(line, "\n");
        end += *end == '\n';
        bool error = !tells && strncmp(line, warning, (size_t)prefix) != 0;
        errors += error;
        named += error && memmem(line, (size_t)(end - line), path, strlen(path));
        for (char *c = line; c < end; c++)
            controls += ((unsigned char)*c < ' ' && *c != '\n') || *c == 127;
    }
    unsigned files = !strcmp(words[0], "info") && words[2] && words[1][0] != '-' ? 2 : 1;
    if (status != EXIT_DONE && status != EXIT_FAILED)
        give_up("0 or 1 is wanted", words, status);
    if (!tells && (status ? !errors || errors > files : errors))
        give_up("one line with a failure, none without", words, status);
    if (named != errors)
        give_up("lines name the file", words, status);
    if (controls)
        give_up("no control characters", words, status);
}

static void call(const char *const *words)
{
    static char copies[WORDS + 3][80];
    char *argv[WORDS + 4] = {0};
    int argc = 0;
    const char *const fixed[] = {"clump", words[0], "--device", "reference"};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        argv[argc++] = strcpy(copies[i], fixed[i]);
    for (int i = 1; words[i]; i++, argc++) {
        const char *word = !strcmp(words[i], PATH)     ? path
                           : !strcmp(words[i], SECOND) ? second
                           : !strcmp(words[i], GOOD)   ? good
                                                       : words[i];
        argv[argc] = strcpy(copies[argc], word);
    }
    common = no_options;
    memset(said, 0, 16);
    rewind(stderr);
    int status = clump_command(argc, argv);
    fputc(0, stderr);
    fflush(stderr);
    said[sizeof said - 1] = 0;
    judge(words, status);
}

/* A ramp with a square that stands out, as .npy. */
static void make_good(void)
{
    static const char header[] =
        "\x93NUMPY\1\0v\0{'descr': '|u1', 'fortran_order': False, 'shape': (32, 32), }";
    static char bytes[128 + 32 * 32];
    int file = memfd_create("good", 0);
    memset(bytes, ' ', 128);
    memcpy(bytes, header, sizeof header - 1);
    bytes[127] = '\n';
    for (int i = 0; i < 32 * 32; i++)
        bytes[128 + i] = (char)(i / 64 + (i / 32 / 4 == 3 && i % 32 / 4 == 4 ? 90 : 0));
    snprintf(good, sizeof good, "/proc/self/fd/%d", file);
    if (file < 0 || write(file, bytes, sizeof bytes) != (ssize_t)sizeof bytes)
        abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    no_options = common;
    setenv("CLUMP_READER", "none",
           1); /* libraries parse in this process, where a checker sees what breaks */
    setenv("TMPDIR", "/dev/shm", 1); /* where tables on their way to stdout are */
    descriptor = memfd_create("fuzz", 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    snprintf(second, sizeof second, "%s[1]", path);
    make_good();
    stdout = fopen("/dev/null", "w");
    stderr = fmemopen(said, sizeof said, "w");
    if (descriptor < 0 || !stdout || !stderr)
        abort();
    return 0;
}

/* Which of a command's calls it is comes from the bytes, to be the same every time. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *only = getenv("CLUMP_FUZZ_COMMAND");
    uint32_t sum = (uint32_t)size;
    if (descriptor < 0)
        LLVMFuzzerInitialize(NULL, NULL);
    if (ftruncate(descriptor, 0) || pwrite(descriptor, data, size, 0) != (ssize_t)size)
        abort();
    for (size_t i = 0; i < size; i += 1 + size / 4096)
        sum = sum * 31 + data[i];
    sum ^= sum >> 16;
    for (size_t first = 0, end; first < CALLS; first = end) {
        end = first;
        while (end < CALLS && !strcmp(calls[end][0], calls[first][0]))
            end++;
        if (!only || !strcmp(only, calls[first][0]))
            call(calls[first + sum % (end - first)]);
    }
    return 0;
}
