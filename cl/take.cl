/* SPDX-License-Identifier: MIT */
/*
 * How the pixels of a region become the sums of a part (sums.cl); for the kernel files that include
 * this one after pixel.cl and sums.cl.
 *
 * Method:    take adds pixel by pixel. FAT take_many adds LANES at once, of types that 32 bits
 *            hold, v in two pieces of 20 bits, which leaves the sums of 64 pixels, by their places
 *            too, in 32 bits.
 * Exactness: integers; both give the same sums.
 */
#ifndef LANES /* pixels that are summed at once */
#define LANES 4
#endif
#define BLOCK (8 * LANES)

typedef struct {
    global const T *image;
    ulong count; /* of pixels */
    factor scale, more; /* v is x times both */
} source;

/* Adds the pixels at places from..to - 1 of a part, whose place 0 is at `pixels`. */
void take(part *p, const source *of, global const T *pixels, uint from, uint to)
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
        long value = fixed(x, of->scale, of->more), moment = value * i;
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

#if FAT && !defined(F64) && !defined(I64)
#define VECTORS 1
typedef JOIN(int, LANES) ints;
typedef JOIN(long, LANES) longs;
#define LOAD(p) JOIN(vload, LANES)(0, p)
#define TO_INTS JOIN(convert_int, LANES)
#define TO_LONGS JOIN(convert_long, LANES)
#if LANES == 8
#define LANE ((ints)(0, 1, 2, 3, 4, 5, 6, 7))
#define FOLD(v, by) by((v).lo, (v).hi)
#else
#define LANE ((ints)(0, 1, 2, 3))
#define FOLD(v, by) (v)
#endif
#define PLUS(a, b) ((a) + (b))
#define GREATER(a, b) ((a) > (b) ? (a) : (b))
#define LESSER(a, b) ((a) < (b) ? (a) : (b))

/* What pixels are compared as, x; TURNED has the other order. */
#ifdef F32
typedef JOIN(float, LANES) xs;
typedef float4 xs4;
typedef float X;
#define TO_XS(v) ((v) + 0.0f)
#define TO_X(v) ((v) + 0.0f)
#define ORDER_OF_X(x) ORDER(x)
#define GREATEST INFINITY
#define TURNED(x) (0.0f - (x))
#else
typedef ints xs;
typedef int4 xs4;
typedef int X;
#define TO_XS(v) (TO_INTS(v) ^ ORDER((T)0)) /* of a uint the same bits */
#define TO_X(v) ((int)(v) ^ ORDER((T)0))
#define ORDER_OF_X(x) (x)
#define GREATEST INT_MAX
#define TURNED(x) (~(x))
#endif

/* Of the pixels in each lane; sums of sums are explained at take_many. */
typedef struct {
    xs least, most;
    ints a, a_low, b, b_low;
#ifdef F32
    xs all; /* not finite if one is not */
#endif
#if MOMENTS
    ints c, c_low;
    longs high, mid, low;
#endif
} lanes;

/* Adds LANES pixels, of which x takes part in the extremes and y in the sums. */
static inline __attribute__((always_inline)) void add_lanes(lanes *s, const source *of, xs x, xs y)
{
    s->least = LESSER(x, s->least);
    s->most = GREATER(x, s->most);
#ifdef F32
    xs t = y * of->scale * of->more;
    ints high = TO_INTS(t * (1.0f / (1 << PIECE)));
    s->all += t;
    t -= JOIN(convert_float, LANES)(high) * (float)(1 << PIECE);
    ints low = JOIN(as_int, LANES)(t + 0x1.8p23f) - as_int(0x1.8p23f); /* rounded to even */
#else
    ints v = y ^ ORDER((T)0), low = v & ((1 << PIECE) - 1);
    ints high = (T)-1 > 0 ? JOIN(as_int, LANES)(JOIN(as_uint, LANES)(v) >> PIECE) : v >> PIECE;
#endif
    s->a += high, s->a_low += low;
    s->b += s->a, s->b_low += s->a_low;
#if MOMENTS
    longs wide_high = TO_LONGS(high), wide_low = TO_LONGS(low);
    s->c += s->b, s->c_low += s->b_low;
    s->high += wide_high * wide_high;
    s->mid += wide_high * wide_low;
    s->low += wide_low * wide_low;
#endif
}

