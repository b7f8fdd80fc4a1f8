/* SPDX-License-Identifier: MIT */
/*
 * The curve of growth about a position: what 64 rings of one width hold.
 *
 * Method:    pixels count as integers in units of 2^exponent, which the largest magnitude among
 *            them gives. A pixel counts subpix^2 times, once for each of the points in it: all at
 *            once in the ring where the whole pixel lies, else each point in its own ring.
 *            Coarse, rings are filled from the middle on, until they hold the part that is asked
 *            for.
 * Launch:    coarse: one work-item per PHOTOMETRY_SHARE positions, in work-groups of one; fine: one
 *            work-group of GROUP work-items per position.
 * Exactness: integers, in any order; rings from double roots and quotients.
 * Limits:    needs double; a sum is below 2^63, since the integers have fewer bits where there are
 *            more points.
 * Others:    host src/opencl/photometry/photometry_rings.c, definition
 *            src/reference/photometry_radius.c, pair src/pairs/photometry.c, docs/photometry.md,
 *            "Radii".
 */
#include "photometry/aperture.cl"

#define STAGE 16 /* rings of the first stage */

#if COARSE
typedef struct photometry_rings shared_rings;
typedef ulong shared_bits;
INLINE void add_word(ulong *word, ulong value) { *word += value; }
#else
typedef local struct photometry_rings shared_rings;
typedef local ulong shared_bits;
INLINE void add_word(local ulong *word, ulong value)
{
    volatile local uint *words = (volatile local uint *)word;
    uint low = (uint)value, old = atomic_add(words, low);
    uint high = (uint)(value >> 32) + (old + low < old);
    if (high != 0)
        atomic_add(words + 1, high);
}
#endif

/* Bits of a pixel's integer, so that all points of the box add up to less than 2^63. */
INLINE int integer_bits(const struct extent *e, int n)
{
    ulong points = (e->bottom - e->top) * (e->right - e->left) * (ulong)(n * n);
    int size = 64 - (int)clz(points);
    return size > 22 ? max(62 - size, 1) : 40;
}

INLINE void add_point(shared_rings *rings, double distance2, double width, long k, ulong points,
                      bool out)
{
    double ring = sqrt(distance2) / width;
    if (!(ring < PHOTOMETRY_RINGS))
        return;
    add_word((shared_bits *)&rings->area[(int)ring], points);
    if (out)
        add_word((shared_bits *)&rings->masked[(int)ring], points);
    else
        add_word((shared_bits *)&rings->flux[(int)ring], (ulong)k * points);
}

/* Adds a pixel by its points, or as a whole where it lies in one ring. */
INLINE void add_pixel(shared_rings *rings, double dx, double dy, double width, long k, bool out,
                      int n, global const double *offsets)
{
    double distance = sqrt(dx * dx + dy * dy);
    double rest = distance - trunc(distance / width) * width;
    if (!(rest < 0.7072 || rest > width - 0.7072)) {
        add_point(rings, dx * dx + dy * dy, width, k, (ulong)(n * n), out);
        return;
    }
    for (int j = 0; j < n; j++) {
        double y = dy + offsets[j];
        for (int i = 0; i < n; i++) {
            double x = dx + offsets[i];
            add_point(rings, x * x + y * y, width, k, 1, out);
        }
    }
}

/* The images, and the box of a position. */
struct scene {
    struct images images;
    struct photometry_view view;
    struct extent e;
    ulong n; /* pixels of the box */
};

/* A pixel of the box within reach; its value is 0 where it is left out. */
struct seen {
    double dx, dy, value;
    bool near, out;
};

INLINE struct seen see(const struct scene *scene, const struct photometry_source *s, ulong row,
                       ulong col)
{
    struct seen p = {(double)col - s->x, (double)row - s->y, 0, false, false};
    double reach = s->outer + 1.5;
    p.near = p.dx * p.dx + p.dy * p.dy < reach * reach;
    if (!p.near)
        return p;
    double v = (double)scene->images.image[row * scene->view.cols + col];
    p.out = is_out(&scene->images, &scene->view, row, col, v, s->id);
    p.value = p.out ? 0.0 : v;
    return p;
}

