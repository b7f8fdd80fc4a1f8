/* SPDX-License-Identifier: MIT */
/*
 * Runs a fuzz target on files, without a fuzzer, as TAP: replay FOLDER. Every file is also given
 * cut short at several places.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CUTS 16

/* The file's bytes in a block of just that size, so that a checker sees a byte too many read. */
static uint8_t *read_file(const char *path, size_t *size)
{
    FILE *in = fopen(path, "rb");
    if (!in || fseek(in, 0, SEEK_END))
        return NULL;
    *size = (size_t)ftell(in);
    rewind(in);
    uint8_t *bytes = malloc(*size ? *size : 1);
    if (bytes && fread(bytes, 1, *size, in) != *size) {
        free(bytes);
        bytes = NULL;
    }
    fclose(in);
    return bytes;
}

static void run(const char *path)
{
    size_t size = 0;
    uint8_t *bytes = read_file(path, &size);
    if (!bytes)
        abort();
    LLVMFuzzerTestOneInput(bytes, size);
    for (size_t cut = 1; cut < CUTS; cut++)
        LLVMFuzzerTestOneInput(bytes, size * cut / CUTS);
    free(bytes);
}

int main(int argc, char **argv)
{
    unsigned number = 0, failures = 0;
    char path[4096];
    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
    if (!folder) {
        fprintf(stderr, "usage: replay FOLDER\n");
        return 2;
    }
    for (struct dirent *entry; (entry = readdir(folder));) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
        fflush(stdout);
        int status = -1;
        pid_t child = fork(); /* a crash is one failure, not the end */
        if (child == 0) {
            run(path);
            exit(0);
        }
        waitpid(child, &status, 0);
        printf("%sok %u - %s\n", status ? "not " : "", ++number, entry->d_name);
        failures += status != 0;
    }
    closedir(folder);
    printf("1..%u\n", number);
    return failures || !number;
}
