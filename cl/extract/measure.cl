/* SPDX-License-Identifier: MIT */
/*
 * Sums over the pixels of objects.
 *
 * Method:    a first pass over an object's list finds box, peaks and magnitudes; a second one sums
 *            whole numbers. Where the sums of a small object fit 64 bits, they are made in 64 bits.
 *            The height that others must reach to eat the object is found by SExtractor's heap.
 * Launch:    EACH object.
 * Exactness: integers. A number of at most 2^30 times the square of a side times the count of an
 *            object is below 2^62 for small ones; 128 bits hold every product of others.
 * Limits:    fewer than 2^31 pixels.
 * Others:    host src/opencl/extract/figures.c, definition src/reference/extract_measure.c, pair
 *            src/pairs/extract.c, docs/extract.md.
 */
#include "extract/view.cl"
#include "common/wide.cl"

/* The six sums of an object, in 64 or in 128 bits. */
struct moments {
    long sum, x, y, xx, yy, xy;
};

struct wide_moments {
    ulong2 sum, x, y, xx, yy, xy;
};

INLINE void add_small(struct moments *m, long k, uint x, uint y)
{
    long kx = k * x, ky = k * y;
    m->sum += k;
    m->x += kx;
    m->y += ky;
    m->xx += kx * x;
    m->yy += ky * y;
    m->xy += kx * y;
}

CALLED void add_large(struct wide_moments *m, long k, uint x, uint y)
{
    long kx = k * x, ky = k * y;
    m->sum = plus(m->sum, wide(k));
    m->x = plus(m->x, wide(kx));
    m->y = plus(m->y, wide(ky));
    m->xx = plus(m->xx, product(kx, x));
    m->yy = plus(m->yy, product(ky, y));
    m->xy = plus(m->xy, product(kx, y));
}

INLINE struct wide_moments widened(const struct moments *m)
{
    struct wide_moments w;
    w.sum = wide(m->sum);
    w.x = wide(m->x);
    w.y = wide(m->y);
    w.xx = wide(m->xx);
    w.yy = wide(m->yy);
    w.xy = wide(m->xy);
    return w;
}

INLINE void keep(global ulong *to, const struct wide_moments *m)
{
    vstore2(m->sum, MOMENT_1, to);
    vstore2(m->x, MOMENT_X, to);
    vstore2(m->y, MOMENT_Y, to);
    vstore2(m->xx, MOMENT_XX, to);
    vstore2(m->yy, MOMENT_YY, to);
    vstore2(m->xy, MOMENT_XY, to);
}

/* Sorts numbers, rising. */
INLINE void sort_heights(global float *h, uint count)
{
    for (uint gap = count / 2; gap; gap /= 2)
        for (uint i = gap; i < count; i++) {
            float value = h[i];
            uint j = i;
            for (; j >= gap && h[j - gap] > value; j -= gap)
                h[j] = h[j - gap];
            h[j] = value;
        }
}

/* Lets h[0] sink as SExtractor's heap does: after a swap it goes on one place beyond. */
INLINE void sink(global float *h, uint count)
{
    for (uint j = 0; 2 * j + 1 < count;) {
        uint son = 2 * j + 1;
        float value = h[j];
        if (son + 1 < count && h[son + 1] < h[son])
            son++;
        if (value <= h[son])
            return;
        h[j] = h[son];
        h[son] = value;
        j = son + 1;
    }
}

/* The height that the wings of another object must reach; `h` has room for min_area numbers. */
INLINE float eating_height(global const uint *own, uint count, global const float *c,
                           global const float *noise, const struct extract_view *view,
                           global float *h)
{
    uint wanted = view->min_area;
    if (count < wanted)
        return 0;
    if (count == wanted)
        return c[own[0]] - threshold_at(noise, view, own[0]);
    for (uint i = 0; i < wanted; i++)
        h[i] = c[own[i]] - threshold_at(noise, view, own[i]);
    sort_heights(h, wanted);
    for (uint i = wanted + 1; i < count; i++) {
        float e = c[own[i]] - threshold_at(noise, view, own[i]);
        if (e > h[0]) {
            h[0] = e;
            sink(h, wanted);
        }
    }
    return h[0];
}

