/* SPDX-License-Identifier: MIT */
#include "file/output.h"
#include "run.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include <clump/find.h>
#include <clump/render.h>

#include "ahead.h"
#include "bands.h"
#include "clip_options.h"
#include "report.h"

#define SHOWN    10  /* sources printed */
#define NUMBERED 300 /* sources numbered in a picture, at most */

enum sort { SORT_FLUX, SORT_ID };
enum region_frame { REGIONS_IMAGE, REGIONS_SKY };

static struct {
    bool subtract, raw;
    enum sort sort;
    enum region_frame region_frame;
    const char *regions, *segmentation, *overlay, *report, *memory;
} set;

static struct clump_find_params params;

static void set_defaults(void) { params = clump_find_defaults; }

static const struct option options[] = {
    {"sigmas", 's', OPTION_DOUBLE, &params.sigmas, "N",
     "threshold, in standard deviations of the clipped pixels above the level (@)"},
    {"level", 0, OPTION_CHOICE, &params.level, "median|zero",
     "what the threshold stands on: the median of the clipped pixels, or zero (@)"},
    {"connectivity", 'c', OPTION_UNSIGNED, &params.connectivity, "4|8",
     "neighbours that belong to one source (@)"},
    {"area", 'a', OPTION_SIZE, &params.min_area, "N", "leave out sources of fewer than N pixels"},
    {"raw", 0, OPTION_FLAG, &set.raw, NULL,
     "measure the pixels as they are; else what stands above the level, as SExtractor does"},
    {"subtract", 0, OPTION_FLAG, &set.subtract, NULL, "the opposite of --raw, and the default"},
    CLIP_OPTIONS,
    {"sort", 0, OPTION_CHOICE, &set.sort, "flux|id",
     "order of the catalogue: brightest first, or in order of label (flux)"},
    {"regions", 0, OPTION_STRING, &set.regions, "FILE", "write a DS9 region file (.reg)"},
    {"region-frame", 0, OPTION_CHOICE, &set.region_frame, "image|sky",
     "coordinates of the regions: pixels, or the frame of the header's WCS (image)"},
    {"segmentation", 0, OPTION_STRING, &set.segmentation, "FILE",
     "write the image of labels (.fits .npy .tif)"},
    {"labels", 0, OPTION_STRING, &set.segmentation, "FILE",
     "the same, by the name it has in cells"},
    {"overlay", 0, OPTION_STRING, &set.overlay, "FILE",
     "write a picture with the sources marked (.png .tif)"},
    {"report", 0, OPTION_STRING, &set.report, "FILE",
     "write a page with the picture, the table, statistics and histogram (.html)"},
    BANDS_OPTION(&set.memory),
    {0},
};

/* What flux, peak and positions are of. */
static const char *measured(const struct clump_find_result *found)
{
    return found->subtracted ? "what stands above the median" : "the pixels as they are";
}

static void print_result(struct run *run, const struct input *input,
                         const struct clump_find_result *found)
{
    const struct clump_clip_result *clip = &found->clip;
    const char *unit = input->info->unit;
    clip_print_line(run, "before:", &clip->before);
    clip_print_line(run, "after:", &clip->after);
    if (clip->before.blank)
        run_print(run, "%" PRIu64 " blank pixels\n", clip->before.blank);
    run_print(run, "kept %" PRIu64 " of %" PRIu64 " pixels in %" PRIu32 " iterations%s\n",
              clip->kept, clip->before.count, clip->iterations,
              clip->converged ? "" : "; not converged");
    int digits = run_digits(found->threshold, clip->after.std);
    run_print(run, "threshold = %.*g%s%s (%s + %g stddev); measured: %s\n", digits < 6 ? 6 : digits,
              found->threshold, *unit ? " " : "", unit,
              params.level == CLUMP_FIND_LEVEL_ZERO ? "zero" : "median", params.sigmas,
              measured(found));
    run_print(run, "expected of noise alone: %.2g of %" PRIu64 " pixels above it\n",
              found->expected_false, clip->before.count);
    run_print(run, "The number of sources in the image at the %g sigma level is %" PRIu64 ".\n",
              params.sigmas, found->count);
}

static double cell(const clump_catalog *catalog, const char *column, uint64_t row)
{
    return ((const double *)clump_catalog_find(catalog, column)->values)[row];
}

static int64_t whole(const clump_catalog *catalog, const char *column, uint64_t row)
{
    return ((const int64_t *)clump_catalog_find(catalog, column)->values)[row];
}

