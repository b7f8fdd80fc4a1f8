/* SPDX-License-Identifier: MIT */
/*
 * How the pixels of a region become the sums of a part (measure_row.cl); for the kernel files that
 * include this one after pixel_type.cl and measure_row.cl.
 *
 * Method:    take adds pixel by pixel. take_many, in the coarse layout, adds LANES pixels at once
 *            in doubles, in which every sum is exact. It is there for types that 32 bits hold, if
 *            the device has doubles; not for floats if the device takes denormals for 0 (FLUSHES).
 * Launch:    as the file that includes this one.
 * Exactness: integers; both ways give the same sums. Of at most 64 pixels with |v| <= 2^39 a double
 *            holds the sum of v, at most 2^45; of v i, at most 2016 2^39 < 2^50, in eighths, too;
 *            and the terms of the sum of v i^2 (take_moments), at most 5264 2^39 < 2^52. The bounds
 *            are derived in docs/measurement.md, "Sums of a part in doubles".
 * Limits:    parts of at most 64 columns.
 * Others:    host src/opencl/regions/measure.c, definition src/reference/measure.c.
 */
#ifndef LANES /* pixels that are summed at once: 4 or 8 */
#define LANES 4
#endif
#define BLOCK (8 * LANES) /* columns of a part */

typedef struct {
    global const T *image;
    ulong count; /* of pixels */
    int k;       /* v is x 2^k. A wrong guess may overflow v: the extreme values let the host detect
                    that and sum again */
} source;

/* Adds the pixels at places from..to - 1 of a part, whose place 0 is at `pixels`. */
CALLED void take(part *p, int k, global const T *pixels, uint from, uint to)
{
    for (uint i = from; i < to; i++) {
        T x = NO_ZERO_SIGN(pixels[i]);
        if (IS_BLANK(x)) {
            p->blank++;
            continue;
        }
        order place = ORDER(x);
        p->at = place > p->most ? i : p->at;
        p->most = max(p->most, place);
        p->least = min(p->least, place);
        if (!IS_FINITE(x)) {
            p->infinite++;
            continue;
        }
        long value = fixed(x, k), moment = value * i;
        p->v += value;
        p->v1 += moment;
#if MOMENTS
        long below = value & ((1 << PIECE) - 1), above = value >> PIECE;
        p->v2 += moment * i;
        p->low += below * below;
        p->mid += below * above;
        p->high += above * above;
#endif
    }
}

#if COARSE && defined(cl_khr_fp64) && !defined(F64) && !defined(I64) && !defined(FLUSHES)
#define VECTORS 1
typedef JOIN(int, LANES) ints;
typedef JOIN(double, LANES) doubles;
typedef JOIN(T, LANES) pixel_lanes;
#define LOAD(p)    JOIN(vload, LANES)(0, p)
#define TO_INTS    JOIN(convert_int, LANES)
#define TO_DOUBLES JOIN(convert_double, LANES)
#if LANES == 8
#define LANE        0, 1, 2, 3, 4, 5, 6, 7
#define FOLD(v, by) by((v).lo, (v).hi)
#else
#define LANE        0, 1, 2, 3
#define FOLD(v, by) (v)
#endif
#define PLUS(a, b)    ((a) + (b))
#define GREATER(a, b) ((a) > (b) ? (a) : (b))
#define LESSER(a, b)  ((a) < (b) ? (a) : (b))

/* xs: the type that pixels are compared in. TURNED reverses their order; HALF_TURNED does so in the
 * last two lanes of four. */
#ifdef F32
typedef JOIN(float, LANES) xs;
typedef float4 xs4;
#define TO_XS(v)       ((v) + 0.0f)
#define TO_X(v)        ((v) + 0.0f)
#define ORDER_OF_XS(x) (as_int4(x) ^ (as_int4(x) >> 31 & INT_MAX))
#define TURNED(x)      (0.0f - (x))
#define HALF_TURNED(x) ((x) * (float4)(1, 1, -1, -1) + 0.0f)
#else
typedef ints xs;
typedef int4 xs4;
#define FLIP           (sizeof(T) < 4 ? 0 : ORDER((T)0)) /* of a uint the sign bit */
#define TO_XS(v)       (TO_INTS(v) ^ FLIP)               /* a uint keeps its bits */
#define TO_X(v)        ((int)(v) ^ FLIP)
#define ORDER_OF_XS(x) ((x) ^ (FLIP ^ ORDER((T)0)))
#define TURNED(x)      (~(x))
#define HALF_TURNED(x) ((x) ^ (int4)(0, 0, -1, -1))
#endif

/* Of the pixels in each lane. Sums a, b and c are explained at take_many. */
typedef struct {
    xs least, most;
    doubles a, b;
#if MOMENTS
    doubles c, high, mid, low;
#endif
} lanes;
/* Sums begin as -0: x + -0 is x for every x, so compilers leave the first addition out. */
#if MOMENTS
#define NOTHING .a = -0.0, .b = -0.0, .c = -0.0, .high = -0.0, .mid = -0.0, .low = -0.0
#else
#define NOTHING .a = -0.0, .b = -0.0
#endif

