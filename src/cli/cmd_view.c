/* SPDX-License-Identifier: MIT */
#include "run.h"

#include <math.h>
#include <strings.h>
#include <string.h>

#include "file/output.h"

static struct clump_render_params params;

static struct {
    int stretch, colormap, origin, limits;
    double low, high, zoom;
    struct option_list percentiles;
    const char *title;
    bool flip, bar, grid;
} set = {.colormap = CLUMP_RENDER_COLORMAP_AUTO, .low = NAN, .high = NAN};

static const struct option options[] = {
    {"stretch", 's', OPTION_CHOICE, &set.stretch, "linear|sqrt|log|asinh|squared|sinh|lognorm",
     "from values, scaled to 0..1 between the limits, to brightness (linear); lognorm: the "
     "logarithm of the values themselves, as Matplotlib's LogNorm"},
    {"colormap", 'c', OPTION_CHOICE, &set.colormap,
     "grey|grey_r|viridis|magma|inferno|cividis|labels|auto",
     "colours (auto: labels for what label writes, else grey_r: bright is black)"},
    {"low", 0, OPTION_DOUBLE, &set.low, "X", "the value that is at the end of the colours"},
    {"high", 0, OPTION_DOUBLE, &set.high, "X", "the value that is at their other end"},
    {"limits", 0, OPTION_CHOICE, &set.limits, "percentiles|minmax|zscale",
     "how to choose the limits that are not given (percentiles)"},
    {"percentiles", 'p', OPTION_LIST, &set.percentiles, "LOW,HIGH",
     "which percentiles of the finite pixels (0.5,99.5); where both are equal, the least and "
     "the greatest value"},
    {"flip", 0, OPTION_FLAG, &set.flip, NULL, "change left and right"},
    {"origin", 0, OPTION_CHOICE, &set.origin, "auto|top|bottom",
     "where the first row is (bottom for FITS, else top)"},
    {"zoom", 'z', OPTION_DOUBLE, &set.zoom, "F", "picture pixels for each pixel (automatic)"},
    {"bar", 'b', OPTION_FLAG, &set.bar, NULL, "draw a colour bar"},
    {"grid", 'g', OPTION_FLAG, &set.grid, NULL, "draw right ascension and declination"},
    {"title", 't', OPTION_STRING, &set.title, "TEXT", "write this above the picture"},
    {0},
};

/* Whether the picture is a drawing, PDF or SVG, by its name's ending or by --format. */
static bool is_drawing(void)
{
    const char *dot = strrchr(common.output, '.');
    const char *ending = common.format ? common.format : dot ? dot + 1 : "";
    return !strcasecmp(ending, "pdf") || !strcasecmp(ending, "svg");
}

static enum clump_status draw(struct run *run, const char *name, const void *image)
{
    return clump_render_write(run->context, image, &params, name, common.force);
}

static enum clump_status write_picture(struct run *run, const clump_image *image, const char *path,
                                       json_t *json)
{
    clump_image *picture = NULL;
    enum clump_status status = clump_render(run->context, image, &params, &picture);
    if (!status)
        status = run_write_plain(run, picture, common.output, path, NULL, json);
    clump_image_destroy(&picture);
    return status;
}

/* A coloured image is shown in its colours unless a channel was asked for. */
static enum clump_status choose_channel(struct run *run, const char *path)
{
    clump_file *file = NULL;
    if (common.channel)
        return CLUMP_OK;
    common.file.channel = CLUMP_FILE_CHANNEL_GREY;
    enum clump_status status = clump_file_open(&run->log, path, &common.file, &file);
    if (!status && clump_file_info(file)->channels >= 3)
        common.file.channel = CLUMP_FILE_CHANNEL_RGB;
    clump_file_close(&file);
    return status;
}

static enum clump_status view_file(struct run *run, const char *path, json_t *json)
{
    struct input input = {0};
    enum clump_status status = choose_channel(run, path);
    if (!status)
        status = run_read(run, path, &input);
    if (!status) {
        params.file = input.file;
        status = is_drawing() ? run_write_by(run, draw, input.image, common.output, path, json)
                              : write_picture(run, input.image, path, json);
    }
    run_release(&input);
    return status;
}

static int run_view(struct run *run)
{
    if (!common.output)
        return run_misuse(run,
                          "--output FILE is wanted: the picture's name, .png, .tif, .pdf or .svg");
    if (set.percentiles.count && set.percentiles.count != 2)
        return run_misuse(run, "--percentiles takes two numbers, as in 1,99");
    params = clump_render_defaults;
    params.stretch = (enum clump_render_stretch)set.stretch;
    params.colormap = (enum clump_render_colormap)set.colormap;
    params.origin = (enum clump_render_origin)set.origin;
    params.limits = (enum clump_render_limits)set.limits;
    params.low = set.low;
    params.high = set.high;
    if (set.percentiles.count) {
        params.low_percentile = set.percentiles.values[0];
        params.high_percentile = set.percentiles.values[1];
    }
    params.flip = set.flip;
    params.bar = set.bar;
    params.grid = set.grid;
    params.zoom = set.zoom;
    params.title = set.title;
    if (!common.device)
        common.device = "reference"; /* a picture is made on the host */
    return run_each(run, view_file);
}

const struct command command_view = {
    .name = "view",
    .summary = "Makes a picture of an image",
    .usage = "FILE... -o PICTURE",
    .about =
        "A PNG, TIFF, PDF or SVG for people: limits by percentiles, zscale or given, a stretch,\n"
        "colours, and on request a colour bar and a grid of the sky. Blank (NaN) pixels have a\n"
        "colour of their own. A coloured image is shown in its colours, a label image in label\n"
        "colours, unless --channel or --colormap says otherwise.",
    .examples =
        "  clump view field.fits -o field.png\n"
        "  clump view field.fits --stretch asinh --bar --grid -o field.png\n"
        "  clump view field.fits --stretch lognorm --low 0.025 --high 2.5 --flip -o field.png\n"
        "  clump view field.fits --limits zscale --grid -o field.pdf\n"
        "  clump view field.fits --grid -o - --format svg | gzip >field.svgz\n"
        "  clump view *.fits --colormap magma --crop 300:800,300:800 -o '{}.png'\n",
    .options = options,
    .groups = COMMAND_READS | COMMAND_WRITES | COMMAND_DRAWS,
    .least = 1,
    .most = -1,
    .run = run_view,
    .ending = clump_output_check_drawing,
};