/* The frame of the header's own sky coordinates, or NULL. */
static const char *column_frame(const clump_catalog *catalog, const struct clump_file_info *info)
{
    return *info->frame ? clump_catalog_find(catalog, info->lon_name)->frame : NULL;
}

static void print_sources(struct run *run, const struct input *input, const clump_catalog *catalog)
{
    const struct clump_file_info *info = input->info;
    const char *frame = column_frame(catalog, info);
    bool sky = frame != NULL;
    uint64_t rows = clump_catalog_rows(catalog);
    if (!rows)
        return;
    if (sky)
        run_print(run, "%s and %s are %s\n", info->lon_name, info->lat_name, frame);
    run_print(run, "%6s %10s %10s", "id", "x", "y");
    if (sky)
        run_print(run, " %11s %11s", info->lon_name, info->lat_name);
    run_print(run, " %12s %12s %7s\n", "flux", "peak", "npix");
    for (uint64_t i = 0; i < rows && i < SHOWN; i++) {
        run_print(run, "%6" PRId64 " %10.3f %10.3f", whole(catalog, "id", i), cell(catalog, "x", i),
                  cell(catalog, "y", i));
        if (sky)
            run_print(run, " %11.6f %11.6f", cell(catalog, info->lon_name, i),
                      cell(catalog, info->lat_name, i));
        run_print(run, " %12.6g %12.6g %7" PRId64 "\n", cell(catalog, "flux", i),
                  cell(catalog, "peak", i), whole(catalog, "npix", i));
    }
    if (rows > SHOWN)
        run_more(run, rows - SHOWN);
}

/* Says in the table how its sources were found. */
static enum clump_status note(clump_catalog *catalog, const struct clump_find_result *found)
{
    const char *unit = clump_catalog_find(catalog, "peak")->unit;
    const struct {
        const char *key;
        double value;
        const char *unit;
    } numbers[] = {{"THRESH", found->threshold, unit},
                   {"LEVEL", found->level, unit},
                   {"STDDEV", found->clip.after.std, unit},
                   {"SIGMAS", params.sigmas, NULL},
                   {"EXPFALSE", found->expected_false, NULL}};
    enum clump_status status = CLUMP_OK;
    for (size_t i = 0; !status && i < sizeof numbers / sizeof *numbers; i++)
        status = clump_catalog_number(catalog, numbers[i].key, numbers[i].value, numbers[i].unit);
    if (!status)
        status = clump_catalog_note(catalog, "LEVELIS",
                                    params.level == CLUMP_FIND_LEVEL_ZERO ? "zero" : "median");
    return status ? status : clump_catalog_note(catalog, "MEASURED", measured(found));
}

/* Where the source is, or its peak where it has no centre. */
static double centre(const clump_catalog *catalog, const char *name, const char *peak, uint64_t row)
{
    double place = cell(catalog, name, row);
    return isfinite(place) ? place : (double)whole(catalog, peak, row);
}

/* An ellipse around each source, numbered while that leaves something to see; or NULL. */
static struct clump_mark *make_marks(const clump_catalog *catalog)
{
    uint64_t rows = clump_catalog_rows(catalog);
    struct clump_mark *marks = calloc(rows + 1, sizeof *marks);
    for (uint64_t i = 0; marks && i < rows; i++)
        marks[i] = (struct clump_mark){
            .row = centre(catalog, "y", "ypeak", i) - 1,
            .col = centre(catalog, "x", "xpeak", i) - 1,
            .a = 3 * cell(catalog, "a", i),
            .b = 3 * cell(catalog, "b", i),
            .theta = cell(catalog, "theta", i),
            .id = rows <= NUMBERED ? whole(catalog, "id", i) : -1,
        };
    return marks;
}

/* How the image is shown: faint sources beside bright ones. */
static struct clump_render_params shown(const struct input *input,
                                        const struct clump_find_result *found)
{
    struct clump_render_params render = clump_render_defaults;
    const struct clump_stats_result *noise = &found->clip.after;
    render.stretch = CLUMP_RENDER_STRETCH_ASINH;
    if (noise->std > 0) {
        render.low = noise->median - noise->std;
        render.high = noise->median + 40 * noise->std;
    }
    render.file = input->file;
    return render;
}

static enum clump_status draw(struct run *run, const struct input *input,
                              const struct clump_find_result *found, const struct clump_mark *marks,
                              clump_image **picture)
{
    struct clump_render_params render = shown(input, found);
    render.bar = true;
    render.grid = input->info->celestial;
    render.marks = marks;
    render.mark_count = found->count;
    return clump_render(run->context, input->image, &render, picture);
}

