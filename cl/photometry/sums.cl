/* SPDX-License-Identifier: MIT */
/*
 * Sums over apertures: of fluxes (FLUX), for Kron's radius (KRON), and of a Gaussian window that
 * moves to its own centre (WINDOW).
 *
 * Method:    a row of pixels is summed from left to right, then the rows from top to bottom.
 *            FLUX leaves the sums of part x value, part x variance, part, and part of pixels that
 *            are left out; KRON of Rho x value, value, pixels, pixels left out; WINDOW the centre
 *            and the rounds.
 * Launch:    coarse: one work-item per PHOTOMETRY_SHARE apertures, in work-groups of one; fine: one
 *            work-group of GROUP work-items per aperture, each of which sums a row, after which the
 *            first adds the rows up in order.
 * Exactness: double, in one order: see aperture.cl.
 * Limits:    needs double; fine: 80 bytes of local memory per work-item.
 * Others:    host src/opencl/photometry/photometry.c, definition src/reference/photometry.c, pair
 *            src/pairs/photometry.c, docs/photometry.md.
 */
#include "photometry/aperture.cl"
#if defined(WINDOW) && !COARSE
#include "photometry/decay.cl"
#endif

/* What the sums of a round are made about. */
struct centre {
    double x, y;
    double inner, outer;
    double fall; /* WINDOW: 1 / (2 sigma^2) */
};

#if defined(WINDOW) && COARSE
union eight {
    double8 all;
    double each[8];
};

/* exp(-z) of eight numbers, 0 <= z: adding and subtracting ROUND is rint. */
#define ROUND 0x1.8p52
INLINE double8 decay8(double8 z)
{
    double8 far = z * 1.4426950408889634 + ROUND, n = far - ROUND;
    double8 r = n * 0x1.62e42fee00000p-1 - z + n * 0x1.a39ef35793c76p-33;
    double8 sum = (double8)(1.0 / 6227020800);
    sum = 1.0 / 479001600 + r * sum;
    sum = 1.0 / 39916800 + r * sum;
    sum = 1.0 / 3628800 + r * sum;
    sum = 1.0 / 362880 + r * sum;
    sum = 1.0 / 40320 + r * sum;
    sum = 1.0 / 5040 + r * sum;
    sum = 1.0 / 720 + r * sum;
    sum = 1.0 / 120 + r * sum;
    sum = 1.0 / 24 + r * sum;
    sum = 1.0 / 6 + r * sum;
    sum = 0.5 + r * sum;
    sum = 1 + r * sum;
    sum = 1 + r * sum;
    long8 whole = as_long8(far) - as_long(ROUND);
    double8 found = sum * as_double8((1023 - whole) << 52);
    return z > 700.0 ? (double8)(0.0) : found;
}
#endif

INLINE double variance_at(const struct images *images, const struct photometry_view *view, ulong at)
{
    double error = view->has & PHOTOMETRY_HAS_MAP ? (double)images->error_map[at] : view->error;
    return view->has & PHOTOMETRY_HAS_VARIANCES ? error : error * error;
}

/* Adds a pixel to the sums of its row; WINDOW: `fallen` is what the Gaussian has there. */
INLINE void add_pixel(const struct images *images, const struct photometry_view *view,
                      const struct photometry_source *s, const struct centre *c,
                      global const double *offsets, ulong row, ulong col, double fallen,
                      struct photometry_sums *sums)
{
    double dx = (double)col - c->x, dy = (double)row - c->y;
#ifdef KRON
    double rho2 = rho_squared(s, dx, dy);
    if (!(rho2 <= c->outer * c->outer))
        return;
    double part = 1;
#else
    double part = part_between(s, dx, dy, c->inner, c->outer, view->subpix, offsets);
    if (part == 0)
        return;
#endif
    ulong at = row * view->cols + col;
    double v = (double)images->image[at];
    bool out = is_out(images, view, row, col, v, s->id);
    sums->flags |= out ? PHOTOMETRY_LEFT_OUT : 0;
#ifdef KRON
    sums->sum[out ? 3 : 2] += part;
    if (!out) {
        sums->sum[0] += sqrt(rho2) * v;
        sums->sum[1] += v;
    }
#elif defined(WINDOW)
    double weight = part * fallen;
    sums->sum[0] += part;
    if (out) {
        sums->sum[1] += part;
        sums->sum[2] += weight;
        sums->sum[3] += weight * dx;
        sums->sum[4] += weight * dy;
    } else {
        sums->sum[5] += part * v;
        sums->sum[6] += weight * v;
        sums->sum[7] += weight * v * dx;
        sums->sum[8] += weight * v * dy;
    }
#else
    sums->sum[2] += part;
    if (out) {
        sums->sum[3] += part;
    } else {
        sums->sum[0] += part * v;
        sums->sum[1] += part * variance_at(images, view, at);
    }
#endif
}

INLINE void clear(struct photometry_sums *sums)
{
    for (int i = 0; i < PHOTOMETRY_SUMS; i++)
        sums->sum[i] = 0;
    sums->flags = 0;
}

