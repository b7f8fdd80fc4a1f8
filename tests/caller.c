/* SPDX-License-Identifier: MIT */
/* What a caller may have done before: fork(), another rounding mode, a thread of little stack. */
#include "support.h"

#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __SSE2__
#include <xmmintrin.h>
#endif

#define SIDE      67
#define DENORMALS 0x8040u /* FTZ and DAZ of MXCSR: denormals are taken for zero */

/* What docs/limits.md promises to be enough. */
#define STACK_REFERENCE (256u << 10)
#define STACK_OPENCL    (1u << 20)

/* Tenths and thirds, which no sum holds exactly, some denormals, and three bright squares. */
static float pixels[SIDE * SIDE];

static void fill(void)
{
    for (unsigned i = 0; i < SIDE * SIDE; i++) {
        unsigned row = i / SIDE, col = i % SIDE;
        pixels[i] = (float)((i * 7919u) % 1000u) / 30.0f;
        if (i % 101 == 0)
            pixels[i] = 1e-41f * (float)(i + 1);
        if ((row / 8 == 3 && col / 8 == 5) || (row / 5 == 7 && col / 5 == 2) || i == 99)
            pixels[i] = 4000.1f + (float)i / 3.0f;
    }
}

/* Bytes of a file. */
static size_t slurp(const char *path, char *to, size_t room)
{
    FILE *in = fopen(path, "rb");
    size_t bytes = in ? fread(to, 1, room, in) : 0;
    if (in)
        fclose(in);
    unlink(path);
    return bytes;
}

/* What the operations say, as bytes that two runs can be compared by. */
struct answer {
    struct clump_stats_result stats;
    double otsu;
    float blurred[SIDE * SIDE], convolved[SIDE * SIDE], sum[SIDE * SIDE];
    char catalog[1 << 16], objects[1 << 16];
    size_t catalog_bytes, objects_bytes;
    uint64_t sources, extracted;
    struct clump_background_result level;
    float background[SIDE * SIDE];
    struct clump_flux flux[2];
    struct clump_kron kron[2];
    struct clump_window window[2];
    double radius[2];
};

static enum clump_status find_sources(clump_context *context, const clump_image *image,
                                      const char *folder, struct answer *answer)
{
    char path[256];
    struct clump_find_result found = {0};
    clump_catalog *catalog = NULL;
    enum clump_status status = clump_find(context, image, NULL, NULL, &found);
    if (!status)
        status = clump_find_catalog(NULL, &found, NULL, &catalog);
    answer->sources = found.count;
    snprintf(path, sizeof path, "%s/found.csv", folder);
    if (!status)
        status = clump_catalog_write(catalog, path, NULL);
    answer->catalog_bytes = slurp(path, answer->catalog, sizeof answer->catalog);
    clump_catalog_destroy(&catalog);
    clump_find_release(&found);
    return status;
}

static enum clump_status measure_apertures(clump_context *context, const clump_image *image,
                                           struct answer *answer)
{
    static const struct clump_aperture circles[2] = {
        {.x = 43.3, .y = 27.1, .a = 1, .b = 1, .outer = 6.7},
        {.x = 12.1, .y = 36.9, .a = 3.3, .b = 1.7, .theta = 0.3, .outer = 2.1, .inner = 0.1},
    };
    const double third = 1 / 3.0;
    struct clump_photometry_params params = clump_photometry_defaults;
    params.subpix = 0;
    params.error = 0.1;
    params.gain = 1.7;
    enum clump_status status =
        clump_photometry_sum(context, image, 2, circles, &params, answer->flux);
    if (!status)
        status = clump_photometry_kron(context, image, 2, circles, NULL, answer->kron);
    if (!status)
        status = clump_photometry_window(context, image, 2, circles, NULL, answer->window);
    if (!status)
        status = clump_photometry_radius(context, image, 2, circles, NULL, &third, 1, NULL,
                                         answer->radius, NULL);
    return status;
}

/* The whole of an extraction, with the host's arithmetic between its steps and for its table. */
static enum clump_status extract_objects(clump_context *context, const clump_image *image,
                                         const char *folder, struct answer *answer)
{
    char path[256];
    struct clump_extract_result found = {0};
    clump_image *background = NULL;
    const struct clump_extract_images images = {.background = &background};
    const struct clump_extract_catalog_params columns = {.magnitudes = true, .zero_point = 25.3};
    clump_catalog *catalog = NULL;
    enum clump_status status =
        clump_extract_field(context, image, NULL, &images, &answer->level, &found);
    answer->extracted = found.count;
    if (!status)
        status = clump_image_download(background, answer->background);
    if (!status)
        status = clump_extract_catalog(NULL, &found, &columns, &catalog);
    snprintf(path, sizeof path, "%s/objects.csv", folder);
    if (!status)
        status = clump_catalog_write(catalog, path, NULL);
    answer->objects_bytes = slurp(path, answer->objects, sizeof answer->objects);
    clump_catalog_destroy(&catalog);
    clump_image_destroy(&background);
    clump_extract_release(&found);
    return status ? status : measure_apertures(context, image, answer);
}

