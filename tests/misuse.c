/* SPDX-License-Identifier: MIT */
/*
 * NULL in the place of what is needed: every public function refuses it with a status and one line,
 * or, where it returns no status, answers as if there were nothing. No function crashes.
 */
#include "support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <clump/opencl.h>

#include "headers.h"

static struct memory memory;
static struct clump_log heard;
static clump_context *context;
static clump_image *image, *bits, *labels, *rgb, *out;
static clump_catalog *catalog;
static clump_file *file;
static char *folder, path[300];
static FILE *errors; /* what goes to stderr, where a function knows no log */
static uint64_t count;

static void set_up(void)
{
    const uint8_t zeros[3 * 4 * 5] = {0};
    context = open_context("reference", &memory);
    heard = remember(&memory);
    ok(clump_image_upload(context, CLUMP_F32, 1, 5, zeros, &image));
    ok(clump_image_upload(context, CLUMP_BITS, 1, 5, zeros, &bits));
    ok(clump_image_upload(context, CLUMP_I32, 1, 5, zeros, &labels));
    ok(clump_image_upload(context, CLUMP_RGB, 1, 5, zeros, &rgb));
    ok(clump_catalog_create(&heard, "T", 1, &catalog));
    folder = make_folder();
    snprintf(path, sizeof path, "%s/image.npy", folder);
    ok(clump_file_write(context, image, path, NULL));
    ok(clump_file_open(&heard, path, NULL, &file));
    errors = tmpfile();
    cr_assert(errors && dup2(fileno(errors), STDERR_FILENO) >= 0);
}

static void tear_down(void)
{
    clump_image **all[] = {&image, &bits, &labels, &rgb};
    clump_file_close(&file);
    clump_catalog_destroy(&catalog);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        clump_image_destroy(all[i]);
    clump_context_destroy(&context);
    remove_folder(folder);
}

TestSuite(misuse, .init = set_up, .fini = tear_down, .timeout = 60);

static void forget(void)
{
    memory = (struct memory){0};
    cr_assert_eq(ftruncate(fileno(errors), 0), 0);
    cr_assert_eq(lseek(fileno(errors), 0, SEEK_SET), 0);
}

/* Lines in the log and on stderr since forget(). */
static unsigned lines(void)
{
    char text[4096];
    ssize_t length = pread(fileno(errors), text, sizeof text, 0);
    unsigned found = memory.errors;
    for (ssize_t i = 0; i < length; i++)
        found += text[i] == '\n';
    return found;
}

