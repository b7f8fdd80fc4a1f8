/* SPDX-License-Identifier: MIT */
/*
 * The fine half of boxes.cl.
 *
 * Method:    the work-items of a group share the pixels of a box, make sums and extremes by a tree
 *            in local memory, and count in one histogram there. To find the median, each sums a run
 *            of bins, and the first work-item walks over the runs, then over the bins of one.
 * Launch:    one work-group of GROUP work-items per box.
 * Exactness: as in boxes.cl: sums of integers in any order.
 * Limits:    as in boxes.cl; 22.5 KiB of local memory.
 * Others:    as in boxes.cl.
 */
/* A pixel of the box, in raster order; denormals are 0. */
INLINE float pixel_at(global const float *image, ulong stride, const struct box_place *place,
                      ulong i)
{
    float v = image[place->at + i / place->cols * stride + i % place->cols];
    return (as_int(v) & INT_MAX) < TINY ? 0.0f : v;
}

/* Three numbers of a work-item that a tree in local memory adds up or compares. */
struct three {
    ulong a, b, c;
};

/* Returns, to every work-item, the sums of the numbers of all work-items. */
INLINE struct three add_all(ulong a, ulong b, ulong c, local struct three *sums)
{
    uint l = get_local_id(0);
    struct three own = {a, b, c};
    barrier(CLK_LOCAL_MEM_FENCE);
    sums[l] = own;
    for (uint step = GROUP / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < step) {
            sums[l].a += sums[l + step].a;
            sums[l].b += sums[l + step].b;
            sums[l].c += sums[l + step].c;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return sums[0];
}

/* A float as a number that is greater for a greater float, and the way back. */
INLINE ulong order_of(float v)
{
    return (uint)(as_int(v) ^ (as_int(v) >> 31 & INT_MAX)) ^ 1u << 31;
}
INLINE float float_of(ulong order)
{
    int bits = (int)((uint)order ^ 1u << 31);
    return as_float(bits ^ (bits >> 31 & INT_MAX));
}

INLINE void find_range(global const float *image, ulong stride, const struct box_place *place,
                       struct range *range, local struct three *shared)
{
    uint l = get_local_id(0);
    struct three own = {order_of(INFINITY), order_of(-INFINITY), 0};
    ulong n = place->rows * place->cols;
    for (ulong i = l; i < n; i += GROUP) {
        float v = pixel_at(image, stride, place, i);
        if (v >= range->low && v <= range->high) {
            own.a = min(own.a, order_of(v));
            own.b = max(own.b, order_of(v));
            own.c++;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    shared[l] = own;
    for (uint step = GROUP / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < step) {
            shared[l].a = min(shared[l].a, shared[l + step].a);
            shared[l].b = max(shared[l].b, shared[l + step].b);
            shared[l].c += shared[l + step].c;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    range->least = float_of(shared[0].a);
    range->most = float_of(shared[0].b);
    range->count = (uint)shared[0].c;
}

/* Sums the pixels within the bounds; none where they do not differ. */
INLINE struct sums sum_box(global const float *image, ulong stride, const struct box_place *place,
                           const struct range *range, int bits, local struct three *shared)
{
    ulong first = 0, second = 0;
    ulong n = is_spread(range) ? place->rows * place->cols : 0;
    float scale = n > 0 ? float_power(bits - spread_exponent(range)) : 1.0f;
    for (ulong i = get_local_id(0); i < n; i += GROUP) {
        float v = pixel_at(image, stride, place, i);
        if (v >= range->low && v <= range->high) {
            ulong k = (ulong)rint((v - range->least) * scale);
            first += k;
            second += k * k;
        }
    }
    struct three all = add_all(first, second, 0, shared);
    struct sums sums = {all.a, all.b};
    return sums;
}

INLINE void fill_histogram(global const float *image, ulong stride, const struct box_place *place,
                           const struct frame *frame, volatile local uint *counts)
{
    ulong n = place->rows * place->cols;
    for (int k = (int)get_local_id(0); k <= frame->bins; k += GROUP)
        counts[k] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (ulong i = get_local_id(0); i < n; i += GROUP) {
        float v = pixel_at(image, stride, place, i);
        float u = (v - frame->origin) * frame->inverse + 0.5f;
        if (u > -1.0f && u < (float)frame->bins && v >= -USED && v <= USED)
            atomic_inc(counts + (int)u);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* Finds the first bin b of c->from..c->to with f(b) + f(b + 2) >= all (box_common.cl). runs[l].a is
 * the number of pixels in the `length` bins that work-item l has summed. */
INLINE int find_median(const struct clipped *c, const local uint *counts,
                       const local struct three *runs, int length, ulong all, ulong *before)
{
    int b = c->from;
    ulong f = 0;
    for (int run = 0; b + length < c->to; run++) { /* while the bin lies beyond this run */
        int next = b + length;
        ulong sum = f + runs[run].a;
        if (2 * sum + counts[next] + counts[next + 1] >= all)
            break;
        b = next;
        f = sum;
    }
    while (b < c->to && 2 * f + counts[b] + counts[b + 1] < all) {
        f += counts[b];
        b++;
    }
    *before = f;
    return b;
}

/* Narrows the range of bins once. All work-items call it, with the same `c`, and all get the new
 * one. Returns false where the bins are empty. */
INLINE bool narrow(const struct frame *frame, const local uint *counts,
                   local struct clipped *narrowed, struct clipped *c, local struct three *shared)
{
    struct three own = {0, 0, 0};
    int l = (int)get_local_id(0), length = (c->to - c->from) / GROUP + 1;
    for (int i = 0; i < length; i++) {
        int k = c->from + l * length + i;
        ulong count = k <= c->to ? counts[min(k, c->to)] : 0;
        own.a += count;
        own.b += count * (ulong)k;
        own.c += count * (ulong)k * (ulong)k;
    }
    struct three all = add_all(own.a, own.b, own.c, shared);
    barrier(CLK_LOCAL_MEM_FENCE);
    shared[l] = own;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        ulong before = 0;
        if (all.a > 0) {
            int b = find_median(c, counts, shared, length, all.a, &before);
            clipped_narrow(c, frame->bins, all.a, all.b, all.c, b, before,
                           b > 0 ? counts[b - 1] : 0, counts[b], counts[b + 1]);
        }
        *narrowed = *c;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    *c = *narrowed;
    return all.a > 0;
}

/* Leaves level, rms and number of used pixels of each box. No barrier stands under a condition: for
 * each that does, POCL's compiler makes another copy of all code that follows. */
kernel GROUPED void background_boxes(global const float *image, struct background_grid grid,
                                     global struct background_box *boxes)
{
    local uint counts[BACKGROUND_BINS + 1];
    local struct three shared[GROUP];
    local struct clipped narrowed;
    ulong box = get_group_id(0);
    struct box_place place = box_at(&grid, box);
    struct range range = {-USED, USED, 0, 0, 0};
    find_range(image, grid.cols, &place, &range, shared);
    uint used = range.count;
    struct sums sums = sum_box(image, grid.cols, &place, &range, grid.bits, shared);
    struct figures figures = figures_of(&range, &sums, grid.bits);
    struct range kept = {(float)(figures.mean - 2 * figures.std),
                         (float)(figures.mean + 2 * figures.std), 0, 0, 0};
    find_range(image, grid.cols, &place, &kept, shared);
    sums = sum_box(image, grid.cols, &place, &kept, grid.bits, shared);
    if (kept.count > 0)
        figures = figures_of(&kept, &sums, grid.bits);
    struct frame frame = frame_of(&figures, kept.count > 0 ? kept.count : used);
    fill_histogram(image, grid.cols, &place, &frame, counts);
    struct clipped c = clipped_first(frame.bins); /* a single bin has a std of 0: no rounds */
    bool filled = true;
    for (int i = 0; i < 100 && filled && clipped_goes_on(&c); i++)
        filled = narrow(&frame, counts, &narrowed, &c, shared);
    struct background_box found = {(float)figures.mean, (float)figures.std, used, 1};
    if (frame.bins > 1)
        found = box_of(&frame, &c, used);
    struct background_box bad = {0, 0, used, 0};
    if (get_local_id(0) == 0)
        boxes[box] = 2 * (ulong)used < place.rows * place.cols ? bad : found;
}
