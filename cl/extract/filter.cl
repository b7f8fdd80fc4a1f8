/* SPDX-License-Identifier: MIT */
/*
 * The filtered image and the members of sources.
 *
 * Method:    extract_reciprocal makes a map of 1 / noise, 0 where a pixel is bad. extract_filter
 *            sums the products of the weights and the pixels under them, and compares.
 * Launch:    extract_reciprocal: one work-item per pixel, rows being the second dimension.
 *            extract_filter: coarse: one work-item per row, in work-groups of one; fine: one
 *            work-item per word of 32 pixels, rows being the second dimension, where the
 *            work-items of a group take the pixels of its words by turns.
 * Exactness: F32 by fma, in the order of the definition.
 * Limits:    columns and rows below 2^31.
 * Others:    host src/opencl/extract/detect.c, definition src/reference/extract.c, pair
 *            src/pairs/extract.c, docs/extract.md.
 */
#include "extract/view.cl"

/* isfinite() ends POCL's compiler where work-groups have one work-item and vectors 16 floats. */
#define IS_FINITE(x) ((x) - (x) == 0)

#ifdef RECIPROCAL
/* Leaves 1 / noise of every pixel, or 0 where the pixel is bad: blank, infinite, masked, or with a
 * noise that is not positive or whose reciprocal is no normal float. The quotient is rounded to
 * float once more, as in the definition. Without a map of noise a good pixel gets 1. */
kernel GROUPED void extract_reciprocal(global const float *image, global const float *noise,
                                       global const uint *mask, uint masked, uint cols,
                                       global float *reciprocal)
{
    uint x = get_global_id(0), y = get_global_id(1);
    if (x >= cols)
        return;
    size_t at = (size_t)y * cols + x;
    bool good = IS_FINITE(image[at]);
    if (masked)
        good = good && !(mask[(size_t)y * ((cols + 31) / 32) + x / 32] >> (x % 32) & 1);
    float sigma = NOISE == 2 ? sigma_at(noise, 1, at) : 1;
    float inverse = (float)(1.0 / (double)sigma);
    if (!good || sigma <= 0 || !IS_FINITE(sigma) || inverse < 0x1p-126f || !IS_FINITE(inverse))
        inverse = 0;
    reciprocal[at] = inverse;
}
#else
/*
 * Options: FILTERED: there are weights. MATCHED: a pixel also counts by its noise (a matched
 * filter). MAPPED: there is a map of reciprocals, which is 0 where a pixel is bad. SEEDS: there are
 * two thresholds.
 */

/* Sums of weight x pixel (c) and, MATCHED, what is compared: the signal and its squared noise. */
struct found {
    float c, signal, power;
};

/* A pixel, or 0 where it is bad. */
INLINE float value_at(global const float *image, global const float *reciprocal, size_t at)
{
    float value = image[at];
#ifdef MAPPED
    return reciprocal[at] > 0 ? value : 0;
#else
    return IS_FINITE(value) ? value : 0;
#endif
}

INLINE bool good_at(global const float *image, global const float *reciprocal, size_t at)
{
#ifdef MAPPED
    return reciprocal[at] > 0;
#else
    return IS_FINITE(image[at]);
#endif
}

/* The sums of one pixel. */
INLINE struct found found_at(global const float *image, global const float *noise,
                             global const float *reciprocal, global const float *weights,
                             const struct extract_view *view, uint y, uint x)
{
    struct found sums = {0, 0, 0};
    size_t middle = (size_t)y * view->cols + x;
    (void)middle; /* some noises and filters do not ask for the pixel itself */
#ifdef FILTERED
#ifdef MATCHED
    float sigma = sigma_at(noise, view->noise, middle);
#endif
    for (uint j = 0; j < view->weight_rows; j++)
        for (uint i = 0; i < view->weight_cols; i++) {
            uint row = y + j - view->weight_rows / 2, col = x + i - view->weight_cols / 2;
            if (row >= view->rows || col >= view->cols) /* -1 is huge in uint */
                continue;
            size_t at = (size_t)row * view->cols + col;
            float k = weights[j * view->weight_cols + i], v = value_at(image, reciprocal, at);
            sums.c = fma(k, v, sums.c);
#ifdef MATCHED
            float share = reciprocal[at] * sigma;
            sums.signal = fma(k, v * reciprocal[at] * share, sums.signal);
            sums.power = fma(k * k, share * share, sums.power);
#endif
        }
#else
    sums.c = value_at(image, reciprocal, middle);
#endif
    return sums;
}

/* Whether a pixel that is not bad stands above a threshold. */
INLINE bool is_above(struct found sums, global const float *noise, const struct extract_view *view,
                     float thresh, size_t at)
{
#ifdef MATCHED
    return sums.signal > 0 && sums.signal * sums.signal > thresh * thresh * sums.power;
#elif NOISE == 0
    return sums.c > thresh;
#else
    return sums.c > thresh * sigma_at(noise, view->noise, at);
#endif
}