/* What the first pass finds besides the box and the peaks. */
struct magnitudes {
    float c, v;
    double variance;
};

INLINE struct magnitudes look(global const uint *own, uint count, global const float *image,
                              global const float *c, global const float *noise,
                              global const uint *saturated, uint flagged,
                              const struct extract_view *view, struct extract_sums *sums)
{
    struct magnitudes most = {0, 0, 0};
    sums->left = sums->top = UINT_MAX;
    sums->right = sums->bottom = sums->saturated = 0;
    sums->cpeak = sums->peak = -INFINITY;
    for (uint i = 0; i < count; i++) {
        uint at = own[i], x = at % view->cols, y = at / view->cols;
        float filtered = c[at], value = image[at];
        sums->left = min(sums->left, x);
        sums->right = max(sums->right, x);
        sums->top = min(sums->top, y);
        sums->bottom = max(sums->bottom, y);
        double variance = variance_at(noise, view, at, filtered);
        most.c = fabs(filtered) > most.c ? fabs(filtered) : most.c;
        most.v = fabs(value) > most.v ? fabs(value) : most.v;
        most.variance = variance > most.variance ? variance : most.variance;
        if (filtered > sums->cpeak) {
            sums->cpeak = filtered;
            sums->cpeak_at = at;
        }
        if (value > sums->peak) {
            sums->peak = value;
            sums->peak_at = at;
        }
        if (flagged)
            sums->saturated |=
                saturated[(size_t)y * ((view->cols + 31) / 32) + x / 32] >> (x % 32) & 1;
    }
    return most;
}

/* Leaves the sums of every object, which src/opencl/extract/figures.c makes figures of. */
kernel SIZED void extract_measure(global const float *image, global const float *c,
                                  global const float *noise, global const uint *saturated,
                                  uint flagged, struct extract_view view,
                                  global const struct extract_item *items, uint count,
                                  global const uint *list, global float *heights,
                                  global struct extract_sums *all)
{
    EACH(o, count)
    {
        struct extract_item item = items[o];
        global const uint *own = list + item.first;
        struct extract_sums sums = {0};
        struct magnitudes most =
            look(own, item.count, image, c, noise, saturated, flagged, &view, &sums);
        sums.c_exponent = exponent_of(most.c);
        sums.v_exponent = exponent_of(most.v);
        sums.variance_exponent = exponent_of(most.variance);
        double scale = scale_of(sums.c_exponent), scale_v = scale_of(sums.v_exponent);
        double scale_q = scale_of(sums.variance_exponent);
        float middle = (item.thresh + sums.peak) / 2;
        ulong side = max(sums.right - sums.left, sums.bottom - sums.top) + 1;
        bool small = side < 65536 && side * side < ((ulong)1 << 32) / item.count;
        struct moments light = {0}, variances = {0};
        struct wide_moments large_light = {0}, large_variances = {0};
        long sum_c = 0, sum_v = 0;
        for (uint i = 0; i < item.count; i++) {
            uint at = own[i], x = at % view.cols - sums.left, y = at / view.cols - sums.top;
            float filtered = c[at], value = image[at];
            long k = whole_of(filtered, scale);
            long q = NOISE || view.gain > 0
                         ? whole_of(variance_at(noise, &view, at, filtered), scale_q)
                         : 0;
            long weight = sums.cpeak > 0 ? max(k, (long)0) : 1;
            sum_c += k;
            sum_v += whole_of(value, scale_v);
            sums.above += value > item.thresh;
            sums.higher += value > middle;
            if (small) {
                add_small(&light, weight, x, y);
                add_small(&variances, q, x, y);
            } else {
                add_large(&large_light, weight, x, y);
                add_large(&large_variances, q, x, y);
            }
        }
        if (small) {
            large_light = widened(&light);
            large_variances = widened(&variances);
        }
        sums.c = (ulong)sum_c;
        sums.v = (ulong)sum_v;
        sums.mthresh = eating_height(own, item.count, c, noise, &view, heights + item.first);
        all[o] = sums;
        keep(all[o].light, &large_light);
        keep(all[o].variances, &large_variances);
    }
}
