/* SPDX-License-Identifier: MIT */
/*
 * The astronomy pipeline step by step, with the time of each step as the clock and as the device
 * sees it, and the same steps on the scalar reference to see that both answers are the same.
 *
 *   pipeline FILE.fits
 */
#include <clump/clump.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct answer {
    struct clump_clip_result clip;
    uint64_t pixels, sources;
    struct clump_region *regions;
};

static double now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1e3 + time.tv_nsec / 1e6;
}

/* Says how long a step took that began at `*start`, and begins the next one. */
static enum clump_status lap(clump_context *context, const char *step, double *start)
{
    struct clump_profile profile;
    enum clump_status status = clump_profile_read(context, &profile); /* waits for the device */
    if (!status) {
        printf("  %-10s %9.3f ms", step, now_ms() - *start);
        if (profile.launches)
            printf(", %9.3f ms on the device in %" PRIu64 " launches", profile.device_ms,
                   profile.launches);
        printf("\n");
        status = clump_profile_start(context, true);
    }
    *start = now_ms();
    return status;
}

/* Background, threshold at five standard deviations, labels, measurements. */
static enum clump_status steps(clump_context *context, const clump_image *image,
                               struct answer *answer)
{
    clump_image *mask = NULL, *labels = NULL;
    struct clump_threshold_params above = clump_threshold_defaults;
    double start = now_ms();
    enum clump_status status = clump_profile_start(context, true);
    if (!status)
        status = clump_clip(context, image, NULL, NULL, NULL, &answer->clip);
    if (!status)
        status = lap(context, "clip", &start);
    above.above = status ? 0 : 5 * answer->clip.after.std;
    if (!status)
        status = clump_threshold(context, image, &above, &mask, &answer->pixels);
    if (!status)
        status = lap(context, "threshold", &start);
    if (!status)
        status = clump_label(context, mask, NULL, &labels, &answer->sources);
    if (!status)
        status = lap(context, "label", &start);
    if (!status)
        status = clump_measure(context, image, labels, NULL, &answer->regions, &answer->sources);
    if (!status)
        status = lap(context, "measure", &start);
    clump_image_destroy(&labels);
    clump_image_destroy(&mask);
    return status;
}

/* Runs all steps on one device: NULL is the default one. */
static enum clump_status run(const char *device, const char *path, struct answer *answer)
{
    struct clump_context_params params = clump_context_defaults;
    clump_context *context = NULL;
    clump_file *file = NULL;
    clump_image *image = NULL;
    params.device = device;
    enum clump_status status = clump_context_create(&params, &context);
    if (!status)
        status = clump_file_open(NULL, path, NULL, &file);
    if (!status)
        status = clump_file_read(context, file, &image);
    if (!status)
        printf("%s\n", clump_context_device(context)->name);
    if (!status)
        status = steps(context, image, answer); /* the first time builds the kernels */
    clump_measure_destroy(&answer->regions);
    if (!status)
        printf(" again, with all that the first time has built\n");
    if (!status)
        status = steps(context, image, answer);
    clump_image_destroy(&image);
    clump_file_close(&file);
    clump_context_destroy(&context);
    return status;
}

int main(int argc, char **argv)
{
    struct answer fast = {0}, exact = {0};
    if (argc != 2) {
        fprintf(stderr, "usage: pipeline FILE.fits\n");
        return 2;
    }
    int failed = run(NULL, argv[1], &fast) || run("reference", argv[1], &exact);
    if (!failed) {
        failed = fast.sources != exact.sources || fast.clip.after.std != exact.clip.after.std;
        for (uint64_t i = 0; i < exact.sources && !failed; i++)
            failed = fast.regions[i].sum != exact.regions[i].sum;
        printf("%" PRIu64 " sources, noise %.6g: device and reference %s\n", fast.sources,
               fast.clip.after.std, failed ? "DIFFER" : "agree to the last bit");
    }
    clump_measure_destroy(&fast.regions);
    clump_measure_destroy(&exact.regions);
    return failed;
}
