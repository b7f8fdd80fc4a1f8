/* SPDX-License-Identifier: MIT */
/*
 * The arithmetic of a box that both layouts of boxes.cl share: from integer sums to bounds, to the
 * bins of a histogram, and to the mode.
 *
 * Method:    docs/background.md, "A box".
 * Launch:    no kernels here.
 * Exactness: double quotients, products, sums and roots of exact integers, all of them rounded
 *            correctly, in one order.
 * Limits:    as in boxes.cl.
 * Others:    cl/background/boxes_coarse.cl and boxes_fine.cl.
 */
#include "background/background.h"

#define TINY 0x00800000      /* the bits of the least float that is not denormal */
#define USED 0x1.93e592p+99f /* the greatest value that is used: the one before 1e30f */

/* The bounds, which count as inside, and what is known of the pixels inside. */
struct range {
    float low, high;
    float least, most;
    uint count;
};

/* Sums of k and of k^2 over pixels v as integers: k = (v - least) 2^(bits - e), rounded. */
struct sums {
    ulong first, second;
};

struct figures {
    double mean, std;
};

/* The histogram's frame: bin k is centred on origin + k step. */
struct frame {
    int bins;
    float origin, inverse;
    double step;
};

/* Whether the pixels differ enough to be told apart as integers. */
INLINE bool is_spread(const struct range *range) { return range->most - range->least >= 0x1p-60f; }

/* The least e with most - least < 2^e: the exponent of a float that is not denormal. */
INLINE int spread_exponent(const struct range *range)
{
    return (int)(as_uint(range->most - range->least) >> 23) - 126;
}

/* 2^power as a float or a double, for powers of normal numbers. */
INLINE float float_power(int power) { return as_float((uint)(power + 127) << 23); }
INLINE double double_power(int power) { return as_double((ulong)(power + 1023) << 52); }

INLINE struct figures figures_of(const struct range *range, const struct sums *sums, int bits)
{
    struct figures figures = {(double)range->least, 0};
    if (!is_spread(range))
        return figures;
    double n = (double)range->count, unit = double_power(spread_exponent(range) - bits);
    double mean = (double)sums->first / n;
    double variance = (double)sums->second / n - mean * mean;
    figures.mean = (double)range->least + mean * unit;
    figures.std = unit * sqrt(variance > 0 ? variance : 0.0);
    return figures;
}

INLINE struct frame frame_of(const struct figures *figures, uint count)
{
    double bins = (double)count * 0.997355701003582 + 1;
    struct frame frame = {bins < BACKGROUND_BINS ? (int)bins : BACKGROUND_BINS,
                          (float)(figures->mean - 5 * figures->std), 1, 1};
    if (figures->std > 0) {
        frame.step = 10 * figures->std / frame.bins;
        frame.inverse = (float)(frame.bins / (10 * figures->std));
    }
    return frame;
}

/* The bins from..to of a histogram that still take part, and what is known of them. */
struct clipped {
    int from, to;
    double std, previous, mean, middle;
};

INLINE struct clipped clipped_first(int bins)
{
    struct clipped c = {0, bins - 1, 10.0 * (bins - 1), 1, 0, 0};
    return c;
}

INLINE bool clipped_goes_on(const struct clipped *c)
{
    return c->std >= 0.1 && fabs(c->std / c->previous - 1) > 1e-4;
}

/*
 * Narrows the range of bins that take part. `all`, `first` and `second` are the sums of count,
 * count * k and count * k^2 over the bins k in from..to. `b` is the first bin with
 * f(b) + f(b + 2) >= all, where f(b) is the number of pixels in the bins before b: the median is
 * there or in the bin before. `before` is f(b), and `left`, `here` and `right` are the counts of
 * the bins b - 1, b and b + 1.
 */
INLINE void clipped_narrow(struct clipped *c, int bins, ulong all, ulong first, ulong second, int b,
                           ulong before, uint left, uint here, uint right)
{
    bool takes = before < all - before - here; /* the last bin goes to the left side */
    int p = takes ? b : b - 1;
    ulong low = takes ? before + here : before;
    uint most = takes ? max(here, right) : max(left, here);
    c->previous = c->std;
    c->mean = (double)first / (double)all;
    double variance = (double)second / (double)all - c->mean * c->mean;
    c->std = sqrt(variance > 0 ? variance : 0.0);
    c->middle = p < 0 ? 0.0 : p + 0.5 + ((double)(all - low) - (double)low) / (2 * (double)most);
    double below = c->middle - 3 * c->std, above = c->middle + 3 * c->std;
    c->from = below > 0 ? (int)(below + 0.5) : 0;
    c->to = above < bins - 1 ? (int)(above + 0.5) : bins - 1;
}

INLINE struct background_box box_of(const struct frame *frame, const struct clipped *c, uint used)
{
    double mode = c->middle;
    if (!(c->std > 0))
        mode = c->mean;
    else if (fabs(c->mean - c->middle) / c->std < 0.3)
        mode = 2.5 * c->middle - 1.5 * c->mean;
    struct background_box box = {(float)((double)frame->origin + frame->step * mode),
                                 (float)(frame->step * c->std), used, 1};
    return box;
}

/* Box number i: its first pixel and its size. */
struct box_place {
    ulong at;
    ulong rows, cols;
};

INLINE struct box_place box_at(const struct background_grid *grid, ulong i)
{
    ulong row = i / grid->mesh_cols * grid->height, col = i % grid->mesh_cols * grid->width;
    struct box_place place = {row * grid->cols + col, min(grid->height, grid->rows - row),
                              min(grid->width, grid->cols - col)};
    return place;
}
