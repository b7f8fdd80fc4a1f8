/* SPDX-License-Identifier: MIT */
/*
 * The coarse half of boxes.cl.
 *
 * Method:    a work-item goes through its box eight pixels at a time, from the processor's nearest
 *            memory after the first time, and keeps the histogram to itself. Sums over the bins are
 *            kept as bins leave and enter the clipped range.
 * Launch:    one work-item per box, in work-groups of one.
 * Exactness: as in boxes.cl.
 * Limits:    as in boxes.cl.
 * Others:    as in boxes.cl.
 */
#define LANES(i) ((i)*8)

/* Eight pixels of a row, of which those from `cols` on are blank; denormals are 0. */
INLINE float8 pixels_at(global const float *row, ulong x, ulong cols)
{
    float8 v;
    if (x + 8 <= cols) {
        v = vload8(0, row + x);
    } else {
        float part[8];
        for (uint i = 0; i < 8; i++)
            part[i] = x + i < cols ? row[x + i] : NAN;
        v = vload8(0, part);
    }
    return select(v, (float8)0.0f, (as_int8(v) & INT_MAX) < TINY);
}

/* Finds the range of the pixels within the bounds of `range`. */
INLINE void find_range(global const float *image, ulong stride, const struct box_place *place,
                       struct range *range)
{
    float8 least = INFINITY, most = -INFINITY;
    uint count = 0;
    for (ulong y = 0; y < place->rows; y++) {
        global const float *row = image + place->at + y * stride;
        int8 inside = 0;
        for (ulong x = 0; x < place->cols; x += 8) {
            float8 v = pixels_at(row, x, place->cols);
            int8 ok = (v >= range->low) & (v <= range->high);
            least = select(least, v, ok & (v < least));
            most = select(most, v, ok & (v > most));
            inside -= ok;
        }
        int4 four = inside.lo + inside.hi;
        int2 two = four.lo + four.hi;
        count += (uint)(two.x + two.y);
    }
    float lows[8], highs[8];
    vstore8(least, 0, lows);
    vstore8(most, 0, highs);
    range->least = lows[0];
    range->most = highs[0];
    for (uint i = 1; i < 8; i++) {
        range->least = min(range->least, lows[i]);
        range->most = max(range->most, highs[i]);
    }
    range->count = count;
}

/* Sums the pixels within the bounds as integers. */
INLINE struct sums sum_box(global const float *image, ulong stride, const struct box_place *place,
                           const struct range *range, int bits)
{
    struct sums sums = {0, 0};
    if (!is_spread(range))
        return sums;
    ulong8 first = 0, second = 0;
    float scale = float_power(bits - spread_exponent(range)), least = range->least;
    for (ulong y = 0; y < place->rows; y++) {
        global const float *row = image + place->at + y * stride;
        for (ulong x = 0; x < place->cols; x += 8) {
            float8 v = pixels_at(row, x, place->cols);
            int8 ok = (v >= range->low) & (v <= range->high);
            float8 scaled = select((float8)0.0f, rint((v - least) * scale), ok);
            ulong8 k = convert_ulong8(as_uint8(convert_int8(scaled)));
            first += k;
            second += k * k;
        }
    }
    ulong parts[16];
    vstore8(first, 0, parts);
    vstore8(second, 1, parts);
    for (uint i = 0; i < 8; i++) {
        sums.first += parts[i];
        sums.second += parts[8 + i];
    }
    return sums;
}

/* Counts all pixels that are used; counts[bins] gets those without a bin. */
INLINE void fill_histogram(global const float *image, ulong stride, const struct box_place *place,
                           const struct frame *frame, uint *counts)
{
    for (int k = 0; k <= frame->bins; k++)
        counts[k] = 0;
    for (ulong y = 0; y < place->rows; y++) {
        global const float *row = image + place->at + y * stride;
        for (ulong x = 0; x < place->cols; x += 8) {
            float8 v = pixels_at(row, x, place->cols);
            float8 u = (v - frame->origin) * frame->inverse + 0.5f;
            int8 ok = (u > -1.0f) & (u < (float)frame->bins) & (v >= -USED) & (v <= USED);
            int bins[8];
            vstore8(convert_int8(select((float8)(float)frame->bins, u, ok)), 0, bins);
            for (uint i = 0; i < 8; i++)
                counts[bins[i]]++;
        }
    }
}

/* Sums over the bins that take part, and the place of their median. */
struct bin_sums {
    int from, to;
    ulong all, first, second;
    int b;        /* a bin near the median */
    ulong before; /* pixels in the bins from `from` to b - 1 */
};

