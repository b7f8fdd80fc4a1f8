/* SPDX-License-Identifier: MIT */
/*
 * Method:    a colour for each label, mixed with the picture's grey where there is one (PICTURE).
 * Launch:    one work-item a pixel, rows the second dimension.
 * Exactness: float, one rounding an operation, in the order that label2rgb.h gives.
 * Others:    host src/opencl/label2rgb.c, definition src/reference/label2rgb.c,
 *            pair tests/pairs/label2rgb.c.
 */
#ifndef T
#define T float
#endif
#ifndef PICTURE
#define PICTURE 1
#endif

/* skimage.color.colorlabel.DEFAULT_COLORS */
constant float colours[30] = {
    1, 0, 0,           /* red */
    0, 0, 1,           /* blue */
    1, 1, 0,           /* yellow */
    1, 0, 1,           /* magenta */
    0, 0.502f, 0,      /* green */
    0.294f, 0, 0.51f,  /* indigo */
    1, 0.549f, 0,      /* darkorange */
    0, 1, 1,           /* cyan */
    1, 0.753f, 0.796f, /* pink */
    0.604f, 0.804f, 0.196f /* yellowgreen */
};


uchar to_byte(float value) { return (uchar)clamp(rint(255.0f * value), 0.0f, 255.0f); }

kernel void label2rgb_paint(global const int *labels, global const T *picture, uint cols,
                            float alpha, float rest, float image_alpha, float image_rest, float low,
                            float gain, uint overlay, uint plain, global uchar *rgb)
{
    uint x = get_global_id(0), y = get_global_id(1);
    if (x >= cols)
        return;
    size_t i = (size_t)y * cols + x;
    int label = labels[i];
    bool background = overlay ? label < 0 : label <= 0;
    uint number = background ? 0 : (uint)(overlay ? label : label - 1) % 10 * 3;
    float under = 0;
#if PICTURE
    float grey = ((float)picture[i] - low) * gain;
    grey = grey > 0 ? grey < 1 ? grey : 1.0f : 0.0f; /* NaN too is 0 */
    under = grey * image_alpha + image_rest;
    if (background && plain) {
        alpha = 0;
        rest = 1;
    }
#endif
    for (uint part = 0; part < 3; part++) {
        float colour = background ? 0 : colours[number + part];
        rgb[3 * i + part] = to_byte(colour * alpha + under * rest);
    }
}
