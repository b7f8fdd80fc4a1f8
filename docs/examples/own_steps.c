/* SPDX-License-Identifier: MIT */
/*
 * How long one's own steps take: a threshold and the labels of what is above it, as one call that
 * clump_benchmark warms up and repeats.
 *
 *   own_steps FILE
 */
#include <clump/clump.h>

#include <stdio.h>

#define CALLS 20
#define LEVEL 0.0665

/* What is timed; `user` is the image. */
static enum clump_status steps(clump_context *context, void *user)
{
    struct clump_threshold_params params = clump_threshold_defaults;
    clump_image *mask = NULL, *labels = NULL;
    uint64_t count;
    params.above = LEVEL;
    enum clump_status status = clump_threshold(context, user, &params, &mask, NULL);
    if (!status)
        status = clump_label(context, mask, NULL, &labels, &count);
    clump_image_destroy(&labels);
    clump_image_destroy(&mask);
    return status;
}

static void tell(const char *what, const struct clump_benchmark_times *times)
{
    printf("%-7s min %.4f, median %.4f, mean %.4f, std %.4f ms\n", what, times->min, times->median,
           times->mean, times->std);
}

static void report(void *user, enum clump_log_level level, const char *text)
{
    (void)level;
    fprintf(stderr, "%s: %s\n", (const char *)user, text);
}

int main(int argc, char **argv)
{
    struct clump_context_params params = clump_context_defaults;
    struct clump_benchmark_params times = clump_benchmark_defaults;
    struct clump_benchmark_result result;
    clump_context *context = NULL;
    clump_file *file = NULL;
    clump_image *image = NULL;
    if (argc != 2) {
        fprintf(stderr, "usage: %s FILE\n", argv[0]);
        return 2;
    }
    params.log.line = report;
    params.log.user = argv[0];
    times.repeats = CALLS;
    enum clump_status status = clump_context_create(&params, &context);
    if (!status)
        status = clump_file_open(&params.log, argv[1], NULL, &file);
    if (!status)
        status = clump_file_read(context, file, &image);
    if (!status)
        status = clump_benchmark(context, steps, image, &times, &result);
    if (!status) {
        printf("%u calls\n", (unsigned)result.repeats);
        tell("host", &result.host);     /* until the call returned */
        tell("wall", &result.wall);     /* until the device was done */
        tell("device", &result.device); /* of the kernels, by the device's clock */
    }
    clump_image_destroy(&image);
    clump_file_close(&file);
    clump_context_destroy(&context);
    return status != CLUMP_OK;
}
