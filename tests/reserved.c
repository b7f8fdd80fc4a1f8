/* SPDX-License-Identifier: MIT */
/*
 * Structs that can grow: each public one ends in reserved words, which are 0 in the defaults and
 * in every result, and of which a function refuses any other value.
 */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "headers.h"

static struct memory memory;

/* The last reserved word is set; the call must fail with ARGUMENT and one line that names it. */
#define grown(object, call)                                                                        \
    do {                                                                                           \
        uint64_t *last =                                                                           \
            &(object).reserved[sizeof(object).reserved / sizeof *(object).reserved - 1];           \
        memory = (struct memory){0};                                                               \
        cr_expect_eq(*last, 0, "%s does not begin with 0", #object);                               \
        *last = 1;                                                                                 \
        cr_expect_eq((call), CLUMP_ERROR_ARGUMENT, "%s takes %s of the future", #call, #object);   \
        cr_expect_eq(memory.errors, 1, "%s says: %s", #call, memory.text);                         \
        cr_expect(strstr(memory.text, ".reserved is not 0: the program was built for a newer"),    \
                  "%s says: %s", #call, memory.text);                                              \
        *last = 0;                                                                                 \
    } while (0)

static void check_bands(clump_context *c)
{
    struct clump_find_params find = clump_find_defaults;
    struct clump_bands_params rows = {.type = CLUMP_F32, .rows = 1, .cols = 1, .find = &find};
    clump_bands *bands = NULL;
    grown(rows, clump_bands_create(c, &rows, &bands));
    rows.task = CLUMP_BANDS_FIND;
    grown(find, clump_bands_create(c, &rows, &bands));
    grown(find.clip, clump_bands_create(c, &rows, &bands));
}

static void check_photometry(clump_context *c, const clump_image *image)
{
    struct clump_photometry_params params = clump_photometry_defaults;
    struct clump_aperture aperture = {.a = 1, .b = 1, .outer = 1};
    struct clump_flux flux;
    struct clump_kron kron;
    struct clump_window window;
    struct clump_gauss gauss;
    double half = 0.5, radius;
    grown(params, clump_photometry_sum(c, image, 1, &aperture, &params, &flux));
    grown(aperture, clump_photometry_sum(c, image, 1, &aperture, &params, &flux));
    grown(params, clump_photometry_kron(c, image, 1, &aperture, &params, &kron));
    grown(params, clump_photometry_gauss(c, image, 1, &aperture, false, &params, &gauss));
    grown(params, clump_photometry_window(c, image, 1, &aperture, &params, &window));
    grown(params,
          clump_photometry_radius(c, image, 1, &aperture, NULL, &half, 1, &params, &radius, NULL));
}

static void check_extract(clump_context *c, const clump_image *image)
{
    struct clump_extract_params extract = clump_extract_defaults;
    struct clump_extract_field_params field = clump_extract_field_defaults;
    struct clump_extract_images images = {0};
    struct clump_extract_result objects;
    grown(extract, clump_extract(c, image, &extract, NULL, NULL, &objects));
    grown(extract, clump_extract_photometry(c, image, NULL, &extract, NULL, 0));
    grown(field, clump_extract_field(c, image, &field, NULL, NULL, &objects));
    grown(field.extract, clump_extract_field(c, image, &field, NULL, NULL, &objects));
    grown(field.background, clump_extract_field(c, image, &field, NULL, NULL, &objects));
    grown(images, clump_extract_field(c, image, NULL, &images, NULL, &objects));
    struct clump_extract_catalog_params columns = {0};
    const struct clump_extract_result nothing_found = {0};
    clump_catalog *table = NULL;
    struct clump_log heard = remember(&memory);
    grown(columns, clump_extract_catalog(&heard, &nothing_found, &columns, &table));
}

static void check_lookup(clump_context *c, const clump_image *labels)
{
    struct clump_lookup_table table = {.type = CLUMP_U8, .columns = 1};
    clump_image *out = NULL;
    grown(table, clump_lookup(c, labels, &table, &out));
    struct clump_label2rgb_params label2rgb = clump_label2rgb_defaults;
    grown(label2rgb, clump_label2rgb(c, labels, NULL, &label2rgb, &out));
}

Test(reserved, parameters_of_operations)
{
    clump_context *c = open_context("reference", &memory);
    clump_image *image = NULL, *bits = NULL, *out = NULL;
    const uint8_t zeros[64] = {0};
    const double one = 1;
    uint64_t count;
    ok(clump_image_upload(c, CLUMP_F32, 3, 5, zeros, &image));
    ok(clump_image_upload(c, CLUMP_BITS, 3, 5, zeros, &bits));

    struct clump_allclose_params allclose = clump_allclose_defaults;
    struct clump_allclose_result agreement;
    grown(allclose, clump_allclose(c, image, image, &allclose, &agreement));
    struct clump_operand a = {.image = image}, b = {.number = 1};
    grown(a, clump_arith(c, &a, CLUMP_ARITH_ADD, &b, &out));
    grown(b, clump_arith(c, &a, CLUMP_ARITH_ADD, &b, &out));
    struct clump_convolve_params convolve = clump_convolve_defaults;
    struct clump_weights kernel = {1, 1, &one};
    grown(convolve, clump_convolve(c, image, &kernel, &convolve, &out));
    grown(convolve, clump_convolve_1d(c, image, &kernel, &convolve, &out));
    grown(kernel, clump_convolve(c, image, &kernel, NULL, &out));
    struct clump_gaussian_params gaussian = clump_gaussian_defaults;
    grown(gaussian, clump_gaussian(c, image, &gaussian, &out));
    struct clump_stats_params stats = clump_stats_defaults;
    struct clump_stats_result figures;
    grown(stats, clump_stats(c, image, &stats, NULL, &figures));
    struct clump_clip_params clip = clump_clip_defaults;
    struct clump_clip_result clipped;
    grown(clip, clump_clip(c, image, &clip, NULL, NULL, &clipped));
    struct clump_background_params background = clump_background_defaults;
    struct clump_background_result level;
    grown(background, clump_background(c, image, NULL, &background, NULL, NULL, NULL, &level));
    struct clump_threshold_params threshold = clump_threshold_defaults;
    grown(threshold, clump_threshold(c, image, &threshold, &out, NULL));
    struct clump_morphology_params morphology = clump_morphology_defaults;
    grown(morphology, clump_morphology(c, bits, &morphology, &out));
    grown(morphology.footprint, clump_morphology(c, bits, &morphology, &out));
    struct clump_label_params label = clump_label_defaults;
    grown(label, clump_label(c, bits, &label, NULL, &count));
    struct clump_measure_params measure = clump_measure_defaults;
    struct clump_region *regions;
    grown(measure, clump_measure(c, image, bits, &measure, &regions, &count));
    check_photometry(c, image);
    check_lookup(c, bits);
    struct clump_find_params find = clump_find_defaults;
    struct clump_find_result found;
    grown(find, clump_find(c, image, &find, NULL, &found));
    grown(find.clip, clump_find(c, image, &find, NULL, &found));
    check_bands(c);
    check_extract(c, image);
    struct clump_cells_params cells = clump_cells_defaults;
    struct clump_cells_result counted;
    grown(cells, clump_cells(c, image, &cells, NULL, NULL, &counted));
    grown(cells.colours, clump_cells(c, image, &cells, NULL, NULL, &counted));
    struct clump_mark mark = {.id = 1};
    struct clump_render_params render = clump_render_defaults;
    render.marks = &mark;
    render.mark_count = 1;
    grown(render, clump_render(c, image, &render, &out));
    grown(render, clump_render_write(c, image, &render, "x.svg", false));
    grown(mark, clump_render(c, image, &render, &out));

    clump_image_destroy(&bits);
    clump_image_destroy(&image);
    clump_context_destroy(&c);
}

static enum clump_status nothing(clump_context *context, void *user)
{
    (void)context, (void)user;
    return CLUMP_OK;
}

Test(reserved, parameters_of_the_rest)
{
    clump_context *c = open_context("reference", &memory), *context = NULL;
    const double one = 1;
    size_t number;
    uint64_t count = 0;
    struct clump_device *devices;
    clump_image *image = NULL;
    clump_file *file = NULL;
    clump_catalog *catalog = NULL, *made = NULL;
    struct clump_log log = remember(&memory);
    ok(clump_catalog_create(&log, "T", 1, &catalog));
    ok(clump_image_upload(c, CLUMP_F32, 1, 1, &(float){0}, &image));

    struct clump_context_params opened = clump_context_defaults;
    opened.log = log;
    grown(opened, clump_context_create(&opened, &context));
    grown(opened.log, clump_context_create(&opened, &context));
    grown(log, clump_device_list(&log, &devices, &number));
    grown(log, clump_device_choose(&log, NULL, 0, NULL, &number, NULL));
    grown(log, clump_catalog_create(&log, "T", 1, &made));
    grown(log, clump_measure_catalog(&log, NULL, count, NULL, &made));
    grown(log, clump_find_catalog(&log, &(struct clump_find_result){0}, NULL, &made));
    grown(log, clump_cells_catalog(&log, &(struct clump_cells_result){0}, &made));
    grown(log, clump_file_open(&log, "x.npy", NULL, &file));
    struct clump_file_params read = clump_file_defaults;
    grown(read, clump_file_open(&log, "x.npy", &read, &file));
    struct clump_file_write_params written = clump_file_write_defaults;
    grown(written, clump_file_write(c, image, "x.npy", &written));
    struct clump_column column = {.name = "x", .type = CLUMP_COLUMN_F64, .values = &one};
    grown(column, clump_catalog_add(catalog, &column));
    struct clump_catalog_write_params table = clump_catalog_write_defaults;
    grown(table, clump_catalog_write(catalog, "x.csv", &table));
    struct clump_measure_params measure = clump_measure_defaults;
    grown(measure, clump_measure_catalog(&log, NULL, count, &measure, &made));
    struct clump_benchmark_params times = clump_benchmark_defaults;
    struct clump_benchmark_result result;
    grown(times, clump_benchmark(c, nothing, NULL, &times, &result));

    clump_catalog_destroy(&catalog);
    clump_image_destroy(&image);
    clump_context_destroy(&c);
}

#define zero(object)                                                                               \
    for (size_t i_ = 0; i_ < sizeof(object).reserved / sizeof *(object).reserved; i_++)            \
    cr_expect_eq((object).reserved[i_], 0, "%s has a reserved word that is not 0", #object)

static void check_sky(clump_context *c, const clump_image *image)
{
    const struct clump_aperture aperture = {.x = 9, .y = 9, .a = 1, .b = 1, .outer = 2};
    struct clump_background_result background;
    struct clump_flux flux;
    struct clump_kron kron;
    struct clump_window window;
    struct clump_gauss gauss;
    memset(&gauss, 0xff, sizeof gauss);
    memset(&background, 0xff, sizeof background);
    memset(&flux, 0xff, sizeof flux);
    memset(&kron, 0xff, sizeof kron);
    memset(&window, 0xff, sizeof window);
    ok(clump_background(c, image, NULL, NULL, NULL, NULL, NULL, &background));
    ok(clump_photometry_sum(c, image, 1, &aperture, NULL, &flux));
    ok(clump_photometry_kron(c, image, 1, &aperture, NULL, &kron));
    ok(clump_photometry_window(c, image, 1, &aperture, NULL, &window));
    ok(clump_photometry_gauss(c, image, 1, &aperture, false, NULL, &gauss));
    zero(background);
    zero(flux);
    zero(kron);
    zero(window);
    zero(gauss);
}

/* The results lie in memory full of ones, so that a word which was never written is seen. */
static void check_results(const char *device)
{
    clump_context *c = open_context(device, &memory);
    struct clump_allclose_result allclose;
    struct clump_stats_result stats;
    struct clump_clip_result clip;
    struct clump_find_result find;
    struct clump_cells_result cells;
    struct clump_extract_result objects;
    struct clump_profile profile;
    struct clump_benchmark_result times;
    struct clump_region *regions = NULL;
    float pixels[64 * 64];
    uint64_t count = 0;
    clump_image *image = NULL;
    for (int i = 0; i < 64 * 64; i++)
        pixels[i] = (float)(i % 7 + (i == 99 || i == 2000) * 500);
    memset(&allclose, 0xff, sizeof allclose);
    memset(&stats, 0xff, sizeof stats);
    memset(&clip, 0xff, sizeof clip);
    memset(&find, 0xff, sizeof find);
    memset(&cells, 0xff, sizeof cells);
    memset(&objects, 0xff, sizeof objects);
    memset(&profile, 0xff, sizeof profile);
    memset(&times, 0xff, sizeof times);
    ok(clump_image_upload(c, CLUMP_F32, 64, 64, pixels, &image));
    ok(clump_allclose(c, image, image, NULL, &allclose));
    ok(clump_stats(c, image, NULL, NULL, &stats));
    ok(clump_clip(c, image, NULL, NULL, NULL, &clip));
    ok(clump_find(c, image, NULL, NULL, &find));
    ok(clump_cells(c, image, NULL, NULL, NULL, &cells));
    ok(clump_extract(c, image, NULL, NULL, NULL, &objects));
    ok(clump_measure(c, NULL, image, NULL, &regions, &count));
    ok(clump_profile_read(c, &profile));
    ok(clump_benchmark(c, nothing, NULL, NULL, &times));
    cr_assert_eq(find.count, 2);
    cr_assert_geq(count, 6);
    check_sky(c, image);
    zero(allclose);
    zero(stats);
    zero(clip);
    zero(clip.before);
    zero(clip.after);
    zero(find);
    zero(find.clip);
    zero(find.clip.after);
    zero(find.regions[0]);
    zero(find.regions[1]);
    zero(cells);
    zero(objects);
    const struct clump_object *object = &objects.objects[0];
    zero(*object);
    clump_extract_release(&objects);
    zero(regions[count - 1]);
    zero(profile);
    zero(times);
    zero(times.host);
    zero(times.device);
    zero(*clump_context_device(c));
    clump_measure_destroy(&regions);
    clump_find_release(&find);
    clump_cells_release(&cells);
    clump_image_destroy(&image);
    clump_context_destroy(&c);
}

Test(reserved, results, .timeout = 240)
{
    check_results("reference");
    check_results(NULL);
}

static void check_file(clump_context *c, const clump_image *image, const char *folder,
                       const char *ending)
{
    char path[300];
    clump_file *file = NULL;
    struct clump_file_page page;
    memset(&page, 0xff, sizeof page);
    snprintf(path, sizeof path, "%s/image.%s", folder, ending);
    ok(clump_file_write(c, image, path, NULL));
    ok(clump_file_open(NULL, path, NULL, &file));
    ok(clump_file_page(file, 0, &page));
    zero(page);
    zero(*clump_file_info(file));
    clump_file_close(&file);
}

Test(reserved, results_of_files_and_devices)
{
    clump_context *c = open_context("reference", &memory);
    char *folder = make_folder();
    clump_image *image = NULL;
    clump_catalog *catalog = NULL;
    struct clump_device *devices = NULL;
    size_t number = 0;
    ok(clump_image_upload(c, CLUMP_U8, 1, 4, "abcd", &image));
    check_file(c, image, folder, "fits");
    check_file(c, image, folder, "npy");
    check_file(c, image, folder, "tif");
    check_file(c, image, folder, "png");
    ok(clump_device_list(NULL, &devices, &number));
    for (size_t i = 0; i < number; i++)
        zero(devices[i]);
    ok(clump_catalog_create(NULL, "T", 1, &catalog));
    ok(clump_catalog_add(catalog, &(struct clump_column){.name = "x",
                                                         .type = CLUMP_COLUMN_F64,
                                                         .values = &(double){1}}));
    zero(*clump_catalog_column(catalog, 0));
    clump_catalog_destroy(&catalog);
    clump_device_list_destroy(&devices);
    clump_image_destroy(&image);
    remove_folder(folder);
    clump_context_destroy(&c);
}

static char *own_text;

static void see_struct(const char *name)
{
    char word[110];
    snprintf(word, sizeof word, "struct %s ", name);
    bool here = strstr(own_text, word) || !strcmp(name, "clump_footprint") ||
                !strcmp(name, "clump_benchmark_times") || !strcmp(name, "clump_file_info");
    cr_expect(here, "struct %s is nowhere in tests/reserved.c", name);
}

Test(reserved, every_public_struct_is_here)
{
    own_text = read_text(TEST_DIR "/reserved.c");
    cr_expect_geq(each_public_struct(see_struct), 35, "the headers have too few structs");
    free(own_text);
}