/* The exponent e with magnitude < 2^e, at least -1000. */
INLINE int exponent_of(ulong bits) { return max((int)(bits >> 52) - 1022, -1000); }

INLINE long integer_of(double value, int shift)
{
    double scale = as_double((ulong)(shift / 2 + 1023) << 52);
    double rest = as_double((ulong)(shift - shift / 2 + 1023) << 52);
    return (long)rint(value * scale * rest);
}

#if COARSE
/* Adds the pixels whose squared distance is from least2 on and below most2. */
INLINE void add_pixels(const struct scene *scene, const struct photometry_source *s,
                       shared_rings *rings, int shift, double least2, double most2,
                       global const double *offsets)
{
    double width = s->outer / PHOTOMETRY_RINGS;
    for (ulong row = scene->e.top; row < scene->e.bottom; row++) {
        double dy = (double)row - s->y, dy2 = dy * dy;
        if (!(dy2 < most2))
            continue;
        for (ulong col = scene->e.left; col < scene->e.right; col++) {
            double dx = (double)col - s->x, distance2 = dx * dx + dy2;
            if (!(distance2 >= least2 && distance2 < most2))
                continue;
            struct seen p = see(scene, s, row, col);
            if (p.near)
                add_pixel(rings, p.dx, p.dy, width, integer_of(p.value, shift), p.out,
                          scene->view.subpix, offsets);
        }
    }
}

/* Whether the first `count` rings hold more than the target, with room for the host's rounding. */
INLINE bool is_reached(const struct photometry_rings *rings, int count, int n, double target)
{
    double unit = as_double((ulong)(rings->exponent / 2 + 1023) << 52);
    double rest = as_double((ulong)(rings->exponent - rings->exponent / 2 + 1023) << 52);
    double sum = 0, all = 0;
    for (int i = 0; i < count; i++) {
        double flux = (double)rings->flux[i] * unit * rest / (double)(n * n);
        ulong area = rings->area[i], masked = rings->masked[i];
        if (masked && masked < area)
            flux *= (double)area / (double)(area - masked);
        sum += flux;
        all += fabs(flux);
    }
    return target > 0 && sum - target > 1e-9 * (all + target);
}

/* Adds the rings from the middle on, in stages that end when the target is reached: a pixel has no
 * points nearer than 0.7072 pixels before it. */
INLINE void add_stages(const struct scene *scene, const struct photometry_source *s,
                       shared_rings *rings, int shift, double target, global const double *offsets)
{
    double width = s->outer / PHOTOMETRY_RINGS, least2 = 0;
    for (int stage = STAGE; stage < PHOTOMETRY_RINGS; stage *= 2) {
        double edge = stage * width + 0.7072;
        add_pixels(scene, s, rings, shift, least2, edge * edge, offsets);
        least2 = edge * edge;
        if (is_reached(rings, stage, scene->view.subpix, target))
            return;
    }
    add_pixels(scene, s, rings, shift, least2, INFINITY, offsets);
}

/* The bits of the largest magnitude, and PHOTOMETRY_LEFT_OUT where a pixel is. */
INLINE ulong largest(const struct scene *scene, const struct photometry_source *s, uint *flags)
{
    ulong most = 0;
    for (ulong row = scene->e.top; row < scene->e.bottom && scene->n; row++)
        for (ulong col = scene->e.left; col < scene->e.right; col++) {
            struct seen p = see(scene, s, row, col);
            most = max(most, as_ulong(fabs(p.value)));
            *flags |= p.out ? PHOTOMETRY_LEFT_OUT : 0;
        }
    return most;
}
#else
/* Adds the pixels first, first + step, ... of the box. */
INLINE void add_pixels(const struct scene *scene, const struct photometry_source *s,
                       shared_rings *rings, int shift, uint first, uint step,
                       global const double *offsets)
{
    double width = s->outer / PHOTOMETRY_RINGS;
    ulong cols = scene->e.right - scene->e.left;
    for (ulong i = first; i < scene->n; i += step) {
        struct seen p = see(scene, s, scene->e.top + i / cols, scene->e.left + i % cols);
        if (p.near)
            add_pixel(rings, p.dx, p.dy, width, integer_of(p.value, shift), p.out,
                      scene->view.subpix, offsets);
    }
}

