/* SPDX-License-Identifier: MIT */
/*
 * Colours the labels of an image.
 *
 * Method:    each label has one of ten colours, mixed with the grey of a picture if there is one
 *            (PICTURE).
 * Launch:    coarse: any number of work-items in groups of one, each with a share of the pixels.
 *            Fine: one per pixel, in groups of GROUP.
 * Exactness: float, one rounding per operation, in the order that include/clump/label2rgb.h gives.
 * Limits:    none.
 * Others:    host src/opencl/regions/label2rgb.c, definition src/reference/label2rgb.c, pair
 *            src/pairs/label2rgb.c.
 */
#include "regions/label2rgb.h"

#ifndef T
#define T float
#endif
#ifndef LABEL
#define LABEL int
#endif
#ifndef PICTURE
#define PICTURE 1
#endif

/* skimage.color.colorlabel.DEFAULT_COLORS */
constant float colours[30] = {
    1,      0,      0,      /* red */
    0,      0,      1,      /* blue */
    1,      1,      0,      /* yellow */
    1,      0,      1,      /* magenta */
    0,      0.502f, 0,      /* green */
    0.294f, 0,      0.51f,  /* indigo */
    1,      0.549f, 0,      /* darkorange */
    0,      1,      1,      /* cyan */
    1,      0.753f, 0.796f, /* pink */
    0.604f, 0.804f, 0.196f  /* yellowgreen */
};

/* The number of a label's colour; BLACK for the background. */
#define BLACK 10
static inline uint number_of(LABEL label, uint overlay)
{
    bool background = overlay ? label < 0 : label <= 0;
    LABEL from = overlay ? label : label - 1;
    return background ? BLACK : sizeof(LABEL) > 4 ? (uint)((ulong)from % 10) : (uint)from % 10;
}

#if PICTURE
/* The grey of a pixel of the picture. */
static inline float under_of(float value, const struct label2rgb_mix *mix)
{
    float grey = (value - mix->low) * mix->gain;
    grey = grey > 0 ? grey < 1 ? grey : 1.0f : 0.0f; /* NaN too becomes 0 */
    return grey * mix->image_alpha + mix->image_rest;
}
#define UNDER(i) under_of((float)picture[i], &mix)
#else
#define UNDER(i) 0
#endif

/* A colour times alpha, and what the picture under it is multiplied by. */
static inline float4 paint_of(uint number, const struct label2rgb_mix *mix)
{
    if (number == BLACK)
        return (float4)(0, 0, 0, PICTURE && mix->plain ? 1 : mix->rest);
    return (float4)(vload3(number, colours) * mix->alpha, mix->rest);
}

/* The colour of a pixel in bytes. A sum with 2^23 has no fraction: it is rounded to even as rint()
 * does, and its low byte is the result. Nothing is below 0 or above 255, because alpha + rest is
 * 1. */
static inline uchar4 bytes_of(float4 paint, float under)
{
    return convert_uchar4(as_uint4(255.0f * (paint + under * paint.w) + 0x1p23f));
}

#if COARSE
#define BLOCK 64 /* pixels whose greys and colours are found before any is written */

/* Paints every pixel by its label over the picture. */
kernel ALONE void label2rgb_paint(global const LABEL *labels, global const T *picture,
                                  struct label2rgb_mix mix, global uchar *rgb)
{
    size_t w = get_group_id(0), workers = get_num_groups(0);
    ulong n = mix.n, first = n / workers * w + min((ulong)w, n % workers);
    ulong end = first + n / workers + (w < n % workers);
    float4 paints[BLACK + 1];
    for (uint k = 0; k <= BLACK; k++)
        paints[k] = paint_of(k, &mix);
    for (ulong i = first; i < end; i += BLOCK) {
        uint m = (uint)min((ulong)BLOCK, end - i), number[BLOCK];
        float under[BLOCK];
        for (uint j = 0; j < m; j++) {
            under[j] = UNDER(i + j);
            number[j] = number_of(labels[i + j], mix.overlay);
        }
        global uchar *out = rgb + 3 * i;
        for (uint j = 0; j + 1 < m; j++) /* the next pixel overwrites the fourth byte */
            vstore4(bytes_of(paints[number[j]], under[j]), 0, out + 3 * j);
        vstore3(bytes_of(paints[number[m - 1]], under[m - 1]).s012, m - 1, out);
    }
}
#else
/* Paints every pixel by its label over the picture. */
kernel GROUPED void label2rgb_paint(global const LABEL *labels, global const T *picture,
                                    struct label2rgb_mix mix, global uchar *rgb)
{
    size_t i = get_global_id(0);
    if (i < mix.n)
        vstore3(bytes_of(paint_of(number_of(labels[i], mix.overlay), &mix), UNDER(i)).s012, i, rgb);
}
#endif