/* Writes the image as FITS and reads it again, through CFITSIO. */
static enum clump_status through_a_file(clump_context *context, const clump_image *image,
                                        const char *folder, struct answer *answer)
{
    char path[256];
    clump_file *file = NULL;
    clump_image *again = NULL;
    snprintf(path, sizeof path, "%s/image.fits.gz", folder);
    enum clump_status status = clump_file_write(context, image, path, NULL);
    if (!status)
        status = clump_file_open(NULL, path, NULL, &file);
    if (!status)
        status = clump_file_read(context, file, &again);
    if (!status)
        status = clump_image_download(again, answer->sum);
    unlink(path);
    clump_image_destroy(&again);
    clump_file_close(&file);
    return status;
}

static enum clump_status work(clump_context *context, const char *folder, struct answer *answer)
{
    static const double weights[9] = {0.1, 0.2, 0.1, 0.2, 1 / 3.0, 0.2, 0.1, 0.2, 0.1};
    const struct clump_weights kernel = {.rows = 3, .cols = 3, .weights = weights};
    struct clump_gaussian_params blur = clump_gaussian_defaults;
    clump_image *image = NULL, *blurred = NULL, *convolved = NULL;
    memset(answer, 0, sizeof *answer);
    blur.sigma_rows = blur.sigma_cols = 1.7;
    enum clump_status status = clump_image_upload(context, CLUMP_F32, SIDE, SIDE, pixels, &image);
    if (!status)
        status = clump_stats(context, image, NULL, NULL, &answer->stats);
    if (!status)
        status = clump_otsu(context, image, &answer->otsu);
    if (!status)
        status = clump_gaussian(context, image, &blur, &blurred);
    if (!status)
        status = clump_image_download(blurred, answer->blurred);
    if (!status)
        status = clump_convolve(context, image, &kernel, NULL, &convolved);
    if (!status)
        status = clump_image_download(convolved, answer->convolved);
    if (!status)
        status = find_sources(context, image, folder, answer);
    if (!status)
        status = extract_objects(context, image, folder, answer);
    if (!status)
        status = through_a_file(context, image, folder, answer);
    clump_image_destroy(&convolved);
    clump_image_destroy(&blurred);
    clump_image_destroy(&image);
    return status;
}

static void round_in_every_way(const char *device)
{
    static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    static struct answer usual, other;
    char *folder = make_folder();
    fill(); /* in the usual mode: it computes, too */
    clump_context *context = open_context(device, NULL);
    ok(work(context, folder, &usual));
    clump_context_destroy(&context);
    cr_assert_geq(usual.sources, 1);
    cr_assert_gt(usual.catalog_bytes, 100);
    cr_assert_geq(usual.extracted, 2);
    cr_assert_gt(usual.objects_bytes, 100);
    for (unsigned i = 0; i < sizeof modes / sizeof *modes; i++) {
        fesetround(modes[i]);
#ifdef __SSE2__
        _mm_setcsr(_mm_getcsr() | DENORMALS);
#endif
        context = open_context(device, NULL);
        enum clump_status status = work(context, folder, &other);
        clump_context_destroy(&context);
        int mode = fegetround();
#ifdef __SSE2__
        unsigned denormals = _mm_getcsr() & DENORMALS;
#else
        unsigned denormals = DENORMALS;
#endif
        fesetenv(FE_DFL_ENV);
        ok(status);
        cr_assert_eq(mode, modes[i], "the caller's rounding mode was changed");
        cr_assert_eq(denormals, DENORMALS, "the caller's denormals were changed");
        cr_assert_eq(memcmp(&usual.stats, &other.stats, sizeof usual.stats), 0, "stats, mode %u",
                     i);
        cr_assert_eq(memcmp(&usual, &other, sizeof usual), 0, "mode %u of %s gives other results",
                     i, device ? device : "the device");
    }
    remove_folder(folder);
}

Test(caller, rounding_of_the_caller_changes_nothing, .timeout = 120)
{
    round_in_every_way("reference");
}

Test(caller, rounding_of_the_caller_changes_nothing_on_a_device, .timeout = 120)
{
    round_in_every_way(NULL);
}

/* Everything that a child may do with what it has from its parent: 0, or the line that went wrong.
 */
