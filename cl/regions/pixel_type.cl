/* SPDX-License-Identifier: MIT */
/*
 * What measure needs to know about a type of pixels; for the kernel files that include this one.
 *
 * Method:    T is the type, with -DF32, -DF64 or -DI64 if it is float, double or long.
 *              ORDER(x)      a signed number, greater for a greater value; NO_ZERO_SIGN makes -0 0;
 *              KEY_OF(o)     the same as an unsigned 64-bit number, in the high word if 32 bits do;
 *              ORDER_OF(key) the way back;
 *              EXPONENT_OF(o)  E such that the value's magnitude is at least 2^(E-1) and below 2^E;
 *                            INT_MIN for 0;
 *              fixed(x, k)   x 2^k, rounded to the nearest even integer.
 *            SCALED is 1 if regions have a k of their own: floats and longs; else k is 0.
 *            fixed() rounds by adding a number so large that the sum has no fraction. A float's
 *            product is split at 2^16 first: the part above is a multiple of 2^16 and needs no
 *            rounding.
 * Launch:    as the file that includes this one.
 * Exactness: nothing here depends on whether a device takes denormals for 0.
 * Limits:    |x 2^k| <= 2^39; k <= 188 for floats, -986 <= k <= 1113 for doubles, k <= 0 for longs.
 * Others:    host measure_figures.c and measure_scale.c in src/opencl/regions, derivation
 *            docs/measurement.md, "Fixed point".
 */
#ifndef T
#define T float
#define F32
#endif

#if defined(F32)
#define SCALED 1
typedef int order;
#define LEAST_ORDER     INT_MIN
#define ORDER(x)        (as_int(x) ^ (as_int(x) >> 31 & INT_MAX))
#define NO_ZERO_SIGN(x) (as_uint(x) == 0x80000000u ? 0.0f : (x))
#define IS_FINITE(x)    (fabs(x) < INFINITY)
#define IS_BLANK(x)     isnan(x)
#define EXPONENT_OF(o)  exponent_of((uint)((o) ^ (o) >> 31))
__attribute__((unused)) static inline int exponent_of(uint magnitude)
{
    uint stored = magnitude >> 23;
    return stored ? (int)stored - 126 : magnitude ? -117 - (int)clz(magnitude) : INT_MIN;
}
/* 2^k is made of two factors, because one could overflow; if both are too large, x 2^k is as good
 * as 0. */
__attribute__((unused)) static inline long fixed(float x, int k)
{
    int first = clamp(k, -126, 127), second = clamp(k - first, -126, 127);
    float scale = as_float((first + 127) << 23), more = as_float((second + 127) << 23);
    uint bits = as_uint(x);
    if (bits << 1 < 1u << 24) { /* a denormal: its fraction times 2^-149, which is 2^-100 2^-49 */
        x = (float)(bits >> 31 ? -(int)(bits & 0x7fffff) : (int)(bits & 0x7fffff));
        scale *= 0x1p-100f;
        more *= 0x1p-49f;
    }
    float t = x * scale * more;
    int high = (int)(t * 0x1p-16f);
    float rest = t - (float)high * 0x1p16f;
    return ((long)high << 16) + (int)(rest + 0x1.8p23f - 0x1.8p23f);
}
#elif defined(F64)
#define SCALED          1
typedef long order;
#define LEAST_ORDER     LONG_MIN
#define ORDER(x)        (as_long(x) ^ (as_long(x) >> 63 & LONG_MAX))
#define NO_ZERO_SIGN(x) (as_ulong(x) == (ulong)1 << 63 ? 0.0 : (x))
#define IS_FINITE(x)    (fabs(x) < (double)INFINITY)
#define IS_BLANK(x)     isnan(x)
#define EXPONENT_OF(o)  exponent_of((ulong)((o) ^ (o) >> 63))
__attribute__((unused)) static inline int exponent_of(ulong magnitude)
{
    int stored = (int)(magnitude >> 52);
    return stored ? stored - 1022 : magnitude ? -1010 - (int)clz(magnitude) : INT_MIN;
}
__attribute__((unused)) static inline long fixed(double x, int k)
{
    double scale = as_double((ulong)(min(k, 1023) + 1023) << 52);
    double more = as_double((ulong)max(k, 1023) << 52);
    ulong bits = as_ulong(x), fraction = bits & (((ulong)1 << 52) - 1);
    if (bits << 1 < (ulong)1 << 53) { /* a denormal: its fraction times 2^-1074 */
        x = (double)(bits >> 63 ? -(long)fraction : (long)fraction);
        scale *= 0x1p-1000;
        more *= 0x1p-74;
    }
    return (long)(x * scale * more + 0x1.8p52 - 0x1.8p52);
}
#elif defined(I64)
#define SCALED         1
typedef long order;
#define LEAST_ORDER    LONG_MIN
#define ORDER(x)       (x)
#define EXPONENT_OF(o) exponent_of((ulong)((o) ^ (o) >> 63) + ((ulong)(o) >> 63))
__attribute__((unused)) static inline int exponent_of(ulong magnitude)
{
    return magnitude ? 64 - (int)clz(magnitude) : INT_MIN;
}
__attribute__((unused)) static inline long fixed(long x, int k)
{
    if (k < -63) /* where a level is far greater than the pixels: at most a half, which is even 0 */
        return 0;
    uint shift = (uint)-k;
    long whole = x >> shift;
    ulong rest = (ulong)x & (((ulong)1 << shift) - 1), middle = shift ? (ulong)1 << (shift - 1) : 1;
    return whole + (rest > middle || (rest == middle && (whole & 1)));
}
#else
#define SCALED      0
typedef int order;
#define LEAST_ORDER INT_MIN
#define ORDER(x)    ((T)-1 > 0 ? (int)((uint)(x) ^ 0x80000000u) : (int)(x))
#define fixed(x, k) ((long)(x))
#endif

#ifndef IS_FINITE
#define NO_ZERO_SIGN(x) (x)
#define IS_FINITE(x)    true
#define IS_BLANK(x)     false
#endif

#if defined(F64) || defined(I64)
#define KEY_OF(o)     ((ulong)(o) ^ (ulong)1 << 63)
#define ORDER_OF(key) ((long)((key) ^ (ulong)1 << 63))
#else
#define KEY_OF(o)     ((ulong)((uint)(o) ^ 0x80000000u) << 32)
#define ORDER_OF(key) ((int)((uint)((key) >> 32) ^ 0x80000000u))
#endif
