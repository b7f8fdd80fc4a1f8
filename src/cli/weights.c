/* SPDX-License-Identifier: MIT */
#include "weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST_SIDE 4095 /* of a kernel that is made by name */

#define FWHM  2.3548200450309493 /* of a gaussian, in standard deviations */
#define REACH 4                  /* standard deviations that a kernel given in pixels has */

/* A gaussian of peak 1 whose points are `step` apart. */
static double gauss(double row, double col, double step, double sigma)
{
    double y = row * step, x = col * step;
    return exp(-(x * x + y * y) / (2 * sigma * sigma));
}

/* How far apart SIZE points from -2 to 2 are. */
static double lesson_step(uint64_t size) { return size > 1 ? 4.0 / (double)(size - 1) : 0; }

double weights_gauss(uint64_t row, uint64_t col, uint64_t size, double sigma)
{
    double middle = (double)(size - 1) / 2;
    return gauss((double)row - middle, (double)col - middle, lesson_step(size), sigma);
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
    double step;   /* between the points of a gaussian, in the units of sigma */
};

static const char *const words[] = {"gauss:", "box:", "disk:"};

static int kind_of(const char *text)
{
    for (int i = 0; i < 3; i++)
        if (!strncmp(text, words[i], strlen(words[i])))
            return i;
    return -1;
}

/* "FWHMpx": as many points as REACH standard deviations take on either side. */
static bool parse_width(const char *text, struct name *name)
{
    char *end;
    double width = strtod(text, &end);
    if (end == text || strcmp(end, "px") || !(width > 0) || width > LARGEST_SIDE)
        return false;
    *name = (struct name){.kind = GAUSS, .number = width / FWHM, .step = 1};
    name->size = 2 * (uint64_t)(REACH * name->number + 0.5) + 1;
    return name->size <= LARGEST_SIDE;
}

/* "SIZE", "SIZE,SIGMA" in the lesson's units, or "SIZE,SIGMApx". */
static bool parse_gauss(const char *text, struct name *name)
{
    char *end;
    long size = strtol(text, &end, 10);
    if (end == text || size < 1 || size > LARGEST_SIDE)
        return false;
    *name = (struct name){.kind = GAUSS, .size = (uint64_t)size, .number = 1};
    name->step = lesson_step(name->size);
    if (!*end)
        return true;
    const char *second = end + 1;
    if (*end != ',')
        return false;
    name->number = strtod(second, &end);
    if (end == second || !isfinite(name->number) || name->number <= 0)
        return false;
    bool pixels = !strcmp(end, "px");
    if (pixels)
        name->step = 1;
    return pixels || !*end;
}

static bool parse(const char *text, struct name *name)
{
    char *end;
    int kind = kind_of(text);
    const char *start = text + strlen(words[kind]);
    if (kind == GAUSS)
        return parse_width(start, name) || parse_gauss(start, name);
    long size = strtol(start, &end, 10);
    if (end == start || *end || size < (kind == BOX) || size > LARGEST_SIDE)
        return false;
    *name = (struct name){.kind = kind, .size = (uint64_t)size, .number = (double)size};
    if (kind == DISK)
        name->size = 2 * (uint64_t)size + 1;
    return name->size <= LARGEST_SIDE;
}

int weights_check(struct run *run, const char *text)
{
    struct name name;
    if (kind_of(text) < 0 || parse(text, &name))
        return EXIT_DONE;
    return run_misuse(run,
                      "--kernel wants " WEIGHTS_USAGE
                      ", at most %d weights a side and a width above 0, not '%s'",
                      LARGEST_SIDE, text);
}

static enum clump_status make_by_name(struct run *run, const char *text, bool line,
                                      struct clump_weights *kernel, double **weights)
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
        (*weights)[i] = name.kind == GAUSS  ? gauss(row, col, name.step, name.number)
                        : name.kind == DISK ? disk(row, col, name.number)
                                            : 1;
    }
    return CLUMP_OK;
}

static enum clump_status read_from_file(struct run *run, const char *path,
                                        struct clump_weights *kernel, double **weights)
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

static enum clump_status scale(struct run *run, const char *text, struct clump_weights *kernel,
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
                               struct clump_weights *kernel)
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
