/* SPDX-License-Identifier: MIT */
#include "reference/reference.h"

#include <math.h>

#include "reference/pixel.h"

/* skimage.color.colorlabel.DEFAULT_COLORS */
static const double colours[10][3] = {
    {1, 0, 0},            /* red */
    {0, 0, 1},            /* blue */
    {1, 1, 0},            /* yellow */
    {1, 0, 1},            /* magenta */
    {0, 0.502, 0},        /* green */
    {0.294, 0, 0.51},     /* indigo */
    {1, 0.549, 0},        /* darkorange */
    {0, 1, 1},            /* cyan */
    {1, 0.753, 0.796},    /* pink */
    {0.604, 0.804, 0.196} /* yellowgreen */
};
static const double black[3] = {0, 0, 0};

static bool is_background(int64_t label, bool overlay) { return overlay ? label < 0 : label <= 0; }

static const double *colour_of(int64_t label, bool overlay)
{
    if (is_background(label, overlay))
        return black;
    return colours[(overlay ? label : label - 1) % 10];
}

/* The picture's grey from 0 to 1, faded by image_alpha. */
static float underlay(const clump_image *picture, uint64_t i,
                      const struct clump_label2rgb_params *params)
{
    float value = (float)pixel_get(picture, i);
    float grey = (value - (float)params->low) * (float)(1 / (params->high - params->low));
    grey = grey > 0 ? grey < 1 ? grey : 1 : 0; /* NaN too is 0 */
    return grey * (float)params->image_alpha + (float)(1 - params->image_alpha);
}

static uint8_t to_byte(float value)
{
    float scaled = rintf(255 * value);
    return (uint8_t)(scaled < 0 ? 0 : scaled > 255 ? 255 : scaled);
}

enum clump_status clump_reference_label2rgb(clump_context *context, const clump_image *labels,
                                            const clump_image *picture,
                                            const struct clump_label2rgb_params *params,
                                            clump_image **rgb)
{
    clump_image *out;
    enum clump_status status =
        clump_image_create(context, CLUMP_RGB, labels->rows, labels->cols, &out);
    if (status)
        return status;
    for (uint64_t i = 0; i < pixel_count(labels); i++) {
        int64_t label = (int64_t)pixel_get(labels, i);
        const double *colour = colour_of(label, params->overlay);
        bool keep = picture && params->plain && is_background(label, params->overlay);
        double alpha = !picture ? 1 : keep ? 0 : params->alpha;
        float under = picture ? underlay(picture, i, params) : 0;
        for (int part = 0; part < 3; part++) {
            float mixed = (float)colour[part] * (float)alpha + under * (float)(1 - alpha);
            ((uint8_t *)out->pixels)[3 * i + (uint64_t)part] = to_byte(mixed);
        }
    }
    *rgb = out;
    return CLUMP_OK;
}
