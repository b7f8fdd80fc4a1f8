/* SPDX-License-Identifier: MIT */
#include "labels.h"

#include <math.h>

static struct {
    const char *image;
    double low, high;
} set = {.low = NAN, .high = NAN};

static struct clump_label2rgb_params params;

static void set_defaults(void) { params = clump_label2rgb_defaults; }

static const struct option options[] = {
    {"image", 'i', OPTION_STRING, &set.image, "FILE", "the picture to lay the colours over"},
    LABELS_OPTIONS,
    {"alpha", 'a', OPTION_DOUBLE, &params.alpha, "A", "opacity of the colours, 0 to 1 (@)"},
    {"image-alpha", 0, OPTION_DOUBLE, &params.image_alpha, "A",
     "opacity of the picture, 0 to 1 (@)"},
    {"low", 0, OPTION_DOUBLE, &set.low, "X",
     "the picture's black (0 for uint8, else its least value)"},
    {"high", 0, OPTION_DOUBLE, &set.high, "X",
     "the picture's white (255 for uint8, else its greatest value)"},
    {"overlay", 0, OPTION_FLAG, &params.overlay, NULL, "colour the background, label 0, too"},
    {"plain", 0, OPTION_FLAG, &params.plain, NULL, "leave the picture as it is in the background"},
    {0},
};

/* The range of the picture: as given, else by its type or its pixels. */
static enum clump_status find_range(struct run *run, const clump_image *picture)
{
    struct clump_stats_result stats = {.min = 0, .max = UINT8_MAX};
    bool wanted =
        picture && clump_image_type(picture) != CLUMP_U8 && (isnan(set.low) || isnan(set.high));
    enum clump_status status =
        wanted ? clump_stats(run->context, picture, NULL, NULL, &stats) : CLUMP_OK;
    params.low = isnan(set.low) ? stats.min : set.low;
    params.high = isnan(set.high) ? stats.max : set.high;
    if (isnan(set.low) && isnan(set.high) && !(params.high > params.low)) {
        params.low = isfinite(params.low) ? params.low : 0; /* constant, or all blank */
        params.high = params.low + 1;
    }
    return status;
}

static enum clump_status label2rgb_file(struct run *run, const char *path, json_t *json)
{
    struct input labels, picture = {0};
    clump_image *rgb = NULL;
    enum clump_status status = labels_read(run, path, &labels);
    if (!status && set.image)
        status = run_read(run, set.image, &picture);
    if (!status)
        status = find_range(run, picture.image);
    if (!status)
        status = clump_label2rgb(run->context, labels.image, picture.image, &params, &rgb);
    if (!status)
        status = run_write_plain(run, rgb, common.output, path, NULL, json);
    clump_image_destroy(&rgb);
    run_release(&picture);
    run_release(&labels);
    return status;
}

static int run_label2rgb(struct run *run)
{
    if (!common.output)
        return run_misuse(run, "-o FILE is wanted: the picture's name, .png or .tif");
    return run_each(run, label2rgb_file);
}

const struct command command_label2rgb = {
    .name = "label2rgb",
    .summary = "Colours a label image, alone or over a picture",
    .usage = "LABELS... -o PICTURE",
    .about = "As skimage.color.label2rgb, with its ten colours; label 0 is the background. The\n"
             "options of input are the picture's; --page and --plane are the labels' too, where\n"
             "these have several and no choice of their own.",
    .examples = "  clump label2rgb labels.npy -o labels.png\n"
                "  clump label2rgb labels.npy --image cells.png --channel green -o marked.png\n",
    .options = options,
    .groups = COMMAND_READS | COMMAND_WRITES,
    .least = 1,
    .most = -1,
    .defaults = set_defaults,
    .run = run_label2rgb,
};
