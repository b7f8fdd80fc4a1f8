/* SPDX-License-Identifier: MIT */
#include "run.h"

#include <inttypes.h>
#include <stdlib.h>

#include <clump/find.h>
#include <clump/render.h>
#include <clump/wcs.h>

#include "clip_options.h"

#define SHOWN    10  /* sources printed */
#define NUMBERED 300 /* sources numbered in a picture, at most */

enum sort { SORT_FLUX, SORT_ID };

static struct {
    double sigmas;
    enum clump_level level;
    unsigned connectivity;
    uint64_t area;
    bool subtract;
    enum sort sort;
    const char *regions, *segmentation, *overlay;
} set = {.sigmas = 5, .connectivity = 4};

static const struct option options[] = {
    {"sigmas", 's', OPTION_DOUBLE, &set.sigmas, "N",
     "threshold, in standard deviations of the clipped pixels above the level (5)"},
    {"level", 0, OPTION_CHOICE, &set.level, "median|zero",
     "what the threshold stands on: the median of the clipped pixels, or zero (median)"},
    {"connectivity", 'c', OPTION_UNSIGNED, &set.connectivity, "4|8",
     "neighbours that belong to one source (4)"},
    {"area", 'a', OPTION_SIZE, &set.area, "N", "leave out sources of fewer than N pixels"},
    {"subtract", 0, OPTION_FLAG, &set.subtract, NULL,
     "measure what stands above the level, as SExtractor does; else the pixels as they are"},
    CLIP_OPTIONS,
    {"sort", 0, OPTION_CHOICE, &set.sort, "flux|id",
     "order of the catalogue: brightest first, or in order of label (flux)"},
    {"regions", 0, OPTION_STRING, &set.regions, "FILE", "write a DS9 region file (.reg)"},
    {"segmentation", 0, OPTION_STRING, &set.segmentation, "FILE",
     "write the image of labels (.fits .npy .tif)"},
    {"overlay", 0, OPTION_STRING, &set.overlay, "FILE",
     "write a picture with the sources marked (.png .tif)"},
    {0},
};

static struct clump_find_params params;

static void print_stats(struct run *run, const char *when, const struct clump_stats_result *stats)
{
    run_print(run, "%-7s mean = %.3e, median = %.3e, stddev = %.3e, maximum = %.3e\n", when,
              stats->mean, stats->median, stats->std, stats->max);
}

static void print_result(struct run *run, const struct input *input,
                         const struct clump_find_result *found)
{
    const struct clump_clip_result *clip = &found->clip;
    const char *unit = input->info->unit;
    print_stats(run, "before:", &clip->before);
    print_stats(run, "after:", &clip->after);
    if (clip->before.blank)
        run_print(run, "%" PRIu64 " blank pixels\n", clip->before.blank);
    run_print(run, "kept %" PRIu64 " of %" PRIu64 " pixels in %" PRIu32 " iterations%s\n",
              clip->kept, clip->before.count, clip->iterations,
              clip->converged ? "" : "; not converged");
    run_print(run, "threshold = %.6g%s%s (%s + %g stddev)\n", found->threshold, *unit ? " " : "",
              unit, params.level == CLUMP_LEVEL_ZERO ? "zero" : "median", params.sigmas);
    run_print(run, "The number of sources in the image at the %g sigma level is %" PRIu64 ".\n",
              params.sigmas, found->count);
}

static void print_sources(struct run *run, const struct input *input,
                          const struct clump_find_result *found)
{
    bool sky = input->info->celestial;
    if (!found->count)
        return;
    run_print(run, "%6s %10s %10s%s %12s %12s %7s\n", "id", "x", "y",
              sky ? "          ra         dec" : "", "flux", "peak", "npix");
    for (uint64_t i = 0; i < found->count && i < SHOWN; i++) {
        const struct clump_region *r = &found->regions[i];
        double ra, dec;
        run_print(run, "%6" PRIu64 " %10.3f %10.3f", r->label, r->weighted_col + 1,
                  r->weighted_row + 1);
        if (sky) {
            clump_wcs_sky(input->file, r->weighted_row, r->weighted_col, &ra, &dec);
            run_print(run, " %11.6f %11.6f", ra, dec);
        }
        run_print(run, " %12.6g %12.6g %7" PRIu64 "\n", r->sum, r->max, r->area);
    }
}

/* Says in the table how its sources were found. */
static enum clump_status note(clump_catalog *catalog, const struct clump_find_result *found)
{
    char text[160];
    snprintf(text, sizeof text, "%.17g", found->threshold);
    enum clump_status status = clump_catalog_note(catalog, "threshold", text);
    snprintf(text, sizeof text, "%s %.17g + %g * stddev %.17g",
             params.level == CLUMP_LEVEL_ZERO ? "zero" : "median",
             params.level == CLUMP_LEVEL_ZERO ? 0.0 : found->clip.after.median, params.sigmas,
             found->clip.after.std);
    return status ? status : clump_catalog_note(catalog, "threshold is", text);
}