static int use_in_child(clump_context *context, clump_image *image, clump_image *mapped,
                        struct memory *memory)
{
    static struct answer answer;
    struct clump_stats_result stats;
    struct clump_device *devices = NULL;
    clump_image *made = NULL;
    clump_context *other = NULL;
    struct clump_context_params params = clump_context_defaults;
    struct clump_background_result level;
    struct clump_extract_result objects;
    const struct clump_aperture circle = {.a = 1, .b = 1, .outer = 3};
    const struct clump_operand one = {.number = 1, .whole = true};
    struct clump_flux flux;
    uint64_t count;
    size_t devices_count;
#define REFUSED(call)                                                                              \
    do {                                                                                           \
        memory->errors = 0;                                                                        \
        if (!(call) || memory->errors != 1)                                                        \
            return __LINE__;                                                                       \
    } while (0)
    REFUSED(clump_image_upload(context, CLUMP_F32, SIDE, SIDE, pixels, &made));
    REFUSED(clump_image_create(context, CLUMP_F32, SIDE, SIDE, &made));
    REFUSED(clump_stats(context, image, NULL, NULL, &stats));
    REFUSED(clump_background(context, image, NULL, NULL, NULL, NULL, NULL, &level));
    REFUSED(clump_extract(context, image, NULL, NULL, NULL, &objects));
    REFUSED(clump_extract_field(context, image, NULL, NULL, NULL, &objects));
    REFUSED(clump_photometry_sum(context, image, 1, &circle, NULL, &flux));
    REFUSED(clump_select(context, image, &one, &one, &made));
    REFUSED(clump_compress(context, image, image, &made, &count));
    REFUSED(clump_reshape(context, image, 1, SIDE * SIDE, &made));
    REFUSED(clump_image_download(image, pixels));
    REFUSED(clump_image_unmap(mapped));
    REFUSED(clump_primes(context, 100, NULL, &count));
    REFUSED(clump_context_finish(context));
    REFUSED(clump_context_trim(context));
    clump_image_destroy(&image);
    clump_image_destroy(&mapped);
    clump_context_destroy(&context);
    params.log = remember(memory);
    params.device = "cpu";
    REFUSED(clump_context_create(&params, &other));
    if (!strstr(memory->text, "fork()"))
        return __LINE__;
    if (clump_device_list(NULL, &devices, &devices_count) || devices_count != 1)
        return __LINE__;
    clump_device_list_destroy(&devices);
    params.device = "reference";
    char *folder = make_folder();
    if (clump_context_create(&params, &other) || work(other, folder, &answer))
        return __LINE__;
    remove_folder(folder);
    clump_context_destroy(&other);
    return 0;
}

Test(caller, a_context_in_a_child_is_an_error_and_no_hang, .timeout = 120)
{
    static struct memory memory;
    struct clump_stats_result stats;
    void *mapping;
    clump_image *image = NULL, *mapped = NULL;
    clump_context *context = open_context("cpu", &memory);
    int status = 0;
    fill();
    ok(clump_image_upload(context, CLUMP_F32, SIDE, SIDE, pixels, &image));
    ok(clump_image_upload(context, CLUMP_F32, SIDE, SIDE, pixels, &mapped));
    ok(clump_image_map(mapped, CLUMP_IMAGE_READ, &mapping));
    pid_t child = fork();
    if (!child) {
        alarm(60);
        int line = use_in_child(context, image, mapped, &memory);
        if (line)
            fprintf(stderr, "line %d of caller.c in the child: %s\n", line, memory.text);
        _exit(line != 0);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFEXITED(status) && !WEXITSTATUS(status), "the child ended with %x", status);
    ok(clump_image_unmap(mapped));
    ok(clump_stats(context, image, NULL, NULL, &stats)); /* the parent goes on */
    clump_image_destroy(&mapped);
    clump_image_destroy(&image);
    clump_context_destroy(&context);
}

static void *in_thread(void *user)
{
    static struct answer answer;
    char *folder = make_folder();
    clump_context *context = open_context(user, NULL);
    enum clump_status status = work(context, folder, &answer);
    clump_context_destroy(&context);
    remove_folder(folder);
    return status ? &answer : NULL;
}

static void with_stack(size_t bytes, char *device)
{
    pthread_attr_t attributes;
    pthread_t thread;
    void *failed;
    fill();
    const char *asked = getenv("CLUMP_TEST_STACK"); /* set by people who look for the least */
    cr_assert_eq(pthread_attr_init(&attributes), 0);
    cr_assert_eq(pthread_attr_setstacksize(&attributes, asked ? strtoul(asked, NULL, 0) : bytes),
                 0);
    cr_assert_eq(pthread_create(&thread, &attributes, in_thread, device), 0);
    cr_assert_eq(pthread_join(thread, &failed), 0);
    cr_assert_null(failed);
    pthread_attr_destroy(&attributes);
}

Test(caller, a_thread_with_little_stack, .timeout = 120)
{
    with_stack(STACK_REFERENCE, "reference");
}

/* The thread builds the kernels, because the caches are empty. */
Test(caller, a_thread_with_little_stack_on_a_device, .timeout = 120)
{
    with_stack(STACK_OPENCL, NULL);
}
