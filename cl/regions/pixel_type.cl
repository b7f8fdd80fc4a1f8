/* SPDX-License-Identifier: MIT */
/*
 * What measure needs to know about a type of pixels; for the kernel files that include this one.
 *
 * Method:    T is the type, with -DF32, -DF64 or -DI64 if it is float, double or long.
 *              ORDER(x)      a signed number, greater for a greater value; NO_ZERO_SIGN makes -0 0;
 *              KEY_OF(o)     the same as an unsigned 64-bit number, in the high word if 32 bits do;
 *              ORDER_OF(key) the way back;
 *              MAGNITUDE(x)  the bits of the magnitude, below INFINITE if x is finite;
 *              fixed(x, scale, more)    x scale more, rounded to the nearest even integer.
 *            fixed() rounds by adding a number so large that the sum has no fraction. A float's
 *            product is split at 2^16 first: the part above is a multiple of 2^16 and needs no
 *            rounding.
 * Launch:    as the file that includes this one.
 * Exactness: nothing here depends on whether a device takes denormals for 0.
 * Limits:    |x scale more| <= 2^39.
 * Others:    host measure_figures.c and measure_range.c in src/opencl/regions, derivation
 *            docs/measurement.md, "Fixed point".
 */
#ifndef T
#define T float
#define F32
#endif

#if defined(F32)
typedef int order;
typedef float factor;
typedef uint bits_of;
#define LEAST_ORDER     INT_MIN
#define ORDER(x)        (as_int(x) ^ (as_int(x) >> 31 & INT_MAX))
#define NO_ZERO_SIGN(x) (as_uint(x) == 0x80000000u ? 0.0f : (x))
#define IS_FINITE(x)    (fabs(x) < INFINITY)
#define IS_BLANK(x)     isnan(x)
#define MAGNITUDE(x)    (as_uint(x) & INT_MAX)
#define INFINITE        0x7f800000u
__attribute__((unused)) static inline long fixed(float x, float scale, float more)
{
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
typedef long order;
typedef double factor;
typedef ulong bits_of;
#define LEAST_ORDER     LONG_MIN
#define ORDER(x)        (as_long(x) ^ (as_long(x) >> 63 & LONG_MAX))
#define NO_ZERO_SIGN(x) (as_ulong(x) == (ulong)1 << 63 ? 0.0 : (x))
#define IS_FINITE(x)    (fabs(x) < (double)INFINITY)
#define IS_BLANK(x)     isnan(x)
#define MAGNITUDE(x)    (as_ulong(x) & LONG_MAX)
#define INFINITE        ((ulong)0x7ff << 52)
__attribute__((unused)) static inline long fixed(double x, double scale, double more)
{
    ulong bits = as_ulong(x), fraction = bits & (((ulong)1 << 52) - 1);
    if (bits << 1 < (ulong)1 << 53) { /* a denormal: its fraction times 2^-1074 */
        x = (double)(bits >> 63 ? -(long)fraction : (long)fraction);
        scale *= 0x1p-1000;
        more *= 0x1p-74;
    }
    return (long)(x * scale * more + 0x1.8p52 - 0x1.8p52);
}
#elif defined(I64)
typedef long order;
typedef uint factor;
typedef ulong bits_of;
#define LEAST_ORDER  LONG_MIN
#define ORDER(x)     (x)
#define MAGNITUDE(x) ((ulong)((x) ^ (x) >> 63) + ((ulong)(x) >> 63))
#define INFINITE     ULONG_MAX
__attribute__((unused)) static inline long fixed(long x, uint shift, uint unused)
{
    long whole = x >> shift;
    ulong rest = (ulong)x & (((ulong)1 << shift) - 1), middle = shift ? (ulong)1 << (shift - 1) : 1;
    return whole + (rest > middle || (rest == middle && (whole & 1)));
}
#else
typedef int order;
typedef uint factor;
typedef uint bits_of;
#define LEAST_ORDER           INT_MIN
#define ORDER(x)              ((T)-1 > 0 ? (int)((uint)(x) ^ 0x80000000u) : (int)(x))
#define MAGNITUDE(x)          ((void)(x), 0)
#define INFINITE              1
#define fixed(x, scale, more) ((long)(x))
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