/* a b + c where a b is exact: fused or not, the result is the same. */
INLINE doubles product_sum(doubles a, doubles b, doubles c)
{
#pragma OPENCL FP_CONTRACT ON
    return a * b + c;
}

/* x by, of a magnitude below 2^51, rounded to the nearest even integer. */
INLINE doubles rounded(doubles x, double by) { return product_sum(x, by, 0x1.8p52) - 0x1.8p52; }

/* Adds LANES pixels: v to the sums of sums, and the squares of its pieces, which have 19 bits and a
 * sign; or the square of v itself if T has at most 16 bits. */
INLINE void add_lanes(lanes *s, xs x, double scale)
{
#ifdef F32
    doubles v = rounded(TO_DOUBLES(x), scale);
#else
    doubles v = TO_DOUBLES(x) - (double)FLIP;
#endif
#if MOMENTS
    doubles high = 0, low = v;
    if (sizeof(T) >= 4) {
        high = rounded(v, 1.0 / (1 << PIECE));
        low = product_sum(high, -(double)(1 << PIECE), v);
        s->high = product_sum(high, high, s->high);
        s->mid = product_sum(high, low, s->mid);
    }
    s->low = product_sum(low, low, s->low);
    s->c += s->b;
#endif
    s->b += s->a;
    s->a += v;
}

/* The sum over the lanes of a, and the one of b. */
INLINE double2 sums_of(doubles a, doubles b)
{
    double4 x = FOLD(a, PLUS), y = FOLD(b, PLUS);
    double2 x2 = x.lo + x.hi, y2 = y.lo + y.hi;
    return (double2)(x2.x, y2.x) + (double2)(x2.y, y2.y);
}

/* Takes in the extremes of the pixels from `from` on; looks for the place only of a new maximum. */
INLINE void take_extremes(part *p, const lanes *s, global const T *pixels, uint from)
{
    xs turned = TURNED(s->least);
    xs4 x = FOLD(s->most, GREATER), y = FOLD(turned, GREATER);
    xs4 both = GREATER((xs4)(x.lo, y.lo), (xs4)(x.hi, y.hi));
    both = GREATER(both, both.yxwz);
    int4 orders = ORDER_OF_XS(HALF_TURNED(both));
    p->least = min(p->least, orders.z);
    if (orders.x <= p->most)
        return;
    p->most = orders.x;
    while (TO_X(pixels[from]) != both.x)
        from++;
    p->at = from;
}

#if MOMENTS
/*
 * Takes in squares and second moments; `sums` has the sums of v and of v i. With i = LANES g + lane
 * the sum of v i^2 is 2 LANES times the sum of v (LANES / 2 g^2 + lane g), plus that of v lane^2.
 */
INLINE void take_moments(part *p, const lanes *s, long2 sums, uint from)
{
    doubles gg = 2 * s->c + s->b, lane = (doubles)(LANE);
    long2 seconds = convert_long2(sums_of(LANES / 2 * gg + lane * s->b, lane * lane * s->a));
    long2 ends = convert_long2(sums_of(s->high, s->low));
    p->v2 += 2 * LANES * seconds.x + seconds.y + from * (2 * sums.y + from * sums.x);
    p->high += ends.x;
    p->mid += (long)sums_of(s->mid, s->mid).x;
    p->low += ends.y;
}
#endif

/*
 * Does what take does, LANES pixels at a time; returns false, and adds nothing, if a pixel is not
 * finite. The last pixels come first, since these may be fewer than LANES. Sums of sums give the
 * moments without a product: each round, from the last g down to g = 0, adds b to c, a to b and v
 * to a. In the end b is the sum of g v, and c that of g (g - 1) / 2 v.
 */
INLINE bool take_many(part *p, int k, global const T *pixels, uint from, uint to)
{
    global const T *begin = pixels + from;
    size_t i = (to - from - 1) / LANES * LANES;
    ints in = (ints)(LANE) < (int)(to - from - (uint)i);
    xs x = TO_XS(LOAD(begin + i)), first = TO_XS((pixel_lanes)(*begin)), zero = TO_X((T)0);
    lanes s = {.least = in ? x : first, .most = in ? x : first, NOTHING};
    double scale = as_double((ulong)(k + 1023) << 52);
    add_lanes(&s, in ? x : zero, scale);
    while (i) {
        i -= LANES;
        x = TO_XS(LOAD(begin + i));
        s.least = LESSER(x, s.least);
        s.most = GREATER(x, s.most);
        add_lanes(&s, x, scale);
    }
    double2 both = sums_of(s.a, product_sum(s.a, (doubles)(LANE) / LANES, s.b));
    if (!(both.x - both.x >= 0)) /* true for NaN and infinities */
        return false;
    take_extremes(p, &s, pixels, from);
    long2 sums = convert_long2(both * (double2)(1, LANES));
    p->v += sums.x;
    p->v1 += sums.y + from * sums.x;
#if MOMENTS
    take_moments(p, &s, sums, from);
#endif
    return true;
}
#else
#define VECTORS 0
#endif
