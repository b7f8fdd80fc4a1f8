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

/* Of LANES pixels: their order, and v = high 2^PIECE + low; `odd` is set where x is not finite. */
typedef struct {
    ints place, high, low, odd;
} values;

values look_at(const source *of, global const T *pixels)
{
    values r;
#ifdef F32
    typedef JOIN(float, LANES) floats;
    floats x = LOAD(pixels) + 0.0f, t = x * of->scale * of->more;
    ints bits = JOIN(as_int, LANES)(x);
    r.place = bits ^ (bits >> 31 & INT_MAX);
    r.odd = ~(fabs(x) < (floats)INFINITY);
    r.high = TO_INTS(t * (1.0f / (1 << PIECE)));
    t -= JOIN(convert_float, LANES)(r.high) * (float)(1 << PIECE);
    r.low = TO_INTS(t + 0x1.8p23f - 0x1.8p23f);
#else
    ints x = TO_INTS(LOAD(pixels)); /* of a uint the same bits */
    r.place = x ^ ORDER((T)0);
    r.odd = 0;
    r.high = (T)-1 > 0 ? JOIN(as_int, LANES)(JOIN(as_uint, LANES)(x) >> PIECE) : x >> PIECE;
    r.low = x & ((1 << PIECE) - 1);
#endif
    return r;
}

/* Both vectors' lanes joined to two, of a first and of b after that. */
int4 halves(ints a, ints b)
{
    int4 x = FOLD(a, PLUS), y = FOLD(b, PLUS);
    return (int4)(x.lo, y.lo) + (int4)(x.hi, y.hi);
}

/* The sums of two vectors in pieces, put together. */
long2 sums_of(ints a, ints a_low, ints b, ints b_low)
{
    int4 high = halves(a, b), low = halves(a_low, b_low);
    int4 sums = (int4)(high.even, low.even) + (int4)(high.odd, low.odd);
    return (convert_long2(sums.lo) << PIECE) + convert_long2(sums.hi);
}

#if MOMENTS
long sum_all(longs v)
{
    long4 four = FOLD(v, PLUS);
    long2 two = four.lo + four.hi;
    return two.x + two.y;
}
#endif

/* The greatest of each. */
int2 most_of(ints a, ints b)
{
    int4 x = FOLD(a, max), y = FOLD(b, max);
    int4 both = max((int4)(x.lo, y.lo), (int4)(x.hi, y.hi));
    return max(both.even, both.odd);
}

/*
 * The same LANES at a time; false, and nothing added, if one is not finite. Sums of sums give the
 * moments: with h added to a, a to b and b to c in each of n rounds g = 0, 1, ... the last b is the
 * sum of (n - g) h, and c that of (n - g) (n - g + 1) / 2 h.
 */
bool take_many(part *p, const source *of, global const T *pixels, uint from, uint to)
{
    ints most = INT_MIN, least = INT_MIN, odd = 0;
    ints a = 0, b = 0, a_low = 0, b_low = 0;
#if MOMENTS
    ints c = 0, c_low = 0;
    longs high = 0, mid = 0, low = 0;
#endif
    int n = (int)(to - from + LANES - 1) / LANES;
    for (uint i = from; i < to; i += LANES) {
        ints in = LANE < (int)(to - i);
        values x = look_at(of, pixels + i);
        odd |= x.odd & in;
        most = max(most, in ? x.place : INT_MIN);
        least = max(least, in ? ~x.place : INT_MIN);
        x.high &= in;
        x.low &= in;
        a += x.high, a_low += x.low;
        b += a, b_low += a_low;
#if MOMENTS
        longs wide_high = TO_LONGS(x.high), wide_low = TO_LONGS(x.low);
        c += b, c_low += b_low;
        high += wide_high * wide_high;
        mid += wide_high * wide_low;
        low += wide_low * wide_low;
#endif
    }
    if (any(odd))
        return false;
    int2 ends = most_of(most, least);
    if (ends.x > p->most) {
        p->most = ends.x;
        for (p->at = from; ORDER(NO_ZERO_SIGN(pixels[p->at])) != ends.x;)
            p->at++;
    }
    p->least = min(p->least, ~ends.y);
    /* of the rounds g, sums of g h; then of h and i h, i = LANES g + lane */
    ints g = n * a - b, g_low = n * a_low - b_low;
    long2 sums = sums_of(a, a_low, LANES * g + a * LANE, LANES * g_low + a_low * LANE);
    p->v += sums.x;
    p->v1 += sums.y + from * sums.x;
#if MOMENTS
    ints gg = 2 * c - b - 2 * n * b + n * n * a;
    ints gg_low = 2 * c_low - b_low - 2 * n * b_low + n * n * a_low;
    long2 rounds = sums_of(gg, gg_low, g * LANE, g_low * LANE);
    long lanes = sums_of(a * LANE * LANE, a_low * LANE * LANE, 0, 0).x;
    long v2 = LANES * (LANES * rounds.x + 2 * rounds.y) + lanes;
    p->v2 += v2 + from * (2 * sums.y + from * sums.x);
    p->high += sum_all(high);
    p->mid += sum_all(mid);
    p->low += sum_all(low);
#endif
    return true;
}
#else
#define VECTORS 0
#endif
