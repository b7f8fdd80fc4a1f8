/* SPDX-License-Identifier: MIT */
/*
 * How the pixels of a region become the sums of a part (sums.cl); for the kernel files that include
 * this one after pixel.cl and sums.cl.
 *
 * Method:    take adds pixel by pixel. FAT take_many adds LANES at once, of types that 32 bits
 *            hold, v in two pieces of 24 and 17 bits.
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
        long below = value & 0xffff, above = value >> 16;
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
#define TRIANGLE ((ints)(0, 0, 1, 3, 6, 10, 15, 21)) /* lane (lane - 1) / 2 */
#define FOLD(v, by) by((v).lo, (v).hi)
#else
#define LANE ((ints)(0, 1, 2, 3))
#define TRIANGLE ((ints)(0, 0, 1, 3))
#define FOLD(v, by) (v)
#endif
#define PLUS(a, b) ((a) + (b))

/* Of LANES pixels: their order, and v = high 2^16 + low; `odd` is set where x is not finite. */
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
    r.high = TO_INTS(t * 0x1p-16f);
    t -= JOIN(convert_float, LANES)(r.high) * 0x1p16f;
    r.low = TO_INTS(t + 0x1.8p23f - 0x1.8p23f);
#else
    ints x = TO_INTS(LOAD(pixels)); /* of a uint the same bits */
    r.place = x ^ ORDER((T)0);
    r.odd = 0;
    r.high = x >> 16 & ((T)-1 > 0 ? 0xffff : -1);
    r.low = x & 0xffff;
#endif
    return r;
}

/* The sum of the lanes. */
long sum_all(longs v)
{
    long4 four = FOLD(v, PLUS);
    long2 two = four.lo + four.hi;
    return two.x + two.y;
}

/* The same of high 2^16 + low. */
long sum_of(ints high, ints low) { return sum_all((TO_LONGS(high) << 16) + TO_LONGS(low)); }

int most_of(ints v)
{
    int4 four = FOLD(v, max);
    int2 two = max(four.lo, four.hi);
    return max(two.x, two.y);
}

/*
 * The same LANES at a time; false, and nothing added, if one is not finite. Sums of sums give the
 * moments: with h added to a, a to b and b to c in each of n rounds g = 0, 1, ... the last b is the
 * sum of (n - g) h, and c that of (n - g) (n - g + 1) / 2 h. |h| <= 2^23, so 32 bits are enough.
 */
bool take_many(part *p, const source *of, global const T *pixels, uint from, uint to)
{
    ints most = INT_MIN, least = INT_MIN, odd = 0;
    ints a = 0, b = 0, a_low = 0, b_low = 0;
#if MOMENTS
    ints c = 0, c_low = 0;
    longs high = 0, mid = 0, low = 0;
#endif
    long n = (to - from + LANES - 1) / LANES;
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
    if (most_of(odd & 1))
        return false;
    int top = most_of(most);
    if (top > p->most) {
        p->most = top;
        for (p->at = from; ORDER(NO_ZERO_SIGN(pixels[p->at])) != top;)
            p->at++;
    }
    p->least = min(p->least, ~most_of(least));
    long sum = sum_of(a, a_low), sums = sum_of(b, b_low), lane = sum_of(a * LANE, a_low * LANE);
    long v1 = LANES * (n * sum - sums) + lane; /* from `from` on */
    p->v += sum;
    p->v1 += v1 + from * sum;
#if MOMENTS
    long lane2 = lane + 2 * sum_of(a * TRIANGLE, a_low * TRIANGLE);
    long cross = n * lane - sum_of(b * LANE, b_low * LANE);
    long v2 = n * n * sum - (2 * n + 1) * sums + 2 * sum_of(c, c_low);
    v2 = LANES * (LANES * v2 + 2 * cross) + lane2;
    p->v2 += v2 + from * (2 * v1 + from * sum);
    p->high += sum_all(high);
    p->mid += sum_all(mid);
    p->low += sum_all(low);
#endif
    return true;
}
#else
#define VECTORS 0
#endif
