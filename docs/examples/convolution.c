/* SPDX-License-Identifier: MIT */
/*
 * The same convolution timed in three ways: the call alone, which only enqueues work and so looks
 * much too fast; the call and the wait for its end; and that with both transfers.
 *
 *   convolution [SIDE]
 */
#include <clump/clump.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define KERNEL 15

static double now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

/* A gaussian of 15 x 15 weights from -2 to 2 standard deviations. */
static void make_kernel(double *weights)
{
    for (int i = 0; i < KERNEL * KERNEL; i++) {
        double y = -2 + 4.0 * (i / KERNEL) / (KERNEL - 1),
               x = -2 + 4.0 * (i % KERNEL) / (KERNEL - 1);
        weights[i] = exp(-(x * x + y * y) / 2);
    }
}

static enum clump_status convolve(clump_context *context, const clump_image *image, bool wait,
                                  double *ms)
{
    double weights[KERNEL * KERNEL];
    struct clump_weights kernel = {KERNEL, KERNEL, weights};
    clump_image *convolved = NULL;
    make_kernel(weights);
    double start = now_ms();
    enum clump_status status = clump_convolve(context, image, &kernel, NULL, &convolved);
    if (!status && wait)
        status = clump_context_finish(context);
    *ms = now_ms() - start;
    clump_image_destroy(&convolved);
    return status ? status : clump_context_finish(context);
}

/* Uploads, convolves, downloads. */
static enum clump_status there_and_back(clump_context *context, const float *pixels, uint64_t side,
                                        float *result, double *ms)
{
    double weights[KERNEL * KERNEL], start = now_ms();
    struct clump_weights kernel = {KERNEL, KERNEL, weights};
    clump_image *image = NULL, *convolved = NULL;
    make_kernel(weights);
    enum clump_status status = clump_image_upload(context, CLUMP_F32, side, side, pixels, &image);
    if (!status)
        status = clump_convolve(context, image, &kernel, NULL, &convolved);
    if (!status)
        status = clump_image_download(convolved, result);
    *ms = now_ms() - start;
    clump_image_destroy(&convolved);
    clump_image_destroy(&image);
    return status;
}

int main(int argc, char **argv)
{
    uint64_t side = argc > 1 ? strtoull(argv[1], NULL, 10) : 2048, full = side + KERNEL - 1;
    float *pixels = calloc(side * side, sizeof *pixels);
    float *result = malloc(full * full * sizeof *result);
    clump_context *context = NULL;
    clump_image *image = NULL;
    double built, enqueued, waited, moved;
    int failed = side < 1 || !pixels || !result || clump_context_create(NULL, &context);
    for (uint64_t i = 0; !failed && i < side * side; i++)
        pixels[i] = i / side % 16 == 8 && i % side % 16 == 8;
    failed = failed || clump_image_upload(context, CLUMP_F32, side, side, pixels, &image) ||
             convolve(context, image, true, &built) || convolve(context, image, false, &enqueued) ||
             convolve(context, image, true, &waited) ||
             there_and_back(context, pixels, side, result, &moved);
    if (!failed) {
        printf("first call, builds the kernel  %9.3f ms\n", built);
        printf("the call alone, not its work   %9.3f ms\n", enqueued);
        printf("the call and its work          %9.3f ms\n", waited);
        printf("with transfers                 %9.3f ms\n", moved);
        failed = side > 8 && result[(8 + KERNEL / 2) * full + 8 + KERNEL / 2] != 1;
        printf("the middle of the first blob is %s\n", failed ? "WRONG" : "1");
    }
    clump_image_destroy(&image);
    clump_context_destroy(&context);
    free(result);
    free(pixels);
    return failed;
}