static enum clump_status report(struct run *run, const char *path, const struct input *input,
                                const struct clump_find_result *found, const clump_catalog *catalog,
                                const struct clump_mark *marks, json_t *json)
{
    const struct clump_clip_result *clip = &found->clip;
    const char *frame = column_frame(catalog, input->info);
    struct report_fact facts[] = {{.name = "before clipping"},
                                  {.name = "after clipping"},
                                  {.name = "pixels"},
                                  {.name = "threshold"},
                                  {.name = "expected false"},
                                  {.name = "measured"},
                                  {.name = "sky"}};
    const struct clump_stats_result *stats[] = {&clip->before, &clip->after};
    for (int i = 0; i < 2; i++)
        snprintf(facts[i].value, sizeof facts[i].value,
                 "mean %.*g, median %.*g, stddev %.4g, maximum %.*g",
                 run_digits(stats[i]->mean, stats[i]->std), stats[i]->mean,
                 run_digits(stats[i]->median, stats[i]->std), stats[i]->median, stats[i]->std,
                 run_digits(stats[i]->max, stats[i]->std), stats[i]->max);
    snprintf(facts[2].value, sizeof facts[2].value,
             "%" PRIu64 ", of which %" PRIu64 " are kept; %" PRIu64 " blank", clip->before.count,
             clip->kept, clip->before.blank);
    snprintf(facts[3].value, sizeof facts[3].value, "%.*g %s (%s + %g stddev)",
             run_digits(found->threshold, clip->after.std), found->threshold, input->info->unit,
             params.level == CLUMP_FIND_LEVEL_ZERO ? "zero" : "median", params.sigmas);
    snprintf(facts[4].value, sizeof facts[4].value, "%.2g pixels above it, of noise alone",
             found->expected_false);
    snprintf(facts[5].value, sizeof facts[5].value, "%s", measured(found));
    snprintf(facts[6].value, sizeof facts[6].value, "%s", frame ? frame : "no coordinates");
    const double noise = clip->after.std > 0 ? clip->after.std : 1, least = found->threshold;
    const struct report page = {.what = "sources",
                                .key = "id",
                                .table = catalog,
                                .marks = marks,
                                .render = shown(input, found),
                                .facts = facts,
                                .fact_count = sizeof facts / sizeof *facts,
                                .low = clip->after.median - 5 * noise,
                                .high = fmax(clip->after.median, least) + 10 * noise,
                                .level = found->level,
                                .threshold = found->threshold};
    return run_report(run, &page, set.report, path, input, json);
}

static enum clump_status write_files(struct run *run, const char *path, const struct input *input,
                                     const clump_image *labels,
                                     const struct clump_find_result *found, clump_catalog *catalog,
                                     json_t *json)
{
    clump_image *picture = NULL;
    const clump_file *sky = set.region_frame == REGIONS_SKY ? input->file : NULL;
    enum clump_status status = run_catalog(run, catalog, common.output, path, json);
    if (!status && common.json)
        json_object_set_new(json, "table", run_json_table(catalog));
    if (!status)
        status = run_catalog_sky(run, catalog, set.regions, path, sky, json);
    if (!status)
        status = labels ? run_write_plain(run, labels, set.segmentation, path, input, json)
                        : CLUMP_OK; /* in bands they are written already */
    struct clump_mark *marks = make_marks(catalog);
    if (!status && !marks)
        status = run_fail(run, CLUMP_ERROR_MEMORY, "no memory for the picture's marks");
    if (!status && set.overlay)
        status = draw(run, input, found, marks, &picture);
    if (!status)
        status = run_write_plain(run, picture, set.overlay, path, NULL, json);
    if (!status && set.report)
        status = report(run, path, input, found, catalog, marks, json);
    free(marks);
    clump_image_destroy(&picture);
    return status;
}

/* Finds the sources in bands, and writes their labels meanwhile. */
static enum clump_status find_in_bands(struct bands_input *in, const char *path,
                                       struct clump_find_result *found, json_t *json)
{
    struct clump_bands_params task = bands_params(in, CLUMP_BANDS_FIND);
    clump_bands *bands = NULL;
    task.find = &params;
    if (set.overlay || set.report)
        return run_fail(in->run, CLUMP_ERROR_UNSUPPORTED,
                        "%s: is read some rows at a time, of which no picture is made; leave out "
                        "--overlay and --report",
                        path);
    enum clump_status status = clump_bands_create(in->run->context, &task, &bands);
    if (!status)
        status = bands_feed(in, bands, set.segmentation, path, json);
    if (!status)
        status = clump_bands_find(bands, found);
    clump_bands_destroy(&bands);
    return status;
}