INLINE void add_bin(struct bin_sums *s, const uint *counts, int k, bool leaves)
{
    ulong c = counts[k], sign = leaves ? ULONG_MAX : 1;
    s->all += sign * c;
    s->first += sign * c * (ulong)k;
    s->second += sign * c * (ulong)(k * k);
    if (k < s->b)
        s->before += sign * c;
}

/* Moves the ends of the range. The bin b may end up outside: find_median mends that. */
INLINE void move_ends(struct bin_sums *s, const uint *counts, int from, int to)
{
    for (; s->from > from; s->from--)
        add_bin(s, counts, s->from - 1, false);
    for (; s->to < to; s->to++)
        add_bin(s, counts, s->to + 1, false);
    for (; s->from < from; s->from++)
        add_bin(s, counts, s->from, true);
    for (; s->to > to; s->to--)
        add_bin(s, counts, s->to, true);
}

/* Finds the first bin b with f(b) + f(b + 2) >= all: box_common.cl. */
INLINE void find_median(struct bin_sums *s, const uint *counts)
{
    if (s->b < s->from) {
        s->b = s->from;
        s->before = 0;
    }
    if (s->b > s->to) {
        s->before = s->all - counts[s->to];
        s->b = s->to;
    }
    while (s->b > s->from) { /* goes down while f(b - 1) + f(b + 1) >= all */
        ulong f = s->before - counts[s->b - 1];
        if (f + s->before + counts[s->b] < s->all)
            break;
        s->b--;
        s->before = f;
    }
    while (s->b < s->to && 2 * s->before + counts[s->b] + counts[s->b + 1] < s->all) {
        s->before += counts[s->b];
        s->b++;
    }
}

INLINE void first_sums(struct bin_sums *s, const uint *counts, int bins)
{
    ulong8 all = 0, first = 0, second = 0;
    uint8 k = (uint8)(0, 1, 2, 3, 4, 5, 6, 7);
    int at = 0;
    for (; at + 8 <= bins; at += 8) {
        ulong8 c = convert_ulong8(vload8(0, counts + at));
        all += c;
        first += c * convert_ulong8(k);
        second += c * convert_ulong8(k * k);
        k += 8;
    }
    ulong parts[24];
    vstore8(all, 0, parts);
    vstore8(first, 1, parts);
    vstore8(second, 2, parts);
    for (uint i = 0; i < 8; i++) {
        s->all += parts[i];
        s->first += parts[8 + i];
        s->second += parts[16 + i];
    }
    s->to = at - 1;
    s->b = bins;
    move_ends(s, counts, 0, bins - 1);
    s->b = 0;
    s->before = 0;
}

INLINE struct background_box find_mode(const struct frame *frame, const uint *counts, uint used)
{
    struct clipped c = clipped_first(frame->bins);
    struct bin_sums s = {0, -1, 0, 0, 0, 0, 0};
    first_sums(&s, counts, frame->bins);
    for (int i = 0; i < 100 && clipped_goes_on(&c); i++) {
        move_ends(&s, counts, c.from, c.to);
        if (s.all == 0)
            break;
        find_median(&s, counts);
        clipped_narrow(&c, frame->bins, s.all, s.first, s.second, s.b, s.before,
                       s.b > 0 ? counts[s.b - 1] : 0, counts[s.b],
                       s.b + 1 < frame->bins ? counts[s.b + 1] : 0);
    }
    return box_of(frame, &c, used);
}

/* Leaves level, rms and number of used pixels of each box. */
kernel ALONE void background_boxes(global const float *image, struct background_grid grid,
                                   global struct background_box *boxes)
{
    uint counts[BACKGROUND_BINS + 1];
    ulong box = get_global_id(0);
    struct box_place place = box_at(&grid, box);
    struct range range = {-USED, USED, 0, 0, 0};
    find_range(image, grid.cols, &place, &range);
    uint used = range.count;
    struct background_box found = {0, 0, used, 0};
    if (2 * (ulong)used < place.rows * place.cols) {
        boxes[box] = found;
        return;
    }
    struct sums sums = sum_box(image, grid.cols, &place, &range, grid.bits);
    struct figures figures = figures_of(&range, &sums, grid.bits);
    range.low = (float)(figures.mean - 2 * figures.std);
    range.high = (float)(figures.mean + 2 * figures.std);
    find_range(image, grid.cols, &place, &range);
    if (range.count > 0) {
        sums = sum_box(image, grid.cols, &place, &range, grid.bits);
        figures = figures_of(&range, &sums, grid.bits);
    } else {
        range.count = used;
    }
    struct frame frame = frame_of(&figures, range.count);
    found.level = (float)figures.mean;
    found.rms = (float)figures.std;
    found.good = 1;
    if (frame.bins > 1) {
        fill_histogram(image, grid.cols, &place, &frame, counts);
        found = find_mode(&frame, counts, used);
    }
    boxes[box] = found;
}