INLINE void add_row(const struct images *images, const struct photometry_view *view,
                    const struct photometry_source *s, const struct centre *c,
                    global const double *offsets, const struct extent *e, ulong row,
                    struct photometry_sums *sums)
{
    clear(sums);
#if defined(WINDOW) && COARSE
    const double8 steps = (double8)(0, 1, 2, 3, 4, 5, 6, 7);
    double dy = (double)row - c->y;
    for (ulong col = e->left; col < e->right; col += 8) {
        double8 dx = ((double)col + steps) - c->x;
        union eight fallen;
        fallen.all = decay8((dx * dx + dy * dy) * c->fall);
        for (uint i = 0; i < min((ulong)8, e->right - col); i++)
            add_pixel(images, view, s, c, offsets, row, col + i, fallen.each[i], sums);
    }
#else
    for (ulong col = e->left; col < e->right; col++) {
        double fallen = 0;
#ifdef WINDOW
        double dx = (double)col - c->x, dy = (double)row - c->y;
        fallen = decay((dx * dx + dy * dy) * c->fall);
#endif
        add_pixel(images, view, s, c, offsets, row, col, fallen, sums);
    }
#endif
}

INLINE void add_sums(struct photometry_sums *sums, const struct photometry_sums *row)
{
    for (int i = 0; i < PHOTOMETRY_SUMS; i++)
        sums->sum[i] += row->sum[i];
    sums->flags |= row->flags;
}

/* sum_rows sums all rows, and every work-item gets the sums. In a group of one nothing is shared:
 * POCL's compiler fails on barriers in such a group here. */
#define SHARED (!COARSE && GROUP > 1)
#if !SHARED
typedef struct photometry_sums shared_sums;
INLINE void sum_rows(const struct images *images, const struct photometry_view *view,
                     const struct photometry_source *s, const struct centre *c,
                     global const double *offsets, shared_sums *rows, struct photometry_sums *sums)
{
    struct extent e = extent_of(s, view, c->x, c->y, c->outer);
    clear(sums);
    for (ulong row = e.top; row < e.bottom; row++) {
        add_row(images, view, s, c, offsets, &e, row, rows);
        add_sums(sums, rows);
    }
    sums->flags |= e.truncated ? PHOTOMETRY_TRUNCATED : 0;
}
#else
typedef local struct photometry_sums shared_sums;
INLINE void sum_rows(const struct images *images, const struct photometry_view *view,
                     const struct photometry_source *s, const struct centre *c,
                     global const double *offsets, shared_sums *rows, struct photometry_sums *sums)
{
    uint l = get_local_id(0);
    struct extent e = extent_of(s, view, c->x, c->y, c->outer);
    struct photometry_sums own;
    clear(sums);
    for (ulong top = e.top; top < e.bottom; top += GROUP) {
        add_row(images, view, s, c, offsets, &e, min(top + l, e.bottom - 1), &own);
        barrier(CLK_LOCAL_MEM_FENCE);
        rows[l] = own;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (ulong i = 0; i < min((ulong)GROUP, e.bottom - top); i++) {
            own = rows[i];
            add_sums(sums, &own);
        }
    }
    sums->flags |= e.truncated ? PHOTOMETRY_TRUNCATED : 0;
}
#endif

/* One aperture, with `inner` and `outer` of the source or, where `annulus` is set, of all. */
INLINE void measure(const struct images *images, const struct photometry_view *view,
                    const struct photometry_source *s, global const double *offsets, uint annulus,
                    double inner, double outer, shared_sums *rows, struct photometry_sums *sums)
{
    struct centre c = {s->x, s->y, annulus ? inner : s->inner, annulus ? outer : s->outer, 0};
#ifdef WINDOW
    double sigma = max(s->outer, 2 / 2.35 * 0.5);
    uint rounds = 0;
    bool moves = s->invalid == 0;
    ulong flags = 0;
    c.inner = 0;
    c.outer = 4 * sigma;
    c.fall = 1 / (2 * sigma * sigma);
    for (; rounds < 16 && moves; rounds++) {
        sum_rows(images, view, s, &c, offsets, rows, sums);
        double used = sums->sum[0] - sums->sum[1];
        double mean = used > 0 ? sums->sum[5] / used : 0.0;
        double w = sums->sum[6] + mean * sums->sum[2];
        double x = (sums->sum[7] + mean * sums->sum[3]) / w;
        double y = (sums->sum[8] + mean * sums->sum[4]) / w;
        flags |= sums->flags;
        moves = w > 0;
        if (moves) {
            c.x += 2 * x;
            c.y += 2 * y;
            moves = x * x + y * y >= 1e-4 * 1e-4;
        }
    }
    clear(sums);
    sums->sum[0] = c.x;
    sums->sum[1] = c.y;
    sums->sum[2] = rounds;
    sums->flags = flags;
#else
    sum_rows(images, view, s, &c, offsets, rows, sums);
#endif
}

/* Leaves the sums of every aperture. */
kernel SIZED void photometry_sums(global const T *image, global const E *error_map,
                                  global const uint *mask, global const S *segmentation,
                                  struct photometry_view view, global const double *offsets,
                                  global const struct photometry_source *sources, uint annulus,
                                  double inner, double outer,
                                  global struct photometry_sums *results)
{
    struct images images = {image, error_map, mask, segmentation};
    struct photometry_sums sums;
#if COARSE
    struct photometry_sums rows;
    ulong from = get_global_id(0) * PHOTOMETRY_SHARE;
    ulong to = min(from + PHOTOMETRY_SHARE, (ulong)view.count);
    for (ulong i = from; i < to; i++) {
        struct photometry_source s = sources[i];
        measure(&images, &view, &s, offsets, annulus, inner, outer, &rows, &sums);
        results[i] = sums;
    }
#else
#if SHARED
    local struct photometry_sums rows[GROUP];
#else
    struct photometry_sums rows[1];
#endif
    struct photometry_source s = sources[get_group_id(0)];
    measure(&images, &view, &s, offsets, annulus, inner, outer, rows, &sums);
    if (get_local_id(0) == 0)
        results[get_group_id(0)] = sums;
#endif
}
