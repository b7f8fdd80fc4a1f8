/* SPDX-License-Identifier: MIT */
#include "render.h"

#include <math.h>

#define STOPS 33

/*
 * Every eighth colour of Matplotlib's maps (viridis, magma, inferno by S. van der Walt and
 * N. Smith; cividis by J. Nunez, C. Anderton, R. Renslow; all CC0), printed by
 * python3 -c "import matplotlib as m, numpy as n; [print([m.colors.to_hex(m.colormaps[c](x))
 *   for x in n.linspace(0, 1, 33)]) for c in ('viridis', 'magma', 'inferno', 'cividis')]"
 */
static const uint32_t stops[4][STOPS] = {
    {0x440154, 0x470d60, 0x48186a, 0x482374, 0x472d7b, 0x453781, 0x424086, 0x3e4989, 0x3b528b,
     0x375b8d, 0x33638d, 0x2f6b8e, 0x2c728e, 0x297a8e, 0x26828e, 0x23898e, 0x21918c, 0x1f988b,
     0x1fa088, 0x22a785, 0x28ae80, 0x32b67a, 0x3fbc73, 0x4ec36b, 0x5ec962, 0x70cf57, 0x84d44b,
     0x98d83e, 0xaddc30, 0xc2df23, 0xd8e219, 0xece51b, 0xfde725},
    {0x000004, 0x030312, 0x0a0822, 0x130d34, 0x1d1147, 0x29115a, 0x36106b, 0x440f76, 0x51127c,
     0x5d177f, 0x6a1c81, 0x762181, 0x832681, 0x902a81, 0x9c2e7f, 0xaa337d, 0xb73779, 0xc43c75,
     0xd0416f, 0xdc4869, 0xe75263, 0xef5d5e, 0xf56b5c, 0xf9795d, 0xfc8961, 0xfd9869, 0xfea772,
     0xfeb67c, 0xfec488, 0xfed395, 0xfde2a3, 0xfcf0b2, 0xfcfdbf},
    {0x000004, 0x040312, 0x0b0724, 0x150b37, 0x210c4a, 0x2f0a5b, 0x3d0965, 0x4a0c6b, 0x57106e,
     0x64156e, 0x71196e, 0x7d1e6d, 0x8a226a, 0x972766, 0xa32c61, 0xb0315b, 0xbc3754, 0xc73e4c,
     0xd24644, 0xdb503b, 0xe45a31, 0xeb6628, 0xf1731d, 0xf68013, 0xf98e09, 0xfb9d07, 0xfcac11,
     0xfbbc21, 0xf9cb35, 0xf5db4c, 0xf2ea69, 0xf3f68a, 0xfcffa4},
    {0x00224e, 0x00285b, 0x002e6a, 0x053371, 0x1a386f, 0x273e6e, 0x32436d, 0x3b496c, 0x434e6c,
     0x4b546c, 0x535a6d, 0x5a5f6e, 0x61656f, 0x686a71, 0x6f7073, 0x767676, 0x7d7c78, 0x848279,
     0x8c8878, 0x938e78, 0x9b9476, 0xa39a74, 0xaba072, 0xb4a76f, 0xbcae6c, 0xc4b468, 0xcdbb63,
     0xd5c25e, 0xdec958, 0xe7d150, 0xf0d846, 0xf9e03a, 0xfee838},
};

static struct colour unpack(double red, double green, double blue)
{
    return (struct colour){(uint8_t)lround(red), (uint8_t)lround(green), (uint8_t)lround(blue)};
}

static double mix(uint32_t a, uint32_t b, int shift, double part)
{
    double first = a >> shift & 255, second = b >> shift & 255;
    return first + part * (second - first);
}

struct colour clump_colormap_at(enum clump_render_colormap map, double brightness)
{
    if (isnan(brightness))
        return map == CLUMP_RENDER_COLORMAP_GREY            ? (struct colour){40, 48, 66}
               : map == CLUMP_RENDER_COLORMAP_GREY_REVERSED ? (struct colour){222, 229, 238}
                                                            : (struct colour){128, 128, 128};
    brightness = fmin(fmax(brightness, 0), 1);
    if (map == CLUMP_RENDER_COLORMAP_GREY || map == CLUMP_RENDER_COLORMAP_GREY_REVERSED) {
        double grey = 255 * (map == CLUMP_RENDER_COLORMAP_GREY ? brightness : 1 - brightness);
        return unpack(grey, grey, grey);
    }
    double place = brightness * (STOPS - 1);
    int stop = place >= STOPS - 1 ? STOPS - 2 : (int)place;
    const uint32_t *row = stops[map - CLUMP_RENDER_COLORMAP_VIRIDIS];
    uint32_t a = row[stop], b = row[stop + 1];
    double part = place - stop;
    return unpack(mix(a, b, 16, part), mix(a, b, 8, part), mix(a, b, 0, part));
}