/* The call returns ARGUMENT and says one line. */
#define refused(call)                                                                              \
    do {                                                                                           \
        forget();                                                                                  \
        cr_expect_eq((call), CLUMP_ERROR_ARGUMENT, "%s is not refused", #call);                    \
        cr_expect_eq(lines(), 1, "%s says %u lines", #call, lines());                              \
    } while (0)

Test(misuse, of_context)
{
    refused(clump_context_create(NULL, NULL));
    refused(clump_context_finish(NULL));
    refused(clump_context_trim(NULL));
    clump_context_destroy(NULL);
    cr_expect_null(clump_context_device(NULL));
    refused(clump_profile_start(NULL, true));
    refused(clump_profile_read(NULL, &(struct clump_profile){0}));
    refused(clump_profile_read(context, NULL));
}

static enum clump_status nothing(clump_context *where, void *user)
{
    (void)where, (void)user;
    return CLUMP_OK;
}

Test(misuse, of_benchmark)
{
    struct clump_benchmark_result result;
    refused(clump_benchmark(NULL, nothing, NULL, NULL, &result));
    refused(clump_benchmark(context, NULL, NULL, NULL, &result));
    refused(clump_benchmark(context, nothing, NULL, NULL, NULL));
}

Test(misuse, of_device)
{
    struct clump_device *devices = NULL;
    size_t number;
    refused(clump_device_list(&heard, NULL, &number));
    refused(clump_device_list(NULL, &devices, NULL));
    refused(clump_device_choose(&heard, NULL, 1, "gpu", &number, NULL));
    refused(clump_device_choose(NULL, &(struct clump_device){0}, 1, "0", NULL, NULL));
    clump_device_list_destroy(NULL);
    cr_expect_str_eq(clump_device_type_text((enum clump_device_type)99), "unknown");
}

Test(misuse, of_opencl)
{
    refused(clump_opencl_context(NULL, NULL, NULL, &context));
    refused(clump_opencl_context((cl_context)1, (cl_command_queue)1, NULL, NULL));
    refused(clump_opencl_image(NULL, CLUMP_U8, 1, 1, (cl_mem)1, &out));
    refused(clump_opencl_image(context, CLUMP_U8, 1, 1, (cl_mem)1, &out)); /* on the reference */
    cr_expect_null(clump_opencl_queue(NULL));
    cr_expect_null(clump_opencl_queue(context));
    cr_expect_null(clump_opencl_buffer(NULL));
    cr_expect_null(clump_opencl_buffer(image));
}

Test(misuse, of_image)
{
    float pixels[5];
    void *mapped;
    refused(clump_image_create(NULL, CLUMP_U8, 1, 1, &out));
    refused(clump_image_create(context, CLUMP_U8, 1, 1, NULL));
    refused(clump_image_upload(NULL, CLUMP_U8, 1, 1, pixels, &out));
    refused(clump_image_upload(context, CLUMP_U8, 1, 1, NULL, &out));
    refused(clump_image_upload(context, CLUMP_U8, 1, 1, pixels, NULL));
    refused(clump_image_wrap(NULL, CLUMP_U8, 1, 1, pixels, &out));
    refused(clump_image_wrap(context, CLUMP_U8, 1, 1, NULL, &out));
    refused(clump_image_wrap(context, CLUMP_U8, 1, 1, pixels, NULL));
    refused(clump_image_write(NULL, pixels));
    refused(clump_image_write(image, NULL));
    refused(clump_image_download(NULL, pixels));
    refused(clump_image_download(image, NULL));
    refused(clump_image_map(NULL, CLUMP_IMAGE_READ, &mapped));
    refused(clump_image_map(image, CLUMP_IMAGE_READ, NULL));
    refused(clump_image_unmap(NULL));
    clump_image_destroy(NULL);
    cr_expect_null(clump_image_context(NULL));
    cr_expect_eq(clump_image_type(NULL), CLUMP_TYPE_COUNT);
    cr_expect_eq(clump_image_rows(NULL), 0);
    cr_expect_eq(clump_image_cols(NULL), 0);
    cr_expect_str_eq(clump_type_text(CLUMP_TYPE_COUNT), "unknown type");
    cr_expect_eq(clump_type_row_bytes(CLUMP_TYPE_COUNT, 1), 0);
}

Test(misuse, of_pixels)
{
    struct clump_allclose_result close;
    const struct clump_operand a = {.image = image}, one = {.number = 1};
    refused(clump_convert(NULL, image, CLUMP_U8, &out));
    refused(clump_convert(context, NULL, CLUMP_U8, &out));
    refused(clump_convert(context, image, CLUMP_U8, NULL));
    refused(clump_crop(NULL, image, 0, 0, 1, 1, &out));
    refused(clump_crop(context, NULL, 0, 0, 1, 1, &out));
    refused(clump_crop(context, image, 0, 0, 1, 1, NULL));
    refused(clump_channel(NULL, rgb, 0, &out));
    refused(clump_channel(context, NULL, 0, &out));
    refused(clump_channel(context, rgb, 0, NULL));
    refused(clump_arith(NULL, &a, CLUMP_ARITH_ADD, &one, &out));
    refused(clump_arith(context, NULL, CLUMP_ARITH_ADD, &one, &out));
    refused(clump_arith(context, &a, CLUMP_ARITH_ADD, NULL, &out));
    refused(clump_arith(context, &one, CLUMP_ARITH_ADD, &one, &out));
    refused(clump_arith(context, &a, CLUMP_ARITH_ADD, &one, NULL));
    refused(clump_select(NULL, image, &a, &one, &out));
    refused(clump_select(context, NULL, &a, &one, &out));
    refused(clump_select(context, image, NULL, &one, &out));
    refused(clump_select(context, image, &a, NULL, &out));
    refused(clump_select(context, image, &a, &one, NULL));
    refused(clump_compress(NULL, image, image, &out, &count));
    refused(clump_compress(context, NULL, image, &out, &count));
    refused(clump_compress(context, image, NULL, &out, &count));
    refused(clump_compress(context, image, image, NULL, &count));
    refused(clump_compress(context, image, image, &out, NULL));
    refused(clump_reshape(NULL, image, 1, 1, &out));
    refused(clump_reshape(context, NULL, 1, 1, &out));
    refused(clump_reshape(context, image, clump_image_rows(image), clump_image_cols(image), NULL));
    refused(clump_reshape(context, image, 0, 0, &out));
    refused(clump_allclose(NULL, image, image, NULL, &close));
    refused(clump_allclose(context, NULL, image, NULL, &close));
    refused(clump_allclose(context, image, NULL, NULL, &close));
    refused(clump_allclose(context, image, image, NULL, NULL));
    refused(clump_primes(NULL, 9, &out, &count));
    refused(clump_primes(context, 9, &out, NULL));
    clump_type_promote(CLUMP_TYPE_COUNT, CLUMP_TYPE_COUNT);
}

Test(misuse, of_convolve)
{
    const double one = 1;
    const struct clump_weights kernel = {1, 1, &one}, empty = {1, 1, NULL};
    refused(clump_convolve(NULL, image, &kernel, NULL, &out));
    refused(clump_convolve(context, NULL, &kernel, NULL, &out));
    refused(clump_convolve(context, image, NULL, NULL, &out));
    refused(clump_convolve(context, image, &empty, NULL, &out));
    refused(clump_convolve(context, image, &kernel, NULL, NULL));
    refused(clump_convolve_1d(NULL, image, &kernel, NULL, &out));
    refused(clump_convolve_1d(context, NULL, &kernel, NULL, &out));
    refused(clump_convolve_1d(context, image, NULL, NULL, &out));
    refused(clump_convolve_1d(context, image, &empty, NULL, &out));
    refused(clump_convolve_1d(context, image, &kernel, NULL, NULL));
    refused(clump_gaussian(NULL, image, NULL, &out));
    refused(clump_gaussian(context, NULL, NULL, &out));
    refused(clump_gaussian(context, image, NULL, NULL));
}

Test(misuse, of_stats)
{
    const double half = 0.5;
    double quantile, threshold;
    struct clump_stats_result stats;
    struct clump_stats_params listed = {.quantiles = &half, .quantile_count = 1};
    struct clump_stats_params unlisted = {.quantile_count = 1};
    struct clump_clip_result clip;
    refused(clump_stats(NULL, image, NULL, NULL, &stats));
    refused(clump_stats(context, NULL, NULL, NULL, &stats));
    refused(clump_stats(context, image, &listed, NULL, &stats));
    refused(clump_stats(context, image, &unlisted, &quantile, &stats));
    refused(clump_stats(context, image, NULL, NULL, NULL));
    refused(clump_clip(NULL, image, NULL, NULL, NULL, &clip));
    refused(clump_clip(context, NULL, NULL, NULL, NULL, &clip));
    refused(clump_clip(context, image, NULL, NULL, NULL, NULL));
    struct clump_background_result back;
    refused(clump_background(NULL, image, NULL, NULL, NULL, NULL, NULL, &back));
    refused(clump_background(context, NULL, NULL, NULL, NULL, NULL, NULL, &back));
    refused(clump_background(context, image, NULL, NULL, NULL, NULL, NULL, NULL));
    refused(clump_otsu(NULL, image, &threshold));
    refused(clump_otsu(context, NULL, &threshold));
    refused(clump_otsu(context, image, NULL));
}

Test(misuse, of_regions)
{
    struct clump_region *regions;
    struct clump_morphology_params custom = clump_morphology_defaults;
    custom.footprint = (struct clump_footprint){CLUMP_FOOTPRINT_CUSTOM, .rows = 1, .cols = 1};
    refused(clump_threshold(NULL, image, NULL, &out, &count));
    refused(clump_threshold(context, NULL, NULL, &out, &count));
    refused(clump_threshold(context, image, NULL, NULL, &count));
    refused(clump_morphology(NULL, bits, NULL, &out));
    refused(clump_morphology(context, NULL, NULL, &out));
    refused(clump_morphology(context, bits, &custom, &out));
    refused(clump_morphology(context, bits, NULL, NULL));
    refused(clump_label(NULL, bits, NULL, NULL, &count));
    refused(clump_label(context, NULL, NULL, NULL, &count));
    refused(clump_label(context, bits, NULL, NULL, NULL));
    refused(clump_measure(NULL, image, labels, NULL, &regions, &count));
    refused(clump_measure(context, image, NULL, NULL, &regions, &count));
    refused(clump_measure(context, image, labels, NULL, NULL, &count));
    refused(clump_measure(context, image, labels, NULL, &regions, NULL));
    refused(clump_measure_catalog(&heard, NULL, 1, NULL, &catalog));
    refused(clump_measure_catalog(NULL, NULL, 0, NULL, NULL));
    clump_measure_destroy(NULL);
    struct clump_lookup_table table = {.type = CLUMP_U8, .columns = 1};
    refused(clump_lookup(NULL, labels, &table, &out));
    refused(clump_lookup(context, NULL, &table, &out));
    refused(clump_lookup(context, labels, NULL, &out));
    refused(clump_lookup(context, labels, &table, NULL));
    refused(clump_relabel(NULL, labels, &out, NULL));
    refused(clump_relabel(context, NULL, &out, NULL));
    refused(clump_relabel(context, labels, NULL, NULL));
    refused(clump_label2rgb(NULL, labels, NULL, NULL, &out));
    refused(clump_label2rgb(context, NULL, NULL, NULL, &out));
    refused(clump_label2rgb(context, labels, NULL, NULL, NULL));
}

Test(misuse, of_extract)
{
    struct clump_extract_result found = {.count = 1};
    struct clump_object object = {0};
    refused(clump_extract(NULL, image, NULL, NULL, NULL, &found));
    refused(clump_extract(context, NULL, NULL, NULL, NULL, &found));
    refused(clump_extract(context, image, NULL, NULL, NULL, NULL));
    refused(clump_extract_photometry(NULL, image, NULL, NULL, &object, 1));
    refused(clump_extract_photometry(context, NULL, NULL, NULL, &object, 1));
    refused(clump_extract_photometry(context, image, NULL, NULL, NULL, 1));
    refused(clump_extract_field(NULL, image, NULL, NULL, NULL, &found));
    refused(clump_extract_field(context, NULL, NULL, NULL, NULL, &found));
    refused(clump_extract_field(context, image, NULL, NULL, NULL, NULL));
    refused(clump_extract_catalog(&heard, NULL, NULL, &catalog));
    refused(clump_extract_catalog(&heard, &found, NULL, &catalog)); /* which has no objects */
    refused(clump_extract_catalog(NULL, &(struct clump_extract_result){0}, NULL, NULL));
    clump_extract_release(NULL);
    found.count = 0;
    clump_extract_release(&found);
}

Test(misuse, of_photometry)
{
    const struct clump_aperture one = {.a = 1, .b = 1, .outer = 1};
    const double half = 0.5;
    double radius;
    struct clump_flux flux;
    struct clump_kron kron;
    struct clump_window window;
    struct clump_gauss gauss;
    refused(clump_photometry_sum(NULL, image, 1, &one, NULL, &flux));
    refused(clump_photometry_sum(context, NULL, 1, &one, NULL, &flux));
    refused(clump_photometry_sum(context, image, 1, NULL, NULL, &flux));
    refused(clump_photometry_sum(context, image, 1, &one, NULL, NULL));
    refused(clump_photometry_kron(NULL, image, 1, &one, NULL, &kron));
    refused(clump_photometry_kron(context, NULL, 1, &one, NULL, &kron));
    refused(clump_photometry_kron(context, image, 1, NULL, NULL, &kron));
    refused(clump_photometry_kron(context, image, 1, &one, NULL, NULL));
    refused(clump_photometry_radius(NULL, image, 1, &one, NULL, &half, 1, NULL, &radius, NULL));
    refused(clump_photometry_radius(context, NULL, 1, &one, NULL, &half, 1, NULL, &radius, NULL));
    refused(clump_photometry_radius(context, image, 1, NULL, NULL, &half, 1, NULL, &radius, NULL));
    refused(clump_photometry_radius(context, image, 1, &one, NULL, NULL, 1, NULL, &radius, NULL));
    refused(clump_photometry_radius(context, image, 1, &one, NULL, &half, 1, NULL, NULL, NULL));
    refused(clump_photometry_gauss(NULL, image, 1, &one, false, NULL, &gauss));
    refused(clump_photometry_gauss(context, NULL, 1, &one, false, NULL, &gauss));
    refused(clump_photometry_gauss(context, image, 1, NULL, false, NULL, &gauss));
    refused(clump_photometry_gauss(context, image, 1, &one, false, NULL, NULL));
    refused(clump_photometry_window(NULL, image, 1, &one, NULL, &window));
    refused(clump_photometry_window(context, NULL, 1, &one, NULL, &window));
    refused(clump_photometry_window(context, image, 1, NULL, NULL, &window));
    refused(clump_photometry_window(context, image, 1, &one, NULL, NULL));
    clump_ellipse_coefficients(1, 1, 0, NULL, NULL, NULL);
    cr_expect(clump_ellipse_axes(1, 1, 0, NULL, NULL, NULL));
    cr_expect(!clump_ellipse_axes(0, 0, 0, NULL, NULL, NULL));
}

Test(misuse, of_find)
{
    struct clump_find_result found = {.count = 1};
    refused(clump_find(NULL, image, NULL, NULL, &found));
    refused(clump_find(context, NULL, NULL, NULL, &found));
    refused(clump_find(context, image, NULL, NULL, NULL));
    refused(clump_find_catalog(&heard, NULL, NULL, &catalog));
    refused(clump_find_catalog(&heard, &found, NULL, &catalog)); /* which has no regions */
    refused(clump_find_catalog(NULL, &(struct clump_find_result){0}, NULL, NULL));
    clump_find_sort(NULL);
    clump_find_sort(&found);
    clump_find_release(NULL);
}

static enum clump_status no_rows(void *user, uint64_t row, clump_image **rows)
{
    (void)user, (void)row, (void)rows;
    return CLUMP_ERROR_MEMORY;
}

Test(misuse, of_rows_of_files)
{
    cr_expect(!clump_file_by_rows(NULL));
    refused(clump_file_read_rows(NULL, file, 0, 1, &out));
    refused(clump_file_read_rows(context, NULL, 0, 1, &out));
    refused(clump_file_read_rows(context, file, 0, 1, NULL));
    refused(clump_file_read_rows(context, file, 0, 0, &out));
    refused(clump_file_read_rows(context, file, 1, 1, &out));
    refused(clump_file_read_rows(context, file, 0, 2, &out));
    refused(clump_file_write_rows(NULL, CLUMP_F32, 1, 1, "x.npy", NULL, no_rows, NULL));
    refused(clump_file_write_rows(context, CLUMP_F32, 1, 1, NULL, NULL, no_rows, NULL));
    refused(clump_file_write_rows(context, CLUMP_F32, 1, 1, "x.npy", NULL, NULL, NULL));
    refused(clump_file_write_rows(context, CLUMP_F32, 0, 1, "x.npy", NULL, no_rows, NULL));
}

Test(misuse, of_bands)
{
    struct clump_bands_params params = {.type = CLUMP_F32, .rows = 1, .cols = 5};
    struct clump_stats_result stats;
    struct clump_clip_result clip;
    struct clump_find_result found = {0};
    clump_bands *bands = NULL;
    bool more;
    refused(clump_bands_create(NULL, &params, &bands));
    refused(clump_bands_create(context, NULL, &bands));
    refused(clump_bands_create(context, &params, NULL));
    refused(clump_bands_hint(NULL, image));
    refused(clump_bands_begin(NULL, &more));
    refused(clump_bands_rows(NULL, image, NULL));
    refused(clump_bands_finish(NULL));
    refused(clump_bands_stats(NULL, NULL, &stats));
    refused(clump_bands_clip(NULL, &clip));
    refused(clump_bands_find(NULL, &found));
    cr_expect(!clump_bands_labelling(NULL));
    ok(clump_bands_create(context, &params, &bands));
    refused(clump_bands_hint(bands, NULL));
    refused(clump_bands_begin(bands, NULL));
    refused(clump_bands_rows(bands, image, NULL)); /* before a pass has begun */
    ok(clump_bands_begin(bands, &more));
    refused(clump_bands_rows(bands, NULL, NULL));
    refused(clump_bands_stats(bands, NULL, NULL));
    clump_bands_destroy(&bands);
    clump_bands_destroy(&bands);
    clump_bands_destroy(NULL);
}

Test(misuse, of_cells)
{
    struct clump_cells_result found = {.count = 1};
    refused(clump_cells(NULL, image, NULL, NULL, NULL, &found));
    refused(clump_cells(context, NULL, NULL, NULL, NULL, &found));
    refused(clump_cells(context, image, NULL, NULL, NULL, NULL));
    refused(clump_cells_catalog(&heard, NULL, &catalog));
    refused(clump_cells_catalog(&heard, &found, &catalog)); /* which has no regions */
    refused(clump_cells_catalog(NULL, &(struct clump_cells_result){0}, NULL));
    clump_cells_release(NULL);
}

Test(misuse, of_catalog)
{
    const double value = 1;
    refused(clump_catalog_create(NULL, "T", 1, NULL));
    refused(clump_catalog_add(NULL, &(struct clump_column){.name = "x", .values = &value}));
    refused(clump_catalog_add(catalog, NULL));
    refused(clump_catalog_add(catalog, &(struct clump_column){.values = &value}));
    refused(clump_catalog_add(catalog, &(struct clump_column){.name = "x"}));
    refused(clump_catalog_note(NULL, "KEY", "value"));
    refused(clump_catalog_note(catalog, NULL, "value"));
    refused(clump_catalog_note(catalog, "KEY", NULL));
    refused(clump_catalog_number(NULL, "KEY", 1, NULL));
    refused(clump_catalog_number(catalog, NULL, 1, NULL));
    refused(clump_catalog_write(NULL, path, NULL));
    refused(clump_catalog_write(catalog, NULL, NULL));
    cr_expect_eq(clump_catalog_rows(NULL), 0);
    cr_expect_eq(clump_catalog_columns(NULL), 0);
    cr_expect_null(clump_catalog_column(NULL, 0));
    cr_expect_null(clump_catalog_find(NULL, "x"));
    cr_expect_null(clump_catalog_find(catalog, NULL));
    clump_catalog_print(NULL, stdout);
    clump_catalog_print(catalog, NULL);
    clump_catalog_destroy(NULL);
}

Test(misuse, of_file)
{
    double x = 0, y = 0;
    refused(clump_file_open(NULL, NULL, NULL, &file));
    refused(clump_file_open(&heard, path, NULL, NULL));
    refused(clump_file_page(NULL, 0, &(struct clump_file_page){0}));
    refused(clump_file_page(file, 0, NULL));
    refused(clump_file_read(NULL, file, &out));
    refused(clump_file_read(context, NULL, &out));
    refused(clump_file_read(context, file, NULL));
    refused(clump_file_write(NULL, image, path, NULL));
    refused(clump_file_write(context, NULL, path, NULL));
    refused(clump_file_write(context, image, NULL, NULL));
    cr_expect_null(clump_file_info(NULL));
    clump_file_close(NULL);
    clump_file_cleanup();
    cr_expect(!clump_wcs_sky(NULL, 0, 0, &x, &y) && isnan(x) && isnan(y));
    cr_expect(!clump_wcs_native(NULL, 0, 0, NULL, NULL));
    cr_expect(!clump_wcs_native(file, 0, 0, NULL, NULL));
    cr_expect(!clump_wcs_sky(file, 0, 0, NULL, NULL));
    cr_expect(!clump_wcs_pixel(file, 0, 0, NULL, NULL));
}

Test(misuse, of_render)
{
    struct clump_render_params marked = clump_render_defaults;
    marked.mark_count = 1;
    refused(clump_render(NULL, image, NULL, &out));
    refused(clump_render(context, NULL, NULL, &out));
    refused(clump_render(context, image, &marked, &out));
    refused(clump_render(context, image, NULL, NULL));
    refused(clump_render_write(NULL, image, NULL, "x.svg", false));
    refused(clump_render_write(context, NULL, NULL, "x.svg", false));
    refused(clump_render_write(context, image, NULL, NULL, false));
}

Test(misuse, of_words) /* none of these takes a pointer */
{
    cr_expect(clump_version() && clump_built_without());
    cr_expect_str_eq(clump_status_text((enum clump_status) - 1), "unknown status");
}

static char *own_text;

static void see_function(const char *name)
{
    char call[110];
    snprintf(call, sizeof call, "%s(", name);
    cr_expect(strstr(own_text, call), "%s is called nowhere in tests/misuse.c", name);
}

Test(misuse, every_public_function_is_called_here)
{
    own_text = read_text(TEST_DIR "/misuse.c");
    cr_expect_geq(each_public_function(see_function), 80, "the headers have too few functions");
    free(own_text);
}
