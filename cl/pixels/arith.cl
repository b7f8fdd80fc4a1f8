/* SPDX-License-Identifier: MIT */
/*
 * Arithmetic of two images, or of an image and a number.
 *
 * Method:    R is the type of pixels and result, U the unsigned type in which integers wrap around.
 *            FLOAT: that type is float or double; F32: it is float; R_WORDS: it is a mask's word.
 *            An operand is an image, or the number beside it where `numbers` has bit 0 (for a) or
 *            bit 1 (for b) set. The operation is given at run time: there is one program per type,
 *            and all work-items take the same branch. Masks are taken by words; a number stands for
 *            no bits or for all.
 * Launch:    one work-item per pixel; for masks one per word, rows being the second dimension.
 * Exactness: integers wrap around; floats are rounded once. OpenCL lets a quotient of floats be off
 *            by 2.5 ulp: it is rounded from float64 (whose 53 bits are enough for that), or made of
 *            integers where the layout is fine or there is no float64.
 * Limits:    none but memory: pixels are numbered in 64 bits.
 * Others:    host src/opencl/pixels/arith.c, definition src/reference/arith.c, pair
 *            src/pairs/arith.c.
 */
#ifndef R
#define R float
#define U float
#define F32
#define FLOAT
#endif

enum { ADD, SUBTRACT, MULTIPLY, DIVIDE, AND, OR, XOR, NOT }; /* enum clump_arith_op */

#if defined(F32) && COARSE && defined(cl_khr_fp64)
#define QUOTIENT(x, y) convert_float_rte((double)(x) / (double)(y))
#elif defined(F32)
#define INF            0x7f800000u

/* The significand (24 bits, the first of them set) and the biased exponent of a magnitude that is
 * neither 0 nor infinite. */
static inline uint significand(uint bits, int *exponent)
{
    uint m = bits & 0x7fffff;
    int shift = (int)clz(m) - 8;
    *exponent = bits >> 23 ? (int)(bits >> 23) : 1 - shift;
    return bits >> 23 ? m | 0x800000 : m << shift;
}

/* a / b rounded to the nearest float, by integers: the quotient q of the significands has 26 or 27
 * bits, of which 24 are kept; the others, and whether anything is left beyond them, decide how m,
 * the kept bits, is rounded. A carry out of m runs into the exponent, which is where it belongs. */
static inline float quotient(float a, float b)
{
    uint x = as_uint(a) & 0x7fffffff, y = as_uint(b) & 0x7fffffff;
    uint sign = (as_uint(a) ^ as_uint(b)) & 0x80000000u;
    if (x > INF || y > INF || (x == y && (x == 0 || x == INF)))
        return as_float(0x7fc00000u);
    if (x == 0 || y == INF)
        return as_float(sign);
    if (x == INF || y == 0)
        return as_float(sign | INF);
    int ex, ey;
    ulong p = (ulong)significand(x, &ex) << 26;
    uint d = significand(y, &ey), q = (uint)(p / d); /* more than 2^25, less than 2^27 */
    bool rest = (ulong)q * d != p;
    int drop = q >> 26 ? 3 : 2, e = ex - ey + 124 + drop; /* bits beyond 24; biased exponent */
    if (e < 1) {                                          /* denormal: fewer bits */
        drop = min(drop + 1 - e, 29);
        e = 1;
    }
    uint m = q >> drop, low = q & ((1u << drop) - 1), middle = 1u << (drop - 1);
    m += low > middle || (low == middle && (rest || (m & 1)));
    return as_float(sign | (e > 254 ? INF : ((uint)(e - 1) << 23) + m));
}
#define QUOTIENT(x, y) quotient(x, y)
#elif defined(FLOAT)
#define QUOTIENT(x, y) ((x) / (y))
#else
#define QUOTIENT(x, y) 0 /* not used: the quotient of integers is a float image */
#endif

/* One pixel of the result per work-item; an operand that is a number is x or y. */
kernel GROUPED void arith_numbers(global const R *a, global const R *b, R x, R y, uint numbers,
                                  uint op, ulong n, global R *result)
{
    ulong i = get_global_id(0);
    if (i >= n)
        return;
    R left = numbers & 1 ? x : a[i], right = numbers & 2 ? y : b[i];
    result[i] = op == ADD        ? (R)((U)left + (U)right)
                : op == SUBTRACT ? (R)((U)left - (U)right)
                : op == MULTIPLY ? (R)((U)left * (U)right)
                                 : QUOTIENT(left, right);
}

#if defined(R_WORDS)
/* One word of the mask per work-item; an operand that is a number is x or y. */
kernel GROUPED void arith_bits(global const uint *a, global const uint *b, uint x, uint y,
                               uint numbers, uint op, ulong cols, ulong count, global uint *result)
{
    ulong words = (cols + 31) / 32, i = get_global_id(0);
    if (i >= count)
        return;
    uint left = numbers & 1 ? x : a[i], right = numbers & 2 ? y : b[i];
    uint bits = op == AND   ? left & right
                : op == OR  ? left | right
                : op == XOR ? left ^ right
                            : ~left;
    if ((i + 1) % words == 0 && cols % 32)
        bits &= (1u << cols % 32) - 1;
    result[i] = bits;
}
#endif