/* The bits of the largest magnitude; `flags` gets PHOTOMETRY_LEFT_OUT where a pixel is left out. */
INLINE ulong largest(const struct scene *scene, const struct photometry_source *s, uint first,
                     uint step, uint *flags)
{
    ulong most = 0, cols = scene->e.right - scene->e.left;
    for (ulong i = first; i < scene->n; i += step) {
        struct seen p = see(scene, s, scene->e.top + i / cols, scene->e.left + i % cols);
        most = max(most, as_ulong(fabs(p.value)));
        *flags |= p.out ? PHOTOMETRY_LEFT_OUT : 0;
    }
    return most;
}
#endif

INLINE struct scene scene_of(struct images images, struct photometry_view view,
                             const struct photometry_source *s)
{
    struct scene scene = {images, view, extent_of(s, &view, s->x, s->y, s->outer), 0};
    bool empty = scene.e.top >= scene.e.bottom || scene.e.left >= scene.e.right;
    if (!empty && s->outer > 0 && s->invalid == 0)
        scene.n = (scene.e.bottom - scene.e.top) * (scene.e.right - scene.e.left);
    return scene;
}

/* Leaves the rings of every position; COARSE: only as many as hold the target, where that is
 * positive. */
kernel SIZED void photometry_rings(global const T *image, global const E *error_map,
                                   global const uint *mask, global const S *segmentation,
                                   struct photometry_view view, global const double *offsets,
                                   global const struct photometry_source *sources,
                                   global const double *targets,
                                   global struct photometry_rings *results)
{
    struct images images = {image, error_map, mask, segmentation};
#if COARSE
    ulong from = get_global_id(0) * PHOTOMETRY_SHARE;
    ulong to = min(from + PHOTOMETRY_SHARE, (ulong)view.count);
    for (ulong i = from; i < to; i++) {
        struct photometry_source s = sources[i];
        struct scene scene = scene_of(images, view, &s);
        struct photometry_rings rings = {
            {0}, {0}, {0}, 0, scene.e.truncated ? PHOTOMETRY_TRUNCATED : 0};
        int bits = integer_bits(&scene.e, view.subpix);
        int shift = bits - exponent_of(largest(&scene, &s, &rings.flags));
        rings.exponent = -shift;
        if (scene.n)
            add_stages(&scene, &s, &rings, shift, targets[i], offsets);
        results[i] = rings;
    }
#else
    (void)targets;
    local struct photometry_rings rings;
    local ulong most[GROUP];
    local uint flags[GROUP];
    uint l = get_local_id(0);
    struct photometry_source s = sources[get_group_id(0)];
    struct scene scene = scene_of(images, view, &s);
    uint own = scene.e.truncated ? PHOTOMETRY_TRUNCATED : 0;
    most[l] = largest(&scene, &s, l, GROUP, &own);
    flags[l] = own;
    for (uint i = l; i < PHOTOMETRY_RINGS; i += GROUP)
        rings.flux[i] = (long)(rings.area[i] = rings.masked[i] = 0);
    for (uint step = GROUP / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < step) {
            most[l] = max(most[l], most[l + step]);
            flags[l] |= flags[l + step];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int shift = integer_bits(&scene.e, view.subpix) - exponent_of(most[0]);
    add_pixels(&scene, &s, &rings, shift, l, GROUP, offsets);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        rings.exponent = -shift;
        rings.flags = flags[0];
        results[get_group_id(0)] = rings;
    }
#endif
}
