/* SPDX-License-Identifier: MIT */
/* Tables of some rows of an image (src/bands/tables.h), pixel by pixel. Keys are made here by
 * counting: the key of a value is its rank among all values of its type. */
#include "bands/tables.h"

#include <math.h>
#include <string.h>

#include "reference/pixel.h"
#include "reference/reference.h"

static unsigned bits_of(enum clump_type type)
{
    return type == CLUMP_I64 || type == CLUMP_F64 ? 64 : 32;
}

/* The key of pixel `i`; *blank tells whether it is NaN, which has the highest key. */
static uint64_t key_at(const clump_image *image, uint64_t i, bool *blank)
{
    long double x = pixel_get(image, i);
    uint64_t magnitude = 0, half = UINT64_C(1) << (bits_of(image->type) - 1);
    *blank = isnan(x);
    if (*blank)
        return half + (half - 1);
    switch (image->type) {
    case CLUMP_U8:
        return (uint64_t)x << 24;
    case CLUMP_U16:
        return (uint64_t)x << 16;
    case CLUMP_I16:
        return (uint64_t)(x + 0x1p15L) << 16;
    case CLUMP_I32:
    case CLUMP_I64:
        return (uint64_t)(x + (long double)half);
    case CLUMP_U32:
        return (uint64_t)x;
    default:
        break;
    }
    if (image->type == CLUMP_F32) { /* the pattern of a magnitude counts the magnitudes below it */
        float narrow = (float)fabsl(x);
        uint32_t word;
        memcpy(&word, &narrow, sizeof word);
        magnitude = word;
    } else {
        double wide = (double)fabsl(x);
        memcpy(&magnitude, &wide, sizeof magnitude);
    }
    return x < 0 ? half - 1 - magnitude : half + magnitude;
}

static void add(const struct bands_window *window, unsigned bits, uint64_t key,
                struct bands_bin *bins)
{
    uint64_t mask = UINT64_MAX >> (64 - bits), above = (key - window->base) & mask;
    bool narrow = above < window->length;
    unsigned width = narrow ? window->shift : bits - 16;
    struct bands_bin *bin = &bins[narrow ? BANDS_WIDE + (above >> width) : above >> width];
    uint64_t d = above & ((UINT64_C(1) << width) - 1);
    bands_wide square = (bands_wide)d * d;
    bin->count++;
    bin->d += d;
    bin->low += (uint64_t)square;
    bin->high += square >> 64;
}

enum clump_status clump_reference_bands_fill(clump_context *context, const clump_image *image,
                                             const struct bands_window *window,
                                             struct bands_bin *bins,
                                             struct bands_extremes *extremes)
{
    struct bands_extremes seen = {.any = false};
    (void)context;
    for (uint64_t i = 0; i < pixel_count(image); i++) {
        bool blank;
        uint64_t key = key_at(image, i, &blank);
        add(window, bits_of(image->type), key, bins);
        if (blank)
            continue;
        if (!seen.any || key < seen.least) {
            seen.least = key;
            seen.least_at = i;
        }
        if (!seen.any || key > seen.most) {
            seen.most = key;
            seen.most_at = i;
        }
        seen.any = true;
    }
    if (extremes)
        *extremes = seen;
    return CLUMP_OK;
}

enum clump_status clump_reference_bands_gather(clump_context *context, const clump_image *image,
                                               const struct bands_intervals *intervals,
                                               struct bands_keys *keys)
{
    (void)context;
    for (uint64_t i = 0; i < pixel_count(image); i++) {
        bool blank;
        uint64_t key = key_at(image, i, &blank);
        for (size_t k = 0; k < intervals->count && keys->count < keys->room; k++)
            if (key >= intervals->bounds[2 * k] && key <= intervals->bounds[2 * k + 1])
                keys->key[keys->count++] = key;
    }
    return CLUMP_OK;
}

enum clump_status clump_reference_bands_seek(clump_context *context, const clump_image *image,
                                             struct bands_places *places)
{
    (void)context;
    places->has_least = places->has_most = false;
    for (uint64_t i = pixel_count(image); i-- > 0;) {
        bool blank;
        uint64_t key = key_at(image, i, &blank);
        if (!blank && key == places->least) {
            places->has_least = true;
            places->least_at = i;
        }
        if (!blank && key == places->most) {
            places->has_most = true;
            places->most_at = i;
        }
    }
    return CLUMP_OK;
}