/* Both vectors' lanes joined to two, of a first and of b after that. */
static inline int4 halves(ints a, ints b)
{
    int4 x = FOLD(a, PLUS), y = FOLD(b, PLUS);
    return (int4)(x.lo, y.lo) + (int4)(x.hi, y.hi);
}

/* The sums of two vectors in pieces, put together. */
static inline long2 sums_of(ints a, ints a_low, ints b, ints b_low)
{
    int4 high = halves(a, b), low = halves(a_low, b_low);
    int4 sums = (int4)(high.even, low.even) + (int4)(high.odd, low.odd);
    return (convert_long2(sums.lo) << PIECE) + convert_long2(sums.hi);
}

#if MOMENTS
static inline long sum_all(longs v)
{
    long4 four = FOLD(v, PLUS);
    long2 two = four.lo + four.hi;
    return two.x + two.y;
}
#endif

/* Takes in the extremes of pixels from `from` on. */
static inline void take_extremes(part *p, const lanes *s, global const T *pixels, uint from)
{
    xs turned = TURNED(s->least);
    xs4 x = FOLD(s->most, GREATER), y = FOLD(turned, GREATER);
    xs4 both = GREATER((xs4)(x.lo, y.lo), (xs4)(x.hi, y.hi));
    X most = GREATER(both.s0, both.s1), least = TURNED(GREATER(both.s2, both.s3));
    p->least = min(p->least, ORDER_OF_X(least));
    if (ORDER_OF_X(most) <= p->most)
        return;
    p->most = ORDER_OF_X(most);
    while (TO_X(pixels[from]) != most)
        from++;
    p->at = from;
}

/*
 * The same LANES at a time; false, and nothing added, if one is not finite. Sums of sums give the
 * moments: with h added to a, a to b and b to c in each of n rounds g = 0, 1, ... the last b is the
 * sum of (n - g) h, and c that of (n - g) (n - g + 1) / 2 h.
 */
static inline bool take_many(part *p, const source *of, global const T *pixels, uint from, uint to)
{
    lanes s = {.least = GREATEST, .most = TURNED(GREATEST)};
    uint i = from;
    for (; i + LANES <= to; i += LANES) {
        xs x = TO_XS(LOAD(pixels + i));
        add_lanes(&s, of, x, x);
    }
    if (i < to) {
        ints in = LANE < (int)(to - i);
        xs x = TO_XS(LOAD(pixels + i)), first = TO_X(pixels[from]), zero = TO_X((T)0);
        add_lanes(&s, of, in ? x : first, in ? x : zero);
    }
#ifdef F32
    float4 four = FOLD(s.all, PLUS);
    float2 two = four.lo + four.hi;
    if (!IS_FINITE(two.x + two.y))
        return false;
#endif
    take_extremes(p, &s, pixels, from);
    /* of the rounds g, sums of g h; then of h and i h, i = LANES g + lane */
    int n = (int)(to - from + LANES - 1) / LANES;
    ints g = n * s.a - s.b, g_low = n * s.a_low - s.b_low;
    long2 sums = sums_of(s.a, s.a_low, LANES * g + s.a * LANE, LANES * g_low + s.a_low * LANE);
    p->v += sums.x;
    p->v1 += sums.y + from * sums.x;
#if MOMENTS
    ints gg = 2 * s.c - s.b - 2 * n * s.b + n * n * s.a;
    ints gg_low = 2 * s.c_low - s.b_low - 2 * n * s.b_low + n * n * s.a_low;
    long2 rounds = sums_of(gg, gg_low, g * LANE, g_low * LANE);
    long squares = sums_of(s.a * LANE * LANE, s.a_low * LANE * LANE, 0, 0).x;
    long v2 = LANES * (LANES * rounds.x + 2 * rounds.y) + squares;
    p->v2 += v2 + from * (2 * sums.y + from * sums.x);
    p->high += sum_all(s.high);
    p->mid += sum_all(s.mid);
    p->low += sum_all(s.low);
#endif
    return true;
}
#else
#define VECTORS 0
#endif