#if COARSE
/* Eight pixels whose weights all lie within the columns of the image. */
INLINE uint found_8(global const float *image, global const float *noise,
                    global const float *reciprocal, global const float *weights,
                    const struct extract_view *view, uint y, uint x, global float *filtered,
                    uint *seeds)
{
    const int8 places = (int8)(1, 2, 4, 8, 16, 32, 64, 128);
    size_t middle = (size_t)y * view->cols + x;
    float8 c = 0, own = vload8(0, image + middle);
    (void)own;
#ifdef MAPPED
    int8 good = vload8(0, reciprocal + middle) > 0;
#else
    int8 good = IS_FINITE(own);
#endif
#if NOISE == 2
#if KIND == 0
    float8 sigma = vload8(0, noise + middle);
#else
    float8 sigma;
    for (uint i = 0; i < 8; i++)
        ((float *)&sigma)[i] = sigma_at(noise, 1, middle + i);
#endif
#else
    float8 sigma = NOISE ? view->noise : 1;
#endif
#ifdef FILTERED
    float8 signal = 0, power = 0;
    (void)signal, (void)power;
    for (uint j = 0; j < view->weight_rows; j++) {
        uint row = y + j - view->weight_rows / 2;
        if (row >= view->rows)
            continue;
        size_t at = (size_t)row * view->cols + x - view->weight_cols / 2;
        for (uint i = 0; i < view->weight_cols; i++, at++) {
            float k = weights[j * view->weight_cols + i];
            float8 v = vload8(0, image + at);
#ifdef MAPPED
            float8 r = vload8(0, reciprocal + at);
            v = select((float8)0, v, r > 0);
#else
            v = select((float8)0, v, v - v == 0);
#endif
            c = fma((float8)k, v, c);
#ifdef MATCHED
            float8 share = r * sigma;
            signal = fma((float8)k, v * r * share, signal);
            power = fma((float8)(k * k), share * share, power);
#endif
        }
    }
#else
    c = select((float8)0, own, good);
#endif
    vstore8(c, 0, filtered + middle);
#ifdef MATCHED
    int8 set = good & (signal > 0) & (signal * signal > view->low * view->low * power);
    int8 high = good & (signal > 0) & (signal * signal > view->thresh * view->thresh * power);
#else
    int8 set = good & (c > view->low * sigma), high = good & (c > view->thresh * sigma);
#endif
    set &= places;
    high &= places;
    int4 set4 = set.lo | set.hi, high4 = high.lo | high.hi;
    int2 set2 = set4.lo | set4.hi, high2 = high4.lo | high4.hi;
    *seeds = high2.x | high2.y;
    return set2.x | set2.y;
}

/* Leaves the filtered image and, as bits, the members and (SEEDS) the seeds: a row per work-item.
 */
kernel ALONE void extract_filter(global const float *image, global const float *noise,
                                 global const float *reciprocal, global const float *weights,
                                 struct extract_view view, global float *filtered,
                                 global uint *members, global uint *seeds)
{
    uint words = (view.cols + 31) / 32, y = get_global_id(0);
    uint left = view.weight_cols / 2, right = view.weight_cols - left;
    for (uint w = 0; w < words; w++) {
        uint bits = 0, high = 0;
        (void)high; /* without SEEDS there is one threshold */
        for (uint x = w * 32; x < min(w * 32 + 32, view.cols); x += 8) {
            if (x >= left && x + 8 + right <= view.cols) {
                uint eight_high;
                uint eight =
                    found_8(image, noise, reciprocal, weights, &view, y, x, filtered, &eight_high);
                bits |= eight << (x % 32);
                high |= eight_high << (x % 32);
                continue;
            }
            for (uint p = x; p < min(x + 8, view.cols); p++) {
                size_t at = (size_t)y * view.cols + p;
                struct found sums = found_at(image, noise, reciprocal, weights, &view, y, p);
                bool good = good_at(image, reciprocal, at);
                filtered[at] = sums.c;
                bits |= (uint)(good && is_above(sums, noise, &view, view.low, at)) << (p % 32);
                high |= (uint)(good && is_above(sums, noise, &view, view.thresh, at)) << (p % 32);
            }
        }
        members[(size_t)y * words + w] = bits;
#ifdef SEEDS
        seeds[(size_t)y * words + w] = high;
#endif
    }
}
#else
/* Leaves the filtered image and, as bits, the members and (SEEDS) the seeds: GROUP words per group.
 */
kernel GROUPED void extract_filter(global const float *image, global const float *noise,
                                   global const float *reciprocal, global const float *weights,
                                   struct extract_view view, global float *filtered,
                                   global uint *members, global uint *seeds)
{
    local uchar set[GROUP * 32];
    uint words = (view.cols + 31) / 32, y = get_global_id(1), l = get_local_id(0);
    uint from = get_group_id(0) * GROUP * 32;
    for (uint p = l; p < GROUP * 32; p += GROUP) {
        uint x = from + p;
        set[p] = 0;
        if (x >= view.cols)
            continue;
        size_t at = (size_t)y * view.cols + x;
        struct found sums = found_at(image, noise, reciprocal, weights, &view, y, x);
        filtered[at] = sums.c;
        if (good_at(image, reciprocal, at))
            set[p] = (is_above(sums, noise, &view, view.low, at) ? 1 : 0) |
                     (is_above(sums, noise, &view, view.thresh, at) ? 2 : 0);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint bits = 0, high = 0, w = get_global_id(0);
    (void)high;
    for (uint b = 0; b < 32; b++) {
        bits |= (uint)(set[l * 32 + b] & 1) << b;
        high |= (uint)(set[l * 32 + b] >> 1) << b;
    }
    if (w >= words)
        return;
    members[(size_t)y * words + w] = bits;
#ifdef SEEDS
    seeds[(size_t)y * words + w] = high;
#endif
}
#endif
#endif