static enum clump_status find_all(struct bands_input *in, const char *path, clump_image **labels,
                                  struct clump_find_result *found, json_t *json)
{
    if (in->step)
        return find_in_bands(in, path, found, json);
    ahead_plan(clump_image_type(in->input.image));
    return clump_find(in->run->context, in->input.image, &params, set.segmentation ? labels : NULL,
                      found);
}

static enum clump_status find_file(struct run *run, const char *path, json_t *json)
{
    struct bands_input in;
    struct clump_find_result found = {0};
    clump_image *labels = NULL;
    clump_catalog *catalog = NULL;
    enum clump_status status = bands_open(run, path, set.memory, &in);
    struct input *input = &in.input;
    if (!status)
        status = find_all(&in, path, &labels, &found, json);
    if (!status) {
        json_object_set_new(json, "before", run_json_stats(&found.clip.before));
        json_object_set_new(json, "after", run_json_stats(&found.clip.after));
        json_object_set_new(json, "clip", run_json_clip(&found.clip));
        json_object_set_new(json, "level", run_json_real(found.level));
        json_object_set_new(json, "subtracted", json_boolean(found.subtracted));
        json_object_set_new(json, "threshold", run_json_real(found.threshold));
        json_object_set_new(json, "expected_false", run_json_real(found.expected_false));
        json_object_set_new(json, "sources", json_integer((json_int_t)found.count));
        if (!json_object_get(json, "files"))
            json_object_set_new(json, "files", json_array());
        print_result(run, input, &found);
        if (set.sort == SORT_FLUX)
            clump_find_sort(&found);
        status = clump_find_catalog(&run->log, &found, input->file, &catalog);
    }
    if (!status) {
        const char *frame = column_frame(catalog, input->info);
        json_object_set_new(json, "frame", frame ? run_json_text(frame) : json_null());
        print_sources(run, input, catalog);
        status = note(catalog, &found);
    }
    if (!status)
        status = write_files(run, path, input, labels, &found, catalog, json);
    clump_catalog_destroy(&catalog);
    clump_find_release(&found);
    clump_image_destroy(&labels);
    run_release(input);
    return status;
}

static int run_find(struct run *run)
{
    enum clump_type type;
    params.subtract = !set.raw;
    if (set.raw && set.subtract)
        return run_misuse(run, "--raw and --subtract are opposites; give one of them");
    int status = clip_options(run, &params.clip);
    if (!status)
        status = bands_check(run, set.memory);
    if (!status)
        status = run_check_output(run, "--regions", set.regions, clump_output_check_table);
    if (!status)
        status =
            run_check_output(run, "--segmentation", set.segmentation, clump_output_check_image);
    if (!status)
        status = run_check_output(run, "--overlay", set.overlay, clump_output_check_drawing);
    if (!status)
        status = run_check_output(run, "--report", set.report, NULL);
    if (!status && ahead_is_helper(&type))
        return ahead_find(run, type, &params, set.segmentation != NULL);
    return status ? status : run_each(run, find_file);
}

const struct command command_find = {
    .name = "find",
    .summary = "Finds and measures the sources of an astronomical image",
    .usage = "FILE...",
    .about =
        "Clips the image to learn its level and noise, sets what is more than so many standard\n"
        "deviations above the level, and measures each connected source: with the median as\n"
        "level what stands above it, with zero, or --raw, the pixels as they are. The catalogue,\n"
        "-o, is written as .fits .csv .ecsv or .vot; its positions count from 1, as in FITS. For\n"
        "a background or a noise that varies, faint sources and blends use `clump extract`.",
    .examples =
        "  clump find field.fits -o sources.fits --regions sources.reg --overlay sources.png\n"
        "  clump find field.fits --level zero --sigmas 5 -o sources.csv\n"
        "  clump find mosaic.fits --memory 1G --segmentation labels.fits -o sources.fits\n"
        "  clump find *.fits --area 5 -o 'catalogues/{}.vot' --json\n",
    .options = options,
    .groups = COMMAND_READS | COMMAND_WRITES | COMMAND_TABLE,
    .least = 1,
    .most = -1,
    .defaults = set_defaults,
    .run = run_find,
};
