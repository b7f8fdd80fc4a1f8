/* SPDX-License-Identifier: MIT */
#include "weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST_SIDE 4095 /* of a kernel that is made by name */

/* The lesson's gaussian: SIZE points from -2 to 2, a peak of 1. */
static double gauss(double row, double col, uint64_t size, double sigma)
{
    double step = size > 1 ? 4.0 / (double)(size - 1) : 0;
    double y = row * step, x = col * step;
    return exp(-(x * x + y * y) / (2 * sigma * sigma));
}

/* As skimage.morphology.disk. */
static double disk(double row, double col, double radius)
{
    return row * row + col * col <= radius * radius;
}

/* A kernel's name taken apart. */
struct name {
    enum { GAUSS, BOX, DISK } kind;
    uint64_t size;
    double number; /* sigma or radius */
};

static const char *const words[] = {"gauss:", "box:", "disk:"};

static int kind_of(const char *text)
{
    for (int i = 0; i < 3; i++)
        if (!strncmp(text, words[i], strlen(words[i])))
            return i;
    return -1;
}

static bool parse(const char *text, struct name *name)
{
    char *end;
    int kind = kind_of(text);
    const char *start = text + strlen(words[kind]);
    long size = strtol(start, &end, 10);
    name->number = kind == DISK ? (double)size : 1;
    if (end != start && kind == GAUSS && *end == ',') {
        const char *second = end + 1;
        name->number = strtod(second, &end);
        if (end == second || !isfinite(name->number) || name->number <= 0)
            return false;
    }
    if (end == start || *end || size < 0 || size > LARGEST_SIDE)
        return false;
    name->kind = kind;
    name->size = kind == DISK ? 2 * (uint64_t)size + 1 : (uint64_t)size;
    return name->size >= 1 && name->size <= LARGEST_SIDE;
}

int weights_check(struct run *run, const char *text)
{
    struct name name;
    if (kind_of(text) < 0 || parse(text, &name))
        return EXIT_DONE;
    return run_misuse(run,
                      "--kernel wants " WEIGHTS_USAGE
                      ", at most %d weights a side and a sigma above 0, not '%s'",
                      LARGEST_SIDE, text);
}

static enum clump_status make_by_name(struct run *run, const char *text, bool line,
                                      struct clump_kernel *kernel, double **weights)
{
    struct name name = {0};
    parse(text, &name); /* checked before */
    kernel->rows = line ? 1 : name.size;
    kernel->cols = name.size;
    *weights = malloc(kernel->rows * kernel->cols * sizeof **weights);
    if (!*weights)
        return run_fail(run, CLUMP_ERROR_MEMORY, "out of memory for the kernel");
    for (uint64_t i = 0; i < kernel->rows * kernel->cols; i++) {
        double row = (double)(i / kernel->cols) - (double)(kernel->rows - 1) / 2;
        double col = (double)(i % kernel->cols) - (double)(kernel->cols - 1) / 2;
        (*weights)[i] = name.kind == GAUSS  ? gauss(row, col, name.size, name.number)
                        : name.kind == DISK ? disk(row, col, name.number)
                                            : 1;
    }
    return CLUMP_OK;
}

static enum clump_status read_from_file(struct run *run, const char *path,
                                        struct clump_kernel *kernel, double **weights)
{
    clump_context *host = NULL;
    clump_file *file = NULL;
    clump_image *image = NULL, *wide = NULL;
    struct clump_context_params params = clump_context_defaults;
    params.device = "reference"; /* the weights stay on the host */
    params.log = run->log;
    enum clump_status status = clump_context_create(&params, &host);
    if (!status)
        status = clump_file_open(&run->log, path, NULL, &file);
    if (!status)
        status = clump_file_read(host, file, &image);
    if (!status)
        status = clump_convert(host, image, CLUMP_F64, &wide);
    if (!status) {
        kernel->rows = clump_image_rows(wide);
        kernel->cols = clump_image_cols(wide);
        *weights = malloc(kernel->rows * kernel->cols * sizeof **weights);
        status = *weights ? clump_image_download(wide, *weights)
                          : run_fail(run, CLUMP_ERROR_MEMORY, "out of memory for the kernel");
    }
    clump_image_destroy(&wide);
    clump_image_destroy(&image);
    clump_file_close(&file);
    clump_context_destroy(&host);
    return status;
}

static enum clump_status scale(struct run *run, const char *text, struct clump_kernel *kernel,
                               double *weights)
{
    uint64_t count = kernel->rows * kernel->cols;
    double sum = 0, absolute = 0;
    for (uint64_t i = 0; i < count; i++) {
        sum += weights[i];
        absolute += fabs(weights[i]);
    }
    if (!(fabs(sum) > 1e-12 * absolute))
        return run_fail(run, CLUMP_ERROR_ARGUMENT,
                        "--normalize: the weights of '%s' sum to %g, which cannot become 1", text,
                        sum);
    for (uint64_t i = 0; i < count; i++)
        weights[i] /= sum;
    return CLUMP_OK;
}

enum clump_status weights_make(struct run *run, const char *text, bool line, bool normalize,
                               struct clump_kernel *kernel)
{
    double *weights = NULL;
    enum clump_status status = kind_of(text) >= 0 ? make_by_name(run, text, line, kernel, &weights)
                                                  : read_from_file(run, text, kernel, &weights);
    if (!status && normalize)
        status = scale(run, text, kernel, weights);
    if (status) {
        free(weights);
        weights = NULL;
    }
    kernel->weights = weights;
    return status;
}