static double cell(const clump_catalog *catalog, const char *column, uint64_t row)
{
    return ((const double *)clump_catalog_find(catalog, column)->values)[row];
}

/* The image with an ellipse around each source, numbered while that leaves something to see. */
static enum clump_status draw(struct run *run, const struct input *input,
                              const struct clump_find_result *found, const clump_catalog *catalog,
                              clump_image **picture)
{
    struct clump_mark *marks = calloc(found->count + 1, sizeof *marks);
    if (!marks)
        return run_fail(run, CLUMP_ERROR_MEMORY, "no memory for the picture's marks");
    for (uint64_t i = 0; i < found->count; i++)
        marks[i] = (struct clump_mark){
            .row = cell(catalog, "y", i) - 1,
            .col = cell(catalog, "x", i) - 1,
            .a = 3 * cell(catalog, "a", i),
            .b = 3 * cell(catalog, "b", i),
            .theta = cell(catalog, "theta", i),
            .id = found->count <= NUMBERED ? (int64_t)found->regions[i].label : -1,
        };
    struct clump_render_params render = clump_render_defaults;
    const struct clump_stats_result *noise = &found->clip.after;
    render.stretch = CLUMP_STRETCH_ASINH;
    if (noise->std > 0) {
        render.low = noise->median - noise->std;
        render.high = noise->median + 40 * noise->std;
    }
    render.bar = true;
    render.grid = input->info->celestial;
    render.file = input->file;
    render.marks = marks;
    render.mark_count = found->count;
    enum clump_status status = clump_render(run->context, input->image, &render, picture);
    free(marks);
    return status;
}

static enum clump_status write_files(struct run *run, const char *path, const struct input *input,
                                     const clump_image *labels,
                                     const struct clump_find_result *found, json_t *json)
{
    clump_catalog *catalog = NULL;
    clump_image *picture = NULL;
    enum clump_status status = CLUMP_OK;
    if (common.output || set.regions || set.overlay)
        status = clump_find_catalog(&run->log, found, input->file, &catalog);
    if (!status && catalog)
        status = note(catalog, found);
    if (!status)
        status = run_catalog(run, catalog, common.output, path, json);
    if (!status)
        status = run_catalog(run, catalog, set.regions, path, json);
    if (!status)
        status = run_write_plain(run, labels, set.segmentation, path, input, json);
    if (!status && set.overlay)
        status = draw(run, input, found, catalog, &picture);
    if (!status)
        status = run_write_plain(run, picture, set.overlay, path, NULL, json);
    clump_image_destroy(&picture);
    clump_catalog_destroy(&catalog);
    return status;
}

static enum clump_status find_file(struct run *run, const char *path, json_t *json)
{
    struct input input;
    struct clump_find_result found = {0};
    clump_image *labels = NULL;
    enum clump_status status = run_read(run, path, &input);
    if (!status)
        status = clump_find(run->context, input.image, &params, set.segmentation ? &labels : NULL,
                            &found);
    if (!status) {
        json_object_set_new(json, "before", run_json_stats(&found.clip.before));
        json_object_set_new(json, "after", run_json_stats(&found.clip.after));
        json_object_set_new(json, "clip", run_json_clip(&found.clip));
        json_object_set_new(json, "threshold", run_json_real(found.threshold));
        json_object_set_new(json, "sources", json_integer((json_int_t)found.count));
        json_object_set_new(json, "files", json_array());
        print_result(run, &input, &found);
        if (set.sort == SORT_FLUX)
            clump_find_sort(&found);
        print_sources(run, &input, &found);
        status = write_files(run, path, &input, labels, &found, json);
    }
    clump_find_release(&found);
    clump_image_destroy(&labels);
    run_release(&input);
    return status;
}

static int run_find(struct run *run)
{
    params = clump_find_defaults;
    params.sigmas = set.sigmas;
    params.level = set.level;
    params.connectivity = set.connectivity;
    params.area = set.area;
    params.subtract = set.subtract;
    int status = clip_options(run, &params.clip);
    if (!status)
        status = run_check_output(run, "--regions", set.regions);
    if (!status)
        status = run_check_output(run, "--segmentation", set.segmentation);
    if (!status)
        status = run_check_output(run, "--overlay", set.overlay);
    return status ? status : run_each(run, find_file);
}

const struct command command_find = {
    .name = "find",
    .summary = "Finds and measures the sources of an astronomical image",
    .usage = "FILE...",
    .about =
        "Clips the image to learn its level and noise, sets what is more than so many standard\n"
        "deviations above the level, and measures each connected source. The catalogue, -o, is\n"
        "written as .fits .csv .ecsv or .vot; its positions count from 1, as in FITS.",
    .examples =
        "  clump find field.fits -o sources.fits --regions sources.reg --overlay sources.png\n"
        "  clump find field.fits --level zero --sigmas 5 -o sources.csv\n"
        "  clump find *.fits --area 5 -o 'catalogues/{}.vot' --json\n",
    .options = options,
    .groups = COMMAND_READS | COMMAND_WRITES,
    .least = 1,
    .most = -1,
    .run = run_find,
};
