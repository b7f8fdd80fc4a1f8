/* SPDX-License-Identifier: MIT */
/*
 * Many files, one context: kernels are built once, memory is used again. A file that cannot be read
 * is reported and the others go on.
 *
 *   batch FILE...
 */
#include <clump/clump.h>

#include <inttypes.h>
#include <stdio.h>

/* A line of the library names the file already; the program only says who speaks. */
static void report(void *user, enum clump_log_level level, const char *text)
{
    (void)level;
    fprintf(stderr, "%s: %s\n", (const char *)user, text);
}

static enum clump_status one(clump_context *context, const struct clump_log *log, const char *path)
{
    clump_file *file = NULL;
    clump_image *image = NULL;
    struct clump_find_result found = {0};
    enum clump_status status = clump_file_open(log, path, NULL, &file);
    if (!status)
        status = clump_file_read(context, file, &image);
    if (!status)
        status = clump_find(context, image, NULL, NULL, &found);
    if (!status)
        printf("%-24s %6" PRIu64 " sources above %.6g\n", path, found.count, found.threshold);
    clump_find_release(&found);
    clump_image_destroy(&image);
    clump_file_close(&file);
    return status;
}

int main(int argc, char **argv)
{
    struct clump_context_params params = clump_context_defaults;
    clump_context *context = NULL;
    int failures = 0;
    params.log.line = report;
    params.log.user = argv[0];
    if (clump_context_create(&params, &context))
        return 1;
    for (int i = 1; i < argc; i++)
        failures += one(context, &params.log, argv[i]) != CLUMP_OK;
    printf("%d of %d files done\n", argc - 1 - failures, argc - 1);
    clump_context_destroy(&context);
    return failures > 0;
}
